"""Instructions that look at other lanes of the warp, and some of odd form.

In: an instruction. Out: a function of (machine, active lanes) that gives the values written, None
for unknown. What an inactive lane would have to give is unknown.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kernlint.machine_code.effects import destinations, sources
from kernlint.machine_code.instructions import Immediate, MachineInstruction, Predicate, Register
from kernlint.machine_code.operands import reader
from kernlint.machine_code.values import UNKNOWN, ZERO, Array, LaneValue, scalar, settled

Compute = Callable[[Any, Any], "list[LaneValue] | None"]


def _warps(machine: Any, values: Array) -> Array:
    return np.broadcast_to(values, machine.shape).reshape(machine.warp_shape)


def _states(machine: Any, value: LaneValue) -> Array:
    given = np.zeros((1, 1), np.uint8) if value.state is None else value.state
    return _warps(machine, given)


def _shuffle(ins: MachineInstruction) -> Compute | None:
    """SHFL: PTX ISA, `shfl.sync`: the lane read from, inside a segment of the warp."""
    mode = next((name for name in ("IDX", "UP", "DOWN", "BFLY") if name in ins.modifiers), None)
    reads = [reader(operand, ins) for operand in sources(ins)]
    if mode is None or len(reads) != 3 or None in reads:
        return None

    def compute(machine: Any, active: Array) -> list[LaneValue]:
        data, by, clamp = (read(machine) for read in reads if read is not None)
        amount, limits = (_warps(machine, v.bits).astype(np.int64) for v in (by, clamp))
        lane = np.arange(machine.warp_shape[2])
        segment = limits >> 8 & 31
        last = (lane & segment) | (limits & 31 & ~segment)
        first = lane & segment
        amount = amount & 31
        if mode == "UP":
            source, inside = lane - amount, lane - amount >= last
        elif mode == "DOWN":
            source, inside = lane + amount, lane + amount <= last
        elif mode == "BFLY":
            source, inside = lane ^ amount, (lane ^ amount) <= last
        else:
            source, inside = first | (amount & ~segment), (first | (amount & ~segment)) <= last
        source = np.where(inside, source, lane) & (machine.warp_shape[2] - 1)
        bits = np.take_along_axis(_warps(machine, data.bits), source, axis=2)
        state = np.take_along_axis(_states(machine, data), source, axis=2)
        present = np.take_along_axis(active.reshape(machine.warp_shape), source, axis=2)
        state = np.where(present, state, np.uint8(UNKNOWN))
        state = np.maximum(state, np.maximum(_states(machine, by), _states(machine, clamp)))
        shape = machine.shape
        held = settled(state.reshape(shape))
        values = [LaneValue(inside.reshape(shape), held), LaneValue(bits.reshape(shape), held)]
        return values if isinstance(destinations(ins)[0], Predicate) else values[1:]

    return compute


def _vote(ins: MachineInstruction) -> Compute | None:
    """VOTE.ANY: the ballot of a predicate, and whether it holds in any (ALL: every) lane."""
    read = reader(sources(ins)[0], ins) if sources(ins) else None
    if read is None:
        return None

    def compute(machine: Any, active: Array) -> list[LaneValue]:
        given = read(machine)
        lanes = active.reshape(machine.warp_shape)
        votes = _warps(machine, given.bits) & lanes
        state = (_states(machine, given) * lanes).max(axis=2, keepdims=True)
        ballot = _ballot(votes)
        truth: Array = np.asarray(votes.any(axis=2, keepdims=True))
        if "ALL" in ins.modifiers:
            truth = np.asarray((votes | ~lanes).all(axis=2, keepdims=True))
        results = (_spread(machine, ballot, state), _spread(machine, truth, state))
        order = [isinstance(operand, Predicate) for operand in destinations(ins)]
        return [results[1 if predicate else 0] for predicate in order]

    return compute


def _ballot(votes: Array) -> Array:
    weights = np.uint32(1) << np.arange(votes.shape[2], dtype=np.uint32)
    return np.asarray((votes * weights).sum(axis=2, keepdims=True), dtype=np.uint32)


def _spread(machine: Any, values: Array, state: Array) -> LaneValue:
    """One number a warp, to all its lanes."""
    bits = np.broadcast_to(values, machine.warp_shape).reshape(machine.shape)
    wide = np.broadcast_to(state, machine.warp_shape).reshape(machine.shape)
    return LaneValue(bits, settled(wide))


def _first_lane(ins: MachineInstruction) -> Compute | None:
    """R2UR: the value of the warp's first active lane."""
    read = reader(sources(ins)[0], ins) if sources(ins) else None
    if read is None:
        return None

    def compute(machine: Any, active: Array) -> list[LaneValue] | None:
        given = read(machine)
        if given.bits.shape[1] == 1:
            return [given]
        first = active.reshape(machine.warp_shape).argmax(axis=2)[:, :, None]
        bits = np.take_along_axis(_warps(machine, given.bits), first, axis=2)
        state = np.take_along_axis(_states(machine, given), first, axis=2)
        return [_spread(machine, bits, state)]

    return compute


