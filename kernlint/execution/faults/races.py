"""Accesses to one place of shared memory by threads of a block that no barrier orders.

In: the events of a set of blocks (`order`). Out: `Race`s, each with two accesses and two threads.
Exact for what is looked at: some blocks of the set, and of long loops some iterations. Pairs are
never enumerated: accesses are grouped by place and by barriers passed, and in a group only the
least and the greatest thread are compared. (Two-thread reasoning: Betts, Chong, Donaldson, Qadeer,
Thomson, GPUVerify, OOPSLA 2012.) What is not known of an address is no alarm.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kernlint.base.dataclass import dataclass
from kernlint.execution.counting.requests import Shape
from kernlint.execution.faults.order import ATOMIC, READ, WRITE, Event
from kernlint.execution.values.booleans import positive
from kernlint.execution.values.sums import (
    BLOCK,
    LANE,
    ZERO,
    Array,
    Key,
    Sum,
    TooDense,
    add,
    aligned,
    constant,
    divisible,
    floor_divide,
    same,
)
from kernlint.execution.values.values import Value, bounds
from kernlint.ir import nodes as ir

MOST_BLOCKS = 4  # of a set, that are looked at where they differ
MOST_ITERATIONS = 8  # of a loop that has more than can be looked at whole
MOST_PLACES = 1 << 21  # accesses of single lanes to single units looked at together
MOST_PAIRS = 24  # pairs of accesses told of one object
UNKNOWN_VALUE = -(1 << 62)


@dataclass(frozen=True, slots=True)
class Race:
    """`first` is executed before `second` where one thread makes both, or is it. `scope`: of the
    barrier that is missing between them. `threads`: of their blocks, whose numbers in the grid
    `blocks` are; `offset`: the byte in the object; `sure`: it happens whatever the data."""

    object: ir.MemoryObject
    scope: str
    first: ir.AccessSite
    second: ir.AccessSite
    kinds: tuple[int, int]
    threads: tuple[int, int]
    blocks: tuple[int, int]
    offset: int
    sure: bool


@dataclass(frozen=True, slots=True)
class Lanes:
    """Accesses of single lanes, one entry each: which event, which lane, the unit of the object
    that it touches, barriers passed, kind, value."""

    event: Array
    lane: Array
    unit: Array
    block: Array
    warp: Array
    kind: Array
    value: Array
    known: Array  # whether the value is

    def __getitem__(self, some: Array) -> Lanes:
        return Lanes(*(array[some] for array in self.columns))

    @property
    def columns(self) -> tuple[Array, ...]:
        return (
            self.event,
            self.lane,
            self.unit,
            self.block,
            self.warp,
            self.kind,
            self.value,
            self.known,
        )


def races(events: Sequence[Event], shape: Shape, scopes: Sequence[str]) -> list[Race]:
    """The races of a set of blocks. `scopes`: of the barriers that are looked for."""
    found: list[Race] = []
    by_object: dict[ir.MemoryObject, list[Event]] = defaultdict(list)
    for event in events:
        by_object[event.target].append(event)
    for object_, own in by_object.items():
        if any(event.kind == WRITE for event in own):
            found += _of_object(object_, own, shape, scopes)
    return found


def _of_object(
    object_: ir.MemoryObject, events: list[Event], shape: Shape, scopes: Sequence[str]
) -> list[Race]:
    found: dict[tuple[object, ...], Race] = {}
    for alike in _comparable(events):
        surely = [event for event in alike if event.sure]
        for block in _looked_at(alike, shape):
            looks = [(surely, True)] if surely else []
            if len(surely) < len(alike):
                looks.append((alike, False))
            for some, sure in looks:
                for race in _in_block(object_, some, shape, block, sure, scopes):
                    found.setdefault((race.first, race.second, race.scope), race)
        if len(found) >= MOST_PAIRS:
            break
    for race in _by_data(object_, events, shape, scopes):
        found.setdefault((race.first, race.second, race.scope), race)
    return list(found.values())


def _comparable(events: list[Event]) -> Iterator[list[Event]]:
    """Events whose offsets differ by what is known."""
    by_terms: dict[object, list[Event]] = defaultdict(list)
    for event in events:
        if not _chosen_by_lane(event):
            terms = sorted((id(atom), times.const) for atom, times in event.terms.items())
            if all(times.is_constant for times in event.terms.values()):
                by_terms[tuple(terms)].append(event)
    yield from by_terms.values()


def _chosen_by_lane(event: Event) -> bool:
    return any(by.parts for atom in event.terms for by in atom.determiners)


# ------------------------------------------------------------------ places that data chooses


def _by_data(
    object_: ir.MemoryObject, events: list[Event], shape: Shape, scopes: Sequence[str]
) -> Iterator[Race]:
    """What may race where loaded values choose the place: with what others write or read of the
    array between the same barriers; and a value that is read, changed and written back, by two that
    choose the same place. Two that only write are taken to choose places of their own."""
    seen: set[tuple[object, object]] = set()
    for i, one in enumerate(events):
        for other in events[i:]:
            pair = (one.site, other.site)
            if pair in seen or len(seen) > MOST_PAIRS or not _may_meet(one, other):
                continue
            seen.add(pair)
            both = _in_stretches(one, other)
            yield from (
                race
                for race in (_in_block(object_, both, shape, 0, False, scopes) if both else ())
                if race.first is not race.second
            )


def _may_meet(one: Event, other: Event) -> bool:
    if READ == one.kind == other.kind or ATOMIC == one.kind == other.kind:
        return False
    chosen = _by_loaded(one), _by_loaded(other)
    if all(chosen):
        return (one.kind, other.kind) == (READ, WRITE) and _same_offset(one, other)
    return any(chosen) and not (one.terms and other.terms)


def _in_stretches(one: Event, other: Event) -> list[Event]:
    """Both by the stretches of the array that the one whose place is chosen may reach: all of it,
    or where each lane has a stretch of its own, its number. Empty where lanes' stretches overlap."""
    chosen = one if one.terms else other
    if not chosen.offset.parts:
        return [_at(event, ZERO) for event in (one, other)]
    low, high = bounds(Value(ZERO, chosen.terms))
    if low is None or high is None:
        return []
    size = high - low + max(at + width for at, width in chosen.pieces)
    start = add(chosen.offset, constant(low))
    if not divisible(start, size):
        return []
    moved = (start if event.terms else event.offset for event in (one, other))
    return [
        _at(event, floor_divide(place, size))
        for event, place in zip((one, other), moved, strict=True)
    ]


