"""Which figures rest on what is stated or taken for granted of arguments: those whose address, guards or loops use such an argument.

In: a lowered kernel, facts with the arguments that they are about. Out: for each site of an access or a branch the facts. Flow-insensitive,
and on the safe side: a figure may be said to rest on a fact that does not change it, never the other way round.
"""

from __future__ import annotations

from collections.abc import Mapping

from kernlint.execution.loops import ReadsBy
from kernlint.lowering import ir
from kernlint.lowering.traversal import bodies, targets

Facts = frozenset[str]
NONE: Facts = frozenset()
Site = ir.AccessSite | ir.BranchSite | ir.BarrierSite


def resting(kernel: ir.Kernel, told: Mapping[str, Facts], reads_by: ReadsBy) -> Mapping[Site, tuple[str, ...]]:
    """By site, the facts that its figures rest on, in the order of `told`: facts in words, with the names of arguments. `reads_by`: the
    variables that a statement itself reads."""
    if not told:
        return {}
    about = frozenset().union(*told.values())
    spread = _Spread({p.variable: frozenset((p.name,)) for p in kernel.parameters if p.name in about}, reads_by)
    while spread.grew:
        spread.grew, spread.gone = False, NONE
        spread.through(kernel.body, NONE)
    return {site: tuple(text for text, names in told.items() if names & found) for site, found in spread.sites.items() if found}


class _Spread:
    """How facts about arguments spread through variables, memory and control. `gone`: those that decide which lanes are left."""

    def __init__(self, start: dict[ir.Variable, Facts], reads_by: ReadsBy) -> None:
        self.held, self.reads_by = start, reads_by
        self.memory, self.gone, self.grew = NONE, NONE, True
        self.sites: dict[Site, Facts] = {}

    def through(self, body: ir.Body, control: Facts) -> None:
        for statement in body:
            used = control.union(self.gone, *(self.held[v] for v in self.reads_by(statement) if v in self.held))
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
        if left and isinstance(statement, ir.Loop):  # what leaves a loop decides how often all of it runs
            for inner in bodies(statement):
                self.through(inner, control | left)

    def _note(self, statement: ir.Statement, used: Facts) -> None:
        for name in ("site", "destination_site", "source_site"):
            site = getattr(statement, name, None)
            if site is not None:
                self.sites[site] = self.sites.get(site, NONE) | used
        loaded = used | self.memory if isinstance(statement, (ir.Load, ir.Atomic, ir.Matrix)) else used
        for target in targets(statement):
            if not loaded <= self.held.get(target, NONE):
                self.held[target] = self.held.get(target, NONE) | loaded
                self.grew = True
        if isinstance(statement, (ir.Store, ir.Atomic, ir.Copy)) and not used <= self.memory:
            self.memory |= used
            self.grew = True
