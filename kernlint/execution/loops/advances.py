"""Variables that a loop only adds to, and those that it sets to places at multiples of a number, as
far as its statements tell.

In: the statements of a loop. Out: by variable, a number that divides each amount. Nothing is run.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from kernlint.base.dataclass import dataclass
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import reads, targets
from kernlint.ir.types import Integer, Pointer, Type
from kernlint.lowering.statements.steps import step

NARROWEST = 32  # bits; what wraps earlier does not only advance


def advances(inner: Iterable[ir.Statement]) -> dict[ir.Variable, int]:
    """Variables that every assignment in `inner` only adds to or subtracts from, with a number that
    divides each amount."""
    found: dict[ir.Variable, int] = {}
    other: set[ir.Variable] = set()
    for s in inner:
        for variable in targets(s):
            amount = _amount(s, variable) if isinstance(s, ir.Assign) else None
            if amount is None:
                other.add(variable)
            else:
                found[variable] = math.gcd(found.get(variable, 0), _divisor(amount))
    return {v: n or 1 for v, n in found.items() if v not in other}


@dataclass(frozen=True, slots=True)
class StagePlace:
    """A variable gets `base`, which the loop leaves alone, plus a multiple of `multiple`: `p = s +
    stage * 4096`."""

    base: ir.Expression
    multiple: int


def placements(
    inner: Iterable[ir.Statement], assigned: set[ir.Variable]
) -> dict[ir.Variable, StagePlace]:
    """Variables that every assignment in `inner` sets to places on one grid, or moves by multiples
    of its pitch. `assigned`: by the loop."""
    found: dict[ir.Variable, StagePlace | None] = {}
    moved: dict[ir.Variable, int] = {}
    for s in inner:
        for variable in targets(s):
            amount = _amount(s, variable) if isinstance(s, ir.Assign) else None
            if amount is not None:
                moved[variable] = math.gcd(moved.get(variable, 0), _divisor(amount))
                continue
            placed = _placed(s.value, assigned) if isinstance(s, ir.Assign) else None
            before = found.get(variable, placed)
            found[variable] = None if placed is None else _on_both(before, placed)
    return {
        v: StagePlace(one.base, multiple)
        for v, one in found.items()
        if one is not None
        and _is_wide(v.type)
        and (multiple := math.gcd(one.multiple, moved.get(v, 0)))
    }


def _placed(e: ir.Expression, assigned: set[ir.Variable]) -> StagePlace | None:
    e = _wide(e)
    if not assigned & reads(e):
        return StagePlace(e, 0)
    if not isinstance(e, ir.Binary) or e.op not in ("+", "-"):
        return None
    inner = _placed(e.left, assigned)
    if inner is None:
        return None
    return StagePlace(inner.base, math.gcd(inner.multiple, _divisor(e.right)))


def _on_both(one: StagePlace | None, other: StagePlace) -> StagePlace | None:
    if one is None or not _is_same(one.base, other.base):
        return None
    return StagePlace(one.base, math.gcd(one.multiple, other.multiple))


def _is_same(one: ir.Expression, other: ir.Expression) -> bool:
    if isinstance(one, ir.Read) and isinstance(other, ir.Read):
        return one.variable is other.variable
    if isinstance(one, ir.Address) and isinstance(other, ir.Address):
        return one.object is other.object
    return one is other


def _is_wide(type_: Type) -> bool:
    return isinstance(type_, Pointer) or (isinstance(type_, Integer) and type_.bits >= NARROWEST)


def _amount(s: ir.Assign, variable: ir.Variable) -> ir.Expression | None:
    found = step(s)
    if found is None or not _is_wide(variable.type) or variable in reads(found.amount):
        return None
    return found.amount


def _wide(e: ir.Expression) -> ir.Expression:
    while (
        isinstance(e, ir.Convert)
        and isinstance(e.type, (Integer, Pointer))
        and e.type.size >= NARROWEST // 8
    ):
        e = e.operand
    return e


def _divisor(e: ir.Expression) -> int:
    """A number that divides every value of the expression (0: it is zero)."""
    e = _wide(e)
    if isinstance(e, ir.Constant) and isinstance(e.value, int):
        return abs(e.value)
    if isinstance(e, ir.Unary) and e.op == "-":
        return _divisor(e.operand)
    if isinstance(e, ir.Binary) and e.op == "*":
        return _divisor(e.left) * _divisor(e.right)
    if isinstance(e, ir.Binary) and e.op in ("+", "-"):
        return math.gcd(_divisor(e.left), _divisor(e.right))
    return 1
