"""Steps of memory instructions: count the requests, track what shared and local memory hold.

In: an instruction of `FAMILIES`. Out: its step (see `steps`). A lane whose address is not known
makes the count inexact; so does a guard that data decides.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kernlint.machine_code.accesses import Kind, addressed, copy_sectors, kind, pair
from kernlint.machine_code.control_flow import MEMORY as FAMILIES
from kernlint.machine_code.effects import destinations, sources, width
from kernlint.machine_code.instructions import MachineInstruction, Memory, Register
from kernlint.machine_code.operands import guarded, reader, wide_reader
from kernlint.machine_code.tally import BY_DATA, UNMEASURED, UNREAD, Numbers
from kernlint.machine_code.values import (
    ASSUMED,
    NEITHER,
    NOTHING,
    UNKNOWN,
    Array,
    LaneValue,
    State,
    level,
    uncertain,
    worst,
)

Step = Callable[[Any, int, Any, bool], Any]

__all__ = ["FAMILIES", "step"]


class _Address:
    """Where an operand points: registers read, then the sum as int64."""

    def __init__(self, ins: MachineInstruction, memory: Memory) -> None:
        self.offset, self.scale = memory.offset, memory.scale
        self.wide = False
        self.reads = []
        for register in (memory.base, memory.uniform):
            if register is None or register.zero:
                continue
            two = pair(ins, register, memory)
            self.wide |= two
            self.reads.append(wide_reader(register) if two else reader(register, ins))
        self.scaled = memory.base is not None and not memory.base.zero

    def parts(self, machine: Any) -> list[LaneValue]:
        return [read(machine) for read in self.reads if read is not None]

    def total(self, parts: list[LaneValue]) -> LaneValue:
        total: Array = np.full((1, 1), self.offset, np.int64)
        for position, part in enumerate(parts):
            times = self.scale if self.scaled and position == 0 else 1
            total = total + part.bits.astype(np.int64) * times
        if not self.wide:
            total = total & 0xFFFFFFFF
        return LaneValue(total, worst([part.state for part in parts]))


def step(ins: MachineInstruction, tracked: bool) -> Step | None:
    if ins.guard is not None and ins.guard.always:
        return None  # @!PT: ptxas pads asynchronous copies with loads that never execute
    if ins.family == "LDGSTS":
        return _copy_step(ins)
    found = addressed(ins)
    return _access_step(ins, found[0], tracked) if found else _uncounted(ins)


def _access_step(ins: MachineInstruction, memory: Memory, tracked: bool) -> Step:
    what, address = kind(ins), _Address(ins, memory)
    keys = _register_keys(ins, memory)
    if ins.guard is not None:
        keys.append(ins.guard.key)
    content = _content_step(ins, tracked)

    def run(machine: Any, index: int, mask: Array, whole: bool) -> None:
        identity: list[object] = [mask, *(machine.read(key) for key in keys)]
        kept = machine.kept(index, what.space, identity)
        if kept is not None and content is None:
            machine.count(index, what.space, *kept)
            return
        active, all_alive, unsure = guarded(machine, ins, mask, whole)
        lanes = np.zeros_like(mask) if active is None else active
        place = address.total(address.parts(machine))
        if kept is None:
            known = unsure is None and uncertain(place, lanes) is None
            numbers, doubt = _numbers(machine, what, mask, lanes, place)
            kept = numbers, doubt if known else BY_DATA
            machine.keep(index, what.space, identity, kept)
        machine.count(index, what.space, *kept)
        if content is not None and active is not None:
            content(machine, index, active, all_alive, unsure, place)

    return run


def _numbers(
    machine: Any, what: Kind, mask: Array, lanes: Array, place: LaneValue
) -> tuple[Numbers, str]:
    """(requests, lanes, units, the least units), and why the hardware may not count so, if it may;
    no units where addresses are not known."""
    requests, threads = machine.requests(mask), int(np.count_nonzero(lanes))
    performed = machine.requests(lanes)
    if _unknown(place, lanes):
        return Numbers(requests, threads, performed=performed), BY_DATA
    if what.space == "generic":
        return Numbers(requests, threads, performed=performed), UNREAD
    cost = machine.costs.of(what, place.bits, lanes)
    numbers = Numbers(requests, threads, cost.units, cost.ideal, cost.least, cost.most, performed)
    return numbers, "" if cost.sure or threads == requests else UNMEASURED


def _unknown(place: LaneValue, lanes: Array) -> bool:
    return place.state is not None and bool(((place.state == UNKNOWN) & lanes).any())


def _register_keys(ins: MachineInstruction, memory: Memory) -> list[str]:
    keys = []
    for register in (memory.base, memory.uniform):
        if register is None or register.zero:
            continue
        prefix = "UR" if register.uniform else "R"
        count = 2 if pair(ins, register, memory) else 1
        keys += [f"{prefix}{register.number + n}" for n in range(count)]
    return keys


def _uncounted(ins: MachineInstruction) -> Step:
    """An address that is not understood: nothing is exact."""

    def run(machine: Any, index: int, mask: Array, whole: bool) -> None:
        machine.count(index, "generic", Numbers(machine.requests(mask), 0), UNREAD)

    return run


def _copy_step(ins: MachineInstruction) -> Step:
    """LDGSTS: reads global memory and writes shared memory, one request of each."""
    what = kind(ins)
    to, source = (_Address(ins, memory) for memory in addressed(ins)[:2])

    def run(machine: Any, index: int, mask: Array, whole: bool) -> None:
        active, _, unsure = guarded(machine, ins, mask, whole)
        lanes = np.zeros_like(mask) if active is None else active
        places = [address.total(address.parts(machine)) for address in (to, source)]
        known = unsure is None and all(uncertain(place, lanes) is None for place in places)
        doubt = "" if what.measured else UNMEASURED
        requests, threads = machine.requests(mask), int(np.count_nonzero(lanes))
        sectors = 0
        if threads and not any(_unknown(place, lanes) for place in places):
            shared, far = (np.broadcast_to(place.bits, lanes.shape) for place in places)
            sectors = copy_sectors(what, machine.device, shared, far, lanes)
        machine.count(
            index, "global", Numbers(requests, threads, sectors), doubt if known else BY_DATA
        )
        # what the shared side costs is a lower bound only (see the device's profile)
        machine.count(index, "shared", Numbers(requests, threads), UNMEASURED if known else BY_DATA)
        if machine.shared is not None:
            machine.shared.spoil()

    return run


# --- what memory holds


def _content_step(ins: MachineInstruction, tracked: bool) -> Callable[..., None] | None:
    """Tracks the contents, for instructions that load or change what matters."""
    loads = bool(destinations(ins))
    if ins.family in ("LDS", "LDL"):
        return _load(ins)
    if tracked and ins.family in ("STS", "STL"):
        return _store(ins)
    if tracked and ins.family in ("ATOMS", "ST", "ATOM", "STSM"):
        return _spoiling(ins)
    return _forget(ins) if loads else None


def _keys(ins: MachineInstruction) -> list[str]:
    keys: list[str] = []
    for operand in destinations(ins):
        if isinstance(operand, Register) and not operand.zero:
            prefix = "UR" if operand.uniform else "R"
            keys += [f"{prefix}{operand.number + n}" for n in range(width(ins))]
        elif not isinstance(operand, Register) and not getattr(operand, "always", True):
            keys.append(getattr(operand, "key", ""))
    return keys


def _forget(ins: MachineInstruction) -> Callable[..., None]:
    """Loaded from memory that is not tracked: unknown."""
    keys = _keys(ins)

    def run(
        machine: Any, index: int, active: Array, whole: bool, unsure: Any, place: LaneValue
    ) -> None:
        for key in keys:
            machine.write(key, NEITHER if "P" in key else NOTHING, active, whole)

    return run


def _load(ins: MachineInstruction) -> Callable[..., None]:
    keys, what = _keys(ins), kind(ins)
    signed = bool(ins.modifiers & {"S8", "S16"})

    def run(
        machine: Any, index: int, active: Array, whole: bool, unsure: Any, place: LaneValue
    ) -> None:
        contents = machine.shared if what.space == "shared" else machine.local
        if contents is None or not machine.program.needed[index]:
            words = [NOTHING] * len(keys)
        else:
            known = active if place.state is None else active & (place.state != UNKNOWN)
            at = np.broadcast_to(place.bits, active.shape)
            rows = _rows(machine, what.space)
            words = contents.load(rows, at, what.width, signed, known)
        for key, word in zip(keys, words, strict=False):
            value = word
            if place.state is not None:
                value = LaneValue(word.bits, worst([word.state, place.state]))
            if unsure is not None:
                value = machine.lower(value, unsure, ASSUMED)
            machine.write(key, value, active, whole)

    return run


def _rows(machine: Any, space: str) -> Array:
    blocks, threads = machine.shape
    if space == "shared":
        return np.arange(blocks)[:, None]
    return np.arange(blocks * threads).reshape(blocks, threads)


def _store(ins: MachineInstruction) -> Callable[..., None]:
    what = kind(ins)
    data = sources(ins)[-1]
    keys = _data_keys(data, max(1, what.width // 4)) if isinstance(data, Register) else []

    def run(
        machine: Any, index: int, active: Array, whole: bool, unsure: Any, place: LaneValue
    ) -> None:
        contents = machine.shared if what.space == "shared" else machine.local
        if contents is None:
            return
        if uncertain(place, active) is not None:
            contents.spoil()
            return
        doubt: State = level(UNKNOWN) if index in machine.doubted or unsure is not None else None
        values = [machine.read(key) for key in keys]
        at = np.broadcast_to(place.bits, active.shape)
        contents.store(_rows(machine, what.space), at, what.width, values, active, doubt)

    return run


def _data_keys(data: Register, words: int) -> list[str]:
    if data.zero:
        return [data.key] * words
    return [Register(data.number + n, data.uniform).key for n in range(words)]


def _spoiling(ins: MachineInstruction) -> Callable[..., None]:
    """Atomics and stores through generic addresses: what they leave is not followed."""
    forget = _forget(ins)

    def run(
        machine: Any, index: int, active: Array, whole: bool, unsure: Any, place: LaneValue
    ) -> None:
        machine.spoil()
        forget(machine, index, active, whole, unsure, place)

    return run
