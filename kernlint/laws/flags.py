"""Values that conditions choose: a flag, 1 where a condition holds and else 0, becomes a case.

In: sums that hold flags. Out: the sums for each 0 and 1 of them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import sympy

from kernlint.laws.functions import FLAGS, RELATIONS, Both, Either, Negated, Value
from kernlint.laws.lane_values import LaneSum, add, multiply, uniform
from kernlint.laws.patterns import NoLaw
from kernlint.laws.values import Relation

MOST = 4  # flags of one value
MANY = "the index depends on too many conditions"
COMPARISONS = dict(
    zip(
        (RELATIONS[mark] for mark in ("==", "!=", "<", "<=", ">", ">=")),
        (sympy.Eq, sympy.Ne, sympy.Lt, sympy.Le, sympy.Gt, sympy.Ge),
        strict=True,
    )
)


def condition_of(flag: Value) -> Value:
    """The condition under which a flag is not 0."""
    kind = type(flag)
    if kind in COMPARISONS:
        return COMPARISONS[kind](*flag.args)
    if kind is Both:
        return sympy.And(*map(condition_of, flag.args))
    if kind is Either:
        return sympy.Or(*map(condition_of, flag.args))
    if kind is Negated:
        return sympy.Not(condition_of(flag.args[0]))
    return sympy.Ne(flag, 0)


def by_flags(value: LaneSum) -> Iterator[tuple[tuple[Relation, ...], LaneSum]]:
    """The value without flags, with the conditions for each case. NoLaw where there are too
    many."""
    flags = list(dict.fromkeys(f for monomial in value.terms for f in _outermost(monomial)))
    if len(flags) > MOST:
        raise NoLaw(MANY)
    if not flags:
        yield (), value
        return
    for chosen in itertools.product((1, 0), repeat=len(flags)):
        numbers = {flag: sympy.Integer(n) for flag, n in zip(flags, chosen, strict=True)}
        conditions = tuple(
            Relation("!=" if n else "==", uniform(flag)) for flag, n in numbers.items()
        )
        yield conditions, _with(value, numbers)


def _with(value: LaneSum, numbers: dict[Value, Value]) -> LaneSum:
    found = LaneSum({})
    for monomial, n in value.terms.items():
        part = uniform(monomial.xreplace(numbers))
        found = add(found, multiply(LaneSum({sympy.S.One: n}), part))
    return found


def _outermost(e: Value) -> Iterator[Value]:
    if isinstance(e, FLAGS):
        yield e
        return
    for part in e.args:
        yield from _outermost(part)
