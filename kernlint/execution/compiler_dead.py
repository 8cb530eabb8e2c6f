"""Loads whose values nobody needs on any way on, and branches that do nothing else: nvcc drops them before it looks which loads repeat
others (measured: of `x = p[i]; y = p[i]` with an `x` that is not used, or only for what is not used, the second load is made, on its own
line; of `if (p[i] > 3) x = q[i];` nothing is left).

In: a kernel. Out: the sites of such loads, such branches. What is stored is taken to be needed, and so is what loops ask for.
"""

from __future__ import annotations

from kernlint.lowering import ir
from kernlint.lowering.traversal import expressions, reads, targets, walk, walk_expression
from kernlint.records import dataclass


@dataclass(frozen=True, slots=True)
class Dead:
    """Loads that nobody needs; branches in which nothing else is. `early`: loads that such branches do not need either: nvcc drops what is
    stored to a shared array that only these read; what is stored to others may stay."""

    loads: frozenset[ir.AccessSite] = frozenset()
    early: frozenset[ir.AccessSite] = frozenset()
    branches: frozenset[ir.If] = frozenset()


Live = frozenset[ir.Variable]
NOTHING: Live = frozenset()


def dead(kernel: ir.Kernel) -> Dead:
    loads = {s.site for s in walk(kernel.body) if isinstance(s, ir.Load)}
    branches = {s for s in walk(kernel.body) if isinstance(s, ir.If)}
    known = _handed_on(kernel)
    ways = _followed(kernel, known, every=False)
    idle = frozenset(branches - ways.deciding)
    first = _followed(kernel, known, every=True) if idle else ways
    return Dead(frozenset(loads - ways.needed), frozenset(loads - first.needed), idle)


def _followed(kernel: ir.Kernel, known: frozenset[ir.MemoryObject], every: bool) -> _Ways:
    """The ways of a kernel, with what is stored to its thread's own objects needed where these are loaded from."""
    objects = known
    while True:
        ways = _Ways(kernel.label, objects, every)
        ways.body(kernel.body, NOTHING)
        if ways.read <= objects:
            return ways
        objects |= ways.read


def _own(address: ir.Expression) -> ir.MemoryObject | None:
    """The thread's own object that an address lies in."""
    found = [x.object for x in walk_expression(address) if isinstance(x, ir.Address)]
    return found[0] if len(found) == 1 and found[0].space == "local" else None


def _handed_on(kernel: ir.Kernel) -> frozenset[ir.MemoryObject]:
    """The thread's own objects of which more is done than to load from and store to them."""
    found: set[ir.MemoryObject] = set()
    for s in walk(kernel.body):
        stored = [e for _, e in (*s.values, *s.untracked)] if isinstance(s, ir.Store) else []
        plain = isinstance(s, (ir.Load, ir.Store)) and not s.site.volatile and _own(s.address) is not None
        for e in stored if plain else [*expressions(s), *stored, *(s.values if isinstance(s, ir.Taken) else ())]:
            found |= {x.object for x in walk_expression(e) if isinstance(x, ir.Address)}
    return frozenset(found)


class _Ways:
    """What is needed before statements, from what is needed behind them. `needed`: sites of loads that are; `deciding`: branches that
    decide something (`every`: all are taken to); `kept`: statements that are not dropped, so far; `behind`: how many of them lie behind a
    region (who leaves it when there are no more skips nothing); `read`: the thread's own objects that needed loads read; `objects`: those
    that are taken to be read."""

    def __init__(self, end: ir.Label, objects: frozenset[ir.MemoryObject], every: bool) -> None:
        self.objects, self.every = objects, every
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
                self.read |= {own for own in (_own(s.address),) if own is not None}
                return (live - made) | reads(s.address)
            case ir.Store() if not s.site.volatile and (own := _own(s.address)) is not None and own not in self.objects:
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
        given = [*expressions(s), *(e for _, e in getattr(s, "untracked", ())), *(s.values if isinstance(s, ir.Taken) else ())]
        return live.difference(targets(s)).union(*map(reads, given))

    def loop(self, s: ir.Loop, live: Live) -> Live:
        self.ends[s.label] = live
        again = self.begun.get(s, NOTHING)  # what the iterations of loops around need is more each time
        while True:
            behind = (live if s.condition is not None else NOTHING) | (reads(s.condition) if s.condition is not None else NOTHING)
            if s.post_test:
                start = self.body(s.body, self.body(s.step, self.body(s.header, behind | again)))
            else:
                start = self.body(s.header, behind | self.body(s.body, self.body(s.step, again)))
            if start <= again:
                return start
            self.begun[s] = again = again | start
