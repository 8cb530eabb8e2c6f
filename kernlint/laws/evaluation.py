"""The value of a law at a point.

In: a law and an integer for each of its names. Out: the integer that it is there, or None where it
is none: a name is missing, C defines no result, a sum has more than `LONGEST` terms, or its sums
have more than `MOST_TERMS` together. Nothing is built: substitution by sympy would make each part
anew.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction

import sympy
from sympy.core.relational import Relational

from kernlint.base.dataclass import dataclass
from kernlint.laws.functions import LONGEST, Folding, Summation, Value

Point = Mapping[Value, int]
Number = int | Fraction
MOST_TERMS = 4 * LONGEST  # of sums in sums
COMPARED: dict[Value, Callable[[Number, Number], bool]] = {
    sympy.Eq: operator.eq,
    sympy.Ne: operator.ne,
    sympy.Lt: operator.lt,
    sympy.Le: operator.le,
    sympy.Gt: operator.gt,
    sympy.Ge: operator.ge,
}


class _Undefined(Exception):
    """There is no such value."""


@dataclass(frozen=True, slots=True)
class _Scope:
    """What names are here. `terms` counts those of all sums."""

    point: Point
    terms: Iterator[int]

    def within(self, counter: Value, k: int) -> _Scope:
        if next(self.terms) > MOST_TERMS:
            raise _Undefined
        return _Scope({**self.point, counter: k}, self.terms)


def value_at(law: Value, point: Point) -> int | None:
    """What an expression is where its names are these numbers."""
    try:
        found = _number(law, _Scope(point, itertools.count()))
    except _Undefined:
        return None
    return found if isinstance(found, int) else None


def _number(e: Value, scope: _Scope) -> Number:
    if e.is_Integer:
        return int(e)
    if e.is_Rational:
        return Fraction(int(e.p), int(e.q))
    if e.is_Symbol:
        if e not in scope.point:
            raise _Undefined
        return scope.point[e]
    if e.is_Add:
        return _whole(sum(_number(one, scope) for one in e.args))
    if e.is_Mul:
        return _product(e, scope)
    if isinstance(e, Folding):
        return _folded(e, scope)
    if isinstance(e, Summation):
        return _sum(e, scope)
    if isinstance(e, sympy.Abs):
        inner = _number(e.args[0], scope)
        return inner if inner >= 0 else -inner
    if e.is_Piecewise:
        return _number(_arm(e, scope), scope)
    if e.is_Pow and e.exp.is_Integer and e.exp > 0:
        return _whole(_number(e.base, scope) ** int(e.exp))
    raise _Undefined


def _whole(n: Number) -> Number:
    return n.numerator if isinstance(n, Fraction) and n.denominator == 1 else n


def _product(e: Value, scope: _Scope) -> Number:
    """0 where a factor is, whatever the others are."""
    factors: list[Number] = []
    undefined = False
    for one in e.args:
        try:
            factors.append(_number(one, scope))
        except _Undefined:
            undefined = True
    if undefined and 0 not in factors:
        raise _Undefined
    return 0 if undefined else _whole(math.prod(factors))


def _folded(e: Value, scope: _Scope) -> int:
    arguments = [_number(one, scope) for one in e.args]
    whole = all(isinstance(one, int) for one in arguments)
    found = type(e).fold(*arguments) if whole else None
    if found is None:
        raise _Undefined
    return int(found)


def _arm(e: Value, scope: _Scope) -> Value:
    for arm in e.args:
        if _holds(arm.cond, scope):
            return arm.expr
    raise _Undefined


def _sum(e: Value, scope: _Scope) -> Number:
    counter, extent, term = e.args
    count = _number(extent, scope)
    if count <= 0:
        return 0
    if counter not in term.free_symbols:
        return _whole(count * _number(term, scope))
    if count > LONGEST or not isinstance(count, int):
        raise _Undefined
    return _whole(sum(_number(term, scope.within(counter, k)) for k in range(count)))


def _holds(condition: Value, scope: _Scope) -> bool:
    if condition in (sympy.true, sympy.false):
        return bool(condition)
    if isinstance(condition, sympy.And):
        return all(_holds(part, scope) for part in condition.args)
    if isinstance(condition, sympy.Or):
        return any(_holds(part, scope) for part in condition.args)
    if isinstance(condition, sympy.Not):
        return not _holds(condition.args[0], scope)
    if isinstance(condition, Relational):
        sides = [_number(side, scope) for side in condition.args]
        return COMPARED[type(condition)](*sides)
    raise _Undefined
