"""Reading operands: from a register, a constant, an immediate to a `LaneValue`.

In: an operand. Out: a function of a machine, None where the operand is not understood.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kernlint.machine_code.instructions import (
    Constant,
    Immediate,
    MachineInstruction,
    Operand,
    Predicate,
    Register,
    Special,
)
from kernlint.machine_code.values import NOTHING, Array, LaneValue, scalar, uncertain, worst

Read = Callable[[Any], LaneValue]

_UNSIGNED = {"U8": (1, 0), "U16": (2, 0), "S8": (1, 24), "S16": (2, 16)}


def guarded(
    machine: Any, ins: MachineInstruction, mask: Array, whole: bool
) -> tuple[Array | None, bool, Array | None]:
    """(lanes in which the guard holds, None for none; whether these are all alive; lanes in which
    data decides). Lanes that data decides are taken to be active."""
    if ins.guard is None:
        return mask, whole, None
    condition = machine.predicate(ins.guard)
    unsure = uncertain(condition, mask)
    active = mask & condition.bits if unsure is None else mask & (condition.bits | unsure)
    if not active.any():
        return None, False, None
    return active, whole and machine.is_whole(active), unsure


def reader(operand: Operand, ins: MachineInstruction, carries: bool = False) -> Read | None:
    """Reads 32 bits a lane, or a predicate. `carries`: as uint64, with -x = ~x + 1 unwrapped."""
    if isinstance(operand, Predicate):
        return lambda machine: machine.predicate(operand)
    if isinstance(operand, Immediate):
        return _fixed(scalar(operand.value), carries, "")
    if isinstance(operand, Special):
        return lambda machine: machine.special.get(operand.name, NOTHING)
    if isinstance(operand, Register):
        return _signed(lambda machine: machine.read(operand.key), operand.sign, carries)
    if isinstance(operand, Constant):
        size, _ = next((row for word, row in _UNSIGNED.items() if _loads(ins, word)), (4, 0))
        shift = next((row[1] for word, row in _UNSIGNED.items() if _loads(ins, word)), 0)
        return _signed(lambda m: _constant(m, operand, size, shift), operand.sign, carries)
    return None


def _loads(ins: MachineInstruction, word: str) -> bool:
    return ins.family in ("LDC", "ULDC", "LDCU") and word in ins.modifiers


def _fixed(value: LaneValue, carries: bool, sign: str) -> Read:
    made = _apply(value, sign, carries)
    return lambda machine: made


def _signed(read: Read, sign: str, carries: bool) -> Read:
    if not sign and not carries:
        return read
    return lambda machine: _apply(read(machine), sign, carries)


def _apply(value: LaneValue, sign: str, carries: bool) -> LaneValue:
    bits = value.bits
    if sign == "|":
        bits = np.where(bits >> np.uint32(31), -bits, bits)
    elif sign:
        bits = ~bits
    if carries:
        bits = bits.astype(np.uint64)
    if sign == "-":
        bits = bits + bits.dtype.type(1)
    return LaneValue(bits, value.state)


def wide_reader(operand: Operand) -> Read | None:
    """Reads a pair of registers, or eight bytes of a constant, as uint64."""
    if isinstance(operand, Immediate):
        return _fixed(
            LaneValue(np.full((1, 1), operand.value & (1 << 64) - 1, np.uint64)), False, ""
        )
    if isinstance(operand, Constant):
        return lambda machine: _joined(
            _constant(machine, operand, 4, 0),
            _constant(machine, Constant(operand.bank, operand.offset + 4, operand.index), 4, 0),
        )
    if not isinstance(operand, Register):
        return None
    above = Register(operand.number + 1, operand.uniform) if not operand.zero else operand

    def read(machine: Any) -> LaneValue:
        value = _joined(machine.read(operand.key), machine.read(above.key))
        return LaneValue(np.uint64(0) - value.bits, value.state) if operand.sign == "-" else value

    return read


def _joined(below: LaneValue, above: LaneValue) -> LaneValue:
    bits = below.bits.astype(np.uint64) | above.bits.astype(np.uint64) << np.uint64(32)
    return LaneValue(bits, worst([below.state, above.state]))


def _constant(machine: Any, operand: Constant, size: int, sign_shift: int) -> LaneValue:
    bank = machine.banks.get(operand.bank)
    if bank is None:
        return NOTHING
    index = NOTHING if operand.index is None else machine.read(operand.index.key)
    offset = np.zeros((1, 1), np.int64) if operand.index is None else index.bits.astype(np.int64)
    at = offset + operand.offset
    inside = (at >= 0) & (at + size <= len(bank.data))
    at = np.where(inside, at, 0)
    bits = np.zeros(at.shape, np.uint32)
    state = np.where(inside, np.uint8(0), np.uint8(2))
    for byte in range(size):
        bits = bits | bank.data[at + byte].astype(np.uint32) << np.uint32(8 * byte)
        state = np.maximum(state, bank.state[at + byte])
    if sign_shift:
        kept = np.int32(sign_shift)
        bits = (bits.view(np.int32) << kept >> kept).view(np.uint32)
    given = None if operand.index is None else index.state
    return LaneValue(bits, worst([state if state.any() else None, given]))
