"""A complete table of counts as a formula.

In: a pattern of one warp. Out: a sympy expression that equals it at every integer, or at every
non-negative one where the domain says so. A form is taken only if it gives every entry of the
table.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import sympy

from kernlint.base.dataclass import dataclass
from kernlint.laws.functions import Ceiling, Gcd, Max, Min, Power, Residue, Table, Value
from kernlint.laws.lane_values import Array
from kernlint.laws.patterns import CountTable, NoLaw
from kernlint.model.facts import ArgumentFact

LARGEST = 96  # entries of a table that is written out
ANY = ArgumentFact("")
FEW = 4  # exceptions that are named one by one
MANY = "it depends on an unknown in too many ways for a formula"


@dataclass(frozen=True, slots=True)
class Tabulated:
    """`beyond`: by residue, for |x| >= `bound`; `small`: of x from -bound + 1 to bound - 1."""

    unknown: Value
    bound: int
    beyond: Array
    small: Array

    def small_at(self, x: int) -> int:
        return int(self.small[x + self.bound - 1])


def fitted(pattern: CountTable, nonnegative: bool, stated: Mapping[Value, ArgumentFact]) -> Value:
    """The count of the pattern's one warp; NoLaw where no short form gives it. `stated`: of
    unknowns, which need not be met elsewhere."""
    if pattern.unknown is None:
        return sympy.Integer(int(pattern.at(np.zeros(1, np.int64))[0, 0]))
    counts = tabulated(pattern)
    common = max(1, int(np.gcd.reduce(np.concatenate([counts.beyond, counts.small]))))
    per_unit = replace(counts, beyond=counts.beyond // common, small=counts.small // common)
    return common * _fitted(per_unit, nonnegative, stated)


def _fitted(counts: Tabulated, nonnegative: bool, stated: Mapping[Value, ArgumentFact]) -> Value:
    fact = stated.get(counts.unknown, ANY)
    if (known := _as_stated(counts, fact)) is not None:
        return known
    beyond, values = _periodic(counts)
    positive = is_positive(counts.unknown)
    nonnegative = nonnegative or positive
    first = 1 if positive else 0 if nonnegative else 1 - counts.bound
    wrong = [x for x in range(first, counts.bound) if counts.small_at(x) != values[x % len(values)]]
    x = counts.unknown
    if not wrong:
        return beyond
    if len(wrong) <= FEW:
        arms = [(sympy.Integer(counts.small_at(at)), sympy.Eq(x, at)) for at in wrong]
        return sympy.Piecewise(*arms, (beyond, True))
    if beyond.is_Integer and (found := _growing(counts, int(beyond), nonnegative)) is not None:
        return found
    return _listed(counts, beyond, nonnegative)


def _as_stated(counts: Tabulated, fact: ArgumentFact) -> Value | None:
    """Where what is stated leaves one count beyond few single values."""
    period = len(counts.beyond)
    common = math.gcd(fact.multiple, period)
    beyond = {int(counts.beyond[r]) for r in range(period) if (r - fact.rest) % common == 0}
    if fact == ANY or len(beyond) != 1:
        return None
    (most,) = beyond
    low = -counts.bound if fact.low is None else fact.low
    high = counts.bound if fact.high is None else fact.high
    apart = {
        x: counts.small_at(x)
        for x in range(max(1 - counts.bound, low), min(counts.bound, high + 1))
        if (x - fact.rest) % fact.multiple == 0 and counts.small_at(x) != most
    }
    if len(apart) > FEW:
        return None
    arms = [(sympy.Integer(n), sympy.Eq(counts.unknown, x)) for x, n in apart.items()]
    return sympy.Piecewise(*arms, (sympy.Integer(most), True))


def is_positive(e: Value) -> bool:
    """Whether a product is of powers of positive numbers, which are at least 1."""
    return all(
        (part.is_Integer and part > 0)
        or (isinstance(part, Power) and part.args[0].is_Integer and part.args[0] > 0)
        for part in sympy.Mul.make_args(e)
    )


def tabulated(pattern: CountTable) -> Tabulated:
    period, bound = pattern.period, pattern.bound
    first = -(-max(bound, 1) // period) * period
    beyond = pattern.at(np.arange(first, first + period))[:, 0]
    other = pattern.at(np.arange(-first - period, -first))[:, 0]
    if (beyond != other).any():
        raise NoLaw(MANY)
    small = pattern.at(np.arange(1 - bound, bound))[:, 0] if bound else np.zeros(0, np.int64)
    return Tabulated(pattern.unknown, bound, beyond, small)


def _periodic(counts: Tabulated) -> tuple[Value, Array]:
    """The form of the counts beyond the bound, and its values by residue."""
    x, values = counts.unknown, counts.beyond
    period = len(values)
    while period % 2 == 0 and (values[: period // 2] == values[period // 2 : period]).all():
        period //= 2
    values = values[:period]
    if period == 1:
        return sympy.Integer(int(values[0])), values
    points = np.arange(period)
    for shift, divisor in itertools.product(range(period), _divisors(period)):
        form = np.gcd(points + shift, divisor)
        factor = int(values[0]) // int(form[0])
        if factor and (values == factor * form).all():
            shift -= period if shift > period // 2 else 0
            return factor * Gcd(x + shift, divisor), values
    kinds = np.unique(values)
    if len(kinds) == 2:
        for one, other in itertools.permutations(map(int, kinds)):
            places = np.flatnonzero(values == one)
            if len(places) == 1:
                arm = (sympy.Integer(one), sympy.Eq(Residue(x, period), int(places[0])))
                return sympy.Piecewise(arm, (sympy.Integer(other), True)), values
    if (values[1:] == values[:0:-1]).all() and period // 2 < LARGEST:
        nearest = Min(Residue(x, period), Residue(-x, period))
        return Table(nearest, *map(int, values[: period // 2 + 1])), values
    if period > LARGEST:
        raise NoLaw(MANY)
    return Table(Residue(x, period), *map(int, values)), values


def _divisors(n: int) -> list[int]:
    return [d for d in range(n, 1, -1) if n % d == 0]


def _growing(counts: Tabulated, most: int, nonnegative: bool) -> Value | None:
    """min(a*|x| + b, most) or the like on either side of 0."""
    x = counts.unknown
    up = _rising(counts, most, 1)
    if up is None:
        return None
    if is_positive(x):
        return up
    at_0 = sympy.Integer(counts.small_at(0))
    zero = (at_0, sympy.Eq(x, 0))
    if nonnegative and _reaches(up, counts):
        return Min(*(Max(at_0, part) for part in up.args))
    if nonnegative:
        return sympy.Piecewise(zero, (up, True))
    down = _rising(counts, most, -1)
    if down is None:
        return None
    return sympy.Piecewise(zero, (up, sympy.Gt(x, 0)), (down, True))


def _reaches(up: Value, counts: Tabulated) -> bool:
    """Whether the count at 0 is the least, to which what rises from there on may be raised."""
    at_0, up_at_0 = counts.small_at(0), up.subs(counts.unknown, 0)
    return bool(up_at_0.is_Integer and up_at_0 <= at_0 <= counts.small_at(1))


def _rising(counts: Tabulated, most: int, sign: int) -> Value | None:
    """The least a, b and divisor of min(ceil((a*|x| + b) / divisor), most), which must have reached
    `most` where the table ends."""
    small = [counts.small_at(sign * x) for x in range(1, counts.bound)]
    for divisor in (1, 2, 4, 8, 16):
        slopes = np.arange(1, 4 * most + 1)[:, None]
        starts = (small[0] * divisor - slopes - np.arange(divisor)).ravel()
        slopes = slopes.repeat(divisor)
        for x, value in enumerate((*small, most), start=1):
            fits = np.minimum(-(-(slopes * x + starts) // divisor), most) == value
            slopes, starts = slopes[fits], starts[fits]
        if len(slopes):
            line = int(slopes[0]) * sign * counts.unknown + int(starts[0])
            return Min(line if divisor == 1 else Ceiling(line, divisor), most)
    return None


def _listed(counts: Tabulated, beyond: Value, nonnegative: bool) -> Value:
    x, bound = counts.unknown, counts.bound
    if nonnegative and bound <= LARGEST:
        values = [counts.small_at(at) for at in range(bound)]
        small = Table(x, *values) if len({*values}) > 1 else sympy.Integer(values[0])
        return _cases((small, sympy.Lt(x, bound)), beyond)
    if 2 * bound - 1 > LARGEST:
        raise NoLaw(MANY)
    inside = sympy.And(sympy.Gt(x, -bound), sympy.Lt(x, bound))
    table = Table(x + bound - 1, *map(int, counts.small))
    return _cases((table, inside), beyond)


def _cases(first: tuple[Value, Value], beyond: Value) -> Value:
    """The first case, and else those of `beyond`, one list of them; equal ones are joined."""
    arms = (
        [(arm.expr, arm.cond) for arm in beyond.args] if beyond.is_Piecewise else [(beyond, True)]
    )
    if arms[0][0] == first[0] and len(arms) > 1:
        first = (first[0], sympy.Or(first[1], arms.pop(0)[1]))
    return sympy.Piecewise(first, *arms)
