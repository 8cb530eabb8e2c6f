"""Bounds that the condition around gives a value: of `n < 512 ? n : 512` the first is at most 511.

In: a value, the type that it is taken as, and the thresholds that hold there. Out: its bounds
there. Only what one threshold says of one unknown is read. Never: what a comparison says that
wraps around, as of `(size_t)i >= 10`, or reads other bits than the value has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from kernlint.base.dataclass import replace
from kernlint.execution.values.booleans import Threshold
from kernlint.execution.values.values import Value, bounds, identity
from kernlint.ir.types import Integer, Type, type_bounds

Ends = tuple[int | None, int | None]
# least and greatest t with `number operator t`
PASSING: dict[str, Callable[[int], Ends]] = {
    "<": lambda number: (number + 1, None),
    "<=": lambda number: (number, None),
    ">": lambda number: (None, number - 1),
    ">=": lambda number: (None, number),
    "==": lambda number: (number, number),
}

LEAST_OF_NEGATIVE = 1 << 31  # what a negative number is at least, read as an unsigned one


def implied_bounds(value: Value, type_: Type, thresholds: Iterable[Threshold]) -> Ends:
    """The bounds of `value`, taken as of that type, where all thresholds hold."""
    low, high = bounds(value)
    if len(value.terms) != 1:
        return low, high
    [(atom, factor)] = value.terms.items()
    if factor.parts or factor.const <= 0 or not value.known.is_constant:
        return low, high
    unreduced = _signed_atom(value, type_)
    for threshold in thresholds:
        if unreduced is not None:
            low, high = _as_unsigned((low, high), unreduced, threshold)
        if threshold.reduced_to is not None and not _overflows_alike(threshold.reduced_to, type_):
            continue
        least, most = _limits(atom, threshold)
        low = _closer(low, least, factor.const, value.known.const, max)
        high = _closer(high, most, factor.const, value.known.const, min)
    return (low, high) if _are_within((low, high), type_) else bounds(value)


def _signed_atom(value: Value, type_: Type) -> object | None:
    """What stands for the value in comparisons of an unsigned type that it is taken for, where it
    is one unknown of the signed type as wide."""
    [(_, factor)] = value.terms.items()
    if not isinstance(type_, Integer) or type_.signed or type_.is_bool:
        return None
    if factor.const != 1 or value.known.const:
        return None
    least, most = type_bounds(replace(type_, signed=True))
    is_signed = _are_between(bounds(value), least, most)
    return (identity(value), str(type_)) if is_signed else None


def _as_unsigned(ends: Ends, whole: object, threshold: Threshold) -> Ends:
    """An unsigned number that is at most a small one is not negative as a signed one either."""
    most = _limits(whole, threshold)[1]
    if most is None or not 0 <= most < LEAST_OF_NEGATIVE:
        return ends
    return _closer(ends[0], 0, 1, 0, max), _closer(ends[1], most, 1, 0, min)


def lies_within(value: Value, type_: Type) -> bool:
    """Whether the type holds all that the value, which is kept unreduced, may be."""
    return _are_within(bounds(value), type_)


def _are_within(ends: Ends, type_: Type) -> bool:
    return _are_between(ends, *type_bounds(type_))


def _are_between(ends: Ends, least: int | None, most: int | None) -> bool:
    low, high = ends
    return (least is None or (low is not None and low >= least)) and (
        most is None or (high is not None and high <= most)
    )


def _overflows_alike(compared: Type, taken: Type) -> bool:
    """Whether both read the same bits, and arithmetic does not leave the type."""
    return isinstance(compared, Integer) and compared.signed and compared == taken


def _limits(atom: object, threshold: Threshold) -> Ends:
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
