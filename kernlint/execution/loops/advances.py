"""Variables that a loop only adds to, as far as its statements tell.

In: the statements of a loop. Out: by variable, a number that divides each amount. Nothing is run.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from kernlint.ir import nodes as ir
from kernlint.ir.traversal import reads, targets
from kernlint.ir.types import Integer, Pointer
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


def _amount(s: ir.Assign, variable: ir.Variable) -> ir.Expression | None:
    found = step(s)
    wide = isinstance(variable.type, Pointer) or (
        isinstance(variable.type, Integer) and variable.type.bits >= NARROWEST
    )
    return (
        found.amount if found is not None and wide and variable not in reads(found.amount) else None
    )


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
