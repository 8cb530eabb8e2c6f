"""Warp requests from lane values: which rows of lanes execute, at which offsets, how often.

In: a mask and a byte-offset `Sum` over lanes, blocks and iterations. Out: `Batch`es of rows [n,
warp lanes] with multiplicities. Blocks and iterations that only shift all lanes together collapse
to their residue; only what mixes with lanes is enumerated.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import lru_cache

import numpy as np

from kernlint.base.dataclass import dataclass
from kernlint.execution.values.booleans import Bool, positive
from kernlint.execution.values.sums import BLOCK, LANE, ZERO, Array, Key, Sum, aligned

ROW_CHUNK = 1 << 21  # lane entries handled at once
MOST_RESIDUES = 1 << 16  # that are counted without being sorted
STRETCH = 1 << 16  # positions looked at together: residues that occur mostly do so early


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows of one warp request each. Every row occurs once for each entry of `shifts` (added to all
    lanes), times `counts` of it."""

    offsets: Array  # int64 [rows, lanes]
    active: Array  # bool [rows, lanes]
    shifts: tuple[int, ...]
    counts: tuple[int, ...]
    index: Array  # of each row among all joint rows: (joint outer axes, warp of the block)
    joint: Key = ()
    extents: tuple[int, ...] = ()  # of the joint axes

    def place(self, row: int, warps: int) -> tuple[int | None, int]:
        """(position of the row's block among the blocks, None when it stands for several; warp of
        the block)."""
        outer, warp = divmod(int(self.index[row]), warps)
        if BLOCK not in self.joint:
            return None, warp
        return int(np.unravel_index(outer, self.extents)[self.joint.index(BLOCK)]), warp


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of the axes in scope (LANE's is a multiple of `warp_lanes`)."""

    sizes: Mapping[int, int]
    warp_lanes: int
    blocks: Array  # linear index in the grid of each block along BLOCK


def components(keys: list[Key]) -> list[set[int]]:
    """The axes of `keys`, grouped so that axes sharing a key are together."""
    groups: list[set[int]] = []
    for key in keys:
        touching = [g for g in groups if g & set(key)]
        merged = set(key).union(*touching)
        groups = [g for g in groups if g not in touching] + [merged]
    return groups


def _partition(offset: Sum, mask: Bool) -> tuple[Key, list[set[int]]]:
    """(joint outer axes that mix with lanes, groups of the other axes that occur)."""
    keys = [*offset.parts, *mask.factors]
    joint = {axis for key in keys if LANE in key for axis in key if axis != LANE}
    groups = components([key for key in keys if LANE not in key])
    for group in [g for g in groups if g & joint]:
        joint |= group
        groups.remove(group)
    return tuple(sorted(joint)), groups


def _histogram(
    offset: Sum, mask: Bool, groups: list[set[int]], shape: Shape, period: int
) -> dict[int, int]:
    """Residues of the shifts that the axes in `groups` cause, with counts."""
    found = {0: 1}
    for group in groups:
        key = tuple(sorted(group))
        full = tuple(shape.sizes[axis] for axis in key)
        shift, active = of_group(offset, mask, group)
        residues = np.broadcast_to(shift % period, full)[np.broadcast_to(active, full)]
        merged: dict[int, int] = {}
        for a, n in found.items():
            for b, m in _counts(residues, period):
                r = (a + b) % period
                merged[r] = merged.get(r, 0) + n * m
        found = merged
    return found


def _counts(residues: Array, period: int) -> list[tuple[int, int]]:
    """How often each occurs. Sorting those of a grid of millions of blocks would take seconds."""
    if period <= MOST_RESIDUES:
        counts = np.bincount(residues)
        values = np.flatnonzero(counts)
        return list(zip(values.tolist(), counts[values].tolist(), strict=True))
    values, counts = np.unique(residues, return_counts=True)
    return list(zip(values.tolist(), counts.tolist(), strict=True))


def _firsts(residues: Array, period: int) -> list[int]:
    """The first position of each."""
    if period > MOST_RESIDUES:
        return sorted(np.unique(residues, return_index=True)[1].tolist())
    wanted, found = np.bincount(residues, minlength=period) > 0, list[int]()
    for start in range(0, len(residues), STRETCH):
        stretch = residues[start : start + STRETCH]
        firsts = np.full(period, -1, np.int64)
        firsts[stretch[::-1]] = np.arange(len(stretch) - 1, -1, -1)  # the last one stays
        found += (firsts[wanted & (firsts >= 0)] + start).tolist()
        wanted[stretch] = False
        if not wanted.any():
            break
    return sorted(found)


def batches(offset: Sum, mask: Bool, shape: Shape, period: int) -> Iterator[Batch]:
    """All warp requests of an access with byte offsets `offset` under `mask`; shifts are residues
    modulo `period`."""
    if mask.empty:
        return
    mask = positive(mask)
    if mask.empty:
        return
    joint, groups = _partition(offset, mask)
    histogram = _histogram(offset, mask, groups, shape, period)
    free = math.prod(
        n
        for axis, n in shape.sizes.items()
        if axis != LANE and axis not in joint and not any(axis in g for g in groups)
    )
    if not histogram:
        return
    shifts, counts = tuple(histogram), tuple(n * free for n in histogram.values())
    yield from _rows(offset, mask, joint, shape, shifts, counts)


@dataclass(frozen=True, slots=True)
class Move:
    """By how much one execution moves all lanes, in bytes, and the position of its block among the
    blocks: the first that does so; None where every block does."""

    shift: int
    block: int | None


def first_moves(offset: Sum, mask: Bool, shape: Shape, unit: int) -> dict[int, Move]:
    """By the residue modulo `unit` of what the blocks and iterations that do not mix with lanes
    add to all lanes: the first of those executions."""
    mask = positive(mask)
    _, groups = _partition(offset, mask)
    found = {0: Move(0, None)}
    for group in groups:
        merged: dict[int, Move] = {}
        for one in _group_moves(offset, mask, group, shape, unit):
            for before in found.values():
                block = before.block if one.block is None else one.block
                move = Move(before.shift + one.shift, block)
                residue = move.shift % unit
                known = merged.get(residue)
                earlier = known is not None and (known.block or 0) <= (block or 0)
                if not earlier:
                    merged[residue] = move
        found = merged
    return found


def _group_moves(
    offset: Sum, mask: Bool, group: set[int], shape: Shape, unit: int
) -> Iterator[Move]:
    """The first executions of the axes in `group` under `mask` for each residue, by block."""
    key = tuple(sorted(group))
    full = tuple(shape.sizes[axis] for axis in key)
    shift, active = of_group(offset, mask, group)
    if key == (BLOCK,) and active.all():  # as most of a grid of millions of blocks is
        for first in _firsts(np.broadcast_to(shift, full) % unit, unit):
            yield Move(int(shift[first if len(shift) > 1 else 0]), first)
        return
    places = np.flatnonzero(np.broadcast_to(active, full))
    blocks = np.unravel_index(places, full)[key.index(BLOCK)] if BLOCK in key else None
    if blocks is not None and len(key) > 1:
        order = np.argsort(blocks, kind="stable")
        places, blocks = places[order], blocks[order]
    shifts = np.broadcast_to(shift, full).reshape(-1)[places]
    for first in _firsts(shifts % unit, unit):
        yield Move(int(shifts[first]), None if blocks is None else int(blocks[first]))


def of_group(offset: Sum, mask: Bool, group: set[int]) -> tuple[Array, Array]:
    """What the axes in `group` add to all lanes, and whether they are active: arrays over the
    sorted axes, of length 1 along those that they do not depend on."""
    key = tuple(sorted(group))
    shift = np.zeros((1,) * len(key), dtype=np.int64)
    for k, array in offset.parts.items():
        if set(k) <= group:
            shift = shift + aligned(array, k, key)
    active = np.ones((1,) * len(key), dtype=bool)
    for k, factor in mask.factors.items():
        if set(k) <= group:
            active = active & aligned(factor, k, key)
    return shift, active


def _rows(
    offset: Sum,
    mask: Bool,
    joint: Key,
    shape: Shape,
    shifts: tuple[int, ...],
    counts: tuple[int, ...],
) -> Iterator[Batch]:
    lanes, width = shape.sizes[LANE], shape.warp_lanes
    key = (*joint, LANE)
    allowed = set(key)
    full = tuple(shape.sizes[axis] for axis in key)
    parts = [aligned(array, k, key) for k, array in offset.parts.items() if set(k) <= allowed]
    factors = [aligned(array, k, key) for k, array in mask.factors.items() if set(k) <= allowed]
    outer = math.prod(full[:-1])
    step = max(1, (ROW_CHUNK // max(1, outer * lanes // full[0])) if joint else 1)
    per_first = outer // full[0] * (lanes // width) if joint else lanes // width
    for start in range(0, full[0] if joint else 1, step):
        cut = slice(start, start + step)

        def piece(array: Array, cut: slice = cut) -> Array:
            return array[cut] if joint and array.shape[0] > 1 else array

        shape_here = (min(step, full[0] - start), *full[1:]) if joint else full
        address: Array = np.full((1,) * len(key), offset.const, dtype=np.int64)
        for part in parts:
            address = address + piece(part)
        active: Array = np.ones((1,) * len(key), dtype=bool)
        for factor in factors:
            active = active & piece(factor)
        rows = np.broadcast_to(address, shape_here).reshape(-1, width)
        flags = np.broadcast_to(active, shape_here).reshape(-1, width)
        alive = flags.any(axis=1)
        if not alive.all():
            if not alive.any():
                continue
            yield Batch(
                rows[alive],
                flags[alive],
                shifts,
                counts,
                start * per_first + np.flatnonzero(alive),
                joint,
                full[:-1],
            )
            continue
        yield Batch(
            rows, flags, shifts, counts, start * per_first + np.arange(len(rows)), joint, full[:-1]
        )


def executions(mask: Bool, shape: Shape) -> tuple[int, int]:
    """(warp executions with an active lane, lane executions) under `mask`."""
    return _executions(mask, tuple(shape.sizes.items()), shape.warp_lanes)


@lru_cache(maxsize=8)  # the accesses and branches of one body share their mask
def _executions(mask: Bool, sizes: tuple[tuple[int, int], ...], warp_lanes: int) -> tuple[int, int]:
    shape = Shape(dict(sizes), warp_lanes, np.zeros(0, np.int64))
    requests = lanes = 0
    for batch in batches(ZERO, mask, shape, 1):
        times = sum(batch.counts)
        requests += len(batch.active) * times
        lanes += int(batch.active.sum()) * times
    return requests, lanes


def divergent(mask: Bool, taken: Bool, shape: Shape, began: Bool | None = None) -> int:
    """Warp executions of `mask` in which some active lanes are in `taken` and some are not.

    `began`: a superset of `mask`; warps of which only some lanes are left in `mask` have diverged
    before and do not count again.
    """
    if taken.empty or taken.is_true or mask.empty:
        return 0
    mask, taken = positive(mask), positive(taken)
    began = mask if began is None else positive(began)
    if not any(LANE in key for key in taken.factors):
        return 0
    joint, _ = _partition(
        ZERO, Bool(dict.fromkeys((*mask.factors, *taken.factors, *began.factors), np.zeros(0)))
    )
    key = (*joint, LANE)
    full = tuple(shape.sizes[a] for a in key)
    inner_mask: Array = np.ones((1,) * len(key), dtype=bool)
    inner_taken = inner_mask
    outer_mask: dict[Key, Array] = {}
    for k, f in mask.factors.items():
        if set(k) <= set(key):
            inner_mask = inner_mask & aligned(f, k, key)
        else:
            outer_mask[k] = f
    for k, f in taken.factors.items():
        if set(k) <= set(key):
            inner_taken = inner_taken & aligned(f, k, key)
        else:  # where it is false no lane is taken: not divergent
            outer_mask[k] = outer_mask[k] & f if k in outer_mask else f
    inner_began: Array = np.ones((1,) * len(key), dtype=bool)
    for k, f in began.factors.items():
        if set(k) <= set(key):
            inner_began = inner_began & aligned(f, k, key)
    gone = (
        np.broadcast_to(inner_began & ~inner_mask, full).reshape(-1, shape.warp_lanes).any(axis=1)
    )
    some = np.broadcast_to(inner_mask & inner_taken, full).reshape(-1, shape.warp_lanes).any(axis=1)
    others = (
        np.broadcast_to(inner_mask & ~inner_taken, full).reshape(-1, shape.warp_lanes).any(axis=1)
    )
    rows = int((some & others & ~gone).sum())
    histogram = _histogram(ZERO, Bool(outer_mask), components(list(outer_mask)), shape, 1)
    covered = {a for k in outer_mask for a in k}
    free = math.prod(
        n for a, n in shape.sizes.items() if a != LANE and a not in joint and a not in covered
    )
    return rows * sum(histogram.values()) * free


def outer_rows(mask: Bool, began: Bool, shape: Shape) -> tuple[Key, int]:
    """(the axes that mix with lanes in either mask, how often `mask` holds over all the others)."""
    joint, _ = _partition(ZERO, Bool(dict.fromkeys((*mask.factors, *began.factors), np.zeros(0))))
    outer = {k: f for k, f in mask.factors.items() if not set(k) <= {*joint, LANE}}
    histogram = _histogram(ZERO, Bool(outer), components(list(outer)), shape, 1)
    covered = {axis for k in outer for axis in k}
    free = math.prod(
        n
        for axis, n in shape.sizes.items()
        if axis != LANE and axis not in joint and axis not in covered
    )
    return joint, sum(histogram.values()) * free


def warp_rows(mask: Bool, key: Key, full: tuple[int, ...], width: int) -> Array:
    """The lanes of `mask` by warp, over the axes in `key`: bool [rows, width]."""
    found: Array = np.ones((1,) * len(key), dtype=bool)
    if mask.empty:
        found[...] = False
    for k, factor in mask.factors.items():
        if set(k) <= set(key):
            found = found & aligned(factor, k, key)
    return np.broadcast_to(found, full).reshape(-1, width)
