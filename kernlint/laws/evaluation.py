"""The value of a law at a point.

In: a law and an integer for each of its names. Out: the integer that it is there, or None where it
is none: a name is missing, C defines no result, or a sum has more than `LONGEST` terms. Nothing is
built: substitution by sympy would make each part anew.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from fractions import Fraction

import sympy
from sympy.core.relational import Relational

from kernlint.laws.functions import LONGEST, Folding, Summation, Value

Point = Mapping[Value, int]
Number = int | Fraction
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


def value_at(law: Value, point: Point) -> int | None:
    """What an expression is where its names are these numbers."""
    try:
        found = _number(law, point)
    except _Undefined:
        return None
    return found if isinstance(found, int) else None


def _number(e: Value, point: Point) -> Number:
    if e.is_Integer:
        return int(e)
    if e.is_Rational:
        return Fraction(int(e.p), int(e.q))
    if e.is_Symbol:
        if e not in point:
            raise _Undefined
        return point[e]
    if e.is_Add:
        return _whole(sum(_number(one, point) for one in e.args))
    if e.is_Mul:
        return _product(e, point)
    if isinstance(e, Folding):
        return _folded(e, point)
    if isinstance(e, Summation):
        return _sum(e, point)
    if isinstance(e, sympy.Abs):
        inner = _number(e.args[0], point)
        return inner if inner >= 0 else -inner
    if e.is_Piecewise:
        return _number(_arm(e, point), point)
    if e.is_Pow and e.exp.is_Integer and e.exp > 0:
        return _whole(_number(e.base, point) ** int(e.exp))
    raise _Undefined


def _whole(n: Number) -> Number:
    return n.numerator if isinstance(n, Fraction) and n.denominator == 1 else n


def _product(e: Value, point: Point) -> Number:
    """0 where a factor is, whatever the others are."""
    factors: list[Number] = []
    undefined = False
    for one in e.args:
        try:
            factors.append(_number(one, point))
        except _Undefined:
            undefined = True
    if undefined and 0 not in factors:
        raise _Undefined
    return 0 if undefined else _whole(math.prod(factors))


def _folded(e: Value, point: Point) -> int:
    arguments = [_number(one, point) for one in e.args]
    whole = all(isinstance(one, int) for one in arguments)
    found = type(e).fold(*arguments) if whole else None
    if found is None:
        raise _Undefined
    return int(found)


def _arm(e: Value, point: Point) -> Value:
    for arm in e.args:
        if _holds(arm.cond, point):
            return arm.expr
    raise _Undefined


def _sum(e: Value, point: Point) -> Number:
    counter, extent, term = e.args
    count = _number(extent, point)
    if count <= 0:
        return 0
    if counter not in term.free_symbols:
        return _whole(count * _number(term, point))
    if count > LONGEST or not isinstance(count, int):
        raise _Undefined
    return _whole(sum(_number(term, {**point, counter: k}) for k in range(count)))


def _holds(condition: Value, point: Point) -> bool:
    if condition in (sympy.true, sympy.false):
        return bool(condition)
    if isinstance(condition, sympy.And):
        return all(_holds(part, point) for part in condition.args)
    if isinstance(condition, sympy.Or):
        return any(_holds(part, point) for part in condition.args)
    if isinstance(condition, sympy.Not):
        return not _holds(condition.args[0], point)
    if isinstance(condition, Relational):
        sides = [_number(side, point) for side in condition.args]
        return COMPARED[type(condition)](*sides)
    raise _Undefined
