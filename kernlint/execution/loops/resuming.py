"""Going on from where a loop began, not from the kernel's start, once something was learnt of the
loop.

A loop that costs too much is run once for any iteration, one whose lanes part is run again with
what they move on unknown: what came before the loop comes to the same when all is run again. In:
the machine at a loop that no loop run turn by turn is around. Out: the machine behind it. Where
what was learnt may touch what came before, the exception goes on to the caller, who begins again.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import TYPE_CHECKING

from kernlint.execution.loops.warp_uniform_carry import Apart
from kernlint.execution.record import OverBudget
from kernlint.execution.values.undo_log import refill
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import sites, walk

if TYPE_CHECKING:
    from kernlint.execution.machine import Machine

Learn = Callable[
    ["Machine", OverBudget | Apart], bool
]  # takes in what was learnt of a loop; False: that concerns others as well


def run(machine: Machine, loop: ir.Loop, once: Callable[[Machine, ir.Loop], None]) -> None:
    """Runs the loop by `once`, again from its start for whatever is learnt of it."""
    learn = machine.learn
    if learn is None or machine.stepping or machine.waiting:
        once(machine, loop)
        return
    start = Checkpoint(machine)
    while True:
        try:
            once(machine, loop)
            return
        except (OverBudget, Apart) as learnt:
            if start.has_met(machine, loop) or not learn(machine, learnt):
                raise
            start.restore(machine)


class Checkpoint:
    """What a machine was like when it came to a loop that no stepped loop is around, no load
    waiting to execute later."""

    def __init__(self, machine: Machine) -> None:
        evaluator, record = machine.evaluator, machine.record
        self.mask, self.rewriting, self.skipped = machine.mask, machine.rewriting, machine.skipped
        self.open_depth, self.open_reason, self.presumed = (
            machine.open_depth,
            machine.open_reason,
            machine.presumed,
        )
        self.statements = machine.statements
        self.sizes, self.owners, self.dispatches = (
            dict(machine.sizes),
            dict(machine.owners),
            dict(machine.dispatches),
        )
        self.spines = [scope.spine for scope in machine.scopes]
        self.leaves, self.exited = list(machine.leaves), list(machine.exited)
        self.axis_loops, self.loops = list(machine.axis_loops), list(machine.loops)
        self.arms = [dict(arm.before) for arm in machine.arms]
        self.drifting = {
            variable: list(watching) for variable, watching in machine.drifting.items()
        }
        self.partings, self.uneven = set(machine.partings), set(machine.uneven)
        self.seen = dict(machine.footprint.seen)
        self.evaluator, self.memory, self.record = (
            evaluator.kept(),
            machine.memory.kept(),
            record.kept(),
        )

    def has_met(self, machine: Machine, loop: ir.Loop) -> bool:
        """Whether anything of the loop had run before."""
        record, (accesses, branches, barriers, *_) = machine.record, self.record[0]
        known: set[object] = {site for site, _ in islice(record.accesses, accesses)}
        known.update(islice(record.branches, branches))
        known.update(islice(record.barriers, barriers))
        return any(site in known for s in walk((loop,)) for site in _sites(s))

    def restore(self, machine: Machine) -> None:
        machine.mask, machine.rewriting, machine.skipped = self.mask, self.rewriting, self.skipped
        machine.open_depth, machine.open_reason, machine.presumed = (
            self.open_depth,
            self.open_reason,
            self.presumed,
        )
        machine.statements = machine.looks_at_clock = self.statements
        refill(machine.sizes, self.sizes)
        refill(machine.owners, self.owners)
        refill(machine.dispatches, self.dispatches)
        del machine.scopes[len(self.spines) :]
        for scope, spine in zip(machine.scopes, self.spines, strict=True):
            scope.spine = spine
        machine.leaves[:], machine.exited[:] = self.leaves, self.exited
        machine.axis_loops[:], machine.loops[:] = self.axis_loops, self.loops
        del machine.arms[len(self.arms) :]
        for arm, before in zip(machine.arms, self.arms, strict=True):
            refill(arm.before, before)
        refill(
            machine.drifting,
            {variable: list(watching) for variable, watching in self.drifting.items()},
        )
        machine.partings, machine.uneven = set(self.partings), set(self.uneven)
        machine.stepping.clear()
        machine.waiting.clear()
        refill(machine.footprint.seen, self.seen)
        machine.evaluator.restore(self.evaluator)
        machine.memory.restore(self.memory)
        machine.record.restore(self.record)


def _sites(s: ir.Statement) -> tuple[object, ...]:
    return (s.site,) if isinstance(s, (ir.If, ir.Loop, ir.Barrier)) else sites(s)
