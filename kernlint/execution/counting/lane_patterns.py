"""Which lanes of a warp take which path where a condition divides them.

In: the mask of the lanes that evaluate a condition and those of its paths, over lanes, blocks and
iterations. Out: patterns, with how many evaluations have each and by which warps of a block. Never
samples: where there are too many rows or patterns, the rest is left out whole.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from kernlint.base.dataclass import dataclass, field
from kernlint.execution.counting.requests import Shape, batches, outer_rows, warp_rows
from kernlint.execution.values.booleans import Bool, positive
from kernlint.execution.values.sums import DENSE_LIMIT, LANE, ZERO, Array, union
from kernlint.model.facts import AWAY, LanePattern

# of the paths: 0 where no condition holds, 1 where the first does
LETTERS = "0123456789abcdefghijklmnopqrstuvwxyz"
MOST_KEPT = 1024  # patterns of one branch
MOST_LISTED = 64


@dataclass(slots=True)
class LanePatterns:
    """By pattern, a letter per lane, and by the warp of the block: how often warps evaluated a
    condition so. `by_lane`: whether it ever depended on the lane."""

    times: dict[str, dict[int, int]] = field(default_factory=dict)
    by_lane: bool = False

    def add(self, lanes: str, warp: int, times: int) -> None:
        if lanes in self.times or len(self.times) < MOST_KEPT:
            warps = self.times.setdefault(lanes, {})
            warps[warp] = warps.get(warp, 0) + times

    def merge(self, other: LanePatterns) -> LanePatterns:
        """Grown by the other."""
        self.by_lane |= other.by_lane
        for lanes, warps in other.times.items():
            for warp, times in warps.items():
                self.add(lanes, warp, times)
        return self


def note(into: LanePatterns, mask: Bool, paths: Sequence[Bool], shape: Shape) -> None:
    """One evaluation by the lanes of `mask`: those of a path (no two of which overlap) take it."""
    if mask.empty or len(paths) >= len(LETTERS):
        return
    taken = next((number for number, path in enumerate(paths, 1) if path is mask), 0)
    if taken or all(path.empty for path in paths):
        _note_alike(into, mask, LETTERS[taken], shape)
        return
    mask, paths = positive(mask), [positive(path) for path in paths]
    deciding = [
        key
        for path in paths
        for key, factor in path.factors.items()
        if factor is not mask.factors.get(key)
    ]
    into.by_lane |= any(LANE in key for key in deciding)
    joint, times = outer_rows(mask, Bool({union(*deciding, (LANE,)): np.zeros(0)}), shape)
    key = (*joint, LANE)
    full = tuple(shape.sizes[axis] for axis in key)
    if math.prod(full) > DENSE_LIMIT:
        return
    rows = [warp_rows(some, key, full, shape.warp_lanes) for some in (mask, *paths)]
    count(into, rows[0], rows[1:], shape.sizes[LANE] // shape.warp_lanes, times)


def _note_alike(into: LanePatterns, mask: Bool, path: str, shape: Shape) -> None:
    for lanes, warp, times in _of_mask(mask, tuple(shape.sizes.items()), shape.warp_lanes):
        into.add(lanes.replace(LETTERS[0], path), warp, times)


@lru_cache(maxsize=8)  # the branches of one body share their mask
def _of_mask(
    mask: Bool, sizes: tuple[tuple[int, int], ...], warp_lanes: int
) -> tuple[tuple[str, int, int], ...]:
    """(lanes, warp, times) of the lanes of a mask that all take path 0."""
    found, warps = LanePatterns(), dict(sizes)[LANE] // warp_lanes
    for batch in batches(ZERO, mask, Shape(dict(sizes), warp_lanes, np.zeros(0, np.int64)), 1):
        count(found, batch.active, (), warps, sum(batch.counts), batch.index % warps)
    return tuple(
        (lanes, warp, times)
        for lanes, by_warp in found.times.items()
        for warp, times in by_warp.items()
    )


def count(
    into: LanePatterns,
    active: Array,
    paths: Sequence[Array],
    warps: int,
    times: int,
    warp: Array | None = None,
) -> None:
    """Adds the rows (bool [rows, lanes]) of the lanes that come and of those that take each path.
    `warp`: of the block, of each row; the warps of a block one after the other where it is not
    given."""
    alive = np.flatnonzero(active.any(axis=1))
    if not times or not len(alive):
        return
    rows = active[alive].astype(np.uint8)
    for number, path in enumerate(paths, 2):
        rows[path[alive] & active[alive]] = number
    distinct, which = _distinct(rows, 1 + len(paths))
    of_warp = alive % warps if warp is None else warp[alive]
    often = np.bincount(which * warps + of_warp, minlength=len(distinct) * warps).reshape(-1, warps)
    for row, counts in zip(distinct, often, strict=True):
        lanes = "".join((AWAY + LETTERS)[path] for path in row)
        for one in np.flatnonzero(counts):
            into.add(lanes, int(one), int(counts[one]) * times)


def _distinct(rows: Array, highest: int) -> tuple[Array, Array]:
    """The distinct rows of numbers up to `highest` in the order in which they come, and which of
    them each row is."""
    planes = [np.packbits(rows >> bit & 1, axis=1) for bit in range(highest.bit_length())]
    packed = np.concatenate(planes, axis=1)
    padded = np.zeros((len(rows), -(-packed.shape[1] // 8) * 8), np.uint8)
    padded[:, : packed.shape[1]] = packed
    words = padded.view(np.uint64)
    if words.shape[1] == 1:
        _, first, which = np.unique(words[:, 0], return_index=True, return_inverse=True)
    else:
        _, first, which = np.unique(words, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return rows[first[order]], place[which.reshape(-1)]


def listed(found: LanePatterns) -> tuple[LanePattern, ...]:
    """The most frequent ones, in the order in which they come; none of a condition that never
    depended on the lane."""
    if not found.by_lane:
        return ()
    patterns = [
        LanePattern(lanes, sum(warps.values()), tuple(sorted(warps)))
        for lanes, warps in found.times.items()
    ]
    frequent = sorted(range(len(patterns)), key=lambda number: -patterns[number].evaluations)[
        :MOST_LISTED
    ]
    return tuple(patterns[number] for number in sorted(frequent))
