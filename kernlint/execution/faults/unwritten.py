"""Reads of shared memory that no thread of the block has written.

In: the events of all sets of blocks. Out: `Unwritten`s. An object is judged only where all that may
write it is known and looked at: a write whose place is not known may have been the one that counts.
An atomic operation reads what it updates, so it fills nothing, except for an exchange.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from kernlint.base.dataclass import dataclass, replace
from kernlint.execution.faults.lanes import EventSet, Lanes, NumberedEvents, lanes_of, unit_of
from kernlint.execution.faults.order import WRITE, ByteReach, Event, Passed
from kernlint.execution.faults.remote_shared import filled_by_others
from kernlint.execution.values import sums
from kernlint.execution.values.sums import BLOCK, LANE, Array, Sum, TooDense
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import walk

MOST_LOOKED_AT = 1 << 17  # entries of an array; with more, it is not judged
NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True)
class Unwritten:
    """A load or update of what nothing has written: the first such thread, its block's number in the grid, and
    the byte."""

    object: ir.MemoryObject
    site: ir.AccessSite
    thread: int
    block: int
    offset: int


def unwritten(
    body: ir.Body, sets: Sequence[EventSet], remote: Mapping[ir.AccessSite, ByteReach]
) -> list[Unwritten]:
    """`remote`: the accesses to shared memory of other blocks."""
    found: dict[ir.AccessSite, Unwritten] = {}
    elsewhere = filled_by_others(body, remote)
    if elsewhere is None or not _is_seen(body):
        return []
    exchanges = frozenset(
        s.site for s in walk(body) if isinstance(s, ir.Atomic) and s.operation == "exch"
    )
    for one in sets:
        objects = {e.target: None for e in one.events if e.target.space == "shared"}
        for object_ in objects:
            own = [event for event in one.events if event.target is object_]
            fill = [event.kind == WRITE or event.site in exchanges for event in own]
            filled = [event for event, fills in zip(own, fill, strict=True) if fills]
            if not one.complete or object_ in elsewhere:
                continue
            if all(map(_is_placed, filled)):
                for read in _in(object_, own, fill, one):
                    found.setdefault(read.site, read)
    return list(found.values())


def _is_placed(event: Event) -> bool:
    """Whether its places are known, those of copies by several threads together too."""
    return not event.terms and bool(event.pieces) and event.site.op != "copy"


def _surely_reads(event: Event) -> bool:
    return event.sure and _is_placed(event)


def _is_seen(body: ir.Body) -> bool:
    """Whether nothing else may write: no call that is not followed, no instruction of assembly that
    is not understood."""
    unseen = (s for s in walk(body) if isinstance(s, ir.Clobber | ir.Taken))
    return all(isinstance(s, ir.Taken) and s.how == "seen" for s in unseen)


def _in(
    object_: ir.MemoryObject, events: list[Event], fill: list[bool], one: EventSet
) -> Iterator[Unwritten]:
    """`fill`: of each event, whether it fills places; others read them."""
    unit = unit_of(event for event in events if event.pieces)
    try:
        first = [(i, _earliest_executions(event)) for i, event in enumerate(events)]
        written = [(i, event) for i, event in first if fill[i]]
        read = [(i, event) for i, event in first if not fill[i] and _surely_reads(event)]
        # of one block, so that the same are looked at for both
        both = [
            lanes_of([NumberedEvents(some, one.shape)], sure, unit, 0, MOST_LOOKED_AT)
            for some, sure in ((written, False), (read, True))
        ]
    except TooDense:  # not decided
        return
    stores, loads = both
    in_whole = all(found[1] for found in both if found is not None)
    if loads is None or not in_whole:
        return
    yield from _unfilled(object_, events, loads[0], None if stores is None else stores[0], unit)


def _earliest_executions(event: Event) -> Event:
    """Of the iterations that touch the same places, those before the fewest barriers of the block:
    what an access reads or writes first decides."""
    apart = {LANE, BLOCK, *(axis for key in event.offset.parts for axis in key)}
    apart |= {axis for mask in (event.may, event.must) for axis in mask.key}
    passed = sums.add(event.passed.block, event.passed.named)
    block = _least_along(passed, apart)
    return replace(event, stored=None, passed=Passed(block=block))


def _least_along(value: Sum, kept: set[int]) -> Sum:
    """The least value along the axes that are not kept."""
    if kept.issuperset(value.key):
        return value
    key, array = sums.dense(value)
    gone = tuple(at for at, axis in enumerate(key) if axis not in kept)
    return sums.of_array(tuple(axis for axis in key if axis in kept), array.min(axis=gone))


def _unfilled(
    object_: ir.MemoryObject, events: list[Event], loads: Lanes, stores: Lanes | None, unit: int
) -> Iterator[Unwritten]:
    first = np.full(len(loads.unit), NEVER)
    if stores is not None:
        units, earliest = _earliest(stores)
        at = np.searchsorted(units, loads.unit)
        inside = at < len(units)
        hit = np.zeros(len(at), bool)
        hit[inside] = units[at[inside]] == loads.unit[inside]
        first[hit] = earliest[at[hit]]
    seen: set[ir.AccessSite] = set()
    for entry in np.flatnonzero(first > loads.block).tolist():
        site = events[int(loads.event[entry])].site
        if site not in seen:
            seen.add(site)
            place = int(loads.lane[entry]), int(loads.home[entry])
            yield Unwritten(object_, site, *place, int(loads.unit[entry]) * unit)


def _earliest(stores: Lanes) -> tuple[Array, Array]:
    """The units that are written, ascending, and how many barriers of the block come before the
    first write to each."""
    order = np.lexsort((stores.block, stores.unit))
    units, starts = np.unique(stores.unit[order], return_index=True)
    return units, stores.block[order][starts]
