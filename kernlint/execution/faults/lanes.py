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
from kernlint.execution.faults.chosen_blocks import with_partners
from kernlint.execution.faults.order import Event, OrderMark
from kernlint.execution.values.booleans import Bool, positive
from kernlint.execution.values.sums import BLOCK, LANE, Array, Key, Sum, TooDense, aligned
from kernlint.ir import nodes as ir

MOST_PLACES = 1 << 20  # entries looked at together
_Columns = tuple[Array | int, ...]  # of `Lanes`; a number is that of all entries
# of the begin and of the end of a loop that has more than can be looked at; fewer where loops are
# nested
END_ITERATIONS = (4, 2, 1)


@dataclass(frozen=True, slots=True)
class EventSet:
    """The events of a set of blocks, in the order of the program. `complete`: none is missing; `marks`:
    between them."""

    events: Sequence[Event]
    shape: Shape
    complete: bool
    marks: Sequence[OrderMark] = ()
    # by scope, the number of each thread's group (`order.Order.apart`)
    groups: Mapping[str, Array] = field(default_factory=dict)
    # of loops that are stepped, each with how many events come before it
    iterations: Sequence[tuple[int, ir.Loop]] = ()


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
    pieces = (piece for some in {event.pieces for event in events} for piece in some)
    return math.gcd(*(number for piece in pieces for number in piece)) or 1


