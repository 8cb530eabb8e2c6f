"""What orders threads beside barriers: flags that loops wait for, counters that tell the last block
apart, locks.

In: a lowered body, the events of all sets of blocks. Out: `Handovers`, asked whether two accesses are
in an order. Decided by where they stand in the program: who writes must then fence and release (store a
flag, count up, give back a lock), and who reads must have acquired before. Where threads other than
those that release write, a barrier of the block must stand between (CUDA C++ Programming Guide, Memory
Fence Functions). What it says is in no order surely is; what it says is in order need not be.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from kernlint.base.dataclass import dataclass
from kernlint.execution.faults.locks import guards_by_lock, takes_lock
from kernlint.execution.faults.order import READ, Event, positions
from kernlint.execution.faults.possible_waits import deciding
from kernlint.execution.values.booleans import positive
from kernlint.execution.values.sums import LANE, Array
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import targets, walk

NEVER = 1 << 60
# fences that order accesses for the threads of the block alone
_OF_BLOCK = re.compile(r"threadfence_block|\.cta\b|thread_scope_block|memory_scope_work_group")
LOCKING = ("cas", "exch")  # atomic operations that take a lock


@dataclass(frozen=True, slots=True)
class _ProgramPlaces:
    """Where things stand in a program: accesses; fences, those of them that other blocks see (`wide`),
    barriers of the block, loops that wait and atomic operations whose result is used; from where to
    where loops reach that take a lock."""

    at: Mapping[ir.AccessSite, int]
    fences: Sequence[int]
    wide: Sequence[int]
    barriers: Sequence[int]
    acquires: Sequence[int]
    polled: frozenset[ir.AccessSite]  # accesses to flags and locks
    counted: frozenset[ir.AccessSite]  # to counters
    locked: Sequence[tuple[int, int, frozenset[ir.AccessSite]]]


class Handovers:
    """`releases`: events that write what others wait for; `flags`: the objects of these."""

    def __init__(self, body: ir.Body, events: Iterable[Event]) -> None:
        every = list(events)
        text = _text(body)
        polled = {event.target for event in every if event.site in text.polled}
        counts = [event for event in every if event.site in text.counted]
        self.flags = polled | {event.target for event in counts}
        self.releases = [e for e in every if e.target in polled and e.kind != READ] + counts
        self.held = [
            (start, max(end, _given_back(text, taken, self.releases)))
            for start, end, taken in text.locked
        ]
        self.text = text

    def order(self, one: Event, other: Event, scope: str) -> bool:
        """Whether two accesses of different threads are in an order, one way or the other. `scope`:
        "grid" where they are of different blocks."""
        if one.target in self.flags:
            return True
        if any(self._is_held(event) for event in (one, other)):
            return True
        fences = self.text.wide if scope == "grid" else self.text.fences
        return self._reaches(one, other, fences) or self._reaches(other, one, fences)

    def is_of_one_block(self, event: Event) -> bool:
        """Whether it may be that of the one block that a counter tells apart: it is behind a count, and
        under a condition that is not known."""
        at = self.text.at[event.site]
        return bool(event.path) and any(self.text.at[site] < at for site in self.text.counted)

    def _is_held(self, event: Event) -> bool:
        at = self.text.at[event.site]
        return any(start <= at <= end for start, end in self.held)

    def _reaches(self, first: Event, second: Event, fences: Sequence[int]) -> bool:
        published = any(self._is_published(first, release, fences) for release in self.releases)
        return published and self._has_acquired(second)

    def _has_acquired(self, event: Event) -> bool:
        at = self.text.at[event.site]
        return bool(event.loops) or any(acquired < at for acquired in self.text.acquires)

    def _is_published(self, event: Event, release: Event, fences: Sequence[int]) -> bool:
        """Whether `release` comes after the access and a fence. In a loop around both it comes again."""
        if any(loop in release.loops for loop in event.loops):
            return bool(fences)
        start, end = self.text.at[event.site], self.text.at[release.site]
        fenced = any(start < at < end for at in fences)
        return fenced and (
            _lanes_within(event, release) or any(start < at < end for at in self.text.barriers)
        )


def _lanes_within(event: Event, release: Event) -> bool:
    """Whether the threads that make the access are among those that release."""
    release_lanes, lanes = _lanes(release), _lanes(event)
    if release_lanes is None:
        return True
    return lanes is not None and bool(np.all(release_lanes | ~lanes))


def _lanes(event: Event) -> Array | None:
    """The threads of a block that may make an access; None where that is all, or is not known."""
    return positive(event.may).factors.get((LANE,))


def _text(body: ir.Body) -> _ProgramPlaces:
    places: dict[str, list[int]] = {"memory": [], "block": [], "grid": []}
    acquires, wide = list[int](), list[int]()
    polled, counted = set[ir.AccessSite](), set[ir.AccessSite]()
    locked: list[tuple[int, int, frozenset[ir.AccessSite]]] = []
    for number, s in enumerate(walk(body)):
        if isinstance(s, ir.Barrier) and s.site.scope in places:
            places[s.site.scope].append(number)
            wide += [number] if _is_fence(s) and not _OF_BLOCK.search(s.site.text) else []
        if isinstance(s, ir.Atomic) and s.site.result_used:
            acquires.append(number)
            counted.add(s.site)
        if isinstance(s, ir.Loop):
            inside = list(walk((s,)))
            waits = frozenset(_polled(s))
            acquires += [number] if waits else []
            polled |= waits
            taken = frozenset(a.site for a in inside if takes_lock(a) and isinstance(a, ir.Atomic))
            if taken:
                locked.append((number, number + len(inside), taken))
    barriers = sorted(places["block"] + places["grid"])
    marks = frozenset(polled), frozenset(counted)
    return _ProgramPlaces(
        positions(body), places["memory"], wide, barriers, acquires, *marks, locked
    )


def _polled(loop: ir.Loop) -> Iterator[ir.AccessSite]:
    """What a loop that waits reads again and again."""
    for s in _waits(loop):
        if isinstance(s, ir.Atomic) or s.site.volatile:
            yield s.site


def _given_back(
    text: _ProgramPlaces, taken: frozenset[ir.AccessSite], releases: Sequence[Event]
) -> int:
    """Where the lock is given back last; behind everything where it never is."""
    locks = {event.target for event in releases if event.site in taken}
    back = [text.at[e.site] for e in releases if e.target in locks and e.site not in taken]
    return max(back, default=NEVER)


# ------------------------------------------------------------------ which kernels do


def hands_over(body: ir.Body) -> bool:
    return elects_a_block(body) or hands_over_by_flag(body) or guards_by_lock(body)


def elects_a_block(body: ir.Body) -> bool:
    """Whether blocks may be ordered by a counter that tells the last of them apart: the result of an
    atomic operation is used, and there is a fence (CUDA C++ Programming Guide, Memory Fence
    Functions)."""
    inside = list(walk(body))
    used = any(isinstance(s, ir.Atomic) and s.site.result_used for s in inside)
    return used and any(map(_is_fence, inside))


def hands_over_by_flag(body: ir.Body) -> bool:
    """Whether threads may order their accesses by a flag that a loop waits for, and a fence; or by an
    exchange in such a loop."""
    inside = list(walk(body))
    waiting = [s for loop in inside if isinstance(loop, ir.Loop) for s in _waits(loop)]
    if any(isinstance(s, ir.Atomic) and s.operation in LOCKING for s in waiting):
        return True
    polls = any(isinstance(s, ir.Load) and s.site.volatile for s in waiting)
    return polls and any(map(_is_fence, inside))


def hands_over_by_arrival(body: ir.Body) -> bool:
    """Whether there are barriers that some threads only arrive at."""
    fences = (s.site.text for s in walk(body) if isinstance(s, ir.Barrier) and _is_fence(s))
    return any("arrive" in text for text in fences)


def _is_fence(s: ir.Statement) -> bool:
    return isinstance(s, ir.Barrier) and s.site.scope == "memory"


def _waits(loop: ir.Loop) -> list[ir.Load | ir.Atomic]:
    """What a loop that stores nothing reads to see whether it ends: it may wait for what others
    write. Atomic operations may be there for their effect."""
    inside = list(walk((loop,)))
    if any(isinstance(s, ir.Store) for s in inside):
        return []
    ending = deciding(loop, inside)
    loads = (s for s in inside if isinstance(s, ir.Load) and not ending.isdisjoint(targets(s)))
    return [*loads, *(s for s in inside if isinstance(s, ir.Atomic))]
