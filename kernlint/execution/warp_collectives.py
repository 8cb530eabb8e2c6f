"""Statements that the lanes of a warp or of a block execute together: shuffles, votes, barriers.

In: the machine and the statement. What can be computed is; what cannot is a new unknown that
differs by no more than its lanes may: by warp for a vote or a broadcast, by block for a block's
vote. Sources: CUDA C++ Programming Guide, warp vote, shuffle, reduce and match functions,
synchronization functions.
"""

from __future__ import annotations

import numpy as np

from kernlint.execution.assignment import assign, is_needed
from kernlint.execution.exchange import is_segment, shuffled, voted
from kernlint.execution.state import MachineState
from kernlint.execution.synchronisation.barriers import (
    BarrierTally,
    Party,
    compare,
    note_beyond,
    note_presumed,
    observe,
    observe_grid,
    tile_lanes,
)
from kernlint.execution.synchronisation.vacant_lanes import note_vacant
from kernlint.execution.values import booleans, sums
from kernlint.execution.values.sums import LANE, Sum
from kernlint.execution.values.values import (
    Atom,
    Value,
    determiners,
    identity,
    of_atom,
    varies_in_warp,
)
from kernlint.ir import nodes as ir
from kernlint.ir.types import Float, Integer, type_bounds

# votes that come out right whatever lanes without a thread are named
WITHOUT_LANES = ("any", "all", "ballot", "match_any")


# scopes whose barriers order accesses: among whom
ORDERED = {"grid": "grid", "cluster": "block", "block": "block", "warp": "warp", "tile": "warp"}
NAMED = ("bar.sync", "barrier.sync")  # PTX's barriers with a number


def shuffle(state: MachineState, s: ir.Shuffle) -> None:
    _meet(state, s)
    _note_vacant(state, s)
    if is_needed(state, s.target):
        _shuffle(state, s)


def _note_vacant(state: MachineState, s: ir.Shuffle) -> None:
    """Which lanes it reads that do not come, where all of that is known."""
    open_ = state.presumed or not state.mask.is_known
    if s.site is None or open_ or state.mask is state.initial:
        return
    lane, width = (state.evaluator.number(e) for e in (s.lane, s.width))
    if not (lane.is_known and width.is_known and width.known.is_constant):
        return
    lanes, threads = width.known.const, state.initial
    if is_segment(lanes, state.device.warp_lanes):
        tally = state.record.barriers[s.site]
        note_vacant(tally, s, state.mask, threads, lane.known, lanes, state.shape)


def vote(state: MachineState, s: ir.Vote) -> None:
    _meet(state, s)
    if is_needed(state, s.target):
        _vote(state, s)


def _shuffle(state: MachineState, s: ir.Shuffle) -> None:
    value, lane, width = (state.evaluator.number(e) for e in (s.value, s.lane, s.width))
    warp = state.device.warp_lanes
    segments = width.is_known and width.known.is_constant and is_segment(width.known.const, warp)
    integers = value.real is None and not isinstance(s.target.type, Float)
    if lane.is_known and segments and integers and not value.terms:
        result = shuffled(
            s.kind, value.known, lane.known, width.known.const, state.sizes[LANE], warp
        )
        assign(state, s.target, Value(result))
        return
    whole = segments and width.known.const == warp
    broadcast = s.kind == "idx" and whole and not varies_in_warp(determiners(lane), warp)
    by = state.every_warp() if broadcast else state.every_lane()
    if lane.is_known and segments and integers:
        source = next(iter(value.terms))
        atom = Atom(source.name, source.reason, *type_bounds(s.target.type), determiners=by)
        key = ("shuffle", s.kind, identity(value), identity(lane), identity(width))
        assign(state, s.target, of_atom(state.evaluator.atoms.intern(key, atom)))
        return
    reason = _reason(state, s.value)
    assign(
        state,
        s.target,
        state.evaluator.atoms.fresh(_said(s, "shuffled value"), reason, s.target.type, by),
    )


def _reason(state: MachineState, exchanged: ir.Expression | None) -> str:
    """Why what lanes make of a value is not known."""
    value = state.evaluator.number(exchanged) if exchanged is not None else Value(sums.ZERO)
    return next((atom.reason for atom in value.terms), "lane-exchange")


def _vote(state: MachineState, s: ir.Vote) -> None:
    operand = None if s.kind == "reduce" else s.operand
    condition = (
        booleans.known(booleans.TRUE) if operand is None else state.evaluator.condition(operand)
    )
    block = s.kind.startswith("block_")
    group = tile_lanes(_named(state, s.lanes), state.sizes[LANE]) or state.device.warp_lanes
    if condition.is_known and state.mask.is_known:
        lanes = state.sizes[LANE]
        result = voted(
            s.kind,
            condition.must,
            state.mask.may,
            lanes,
            lanes if block else group,
        )
        if result is not None:
            type_ = s.target.type
            assign(
                state,
                s.target,
                Value(
                    sums.wrap(result, type_.bits, type_.signed)
                    if isinstance(type_, Integer)
                    else result
                ),
            )
            return
    by = (
        state.every_block()
        if block
        else state.every_lane()
        if s.kind == "match_any"
        else state.every_group(group)
    )
    reason = condition.reason or _reason(state, s.operand)
    value = state.evaluator.atoms.fresh(_said(s, "vote"), reason, s.target.type, by)
    if s.kind == "ballot" and not condition.is_known:
        state.ballots.update((atom, _said(s, "vote")) for atom in value.terms)
    assign(state, s.target, value)


def _said(s: ir.Shuffle | ir.Vote, otherwise: str) -> str:
    """The call as it is written, where that is known."""
    return otherwise if s.site is None else s.site.text


