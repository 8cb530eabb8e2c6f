"""Assignments that move a variable on: `v = v ± amount`, whatever integer conversions stand around
it.

In: an `ir.Assign`. Out: `Step`, None where it is none. A conversion is looked through only where it
keeps every bit of the variable: modulo the variable's width the sum is the same without it. `i =
(unsigned char)(i + 1)` is a step of an `unsigned char`, not of an `int`.
"""

from __future__ import annotations

from collections.abc import Collection

from kernlint.base.dataclass import dataclass
from kernlint.ir import nodes as ir
from kernlint.ir.types import Integer, Pointer, Type


@dataclass(frozen=True, slots=True)
class Step:
    amount: ir.Expression
    descending: bool  # the amount is subtracted


def step(s: ir.Assign, same: Collection[ir.Variable] = ()) -> Step | None:
    """For integers and pointers; the amount may read anything, the variable itself included.
    `same`: others that hold its value."""
    type_ = s.variable.type
    if not isinstance(type_, (Integer, Pointer)) or not _wide(type_, type_.size):
        return None
    value = _kept(s.value, type_.size)
    if not isinstance(value, ir.Binary) or value.op not in ("+", "-"):
        return None
    for own, amount in ((value.left, value.right), (value.right, value.left)):
        stripped = _kept(own, type_.size)
        if isinstance(stripped, ir.Read) and (
            stripped.variable is s.variable or stripped.variable in same
        ):
            return None if value.op == "-" and own is value.right else Step(amount, value.op == "-")
    return None


def _kept(e: ir.Expression, size: int) -> ir.Expression:
    """Without conversions between integers of at least `size` bytes."""
    while isinstance(e, ir.Convert) and _wide(e.type, size) and _wide(e.operand.type, size):
        e = e.operand
    return e


def _wide(type_: Type, size: int) -> bool:
    return isinstance(type_, Pointer) or (
        isinstance(type_, Integer) and type_.size >= size and not type_.is_bool
    )
