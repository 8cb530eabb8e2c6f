"""Statements that the lanes of a warp or of a block execute together: shuffles, votes, barriers.

In: the machine and the statement. What can be computed is; what cannot is a new unknown that
differs by no more than its lanes may: by warp for a vote or a broadcast, by block for a block's
vote. Sources: CUDA C++ Programming Guide, warp vote, shuffle, reduce and match functions,
synchronization functions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernlint.execution.barriers import BarrierTally, Party, compare, observe
from kernlint.execution.exchange import is_segment, shuffled, voted
from kernlint.execution.values import booleans, sums
from kernlint.execution.values.sums import LANE
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

if TYPE_CHECKING:
    from kernlint.execution.machine import Machine


def shuffle(machine: Machine, s: ir.Shuffle) -> None:
    value, lane, width = (machine.evaluator.number(e) for e in (s.value, s.lane, s.width))
    warp = machine.device.warp_lanes
    segments = width.is_known and width.known.is_constant and is_segment(width.known.const, warp)
    integers = value.real is None and not isinstance(s.target.type, Float)
    if lane.is_known and segments and integers and not value.terms:
        result = shuffled(
            s.kind, value.known, lane.known, width.known.const, machine.sizes[LANE], warp
        )
        machine.assign(s.target, Value(result))
        return
    whole = segments and width.known.const == warp
    broadcast = s.kind == "idx" and whole and not varies_in_warp(determiners(lane), warp)
    by = machine.every_warp() if broadcast else machine.every_lane()
    if lane.is_known and segments and integers:
        source = next(iter(value.terms))
        atom = Atom(source.name, source.reason, *type_bounds(s.target.type), determiners=by)
        key = ("shuffle", s.kind, identity(value), identity(lane), identity(width))
        machine.assign(s.target, of_atom(machine.evaluator.atoms.intern(key, atom)))
        return
    reason = next((atom.reason for atom in value.terms), "lane-exchange")
    machine.assign(
        s.target,
        machine.evaluator.atoms.fresh(_said(s, "shuffled value"), reason, s.target.type, by),
    )


def vote(machine: Machine, s: ir.Vote) -> None:
    condition = (
        booleans.known(booleans.TRUE)
        if s.operand is None
        else machine.evaluator.condition(s.operand)
    )
    block = s.kind.startswith("block_")
    if condition.is_known and machine.mask.is_known:
        lanes = machine.sizes[LANE]
        result = voted(
            s.kind,
            condition.must,
            machine.mask.may,
            lanes,
            lanes if block else machine.device.warp_lanes,
        )
        if result is not None:
            type_ = s.target.type
            machine.assign(
                s.target,
                Value(
                    sums.wrap(result, type_.bits, type_.signed)
                    if isinstance(type_, Integer)
                    else result
                ),
            )
            return
    by = (
        machine.every_block()
        if block
        else machine.every_lane()
        if s.kind == "match_any"
        else machine.every_warp()
    )
    machine.assign(
        s.target,
        machine.evaluator.atoms.fresh(
            _said(s, "vote"), condition.reason or "lane-exchange", s.target.type, by
        ),
    )


def _said(s: ir.Shuffle | ir.Vote, otherwise: str) -> str:
    """The call as it is written, where that is known."""
    return otherwise if s.site is None else s.site.text


def barrier(machine: Machine, s: ir.Barrier) -> None:
    tally, party = (
        machine.record.barriers.setdefault(s.site, BarrierTally(s.site)),
        _party(machine, s),
    )
    if s.site.scope == "warp":
        compare(
            tally,
            machine.mask,
            machine.scopes[0].spine,
            machine.shape,
            party,
            bool(machine.presumed),
        )
    observe(
        tally,
        machine.mask,
        machine.scopes[0].spine,
        machine.initial,
        machine.exited,
        machine.shape,
        party,
    )
    if machine.presumed and tally.uniform:
        tally.uniform, tally.detail = (
            None,
            "a guard around it is only assumed to let all threads pass",
        )


def meet(machine: Machine, s: ir.Shuffle | ir.Vote) -> None:
    """Whether the lanes that a call names are those that execute it."""
    if s.site is None or machine.mask.empty:
        return
    tally = machine.record.barriers.setdefault(s.site, BarrierTally(s.site))
    all_come = compare(
        tally,
        machine.mask,
        machine.scopes[0].spine,
        machine.shape,
        _named(machine, s.lanes),
        bool(machine.presumed),
    )
    if tally.uniform is not False and not all_come:
        tally.uniform = all_come


def _party(machine: Machine, s: ir.Barrier) -> Party:
    return (
        _named(machine, s.lanes) if s.site.scope in ("warp", "tile") else Party(machine.sizes[LANE])
    )


def _named(machine: Machine, lanes: ir.Expression | None) -> Party:
    warp = machine.device.warp_lanes
    if lanes is None:
        return Party(warp)
    named = machine.evaluator.number(lanes)
    return Party(warp, named.known) if named.is_known else Party(warp, sure=False)
