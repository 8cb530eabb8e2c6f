"""Accesses of single lanes: the events of some blocks as a table.

In: events with the shape of their set of blocks. Out: `Lanes`, one entry for each lane, each
iteration and each unit of memory that it touches. Long loops and large sets of blocks are looked at
in part.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from kernlint.base.dataclass import dataclass, field
from kernlint.execution.counting.requests import Shape
from kernlint.execution.faults.order import Event, Mark
from kernlint.execution.values.booleans import Bool, positive
from kernlint.execution.values.sums import BLOCK, LANE, Array, Key, Sum, TooDense, aligned

MOST_PLACES = 1 << 20  # entries looked at together
END_ITERATIONS = 4  # of the begin and of the end of a loop that has more than can be looked at


@dataclass(frozen=True, slots=True)
class EventSet:
    """The events of a set of blocks, in the order of the program. `complete`: none is missing; `marks`:
    between them."""

    events: Sequence[Event]
    shape: Shape
    complete: bool
    marks: Sequence[Mark] = ()
    # by scope, the number of each thread's group (`order.Order.apart`)
    groups: Mapping[str, Array] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Lanes:
    """One entry each: the event, the block's number in the grid, the thread's in the block, the unit
    of the object, barriers of block, warp and grid passed before, those of named threads and of the
    tile, the groups that these order, kind of access, value (0 where it is not known), and whether
    that is known."""

    event: Array
    home: Array
    lane: Array
    unit: Array
    block: Array
    warp: Array
    grid: Array
    named: Array
    tile: Array
    party: Array
    part: Array
    kind: Array
    value: Array
    known: Array

    def __getitem__(self, some: Array) -> Lanes:
        return Lanes(*(column[some] for column in self.columns()))

    def columns(self) -> tuple[Array, ...]:
        return (
            self.event,
            self.home,
            self.lane,
            self.unit,
            self.block,
            self.warp,
            self.grid,
            self.named,
            self.tile,
            self.party,
            self.part,
            self.kind,
            self.value,
            self.known,
        )


@dataclass(frozen=True, slots=True)
class NumberedEvents:
    """Events of one set that are looked at together, with their numbers among all."""

    numbered: Sequence[tuple[int, Event]]
    shape: Shape
    groups: Mapping[str, Array] = field(default_factory=dict)


def unit_of(events: Iterable[Event]) -> int:
    """The bytes that all pieces of accesses are multiples of."""
    pieces = (piece for event in events for piece in event.pieces)
    return math.gcd(*(number for piece in pieces for number in piece)) or 1


def lanes_of(
    sets: Sequence[NumberedEvents], sure: bool, unit: int, across: int, wanted: int = MOST_PLACES
) -> tuple[Lanes, bool] | None:
    """The entries of some blocks of each set, by units of `unit` bytes; `sure`: of lanes that make
    the access whatever the data. `across`: blocks along x of the grid, 0 where blocks are looked at
    each alone, so that one of many alike stands for all. `wanted`: entries from which on iterations
    are left out. With whether all of them are there; None where nothing is accessed. Raises
    TooDense where there is too much to look at."""
    found: list[tuple[Array, ...]] = []
    total, whole = 0, True
    most = wanted // max(1, sum(len(some.numbered) for some in sets))
    for some in sets:
        blocks = _blocks(some, across)
        for number, event in some.numbered:
            cut = _Cut(event, some.shape, most // max(1, len(blocks)))
            whole = whole and cut.whole
            for block in blocks:
                columns = _entries(number, event, cut, some, block, sure, unit)
                total += len(columns[0])
                if total > MOST_PLACES:
                    raise TooDense
                found.append(columns)
    if not total:
        return None
    return Lanes(*(np.concatenate(column) for column in zip(*found, strict=True))), whole


def _blocks(some: NumberedEvents, across: int) -> list[int]:
    """Positions of the blocks that are looked at: neighbours along x and y at the grid's begin, and
    the last one; the first alone where blocks are alike and each is looked at alone."""
    numbers = some.shape.blocks
    last = len(numbers) - 1
    if not across:
        alike = not any(BLOCK in key for _, event in some.numbered for key in _keys(event))
        return [0] if alike else sorted({0, min(1, last), last // 2, last})
    first = int(numbers[0])
    wanted = {first, first + 1, first + across, first + across + 1}
    return sorted({*np.flatnonzero(np.isin(numbers, list(wanted))).tolist(), last})


def _keys(event: Event) -> Iterator[Key]:
    """The axes of all that tells executions of an event apart."""
    passed = event.passed
    values = [event.offset, *passed.all]
    values += [] if event.value is None else [event.value]
    for value in values:
        yield from value.parts
    yield from event.may.factors
    yield from event.must.factors


class _Cut:
    """The iterations of an event that are looked at: `taken`, by axis, positions."""

    def __init__(self, event: Event, shape: Shape, most: int) -> None:
        axes = {axis for key in _keys(event) for axis in key if axis != BLOCK}
        self.key: Key = tuple(sorted({LANE, *axes}))
        self.taken: dict[int, Array] = {}
        self.whole = True
        for axis in self.key:
            count = shape.sizes[LANE] if axis == LANE else event.axes[axis]
            self.taken[axis] = np.arange(count)
            if axis != LANE and shape.sizes[LANE] * count > most:
                ends = (np.arange(min(count, END_ITERATIONS)), np.arange(count)[-END_ITERATIONS:])
                self.taken[axis] = np.unique(np.concatenate(ends))
                self.whole = False

    @property
    def extents(self) -> tuple[int, ...]:
        return tuple(len(self.taken[axis]) for axis in self.key)

    def sum(self, value: Sum, block: int) -> Array:
        total: Array = np.full((1,) * len(self.key), value.const, np.int64)
        for own, array in value.parts.items():
            total = total + self._part(array, own, block)
        return np.broadcast_to(total, self.extents)

    def mask(self, mask: Bool, block: int) -> Array:
        mask = positive(mask)
        active: Array = np.full((1,) * len(self.key), not mask.empty)
        for own, array in mask.factors.items():
            active = active & self._part(array, own, block)
        return np.broadcast_to(active, self.extents)

    def _part(self, array: Array, own: Key, block: int) -> Array:
        """An array over `own` axes for one block and the positions that are looked at."""
        for at, axis in enumerate(own):
            where: Any = [block] if axis == BLOCK else self.taken[axis]
            if array.shape[at] > 1:
                array = np.take(array, where, axis=at)
        if BLOCK in own:
            array = array.squeeze(own.index(BLOCK))
        return aligned(array, tuple(axis for axis in own if axis != BLOCK), self.key)


def _entries(
    number: int, event: Event, cut: _Cut, some: NumberedEvents, block: int, sure: bool, unit: int
) -> tuple[Array, ...]:
    active = cut.mask(event.must if sure else event.may, block)
    ones = (1,) * (len(cut.key) - 1)
    lane = np.broadcast_to(cut.taken[LANE].reshape((*ones, -1)), cut.extents)[active]
    count = len(lane)
    offset = cut.sum(event.offset, block)[active]
    value = _all(0, count) if event.value is None else cut.sum(event.value, block)[active]
    passed = (cut.sum(one, block)[active] for one in event.passed.all)
    groups = (_of_groups(some.groups.get(scope), lane) for scope in ("named", "tile"))
    same = (_all(number, count), _all(int(some.shape.blocks[block]), count), lane)
    ends = (*passed, *groups, _all(event.kind, count), value, _all(event.value is not None, count))
    steps = [at + step for at, width in event.pieces for step in range(0, width, unit)]
    columns = [(*same, (offset + step) // unit, *ends) for step in steps]
    if len(columns) == 1:
        return columns[0]
    return tuple(np.concatenate(column) for column in zip(*columns, strict=True))


def _of_groups(groups: Array | None, lanes: Array) -> Array:
    return _all(0, len(lanes)) if groups is None else groups[lanes]


def _all(value: int | bool, count: int) -> Array:
    """A column of equal entries, which takes no room."""
    return np.broadcast_to(np.array(value), count)
