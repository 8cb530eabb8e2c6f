"""Reads of what an asynchronous copy, of lanes or in bulk (TMA), may not have brought yet.

In: the events of all sets of blocks and the marks between them. Out: `Unwaited`s. One block's lanes
run the events again, iteration by iteration, with the groups of copies that each has under way:
a thread that waits sees its own copies, the others see them behind a barrier (PTX, cp.async). Of
long loops the first and the last iterations are run, of which the last start with no copy under way.
A bulk copy runs until a wait on its mbarrier, its `cuda::barrier` or its group says that it is complete
(PTX ISA, cp.async.bulk); which wait is whose is not followed: after any that a thread makes it may be.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

import numpy as np

from kernlint.base.dataclass import dataclass, field
from kernlint.execution.counting.requests import Shape
from kernlint.execution.faults.lanes import EventSet, unit_of
from kernlint.execution.faults.order import READ, Event, OrderMark
from kernlint.execution.values.booleans import Bool, positive
from kernlint.execution.values.sums import BLOCK, LANE, Array, Key, Sum, TooDense, add, aligned
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import walk

END_ITERATIONS = 6  # of the begin and of the end of a loop
MOST_TOGETHER = 1 << 18  # entries of an event whose loops are run at once
MOST_STEPS = 4_000  # events that are run again, of one block
MOST_UNITS = 1 << 18  # of an object that is looked at
NONE = -1

Fixed = Mapping[int, int]  # by axis, the position along it
NO_LOOP: Fixed = MappingProxyType({})
Item = Event | OrderMark


@dataclass(frozen=True, slots=True)
class Unwaited:
    """A load of what a copy may not have brought yet: the first such thread, its block's number in the
    grid, the byte, and whether it happens whatever the data."""

    object: ir.MemoryObject
    site: ir.AccessSite
    copy: ir.AccessSite
    thread: int
    block: int
    offset: int
    sure: bool


def copies_asynchronously(body: ir.Body) -> bool:
    return any(
        isinstance(s, ir.Copy) or (isinstance(s, ir.Clobber) and s.copied is not None)
        for s in walk(body)
    )


def unwaited(sets: Sequence[EventSet]) -> list[Unwaited]:
    found: dict[ir.AccessSite, Unwaited] = {}
    for one in sets:
        objects = {e.target: None for e in _copied(one)}
        own = [event for event in one.events if event.target in objects]
        if not own:
            continue
        unit = unit_of(event for event in own if event.pieces)
        for block in sorted({0, len(one.shape.blocks) - 1}):
            replay = _Replay(one.shape, block, unit, frozenset(objects))
            try:
                replay.run(_in_order(one), {})
            except TooDense:  # not decided
                continue
            for read in replay.found:
                found.setdefault(read.site, read)
    return list(found.values())


def _copied(one: EventSet) -> Iterator[Event]:
    yield from (event for event in one.events if _is_copied(event))
    yield from (mark.copy for mark in one.marks if mark.copy is not None)


def _is_copied(event: Event) -> bool:
    return event.site.op == "copy" and event.kind != READ and event.target.space == "shared"


def _in_order(one: EventSet) -> list[Item]:
    """Events and marks, without those that stand for another iteration."""
    items: list[Item] = []
    before, again = 0, 0
    for mark in one.marks:
        if not again:
            items += one.events[before : mark.at]
        before = mark.at
        again += (mark.kind == "again") - (mark.kind == "over")
        items.append(mark)
    return [*items, *one.events[before:]]


@dataclass(slots=True)
class _Copy:
    """One execution of a copy, by lane: barriers of the block and the warp passed when it was issued,
    the group it belongs to (NONE before the commit), whether it is waited for, and the barriers that
    were passed then. `bulk`: no groups tell when it is complete."""

    event: Event
    issued: tuple[Array, Array]
    group: Array
    done: Array
    waited: tuple[Array, Array]
    bulk: bool = False


@dataclass(slots=True)
class _Places:
    """Of each unit of an object the copy and the lane that fill it."""

    copy: Array
    lane: Array


@dataclass(slots=True)
class _Replay:
    shape: Shape
    block: int
    unit: int
    objects: frozenset[ir.MemoryObject]
    copies: list[_Copy] = field(default_factory=list)
    places: dict[ir.MemoryObject, _Places] = field(default_factory=dict)
    found: list[Unwaited] = field(default_factory=list)
    committed: Array | None = None
    released: int = 0
    steps: int = 0

    @property
    def lanes(self) -> int:
        return self.shape.sizes[LANE]

    def run(self, items: Sequence[Item], fixed: Fixed) -> None:
        at = 0
        while at < len(items):
            item = items[at]
            if isinstance(item, OrderMark) and item.kind == "begin":
                end = _end_of_loop(items, at)
                self._loop(item, items[at + 1 : end], fixed)
                at = end
            elif isinstance(item, OrderMark):
                self._mark(item, fixed)
            else:
                self._event(item, fixed)
            at += 1

    def _loop(self, loop: OrderMark, body: Sequence[Item], fixed: Fixed) -> None:
        if _only_reads(body):
            for event in (item for item in body if isinstance(item, Event)):
                around = {axis: n for axis, n in event.axes.items() if axis not in fixed}
                self._event(event, fixed, around)
            return
        behind = max(END_ITERATIONS, loop.count - END_ITERATIONS)
        for i in (*range(min(END_ITERATIONS, loop.count)), *range(behind, loop.count)):
            if i == loop.count - END_ITERATIONS > END_ITERATIONS:
                self._forget()
            self.run(body, {**fixed, loop.axis: i})

    def _forget(self) -> None:
        self.copies.clear()
        self.places.clear()

    def _mark(self, mark: OrderMark, fixed: Fixed) -> None:
        lanes = self._lanes(mark.may, fixed)
        if self.committed is None:
            self.committed = np.zeros(self.lanes, np.int64)
        if mark.kind == "open":
            self._forget()
        elif mark.kind == "commit":
            for copy in self.copies:
                copy.group[lanes & (copy.group == NONE)] = 0
                fresh = lanes & (copy.group == 0)
                copy.group[fresh] = self.committed[fresh] + 1
            self.committed = self.committed + lanes
        elif mark.kind == "release":
            self.released += 1
        elif mark.kind in ("wait", "wait_stage"):
            self._wait(mark, lanes, self._passed(mark, fixed))
            self._end_bulk_copies()
        elif mark.copy is not None and lanes.any():
            self._bulk_copy(mark.copy, lanes, mark, fixed)

    def _end_bulk_copies(self) -> None:
        bulk = [number for number, copy in enumerate(self.copies) if copy.bulk]
        for places in self.places.values() if bulk else ():
            places.copy[np.isin(places.copy, bulk)] = NONE

    def _bulk_copy(self, event: Event, lanes: Array, mark: OrderMark, fixed: Fixed) -> None:
        """Whole units that a copy with a known place fills, whichever lane starts it."""
        self.steps += 1
        if event.terms:
            return
        number = self._begin(event, self._passed(mark, fixed), True)
        places, offsets = self._at(event.target), self._values(event.offset, fixed)
        [(_, size)] = event.pieces
        for lane in np.flatnonzero(lanes).tolist():
            low = int(offsets[lane if len(offsets) > 1 else 0])
            filled = slice(-(-max(low, 0) // self.unit), max(low + size, 0) // self.unit)
            places.copy[filled], places.lane[filled] = number, lane

    def _begin(self, event: Event, passed: tuple[Array, Array], bulk: bool = False) -> int:
        none = np.full(self.lanes, NONE, np.int64)
        waited = (none.copy(), none.copy())
        done = np.zeros(self.lanes, bool)
        self.copies.append(_Copy(event, passed, none, done, waited, bulk))
        return len(self.copies) - 1

    def _passed(self, item: Item, fixed: Fixed) -> tuple[Array, Array]:
        """Barriers of the block and of the warp."""
        passed = item.passed
        block, warp = add(passed.block, passed.named), add(passed.warp, passed.tile)
        return self._values(block, fixed), self._values(warp, fixed)

    def _wait(self, mark: OrderMark, lanes: Array, passed: tuple[Array, Array]) -> None:
        assert self.committed is not None
        for copy in self.copies:
            if mark.kind == "wait_stage":
                over = (copy.group > 0) & (copy.group <= self.released + 1)
            elif mark.pending is None:
                over = np.ones(self.lanes, bool)
            else:
                over = (copy.group > 0) & (copy.group <= self.committed - mark.pending)
            now = lanes & over & ~copy.done
            copy.done |= now
            for waited, here in zip(copy.waited, passed, strict=True):
                waited[now] = here[now]

    def _event(self, event: Event, fixed: Fixed, free: Mapping[int, int] = NO_LOOP) -> None:
        """`free`: by axis, the iterations of loops that are run at once."""
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise TooDense
        if event.target not in self.objects or event.terms or not event.pieces:
            return
        passed = self._passed(event, {**dict.fromkeys(free, 0), **fixed})
        active, offsets = (
            self._lanes(event.may, fixed, free),
            self._values(event.offset, fixed, free),
        )
        if not active.any():
            return
        if _is_copied(event):
            self._begin(event, passed)
        for units, lanes in _units(event, offsets, active, self.unit, self.lanes):
            if _is_copied(event):
                places = self._at(event.target)
                places.copy[units], places.lane[units] = len(self.copies) - 1, lanes
            elif event.kind == READ:
                self._read(event, units, lanes, passed)
            elif event.target in self.places:
                self._at(event.target).copy[units] = NONE

    def _at(self, object_: ir.MemoryObject) -> _Places:
        if object_ not in self.places:
            empty = np.full(MOST_UNITS, NONE, np.int64)
            self.places[object_] = _Places(empty, np.zeros(MOST_UNITS, np.int64))
        return self.places[object_]

    def _read(self, event: Event, units: Array, lanes: Array, passed: tuple[Array, Array]) -> None:
        if event.target not in self.places:
            return
        places = self._at(event.target)
        filled = places.copy[units]
        for number in np.unique(filled[filled != NONE]).tolist():
            copy, here = self.copies[number], filled == number
            if not _come_together(copy, event):
                continue
            wrong = here & self._too_early(copy, places.lane[units], lanes, passed)
            if wrong.any():
                self._report(event, copy, int(np.argmax(wrong)), units, lanes)

    def _too_early(
        self, copy: _Copy, by: Array, reader: Array, passed: tuple[Array, Array]
    ) -> Array:
        """Of readers of what the lanes `by` copied, which come before the copy is there."""
        warp = self.shape.warp_lanes
        within = by // warp == reader // warp
        now, issued, waited = (
            np.where(within, warps[of], blocks[of])
            for (blocks, warps), of in (
                (passed, reader),
                (copy.issued, by),
                (copy.waited, by),
            )
        )
        own, done = by == reader, copy.done[by]
        other: Array = ~own & (now > issued) & ~(done & (now > waited))
        early: Array = other | (own & ~done)
        return early

    def _report(self, event: Event, copy: _Copy, at: int, units: Array, lanes: Array) -> None:
        self.found.append(
            Unwaited(
                event.target,
                event.site,
                copy.event.site,
                int(lanes[at]),
                int(self.shape.blocks[self.block]),
                int(units[at]) * self.unit,
                event.sure and copy.event.sure,
            )
        )

    def _values(self, value: Sum, fixed: Fixed, free: Mapping[int, int] = NO_LOOP) -> Array:
        """By iteration of the loops that are free, and lane."""
        total = np.full(self._extents(free), value.const, np.int64)
        for key, array in value.parts.items():
            total = total + self._part(array, key, fixed, free)
        return total.reshape(-1)

    def _lanes(self, mask: Bool, fixed: Fixed, free: Mapping[int, int] = NO_LOOP) -> Array:
        mask = positive(mask)
        active = np.full(self._extents(free), not mask.empty)
        for key, array in mask.factors.items():
            active = active & self._part(array, key, fixed, free)
        return active.reshape(-1)

    def _extents(self, free: Mapping[int, int]) -> tuple[int, ...]:
        extents = *(free[axis] for axis in sorted(free)), self.lanes
        if math.prod(extents) > MOST_TOGETHER:
            raise TooDense
        return extents

    def _part(self, array: Array, key: Key, fixed: Fixed, free: Mapping[int, int]) -> Array:
        """What an array over the axes of `key` holds, by axes that are free and lane."""
        for at, axis in reversed(list(enumerate(key))):
            if axis != LANE and axis not in free:
                where = self.block if axis == BLOCK else fixed[axis]
                taken: Array = np.take(array, where if array.shape[at] > 1 else 0, axis=at)
                array = taken
        kept = tuple(axis for axis in key if axis == LANE or axis in free)
        return aligned(array, kept, (*sorted(free), LANE))


def _come_together(copy: _Copy, event: Event) -> bool:
    """Whether a lane that reads follows what was copied, as far as data decides."""
    if copy.bulk:
        return copy.event.sure or set(copy.event.path) <= set(event.path)
    return copy.event.sure == event.sure or not (copy.event.path or event.path)


def _units(
    event: Event, offsets: Array, active: Array, unit: int, lanes: int
) -> Iterator[tuple[Array, Array]]:
    """The units that lanes access, with the lanes. Raises TooDense where they are not looked at."""
    places = np.flatnonzero(active)
    for first, width in event.pieces:
        for step in range(first, first + width, unit):
            units = (offsets[places] + step) // unit
            if units.min() < 0 or units.max() >= MOST_UNITS:
                raise TooDense
            yield units, places % lanes


def _only_reads(items: Sequence[Item]) -> bool:
    """Whether nothing but reads happens, in whatever order."""
    return all(
        item.kind in ("begin", "end") if isinstance(item, OrderMark) else item.kind == READ
        for item in items
    )


def _end_of_loop(items: Sequence[Item], begin: int) -> int:
    depth = 0
    for at in range(begin, len(items)):
        item = items[at]
        if isinstance(item, OrderMark):
            depth += (item.kind == "begin") - (item.kind == "end")
        if not depth:
            return at
    raise AssertionError("a loop without its end")
