"""In how many warp executions the lanes of a warp disagree over a condition, where data decides it
or who is there.

In: a mask and a condition, either known or not. Out: how many surely and how many may. Never
tallies.
"""

from __future__ import annotations

import math

import numpy as np

from kernlint.execution.counting.requests import Shape, batches, executions
from kernlint.execution.values.booleans import Bool, Condition, Threshold, dense_bool
from kernlint.execution.values.masks import Mask
from kernlint.execution.values.sums import (
    BLOCK,
    DENSE_LIMIT,
    LANE,
    ZERO,
    Array,
    TooDense,
    dense,
    union,
)


def divergences(mask: Mask, condition: Condition, shape: Shape) -> tuple[int, int]:
    """(warp executions in which lanes of `mask` surely disagree over `condition`, those in which
    they may). Raises TooDense."""
    if condition.must.empty and condition.may.is_true:
        requests, lanes = executions(mask.may, shape)
        return 0, 0 if condition.uniform or lanes == requests else requests
    key = union(mask.may.key, mask.must.key, condition.may.key, condition.must.key, (LANE,))
    full = tuple(shape.sizes[axis] for axis in key)
    if math.prod(full) > DENSE_LIMIT:
        raise TooDense

    def rows(lanes: Bool) -> Array:
        return np.broadcast_to(dense_bool(lanes, key)[1], full).reshape(-1, shape.warp_lanes)

    there, here, true, possible = (
        rows(some) for some in (mask.must, mask.may, condition.must, condition.may)
    )
    if (
        condition.is_known or condition.uniform
    ):  # either all lanes for which it is not known make it true, or none
        surely = _disagree(there & possible, there & ~possible) & _disagree(
            there & true, there & ~true
        )
        possibly = _disagree(here & possible, here & ~possible) | _disagree(
            here & true, here & ~true
        )
    else:
        surely = _disagree(there & true, there & ~possible)
        possibly = _disagree(here & possible, here & ~true) & (here.sum(axis=1) > 1)
    times = math.prod(n for axis, n in shape.sizes.items() if axis not in key)
    return 0 if mask.conditional else int(surely.sum()) * times, int(possibly.sum()) * times


def most_parted(mask: Bool, thresholds: tuple[Threshold, ...] | None, shape: Shape) -> int:
    """In how many warp executions of `mask` lanes disagree at most, whatever the unknowns are. Each
    warp has several lanes to disagree; an unknown bound parts only warps whose numbers lie around
    it, as `i < n` does one warp of a row of blocks."""
    several = _rows_of_several(mask, shape)
    if thresholds is None:
        return several
    try:
        return min(several, sum(_most_of_one(mask, one, shape) for one in thresholds))
    except TooDense:
        return several


def _rows_of_several(mask: Bool, shape: Shape) -> int:
    """Warp executions with more than one active lane."""
    return sum(
        int((batch.active.sum(axis=1) > 1).sum()) * sum(batch.counts)
        for batch in batches(ZERO, mask, shape, 1)
    )


def _most_of_one(mask: Bool, threshold: Threshold, shape: Shape) -> int:
    key = union(mask.key, threshold.known.key, (LANE,))
    full = tuple(shape.sizes[axis] for axis in key)
    if math.prod(full) > DENSE_LIMIT:
        raise TooDense
    numbers = np.broadcast_to(dense(threshold.known, key)[1], full)
    active = np.broadcast_to(dense_bool(mask, key)[1], full)
    times = math.prod(n for axis, n in shape.sizes.items() if axis not in key)
    together = [(numbers, active)]
    if threshold.by_block and BLOCK in key:
        axis, blocks = key.index(BLOCK), range(shape.sizes[BLOCK])
        together = [(numbers.take(b, axis=axis), active.take(b, axis=axis)) for b in blocks]
    found = sum(_most_around(*some, threshold.operator, shape.warp_lanes) for some in together)
    return found * times


def _most_around(numbers: Array, active: Array, operator: str, warp_lanes: int) -> int:
    """How many warps one number parts at most: between the least and the greatest of their lanes,
    or one of several for `==`."""
    rows, lanes = numbers.reshape(-1, warp_lanes), active.reshape(-1, warp_lanes)
    limits = np.iinfo(np.int64)
    low = np.where(lanes, rows, limits.max).min(axis=1)
    high = np.where(lanes, rows, limits.min).max(axis=1)
    apart = low < high
    if operator in ("==", "!="):
        ordered = np.sort(np.where(lanes, rows, low[:, None])[apart], axis=1)
        first = np.ones_like(ordered, bool)
        first[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
        return int(np.unique(ordered[first], return_counts=True)[1].max(initial=0))
    starts, ends = np.sort(low[apart]), np.sort(high[apart])
    open_ = np.searchsorted(starts, starts, "right") - np.searchsorted(ends, starts, "right")
    return int(open_.max(initial=0))


def _disagree(some: Array, others: Array) -> Array:
    """By row, whether it has lanes of both."""
    return np.asarray(some.any(axis=1) & others.any(axis=1))
