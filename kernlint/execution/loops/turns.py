"""Turns of loops: how often warps run a body, with how many lanes, and how many wait there for the
others.

In: the machine, the mask with which lanes entered a loop and that of one turn or of an axis of
turns. Out: sums in the loop's tally.
"""

from __future__ import annotations

import math

from kernlint.execution.counting.divergence_counts import partings
from kernlint.execution.counting.requests import Shape, executions, outer_rows, warp_rows
from kernlint.execution.record import BranchTally
from kernlint.execution.state import State
from kernlint.execution.values import sums
from kernlint.execution.values.booleans import Bool, Condition, positive
from kernlint.execution.values.masks import Mask
from kernlint.execution.values.sums import LANE, TooDense
from kernlint.ir import nodes as ir


def count_entry(state: State, loop: ir.Loop) -> None:
    """Tallies the warps that come to the loop, under the machine's mask. A loop without a condition
    has turns but no evaluations."""
    tally = _tally(state, loop)
    tally.entries += executions(state.mask.may, state.shape)[0]
    tally.open_turns |= not state.mask.is_known or state.repeats is not None


def count_turns(state: State, loop: ir.Loop, entry: Mask, inner: Mask) -> None:
    """Tallies the executions of the body under `inner`, of lanes that entered under `entry`."""
    tally = _tally(state, loop)
    turns, lanes = executions(inner.may, state.shape)
    tally.turns += turns
    tally.turn_lanes += lanes
    tally.idle_lanes += waiting(inner.may, entry.may, state.shape)
    tally.open_turns |= not inner.is_known or state.repeats is not None


def count_parted(state: State, loop: ir.Loop, first: Mask, second: Condition) -> None:
    """Notes the loop where lanes of a warp run one iteration beside lanes that run more. `first`:
    the lanes that run any; `second`: the test after one iteration."""
    if partings(first, second, state.shape)[1]:
        state.record.parted.add(loop)


def is_open(state: State, condition: Condition) -> bool:
    """An unknown condition, or one that is only assumed to hold and would hold for ever."""
    return not condition.is_known or state.evaluator.took_assumption()


def leave_open(state: State, loop: ir.Loop) -> None:
    """Notes that the loop's turns are not known."""
    _tally(state, loop).open_turns = True


def _tally(state: State, loop: ir.Loop) -> BranchTally:
    return state.record.branches.setdefault(loop.site, BranchTally(loop.site))


def waiting(mask: Bool, began: Bool, shape: Shape) -> int:
    """Lanes of `began` that are not in `mask`, over the warp executions with an active lane of
    `mask` (a subset of `began`)."""
    if mask.empty or mask is began:
        return 0
    mask, began = positive(mask), positive(began)
    if mask.empty or not any(
        LANE in key and factor is not began.factors.get(key) for key, factor in mask.factors.items()
    ):
        return 0
    joint, times = outer_rows(mask, began, shape)
    key = (*joint, LANE)
    full = tuple(shape.sizes[axis] for axis in key)
    if math.prod(full) > sums.DENSE_LIMIT:
        raise TooDense
    active, entered = (warp_rows(some, key, full, shape.warp_lanes) for some in (mask, began))
    alive = active.any(axis=1)
    return int((entered & ~active)[alive].sum()) * times
