"""Faults and races of accesses as facts.

In: what the record holds of them. Out: `facts.Fault`s and `facts.Race`s in the order of the source. Decides nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kernlint.base.dataclass import replace
from kernlint.execution.counting.extents import shape_of
from kernlint.execution.faults.copies import Unwaited
from kernlint.execution.faults.locks import SpinLock
from kernlint.execution.faults.order import ATOMIC, READ, WRITE, common_loops
from kernlint.execution.faults.overlaps import Overlap
from kernlint.execution.faults.races import RacingPair
from kernlint.execution.faults.remote_shared import Ended
from kernlint.execution.faults.tally import (
    ALIGNMENT,
    ENDED,
    OVERLAP,
    SPIN,
    UNWAITED,
    UNWRITTEN,
    FaultTally,
)
from kernlint.execution.faults.unwritten import Unwritten
from kernlint.ir import nodes as ir
from kernlint.model import facts

Faults = Mapping[tuple[ir.AccessSite, ir.MemoryObject, str], FaultTally]
Sizes = tuple[int, int, int]


def fault_facts(
    faults: Faults,
    narrowed: Mapping[ir.AccessSite, str],
    unwritten: Sequence[Unwritten],
    unwaited: Sequence[Unwaited],
    spin_locks: Sequence[SpinLock],
    overlaps: Sequence[Overlap],
    ended: Sequence[Ended],
    launch: facts.Launch,
) -> tuple[facts.Fault, ...]:
    """`narrowed`: accesses that nvcc may make narrower, which need less alignment then, and why."""
    found = [
        _fault(site, _if_narrowed(tally, narrowed.get(site)), launch)
        for (site, _, _), tally in faults.items()
    ]
    found += [_at_place(UNWRITTEN, read, True, launch) for read in unwritten]
    found += [_at_place(UNWAITED, read, read.sure, launch, read.copy) for read in unwaited]
    found += [_at_place(SPIN, lock, lock.sure, launch) for lock in spin_locks]
    found += [_at_place(OVERLAP, one, one.sure, launch, one.lost) for one in overlaps]
    found += [_at_place(ENDED, one, one.sure, launch) for one in ended]
    found.sort(key=lambda fault: (fault.span.path, fault.span.line, fault.span.column, fault.kind))
    return tuple(found)


def _if_narrowed(tally: FaultTally, why: str | None) -> FaultTally:
    if why is None or tally.kind != ALIGNMENT:
        return tally
    return replace(tally, sure=False, reason="compiler", detail=why)


def _fault(
    site: ir.AccessSite, tally: FaultTally, launch: facts.Launch, other: ir.AccessSite | None = None
) -> facts.Fault:
    object_, (block, thread) = tally.object, tally.where
    return facts.Fault(
        span=site.span,
        kind=tally.kind,
        text=site.text,
        op=site.op,
        object=object_.name,
        space=object_.space,
        size=tally.limit,
        low=tally.low,
        high=tally.high,
        block=_place(block, launch.grid or (1, 1, 1)),
        thread=_place(thread, launch.block),
        certain=tally.sure,
        by_thread=tally.by_thread,
        element_bytes=shape_of(object_.type)[1],
        dynamic=object_.dynamic,
        object_span=object_.span,
        reason=tally.reason,
        detail=tally.detail,
        calls=site.calls,
        other=None if other is None else other.span,
        other_text="" if other is None else other.text,
    )


def _at_place(
    kind: str,
    found: Unwritten | Unwaited | SpinLock | Overlap | Ended,
    sure: bool,
    launch: facts.Launch,
    other: ir.AccessSite | None = None,
) -> facts.Fault:
    object_, offset = found.object, found.offset
    where = found.block, found.thread
    # of the others, a block of any size is at fault
    by_thread = isinstance(found, Unwritten) and not found.always
    size = object_.size or 0
    tally = FaultTally(kind, object_, size, offset, offset, where, by_thread, sure)
    return _fault(found.site, tally, launch, other)


OPERATIONS = {READ: "read", WRITE: "write", ATOMIC: "atomic"}


def race_facts(races: Sequence[RacingPair]) -> tuple[facts.Race, ...]:
    """Each pair of accesses once: the surest."""
    found: dict[tuple[object, ...], RacingPair] = {}
    for race in races:
        pair = (race.first, race.second, race.scope)
        if pair not in found or (race.sure and not found[pair].sure):
            found[pair] = race
    made = [_race(race) for race in found.values()]
    made.sort(key=lambda one: (one.span.path, one.span.line, one.span.column, one.scope))
    return tuple(made)


def _race(race: RacingPair) -> facts.Race:
    first, second, object_ = race.first, race.second, race.object
    element = shape_of(object_.type)[1] or 1
    earlier, later = race.kinds
    return facts.Race(
        span=second.span,
        text=second.text,
        op=OPERATIONS[later],
        other=first.span,
        other_text=first.text,
        other_op=OPERATIONS[earlier],
        object=object_.name,
        space=object_.space,
        scope=race.scope,
        element=race.offset // element,
        threads=race.threads,
        blocks=race.blocks,
        certain=race.sure,
        object_span=object_.span,
        calls=second.calls,
        loop=None if race.loop is None else race.loop.site.span,
        in_loop=race.events is not None and bool(common_loops(*race.events)),
    )


def _place(number: int, sizes: Sizes) -> Sizes:
    """The three indices of a block of the grid or a thread of the block."""
    x, y, _ = sizes
    return number % x, number // x % y, number // (x * y)
