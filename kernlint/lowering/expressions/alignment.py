"""What is known of how an address is aligned, as LLVM knows it: the powers of two that divide what
is added to the start of an object.

In: expressions of the intermediate form. Out: a power of two, and whether more than that cannot be
known.
"""

from __future__ import annotations

from collections.abc import Collection

from kernlint.ir import nodes as ir
from kernlint.ir.types import Integer, Pointer

WIDEST = 16  # bytes of an access
Divisor = tuple[int, bool]


def divisor(e: ir.Expression, free: Collection[ir.Variable]) -> Divisor:
    """The largest power of two, up to 16, that surely divides `e`, where the start of an object is
    a multiple of all; and whether that is all that can be known, as of the kernel's own parameters
    (`free`), but not of a variable that is assigned."""
    match e:
        case ir.Constant(value=int(value)):
            return (min(value & -value, WIDEST) if value else WIDEST), True
        case ir.Address():
            return WIDEST, True
        case ir.Builtin():
            return 1, True
        case ir.Read():
            return 1, e.variable in free
        case ir.Convert() if isinstance(e.type, (Integer, Pointer)) and isinstance(
            e.operand.type, (Integer, Pointer)
        ):
            return divisor(e.operand, free)
        case ir.Binary():
            return _of_two(e.op, divisor(e.left, free), divisor(e.right, free), e.right)
    return 1, False


def _of_two(op: str, left: Divisor, right: Divisor, by: ir.Expression) -> Divisor:
    (a, one), (b, other) = left, right
    if op in ("+", "-"):
        return min(a, b), all(sure for known, sure in (left, right) if known == min(a, b))
    if op == "*":
        return min(a * b, WIDEST), one and other
    if op == "<<" and isinstance(by, ir.Constant):
        return min(a << min(int(by.value), 4), WIDEST), one
    if op == "&" and isinstance(by, ir.Constant):
        return max(a, b), one
    return 1, False