def barrier(state: MachineState, s: ir.Barrier) -> None:
    tally, party = (
        state.record.barriers.setdefault(s.site, BarrierTally(s.site)),
        _party(state, s),
    )
    if s.site.scope in ("warp", "tile"):
        compare(
            tally,
            state.mask,
            state.scopes[0].spine,
            state.shape,
            party,
            bool(state.presumed),
        )
        if state.presumed_in_warp:
            note_presumed(tally, party)
        _note_voted(state, tally, s.lanes)
    _wait(state, tally, party)
    if s.site.text.startswith(NAMED) or s.threads is not None:
        _pass(state, *_of_threads(state, s))
    elif s.site.scope == "block" and tally.uniform is False:
        # which barriers meet then is not defined: KL401 says so, and what follows is not held
        # against a pairing that a correction of it changes
        state.order.pass_barrier(ORDERED[s.site.scope], True, state.mask.may)
    elif s.site.scope in ORDERED:
        scope = ORDERED[s.site.scope]
        scope = f"{scope}, {s.site.memory}" if s.site.memory and scope == "block" else scope
        _pass(state, *(_of_lanes(state, party) if scope == "warp" else (scope, None)))


def _pass(state: MachineState, scope: str, group: Sum | None = None) -> None:
    """The lanes that come are behind the barrier. `group`: by lane, the number of those that wait for
    each other, where it is for some of the scope."""
    all_lanes = state.mask is state.scopes[0].spine
    if group is not None:
        state.order.join(scope, group, state.mask.may, state.sizes[LANE])
    state.order.pass_barrier(scope, all_lanes, state.mask.may)


def _of_threads(state: MachineState, s: ir.Barrier) -> tuple[str, Sum | None]:
    """A barrier with a name: of the block, or of those who come to it by its name. All that come to it
    are taken to be as many as it waits for."""
    if s.threads is None or s.name is None:
        return "block", None
    threads, name = state.evaluator.number(s.threads), state.evaluator.number(s.name)
    if not threads.is_known or not threads.known.is_constant or not name.is_known:
        return "block", None
    if threads.known.const >= state.sizes[LANE]:
        return "block", None
    too_many = _most_that_come(state, name.known) > threads.known.const
    return ("warp", None) if too_many else ("named", name.known)


def _most_that_come(state: MachineState, name: Sum) -> int:
    """How many threads at most surely come by one name: where they are more than it waits for, the
    first go on, and which those are nobody knows."""
    must = state.mask.must
    if name.key not in ((), (LANE,)) or must.empty or set(must.factors) - {(LANE,)}:
        return 0
    names = np.broadcast_to(sums.dense(name, (LANE,))[1], state.sizes[LANE])
    lanes = booleans.positive(must).factors.get((LANE,), np.full(state.sizes[LANE], True))
    return int(np.unique(names[lanes], return_counts=True)[1].max(initial=0))


def _of_lanes(state: MachineState, party: Party) -> tuple[str, Sum | None]:
    """A barrier of a warp: of all of its lanes, or of those that its mask names."""
    every = (1 << state.device.warp_lanes) - 1
    named = party.named
    if named is None or (named.is_constant and named.const & every == every):
        return "warp", None
    return "tile", named


def _wait(state: MachineState, tally: BarrierTally, party: Party) -> None:
    """Whether all who wait for each other come."""
    observe(
        tally,
        state.mask,
        state.scopes[0].spine,
        state.initial,
        state.exited,
        state.shape,
        party,
    )
    if tally.site.scope == "grid":
        observe_grid(tally, state.mask, state.scopes[0].spine, not state.open_depth)
    if state.presumed and tally.uniform:
        tally.uniform, tally.detail = (
            None,
            "a guard around it is only assumed to let all threads pass",
        )


def _meet(state: MachineState, s: ir.Shuffle | ir.Vote) -> None:
    """Whether the lanes that a call names are those that execute it."""
    if s.site is None or state.mask.empty:
        return
    tally = state.record.barriers.setdefault(s.site, BarrierTally(s.site))
    if s.site.scope == "block":
        _wait(state, tally, Party(state.sizes[LANE]))
        if s.kind != ir.BLOCK_COPY:
            _pass(state, "block")
        return
    party = _named(state, s.lanes)
    _pass(state, *_of_lanes(state, party))
    all_come = compare(
        tally, state.mask, state.scopes[0].spine, state.shape, party, bool(state.presumed)
    )
    if tally.uniform is not False and not all_come:
        tally.uniform = all_come
    if s.kind not in WITHOUT_LANES:
        note_beyond(tally, state.mask, state.initial, state.shape, party)
    if state.presumed_in_warp:
        note_presumed(tally, party)
    _note_voted(state, tally, s.lanes)


def _note_voted(state: MachineState, tally: BarrierTally, lanes: ir.Expression | None) -> None:
    """A call that all running lanes make, with a mask of those alone that vote for it."""
    all_come = state.mask is state.scopes[0].spine and state.mask.is_known
    if lanes is None or not state.ballots or not all_come:
        return
    named = state.evaluator.number(lanes)
    if len(named.terms) == 1 and named.known is sums.ZERO:
        ((atom, times),) = named.terms.items()
        whole = times.is_constant and times.const == 1
        tally.voted = tally.voted or (state.ballots.get(atom, "") if whole else "")


def _party(state: MachineState, s: ir.Barrier) -> Party:
    return _named(state, s.lanes) if s.site.scope in ("warp", "tile") else Party(state.sizes[LANE])


def _named(state: MachineState, lanes: ir.Expression | None) -> Party:
    warp = state.device.warp_lanes
    if lanes is None:
        return Party(warp)
    named = state.evaluator.number(lanes)
    if not named.is_known:
        return Party(warp, sure=False)
    return Party(warp, named.known, in_open_loop=state.open_depth > 0)