def _at(event: Event, number: Sum) -> Event:
    """As if it touched one unit."""
    return replace(event, offset=number, terms={}, value=None, pieces=((0, 1),))


def _same_offset(one: Event, other: Event) -> bool:
    if one.terms.keys() != other.terms.keys():
        return False
    return same(one.offset, other.offset) and all(
        same(times, other.terms[atom]) for atom, times in one.terms.items()
    )


def _by_loaded(event: Event) -> bool:
    return bool(event.terms) and all(
        atom.reason in ("loaded-value", "atomic-result")
        and any(by.parts for by in atom.determiners)
        for atom in event.terms
    )


def _looked_at(events: Iterable[Event], shape: Shape) -> list[int]:
    """Positions of blocks: the first alone where all are alike."""
    parts = [k for e in events for s in (e.offset, e.block, e.warp) for k in s.parts]
    keys = [*parts, *(k for e in events for k in e.may.factors)]
    count = len(shape.blocks)
    if not any(BLOCK in key for key in keys):
        return [0]
    return sorted({0, min(1, count - 1), count // 2, count - 1})[:MOST_BLOCKS]


# ------------------------------------------------------------------ one block


def _in_block(
    object_: ir.MemoryObject,
    events: list[Event],
    shape: Shape,
    block: int,
    sure: bool,
    scopes: Sequence[str],
) -> Iterator[Race]:
    unit = math.gcd(*(n for e in events for piece in e.pieces for n in piece)) or 1
    try:
        lanes = _lanes(events, shape, block, sure, unit)
    except TooDense:  # not decided
        return
    if lanes is None:
        return
    warps = lanes.lane // shape.warp_lanes
    for scope in scopes:
        if scope == "block":
            who, groups = warps, [lanes.unit, lanes.block]
        else:
            who, groups = lanes.lane, [lanes.unit, lanes.warp, warps]
        for one, other in _conflicts(lanes, groups, who, events, scope):
            yield _race(object_, events, lanes, (one, other), scope, shape, block, unit, sure)


def _conflicts(
    lanes: Lanes, groups: list[Array], who: Array, events: list[Event], scope: str
) -> Iterator[tuple[int, int]]:
    """Pairs of entries that race, one of each pair of events: in groups of equal `groups`, by
    different `who`."""
    order = np.lexsort(groups)
    keys = [group[order] for group in groups]
    begins = np.ones(len(order), bool)
    begins[1:] = np.logical_or.reduce([key[1:] != key[:-1] for key in keys])
    starts = np.flatnonzero(begins)
    who_of, who = who, who[order]
    kind, value = lanes.kind[order], lanes.value[order]
    least, most = np.minimum.reduceat(who, starts), np.maximum.reduceat(who, starts)
    writes = np.add.reduceat((kind == WRITE).astype(np.int64), starts)
    atomics = np.add.reduceat((kind == ATOMIC).astype(np.int64), starts)
    ends = np.append(starts[1:], len(order))
    sizes = ends - starts
    only_writes = writes == sizes
    equal = np.minimum.reduceat(value, starts) == np.maximum.reduceat(value, starts)
    mixed = (atomics > 0) & (atomics < sizes)
    wrong = (least != most) & ((writes > 0) | mixed) & ~(only_writes & equal)
    seen: set[tuple[int, int]] = set()
    for at in np.flatnonzero(wrong)[: 4 * MOST_PAIRS].tolist():
        members = order[int(starts[at]) : int(ends[at])]
        pair = _pair(lanes[members], who_of[members], events, scope)
        if pair is None:
            continue
        one, other = (int(members[i]) for i in pair)
        named = (int(lanes.event[one]), int(lanes.event[other]))
        if named not in seen and len(seen) < MOST_PAIRS:
            seen.add(named)
            yield one, other


def _pair(lanes: Lanes, who: Array, events: list[Event], scope: str) -> tuple[int, int] | None:
    """Two entries of a group that race: a write and another access, or an atomic and a plain one,
    by others; two writes where their values differ."""
    kind, value = lanes.kind, lanes.value
    for one in np.flatnonzero(kind != READ).tolist()[:MOST_PAIRS]:
        others = who != who[one]
        if kind[one] == ATOMIC:
            others &= kind != ATOMIC
        else:
            others &= ~((kind == WRITE) & (value == value[one]))
        for other in np.flatnonzero(others).tolist()[:MOST_PAIRS]:
            if _unordered(events[lanes.event[one]], events[lanes.event[other]], scope):
                return one, other
    return None


def _unordered(one: Event, other: Event, scope: str) -> bool:
    """Not those on opposite sides of a branch, nor flags that threads of other warps poll."""
    sides = dict(one.path)
    if any(sides.get(condition, holds) != holds for condition, holds in other.path):
        return False
    if one.site is other.site and one.site.op == "copy":  # by all together
        return False
    return scope == "warp" or not (one.site.volatile and other.site.volatile)


def _race(
    object_: ir.MemoryObject,
    events: list[Event],
    lanes: Lanes,
    pair: tuple[int, int],
    scope: str,
    shape: Shape,
    block: int,
    unit: int,
    sure: bool,
) -> Race:
    one, other = sorted(pair, key=lambda i: int(lanes.event[i]))
    if _in_later_iteration(*(events[int(lanes.event[i])] for i in (one, other))):
        one, other = other, one
    first, second = (events[int(lanes.event[i])] for i in (one, other))
    number = int(shape.blocks[block])
    return Race(
        object_,
        scope,
        first.site,
        second.site,
        (first.kind, second.kind),
        (int(lanes.lane[one]), int(lanes.lane[other])),
        (number, number),
        int(lanes.unit[one]) * unit,
        sure,
    )


def _in_later_iteration(one: Event, other: Event) -> bool:
    """Of two events of one loop that threads make between the same barriers, whether the first is
    of the later iteration: it has fewer barriers before it in its own."""
    return bool(one.axes) and one.axes == other.axes and one.block.const < other.block.const


# ------------------------------------------------------------------ events to lanes


def _lanes(events: list[Event], shape: Shape, block: int, sure: bool, unit: int) -> Lanes | None:
    found: list[tuple[Array, ...]] = []
    total = 0
    most = MOST_PLACES // max(1, len(events))
    for number, event in enumerate(events):
        columns = _of_event(number, event, shape, block, sure, unit, most)
        total += len(columns[0])
        if total > MOST_PLACES:
            raise TooDense
        found.append(columns)
    if not total:
        return None
    return Lanes(*(np.concatenate(column) for column in zip(*found, strict=True)))


def _of_event(
    number: int, event: Event, shape: Shape, block: int, sure: bool, unit: int, most: int
) -> tuple[Array, ...]:
    """The columns of `Lanes` for one event in one block."""
    mask = positive(event.must if sure else event.may)
    parts = (
        event.offset,
        event.block,
        event.warp,
        *(() if event.value is None else (event.value,)),
    )
    key = tuple(
        sorted(
            {
                LANE,
                *(a for s in parts for k in s.parts for a in k if a != BLOCK),
                *(a for k in mask.factors for a in k if a != BLOCK),
            }
        )
    )
    taken = {axis: _positions(axis, event, shape, key, most) for axis in key}
    full = tuple(len(taken[axis]) for axis in key)

    def of(value: Sum) -> Array:
        total: Array = np.full((1,) * len(key), value.const, np.int64)
        for own, array in value.parts.items():
            total = total + _cut(array, own, key, taken, block)
        return np.broadcast_to(total, full)

    active = np.ones((1,) * len(key), bool)
    if mask.empty:
        active = np.zeros((1,) * len(key), bool)
    for own, array in mask.factors.items():
        active = active & _cut(array, own, key, taken, block)
    flags = np.broadcast_to(active, full)
    lane = np.broadcast_to(taken[LANE].reshape((1,) * (len(key) - 1) + (-1,)), full)[flags]
    offset = of(event.offset)[flags]
    known = event.value is not None
    value = (
        of(event.value)[flags]
        if event.value is not None
        else UNKNOWN_VALUE - np.arange(len(lane)) - (number << 32)
    )
    passed = of(event.block)[flags], of(event.warp)[flags]
    columns = []
    for at, width in event.pieces:
        for step in range(0, width, unit):
            columns.append(
                (
                    np.full(len(lane), number),
                    lane,
                    (offset + at + step) // unit,
                    *passed,
                    np.full(len(lane), event.kind),
                    value,
                    np.full(len(lane), known),
                )
            )
    return tuple(np.concatenate(column) for column in zip(*columns, strict=True))


def _positions(axis: int, event: Event, shape: Shape, key: Key, most: int) -> Array:
    """Those along an axis that are looked at: all, or the first and the last of many."""
    count = shape.sizes[LANE] if axis == LANE else event.axes[axis]
    lanes = shape.sizes[LANE]
    if axis == LANE or lanes * count <= most:
        return np.arange(count)
    half = MOST_ITERATIONS // 2
    return np.unique(
        np.concatenate((np.arange(min(count, half)), np.arange(max(0, count - half), count)))
    )


def _cut(array: Array, own: Key, key: Key, taken: dict[int, Array], block: int) -> Array:
    """An array over `own` axes for one block and the positions that are looked at, to broadcast over
    `key`."""
    for at, axis in reversed(list(enumerate(own))):
        if array.shape[at] == 1:
            continue
        where: Any = block if axis == BLOCK else taken[axis]
        array = np.take(array, where if axis != BLOCK else [where], axis=at)
    kept = tuple(axis for axis in own if axis != BLOCK)
    if BLOCK in own:
        array = array.reshape(
            tuple(n for axis, n in zip(own, array.shape, strict=True) if axis != BLOCK)
        )
    return aligned(array, kept, key)
