"""Executes a kernel's machine code over all lanes of some blocks.

In: a `MachineProgram`, a launch, the indices of blocks. Out: counts per memory instruction, added to the
tallies given. All lanes whose next instruction is the lowest address go on together; convergence
barriers and `BAR` hold lanes back as the hardware does. Never: data loaded from global memory,
floating-point results, or a guess: a branch that data decides makes the counts between it and the
place where its sides meet inexact, and what is written there unknown.
"""

from __future__ import annotations

import numpy as np

from kernlint.machine_code.accesses import RequestCosts, kind
from kernlint.machine_code.contents import MemoryContents
from kernlint.machine_code.control_flow import MEMORY
from kernlint.machine_code.instructions import ZERO as ZERO_NUMBER
from kernlint.machine_code.instructions import Predicate, Register
from kernlint.machine_code.launch import (
    CONSTANTS_BANK,
    Bank,
    MachineLaunch,
    constant_bank,
    constants_bank,
)
from kernlint.machine_code.program import MachineProgram
from kernlint.machine_code.reconvergence import Waiting
from kernlint.machine_code.tally import BY_DATA, STOPPED, UNMEASURED, Count, Numbers
from kernlint.machine_code.values import (
    ALWAYS,
    NEITHER,
    NOTHING,
    UNKNOWN,
    ZERO,
    Array,
    LaneValue,
    merged,
    scalar,
    weakened,
)

_ZERO, _UNIFORM_ZERO = Register(ZERO_NUMBER).key, Register(ZERO_NUMBER, uniform=True).key

Counted = tuple[Numbers, str]  # what an instruction adds, and why that is not exact
_MEETING = 1 << 20  # numbers the barriers where undecided branches meet


