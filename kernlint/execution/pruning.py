"""Host code cut down to what launches depend on.

In: a host body. Out: the same without statements that neither launch nor feed a launch nor decide
whether one is reached. Error exits (`if (error) exit(1)`) are taken not to happen.
"""

from __future__ import annotations

from kernlint.base.dataclass import dataclass, field, replace
from kernlint.execution.escapes import escaping
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import bodies, expressions, reads, targets, walk, walk_expression


@dataclass(slots=True)
class Relevance:
    """What launches depend on: variables, the labels that relevant code lies under, objects in
    memory that are read by name, and (once any is read through a pointer) all that pointers may
    reach. `escaped`: the objects that they may reach; None for every one."""

    escaped: frozenset[ir.MemoryObject] | None
    variables: set[ir.Variable] = field(default_factory=set)
    labels: set[ir.Label] = field(default_factory=set)
    objects: set[ir.MemoryObject] = field(default_factory=set)
    pointed: bool = False

    def size(self) -> tuple[int, int, int, bool]:
        return len(self.variables), len(self.labels), len(self.objects), self.pointed

    def is_reachable(self, named: ir.MemoryObject) -> bool:
        return self.escaped is None or named in self.escaped

    def read(self, address: ir.Expression) -> None:
        """Memory at `address` is read."""
        named = _named(address)
        self.objects |= named
        self.pointed |= not named or any(map(self.is_reachable, named))

    def is_read(self, address: ir.Expression) -> bool:
        """Whether memory that may be at `address` is read."""
        named = _named(address)
        if not named:
            return self.pointed
        return not self.objects.isdisjoint(named) or (
            self.pointed and any(map(self.is_reachable, named))
        )


def _named(address: ir.Expression) -> set[ir.MemoryObject]:
    """The objects that an address is computed from; none where it comes from a pointer."""
    return {e.object for e in walk_expression(address) if isinstance(e, ir.Address)}


def pruned(body: ir.Body) -> ir.Body:
    relevance = Relevance(escaping(body))
    before = None
    while before != relevance.size():
        before = relevance.size()
        for s in reversed(body):  # what is read was assigned before
            _grow(s, relevance)
    return _cut(body, relevance)


def _own(s: ir.Statement, relevance: Relevance) -> bool:
    """Whether the statement itself, not what it contains, bears on a launch."""
    match s:
        case ir.HostLaunch():
            return True
        case ir.Store() | ir.Atomic():
            return relevance.is_read(s.address)
        case ir.Clobber():
            if s.pointers is None:
                return relevance.pointed or bool(relevance.objects)
            return any(map(relevance.is_read, s.pointers))
        case ir.Leave():
            return s.label in relevance.labels
    return any(t in relevance.variables for t in targets(s))


@dataclass(frozen=True, slots=True)
class _Bearing:
    """How a statement bears on a launch: it, or what it contains, launches or `feeds` one; `exits`:
    where it leaves to, of the labels that matter."""

    feeds: bool = False
    exits: frozenset[ir.Label] = frozenset()


_NOTHING = _Bearing()


def _grow(s: ir.Statement, relevance: Relevance) -> _Bearing:
    """Adds what `s` needs if it bears on a launch; says whether it does."""
    inner = [
        found
        for body in reversed(bodies(s))
        for x in reversed(body)
        if (found := _grow(x, relevance)) is not _NOTHING
    ]
    own = _own(s, relevance)
    if not inner and not own:
        return _NOTHING
    for e in expressions(s):
        relevance.variables |= reads(e)
    if isinstance(s, (ir.Load, ir.Atomic)):
        relevance.read(s.address)
    if isinstance(s, ir.Leave):
        return _Bearing(False, frozenset((s.label,)))
    feeds = any(one.feeds for one in inner)
    exits = frozenset[ir.Label]().union(*(one.exits for one in inner))
    if isinstance(s, (ir.Region, ir.Loop)) and _decides(s, feeds, exits):
        relevance.labels.add(s.label)
    return _Bearing(feeds or own, exits)


def _decides(s: ir.Region | ir.Loop, feeds: bool, exits: frozenset[ir.Label]) -> bool:
    """Whether it matters that something leaves to the end of `s` early: it jumps over what bears on
    a launch, in a region also over a way out of what lies around it (a `break` between cases)."""
    return feeds or (isinstance(s, ir.Region) and bool(exits - {s.label}))


def _launches_or_feeds(s: ir.Statement, relevance: Relevance) -> bool:
    return not isinstance(s, ir.Leave) and _own(s, relevance)


def _cut(body: ir.Body, relevance: Relevance) -> ir.Body:
    kept: list[ir.Statement] = []
    for s in body:
        match s:
            case ir.If():
                inner = replace(
                    s, then=_cut(s.then, relevance), otherwise=_cut(s.otherwise, relevance)
                )
                kept += [inner] if inner.then or inner.otherwise else []
            case ir.Loop():
                loop = replace(
                    s,
                    header=_cut(s.header, relevance),
                    body=_cut(s.body, relevance),
                    step=_cut(s.step, relevance),
                )
                kept += (
                    [loop]
                    if any(
                        _launches_or_feeds(x, relevance)
                        for part in (loop.body, loop.step)
                        for x in walk(part)
                    )
                    else []
                )
            case ir.Region():
                region = replace(s, body=_cut(s.body, relevance))
                kept += [region] if region.body else []
            case _ if _own(s, relevance):
                kept.append(s)
    return tuple(kept)
