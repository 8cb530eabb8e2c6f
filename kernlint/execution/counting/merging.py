"""Records of several sets of blocks added up.

In: two `Record`s. Out: the first one, grown by the second. Never changes the second.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import TypeVar

from kernlint.execution.barriers import BarrierTally
from kernlint.execution.counting.footprint import Touched, farther
from kernlint.execution.counting.lane_patterns import LanePatterns
from kernlint.execution.counting.residue_counts import Metric, worse
from kernlint.execution.counting.tally import CaseTotal, Tally
from kernlint.execution.record import BranchTally, Record

Key = TypeVar("Key")


def merge(into: Record, other: Record) -> None:
    _merge_tallies(into.accesses, other.accesses)
    _merge_tallies(into.compiled, other.compiled)
    _merge_tallies(into.wider, other.wider)
    into.unpredicted |= other.unpredicted
    for site, branch in other.branches.items():
        if site in into.branches:
            _add_branch(into.branches[site], branch)
        else:
            into.branches[site] = replace(branch, patterns=LanePatterns().merge(branch.patterns))
    for place, barrier in other.barriers.items():
        if place in into.barriers:
            _add_barrier(into.barriers[place], barrier)
        else:
            into.barriers[place] = replace(barrier)
    into.launches += other.launches
    for statement, times in other.executions.items():
        into.executions[statement] = into.executions.get(statement, 0) + times
    into.doubtful |= other.doubtful
    for place_touched, touched in other.touched.items():
        into.touched.setdefault(place_touched, Touched()).add(touched)
    for place_reached, reached in other.reached.items():
        into.reached[place_reached] = farther(into.reached.get(place_reached, reached), reached)
    into.skipped |= other.skipped
    into.parted |= other.parted
    for loop, most in other.longest.items():
        into.ran(loop, most)


def _merge_tallies(into: dict[Key, Tally], other: Mapping[Key, Tally]) -> None:
    for key, tally in other.items():
        if key in into:
            _add_tally(into[key], tally)
        else:
            into[key] = replace(tally)


def _add_branch(mine: BranchTally, other: BranchTally) -> None:
    mine.evaluations += other.evaluations
    mine.divergent += other.divergent
    mine.entries += other.entries
    mine.iterations += other.iterations
    mine.iteration_lanes += other.iteration_lanes
    mine.idle_lanes += other.idle_lanes
    mine.open_iterations |= other.open_iterations
    mine.open_count |= other.open_count
    mine.unknown |= other.unknown
    mine.open_divergence |= other.open_divergence
    mine.open_lanes |= other.open_lanes
    mine.reasons.update(other.reasons)
    mine.patterns.merge(other.patterns)


def _add_barrier(mine: BarrierTally, other: BarrierTally) -> None:
    mine.after_exit |= other.after_exit
    mine.absent, mine.unnamed = mine.absent or other.absent, mine.unnamed or other.unnamed
    if other.uniform is False or mine.uniform is False:
        mine.uniform = False
    elif other.uniform is None:
        mine.uniform, mine.detail = None, mine.detail or other.detail


def _add_tally(mine: Tally, other: Tally) -> None:
    mine.objects.update(other.objects)
    mine.requests += other.requests
    mine.lanes += other.lanes
    mine.sure_lanes += other.sure_lanes
    mine.weight += other.weight
    mine.weight_lanes += other.weight_lanes
    mine.open_count |= other.open_count
    mine.guarded |= other.guarded
    mine.parted |= other.parted
    mine.uncounted |= other.uncounted
    mine.unlined |= other.unlined
    mine.always_constant &= other.always_constant
    mine.indexing |= other.indexing
    mine.reasons.update(other.reasons)
    mine.assumptions.update(other.assumptions)
    for unknown, residues in other.cases.items():
        known = mine.cases.setdefault(unknown, {})
        for residue, total in residues.items():
            known.setdefault(residue, CaseTotal()).add(
                total.requests, total.wavefronts, total.sectors
            )
    if other.widest is not None and worse(other.widest, mine.widest, mine.space, mine.hardware_op):
        mine.widest = other.widest
    for name in ("wavefronts", "sectors", "lines"):
        setattr(mine, name, _sum(getattr(mine, name), getattr(other, name)))


def summed(metrics: Sequence[Metric]) -> Metric:
    return reduce(_sum, metrics, Metric())


def _sum(a: Metric, b: Metric) -> Metric:
    least = [m for m in (a.minimum, b.minimum) if m is not None]
    most = [m for m in (a.maximum, b.maximum) if m is not None]
    return Metric(
        a.total + b.total,
        a.low + b.low,
        a.high + b.high,
        a.ideal + b.ideal,
        min(least, default=None),
        max(most, default=None),
    )
