"""Reads of shared memory that no thread of the block has written.

In: the events of all sets of blocks. Out: `Unwritten`s. An object is judged only where all that may
write it is known and looked at: a write whose place is not known may have been the one that counts.
An atomic operation reads what it updates, so it fills nothing, except for an exchange. Between the
same barriers a thread's own program says whether it read before it wrote; where another thread writes
as well, that is a race and no matter of this module.
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
from kernlint.ir.traversal import sites, walk, walk_expression

MOST_LOOKED_AT = 1 << 17  # entries of an array; with more, it is not judged
NOBODY = -1


@dataclass(frozen=True, slots=True)
class Unwritten:
    """A load or update of what nothing has written: the first such thread, its block's number in the grid, and
    the byte. `always`: no statement before it writes the object, so that a launch of any size is at fault."""

    object: ir.MemoryObject
    site: ir.AccessSite
    thread: int
    block: int
    offset: int
    always: bool = False


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
    return [replace(read, always=_is_first(body, read)) for read in found.values()]


def _is_first(body: ir.Body, read: Unwritten) -> bool:
    """Whether no statement before the read writes its object."""
    for s in walk(body):
        if read.site in sites(s):
            return True
        written = _written(s)
        if written is not None and read.object in (_objects(written) or (read.object,)):
            return False
    return False


def _written(s: ir.Statement) -> ir.Expression | None:
    """The address at which a statement writes."""
    match s:
        case ir.Store(address=address) | ir.Atomic(address=address) | ir.Matrix(address=address):
            return address
        case ir.Copy(destination=destination):
            return destination
    return None


def _objects(address: ir.Expression) -> tuple[ir.MemoryObject, ...]:
    """Those that an address is made of; none where it comes from a variable."""
    return tuple(e.object for e in walk_expression(address) if isinstance(e, ir.Address))


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
        first = [_earliest_executions(event) for event in events]
        # what may be written counts as written, what may be read does not
        chosen = [
            (i, replace(event, must=event.may) if fills else event)
            for i, (event, fills) in enumerate(zip(first, fill, strict=True))
            if fills or _surely_reads(event)
        ]
        # together, so that the same blocks are looked at for both
        found = lanes_of([NumberedEvents(chosen, one.shape)], True, unit, 0, MOST_LOOKED_AT)
    except TooDense:  # not decided
        return
    if found is not None and found[1]:
        yield from _unfilled(object_, events, found[0], np.array(fill), unit)


def _earliest_executions(event: Event) -> Event:
    """Of the iterations that touch the same places, those before the fewest barriers of the block:
    what an access reads or writes first decides. The time in the program stands where barriers of
    the warp are counted."""
    apart = {LANE, BLOCK, *(axis for key in event.offset.parts for axis in key)}
    apart |= {axis for mask in (event.may, event.must) for axis in mask.key}
    block = _least_along(sums.add(event.passed.block, event.passed.named), apart)
    kept = {key: steps for key, steps in event.time.parts.items() if apart.issuperset(key)}
    passed = Passed(block=block, warp=sums.make(event.time.const, kept))
    return replace(event, stored=None, passed=passed)


def _least_along(value: Sum, kept: set[int]) -> Sum:
    """The least value along the axes that are not kept."""
    if kept.issuperset(value.key):
        return value
    key, array = sums.dense(value)
    gone = tuple(at for at, axis in enumerate(key) if axis not in kept)
    return sums.of_array(tuple(axis for axis in key if axis in kept), array.min(axis=gone))


def _unfilled(
    object_: ir.MemoryObject, events: list[Event], lanes: Lanes, fill: Array, unit: int
) -> Iterator[Unwritten]:
    fills = fill[lanes.event]
    blocks, block = np.unique(lanes.home, return_inverse=True)
    place = lanes.unit * len(blocks) + block
    loads, stores = lanes[~fills], lanes[fills]
    first = _FirstStores(stores, place[fills])
    seen: set[ir.AccessSite] = set()
    for entry in np.flatnonzero(first.come_after(loads, place[~fills])).tolist():
        site = events[int(loads.event[entry])].site
        if site not in seen:
            seen.add(site)
            where = int(loads.lane[entry]), int(loads.home[entry])
            yield Unwritten(object_, site, *where, int(loads.unit[entry]) * unit)


class _FirstStores:
    """The stores to each place before which the fewest barriers come."""

    def __init__(self, stores: Lanes, places: Array) -> None:
        order = np.lexsort((stores.warp, stores.block, places))
        stores, places = stores[order], places[order]
        self.places, starts = np.unique(places, return_index=True)
        counts = np.diff(starts, append=len(places))
        earliest = stores.block == np.repeat(stores.block[starts], counts)
        # of these the first of the program, and whether one thread makes all of them
        alone = ~earliest | (stores.lane == np.repeat(stores.lane[starts], counts))
        self.block, self.time = stores.block[starts], stores.warp[starts]
        self.lane = stores.lane[starts]
        if len(starts):
            self.lane = np.where(np.logical_and.reduceat(alone, starts), self.lane, NOBODY)

    def come_after(self, loads: Lanes, places: Array) -> Array:
        """Of each load, whether nothing has written its place by then."""
        never = np.ones(len(places), bool)
        if not len(self.places):
            return never
        at = np.minimum(np.searchsorted(self.places, places), len(self.places) - 1)
        own = (self.lane[at] == loads.lane) & (self.time[at] > loads.warp)
        block = self.block[at]
        later = (block > loads.block) | ((block == loads.block) & own)
        return np.where(self.places[at] == places, later, never)
