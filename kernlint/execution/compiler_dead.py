"""Loads whose values nobody needs on any way on: nvcc drops them before it looks which loads repeat others (measured: of
`x = p[i]; y = p[i]` with an `x` that is not used, or only for what is not used, the second load is made, on its own line).

In: a kernel. Out: the sites of such loads. What is stored is taken to be needed, and so is what branches and loops ask for.
"""

from __future__ import annotations

from kernlint.lowering import ir
from kernlint.lowering.traversal import expressions, reads, targets, walk

Live = frozenset[ir.Variable]
NOTHING: Live = frozenset()


def dead_loads(kernel: ir.Kernel) -> frozenset[ir.AccessSite]:
    loads = {s.site for s in walk(kernel.body) if isinstance(s, ir.Load)}
    ways = _Ways()
    ways.body(kernel.body, NOTHING)
    return frozenset(loads - ways.needed)


class _Ways:
    """What is needed before statements, from what is needed behind them. `needed`: sites of loads that are."""

    def __init__(self) -> None:
        self.needed: set[ir.AccessSite] = set()
        self.ends: dict[ir.Label, Live] = {}
        self.begun: dict[ir.Loop, Live] = {}

    def body(self, body: ir.Body, live: Live) -> Live:
        for s in reversed(body):
            live = self.before(s, live)
        return live

    def before(self, s: ir.Statement, live: Live) -> Live:
        match s:
            case ir.Assign():
                return (live - {s.variable}) | reads(s.value) if s.variable in live else live
            case ir.Load():
                made = {variable for _, variable in s.targets}
                if not (s.site.volatile or made & live):
                    return live
                self.needed.add(s.site)
                return (live - made) | reads(s.address)
            case ir.If():
                return self.body(s.then, live) | self.body(s.otherwise, live) | reads(s.condition)
            case ir.Region():
                self.ends[s.label] = live
                return self.body(s.body, live)
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
