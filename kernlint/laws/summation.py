"""The sum of a term over a counter from 0 to an extent.

In: expressions. Out: an expression: Faulhaber's formulas for polynomials, one period for what
depends on residues, and otherwise the sum as it is, `sum(k, n, e)`.
"""

from __future__ import annotations

import math
from functools import cache

import sympy

from kernlint.laws.functions import (
    And,
    Ceiling,
    Gcd,
    Max,
    Min,
    Rem,
    Residue,
    Summation,
    Value,
    is_clipped,
    unclipped,
)

PERIOD = 64  # the longest that is written as a sum over one


def summed(term: Value, counter: Value, extent: Value) -> Value:
    """Over 0 <= counter < extent; an extent below 0 counts as 0 where it says so by max(0, …)."""
    if not term.has(counter):
        return term * extent
    if isinstance(term, sympy.Add):
        with_counter = [part for part in term.args if part.has(counter)]
        rest = sympy.Add(*(part for part in term.args if not part.has(counter)))
        if term.is_polynomial(counter, *term.free_symbols) and is_clipped(extent):
            return _polynomial(term, counter, extent)
        parts = [_summed(part, counter, extent) for part in with_counter]
        if term.is_polynomial(counter):
            parts = [_polynomial(sympy.Add(*with_counter), counter, extent)]
        return sympy.Add(*parts, rest * extent if rest != 0 else sympy.S.Zero)
    return _summed(term, counter, extent)


def _summed(term: Value, counter: Value, extent: Value) -> Value:
    factors = sympy.Mul.make_args(term)
    fixed = sympy.Mul(*(factor for factor in factors if not factor.has(counter)))
    moving = sympy.Mul(*(factor for factor in factors if factor.has(counter)))
    if moving.is_polynomial(counter):
        return fixed * _polynomial(moving, counter, extent)
    for form in (_clipped, _multiples, _periodic):
        found = form(moving, counter, extent)
        if found is not None:
            return fixed * found
    return fixed * Summation(counter, extent, moving)


def _polynomial(term: Value, counter: Value, extent: Value) -> Value:
    """By Faulhaber's formulas."""
    end = sympy.Dummy("end", integer=True)
    coefficients = sympy.Poly(sympy.expand(term), counter).all_coeffs()[::-1]
    powers = [c * _of_power(d).xreplace({END: end}) for d, c in enumerate(coefficients) if c != 0]
    found = powers[0] if len(powers) == 1 else sympy.factor(sympy.expand(sympy.Add(*powers)))
    if not is_clipped(extent):
        return found.xreplace({end: extent})
    inner = unclipped(extent)
    some = found.xreplace({end: inner})
    if inner.is_polynomial(*inner.free_symbols):
        some = sympy.factor(sympy.expand(some))
    return sympy.Piecewise((some, sympy.Gt(inner, 0)), (sympy.S.Zero, True))


END = sympy.Dummy("end", integer=True)


@cache
def _of_power(degree: int) -> Value:
    """The sum of k**degree over 0 <= k < END."""
    at_end = sympy.bernoulli(degree + 1, END) - sympy.bernoulli(degree + 1, 0)
    return sympy.factor(sympy.expand(at_end / (degree + 1)))


def _clipped(term: Value, counter: Value, extent: Value) -> Value | None:
    """A polynomial times one max(0, a + b*counter), which is 0 on one side of a point."""
    factors = sympy.Mul.make_args(term)
    clips = [f for f in factors if is_clipped(f)]
    if len(clips) != 1 or len(clips[0].args) != 2:
        return None
    inner = unclipped(clips[0])
    others = sympy.Mul(*(f for f in factors if f is not clips[0]))
    if not others.is_polynomial(counter) or not inner.is_polynomial(counter):
        return None
    slope = sympy.expand(inner).coeff(counter, 1)
    if sympy.degree(inner, counter) != 1 or not slope.is_Integer:
        return None
    rest = sympy.expand(inner - slope * counter)
    body = sympy.expand(others * inner)
    if slope < 0:
        end = rest if slope == -1 else Ceiling(rest, -slope)
        return _polynomial(body, counter, Min(extent, Max(0, end)))
    first = Max(0, -rest if slope == 1 else Ceiling(-rest, slope))
    if rest.is_Integer and rest >= 0:
        return _polynomial(body, counter, extent)
    low = Min(extent, first)
    return _polynomial(body, counter, extent) - _polynomial(body, counter, low)


def _multiples(term: Value, counter: Value, extent: Value) -> Value | None:
    """cases(mod(s*counter, p) == 0: a, true: b): each p/gcd(s, p)-th iteration counts a."""
    if (
        not isinstance(term, sympy.Piecewise)
        or len(term.args) != 2
        or term.args[1].cond is not sympy.true
    ):
        return None
    (a, condition), (b, _) = term.args
    if a.has(counter) or b.has(counter) or not isinstance(condition, sympy.Eq):
        return None
    left, right = condition.args
    if not isinstance(left, Residue) or right != 0:
        return None
    argument, period = left.args
    step = sympy.expand(argument).coeff(counter, 1)
    if not period.is_Integer or step.has(counter) or sympy.expand(argument - step * counter) != 0:
        return None
    often = Ceiling(extent * Gcd(step, period), period)
    return b * extent + (a - b) * often


def _periodic(term: Value, counter: Value, extent: Value) -> Value | None:
    """What depends on the counter through residues of polynomials only."""
    residues = [one for one in sympy.preorder_traversal(term)
                if isinstance(one, (Residue, Rem, And)) and one.has(counter)]  # fmt: skip
    outer = {one: sympy.Dummy() for one in residues}
    if term.xreplace(outer).has(counter) or not residues:
        return None
    periods = []
    for one in residues:
        argument, period = one.args if not isinstance(one, And) else _masked(one)
        whole = not isinstance(one, Rem) or argument == counter
        if not whole or not argument.is_polynomial(counter):
            return None
        if not period.is_Integer or period <= 0:
            return None
        periods.append(int(period))
    period = math.lcm(*periods)
    if period > PERIOD or (extent.is_Integer and extent <= period):
        return None
    places = []
    if term.free_symbols == {counter}:
        places = [term.xreplace({counter: sympy.Integer(r)}) for r in range(period)]
    if places and all(place.is_Integer for place in places):
        return sympy.Add(*(p * Ceiling(extent - r, period) for r, p in enumerate(places) if p != 0))
    return Summation(counter, period, term * Ceiling(extent - counter, period))


def _masked(e: Value) -> tuple[Value, Value]:
    """Of a bitwise `&` with 2**k - 1 what it is the residue of, and 2**k; else no period."""
    number, argument = sorted(e.args, key=lambda one: not one.is_Integer)
    whole = number.is_Integer and number > 0 and not int(number) & (int(number) + 1)
    return argument, number + 1 if whole else sympy.S.Zero
