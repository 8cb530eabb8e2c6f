"""Counting accesses as nvcc is known to execute them, beside the counts as written.

In: the compile stage's outcomes, and each access as the machine executes it. Out: tallies in
`Record.compiled`, one per width and offset of the machine's accesses. Never touches the tallies as
written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kernlint.base.dataclass import dataclass
from kernlint.execution.counting.requests import Shape
from kernlint.execution.counting.tally import Tally
from kernlint.execution.values import booleans
from kernlint.execution.values.booleans import Bool, both
from kernlint.execution.values.masks import Mask
from kernlint.execution.values.values import Value
from kernlint.ir import nodes as ir
from kernlint.optimizer.compiler_facts import Rolled, Sunk, Unrolled

if TYPE_CHECKING:
    from kernlint.execution.machine import Machine

Piece = tuple[int, int]  # offset from the access's own address, bytes
Fates = Mapping[tuple[int, ...], Piece | None]
Counted = dict[tuple[ir.AccessSite, str, Piece], Tally]
Flags = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]


@dataclass(frozen=True, slots=True)
class Waiting:
    """A load that executes later."""

    outcome: Sunk
    tally: Tally
    address: Value
    mask: Mask
    shape: Shape


def follow(machine: Machine, tally: Tally, address: Value, mask: Mask) -> None:
    """One execution of an access whose outcome is known (for all iterations of the axes in
    scope)."""
    outcome = machine.analysis.outcomes.get(tally.site)
    if outcome is None:
        return
    if not mask.is_known or machine.repeats is not None or tally.uncounted:
        machine.record.unpredicted.add(tally.site)
    elif isinstance(outcome, Sunk):
        shape = Shape(dict(machine.sizes), machine.shape.warp_lanes, machine.shape.blocks)
        machine.waiting.setdefault(outcome.statement, []).append(
            Waiting(outcome, tally, address, mask, shape)
        )
    else:
        first = tally.site.pieces[0][0]
        pieces = (
            _unrolled(machine, outcome, outcome.fates)
            if isinstance(outcome, Unrolled)
            else _rolled(machine, outcome, first)
        )
        wider = (
            _unrolled(machine, outcome, outcome.wider.fates)
            if isinstance(outcome, Unrolled) and outcome.wider is not None
            else {}
        )
        if pieces is None or wider is None:
            machine.record.unpredicted.add(tally.site)
            return
        for made, into in ((pieces, machine.record.compiled), (wider, machine.record.wider)):
            for piece, executes in made.items():
                may = both(mask.may, executes)
                _count(machine, into, tally, piece, address, Mask(may, may), machine.shape)


def arrive(machine: Machine, statement: ir.If, side: bool, arm: Mask) -> None:
    """The arm of a branch that waiting loads may execute in is entered with the lanes of `arm`."""
    for load in machine.waiting.get(statement, ()):
        if load.outcome.side != side:
            continue
        if not arm.is_known or machine.repeats is not None:
            machine.record.unpredicted.add(load.tally.site)
            continue
        may = both(load.mask.may, arm.may)
        width = load.tally.site.pieces[0][1]
        piece = load.tally.site.pieces[0][0], width
        _count(
            machine,
            machine.record.compiled,
            load.tally,
            piece,
            load.address,
            Mask(may, may),
            load.shape,
        )


def _count(
    machine: Machine,
    into: Counted,
    written: Tally,
    piece: Piece,
    address: Value,
    mask: Mask,
    shape: Shape,
) -> None:
    key = (written.site, written.space, piece)
    tally = into.get(key)
    if tally is None:
        tally = Tally(replace(written.site, pieces=(piece,)), written.space, written.hardware_op)
        into[key] = tally
    machine.counter.record(tally, address, mask, shape, None)


def _executing(machine: Machine, loops: tuple[ir.Loop, ...]) -> dict[ir.Loop, int | None] | None:
    """Where each loop stands: the axis of all its iterations as None, or the one iteration being
    run. None where neither is known."""
    axes, turns = {loop for _, loop in machine.axis_loops}, _turns(machine)
    found: dict[ir.Loop, int | None] = {}
    for loop in loops:
        if loop not in axes and loop not in turns:
            return None
        found[loop] = None if loop in axes else turns[loop]
    return found


def _turns(machine: Machine) -> dict[ir.Loop, int]:
    """The turn that each loop being stepped is in, from 0."""
    return {stepped.loop: len(stepped.begun) - 1 for stepped in machine.stepping}


def _unrolled(machine: Machine, outcome: Unrolled, fates: Fates) -> Mapping[Piece, Bool] | None:
    at = _executing(machine, outcome.loops)
    if at is None:
        return None
    axis_of = {loop: axis for axis, loop in machine.axis_loops}
    axes = tuple(axis_of[loop] for loop in outcome.loops if at[loop] is None)
    full = tuple(machine.sizes[a] for a in axes)
    flags: dict[Piece, Flags] = {}
    known = 0
    for turns, piece in fates.items():
        if any(
            fixed is not None and fixed != turn
            for fixed, turn in zip(at.values(), turns, strict=True)
        ):
            continue
        place = tuple(turn for fixed, turn in zip(at.values(), turns, strict=True) if fixed is None)
        if any(turn >= n for turn, n in zip(place, full, strict=True)):
            return None
        known += 1
        if piece is not None:
            flags.setdefault(piece, np.zeros(full, dtype=np.bool_))[place] = True
    if known != int(np.prod(full, dtype=np.int64)):
        return None
    return {piece: booleans.of_factor(axes, array) for piece, array in flags.items()}


def _rolled(machine: Machine, outcome: Rolled, first: int) -> Mapping[Piece, Bool] | None:
    axis = next((a for a, loop in machine.axis_loops if loop is outcome.loop), None)
    turn_of = _turns(machine)
    stepping = axis is None and outcome.loop in turn_of
    count = machine.sizes[axis] if axis is not None else outcome.count
    if count is None or (axis is None and not stepping) or outcome.loop in machine.uneven:
        return None
    whole = count - count % outcome.unroll
    turn = np.arange(count)
    flags = {(first, outcome.bytes): (turn < whole) & (turn % outcome.group == 0)}
    for place, width in enumerate(outcome.rest[count - whole]):
        if width:
            flags.setdefault((first, width), np.zeros(count, dtype=np.bool_))[whole + place] = True
    if axis is None:
        now = turn_of[outcome.loop]
        return (
            None
            if now >= count
            else {piece: booleans.TRUE for piece, array in flags.items() if array[now]}
        )
    return {
        piece: booleans.of_factor((axis,), array) for piece, array in flags.items() if array.any()
    }
