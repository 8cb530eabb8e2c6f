"""Which global memory the accesses of one block touch, and what of it earlier accesses of the block
have touched already.

In: the byte offsets of an access under its mask. Out: `Touched` per access and object: distinct
sectors of one block that is like all others of its set, those among them that no earlier access of
the block touched, and the span that all blocks touch. Of stores, those that no earlier store of the
same warp touched: the stores of other warps do not meet in L1. What mixes blocks with lanes so that
blocks differ is looked at for the middle block of the set: these figures feed the estimate of time,
never a count.
"""

from __future__ import annotations

from math import prod

import numpy as np

from kernlint.base.dataclass import dataclass, field
from kernlint.execution.counting.requests import Shape
from kernlint.execution.values.booleans import Bool, dense_bool, positive
from kernlint.execution.values.sums import (
    BLOCK,
    LANE,
    Array,
    Key,
    Sum,
    TooDense,
    aligned,
    dense,
    union,
)
from kernlint.execution.values.values import Value, bounds
from kernlint.ir import nodes as ir

MOST_ENTRIES = 1 << 20  # addresses of one block looked at for one access
MOST_FLAGS = 1 << 23  # sectors of a span that is marked off in an array of flags


@dataclass(slots=True)
class Touched:
    """Sums over all blocks, in sectors; `fresh`: not touched before by the same block, `by_warps`:
    not by the same warp. `low` and `high`: bytes from the object's base that the launch's accesses
    lie between. `unknown`: some execution could not be followed."""

    distinct: float = 0.0
    fresh: float = 0.0
    by_warps: float = 0.0
    low: int = 0
    high: int = 0
    blocks: int = 0
    unknown: bool = False

    def add(self, other: Touched) -> None:
        spans = [t for t in (self, other) if t.blocks]
        self.low, self.high = (
            min((t.low for t in spans), default=0),
            max((t.high for t in spans), default=0),
        )
        self.distinct += other.distinct
        self.fresh += other.fresh
        self.by_warps += other.by_warps
        self.blocks += other.blocks
        self.unknown |= other.unknown


# the first and the last byte that any lane may touch, from the object's start; None: not known
Reach = tuple[int, int] | None


def farther(one: Reach, other: Reach) -> Reach:
    return None if one is None or other is None else (min(one[0], other[0]), max(one[1], other[1]))