# (function, what changes nothing unsigned, and signed; None: signs do not matter)
_REDUCTIONS: dict[str, tuple[Any, int, int | None]] = {
    "SUM": (np.add, 0, None),
    "OR": (np.bitwise_or, 0, None),
    "XOR": (np.bitwise_xor, 0, None),
    "AND": (np.bitwise_and, 2**32 - 1, None),
    "MIN": (np.minimum, 2**32 - 1, 2**31 - 1),
    "MAX": (np.maximum, 0, -(2**31)),
}


def _reduce(ins: MachineInstruction) -> Compute | None:
    """REDUX: over the active lanes of the warp."""
    read = reader(sources(ins)[0], ins) if sources(ins) else None
    row = next((_REDUCTIONS[name] for name in _REDUCTIONS if name in ins.modifiers), None)
    if read is None or row is None:
        return None
    function, neutral, of_signed = row
    signed = "S32" in ins.modifiers and of_signed is not None
    start = neutral if of_signed is None or not signed else of_signed

    def compute(machine: Any, active: Array) -> list[LaneValue]:
        given = read(machine)
        lanes = active.reshape(machine.warp_shape)
        bits = _warps(machine, given.bits).astype(np.int64)
        if signed:
            bits = bits.astype(np.uint32).view(np.int32).astype(np.int64)
        total = function.reduce(np.where(lanes, bits, start), axis=2, keepdims=True)
        state = (_states(machine, given) * lanes).max(axis=2, keepdims=True)
        return [_spread(machine, (total & 0xFFFFFFFF).astype(np.uint32), state)]

    return compute


def _match(ins: MachineInstruction) -> Compute | None:
    """MATCH.ANY: which active lanes of the warp hold the lane's value."""
    read = reader(sources(ins)[0], ins) if len(sources(ins)) == 1 else None
    if read is None or ins.modifiers & {"ALL", "U64"}:
        return None

    def compute(machine: Any, active: Array) -> list[LaneValue]:
        given = read(machine)
        bits, lanes = _warps(machine, given.bits), active.reshape(machine.warp_shape)
        result = np.zeros(machine.warp_shape, np.uint32)
        for lane in range(machine.warp_shape[2]):
            same = lanes[:, :, lane, None] & (bits == bits[:, :, lane, None])
            result |= same.astype(np.uint32) << np.uint32(lane)
        state = (_states(machine, given) * lanes).max(axis=2, keepdims=True)
        wide = np.broadcast_to(state, machine.warp_shape).reshape(machine.shape)
        return [LaneValue(result.reshape(machine.shape), settled(wide))]

    return compute


def _zeros(ins: MachineInstruction) -> Compute | None:
    """CS2R: SRZ clears a pair of registers; clocks are not known."""
    read = reader(sources(ins)[0], ins) if sources(ins) else None
    if read is None:
        return None
    return lambda machine, active: [read(machine), ZERO]


def _packed_halves(ins: MachineInstruction) -> Compute | None:
    """HFMA2 of -0 and 0 makes the constant of two half-precision immediates."""
    operands = sources(ins)
    zeros = [isinstance(operand, Register) and operand.zero for operand in operands[:2]]
    if len(operands) != 4 or not all(zeros):
        return None
    halves = [_half(operand) for operand in operands[2:]]
    if None in halves:
        return None
    high, low = (half or 0 for half in halves)
    made = scalar(high << 16 | low)
    return lambda machine, active: [made]


def _half(operand: Any) -> int | None:
    if not isinstance(operand, Immediate):
        return None
    value = operand.value if operand.real is None else operand.real
    return int(np.float16(value).view(np.uint16))


def _predicates_to_register(ins: MachineInstruction) -> Compute | None:
    """P2R: the predicates that a mask names, in the low bits of a register."""
    operands = sources(ins)
    if len(operands) != 2 or not isinstance(operands[1], Immediate) or "B1" in ins.modifiers:
        return None
    base = reader(operands[0], ins)
    if base is None or not isinstance(operands[0], Register) or not operands[0].zero:
        return None
    chosen = [number for number in range(7) if operands[1].value >> number & 1]

    def compute(machine: Any, active: Array) -> list[LaneValue]:
        bits, state = ZERO.bits, np.zeros((1, 1), np.uint8)
        for number in chosen:
            value = machine.read(f"P{number}")
            bits = bits | value.bits.astype(np.uint32) << np.uint32(number)
            state = state if value.state is None else np.maximum(state, value.state)
        return [LaneValue(bits, settled(state))]

    return compute


OPERATIONS: dict[str, Callable[[MachineInstruction], Compute | None]] = {
    "SHFL": _shuffle,
    "VOTE": _vote,
    "VOTEU": _vote,
    "R2UR": _first_lane,
    "REDUX": _reduce,
    "MATCH": _match,
    "CS2R": _zeros,
    "HFMA2": _packed_halves,
    "P2R": _predicates_to_register,
}
