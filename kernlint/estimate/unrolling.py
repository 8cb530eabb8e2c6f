"""How many iterations of a loop nvcc lays side by side, most likely.

In: a loop's statements. Out: its size in operations, and the sizes up to which loops were seen
unrolled so. What is surely unrolled is said by `execution/compiler_unrolling.py`, whose measure is
the most that LLVM may count; an estimate wants what mostly happens.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kernlint.ir import nodes as ir
from kernlint.ir.traversal import expressions, walk_expression
from kernlint.optimizer.compiler_size import weight

# operations that a loop mostly has after unrolling in full (measured: 672 are unrolled, 1312 are
# not)
FULLY = 600
BY_FOUR = 40  # operations of a body that is unrolled by four (measured: 41 are, 81 by two)
SHORT = 6  # operations of a body that is unrolled at least sixteen times when its count is constant


def operations(body: Iterable[ir.Statement], trips: Mapping[ir.Loop, int]) -> int:
    """A measure of a body's size once its unrolled loops are run out."""
    total = 0
    for s in body:
        own = sum(map(weight, (x for e in expressions(s) for x in walk_expression(e))))
        inner = 0
        match s:
            case ir.If():
                inner = operations((*s.then, *s.otherwise), trips)
            case ir.Region():
                inner = operations(s.body, trips)
            case ir.Loop():
                inner = operations((*s.header, *s.body, *s.step), trips) * trips.get(s, 1)
            case ir.Load() | ir.Store() | ir.Atomic():
                own = (
                    1
                    + sum(isinstance(x, (ir.Binary, ir.Call)) for _, x in getattr(s, "values", ()))
                    + len(getattr(s, "untracked", ()))
                )
        total += own + inner
    return total
