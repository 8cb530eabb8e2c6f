"""Which accesses lie on opposite sides of a branch, or where one value of an unknown does not lead
to both, as cases of a `switch`.

In: the undecided branches around each access, the side of each that it is on, and what holds there.
Out: a table of pairs, made of whole columns: a kernel of hundreds of branches has a hundred
thousand pairs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from kernlint.execution.faults.elections import NO_LIMIT, Unknowns, limit_of
from kernlint.execution.faults.order import Event, Path
from kernlint.execution.values.booleans import Condition, Threshold
from kernlint.execution.values.sums import TooDense

Table = NDArray[np.bool_]
Limits = tuple[Unknowns, int, int]  # the least and the greatest value with which some thread comes
MOST_CELLS = 1 << 24  # of a table; more accesses are looked at pair by pair alone


def parted_events(events: Sequence[Event], is_common: Callable[[Condition], bool]) -> Table | None:
    """For each two accesses whether threads never come to both, by the conditions that `is_common`
    and by what all threads of a launch compare; None where that is not known of any two, or there
    are too many."""
    sides = opposite_sides([event.path for event in events], is_common)
    apart = values_apart([event.implies for event in events])
    return sides if apart is None else apart if sides is None else sides | apart


def values_apart(implied: Sequence[tuple[Threshold, ...]]) -> Table | None:
    """For each two accesses, of which `implied` holds, whether no value of an unknown lets any two
    threads come to both: the values for one lie below those for the other."""
    if len(implied) > MOST_CELLS // max(len(implied), 1) or not any(implied):
        return None
    known: dict[Threshold, Limits | None] = {}
    rows: defaultdict[Unknowns, list[tuple[int, int, int]]] = defaultdict(list)
    for row, thresholds in enumerate(implied):
        for unknowns, (low, high) in _between(thresholds, known).items():
            rows[unknowns].append((row, low, high))
    parted = np.zeros((len(implied), len(implied)), bool)
    for own in rows.values():
        numbers, lows, highs = np.array(own).T
        parted[np.ix_(numbers, numbers)] |= lows[:, np.newaxis] > highs
    return parted | parted.T if parted.any() else None


def _between(
    thresholds: Sequence[Threshold], known: dict[Threshold, Limits | None]
) -> dict[Unknowns, tuple[int, int]]:
    """The values of each unknown that all of these let pass, of any thread, in any block and
    iteration. `known`: of those that were asked for before."""
    found: dict[Unknowns, tuple[int, int]] = {}
    try:
        for threshold in thresholds:
            if threshold not in known:
                known[threshold] = _limits(threshold)
            limits = known[threshold]
            if limits is not None:
                unknowns, low, high = limits
                least, most = found.get(unknowns, (low, high))
                found[unknowns] = max(least, low), min(most, high)
    except TooDense:
        return {}
    return found


def _limits(threshold: Threshold) -> Limits | None:
    """Not of what differs between blocks or iterations: threads of two may compare with others."""
    moves = threshold.by_block or threshold.of_iteration
    if moves or not threshold.unknowns or threshold.operator == "!=":
        return None
    unknowns, low, high = limit_of(threshold)
    least = -NO_LIMIT if low is None else int(low.min())
    return unknowns, least, NO_LIMIT if high is None else int(high.max())


def opposite_sides(paths: Sequence[Path], is_common: Callable[[Condition], bool]) -> Table | None:
    """For each two paths whether a condition that `is_common` parts them; None where no two are
    parted, or there are too many."""
    numbers = {condition: 0 for path in paths for condition, _ in path}
    numbers = {c: i for i, c in enumerate(c for c in numbers if is_common(c))}
    if not numbers or len(paths) * max(len(paths), len(numbers)) > MOST_CELLS:
        return None
    sides = np.zeros((len(paths), len(numbers)), np.float32)
    for row, path in enumerate(paths):
        for condition, holds in path:
            column = numbers.get(condition)
            if column is not None:
                sides[row, column] = 1 if holds else -1
    parted = np.maximum(sides, 0) @ np.maximum(-sides, 0).T > 0
    return parted | parted.T
