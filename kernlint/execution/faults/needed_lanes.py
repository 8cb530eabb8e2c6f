"""Which threads need what a load brings.

In: a lowered body. Out: by load, the conditions under which its value is used. A thread that makes no
use of what it reads is harmed by no race, and by no garbage; nvcc may leave its load out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from kernlint.base import deadline
from kernlint.base.dataclass import dataclass, field
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import (
    all_expressions,
    bodies,
    ends_by_leaving,
    operands,
    read_by,
    reads,
    targets,
    walk,
    walk_expression,
)

MOST_USES = 16  # looked at of a load, and of variables that its value goes into
# a condition of the body's own branches and the side that is taken; None: what it reads is changed
# before it is tested
Guard = tuple[ir.Expression, bool] | None
Uses = tuple[tuple[Guard, ...], ...]  # by use, the conditions that hold


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """Where a statement stands: its body, its position there, and the statement around that."""

    body: int
    number: int
    parent: ir.Statement | None


@dataclass(slots=True, eq=False)
class _Index:
    """Where each statement stands; who reads and who assigns each variable; by body, its branches that
    end one side by leaving; by statement, its expressions (their `id`) with a choice in them."""

    places: dict[ir.Statement, _Place] = field(default_factory=dict)
    readers: defaultdict[ir.Variable, list[ir.Statement]] = field(
        default_factory=lambda: defaultdict(list)
    )
    writers: defaultdict[ir.Variable, list[ir.Statement]] = field(
        default_factory=lambda: defaultdict(list)
    )
    leaving: defaultdict[int, list[ir.If]] = field(default_factory=lambda: defaultdict(list))
    choosing: dict[ir.Statement, frozenset[int]] = field(default_factory=dict)

    def enter(self, body: ir.Body, parent: ir.Statement | None) -> None:
        for number, s in enumerate(body):
            self.places[s] = _Place(id(body), number, parent)
            if isinstance(s, ir.If) and ends_by_leaving(s.then) != ends_by_leaving(s.otherwise):
                self.leaving[id(body)].append(s)

    def choices(self, s: ir.Statement) -> frozenset[int]:
        if s not in self.choosing:
            found = set[int]()
            for e in reversed([x for whole in all_expressions(s) for x in walk_expression(whole)]):
                if isinstance(e, ir.Select) or any(id(x) in found for x in operands(e)):
                    found.add(id(e))
            self.choosing[s] = frozenset(found)
        return self.choosing[s]

    def ancestor(self, s: ir.Statement, body: int) -> ir.Statement | None:
        """The statement of the body in which another one stands, or that one itself."""
        at: ir.Statement | None = s
        while at is not None and self.places[at].body != body:
            at = self.places[at].parent
        return at

    def position(self, s: ir.Statement, body: int) -> int | None:
        """Where in the body a statement stands; None outside of it."""
        at = self.ancestor(s, body)
        return None if at is None else self.places[at].number

    def one_value(self, variable: ir.Variable) -> ir.Assign | None:
        """The assignment of a variable that is assigned once."""
        writers = self.writers.get(variable, [])
        made = writers[0] if len(writers) == 1 else None
        return made if isinstance(made, ir.Assign) else None


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


def _uses(load: ir.Load, index: _Index) -> Uses | None:
    """None: all that load it use it, or who does is not known."""
    deadline.check()
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
            around = tuple(_guards(reader, at, home, index))
            for chosen in set(_selections(reader, variable, at, home, index)):
                guards = tuple(dict.fromkeys((*under, *chosen, *around)))
                if isinstance(reader, ir.Assign):
                    made = {(reader.variable, guards)} - seen
                    pending += made
                    seen |= made
                elif guards:
                    found.append(guards)
                else:
                    return None
        if len(found) + len(seen) > MOST_USES:
            return None
    return tuple(found)


def _selections(
    reader: ir.Statement, variable: ir.Variable, at: ir.Statement, home: _Place, index: _Index
) -> Iterator[tuple[Guard, ...]]:
    """By occurrence of the variable in what a statement reads, what selects its arm there: `c ? v : 0`."""
    end, choices = index.places[at].number + (at is not reader), index.choices(reader)
    if not choices:
        yield ()
        return
    pending: list[tuple[ir.Expression, tuple[Guard, ...]]] = [
        (e, ()) for e in all_expressions(reader)
    ]
    while pending:
        e, guards = pending.pop()
        if id(e) not in choices:
            if variable in reads(e):
                yield guards
        elif isinstance(e, ir.Select):
            pending.append((e.condition, guards))
            for arm, holds in ((e.then, True), (e.otherwise, False)):
                pending.append((arm, (*guards, _guard(e.condition, holds, end, home, index))))
        else:
            pending += [(one, guards) for one in operands(e)]


def _guards(reader: ir.Statement, at: ir.Statement, home: _Place, index: _Index) -> Iterator[Guard]:
    """What must hold for the threads that come from the load to `at`, and in it to the reader."""
    end = index.places[at].number
    for branch in index.leaving[home.body]:
        if home.number < index.places[branch].number < end:
            before = index.places[branch].number
            yield _guard(branch.condition, ends_by_leaving(branch.otherwise), before, home, index)
    yield from _branches_around(reader, at, home, index)


def _branches_around(
    reader: ir.Statement, at: ir.Statement, home: _Place, index: _Index
) -> Iterator[Guard]:
    """The branches of `at` that a reader in it stands in; in loops only those that stay the same."""
    found: list[Guard] = []
    end = index.places[at].number
    inner = reader
    while inner is not at:
        place = index.places[inner]
        around = place.parent
        assert around is not None
        if isinstance(around, ir.If):
            taken = place.body == id(around.then)
            found.append(_guard(around.condition, taken, end + (around is not at), home, index))
        elif isinstance(around, ir.Loop):
            found = [guard for guard in found if guard is not None]
        inner = around
    yield from found


def _guard(condition: ir.Expression, holds: bool, end: int, home: _Place, index: _Index) -> Guard:
    """Unless what the condition reads is assigned between the load and the statement number `end`: a
    variable with one value is as good as that."""
    if isinstance(condition, ir.Unary) and condition.op == "!":
        return _guard(condition.operand, not holds, end, home, index)
    if isinstance(condition, ir.Read):
        made = index.one_value(condition.variable)
        at = None if made is None else index.position(made, home.body)
        if made is not None and at is not None and home.number <= at < end:
            nested = index.places[made].body != home.body
            return _guard(made.value, holds, at + nested, home, index)
    for variable in reads(condition):
        for writer in index.writers.get(variable, ()):
            at = index.position(writer, home.body)
            if at is not None and home.number <= at < end:
                return None
    return condition, holds
