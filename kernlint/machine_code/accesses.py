"""What one memory instruction costs: requests, lanes, wavefronts, sectors.

In: the addresses of all lanes, which lanes are active, a device. Out: numbers from kernlint's
hardware model. Blocks whose warps differ by whole cache lines only are counted once.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kernlint.base.dataclass import dataclass
from kernlint.hardware.banks import ideal_wavefront_rows, wavefront_rows
from kernlint.hardware.devices import Device
from kernlint.hardware.sector_counts import (
    copy_sector_rows,
    ideal_sector_rows,
    local_sectors,
    sector_rows,
)
from kernlint.machine_code.instructions import MachineInstruction, Memory, Register
from kernlint.machine_code.tally import MANY
from kernlint.machine_code.values import Array

_SPACES = {"G": "global", "S": "shared", "L": "local"}
_GLOBAL = frozenset({"RED", "REDG", "ATOMG", "LDG", "STG", "LDGSTS"})
_PATTERNS = 6  # of blocks that are looked for before the rest is counted block by block


@dataclass(frozen=True, slots=True)
class Kind:
    """What a memory instruction does. `op` is load, store, atomic or copy, as counters name them;
    `hardware_op` as the hardware model does; `width` in bytes a lane, `bits` as the profiler states
    it; `lanes`: how many of a warp, the first ones, give an address. `measured`: whether the cost
    of such an instruction was."""

    space: str
    op: str
    hardware_op: str
    width: int
    bits: int = 0
    lanes: int = 32
    measured: bool = True


def kind(instruction: MachineInstruction) -> Kind:
    family, modifiers = instruction.family, instruction.modifiers
    width = next((size for word, size in _WIDTHS if word in modifiers), 4)
    if family == "LDGSTS":
        return Kind("global", "copy", "copy", width, 8 * width, 32, width != 16)
    if family in ("LDSM", "STSM"):
        op = "load" if family == "LDSM" else "store"
        lanes = next((8 * n for n in (4, 2, 1) if str(n) in modifiers), 32)
        return Kind("shared", op, "ldmatrix" if op == "load" else "stmatrix", 16, 16, lanes)
    if family.startswith(("ATOM", "RED")):
        space = "shared" if family == "ATOMS" else "global" if family in _GLOBAL else "generic"
        if space == "shared":
            return Kind(space, "atomic", _atomic(modifiers), width, 8 * width)
        # the profiler's source view has each sector once, however many lanes share an address (an
        # H100: 180 lanes on 10 counters, 12 sectors); sums of 64 bits less than their bytes have
        sure = not modifiers & _UNMEASURED
        return Kind(space, "atomic", "load", width, 8 * width, 32, sure)
    op = "load" if family.startswith("LD") else "store"
    return Kind(_SPACES.get(family[2:], "generic"), op, op, width, 8 * width)


_UNMEASURED = frozenset({"64", "F64", "F16x2", "BF16_V2", "F16", "128"})
_WIDTHS = (("128", 16), ("64", 8), ("F64", 8), ("U16", 2), ("S16", 2), ("U8", 1), ("S8", 1))


def _atomic(modifiers: frozenset[str]) -> str:
    if "POPC" in modifiers:
        return "increment"
    return "cas" if modifiers & {"CAS", "CAST"} else "atomic"


def addressed(instruction: MachineInstruction) -> list[Memory]:
    """The addresses of an instruction: a copy to shared memory has two, the destination first."""
    return [operand for operand in instruction.operands if isinstance(operand, Memory)]


def pair(instruction: MachineInstruction, register: Register | None, memory: Memory) -> bool:
    """Whether the register of an address is a pair: marked so, or the only one of a global one."""
    if register is None or register.count == 2 or register.part == "U32":
        return register is not None and register.count == 2
    alone = not (memory.base and memory.uniform)
    return "E" in instruction.modifiers and alone and memory is addressed(instruction)[-1]


@dataclass(frozen=True, slots=True)
class RequestCost:
    """Wavefronts (shared) or sectors (global), and what the same lanes need at least. `sure`: the
    hardware is known to count so."""

    units: int = 0
    ideal: int = 0
    least: int = MANY
    most: int = 0
    sure: bool = True


class RequestCosts:
    """What requests cost on a device. What was counted for the lanes of one block is kept: blocks and iterations
    differ by whole cache lines most of the time."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self._kept: dict[tuple[Kind, bytes, bytes], RequestCost] = {}

    def of(self, what: Kind, addresses: Array, active: Array) -> RequestCost:
        """Of all requests of an instruction. `active` is [blocks, threads]; `addresses` may have an
        axis of length 1."""
        if what.lanes < self.device.warp_lanes:
            active = active & (np.arange(active.shape[1]) % self.device.warp_lanes < what.lanes)
        units, ideal, least, most = 0, 0, MANY, 0
        for offsets, lanes, times in self._patterns(addresses, active):
            found = self._one(what, offsets, lanes)
            units, ideal = units + found.units * times, ideal + found.ideal * times
            least, most = min(least, found.least), max(most, found.most)
        return RequestCost(units, ideal, least, most, what.measured)

    def _one(self, what: Kind, offsets: Array, lanes: Array) -> RequestCost:
        key = (what, offsets.tobytes(), lanes.tobytes())
        found = self._kept.get(key)
        if found is None:
            found = self._kept[key] = _count(what, self.device, offsets, lanes)
        return found

    def _patterns(self, addresses: Array, active: Array) -> Iterator[tuple[Array, Array, int]]:
        """(addresses, lanes, how many blocks have them up to whole cache lines)."""
        everywhere = bool(active.all())
        relative = addresses - (addresses[:, :1] & -self.device.line_bytes)
        if everywhere and len(relative) == 1:
            yield np.broadcast_to(relative[0], active.shape[1:]), active[0], len(active)
            return
        relative = np.broadcast_to(relative, active.shape)
        if not everywhere:
            relative = np.where(active, relative, 0)
        left = np.ones(len(active), np.bool_)
        for _ in range(_PATTERNS):
            rows = np.flatnonzero(left)
            if not len(rows):
                return
            same = left & (relative == relative[rows[0]]).all(axis=1)
            if not everywhere:
                same &= (active == active[rows[0]]).all(axis=1)
            yield relative[rows[0]], active[rows[0]], int(np.count_nonzero(same))
            left &= ~same
        yield relative[left], active[left], 1


