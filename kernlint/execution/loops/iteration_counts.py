"""Iterations of loops: how often warps run a body, with how many lanes, and how many wait there for
the others.

In: the machine, the mask with which lanes entered a loop and that of one iteration or of an axis of
iterations. Out: sums in the loop's tally.
"""

from __future__ import annotations

import math

from kernlint.execution.counting.divergence_counts import divergences
from kernlint.execution.counting.requests import Shape, executions, outer_rows, warp_rows
from kernlint.execution.record import BranchTally
from kernlint.execution.state import MachineState
from kernlint.execution.values import sums
from kernlint.execution.values.booleans import Bool, Condition, positive
from kernlint.execution.values.masks import Mask
from kernlint.execution.values.sums import LANE, TooDense
from kernlint.ir import nodes as ir


def count_entry(state: MachineState, loop: ir.Loop) -> None:
    """Tallies the warps that come to the loop, under the machine's mask. A loop without a condition
    has iterations but no evaluations."""
    tally = _tally(state, loop)
    tally.entries += executions(state.mask.may, state.shape)[0]
    tally.open_iterations |= not state.mask.is_known or state.repeats is not None


def count_iterations(state: MachineState, loop: ir.Loop, entry: Mask, inner: Mask) -> None:
    """Tallies the executions of the body under `inner`, of lanes that entered under `entry`."""
    tally = _tally(state, loop)
    iterations, lanes = executions(inner.may, state.shape)
    tally.iterations += iterations
    tally.iteration_lanes += lanes
    tally.idle_lanes += idle_lanes_of(inner.may, entry.may, state.shape)
    tally.open_iterations |= not inner.is_known or state.repeats is not None


def count_uneven_exits(state: MachineState, loop: ir.Loop, first: Mask, second: Condition) -> None:
    """Notes the loop where lanes of a warp run one iteration beside lanes that run more. `first`:
    the lanes that run any; `second`: the test after one iteration."""
    if divergences(first, second, state.shape)[1]:
        state.record.parted.add(loop)


def is_open(state: MachineState, condition: Condition) -> bool:
    """An unknown condition, or one that is only assumed to hold and would hold for ever."""
    return not condition.is_known or state.evaluator.took_assumption()


def leave_open(state: MachineState, loop: ir.Loop) -> None:
    """Notes that the loop's iterations are not known."""
    _tally(state, loop).open_iterations = True


def _tally(state: MachineState, loop: ir.Loop) -> BranchTally:
    return state.record.branches.setdefault(loop.site, BranchTally(loop.site))


def idle_lanes_of(mask: Bool, began: Bool, shape: Shape) -> int:
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