class LaneMachine:
    """The state of some blocks. `live`: lanes that have not ended; `tallies` and `doubted` are
    shared by all blocks of the launch."""

    def __init__(
        self,
        program: MachineProgram,
        launch: MachineLaunch,
        costs: RequestCosts,
        blocks: Array,
        tallies: dict[tuple[int, str], Count],
        budget: int,
    ) -> None:
        self.program, self.costs, self.tallies, self.budget = program, costs, tallies, budget
        self.device = device = costs.device
        lanes = device.warp_lanes
        threads = -(-launch.threads // lanes) * lanes
        self.shape = (len(blocks), threads)
        self.warp_shape = (len(blocks), threads // lanes, lanes)
        self.live = np.zeros(self.shape, np.bool_)
        self.live[:, : launch.threads] = True
        self.lanes_alive = int(np.count_nonzero(self.live))
        self.registers: dict[str, LaneValue] = {_ZERO: ZERO, _UNIFORM_ZERO: ZERO}
        self.special = _special_registers(launch, blocks, threads, lanes)
        stack = program.stack_bytes
        self.banks: dict[int, Bank] = {
            0: constant_bank(program.kernel, launch, program.architecture, stack),
            CONSTANTS_BANK: constants_bank(program.kernel, launch),
            **program.banks,
        }
        self.shared: MemoryContents | None = None
        self.local: MemoryContents | None = None
        if program.tracks_contents:
            size = program.kernel.static_shared_bytes + launch.dynamic_shared_bytes
            self.shared = MemoryContents(len(blocks), device.shared_window + size)
            self.local = MemoryContents(self.live.size, stack) if program.uses_local else None
        self.runnable: dict[int, Array] = {}
        self.waiting = Waiting(self)
        # where branches that data decides meet again: (lanes, registers written, branch)
        self.meetings: dict[int, list[tuple[Array, frozenset[str], int]]] = {}
        self.open: dict[int, Array] = {}
        self.doubted: set[int] = set()
        self._kept: dict[tuple[int, str], tuple[list[object], Counted]] = {}

    # --- running

    def run(self) -> None:
        if self.program.flow.end:
            self.runnable[0] = self.live.copy()
        while self.runnable or self.waiting.release():
            index = min(self.runnable)
            self._follow(index, self.runnable.pop(index))

    def _follow(self, index: int, mask: Array) -> None:
        """Run a group of lanes until it ends, waits, or meets another group."""
        steps, whole = self.program.steps, self.is_whole(mask)
        while index < len(steps):
            if self.runnable and min(self.runnable) <= index:
                self.resume(index, mask)
                return
            if index in self.meetings and not self._meet(index, mask):
                return
            step = steps[index]
            if step is None:
                index += 1
                continue
            self.budget -= mask.size
            if self.budget < 0:
                self.give_up()
                return
            after = step(self, index, mask, whole)
            if after is None:
                index += 1
                continue
            index, other = after
            if other is None:
                return
            if other is not mask:
                mask, whole = other, self.is_whole(other)

    def is_whole(self, mask: Array) -> bool:
        """Whether the group is all lanes that have not ended: the others' registers do not
        matter."""
        return int(np.count_nonzero(mask)) == self.lanes_alive

    def resume(self, index: int, mask: Array) -> None:
        """Let lanes go on at an instruction."""
        if mask.any():
            present = self.runnable.get(index)
            self.runnable[index] = mask if present is None else present | mask

    def end(self, mask: Array) -> None:
        self.live = self.live & ~mask
        self.lanes_alive = int(np.count_nonzero(self.live))

    def give_up(self, why: str = STOPPED) -> None:
        """Stop here: no count of the launch is exact."""
        self.doubt_all(why)
        self.runnable.clear()
        self.waiting.clear()
        self.end(self.live)

    # --- registers

    def read(self, key: str) -> LaneValue:
        return self.registers.get(key, NEITHER if "P" in key else NOTHING)

    def write(self, key: str, value: LaneValue, mask: Array, whole: bool) -> None:
        self.registers[key] = value if whole else merged(value, self.read(key), mask)

    def predicate(self, operand: Predicate | None) -> LaneValue:
        if operand is None:
            return ALWAYS
        value = ALWAYS if operand.always else self.read(operand.key)
        return LaneValue(~value.bits, value.state) if operand.negated else value

    def lower(self, value: LaneValue, mask: Array, state: int) -> LaneValue:
        return weakened(value, mask, state)

    # --- doubt

    def doubt(self, instructions: frozenset[int]) -> None:
        self.doubted.update(instructions)

    def doubt_all(self, why: str) -> None:
        self.doubted.update(range(self.program.flow.end))
        self.program.gave_up = why

    def undecided(self, index: int, mask: Array, lanes: Array) -> None:
        """Data decides in `lanes` of the group where the branch at `index` goes. The group's warps
        meet again where its sides do: where no convergence barrier says so, the compiler knows that
        they never part."""
        meeting, region = self.program.region(index)
        self.doubt(region.instructions)
        if region.open_ended:
            self.doubt_all(BY_DATA)
        self.waiting.register(_MEETING + meeting, mask & self.warps(lanes))
        self.meetings.setdefault(meeting, []).append((lanes, region.written, index))
        present = self.open.get(index)
        self.open[index] = lanes if present is None else present | lanes
        if region.stores:
            self.spoil()

    def spoil(self) -> None:
        """Any byte of shared and local memory may have been written."""
        for contents in (self.shared, self.local):
            if contents is not None:
                contents.spoil()

    def over_warp(self, bits: Array, mask: Array) -> Array:
        """The number that a lane of `mask` holds, for all lanes of its warp."""
        lanes = np.where(mask, bits, bits.dtype.type(0)).reshape(self.warp_shape)
        highest = lanes.max(axis=2, keepdims=True)
        return np.broadcast_to(highest, self.warp_shape).reshape(self.shape)

    def warps(self, lanes: Array) -> Array:
        """All lanes of the warps that have one of `lanes`."""
        some = lanes.reshape(self.warp_shape).any(axis=2, keepdims=True)
        return np.broadcast_to(some, self.warp_shape).reshape(self.shape)

    def _meet(self, index: int, mask: Array) -> bool:
        """The sides of undecided branches meet: what either may have written is unknown. False
        where the group must wait for others."""
        barrier = _MEETING + index
        if self.waiting.missing(barrier, mask).any():
            self.waiting.hold(("convergence", barrier, 0), index, mask)
            return False
        self.waiting.leave(barrier, mask)
        remaining = []
        for lanes, written, branch in self.meetings.pop(index):
            here = lanes & mask
            if here.any():
                for key in written:
                    self.registers[key] = weakened(self.read(key), here, UNKNOWN)
                self.open[branch] = self.open[branch] & ~here
                if self.program.region(branch)[1].stores:
                    self.spoil()
            if (lanes & ~mask).any():
                remaining.append((lanes & ~mask, written, branch))
        if remaining:
            self.meetings[index] = remaining
        return True

    # --- counting

    def count(self, index: int, space: str, numbers: Numbers, doubt: str) -> None:
        tally = self.tallies.setdefault((index, space), Count())
        tally.add(numbers)
        if doubt and tally.doubt != BY_DATA:
            tally.doubt = doubt

    def kept(self, index: int, space: str, keys: list[object]) -> Counted | None:
        """What was counted when addresses and lanes were the same objects."""
        found = self._kept.get((index, space))
        if found is None or len(found[0]) != len(keys):
            return None
        return found[1] if all(a is b for a, b in zip(found[0], keys, strict=True)) else None

    def keep(self, index: int, space: str, keys: list[object], counted: Counted) -> None:
        self._kept[index, space] = (keys, counted)

    def requests(self, mask: Array) -> int:
        return int(np.count_nonzero(mask.reshape(self.warp_shape).any(axis=2)))

    def finish(self) -> None:
        """Say of each count what it lacks; instructions that only data kept from executing have a
        count too."""
        for index in self.doubted:
            if self.program.code[index].family in MEMORY and self.program.steps[index] is not None:
                space = kind(self.program.code[index]).space
                self.tallies.setdefault((index, space), Count())
        for (index, _), tally in self.tallies.items():
            if index in self.doubted and tally.doubt in ("", UNMEASURED):
                tally.doubt = self.program.gave_up or BY_DATA


def _special_registers(
    launch: MachineLaunch, blocks: Array, threads: int, lanes: int
) -> dict[str, LaneValue]:
    thread = np.arange(threads, dtype=np.uint32)[None, :]
    block = blocks.astype(np.uint32)[:, None]
    x, y, _ = launch.block
    across, down, deep = launch.grid
    lane = thread % lanes
    one = np.uint32(1)
    return {
        "SR_TID.X": LaneValue(thread % x),
        "SR_TID.Y": LaneValue(thread // x % y),
        "SR_TID.Z": LaneValue(thread // (x * y)),
        "SR_CTAID.X": LaneValue(block % across),
        "SR_CTAID.Y": LaneValue(block // across % down),
        "SR_CTAID.Z": LaneValue(block // (across * down)),
        "SR_NTID.X": scalar(x),
        "SR_NTID.Y": scalar(y),
        "SR_NTID.Z": scalar(launch.block[2]),
        "SR_NCTAID.X": scalar(across),
        "SR_NCTAID.Y": scalar(down),
        "SR_NCTAID.Z": scalar(deep),
        "SR_LANEID": LaneValue(lane),
        "SR_EQMASK": LaneValue(one << lane),
        "SR_LTMASK": LaneValue((one << lane) - one),
        "SR_LEMASK": LaneValue((np.uint32(2) << lane) - one),
        "SR_GTMASK": LaneValue(~((np.uint32(2) << lane) - one)),
        "SR_GEMASK": LaneValue(~((one << lane) - one)),
        # the block's rank in its cluster, which is 0 where there are no clusters
        "SR_CgaCtaId": ZERO,
        "SRZ": ZERO,
    }
