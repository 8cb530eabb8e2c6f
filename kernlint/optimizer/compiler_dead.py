"""Loads whose values nobody needs on any way on, and branches that do nothing else: nvcc drops them
before it looks which loads repeat others (measured: of `x = p[i]; y = p[i]` with an `x` that is not
used, or only for what is not used, the second load is made, on its own line; of `if (p[i] > 3) x =
q[i];` nothing is left).

In: a kernel. Out: the sites of such loads, such branches. What is stored is taken to be needed, and
so is what loops ask for.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from itertools import pairwise

from kernlint.base.dataclass import dataclass
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import expressions, reads, targets, walk, walk_expression
from kernlint.optimizer.compiler_forms import Atoms, form_of


@dataclass(frozen=True, slots=True)
class Dead:
    """Loads that nobody needs; branches in which nothing else is. `early`: loads that such branches
    do not need either: nvcc drops what is stored to a shared array that only these read; what is
    stored to others may stay."""

    loads: frozenset[ir.AccessSite] = frozenset()
    early: frozenset[ir.AccessSite] = frozenset()
    branches: frozenset[ir.If] = frozenset()


Place = tuple[
    ir.MemoryObject, int, int
]  # of a value in a thread's own object: its first byte and its size
Live = frozenset[ir.Variable | Place]
NOTHING: Live = frozenset()


NOTHING_READ: frozenset[ir.MemoryObject] = frozenset()


def dead(kernel: ir.Kernel, unread: frozenset[ir.MemoryObject] = NOTHING_READ) -> Dead:
    """`unread`: shared arrays of which it is known that what is stored to them is not needed."""
    loads = {s.site for s in walk(kernel.body) if isinstance(s, ir.Load)}
    branches = {s for s in walk(kernel.body) if isinstance(s, ir.If)}
    known = _handed_on(kernel)
    ways = _followed(kernel, known, unread, every=False)
    idle = frozenset(branches - ways.deciding)
    first = _followed(kernel, known, unread, every=True) if idle else ways
    return Dead(frozenset(loads - ways.needed), frozenset(loads - first.needed), idle)


def for_exchanges(kernel: ir.Kernel) -> frozenset[ir.AccessSite]:
    """Loads whose values an exchange of lanes in a branch or loop takes: where nobody needs what it
    returns, it may stay with them (measured: in a loop whose lanes run different counts and in both
    arms of a branch it does, in straight code it never does)."""
    nested = [
        s
        for s in walk(kernel.body)
        if isinstance(s, (ir.Shuffle, ir.Vote)) and s not in kernel.body
    ]
    made: dict[ir.Variable, frozenset[ir.AccessSite]] = {}
    changed = bool(nested)
    while changed:
        changed = False
        for s in walk(kernel.body):
            own = frozenset({s.site}) if isinstance(s, ir.Load) else frozenset()
            own = own.union(*(made.get(v, frozenset()) for e in expressions(s) for v in reads(e)))
            for v in targets(s) if own else ():
                changed |= not own <= made.get(v, frozenset())
                made[v] = made.get(v, frozenset()) | own
    return frozenset(
        site for s in nested for e in expressions(s) for v in reads(e) for site in made.get(v, ())
    )


def _followed(
    kernel: ir.Kernel,
    known: frozenset[ir.MemoryObject],
    unread: frozenset[ir.MemoryObject],
    every: bool,
) -> _Ways:
    """The ways of a kernel, with what is stored to its thread's own objects needed where these are
    loaded from."""
    objects, places = known, _places(kernel, known)
    while True:
        ways = _Ways(kernel.label, objects, unread, places, every)
        ways.body(kernel.body, NOTHING)
        if ways.read <= objects:
            return ways
        objects |= ways.read


def _objects(address: ir.Expression) -> list[ir.MemoryObject]:
    return [x.object for x in walk_expression(address) if isinstance(x, ir.Address)]


def _own(address: ir.Expression) -> ir.MemoryObject | None:
    """The thread's own object that an address lies in."""
    found = _objects(address)
    return found[0] if len(found) == 1 and found[0].space == "local" else None


def _handed_on(kernel: ir.Kernel) -> frozenset[ir.MemoryObject]:
    """The thread's own objects of which more is done than to load from and store to them."""
    found: set[ir.MemoryObject] = set()
    for s in walk(kernel.body):
        stored = [e for _, e in (*s.values, *s.untracked)] if isinstance(s, ir.Store) else []
        plain = (
            isinstance(s, (ir.Load, ir.Store))
            and not s.site.volatile
            and _own(s.address) is not None
        )
        for e in (
            stored
            if plain
            else [*expressions(s), *stored, *(s.values if isinstance(s, ir.Taken) else ())]
        ):
            found |= {x.object for x in walk_expression(e) if isinstance(x, ir.Address)}
    return frozenset(found)


