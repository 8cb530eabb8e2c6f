"""Records of several sets of blocks added up.

In: two `Record`s. Out: the first one, grown by the second. Never changes the second.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

from kernlint.execution.counting.footprint import Touched, farther
from kernlint.execution.counting.lane_patterns import LanePatterns
from kernlint.execution.counting.residue_counts import Metric, worse
from kernlint.execution.counting.tally import CaseTotal, Tally
from kernlint.execution.record import Record


def merge(into: Record, other: Record) -> None:
    for key, tally in other.accesses.items():
        if key in into.accesses:
            _add_tally(into.accesses[key], tally)
        else:
            into.accesses[key] = replace(tally)
    for made, more in ((into.compiled, other.compiled), (into.wider, other.wider)):
        for piece, tally in more.items():
            if piece in made:
                _add_tally(made[piece], tally)
            else:
                made[piece] = replace(tally)
    into.unpredicted |= other.unpredicted
    for site, branch in other.branches.items():
        if site in into.branches:
            mine = into.branches[site]
            mine.evaluations += branch.evaluations
            mine.divergent += branch.divergent
            mine.entries += branch.entries
            mine.turns += branch.turns
            mine.turn_lanes += branch.turn_lanes
            mine.idle_lanes += branch.idle_lanes
            mine.open_turns |= branch.open_turns
            mine.open_count |= branch.open_count
            mine.unknown |= branch.unknown
            mine.open_parting |= branch.open_parting
            mine.open_lanes |= branch.open_lanes
            mine.reasons.update(branch.reasons)
            mine.patterns.merge(branch.patterns)
        else:
            into.branches[site] = replace(branch, patterns=LanePatterns().merge(branch.patterns))
    for place, barrier in other.barriers.items():
        known = into.barriers.setdefault(place, replace(barrier))
        if known is not barrier:
            known.after_exit |= barrier.after_exit
            known.absent, known.unnamed = (
                known.absent or barrier.absent,
                known.unnamed or barrier.unnamed,
            )
            if barrier.uniform is False or known.uniform is False:
                known.uniform = False
            elif barrier.uniform is None:
                known.uniform, known.detail = None, known.detail or barrier.detail
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
