"""Variables that the compiler knows as constants once it has unrolled the loops that count between
constants.

In: a body and the plans of its loops. Out: variables. Says nothing of how often anything runs: an
index made of such variables is a constant in each copy of an unrolled body, whoever executes it,
under whatever condition.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kernlint.execution.loops.plan import Plan
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import reads, targets, walk, walk_expression

_PARTS = (ir.Constant, ir.Address, ir.Convert, ir.Unary, ir.Binary, ir.Select, ir.Call)


def folded(body: ir.Body, plan_of: Callable[[ir.Loop], Plan]) -> frozenset[ir.Variable]:
    """Counters of loops that may be unrolled whole, and what is computed once from them and from
    constants."""
    values: dict[ir.Variable, list[ir.Expression | None]] = {}
    counters: dict[ir.Variable, list[ir.Loop]] = {}
    for s in walk(body):
        for variable in targets(s):
            values.setdefault(variable, []).append(s.value if isinstance(s, ir.Assign) else None)
        if isinstance(s, ir.Loop) and s.unroll != 1 and s.condition is not None:
            for induction in plan_of(s).inductions:
                counters.setdefault(induction.variable, []).append(s)
    known = frozenset(
        v for v, given in values.items() if len(given) <= max(1, 2 * len(counters.get(v, ())))
    )
    while True:
        fewer = frozenset(v for v in known if _remains(v, values[v], counters, known))
        if fewer == known:
            return known
        known = fewer


def is_folded(e: ir.Expression, known: frozenset[ir.Variable]) -> bool:
    """Whether an expression is made of constants and such variables alone."""
    return all(
        x.variable in known if isinstance(x, ir.Read) else isinstance(x, _PARTS)
        for x in walk_expression(e)
    )


def _remains(
    variable: ir.Variable,
    given: list[ir.Expression | None],
    counters: Mapping[ir.Variable, list[ir.Loop]],
    known: frozenset[ir.Variable],
) -> bool:
    """Each loop of a counter is entered with one value and steps it once; a test of anything else
    may leave it early, not later."""
    loops = counters.get(variable, [])
    tested = all(loop.condition is not None and reads(loop.condition) <= known for loop in loops)
    return tested and all(e is not None and is_folded(e, known) for e in given)
