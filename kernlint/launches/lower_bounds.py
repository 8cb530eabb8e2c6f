"""Arguments that guards ask indices to exceed: `if (row > k && row < n) work`, `if (i <= k)
return;`.

An unknown size is taken to be larger than any index compared with it, so that guards let the work
pass; of these the work asks the opposite. In: a kernel's body. Out: the variables. Never runs
anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum

from kernlint.base.relations import MIRRORED
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import ends_by_leaving, reads, unconverted, walk

_INVERSE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}


class _Side(Enum):
    """How an index that passes lies to what it is compared with."""

    ABOVE = ">"
    BELOW = "<"


Bound = tuple[ir.Variable, _Side]


def lower_bounds(body: ir.Body, parameters: Iterable[ir.Variable]) -> frozenset[ir.Variable]:
    """Those of `parameters` that indices have to exceed, and never to stay below."""
    known = frozenset(parameters)
    found = set(_bounds(body, known))
    below = {variable for variable, side in found if side is _Side.BELOW}
    return frozenset(v for v, side in found if side is _Side.ABOVE) - below


def _bounds(body: ir.Body, parameters: frozenset[ir.Variable]) -> Iterator[Bound]:
    for s in walk(body):
        if isinstance(s, ir.If):
            passes = not ends_by_leaving(s.then)
            yield from _asked(s.condition, passes, parameters)
        elif isinstance(s, ir.Loop) and s.condition is not None:
            yield from _asked(s.condition, True, parameters)


def _asked(e: ir.Expression, passes: bool, parameters: frozenset[ir.Variable]) -> Iterator[Bound]:
    """What is asked of the condition's comparisons where the work is done if it `passes`, or if it
    fails."""
    e = unconverted(e)
    if isinstance(e, ir.Unary) and e.op == "!":
        yield from _asked(e.operand, not passes, parameters)
    elif isinstance(e, ir.Binary) and e.op == ("&&" if passes else "||"):
        yield from _asked(e.left, passes, parameters)
        yield from _asked(e.right, passes, parameters)
    elif isinstance(e, ir.Binary) and e.op in _INVERSE:
        operator = e.op if passes else _INVERSE[e.op]
        left, right = reads(e.left) & parameters, reads(e.right) & parameters
        if len(right) == 1 and not left:
            yield next(iter(right)), _Side(operator[0])
        elif len(left) == 1 and not right:
            yield next(iter(left)), _Side(MIRRORED[operator][0])