def lanes_of(
    sets: Sequence[NumberedEvents], sure: bool, unit: int, across: int, wanted: int = MOST_PLACES
) -> tuple[Lanes, bool] | None:
    """The entries of some blocks of each set, by units of `unit` bytes; `sure`: of lanes that make
    the access whatever the data. `across`: blocks along x of the grid, 0 where blocks are looked at
    each alone, so that one of many alike stands for all. `wanted`: entries from which on iterations
    are left out. With whether all of them are there; None where nothing is accessed. Raises
    TooDense where there is too much to look at."""
    found: list[tuple[int, _Columns]] = []
    total, whole = 0, True
    events = max(1, sum(len(some.numbered) for some in sets))
    for some, blocks in zip(sets, _blocks(sets, across), strict=True):
        for number, event in some.numbered:
            entries = events * max(1, len(blocks))
            cut = _Cut(event, some.shape, wanted // entries, MOST_PLACES // entries)
            whole = whole and cut.whole
            for block in blocks:
                for count, columns in _entries(number, event, cut, some, block, sure, unit):
                    total += count
                    found.append((count, columns))
                if total > MOST_PLACES:
                    raise TooDense
    return (_table(found, total), whole) if total else None


def _table(found: Sequence[tuple[int, _Columns]], total: int) -> Lanes:
    counts = [count for count, _ in found]
    every = zip(*(entries for _, entries in found), strict=True)
    return Lanes(*(_column(entries, counts, total) for entries in every))


def _column(entries: _Columns, counts: Sequence[int], total: int) -> Array:
    first = entries[0]
    if all(not isinstance(one, np.ndarray) and one == first for one in entries):
        return np.broadcast_to(np.array(first), total)  # takes no room
    column = np.empty(total, np.int64)
    at = 0
    for count, values in zip(counts, entries, strict=True):
        column[at : at + count] = values
        at += count
    return column


def _blocks(sets: Sequence[NumberedEvents], across: int) -> Sequence[list[int]]:
    """Positions of the blocks that are looked at, by set; the first alone where blocks are alike and
    each is looked at alone."""
    if across:
        events = [([event for _, event in some.numbered], some.shape) for some in sets]
        return with_partners(events, across)
    return [_looked_at_alone(some) for some in sets]


def _looked_at_alone(some: NumberedEvents) -> list[int]:
    last = len(some.shape.blocks) - 1
    alike = not any(BLOCK in key for _, event in some.numbered for key in _keys(event))
    return [0] if alike else sorted({0, min(1, last), last // 2, last})


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
    """The iterations of an event that are looked at: `taken`, by axis, positions. `wanted`: entries of
    one loop from which on iterations are left out; `most`: entries of all loops together."""

    def __init__(self, event: Event, shape: Shape, wanted: int, most: int) -> None:
        axes = {axis for key in _keys(event) for axis in key if axis != BLOCK}
        self.key: Key = tuple(sorted({LANE, *axes}))
        lanes = shape.sizes[LANE]
        counts = {axis: lanes if axis == LANE else event.axes[axis] for axis in self.key}
        self.taken = {axis: np.arange(count) for axis, count in counts.items()}
        self.left_out: set[int] = set()
        loops = [axis for axis in self.key if axis != LANE]
        for axis in loops:
            if lanes * counts[axis] > wanted:
                self._leave_out(axis, END_ITERATIONS[0])
        if self._entries() > most:
            for ends in END_ITERATIONS:
                for axis in sorted(loops, key=counts.__getitem__, reverse=True):
                    if self._entries() > wanted:
                        self._leave_out(axis, ends)
        self.extents = tuple(len(self.taken[axis]) for axis in self.key)

    def _entries(self) -> int:
        return math.prod(map(len, self.taken.values()))

    def _leave_out(self, axis: int, ends: int) -> None:
        taken = self.taken[axis]
        if len(taken) > 2 * ends:
            self.taken[axis] = np.concatenate((taken[:ends], taken[-ends:]))
            self.left_out.add(axis)

    @property
    def whole(self) -> bool:
        return not self.left_out

    def sum(self, value: Sum, block: int) -> Array:
        total: Array = np.full((1,) * len(self.key), value.const, np.int64)
        for own, array in value.parts.items():
            total = total + self._part(array, own, block)
        return total

    def mask(self, mask: Bool, block: int) -> Array:
        mask = positive(mask)
        active: Array = np.full((1,) * len(self.key), not mask.empty)
        for own, array in mask.factors.items():
            active = active & self._part(array, own, block)
        return active

    def _part(self, array: Array, own: Key, block: int) -> Array:
        """An array over `own` axes for one block and the positions that are looked at."""
        for at, axis in enumerate(own):
            if array.shape[at] > 1 and (axis == BLOCK or axis in self.left_out):
                where: Any = [block] if axis == BLOCK else self.taken[axis]
                array = np.take(array, where, axis=at)
        if BLOCK in own:
            array = array.squeeze(own.index(BLOCK))
        return aligned(array, tuple(axis for axis in own if axis != BLOCK), self.key)


def _entries(
    number: int, event: Event, cut: _Cut, among: NumberedEvents, block: int, sure: bool, unit: int
) -> list[tuple[int, _Columns]]:
    """How many entries, and their columns, for each unit of the access."""
    active = cut.mask(event.must if sure else event.may, block)
    some = None if active.all() else np.broadcast_to(active, cut.extents)

    def active_ones(values: Array) -> Array:
        every = np.broadcast_to(values, cut.extents)
        return every.reshape(-1) if some is None else every[some]

    def column(value: Sum) -> Array | int:
        return active_ones(cut.sum(value, block)) if value.parts else value.const

    ones = (1,) * (len(cut.key) - 1)
    lane = active_ones(cut.taken[LANE].reshape((*ones, -1)))
    offset = column(event.offset)
    value = 0 if event.value is None else column(event.value)
    passed = [column(one) for one in event.passed.of_memory(event.target.space)]
    groups = [_of_groups(among.groups.get(scope), lane) for scope in ("named", "tile")]
    same = number, int(among.shape.blocks[block]), lane
    ends = *passed, *groups, event.kind, value, event.value is not None
    steps = [at + step for at, width in event.pieces for step in range(0, width, unit)]
    return [(len(lane), (*same, (offset + step) // unit, *ends)) for step in steps]


def _of_groups(groups: Array | None, lanes: Array) -> Array | int:
    return 0 if groups is None else groups[lanes]