@dataclass(slots=True)
class Footprint:
    """What one set of blocks touches: by access, and per object the sectors that its middle block
    has touched so far."""

    by_site: dict[tuple[ir.AccessSite, ir.MemoryObject], Touched] = field(default_factory=dict)
    # of shared arrays; None: of any
    reached: dict[tuple[ir.AccessSite, ir.MemoryObject | None], Reach] = field(default_factory=dict)
    # (object, stores, by warps)
    seen: dict[tuple[ir.MemoryObject, bool, bool], Array] = field(default_factory=dict)

    def note(
        self,
        site: ir.AccessSite,
        object_: ir.MemoryObject,
        offset: Sum,
        mask: Bool,
        shape: Shape,
        sector_bytes: int,
    ) -> None:
        """One execution of `site` at `offset` bytes from the object's base (for all iterations of
        the axes in scope)."""
        touched = self.by_site.setdefault((site, object_), Touched())
        width = max((at + size for at, size in site.pieces), default=1)
        pairs = _pairs(offset, mask, shape, width, sector_bytes)
        if pairs is None:
            touched.unknown = True
            return
        warps = _warps(shape)
        sectors = pairs if warps == 1 else _distinct(pairs // warps) if len(pairs) else pairs
        stored = site.op == "store"
        fresh, by_warps = (
            self._new((object_, stored, False), sectors),
            self._new((object_, stored, True), pairs),
        )
        blocks = _executing(mask, shape)
        touched.add(
            Touched(
                len(sectors) * blocks,
                fresh * blocks,
                by_warps * blocks,
                offset.low,
                offset.high + width,
                blocks,
            )
        )

    def _new(self, key: tuple[ir.MemoryObject, bool, bool], numbers: Array) -> int:
        """How many of the numbers had not been seen under the key."""
        before = self.seen.get(key)
        if before is None:
            self.seen[key] = numbers
            return len(numbers)
        new = np.setdiff1d(numbers, before, assume_unique=True)
        if len(new):
            self.seen[key] = np.union1d(before, new)
        return len(new)

    def reach(
        self,
        site: ir.AccessSite,
        object_: ir.MemoryObject,
        address: Value,
        mask: Bool,
        shape: Shape,
    ) -> None:
        """One execution of an access to a shared array, wherever its lanes may be."""
        width = max((at + size for at, size in site.pieces), default=1)
        offset = Value(
            address.known,
            {atom: times for atom, times in address.terms.items() if atom.base is not object_},
        )
        low, high = bounds(offset)
        found = None if low is None or high is None else (low, high + width - 1)
        if (
            found is not None
            and object_.size is not None
            and not offset.terms
            and not (found[0] >= 0 and found[1] < object_.size)
        ):
            found = _masked(address.known, mask, shape, width, found)
        key = (site, object_)
        self.reached[key] = farther(self.reached[key], found) if key in self.reached else found

    def forget(self, site: ir.AccessSite, object_: ir.MemoryObject) -> None:
        """An execution whose addresses are not known."""
        self.by_site.setdefault((site, object_), Touched()).unknown = True


def _masked(
    offset: Sum, mask: Bool, shape: Shape, width: int, most: tuple[int, int]
) -> tuple[int, int]:
    """The bytes that active lanes touch; `most` where that is too much to look at."""
    try:
        key = union(offset.key, mask.key)
        full = tuple(shape.sizes[axis] for axis in key)
        if prod(full) > MOST_FLAGS:
            return most
        used = np.broadcast_to(dense(offset, key)[1], full)[
            np.broadcast_to(dense_bool(mask, key)[1], full)
        ]
    except TooDense:
        return most
    return (int(used.min()), int(used.max()) + width - 1) if len(used) else (0, 0)


def _executing(mask: Bool, shape: Shape) -> int:
    """Blocks of the set that execute, as far as that is decided for whole blocks."""
    whole = mask.factors.get((BLOCK,)) if not mask.negated else None
    return int(whole.sum()) if whole is not None else len(shape.blocks)


def _warps(shape: Shape) -> int:
    return -(-shape.sizes[LANE] // shape.warp_lanes)


def _pairs(offset: Sum, mask: Bool, shape: Shape, width: int, sector_bytes: int) -> Array | None:
    """The distinct sectors that each warp of the middle executing block touches, as sector times
    warps plus warp, sorted; None where they are too many to look at."""
    mask = positive(mask)
    whole = mask.factors.get((BLOCK,))
    executing = np.flatnonzero(whole) if whole is not None else np.arange(len(shape.blocks))
    if mask.empty or not len(executing):
        return np.zeros(0, np.int64)
    block = int(executing[len(executing) // 2])
    parts = [_of_block(key, array, block) for key, array in offset.parts.items()]
    factors = [_of_block(key, array, block) for key, array in mask.factors.items()]
    key = union(*(k for k, _ in (*parts, *factors)), (LANE,))
    full = tuple(shape.sizes[axis] for axis in key)
    if prod(full) > MOST_ENTRIES:
        return None
    address: Array = np.full((1,) * len(key), offset.const, np.int64)
    for part_key, array in parts:
        address = address + aligned(array, part_key, key)
    active: Array = np.ones((1,) * len(key), np.bool_)
    for factor_key, flags in factors:
        active = active & aligned(flags, factor_key, key)
    lanes, some = np.broadcast_to(address, full), np.broadcast_to(active, full)
    used = lanes[some]
    if not len(used):
        return np.zeros(0, np.int64)
    warps = _warps(shape)
    warp = np.broadcast_to(np.arange(full[-1]) // shape.warp_lanes, full)[some]
    first = _distinct(used // sector_bytes * warps + warp)
    if sector_bytes % width == 0 and not np.any(used % width):  # none lies in two
        return first
    return np.union1d(first, _distinct((used + width - 1) // sector_bytes * warps + warp))


def _of_block(key: Key, array: Array, block: int) -> tuple[Key, Array]:
    """The array for one block."""
    if BLOCK not in key:
        return key, array
    at = key.index(BLOCK)
    return tuple(axis for axis in key if axis != BLOCK), np.take(
        array, block if array.shape[at] > 1 else 0, axis=at
    )


def _distinct(numbers: Array) -> Array:
    low, high = int(numbers.min()), int(numbers.max())
    if high - low >= min(MOST_FLAGS, 64 * len(numbers) + 1024):
        return np.unique(numbers)
    flags = np.zeros(high - low + 1, np.bool_)
    flags[numbers - low] = True
    return np.flatnonzero(flags) + low