def _places(
    kernel: ir.Kernel, known: frozenset[ir.MemoryObject]
) -> dict[ir.Statement, tuple[Place, ...]]:
    """The places that loads and stores of a thread's own objects take, in the order of their
    values, where all of an object are known and none lies in part of another: such an object is as
    many variables."""
    made: dict[ir.MemoryObject, dict[ir.Statement, tuple[Place, ...] | None]] = defaultdict(dict)
    atoms = Atoms()
    for s in walk(kernel.body):
        if (
            isinstance(s, (ir.Load, ir.Store))
            and (own := _own(s.address)) is not None
            and own not in known
        ):
            address = form_of(s.address, {}, atoms)
            base = address.constant if address.terms == atoms.atom(("object", own)).terms else None
            values = [
                (o, v.type.size)
                for o, v in (s.targets if isinstance(s, ir.Load) else (*s.values, *s.untracked))
            ]
            found = [
                (own, base + o, size)
                for o, size in values
                if base is not None and o is not None and size
            ]
            made[own][s] = tuple(found) if values and len(found) == len(values) else None
    result: dict[ir.Statement, tuple[Place, ...]] = {}
    for every in made.values():
        taken = [p for places in every.values() for p in places or ()]
        order = sorted(set(taken), key=lambda p: p[1:])
        if None not in every.values() and all(a[1] + a[2] <= b[1] for a, b in pairwise(order)):
            result |= {s: places for s, places in every.items() if places is not None}
    return result


class _Ways:
    """What is needed before statements, from what is needed behind them. `needed`: sites of loads
    that are; `deciding`: branches that decide something (`every`: all are taken to); `kept`:
    statements that are not dropped, so far; `behind`: how many of them lie behind a region (who
    leaves it when there are no more skips nothing); `places`: see `_places`; `read`: the thread's
    own objects that needed loads read; `objects`: those that are taken to be read."""

    def __init__(
        self,
        end: ir.Label,
        objects: frozenset[ir.MemoryObject],
        unread: frozenset[ir.MemoryObject],
        places: Mapping[ir.Statement, tuple[Place, ...]],
        every: bool,
    ) -> None:
        self.objects, self.unread, self.places, self.every = objects, unread, places, every
        self.read: set[ir.MemoryObject] = set()
        self.needed: set[ir.AccessSite] = set()
        self.deciding: set[ir.If] = set()
        self.kept = 0
        self.ends: dict[ir.Label, Live] = {end: NOTHING}
        self.behind: dict[ir.Label, int] = {end: 0}
        self.begun: dict[ir.Loop, Live] = {}

    def body(self, body: ir.Body, live: Live) -> Live:
        for s in reversed(body):
            live = self.before(s, live)
        return live

    def before(self, s: ir.Statement, live: Live) -> Live:
        match s:
            case ir.Assign():
                if s.variable not in live:
                    return live
                self.kept += 1
                return (live - {s.variable}) | reads(s.value)
            case ir.Load():
                made = {variable for _, variable in s.targets}
                if not (s.site.volatile or made & live):
                    return live
                self.kept += 1
                self.needed.add(s.site)
                if s in self.places:
                    return (live - made) | {
                        p for p, (_, v) in zip(self.places[s], s.targets, strict=True) if v in live
                    }
                self.read |= {own for own in (_own(s.address),) if own is not None}
                return (live - made) | reads(s.address)
            case ir.Store() if s in self.places:
                stored = [
                    e
                    for p, (_, e) in zip(self.places[s], (*s.values, *s.untracked), strict=True)
                    if p in live
                ]
                self.kept += bool(stored)
                return live.difference(self.places[s]).union(*map(reads, stored))
            case ir.Store() if (
                self.unread
                and not s.site.volatile
                and not self.unread.isdisjoint(_objects(s.address))
            ):
                return live
            case ir.Store() if (
                not s.site.volatile
                and (own := _own(s.address)) is not None
                and own not in self.objects
            ):
                return live
            case ir.If():
                before = self.kept
                arms = self.body(s.then, live) | self.body(s.otherwise, live)
                if self.kept == before and not self.every:
                    return live
                self.deciding.add(s)
                return arms | reads(s.condition)
            case ir.Region():
                self.ends[s.label], self.behind[s.label] = live, self.kept
                return self.body(s.body, live)
            case ir.Leave() if self.behind.get(s.label) == self.kept and not self.every:
                return self.ends[s.label]
        self.kept += 1
        match s:
            case ir.Leave():
                return self.ends.get(s.label, NOTHING)
            case ir.Trap():
                return NOTHING
            case ir.Loop():
                return self.loop(s, live)
        given = [
            *expressions(s),
            *(e for _, e in getattr(s, "untracked", ())),
            *(s.values if isinstance(s, ir.Taken) else ()),
        ]
        return live.difference(targets(s)).union(*map(reads, given))

    def loop(self, s: ir.Loop, live: Live) -> Live:
        self.ends[s.label] = live
        again = self.begun.get(
            s, NOTHING
        )  # what the iterations of loops around need is more each time
        while True:
            behind = (live if s.condition is not None else NOTHING) | (
                reads(s.condition) if s.condition is not None else NOTHING
            )
            if s.post_test:
                start = self.body(s.body, self.body(s.step, self.body(s.header, behind | again)))
            else:
                start = self.body(s.header, behind | self.body(s.body, self.body(s.step, again)))
            if start <= again:
                return start
            self.begun[s] = again = again | start
