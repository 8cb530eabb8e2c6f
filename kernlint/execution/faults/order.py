"""In which order threads make their accesses to memory that they share: what barriers say.

In: accesses, barriers and loops as the machine runs them. Out: `Event`s of the order, each with
counters of the barriers that its threads have passed. Two accesses by threads of a block with equal
counters of its barriers are in no order; of one warp, with equal counters of its own. A loop that
is run once for all iterations counts its barriers by the iteration.
"""

from __future__ import annotations

import math
from itertools import takewhile

import numpy as np

from kernlint.base.dataclass import dataclass, field, replace
from kernlint.execution.faults.stored_numbers import Stored
from kernlint.execution.values import sums
from kernlint.execution.values.booleans import (
    TRUE,
    Bool,
    Condition,
    Threshold,
    as_sum,
    dense_bool,
    positive,
)
from kernlint.execution.values.sums import BLOCK, LANE, ONE, ZERO, Array, Sum, TooDense
from kernlint.execution.values.values import Atom
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import sites, walk

READ, WRITE, ATOMIC = 0, 1, 2
MOST_EVENTS = 20_000  # of one set of blocks: what has more is not looked at
Path = tuple[tuple[Condition, bool], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Passed:
    """How many barriers threads have passed: of their block, their warp, the grid; of `named` threads of
    the block, and of lanes of a `tile`, which order no others. `block` counts those that order shared
    memory, `beyond` those that order other memory."""

    block: Sum = ZERO
    warp: Sum = ZERO
    grid: Sum = ZERO
    named: Sum = ZERO
    tile: Sum = ZERO
    beyond: Sum = ZERO

    @property
    def all(self) -> tuple[Sum, ...]:
        return *self.of_memory("shared"), self.beyond

    def of_memory(self, space: str) -> tuple[Sum, ...]:
        """Those that order accesses to memory of a space."""
        block = self.block if space == "shared" else self.beyond
        return block, self.warp, self.grid, self.named, self.tile

    def plus(self, other: Passed) -> Passed:
        return Passed(*map(sums.add, self.all, other.all))

    def since(self, before: Passed) -> Passed:
        return Passed(*map(sums.add, self.all, map(sums.negate, before.all)))

    def along(self, axis: int, count: int) -> tuple[Passed, Passed]:
        """Of the barriers of one iteration, which those of the axis may differ in: those of earlier
        iterations, by iteration, and those of all."""
        both = [_along(own, axis, count) for own in self.all]
        return Passed(*(earlier for earlier, _ in both)), Passed(*(every for _, every in both))


@dataclass(slots=True, eq=False)
class Event:
    """One execution of an access (for all iterations of the axes in scope). `terms`: what is not
    known of its offset; `stored`: what a store writes, None where that is not followed; `value`: a
    number that is equal where it writes one value; `is_value`: it is the value itself; `sure`:
    whether `must` executes it whatever the data; `presumed`: a guard around holds only by assumption;
    `path`: the undecided branches around and which side of them it is on; `implies`: what holds of
    unknowns where a thread makes it; `axes`: how many iterations the loops around have that are run
    once; `loops`: all loops around, outermost first; `time`: grows from one execution by a thread to its
    next, of this or any other event."""

    site: ir.AccessSite
    target: ir.MemoryObject
    kind: int
    offset: Sum
    terms: dict[Atom, Sum]
    pieces: tuple[tuple[int, int], ...]
    may: Bool
    must: Bool
    sure: bool
    presumed: bool
    path: Path
    implies: tuple[Threshold, ...]
    axes: dict[int, int]
    loops: tuple[ir.Loop, ...]
    stored: Stored | None
    passed: Passed
    time: Sum = ZERO

    @property
    def value(self) -> Sum | None:
        return None if self.stored is None else self.stored.number

    @property
    def is_value(self) -> bool:
        return self.stored is not None and self.stored.is_value


def common_loops(one: Event, other: Event) -> tuple[ir.Loop, ...]:
    """The loops around both."""
    both = zip(one.loops, other.loops, strict=False)
    return tuple(first for first, _ in takewhile(lambda pair: pair[0] is pair[1], both))


@dataclass(frozen=True, slots=True)
class ByteReach:
    """The bytes of an object that an access may touch, from `low` to before `high`; `steady`: the same
    in all iterations of the loops around; `sure`: threads make it whatever the data."""

    low: float
    high: float
    steady: bool
    loops: tuple[ir.Loop, ...]
    sure: bool = False

    def joined(self, other: ByteReach) -> ByteReach:
        low, high = min(self.low, other.low), max(self.high, other.high)
        is_same = (self.low, self.high) == (other.low, other.high)
        steady, sure = self.steady and other.steady and is_same, self.sure or other.sure
        return ByteReach(low, high, steady, self.loops, sure)


def reach_of(
    offset: Sum, may: Bool, is_open: bool, site: ir.AccessSite, loops: tuple[ir.Loop, ...]
) -> ByteReach:
    """`is_open`: more than `offset` decides where."""
    if is_open or not site.pieces:
        return ByteReach(-math.inf, math.inf, not loops, loops)
    low, high = _extremes(offset, may)
    low += min(at for at, _ in site.pieces)
    high += max(at + width for at, width in site.pieces)
    return ByteReach(low, high, set(offset.key) <= {LANE, BLOCK}, loops)


def _extremes(value: Sum, may: Bool) -> tuple[int, int]:
    """The least and the greatest value of the lanes that may be active."""
    key = tuple(sorted({*value.key, *may.key}))
    try:
        own = np.broadcast_arrays(sums.dense(value, key)[1], dense_bool(positive(may), key)[1])
    except TooDense:
        return value.low, value.high
    some = own[0][own[1]]
    return (int(some.min()), int(some.max())) if some.size else (value.low, value.high)


@dataclass(slots=True, eq=False)
class OrderMark:
    """Something between two events, kept where a kernel copies asynchronously. kind: "commit", "wait",
    "wait_stage" and "release" of `ir.CopyGroup`; "bulk": a bulk copy begins, which is `copy`; "begin" and "end" of a loop along an axis; "open": what
    copies are under way is not known from here; "again", "over": around events that stand for another
    iteration. `at`: how many events come before. `pending`: groups that a wait leaves, None: no
    copy. `axis`, `count`: of a loop."""

    kind: str
    at: int
    passed: Passed
    may: Bool = TRUE
    pending: int | None = None
    axis: int = 0
    count: int = 0
    copy: Event | None = None


Iterations = list[tuple[int, ir.Loop]]
Checkpoint = tuple[int, Passed, bool, int, dict[str, Array], set[str], int, int]
NO_GROUP = -1
# by scope, the counters that a barrier moves on: of block, warp, grid, named threads, tile, and of
# the block for other than shared memory
PASSES = {
    "grid": (True, True, True, False, False, True),
    "block": (True, True, False, False, False, True),
    "block, shared": (True, True, False, False, False, False),
    "block, global": (False, True, False, False, False, True),
    "warp": (False, True, False, False, False, False),
    "named": (False, True, False, True, False, False),
    "tile": (False, False, False, False, True, False),
}


@dataclass(slots=True)
class Order:
    """`events`: in the order of the program; `complete`: whether none is missing. `copies`: whether the
    kernel copies asynchronously, so that `marks` are kept. `groups`: by scope ("named", "tile") the
    number of each thread's group; `mixed`: scopes in which threads belong to several; `iterations`: of
    loops that are stepped, each with how many events come before it; `clock`: the time of the next event."""

    events: list[Event] = field(default_factory=list)
    passed: Passed = Passed()
    clock: int = 0
    complete: bool = True
    copies: bool = False
    marks: list[OrderMark] = field(default_factory=list)
    groups: dict[str, Array] = field(default_factory=dict)
    mixed: set[str] = field(default_factory=set)
    iterations: Iterations = field(default_factory=list)
    # of barriers in memory: who sets them up (WRITE), arrives and waits (READ)
    set_up: list[Event] = field(default_factory=list)
    # into shared memory of other blocks
    remote: dict[ir.AccessSite, ByteReach] = field(default_factory=dict)

    def apart(self) -> dict[str, Array]:
        """By scope, the groups of threads whose barriers order no others."""
        return {scope: some for scope, some in self.groups.items() if scope not in self.mixed}

    def mark(
        self,
        kind: str,
        may: Bool = TRUE,
        pending: int | None = None,
        axis: int = 0,
        count: int = 0,
        copy: Event | None = None,
    ) -> None:
        if self.copies:
            self.marks.append(
                OrderMark(kind, len(self.events), self.passed, may, pending, axis, count, copy)
            )

    def add(self, event: Event) -> None:
        if len(self.events) < MOST_EVENTS:
            event.time = sums.constant(self.clock)
            self.clock += 1
            self.events.append(event)
        else:
            self.complete = False

    def add_remote(self, site: ir.AccessSite, reach: ByteReach) -> None:
        known = self.remote.get(site)
        self.remote[site] = reach if known is None else known.joined(reach)

    def begin_iteration(self, loop: ir.Loop) -> None:
        if len(self.iterations) < MOST_EVENTS:
            self.iterations.append((len(self.events), loop))

    def pass_barrier(self, scope: str, all_lanes: bool, lanes: Bool) -> None:
        """Lanes pass a barrier of the grid, of their block, or of their warp."""
        try:
            one = ONE if all_lanes else as_sum(lanes)
        except TooDense:
            one, self.complete = ONE, False
        self.passed = self.passed.plus(Passed(*(one if own else ZERO for own in PASSES[scope])))

    def join(self, scope: str, group: Sum, lanes: Bool, count: int) -> None:
        """Lanes belong to the group whose number they come with. `count`: of the block."""
        if group.key not in ((), (LANE,)):
            self.mixed.add(scope)
            return
        numbers = np.broadcast_to(sums.dense(group)[1], count)
        active = np.full(count, True)
        for key, array in positive(lanes).factors.items():
            if LANE in key:
                others = tuple(at for at, axis in enumerate(key) if axis != LANE)
                active = active & array.any(axis=others)
        known = self.groups.get(scope, np.full(count, NO_GROUP))
        if (active & (known != NO_GROUP) & (known != numbers)).any():
            self.mixed.add(scope)
        self.groups[scope] = np.where(active, numbers, known)

    def checkpoint(self) -> Checkpoint:
        return (
            len(self.events),
            self.passed,
            self.complete,
            len(self.marks),
            dict(self.groups),
            set(self.mixed),
            len(self.iterations),
            self.clock,
        )

    def restore(self, checkpoint: Checkpoint) -> None:
        length, self.passed, self.complete, marks, groups, mixed, iterations, clock = checkpoint
        self.clock = clock
        self.groups, self.mixed = dict(groups), set(mixed)
        del self.events[length:]
        del self.marks[marks:]
        del self.iterations[iterations:]

    def repeat(self, since: Checkpoint, axis: int, count: int) -> None:
        """What ran since is the body of a loop for all `count` iterations along an axis: barriers
        are passed in each."""
        first, before, _, marks, *_, begin = since
        earlier, every = self.passed.since(before).along(axis, count)
        length = self.clock - begin
        times = sums.along(axis, length * np.arange(count, dtype=np.int64))
        for event in self.events[first:]:
            event.passed = event.passed.plus(earlier)
            event.time = sums.add(event.time, times)
        self.clock = begin + length * count
        for mark in self.marks[marks:]:
            mark.passed = mark.passed.plus(earlier)
        self.passed = before.plus(every)
        self.mark("end")

    def repeat_open(self, since: Checkpoint) -> None:
        """What ran since is the body of a loop whose number of iterations is not known: the next
        iteration does the same where its addresses do not depend on it."""
        first, before, *_, begin = since
        length = self.clock - begin
        own = self.passed.since(before)
        waits = any(some.const > 0 or bool(some.parts) for some in (own.warp, own.tile))
        self.mark("again")
        for event in self.events[first:] if waits else ():
            if event.terms:
                self.complete = False
            else:
                again = replace(event, passed=event.passed.plus(own))
                self.add(again)
                again.time = sums.add(event.time, sums.constant(length))
        self.mark("over")
        self.clock = begin + 2 * length
        self.passed = self.passed.plus(own)


def _along(barriers: Sum, axis: int, count: int) -> tuple[Sum, Sum]:
    if axis not in barriers.key:
        numbers = sums.along(axis, np.arange(count, dtype=np.int64))
        return sums.multiply(barriers, numbers), sums.scale(barriers, count)
    key, array = sums.dense(barriers)
    at = key.index(axis)
    passed = np.cumsum(array, axis=at)
    every = np.take(passed, array.shape[at] - 1, axis=at)
    rest = tuple(other for other in key if other != axis)
    return sums.of_array(key, passed - array), sums.of_array(rest, every)


def positions(body: ir.Body) -> dict[ir.AccessSite, int]:
    """By access, the number of its first statement in the program, as `walk` counts them."""
    found: dict[ir.AccessSite, int] = {}
    for number, s in enumerate(walk(body)):
        for site in sites(s):
            found.setdefault(site, number)
    return found


def exchanges(body: ir.Body) -> bool:
    """Whether lanes exchange values, or take turns."""
    return any(
        isinstance(s, ir.Shuffle | ir.Atomic)
        or (isinstance(s, ir.Vote) and s.kind != ir.BLOCK_COPY)
        for s in walk(body)
    )


def ordered_alone(body: ir.Body) -> frozenset[str]:
    """The memories, shared and global, that some barrier orders alone."""
    barriers = (s.site.memory for s in walk(body) if isinstance(s, ir.Barrier))
    return frozenset(memory for memory in barriers if memory)
