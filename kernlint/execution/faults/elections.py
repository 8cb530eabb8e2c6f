"""Which conditions let only one thread of a block come to two accesses.

In: both accesses with the undecided branches around. Out: whether no two threads can. Conditions that compare
what is known of each thread with one unknown bound it: `threadIdx.x == first` by one number, and
`4 * t <= last && 4 * (t + 1) > last` by a stretch that no other thread's meets.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from kernlint.execution.faults.order import Event, common_loops
from kernlint.execution.values.booleans import Condition, Threshold
from kernlint.execution.values.sums import BLOCK, LANE, Array, Sum, TooDense, dense, same
from kernlint.execution.values.values import ITERATIONS, Atom, varies_by_iteration
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import walk

NO_LIMIT = 1 << 62
FENCES = {"memory"}  # scopes of barriers at which no thread waits
OF_WARPS = {*FENCES, "warp", "tile"}
Unknowns = frozenset[tuple[object, int]]
Limits = tuple[Array | None, Array | None]  # None: there is none


def are_of_one_thread(one: Event, other: Event, scope: str) -> bool:
    """Whether one condition, two of the same numbers and the same unknown, or bounds of one unknown
    let only one thread of a block come to both."""
    freely = _meet_by_iteration(one, other, scope)
    elected, again = _elections(one, freely), _elections(other, freely)
    if any(_are_one(first, second) for first in elected for second in again):
        return True
    return are_apart(_bounds(one, freely), _bounds(other, freely))


def _elections(event: Event, freely: bool) -> list[Condition]:
    """Conditions that choose one thread: the same in every iteration where they meet `freely`."""
    found = [condition for condition, holds in event.path if _elects(condition, holds)]
    return [condition for condition in found if not _moves(condition)] if freely else found


def _bounds(event: Event, freely: bool) -> tuple[Threshold, ...]:
    bounds = event.implies
    return tuple(bound for bound in bounds if not bound.of_iteration) if freely else bounds


def _meet_by_iteration(one: Event, other: Event, scope: str) -> bool:
    """Whether two iterations of a loop around both, with no barrier between, access one place."""
    if _steps(one) or _steps(other):
        return False
    return not all(_waits(loop, scope) for loop in common_loops(one, other))


@lru_cache(maxsize=256)
def _waits(loop: ir.Loop, scope: str) -> bool:
    """Whether threads of a "block" or a "warp" wait for one another in the loop, or may."""
    scopes = {s.site.scope for s in walk((loop,)) if isinstance(s, ir.Barrier)}
    calls = any(isinstance(s, ir.Clobber) for s in walk((loop,)))
    return calls or not scopes <= (FENCES if scope == "warp" else OF_WARPS)


def _steps(event: Event) -> bool:
    """Whether the place is another one in each iteration."""
    axes = {axis for key in event.offset.parts for axis in key}
    return not axes <= {LANE, BLOCK} or any(map(varies_by_iteration, event.terms))


def _moves(condition: Condition) -> bool:
    return any(threshold.of_iteration for threshold in condition.thresholds or ())


def may_hide_thread(event: Event) -> bool:
    """Whether a guard compares a name that nothing declares, and that no constant has (`TILE`): it
    may be a macro for the thread's number."""
    return any(
        isinstance(atom, Atom) and atom.is_undeclared and not atom.name.isupper()
        for threshold in event.implies
        for atom, _ in threshold.unknowns
    )


@lru_cache(maxsize=256)
def are_apart(one: tuple[Threshold, ...], other: tuple[Threshold, ...]) -> bool:
    """Whether no two threads of a block can be where one holds and where the other does."""
    try:
        first, second = _limits(one), _limits(other)
    except TooDense:
        return False
    return any(_keep_apart(first[unknowns], second[unknowns]) for unknowns in first.keys() & second)


def keep_apart(one: Event, other: Event, lanes: Array, again: Array, scope: str) -> Array | None:
    """By pairs of threads: whether no value of one unknown lets both come, the first of `lanes` to
    one access and the second of `again` to the other (`(t & 1) == colour`); None: not known. Threads
    of different blocks ("grid") share what no block changes."""
    if not (one.implies and other.implies):
        return None
    freely = scope == "grid" or _meet_by_iteration(one, other, scope)
    try:
        first, second = (_limits_of(event.implies, scope, freely) for event in (one, other))
    except TooDense:
        return None
    apart = np.zeros((len(lanes), len(again)), bool)
    for unknowns in first.keys() & second.keys():
        (low, high), (low_again, high_again) = first[unknowns], second[unknowns]
        if low is not None and high_again is not None:
            apart |= np.greater.outer(_at(low, lanes), _at(high_again, again))
        if low_again is not None and high is not None:
            apart |= np.less.outer(_at(high, lanes), _at(low_again, again))
    return apart


