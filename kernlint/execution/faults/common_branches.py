"""Branches of which all threads of a block or a launch take the same side, so that nothing on one
side meets what is on the other.

In: a kernel and the events of its launch. Out: `CommonBranches`, asked by two accesses. A branch
counts where its condition is the same for all threads, stands in no loop and reads nothing that
the launch writes; of shared memory it may read what barriers part from all writes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property

from kernlint.execution.faults.lanes import EventSet
from kernlint.execution.faults.order import READ, Event
from kernlint.execution.synchronisation.uniformity import common
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import bodies, expressions, reads, sites, targets, walk

Sides = Mapping[ir.BranchSite, bool]


class CommonBranches:
    def __init__(self, kernel: ir.Kernel, sets: Sequence[EventSet]) -> None:
        self.kernel, self.sets = kernel, sets

    def part(self, one: ir.AccessSite, other: ir.AccessSite, scope: str) -> bool:
        """Whether two accesses stand on different sides of a branch that all threads in scope take
        alike."""
        sides = self._sides["block" if scope in ("block", "warp") else "grid"]
        first, second = sides.get(one, {}), sides.get(other, {})
        return any(second.get(branch, side) != side for branch, side in first.items())

    @cached_property
    def _sides(self) -> Mapping[str, Mapping[ir.AccessSite, Sides]]:
        found: dict[str, dict[ir.AccessSite, Sides]] = {"block": {}, "grid": {}}
        for scope, branches in common(self.kernel).items():
            steady = {s for s in branches if self._rewritten.isdisjoint(self._read_by(s))}
            if steady:
                _collect(self.kernel.body, {}, steady, found[scope])
        return found

    @cached_property
    def _rewritten(self) -> frozenset[ir.AccessSite]:
        """The accesses to what the launch writes."""
        events = [event for one in self.sets for event in one.events]
        writes: defaultdict[ir.MemoryObject, list[Event]] = defaultdict(list)
        for event in events:
            if event.kind != READ:
                writes[event.target].append(event)
        return frozenset(
            event.site
            for event in events
            if any(_may_change(write, event) for write in writes.get(event.target, ()))
        )

    def _read_by(self, branch: ir.If) -> set[ir.AccessSite]:
        """The accesses that the condition is made of."""
        found: set[ir.AccessSite] = set()
        pending = list(reads(branch.condition))
        seen = set(pending)
        while pending:
            for s in self._assigned.get(pending.pop(), ()):
                found.update(sites(s))
                more = {v for e in expressions(s) for v in reads(e)} - seen
                seen |= more
                pending += more
        return found

    @cached_property
    def _assigned(self) -> Mapping[ir.Variable, Sequence[ir.Statement]]:
        found: defaultdict[ir.Variable, list[ir.Statement]] = defaultdict(list)
        for s in walk(self.kernel.body):
            for target in targets(s):
                found[target].append(s)
        return found


def _may_change(write: Event, read: Event) -> bool:
    """Whether a write may come between two threads' reads."""
    before, then = (event.passed.block for event in (write, read))
    is_parted = before.high < then.low or then.high < before.low
    return not (is_parted and read.target.space == "shared") and _may_overlap(write, read)


def _may_overlap(one: Event, other: Event) -> bool:
    if one.terms or other.terms:
        return True
    (first, end), (second, last) = _extent(one), _extent(other)
    return first < last and second < end


def _extent(event: Event) -> tuple[int, int]:
    """The bytes from the first to behind the last that an event may touch."""
    first = min(offset for offset, _ in event.pieces)
    last = max(offset + width for offset, width in event.pieces)
    return event.offset.low + first, event.offset.high + last


def _collect(
    body: ir.Body, around: Sides, branches: set[ir.If], found: dict[ir.AccessSite, Sides]
) -> None:
    """By access, the sides of branches that it stands on; what stands behind a side that leaves is
    on the other one. Those in loops are left out, which one iteration may take and another not."""
    for s in body:
        found |= {site: around for site in sites(s)}
        if isinstance(s, ir.If) and s in branches:
            _collect(s.then, {**around, s.site: True}, branches, found)
            _collect(s.otherwise, {**around, s.site: False}, branches, found)
            for side, arm in ((False, s.then), (True, s.otherwise)):
                if arm and isinstance(arm[-1], ir.Leave):
                    around = {**around, s.site: side}
        else:
            for inner in bodies(s):
                _collect(inner, around, set() if isinstance(s, ir.Loop) else branches, found)
