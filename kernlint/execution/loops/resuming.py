"""Going on from where a loop began, not from the kernel's start, once something was learnt of the
loop.

A loop that costs too much is run once for any iteration, one whose lanes part is run again with
what they move on unknown: what came before the loop comes to the same when all is run again. In:
the machine at a loop that no loop stepped is around. Out: the machine behind it. Where
what was learnt may touch what came before, the exception goes on to the caller, who begins again.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

from kernlint.execution.restarts import LanesDiverged, OverBudget
from kernlint.execution.state import MachineState
from kernlint.execution.values.undo_log import refill
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import sites, walk


def run(state: MachineState, loop: ir.Loop, once: Callable[[MachineState, ir.Loop], None]) -> None:
    """Runs the loop by `once`, again from its start for whatever is learnt of it."""
    learn = state.learn
    if learn is None or state.stepping or state.deferred:
        once(state, loop)
        return
    start = Checkpoint(state)
    while True:
        try:
            once(state, loop)
            return
        except (OverBudget, LanesDiverged) as learnt:
            if start.has_met(state, loop) or not learn(state, learnt):
                raise
            start.restore(state)


class Checkpoint:
    """What a machine was like when it came to a loop that no stepped loop is around, no load
    waiting to execute later."""

    def __init__(self, state: MachineState) -> None:
        evaluator, record = state.evaluator, state.record
        self.mask, self.rewriting_axes, self.skipped = (
            state.mask,
            state.rewriting_axes,
            state.skipped,
        )
        self.open_depth, self.open_reason = state.open_depth, state.open_reason
        self.presumed = state.presumed
        self.presumed_in_warp = state.presumed_in_warp
        self.statements = state.statements
        self.sizes, self.owners, self.dispatches = (
            dict(state.sizes),
            dict(state.owners),
            dict(state.dispatches),
        )
        self.spines = [scope.spine for scope in state.scopes]
        self.leaves, self.exited = list(state.leaves), list(state.exited)
        self.axis_loops, self.loops = list(state.axis_loops), list(state.loops)
        self.undecided = [dict(path.before) for path in state.undecided]
        self.carried = {variable: list(carries) for variable, carries in state.carried.items()}
        self.divergences, self.uneven_loops = set(state.divergences), set(state.uneven_loops)
        self.tickets, self.ballots = dict(state.tickets), dict(state.ballots)
        self.seen = dict(state.footprint.seen)
        self.order, self.heap = state.order.checkpoint(), state.heap.checkpoint()
        self.evaluator, self.memory, self.record = (
            evaluator.checkpoint(),
            state.memory.checkpoint(),
            record.checkpoint(),
        )

    def has_met(self, state: MachineState, loop: ir.Loop) -> bool:
        """Whether anything of the loop had run before."""
        record, (accesses, branches, barriers, *_) = state.record, self.record[0]
        known: set[object] = {site for site, _ in islice(record.accesses, accesses)}
        known.update(islice(record.branches, branches))
        known.update(islice(record.barriers, barriers))
        return any(site in known for s in walk((loop,)) for site in _sites(s))

    def restore(self, state: MachineState) -> None:
        state.mask, state.rewriting_axes, state.skipped = (
            self.mask,
            self.rewriting_axes,
            self.skipped,
        )
        state.open_depth, state.open_reason = self.open_depth, self.open_reason
        state.presumed = self.presumed
        state.presumed_in_warp = self.presumed_in_warp
        state.statements = state.looks_at_clock = self.statements
        refill(state.sizes, self.sizes)
        refill(state.owners, self.owners)
        refill(state.dispatches, self.dispatches)
        del state.scopes[len(self.spines) :]
        for scope, spine in zip(state.scopes, self.spines, strict=True):
            scope.spine = spine
        state.leaves[:], state.exited[:] = self.leaves, self.exited
        state.axis_loops[:], state.loops[:] = self.axis_loops, self.loops
        del state.undecided[len(self.undecided) :]
        for path, before in zip(state.undecided, self.undecided, strict=True):
            refill(path.before, before)
        refill(
            state.carried,
            {variable: list(carries) for variable, carries in self.carried.items()},
        )
        state.divergences, state.uneven_loops = set(self.divergences), set(self.uneven_loops)
        state.tickets, state.ballots = dict(self.tickets), dict(self.ballots)
        state.stepping.clear()
        state.deferred.clear()
        refill(state.footprint.seen, self.seen)
        state.order.restore(self.order)
        state.heap.restore(self.heap)
        state.evaluator.restore(self.evaluator)
        state.memory.restore(self.memory)
        state.record.restore(self.record)


def _sites(s: ir.Statement) -> tuple[object, ...]:
    return (s.site,) if isinstance(s, (ir.If, ir.Loop, ir.Barrier)) else sites(s)