@lru_cache(maxsize=256)
def _limits_of(
    implied: tuple[Threshold, ...], scope: str, freely: bool
) -> Mapping[Unknowns, Limits]:
    """Of what holds in all blocks, and in all iterations that threads may be in together."""
    if scope == "grid":
        implied = tuple(t for t in implied if not t.by_block)
    if freely:
        implied = tuple(t for t in implied if not t.of_iteration)
    return _limits(implied)


def _at(limit: Array, lanes: Array) -> Array:
    found: Array = limit[lanes] if len(limit) > 1 else np.full(len(lanes), limit[0])
    return found


def _are_one(one: Condition, other: Condition) -> bool:
    if one is other:
        return True
    (first,), (second,) = one.thresholds or (), other.thresholds or ()
    is_same = first.unknowns == second.unknowns and one.detail == other.detail
    return is_same and same(first.known, second.known)


@lru_cache(maxsize=256)
def _elects(condition: Condition, holds: bool) -> bool:
    """Whether at most one thread of a block takes this side: `threadIdx.x == first`."""
    thresholds = condition.thresholds or ()
    if len(thresholds) != 1 or thresholds[0].operator != ("==" if holds else "!="):
        return False
    parts = thresholds[0].known.parts
    numbers = parts.get((LANE,))
    apart = numbers is not None and len(np.unique(numbers)) == numbers.size
    return apart and not any(LANE in key and len(key) > 1 for key in parts)


def _limits(implied: tuple[Threshold, ...]) -> Mapping[Unknowns, Limits]:
    """The least and the greatest value of each unknown with which a thread comes there."""
    found: dict[Unknowns, Limits] = {}
    for threshold in implied:
        if threshold.unknowns and threshold.operator != "!=":
            unknowns, low, high = limit_of(threshold)
            least, most = found.get(unknowns, (None, None))
            found[unknowns] = _tighter(np.maximum, least, low), _tighter(np.minimum, most, high)
    return found


def _tighter(choose: np.ufunc, one: Array | None, other: Array | None) -> Array | None:
    if one is None or other is None:
        return other if one is None else one
    chosen: Array = choose(one, other)
    return chosen


@lru_cache(maxsize=1024)
def limit_of(threshold: Threshold) -> tuple[Unknowns, Array | None, Array | None]:
    """By thread: the loosest limits of all blocks and iterations."""
    least, most = _by_thread(threshold.known)
    low, high = None, None
    if threshold.operator in ("<", "<=", "=="):
        low = least + (threshold.operator == "<")
    if threshold.operator in (">", ">=", "=="):
        high = most - (threshold.operator == ">")
    # numbers of iterations, which only add to one side
    steps = frozenset(one for one in threshold.unknowns if _counts_iterations(one[0]))
    adding = {c > 0 for _, c in steps}
    low, high = None if True in adding else low, None if False in adding else high
    unknowns = threshold.unknowns - steps
    first = min(unknowns, key=lambda one: id(one[0]), default=None)
    if first is not None and first[1] < 0:  # of one sign, so that it is known again
        unknowns = frozenset((a, -c) for a, c in unknowns)
        low, high = (None if bound is None else -bound for bound in (high, low))
    return unknowns, low, high


def _counts_iterations(atom: object) -> bool:
    return (
        isinstance(atom, Atom)
        and atom.reason == ITERATIONS
        and atom.low is not None
        and atom.low >= 0
    )


def _by_thread(known: Sum) -> tuple[Array, Array]:
    key, array = dense(known)
    others = tuple(i for i, axis in enumerate(key) if axis != LANE)
    return np.atleast_1d(array.min(others)), np.atleast_1d(array.max(others))


def _keep_apart(one: Limits, other: Limits) -> bool:
    """Whether no value of the unknown lies within the limits of two threads."""
    (least, most), (least_again, most_again) = one, other
    is_open_below = least is None and least_again is None
    is_open_above = most is None and most_again is None
    if is_open_below or is_open_above:
        return False
    lows = [_limited(limit, -NO_LIMIT) for limit in (least, least_again)]
    highs = [_limited(limit, NO_LIMIT) for limit in (most, most_again)]
    low, low_again, high, high_again = np.broadcast_arrays(*lows, *highs)
    if len(low) < 2 or max(low.max(), low_again.max()) <= min(high.min(), high_again.min()):
        return False
    meet = np.maximum.outer(low, low_again) <= np.minimum.outer(high, high_again)
    np.fill_diagonal(meet, False)
    return not meet.any()


def _limited(limit: Array | None, otherwise: int) -> Array:
    return np.array([otherwise]) if limit is None else limit