def _count(what: Kind, device: Device, addresses: Array, active: Array) -> RequestCost:
    lanes = device.warp_lanes
    flags = active.reshape(-1, lanes)
    used = flags.any(axis=1)
    if not used.any():
        return RequestCost()
    rows, flags = addresses.reshape(-1, lanes)[used].astype(np.int64), flags[used]
    if what.space == "shared":
        units = wavefront_rows(rows, flags, what.width, what.hardware_op, device)
        ideal = ideal_wavefront_rows(rows, flags, what.width, what.hardware_op, device)
    elif what.space == "local":
        units = local_sectors(rows, flags, what.width, device)
        ideal = -(-flags.sum(axis=1) * what.width // device.sector_bytes)
    else:
        units = sector_rows(rows, flags, what.width, what.hardware_op, device)
        ideal = ideal_sector_rows(rows, flags, what.width, device)
    return RequestCost(int(units.sum()), int(ideal.sum()), int(units.min()), int(units.max()))


def copy_sectors(what: Kind, device: Device, shared: Array, source: Array, active: Array) -> int:
    """Sectors that asynchronous copies read, which depend on where they write."""
    lanes = device.warp_lanes
    flags = active.reshape(-1, lanes)
    used = flags.any(axis=1)
    to, rows = (places.reshape(-1, lanes)[used].astype(np.int64) for places in (shared, source))
    return int(copy_sector_rows(to, rows, flags[used], what.width, device).sum())
