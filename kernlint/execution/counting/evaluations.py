"""Evaluations of conditions: how often warps make them, how often their lanes disagree, and which
lanes then take which path.

In: the machine, the mask of the lanes that evaluate a condition, its truth. Out: sums and lane
patterns in the tally of its branch.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kernlint.base.dataclass import replace
from kernlint.execution.counting import lane_patterns
from kernlint.execution.counting.divergence_counts import divergences, most_parted
from kernlint.execution.counting.requests import Shape, divergent, executions
from kernlint.execution.record import BranchTally
from kernlint.execution.state import MachineState
from kernlint.execution.values import sums
from kernlint.execution.values.booleans import (
    FALSE,
    TRUE,
    Bool,
    Condition,
    both,
    dense_bool,
    of_factor,
    positive,
)
from kernlint.execution.values.masks import Mask
from kernlint.execution.values.sums import LANE, Array, TooDense, union
from kernlint.execution.values.values import varies_in_warp
from kernlint.ir import nodes as ir


def count(
    state: MachineState,
    site: ir.BranchSite,
    mask: Mask,
    condition: Condition,
    first: Mask | None = None,
) -> None:
    """Tallies one evaluation. `first`: the mask with which a chain of branches that share the site
    began; each warp counts once."""
    tally = state.record.branches.setdefault(site, BranchTally(site))
    if first is None or first is mask:
        tally.evaluations += executions(mask.may, state.shape)[0]
    if mask.conditional or state.repeats is not None:
        tally.open_count = True
        tally.reasons.setdefault(
            (mask.reason, mask.detail) if mask.reason else state.repeats or state.open_reason
        )
    if condition.is_known and mask.is_known:
        began = mask.may if first is None else first.may
        parted = divergent(mask.may, condition.must, state.shape, began)
        tally.divergent += parted
        _note_bounds(state, tally, mask, condition, (parted, parted))
        return
    surely, possibly = divergences(mask, condition, state.shape)
    tally.open_lanes = True
    tally.divergent += surely if first is None or first is mask else 0
    _note_bounds(
        state, tally, mask, condition, (surely if first is None or first is mask else 0, possibly)
    )
    if possibly > surely:
        _leave_open(tally, mask, condition)


def _note_bounds(
    state: MachineState,
    tally: BranchTally,
    mask: Mask,
    condition: Condition,
    parted: tuple[int, int],
) -> None:
    """`parted`: in how many evaluations lanes disagree, as far as the condition is known. What is
    known only because a size is taken to be large may part lanes after all."""
    least, most = parted
    if condition.presumed and varies_in_warp(condition.determiners, state.device.warp_lanes):
        tally.most += most_parted(mask.may, condition.parting, state.shape)
        tally.reasons.setdefault((condition.reason, condition.detail))
        return
    if least < most and not condition.is_known:
        most = min(most, most_parted(mask.may, condition.parting, state.shape))
    tally.least += least
    tally.most += max(least, most)


def _leave_open(tally: BranchTally, mask: Mask, condition: Condition) -> None:
    """Notes that it is not known whether an evaluation parts lanes."""
    tally.open_divergence = True
    if condition.is_known:
        tally.reasons.setdefault((mask.reason, mask.detail))
    else:
        tally.unknown = True
        # before why it runs at all
        tally.reasons = {
            (condition.reason, condition.detail): None,
            **tally.reasons,
        }


def note(state: MachineState, site: ir.BranchSite, mask: Mask, paths: Sequence[Bool]) -> None:
    """Counts which lanes of `mask` took which path, unless data decides it."""
    tally = state.record.branches[site]
    if _has_patterns(state, tally):
        lane_patterns.note(tally.patterns, mask.may, paths, state.shape)


def _has_patterns(state: MachineState, tally: BranchTally) -> bool:
    """Whether it is known of each evaluation so far which lanes took which path."""
    return not (state.analysis.is_host or tally.open_lanes or tally.open_count)


def count_checks(
    state: MachineState, loop: ir.Loop, entry: Mask, inner: Mask, axis: int, begins: bool = True
) -> None:
    """The loop condition is evaluated once at entry (not that of a do-while) and once after each
    iteration that a warp runs. `begins`: the first of these is among them."""
    enters = begins and not loop.post_test
    tally = state.record.branches.setdefault(loop.site, BranchTally(loop.site))
    outer = {a: n for a, n in state.sizes.items() if a != axis}
    first, _ = executions(entry.may, replace(state.shape, sizes=outer))
    later, _ = executions(inner.may, state.shape)
    tally.evaluations += first + later if enters else later
    if inner.conditional or state.repeats is not None:
        tally.open_count = True
        tally.reasons.setdefault(
            (inner.reason, inner.detail) if inner.reason else state.repeats or state.open_reason
        )
    tally.open_lanes |= not inner.is_known
    parted = 0
    if any(LANE in key and axis in key for key in inner.may.factors):
        parted = _divergent_checks(state, loop, entry, inner, axis)
    elif enters:  # whoever runs the first iteration runs as many as the others of the warp
        parted = _count_first(
            state, tally, entry, _at_first(inner.may, axis), replace(state.shape, sizes=outer)
        )
    if not inner.is_known and parted:
        tally.open_divergence = True
        tally.reasons.setdefault((inner.reason, inner.detail))
        tally.most += parted
    else:
        tally.divergent += parted
        tally.least += parted
        tally.most += parted


def _count_first(
    state: MachineState, tally: BranchTally, entry: Mask, begun: Bool, shape: Shape
) -> int:
    """The check at entry, where it alone may part the lanes of a warp: how many do."""
    parted = divergent(entry.may, begun, shape)
    if parted and _has_patterns(state, tally):
        lane_patterns.note(tally.patterns, entry.may, [begun], shape)
    return parted


def _at_first(truth: Bool, axis: int) -> Bool:
    """A truth in the first iteration of an axis."""
    if truth.empty:
        return FALSE
    result = TRUE
    for key, factor in positive(truth).factors.items():
        left = tuple(a for a in key if a != axis)
        result = both(
            result,
            of_factor(left, np.take(factor, 0, axis=key.index(axis)) if axis in key else factor),
        )
    return result


def _divergent_checks(
    state: MachineState, loop: ir.Loop, entry: Mask, inner: Mask, axis: int
) -> int:
    """How many checks part the lanes of a warp; notes which lanes go on at each."""
    taken = positive(inner.may)
    before = positive(entry.may)
    key = union(taken.key, before.key, (axis, LANE))
    full = tuple(state.sizes[a] for a in key)
    if int(np.prod(full)) > sums.DENSE_LIMIT:
        raise TooDense
    position = key.index(axis)
    runs: Array = np.broadcast_to(dense_bool(taken, key)[1], full)
    alive: Array = np.broadcast_to(dense_bool(before, key)[1], full)
    start = np.take(alive, [0], axis=position)
    active = np.concatenate(
        [start, np.take(runs, range(full[position] - 1), axis=position)], axis=position
    )
    width = state.device.warp_lanes
    some = (active & runs).reshape(-1, width).any(axis=1)
    others = (active & ~runs).reshape(-1, width).any(axis=1)
    covered = set(key)
    free = int(np.prod([n for a, n in state.sizes.items() if a not in covered], dtype=np.int64))
    if not state.analysis.is_host and inner.is_known and state.repeats is None:
        _note_checks(state, loop, start, runs, position, free)
    return int((some & others).sum()) * free


def _note_checks(
    state: MachineState, loop: ir.Loop, start: Array, runs: Array, position: int, times: int
) -> None:
    """Tells apart which lanes go on at each check: the first one, which a do-while lacks, under
    `start`, one after each iteration."""
    nobody = np.zeros_like(start)
    comes = runs if loop.post_test else np.concatenate([start, runs], axis=position)
    goes = np.concatenate(
        [
            np.take(runs, range(1, runs.shape[position]), axis=position)
            if loop.post_test
            else runs,
            nobody,
        ],
        axis=position,
    )
    width = state.device.warp_lanes
    rows, patterns = (
        [some.reshape(-1, width) for some in (comes, goes)],
        state.record.branches[loop.site].patterns,
    )
    patterns.by_lane = True
    lane_patterns.count(patterns, rows[0], rows[1:], state.sizes[LANE] // width, times)
