"""Bounds that the condition around gives a value: of `n < 512 ? n : 512` the first is at most 511.

In: a value and the thresholds that hold where it is taken. Out: its bounds there. Only what one
threshold says of one unknown is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from kernlint.execution.values.booleans import Threshold
from kernlint.execution.values.values import Atom, Value, bounds

Ends = tuple[int | None, int | None]
# least and greatest t with `number operator t`
PASSING: dict[str, Callable[[int], Ends]] = {
    "<": lambda number: (number + 1, None),
    "<=": lambda number: (number, None),
    ">": lambda number: (None, number - 1),
    ">=": lambda number: (None, number),
    "==": lambda number: (number, number),
}


def implied_bounds(value: Value, thresholds: Iterable[Threshold]) -> Ends:
    """The bounds of `value` where all thresholds hold."""
    low, high = bounds(value)
    if len(value.terms) != 1:
        return low, high
    [(atom, factor)] = value.terms.items()
    if factor.parts or factor.const <= 0 or not value.known.is_constant:
        return low, high
    for threshold in thresholds:
        least, most = _limits(atom, threshold)
        low = _closer(low, least, factor.const, value.known.const, max)
        high = _closer(high, most, factor.const, value.known.const, min)
    return low, high


def _limits(atom: Atom, threshold: Threshold) -> Ends:
    """What the threshold, `known operator factor * atom`, says of the atom."""
    factors = dict(threshold.unknowns)
    factor = factors.get(atom, 0)
    passing = PASSING.get(threshold.operator)
    is_of_one = len(factors) == 1 and factor != 0 and not threshold.of_iteration
    if passing is None or not is_of_one or not threshold.known.is_constant:
        return None, None
    low, high = passing(threshold.known.const)
    least, most = (low, high) if factor > 0 else (high, low)
    return (
        None if least is None else -(-least // factor),
        None if most is None else most // factor,
    )


def _closer(
    end: int | None, limit: int | None, factor: int, shift: int, closest: Callable[[int, int], int]
) -> int | None:
    if limit is None:
        return end
    return limit * factor + shift if end is None else closest(end, limit * factor + shift)
