"""Faults and races of accesses as facts.

In: what the record holds of them. Out: `facts.Fault`s and `facts.Race`s in the order of the source. Decides nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kernlint.base.span import Span
from kernlint.execution.counting.extents import shape_of
from kernlint.execution.faults.copies import Unwaited
from kernlint.execution.faults.order import ATOMIC, READ, WRITE
from kernlint.execution.faults.races import RacingPair
from kernlint.execution.faults.tally import UNWAITED, UNWRITTEN, FaultTally
from kernlint.execution.faults.unwritten import Unwritten
from kernlint.ir import nodes as ir
from kernlint.model import facts

Faults = Mapping[tuple[ir.AccessSite, ir.MemoryObject, str], FaultTally]
Sizes = tuple[int, int, int]


def fault_facts(
    faults: Faults,
    unwritten: Sequence[Unwritten],
    unwaited: Sequence[Unwaited],
    launch: facts.Launch,
) -> tuple[facts.Fault, ...]:
    found = [_fault(site, tally, launch) for (site, _, _), tally in faults.items()]
    found += [_unwritten(read, launch) for read in unwritten]
    found += [_unwaited(read, launch) for read in unwaited]
    found.sort(key=lambda fault: (fault.span.path, fault.span.line, fault.span.column, fault.kind))
    return tuple(found)


def _fault(
    site: ir.AccessSite, tally: FaultTally, launch: facts.Launch, other: Span | None = None
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
        other=other,
    )


def _unwaited(read: Unwaited, launch: facts.Launch) -> facts.Fault:
    object_ = read.object
    tally = FaultTally(
        UNWAITED,
        object_,
        object_.size or 0,
        read.offset,
        read.offset,
        (read.block, read.thread),
        True,
        read.sure,
    )
    return _fault(read.site, tally, launch, read.copy.span)


def _unwritten(read: Unwritten, launch: facts.Launch) -> facts.Fault:
    object_ = read.object
    tally = FaultTally(
        UNWRITTEN,
        object_,
        object_.size or 0,
        read.offset,
        read.offset,
        (read.block, read.thread),
        True,
        True,
    )
    return _fault(read.site, tally, launch)


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
    )


def _place(number: int, sizes: Sizes) -> Sizes:
    """The three indices of a block of the grid or a thread of the block."""
    x, y, _ = sizes
    return number % x, number // x % y, number // (x * y)
