"""Branches: each side runs under the mask of the lanes that take it.

In: the state and an `ir.If`. Out: the mask behind it, the evaluation in the record. A branch that
nobody can decide runs on both sides (`undecided_branches`).
"""

from __future__ import annotations

from kernlint.execution import undecided_branches
from kernlint.execution.counting import evaluations
from kernlint.execution.counting.variants import arrive
from kernlint.execution.reconvergence import move_spines
from kernlint.execution.state import MachineState
from kernlint.execution.values import booleans
from kernlint.execution.values.masks import by_nearest, narrowed, without
from kernlint.execution.values.values import varies_in_warp
from kernlint.ir import nodes as ir


def branch(state: MachineState, s: ir.If) -> None:
    condition = state.evaluator.condition(s.condition)
    # a switch is a chain of branches that share one site
    outermost = s.site not in state.dispatches
    first, paths = state.dispatches.setdefault(s.site, (state.mask, []))
    evaluations.count(state, s.site, state.mask, condition, first)
    entry, before = state.mask, len(state.leaves)
    results, assigned = [], []
    for body, holds in ((s.then, condition), (s.otherwise, booleans.negation(condition))):
        state.mask = narrowed(entry, holds, state.device.warp_lanes)
        if state.analysis.is_host:
            state.mask = by_nearest(state.mask, holds)
        if holds is condition:
            paths.append(state.mask.may)
        if s in state.deferred:
            arrive(state, s, holds is condition, state.mask)
        start = len(state.leaves)
        presumed_in_warp = condition.presumed and varies_in_warp(
            condition.determiners, state.device.warp_lanes
        )
        state.presumed += condition.presumed
        state.presumed_in_warp += presumed_in_warp
        if condition.is_known:
            state.run(body)
        else:
            taken = undecided_branches.run(state, body, condition, holds is condition)
            assigned.append(taken)
        state.presumed -= condition.presumed
        state.presumed_in_warp -= presumed_in_warp
        results.append((state.mask, len(state.leaves) - start))
    if assigned:
        undecided_branches.join(state, entry, condition, *assigned)
    state.deferred.pop(s, None)
    if outermost:
        del state.dispatches[s.site]
        evaluations.note(state, s.site, first, paths)
    (then, then_left), (otherwise, otherwise_left) = results
    if len(state.leaves) == before:
        state.mask = entry
        return
    if then.empty and (otherwise.empty or not otherwise_left):
        state.mask = otherwise
    elif not then_left and otherwise.empty:
        state.mask = then
    else:
        gone = [mask for _, mask in state.leaves[before:]]
        state.mask = without(entry, gone, state.device.warp_lanes)
        if state.analysis.is_host:
            state.mask = by_nearest(state.mask, condition)
    move_spines(state, entry, before)
