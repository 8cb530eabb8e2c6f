"""Which threads need what a load brings.

In: a lowered body. Out: by load, the conditions under which its value is used. A thread that makes no
use of what it reads is harmed by no race, and by no garbage; nvcc may leave its load out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from kernlint.base.dataclass import dataclass, field
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import bodies, expressions, operands, read_by, reads, targets, walk

MOST_USES = 16  # looked at of a load, and of variables that its value goes into
# a condition of the body's own branches and the side that is taken; None: what it reads is changed
# before it is tested
Guard = tuple[ir.Expression, bool] | None
Uses = tuple[tuple[Guard, ...], ...]  # by use, the conditions that hold


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """Where a statement stands: in which body, the how manieth of it, inside what."""

    body: int
    number: int
    parent: ir.Statement | None


@dataclass(slots=True, eq=False)
class _Index:
    """Where each statement stands; who reads and who assigns each variable; by body, its branches that
    end one side by leaving."""

    places: dict[ir.Statement, _Place] = field(default_factory=dict)
    readers: defaultdict[ir.Variable, list[ir.Statement]] = field(
        default_factory=lambda: defaultdict(list)
    )
    writers: defaultdict[ir.Variable, list[ir.Statement]] = field(
        default_factory=lambda: defaultdict(list)
    )
    leaving: defaultdict[int, list[ir.If]] = field(default_factory=lambda: defaultdict(list))

    def enter(self, body: ir.Body, parent: ir.Statement | None) -> None:
        for number, s in enumerate(body):
            self.places[s] = _Place(id(body), number, parent)
            if isinstance(s, ir.If) and _leaves(s.then) != _leaves(s.otherwise):
                self.leaving[id(body)].append(s)

    def ancestor(self, s: ir.Statement, body: int) -> ir.Statement | None:
        """The statement of the body in which another one stands, or that one itself."""
        at: ir.Statement | None = s
        while at is not None and self.places[at].body != body:
            at = self.places[at].parent
        return at


def conditional_uses(body: ir.Body) -> Mapping[ir.AccessSite, Uses]:
    """The loads whose values are used only under conditions that are tested behind them."""
    index = _Index()
    index.enter(body, None)
    loads: list[ir.Load] = []
    for s in walk(body):
        for inner in bodies(s):
            index.enter(inner, s)
        for variable in read_by(s):
            index.readers[variable].append(s)
        for variable in targets(s):
            index.writers[variable].append(s)
        if isinstance(s, ir.Load) and s.targets and not s.site.volatile:
            loads.append(s)
    found = ((s.site, _uses(s, index)) for s in loads)
    return {site: uses for site, uses in found if uses is not None}


def _leaves(body: ir.Body) -> bool:
    return bool(body) and isinstance(body[-1], ir.Leave)


def _uses(load: ir.Load, index: _Index) -> Uses | None:
    """None: all that load it use it, or who does is not known."""
    home = index.places[load]
    pending: list[tuple[ir.Variable, tuple[Guard, ...]]] = [(v, ()) for _, v in load.targets]
    seen = set(pending)
    found: list[tuple[Guard, ...]] = []
    while pending:
        variable, under = pending.pop()
        for reader in index.readers.get(variable, ()):
            at = index.ancestor(reader, home.body)
            if at is None or index.places[at].number <= home.number:
                return None
            for chosen in set(_selections(reader, variable, at, home, index)):
                if isinstance(reader, ir.Assign):
                    made = {(reader.variable, (*under, *chosen))} - seen
                    pending += made
                    seen |= made
                    continue
                guards = (*under, *chosen, *_guards(reader, at, home, index))
                if not guards:
                    return None
                found.append(guards)
        if len(found) + len(seen) > MOST_USES:
            return None
    return tuple(found)


def _selections(
    reader: ir.Statement, variable: ir.Variable, at: ir.Statement, home: _Place, index: _Index
) -> Iterator[tuple[Guard, ...]]:
    """By occurrence of the variable in what a statement reads, what selects its arm there: `c ? v : 0`."""
    end = index.places[at].number + (at is not reader)
    pending: list[tuple[ir.Expression, tuple[Guard, ...]]] = [(e, ()) for e in _read(reader)]
    while pending:
        e, guards = pending.pop()
        if variable not in reads(e):
            continue
        if isinstance(e, ir.Select):
            pending.append((e.condition, guards))
            for arm, holds in ((e.then, True), (e.otherwise, False)):
                pending.append((arm, (*guards, _guard(e.condition, holds, end, home, index))))
        elif isinstance(e, ir.Read):
            yield guards
        else:
            pending += [(one, guards) for one in operands(e)]


def _read(s: ir.Statement) -> tuple[ir.Expression, ...]:
    """See `traversal.read_by`."""
    if isinstance(s, ir.Store):
        return *expressions(s), *(value for _, value in s.untracked)
    return (*expressions(s), *s.values) if isinstance(s, ir.Taken) else expressions(s)


def _guards(reader: ir.Statement, at: ir.Statement, home: _Place, index: _Index) -> Iterator[Guard]:
    """What must hold for the threads that come from the load to `at`, and in it to the reader."""
    end = index.places[at].number
    for branch in index.leaving[home.body]:
        if home.number < index.places[branch].number < end:
            before = index.places[branch].number
            yield _guard(branch.condition, _leaves(branch.otherwise), before, home, index)
    if isinstance(at, ir.If) and at is not reader:
        inside = index.ancestor(reader, id(at.then)) is not None
        yield _guard(at.condition, inside, end, home, index)


def _guard(condition: ir.Expression, holds: bool, end: int, home: _Place, index: _Index) -> Guard:
    """Unless what the condition reads is assigned between the load and the statement number `end`."""
    for variable in reads(condition):
        for writer in index.writers.get(variable, ()):
            at = index.ancestor(writer, home.body)
            if at is not None and home.number <= index.places[at].number < end:
                return None
    return condition, holds
