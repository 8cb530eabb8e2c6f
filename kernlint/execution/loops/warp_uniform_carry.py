"""Variables that a loop of unknown length moves on: by how much is not known, but the lanes of a
warp go together.

`p += 8` in a loop nobody can count leaves p at its start plus an unknown that is one for the warp,
as long as all its lanes run the statement and add the same. That is taken for granted first and
watched while the body runs; where it fails, `LanesDiverged` asks the caller to run again with these
variables unknown lane by lane. `d *= 2` leaves an unknown that is one for the warp where d was the
same for all its lanes before, and is watched likewise. So it is with the lanes themselves: those of any iteration are taken
to be those of the first, as far as the loop's condition says, until lanes of a warp are seen to
leave the loop one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kernlint.execution.counting.requests import divergent
from kernlint.execution.loops.plan import Plan
from kernlint.execution.restarts import LanesDiverged
from kernlint.execution.state import MachineState
from kernlint.execution.values.booleans import FALSE, TRUE, Condition, inverse
from kernlint.execution.values.masks import Mask, narrowed
from kernlint.execution.values.values import (
    Atom,
    Value,
    add,
    determiners,
    of_atom,
    subtract,
    varies_in_warp,
)
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import walk

SHARED = 0  # in place of the multiple by which a variable is moved on: any value


def carried_on(
    state: MachineState, variable: ir.Variable, start: Value, multiple: int, reason: str
) -> Value:
    """`start` moved on by an unknown number of steps of `multiple`, or, where that is SHARED, a value
    that is not known for `reason`; the same for the lanes of a warp."""
    by = state.every_warp()
    if multiple == SHARED:
        return state.evaluator.atoms.fresh(variable.name, reason, variable.type, by)
    atom = Atom(variable.name, "unknown-trip-count", None, None, multiple, determiners=by)
    return add(start, of_atom(atom))


def carried_variables(
    state: MachineState,
    loop: ir.Loop,
    advanced: Iterable[ir.Variable],
    starts: Mapping[ir.Variable, Value],
) -> frozenset[ir.Variable]:
    """The variables that the loop only moves on, and for all lanes of a warp alike as far as is
    known."""
    if (loop, None) in state.known_divergences or state.analysis.is_host:
        return frozenset()
    found = [v for v in advanced if v in starts and (loop, v) not in state.known_divergences]
    return frozenset(v for v in found if starts[v].is_integer)


def shared_variables(
    state: MachineState, loop: ir.Loop, plan: Plan, starts: Mapping[ir.Variable, Value]
) -> frozenset[ir.Variable]:
    """The variables that the loop computes from what the lanes of a warp share, so that these share
    them too."""
    if (loop, None) in state.known_divergences or state.analysis.is_host:
        return frozenset()
    environment = state.evaluator.environment

    def is_shared(variable: ir.Variable) -> bool:
        value = environment.get(variable)
        return value is not None and not varies_in_warp(determiners(value), state.device.warp_lanes)

    found = {v for v in plan.uniform if v in starts and (loop, v) not in state.known_divergences}
    found = {v for v in found if starts[v].is_integer and is_shared(v)}
    moved_on = {*plan.advances, *(i.variable for i in plan.inductions)}
    known = moved_on | found
    while True:
        open_ones = {
            v
            for v in found
            if not all(r in known if r in plan.assigned else is_shared(r) for r in plan.uniform[v])
        }
        if not open_ones:
            return frozenset(found)
        found -= open_ones
        known -= open_ones


def left_together(loop: ir.Loop, condition: Condition, warp_lanes: int) -> bool:
    """Whether all lanes of a warp leave the loop after the same iteration."""
    early = any(isinstance(s, ir.Leave) and s.label is loop.label for s in walk((loop,)))
    presumed = condition.presumed and varies_in_warp(condition.determiners, warp_lanes)
    parted = presumed or condition.by_lane or not (condition.is_known or condition.uniform)
    return not early and not parted and not loop.post_test


def in_any_iteration(state: MachineState, loop: ir.Loop, first: Mask) -> Mask:
    """The lanes that run the body, given those of the first iteration: some of them where lanes
    leave the loop one by one."""
    if not _are_left(state, loop):
        return first
    reason, detail = state.open_reason
    return narrowed(
        first,
        Condition(FALSE, TRUE, False, reason, detail, state.every_lane()),
        state.device.warp_lanes,
    )


def note_exits(
    state: MachineState, loop: ir.Loop, inner: Mask, left: Iterable[Mask], test: Condition | None
) -> None:
    """Notes a divergence when the body, run under `inner`, was left by some lanes of a warp, or its
    `test` behind it parts them."""
    if _are_left(state, loop) or state.analysis.is_host:
        return
    taken = [inverse(test.must)] if test is not None and test.is_known else []
    unknown = test is not None and not test.is_known and (test.by_lane or not test.uniform)
    for mask in left:
        unknown |= mask.parted != inner.parted
        taken.append(mask.may)
    if unknown or any(divergent(inner.may, some, state.shape) for some in taken):
        state.divergences.add((loop, loop.label))


def _are_left(state: MachineState, loop: ir.Loop) -> bool:
    """Whether lanes of a warp were seen to leave the loop one by one, or may after too many
    divergences."""
    return (loop, loop.label) in state.known_divergences or (
        (loop, None) in state.known_divergences and (loop.post_test or _has_exits(loop))
    )


def _has_exits(loop: ir.Loop) -> bool:
    within = {s.label for s in walk((loop,)) if isinstance(s, ir.Region | ir.Loop)} - {loop.label}
    return any(isinstance(s, ir.Leave) and s.label not in within for s in walk((loop,)))


def carry(state: MachineState, variable: ir.Variable, value: Value, mask: Mask) -> Value | None:
    """What a watched variable becomes when `value` is assigned under `mask`, if it is not just
    `value`: where it is not known whether the lanes run that, they are moved on together. Notes a
    divergence when not all lanes that are in the loop are moved on alike."""
    carries = state.carried.get(variable)
    old = state.evaluator.environment.get(variable)
    if not carries or old is None:
        return None
    together = all(mask.may is whole.may and mask.parted == whole.parted for _, whole, _ in carries)
    plain = old.is_integer and value.is_integer
    shared = any(multiple == SHARED for _, _, multiple in carries)
    change = value if shared or not plain else subtract(value, old)
    if not together or not plain or varies_in_warp(determiners(change), state.device.warp_lanes):
        state.divergences |= {(loop, variable) for loop, _, _ in carries}
        return None
    if mask.is_known:
        return None
    return carried_on(state, variable, old, SHARED if shared else carries[-1][2], mask.reason)


def raise_divergences(state: MachineState) -> None:
    """Raises Apart where something was noted that does not hold. Called where no loop of unknown
    length goes on."""
    if state.divergences:
        raise LanesDiverged(frozenset(state.divergences))
