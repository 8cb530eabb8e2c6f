"""What keeps the last test of a loop from wrapping around: the one that fails.

In: values that a loop's tests hold as an iteration begins, and the conditions for it. Out: the same
of the step behind the last iteration. A loop whose counter leaves its type with that step may begin
anew and never end.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace

from kernlint.laws.functions import Value
from kernlint.laws.lane_values import LaneSum, add, minus, number, scaled
from kernlint.laws.records import LoopAxis, Obligation
from kernlint.laws.values import Relation


def behind_the_last(
    held: Iterable[Obligation],
    conditions: Iterable[Relation],
    counter: Value,
    outer: tuple[LoopAxis, ...],
) -> Iterator[Obligation]:
    """`outer`: the loops around. Of a condition a - b*k >= 0 at iteration k, the first k where it
    fails is at most a/b + 1, which bounds what moves by a multiple or a part of b."""
    bounds = [_split(one.value, counter) for one in conditions if one.relation == ">="]
    moving = [bound for bound in bounds if bound is not None and bound[1].terms]
    for one in held:
        parts = _split(one.value, counter)
        if parts is None or not parts[1].terms:
            continue
        for rest, slope in moving:
            end = _end(one, *parts, rest, slope)
            if end is not None:
                yield replace(end, loops=outer)


def _end(
    one: Obligation, start: LaneSum, step: LaneSum, rest: LaneSum, slope: LaneSum
) -> Obligation | None:
    """A bound of `start + step*k` where `rest + slope*k` first is below 0."""
    if not add(step, slope).terms:
        return replace(one, value=add(add(start, rest), step), low=None)
    if not minus(step, slope).terms:
        return replace(one, value=add(minus(start, rest), step), high=None)
    a, b = step.constant(), scaled(slope, -1).constant()
    if a is None or b is None or b <= 0:
        return None
    common = math.gcd(a, b)
    a, b = a // common, b // common
    value = add(scaled(start, b), scaled(add(rest, number(b * common)), a))
    low = None if a > 0 or one.low is None else b * one.low
    high = None if a < 0 or one.high is None else b * one.high
    return replace(one, value=value, low=low, high=high)


def _split(value: LaneSum, counter: Value) -> tuple[LaneSum, LaneSum] | None:
    """a and b of a + b*counter; None where it is not linear."""
    rest, slope = {}, {}
    for monomial, n in value.terms.items():
        each = monomial / counter
        if not monomial.has(counter):
            rest[monomial] = n
        elif not each.has(counter):
            slope[each] = n
        else:
            return None
    return LaneSum(rest), LaneSum(slope)
