"""Parts of dynamic shared memory that overlap: what is written through one name, overwritten through
another, and read through the first again.

In: the events of all sets of blocks. Out: `Overlap`s. All `extern __shared__` arrays of a kernel begin at
one address (CUDA C++ Programming Guide, __shared__). Names of one element type may be meant to be one
memory, as a pointer to a row is; arrays that are declared apart are not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from kernlint.base.dataclass import dataclass
from kernlint.base.span import Span
from kernlint.execution.faults.lanes import EventSet, Lanes, NumberedEvents, lanes_of, unit_of
from kernlint.execution.faults.order import READ, Event
from kernlint.execution.values.sums import Array, TooDense
from kernlint.ir import nodes as ir

MOST_LOOKED_AT = 1 << 16  # entries
NAME = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True, slots=True)
class Overlap:
    """A write over what was written through another name and is read through that again: a thread, its
    block's number in the grid, the first byte, and the write that is lost. `sure`: both are arrays of
    their own by their declarations; else their types alone tell them apart."""

    object: ir.MemoryObject
    site: ir.AccessSite
    lost: ir.AccessSite
    thread: int
    block: int
    offset: int
    sure: bool


def overlaps(sets: Sequence[EventSet], declared: Mapping[str, Span]) -> list[Overlap]:
    """`declared`: the arrays whose size the launch decides, by name."""
    for one in sets:
        placed = [event for event in one.events if event.sure and not event.terms]
        for object_ in {e.target: None for e in placed if e.target.dynamic}:
            own = [event for event in placed if event.target is object_]
            if len({name_of(event.site) for event in own}) > 1:
                found = next(_in(object_, own, one, declared), None)
                if found is not None:
                    return [found]
    return []


def name_of(site: ir.AccessSite) -> str:
    """The array or pointer that an access names first."""
    found = NAME.search(site.text)
    return found.group() if found else ""


def _in(
    object_: ir.MemoryObject, events: list[Event], one: EventSet, declared: Mapping[str, Span]
) -> Iterator[Overlap]:
    unit = unit_of(events)
    try:
        numbered = NumberedEvents(list(enumerate(events)), one.shape)
        found = lanes_of([numbered], True, unit, 0, MOST_LOOKED_AT)
    except TooDense:  # not decided
        return
    if found is None:
        return
    lanes = found[0]
    first = lanes[np.flatnonzero(lanes.home == lanes.home[0])]
    lanes = first[np.lexsort((first.event, first.block, first.unit))]
    names = sorted({name_of(event.site) for event in events})
    by_event = np.array([names.index(name_of(event.site)) for event in events])
    for write, lost in _lost_for_others(lanes, by_event[lanes.event]):
        sites = [events[int(lanes.event[at])].site for at in (write, lost)]
        sure = all(name_of(site) in declared for site in sites)
        if sure or _differ_in_type(sites[0], sites[1]):
            place = int(lanes.lane[write]), int(lanes.home[write]), int(lanes.unit[write]) * unit
            yield Overlap(object_, sites[0], sites[1], *place, sure)


def _lost_for_others(lanes: Lanes, name: Array) -> Iterator[tuple[int, int]]:
    """Of each read, the last write before to the same unit, where that is through another name, and
    the write through the read's own name that it replaced, which no such read follows before."""
    count = len(name)
    position = np.arange(count)
    written = np.where(lanes.kind != READ, position, -1)
    last = np.maximum.accumulate(written)
    inside = (last >= 0) & (lanes.unit[last] == lanes.unit)
    reads = np.flatnonzero((lanes.kind == READ) & inside & (name[last] != name))
    # the accesses of each unit through each name stand in order, so what comes last before a place
    # is found by halving
    _, unit = np.unique(lanes.unit, return_inverse=True)
    key = (unit * (int(name.max()) + 1) + name) * count + position
    by_name = np.argsort(key)
    before = np.searchsorted(key[by_name], key[reads] - reads + last[reads]) - 1
    own = by_name[np.maximum(before, 0)]
    same = (before >= 0) & (lanes.unit[own] == lanes.unit[reads]) & (name[own] == name[reads])
    lost = same & (lanes.kind[own] != READ)
    yield from zip(last[reads[lost]].tolist(), own[lost].tolist(), strict=True)


def _differ_in_type(one: ir.AccessSite, other: ir.AccessSite) -> bool:
    """As parts of one memory do, but also views of the same part."""
    return (one.floating, one.pieces) != (other.floating, other.pieces)
