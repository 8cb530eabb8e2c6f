"""Locks that several lanes of a warp wait for in a loop.

In: a lowered body, the events of all sets of blocks. Out: `SpinLock`s. A lock is a compare-and-swap or an
exchange of constants; updates that are tried again with a computed value take none. Where the lock is
held and given back within the loop, the lanes take turns, which is no fault.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from kernlint.base.dataclass import dataclass, replace
from kernlint.execution.faults.lanes import EventSet, NumberedEvents, lanes_of, unit_of
from kernlint.execution.faults.order import Event
from kernlint.execution.values.sums import TooDense
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import constant_value, walk


@dataclass(frozen=True, slots=True)
class SpinLock:
    """An atomic operation with which two lanes of a warp wait for one lock: a thread of them, its
    block's number in the grid, the byte, and whether it is so whatever the data."""

    object: ir.MemoryObject
    site: ir.AccessSite
    thread: int
    block: int
    offset: int
    sure: bool


def takes_lock(s: ir.Statement) -> bool:
    """Whether it puts a constant where another one was, or any: `atomicCAS(lock, 0, 1)`."""
    if not isinstance(s, ir.Atomic) or not s.site.result_used:
        return False
    constants = [constant_value(e) for e in s.operands]
    if s.operation == "exch":
        return constants[-1:] not in ([None], [0])
    return s.operation == "cas" and None not in constants and len(set(constants)) == 2


def spins(body: ir.Body) -> frozenset[ir.AccessSite]:
    """The operations that take a lock in loops which do nothing but wait for it."""
    found: set[ir.AccessSite] = set()
    for loop in walk(body):
        if isinstance(loop, ir.Loop):
            inside = list(walk((loop,)))
            atomics = [s for s in inside if isinstance(s, ir.Atomic)]
            if all(map(takes_lock, atomics)) and not any(isinstance(s, ir.Store) for s in inside):
                found.update(s.site for s in atomics)
    return frozenset(found)


def guards_by_lock(body: ir.Body) -> bool:
    """Whether a loop takes a lock, which orders what its holders do."""
    loops = (s for s in walk(body) if isinstance(s, ir.Loop))
    return any(takes_lock(s) for loop in loops for s in walk((loop,)))


def spin_locks(body: ir.Body, sets: Sequence[EventSet]) -> list[SpinLock]:
    waiting = spins(body)
    found: dict[ir.AccessSite, SpinLock] = {}
    for one in sets if waiting else ():
        for event in one.events:
            if event.site in waiting:
                for lock in _contended(event, one):
                    found.setdefault(event.site, lock)
    return list(found.values())


def _contended(event: Event, one: EventSet) -> Iterator[SpinLock]:
    """The first two lanes of a warp that wait for one lock, or, where data chooses it, may."""
    by_data = any(by.parts for atom in event.terms for by in atom.determiners)
    if by_data:
        event = replace(event, offset=replace(event.offset, const=0, parts={}))
    unit = unit_of([event])
    try:
        found = lanes_of([NumberedEvents([(0, event)], one.shape)], False, unit, 0)
    except TooDense:  # not decided
        return
    if found is None:
        return
    lanes = found[0]
    warps = lanes.lane // one.shape.warp_lanes
    order = np.lexsort((lanes.lane, lanes.unit, warps, lanes.home))
    columns = [column[order] for column in (lanes.home, warps, lanes.unit)]
    together = np.logical_and.reduce([column[1:] == column[:-1] for column in columns])
    together &= lanes.lane[order][1:] != lanes.lane[order][:-1]
    if together.any():
        at = int(order[1 + int(together.argmax())])
        sure = not (by_data or event.path or event.presumed)
        place = int(lanes.lane[at]), int(lanes.home[at]), int(lanes.unit[at]) * unit
        yield SpinLock(event.target, event.site, *place, sure)
