"""Counting accesses as nvcc is known to execute them, beside the counts as written.

In: the compile stage's outcomes, and each access as the machine executes it. Out: tallies in
`Record.compiled`, one per width and offset of the machine's accesses. Never touches the tallies as
written.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from kernlint.base.dataclass import replace
from kernlint.execution.counting.requests import Shape
from kernlint.execution.counting.tally import Tally
from kernlint.execution.state import DeferredLoad, MachineState
from kernlint.execution.values import booleans
from kernlint.execution.values.booleans import Bool, both
from kernlint.execution.values.masks import Mask
from kernlint.execution.values.values import Value
from kernlint.ir import nodes as ir
from kernlint.optimizer.compiler_facts import Rolled, Sunk, Unrolled

Piece = tuple[int, int]  # offset from the access's own address, bytes
Fates = Mapping[tuple[int, ...], Piece | None]
Counted = dict[tuple[ir.AccessSite, str, Piece], Tally]
Flags = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]


def follow(state: MachineState, tally: Tally, address: Value, mask: Mask) -> None:
    """One execution of an access whose outcome is known (for all iterations of the axes in
    scope)."""
    outcome = state.analysis.outcomes.get(tally.site)
    if outcome is None:
        return
    if mask.may is not mask.must or tally.uncounted:
        state.record.unpredicted.add(tally.site)
    elif isinstance(outcome, Sunk):
        if mask.conditional or state.repeats is not None:
            state.record.unpredicted.add(tally.site)
            return
        shape = Shape(dict(state.sizes), state.shape.warp_lanes, state.shape.blocks)
        state.deferred.setdefault(outcome.statement, []).append(
            DeferredLoad(outcome, tally, address, mask, shape)
        )
    else:
        first = tally.site.pieces[0][0]
        pieces = (
            _unrolled(state, outcome, outcome.fates)
            if isinstance(outcome, Unrolled)
            else _rolled(state, outcome, first)
        )
        wider = (
            _unrolled(state, outcome, outcome.wider.fates)
            if isinstance(outcome, Unrolled) and outcome.wider is not None
            else {}
        )
        if pieces is None or wider is None:
            state.record.unpredicted.add(tally.site)
            return
        for made, into in ((pieces, state.record.compiled), (wider, state.record.wider)):
            for piece, executes in made.items():
                may = both(mask.may, executes)
                _count(
                    state,
                    into,
                    tally,
                    piece,
                    address,
                    replace(mask, may=may, must=may),
                    state.shape,
                )


def arrive(state: MachineState, statement: ir.If, side: bool, mask: Mask) -> None:
    """The side of a branch that deferred loads may execute in is entered with the lanes of
    `mask`."""
    for load in state.deferred.get(statement, ()):
        if load.outcome.side != side:
            continue
        if not mask.is_known or state.repeats is not None:
            state.record.unpredicted.add(load.tally.site)
            continue
        may = both(load.mask.may, mask.may)
        width = load.tally.site.pieces[0][1]
        piece = load.tally.site.pieces[0][0], width
        _count(
            state,
            state.record.compiled,
            load.tally,
            piece,
            load.address,
            Mask(may, may),
            load.shape,
        )


def _count(
    state: MachineState,
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
    state.counter.record(tally, address, mask, shape, state.repeats)


def _executing(state: MachineState, loops: tuple[ir.Loop, ...]) -> dict[ir.Loop, int | None] | None:
    """Where each loop stands: the axis of all its iterations as None, or the one iteration being
    run. None where neither is known."""
    axes, iterations = {loop for _, loop in state.axis_loops}, _stepped_iterations(state)
    found: dict[ir.Loop, int | None] = {}
    for loop in loops:
        if loop not in axes and loop not in iterations:
            return None
        found[loop] = None if loop in axes else iterations[loop]
    return found


def _stepped_iterations(state: MachineState) -> dict[ir.Loop, int]:
    """The iteration that each loop being stepped is in, from 0."""
    return {stepped.loop: len(stepped.begun) - 1 for stepped in state.stepping}


def _unrolled(state: MachineState, outcome: Unrolled, fates: Fates) -> Mapping[Piece, Bool] | None:
    at = _executing(state, outcome.loops)
    if at is None:
        return None
    axis_of = {loop: axis for axis, loop in state.axis_loops}
    axes = tuple(axis_of[loop] for loop in outcome.loops if at[loop] is None)
    full = tuple(state.sizes[a] for a in axes)
    flags: dict[Piece, Flags] = {}
    known = 0
    for iterations, piece in fates.items():
        if any(
            fixed is not None and fixed != iteration
            for fixed, iteration in zip(at.values(), iterations, strict=True)
        ):
            continue
        place = tuple(
            iteration
            for fixed, iteration in zip(at.values(), iterations, strict=True)
            if fixed is None
        )
        if any(iteration >= n for iteration, n in zip(place, full, strict=True)):
            return None
        known += 1
        if piece is not None:
            flags.setdefault(piece, np.zeros(full, dtype=np.bool_))[place] = True
    if known != int(np.prod(full, dtype=np.int64)):
        return None
    return {piece: booleans.of_factor(axes, array) for piece, array in flags.items()}


def _rolled(state: MachineState, outcome: Rolled, first: int) -> Mapping[Piece, Bool] | None:
    axis = next((a for a, loop in state.axis_loops if loop is outcome.loop), None)
    iteration_of = _stepped_iterations(state)
    runs = axis is not None or outcome.loop in iteration_of
    count = state.sizes[axis] if axis is not None else outcome.count
    if count is None or not runs or outcome.loop in state.uneven_loops:
        return None
    whole = count - count % outcome.unroll
    iteration = np.arange(count)
    flags = {(first, outcome.bytes): (iteration < whole) & (iteration % outcome.group == 0)}
    for place, width in enumerate(outcome.rest[count - whole]):
        if width:
            flags.setdefault((first, width), np.zeros(count, dtype=np.bool_))[whole + place] = True
    if axis is None:
        now = iteration_of[outcome.loop]
        return (
            None
            if now >= count
            else {piece: booleans.TRUE for piece, array in flags.items() if array[now]}
        )
    return {
        piece: booleans.of_factor((axis,), array) for piece, array in flags.items() if array.any()
    }
