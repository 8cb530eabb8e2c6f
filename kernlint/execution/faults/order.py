"""In which order threads make their accesses to memory that they share: what barriers say.

In: accesses, barriers and loops as the machine runs them. Out: `Event`s of the order, each with
counters of the barriers that its threads have passed. Two accesses by threads of a block with equal
counters of its barriers are in no order; of one warp, with equal counters of its own. A loop that
is run once for all iterations counts its barriers by the iteration.
"""

from __future__ import annotations

import numpy as np

from kernlint.base.dataclass import dataclass, field
from kernlint.execution.values import sums
from kernlint.execution.values.booleans import Bool, Condition, as_sum
from kernlint.execution.values.sums import ONE, ZERO, Sum, TooDense
from kernlint.execution.values.values import Atom
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import walk

READ, WRITE, ATOMIC = 0, 1, 2
Path = tuple[tuple[Condition, bool], ...]
Checkpoint = tuple[int, Sum, Sum, bool]
MOST_EVENTS = 20_000  # of one set of blocks: what has more is not looked at


@dataclass(slots=True, eq=False)
class Event:
    """One execution of an access (for all iterations of the axes in scope). `terms`: what is not
    known of its offset; `value`: what a store writes, None where that is not followed; `sure`:
    whether `must` executes it whatever the data; `path`: the undecided branches around and which
    side of them it is on; `block`, `warp`: barriers passed before."""

    site: ir.AccessSite
    target: ir.MemoryObject
    kind: int
    offset: Sum
    terms: dict[Atom, Sum]
    may: Bool
    must: Bool
    sure: bool
    path: Path
    axes: dict[int, int]  # iterations of the loops around
    value: Sum | None
    block: Sum
    warp: Sum
    pieces: tuple[tuple[int, int], ...]


@dataclass(slots=True)
class Order:
    """`events`: in the order of the program; `complete`: whether none is missing."""

    events: list[Event] = field(default_factory=list)
    block: Sum = ZERO
    warp: Sum = ZERO
    complete: bool = True

    def add(self, event: Event) -> None:
        if len(self.events) < MOST_EVENTS:
            self.events.append(event)
        else:
            self.complete = False

    def pass_barrier(self, of_block: bool, all_lanes: bool, lanes: Bool) -> None:
        """Lanes pass a barrier of their block, or of their warp."""
        try:
            passed = ONE if all_lanes else as_sum(lanes)
        except TooDense:
            passed, self.complete = ONE, False
        self.warp = sums.add(self.warp, passed)
        if of_block:
            self.block = sums.add(self.block, passed)

    def checkpoint(self) -> Checkpoint:
        return len(self.events), self.block, self.warp, self.complete

    def restore(self, checkpoint: Checkpoint) -> None:
        length, self.block, self.warp, self.complete = checkpoint
        del self.events[length:]

    def repeat(self, since: Checkpoint, axis: int, count: int) -> None:
        """What ran since is the body of a loop for all `count` iterations along an axis: barriers
        are passed in each."""
        first, block, warp, _ = since
        block_before, block_in_all = _along(_difference(self.block, block), axis, count)
        warp_before, warp_in_all = _along(_difference(self.warp, warp), axis, count)
        for event in self.events[first:]:
            event.block = sums.add(event.block, block_before)
            event.warp = sums.add(event.warp, warp_before)
        self.block, self.warp = sums.add(block, block_in_all), sums.add(warp, warp_in_all)

    def repeat_open(self, since: Checkpoint) -> None:
        """What ran since is the body of a loop whose number of iterations is not known: the next
        iteration does the same where its addresses do not depend on it."""
        first, block, warp, _ = since
        by_block, by_warp = _difference(self.block, block), _difference(self.warp, warp)
        for event in list(self.events[first:]) if _counts(by_warp) else ():
            if event.terms:
                self.complete = False
                continue
            self.add(
                Event(
                    event.site,
                    event.target,
                    event.kind,
                    event.offset,
                    event.terms,
                    event.may,
                    event.must,
                    event.sure,
                    event.path,
                    event.axes,
                    event.value,
                    sums.add(event.block, by_block),
                    sums.add(event.warp, by_warp),
                    event.pieces,
                )
            )
        self.block, self.warp = sums.add(self.block, by_block), sums.add(self.warp, by_warp)


def _difference(after: Sum, before: Sum) -> Sum:
    return sums.add(after, sums.negate(before))


def _counts(barriers: Sum) -> bool:
    return barriers.const > 0 or bool(barriers.parts)


def _along(barriers: Sum, axis: int, count: int) -> tuple[Sum, Sum]:
    """Barriers passed in earlier iterations, by iteration, and in all of them. `barriers`: in
    one, which iterations of the axis may differ in."""
    if axis not in barriers.key:
        numbers = sums.along(axis, np.arange(count, dtype=np.int64))
        return sums.multiply(barriers, numbers), sums.scale(barriers, count)
    key, array = sums.dense(barriers)
    at = key.index(axis)
    passed = np.cumsum(array, axis=at)
    every = np.take(passed, array.shape[at] - 1, axis=at)
    rest = tuple(other for other in key if other != axis)
    return sums.of_array(key, passed - array), sums.of_array(rest, every)


def hands_over_by_flag(body: ir.Body) -> bool:
    """Whether threads may order their accesses as no common barrier does: by a flag that a loop
    waits for, and a fence; by barriers that some only arrive at."""
    inside = list(walk(body))
    fences = [s.site.text for s in inside if isinstance(s, ir.Barrier) and s.site.scope == "memory"]
    if any("arrive" in text for text in fences):
        return True
    return bool(fences) and any(isinstance(s, ir.Loop) and _polls(s) for s in inside)


def _polls(loop: ir.Loop) -> bool:
    """Whether a loop reads volatile memory or makes an atomic access, and stores nothing."""
    inside = list(walk((loop,)))
    waits = any(
        isinstance(s, ir.Atomic) or (isinstance(s, ir.Load) and s.site.volatile) for s in inside
    )
    return waits and not any(isinstance(s, ir.Store) for s in inside)
