"""The value of a law at a point.

In: a law and an integer for each of its names. Out: the integer that it is there, or None where it
is none: a name is missing, C defines no result, a sum has more than `LONGEST` terms, or its sums
have more than `MOST_TERMS` together. A law is turned into functions of Python once, for all its
points: substitution by sympy would build each part anew.
"""

from __future__ import annotations

import functools
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
KEPT = 4096  # parts of laws whose functions are kept
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


Evaluation = Callable[[_Scope], Number]
Decision = Callable[[_Scope], bool]


def value_at(law: Value, point: Point) -> int | None:
    """What an expression is where its names are these numbers."""
    try:
        found = _evaluation(law)(_Scope(point, itertools.count()))
    except _Undefined:
        return None
    return found if isinstance(found, int) else None


@functools.lru_cache(KEPT)
def _evaluation(e: Value) -> Evaluation:
    if e.is_Rational:
        number = _whole(Fraction(int(e.p), int(e.q)))
        return lambda scope: number
    if e.is_Symbol:
        return _name(e)
    for is_such, made in FORMS:
        if is_such(e):
            return made(e)
    return _nothing


def _nothing(scope: _Scope) -> Number:
    raise _Undefined


def _whole(n: Number) -> Number:
    return n.numerator if isinstance(n, Fraction) and n.denominator == 1 else n


def _name(e: Value) -> Evaluation:
    def value(scope: _Scope) -> Number:
        found = scope.point.get(e)
        if found is None:
            raise _Undefined
        return found

    return value


def _added(e: Value) -> Evaluation:
    parts = [_evaluation(one) for one in e.args]
    return lambda scope: _whole(sum(part(scope) for part in parts))


def _product(e: Value) -> Evaluation:
    """0 where a factor is, whatever the others are."""
    factors = [_evaluation(one) for one in e.args]

    def value(scope: _Scope) -> Number:
        found, undefined = [], False
        for factor in factors:
            try:
                found.append(factor(scope))
            except _Undefined:
                undefined = True
        if undefined and 0 not in found:
            raise _Undefined
        return 0 if undefined else _whole(math.prod(found))

    return value


def _power(e: Value) -> Evaluation:
    base, exponent = _evaluation(e.base), int(e.exp)
    return lambda scope: _whole(base(scope) ** exponent)


def _magnitude(e: Value) -> Evaluation:
    inner = _evaluation(e.args[0])

    def value(scope: _Scope) -> Number:
        found = inner(scope)
        return found if found >= 0 else -found

    return value


def _folded(e: Value) -> Evaluation:
    arguments, fold = [_evaluation(one) for one in e.args], type(e).fold

    def value(scope: _Scope) -> Number:
        numbers = [argument(scope) for argument in arguments]
        whole = all(isinstance(n, int) for n in numbers)
        found = fold(*numbers) if whole else None
        if found is None:
            raise _Undefined
        return int(found)

    return value


def _cases(e: Value) -> Evaluation:
    arms = [(_decision(arm.cond), _evaluation(arm.expr)) for arm in e.args]

    def value(scope: _Scope) -> Number:
        for holds, arm in arms:
            if holds(scope):
                return arm(scope)
        raise _Undefined

    return value


def _sum(e: Value) -> Evaluation:
    counter, extent, summand = e.args
    counted, term = _evaluation(extent), _evaluation(summand)
    varies = counter in summand.free_symbols

    def value(scope: _Scope) -> Number:
        count = counted(scope)
        if count <= 0:
            return 0
        if not varies:
            return _whole(count * term(scope))
        if count > LONGEST or not isinstance(count, int):
            raise _Undefined
        return _whole(sum(term(inner) for inner in _turns(scope, counter, count)))

    return value


def _turns(scope: _Scope, counter: Value, count: int) -> Iterator[_Scope]:
    """The scope of each term; each is looked into before the next is asked for."""
    point = dict(scope.point)
    inner = _Scope(point, scope.terms)
    for k in range(count):
        if next(scope.terms) > MOST_TERMS:
            raise _Undefined
        point[counter] = k
        yield inner


FORMS: tuple[tuple[Callable[[Value], bool], Callable[[Value], Evaluation]], ...] = (
    (lambda e: bool(e.is_Add), _added),
    (lambda e: bool(e.is_Mul), _product),
    (lambda e: isinstance(e, Folding), _folded),
    (lambda e: isinstance(e, Summation), _sum),
    (lambda e: isinstance(e, sympy.Abs), _magnitude),
    (lambda e: bool(e.is_Piecewise), _cases),
    (lambda e: bool(e.is_Pow and e.exp.is_Integer and e.exp > 0), _power),
)


@functools.lru_cache(KEPT)
def _decision(condition: Value) -> Decision:
    if condition in (sympy.true, sympy.false):
        known = bool(condition)
        return lambda scope: known
    if isinstance(condition, Relational):
        return _relation(condition)
    if not isinstance(condition, (sympy.And, sympy.Or, sympy.Not)):
        return _undecided
    parts = [_decision(part) for part in condition.args]
    if isinstance(condition, sympy.And):
        return lambda scope: all(part(scope) for part in parts)
    if isinstance(condition, sympy.Or):
        return lambda scope: any(part(scope) for part in parts)
    return lambda scope: not parts[0](scope)


def _undecided(scope: _Scope) -> bool:
    raise _Undefined


def _relation(condition: Value) -> Decision:
    left, right = (_evaluation(side) for side in condition.args)
    compared = COMPARED[type(condition)]
    return lambda scope: compared(left(scope), right(scope))
