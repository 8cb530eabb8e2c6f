"""In how many warp executions the lanes of a warp disagree over a condition, where data decides it
or who is there.

In: a mask and a condition, either known or not. Out: how many surely and how many may. Never
tallies.
"""

from __future__ import annotations

import math

import numpy as np

from kernlint.execution.counting.requests import Shape, executions
from kernlint.execution.values.booleans import Bool, Condition, dense_bool
from kernlint.execution.values.masks import Mask
from kernlint.execution.values.sums import DENSE_LIMIT, LANE, Array, TooDense, union


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


def _disagree(some: Array, others: Array) -> Array:
    """By row, whether it has lanes of both."""
    return np.asarray(some.any(axis=1) & others.any(axis=1))
