"""Whether the compiler may know a divisor, so that it shifts and multiplies in place of dividing.

Goes in: a division, the body of its kernel. Comes out: yes or no. A value is known where it is made
of constants, of counters of loops that may be unrolled whole, and of elements of constant tables at
known places. What a function returns that no analysed file defines may be known, too: CuTe's
`size<2>(t)` is a constant.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from kernlint.ir import nodes as ir
from kernlint.ir.traversal import bodies, expressions, reads, targets, walk, walk_expression

UNSEEN = ("unknown-function", "unknown-argument", "unknown-type")

Made = Mapping[ir.Variable, Sequence[ir.Statement]]


class CompileTime:
    """Of one body, looked through once where it is asked for."""

    def __init__(self, body: ir.Body) -> None:
        self._body = body
        self._known: tuple[Made, frozenset[ir.Variable]] | None = None

    def _look_through(self) -> tuple[Made, frozenset[ir.Variable]]:
        made = _made(self._body)
        loops = [s for s in walk(self._body) if isinstance(s, ir.Loop)]
        return made, frozenset(v for loop in loops for v in _counters(loop, made))

    def may_know(self, e: ir.Expression) -> bool:
        """Whether the compiler may know the divisor of a division."""
        if not isinstance(e, ir.Binary):
            return False
        if self._known is None:
            self._known = self._look_through()
        made, counters = self._known
        leaves = _leaves(e.right, made)
        if any(_is_unseen(x) for x in leaves):
            return True
        return all(_is_known(x, counters, made) for x in leaves)


def _made(body: ir.Body) -> Made:
    found: defaultdict[ir.Variable, list[ir.Statement]] = defaultdict(list)
    for s in walk(body):
        for variable in targets(s):
            found[variable].append(s)
    return found


def _leaves(e: ir.Expression, made: Made) -> list[ir.Expression]:
    """The leaves that a value is made of: constants, unknowns, variables and built-in values."""
    leaves: list[ir.Expression] = []
    seen: set[ir.Variable] = set()
    pending = [e]
    while pending:
        for x in walk_expression(pending.pop()):
            if isinstance(x, (ir.Builtin, ir.Unknown, ir.Read, ir.Address)):
                leaves.append(x)
            if isinstance(x, ir.Read) and x.variable not in seen:
                seen.add(x.variable)
                pending += _values(made.get(x.variable, ()))
    return leaves


def _values(some: Sequence[ir.Statement]) -> Iterator[ir.Expression]:
    for s in some:
        yield from expressions(s)


def _is_unseen(e: ir.Expression) -> bool:
    return isinstance(e, ir.Unknown) and e.reason in UNSEEN


def _is_known(e: ir.Expression, counters: frozenset[ir.Variable], made: Made) -> bool:
    if isinstance(e, ir.Address):
        return e.object.initial is not None
    if not isinstance(e, ir.Read):
        return False
    sources = made.get(e.variable, ())
    once = len(sources) == 1 and isinstance(sources[0], (ir.Assign, ir.Load))
    return e.variable in counters or (once and e.variable not in reads_of(sources[0]))


def reads_of(s: ir.Statement) -> set[ir.Variable]:
    return {v for e in expressions(s) for v in reads(e)}


def _counters(loop: ir.Loop, made: Made) -> Iterator[ir.Variable]:
    """The variable that a loop steps from a constant by constants up to a constant."""
    if loop.condition is None or not _compares_with_constants(loop.condition):
        return
    for counter in reads(loop.condition):
        sources = made.get(counter, ())
        stepped = [s for inner in bodies(loop) for s in walk(inner) if counter in targets(s)]
        started = [s for s in sources if s not in stepped]
        is_started = bool(started) and not any(reads_of(s) for s in started)
        if is_started and all(_steps(s, counter) for s in sources):
            yield counter


def _compares_with_constants(condition: ir.Expression) -> bool:
    plain = (ir.Constant, ir.Read, ir.Binary, ir.Convert)
    return len(reads(condition)) == 1 and all(
        isinstance(x, plain) for x in walk_expression(condition)
    )


def _steps(s: ir.Statement, counter: ir.Variable) -> bool:
    """Whether it gives the counter a constant, or moves it by one."""
    return isinstance(s, ir.Assign) and not reads(s.value) - {counter}
