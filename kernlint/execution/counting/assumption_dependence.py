"""Which figures rest on what is stated or taken for granted of arguments: those whose address,
guards or loops use such an argument.

In: a lowered kernel, facts with the arguments that they are about, or the names that nothing seen
defines (macros of missing headers). Out: for each site of an access or a branch the facts.
Flow-insensitive, and on the safe side: a figure may be said to rest on a fact that does not change
it, never the other way round.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kernlint.execution.loops.plan import ReadsBy
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import bodies, expressions, targets, walk, walk_expression

Facts = frozenset[str]
NONE: Facts = frozenset()
Site = ir.AccessSite | ir.BranchSite | ir.BarrierSite


def dependent_facts(
    kernel: ir.Kernel, facts: Mapping[str, Facts], reads_by: ReadsBy
) -> Mapping[Site, tuple[str, ...]]:
    """By site, the facts that its figures rest on, in the order of `facts`: facts in words, with
    the names of arguments. `reads_by`: the variables that a statement itself reads."""
    if not facts:
        return {}
    about = frozenset().union(*facts.values())
    spread = _Spread(
        {p.variable: frozenset((p.name,)) for p in kernel.parameters if p.name in about},
        _named(kernel.body, about),
        reads_by,
    )
    while spread.grew:
        spread.grew, spread.gone = False, NONE
        spread.through(kernel.body, NONE)
    return {
        site: tuple(text for text, names in facts.items() if names & found)
        for site, found in spread.sites.items()
        if found
    }


def undefined(body: ir.Body) -> Facts:
    """The names that the body mentions and nothing seen defines."""
    return frozenset(e.what for s in walk(body) for e in _mentioned(s))


def _named(body: ir.Body, about: Facts) -> dict[ir.Statement, Facts]:
    """By statement those of the names that it mentions itself."""
    found = {s: frozenset(e.what for e in _mentioned(s)) & about for s in walk(body)}
    return {s: names for s, names in found.items() if names}


def _mentioned(s: ir.Statement) -> Iterator[ir.Unknown]:
    for e in expressions(s):
        for x in walk_expression(e):
            if (
                isinstance(x, ir.Unknown)
                and x.pure
                and x.reason == "unknown-argument"
                and x.what
                and not x.operands
            ):
                yield x


class _Spread:
    """How facts about arguments spread through variables, memory and control. `gone`: those that
    decide which lanes are left."""

    def __init__(
        self, start: dict[ir.Variable, Facts], named: dict[ir.Statement, Facts], reads_by: ReadsBy
    ) -> None:
        self.held, self.named, self.reads_by = start, named, reads_by
        self.memory, self.gone, self.grew = NONE, NONE, True
        self.sites: dict[Site, Facts] = {}

    def through(self, body: ir.Body, control: Facts) -> None:
        for statement in body:
            own = self.named.get(statement, NONE)
            used = control.union(
                self.gone, own, *(self.held[v] for v in self.reads_by(statement) if v in self.held)
            )
            if used or self.memory:
                self._note(statement, used)
            if isinstance(statement, (ir.Leave, ir.Trap)):
                self.gone |= used
            self._inside(statement, used if isinstance(statement, (ir.If, ir.Loop)) else control)

    def _inside(self, statement: ir.Statement, control: Facts) -> None:
        before = self.gone
        for inner in bodies(statement):
            self.through(inner, control)
        left = self.gone - before - control
        if left and isinstance(
            statement, ir.Loop
        ):  # what leaves a loop decides how often all of it runs
            for inner in bodies(statement):
                self.through(inner, control | left)

    def _note(self, statement: ir.Statement, used: Facts) -> None:
        for name in ("site", "destination_site", "source_site"):
            site = getattr(statement, name, None)
            if site is not None:
                self.sites[site] = self.sites.get(site, NONE) | used
        loaded = (
            used | self.memory if isinstance(statement, (ir.Load, ir.Atomic, ir.Matrix)) else used
        )
        for target in targets(statement):
            if not loaded <= self.held.get(target, NONE):
                self.held[target] = self.held.get(target, NONE) | loaded
                self.grew = True
        if isinstance(statement, (ir.Store, ir.Atomic, ir.Copy)) and not used <= self.memory:
            self.memory |= used
            self.grew = True
