"""Records of several sets of blocks added up.

In: two `RunRecord`s. Out: the first one, grown by the second. Never changes the second. How the fields
of a tally grow is declared with them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import add
from typing import TypeVar

from kernlint.base.dataclass import replace
from kernlint.execution.counting.footprint import Touched, farther
from kernlint.execution.counting.merge_rules import grow
from kernlint.execution.counting.residue_counts import Metric
from kernlint.execution.counting.tally import Tally
from kernlint.execution.record import BranchTally, RunRecord

Key = TypeVar("Key")


def merge(into: RunRecord, other: RunRecord) -> None:
    _merge_tallies(into.accesses, other.accesses)
    _merge_tallies(into.compiled, other.compiled)
    _merge_tallies(into.wider, other.wider)
    into.unpredicted |= other.unpredicted
    for site, branch in other.branches.items():
        grow(into.branches.setdefault(site, BranchTally(site)), branch)
    for place, barrier in other.barriers.items():
        grow(into.barriers.setdefault(place, replace(barrier)), barrier)
    into.launches += other.launches
    for statement, times in other.executions.items():
        into.executions[statement] = into.executions.get(statement, 0) + times
    into.doubtful |= other.doubtful
    for place_touched, touched in other.touched.items():
        into.touched.setdefault(place_touched, Touched()).add(touched)
    for place_reached, reached in other.reached.items():
        into.reached[place_reached] = farther(into.reached.get(place_reached, reached), reached)
    for fault, tally in other.faults.items():
        if fault in into.faults:
            grow(into.faults[fault], tally)
        else:
            into.faults[fault] = replace(tally)
    into.skipped |= other.skipped
    into.parted |= other.parted
    for loop, most in other.longest.items():
        into.ran(loop, most)


def _merge_tallies(into: dict[Key, Tally], other: Mapping[Key, Tally]) -> None:
    for key, tally in other.items():
        if key in into:
            grow(into[key], tally)
        else:
            into[key] = replace(tally)


def summed(metrics: Sequence[Metric]) -> Metric:
    return reduce(add, metrics, Metric())
