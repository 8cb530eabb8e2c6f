"""Integers of the threads of one block as sums: {monomial of what is the same for all of them:
coefficient of each thread}.

In: numpy arrays and sympy monomials. Out: the same. A coefficient is an int where all threads have
it, else int64 of shape [threads]. Sums and products are those of mathematics: they commute with
the wrap-around of a type, which the walk takes care of.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import sympy

from kernlint.base.dataclass import dataclass
from kernlint.laws.functions import Value

Array = npt.NDArray[Any]
Coefficient = int | Array
ONE = sympy.S.One


@dataclass(frozen=True, slots=True, eq=False)
class LaneSum:
    terms: Mapping[Value, Coefficient]

    @property
    def known(self) -> bool:
        """Whether it is a number in each thread."""
        return all(monomial is ONE for monomial in self.terms)

    @property
    def uniform(self) -> bool:
        """Whether all threads of a block have the same."""
        return all(isinstance(one, int) for one in self.terms.values())

    @property
    def number(self) -> Coefficient:
        """The part that is known."""
        return self.terms.get(ONE, 0)

    @property
    def expression(self) -> Value:
        """Of a uniform value."""
        return sympy.Add(*(monomial * n for monomial, n in self.terms.items()))

    def constant(self) -> int | None:
        """The integer that it is in all threads."""
        number = self.number
        return number if self.known and isinstance(number, int) else None


@dataclass(frozen=True, slots=True)
class NoValue:
    """A value that no law is made of."""

    reason: str


def number(value: Coefficient) -> LaneSum:
    plain = _plain(value)
    return LaneSum({} if _is_zero(plain) else {ONE: plain})


def uniform(expression: Value) -> LaneSum:
    """An expression that is the same in all threads, multiplied out."""
    terms: dict[Value, Coefficient] = {}
    for term in sympy.Add.make_args(sympy.expand(expression)):
        n, monomial = term.as_coeff_Mul()
        if not n.is_Integer:
            n, monomial = sympy.S.One, term
        terms[monomial] = terms.get(monomial, 0) + int(n)
    return _made(terms)


def _made(terms: dict[Value, Coefficient]) -> LaneSum:
    return LaneSum({m: n for m, c in terms.items() if not _is_zero(n := _plain(c))})


def _plain(value: Coefficient) -> Coefficient:
    if isinstance(value, int):
        return value
    first = int(value[0])
    return first if bool((value == first).all()) else value


def _is_zero(value: Coefficient) -> bool:
    return isinstance(value, int) and value == 0


def add(a: LaneSum, b: LaneSum) -> LaneSum:
    if a.known and b.known:
        return number(a.number + b.number)
    terms = dict(a.terms)
    for monomial, n in b.terms.items():
        terms[monomial] = terms.get(monomial, 0) + n
    return _made(terms)


def scaled(a: LaneSum, by: int) -> LaneSum:
    return _made({monomial: n * by for monomial, n in a.terms.items()})


def minus(a: LaneSum, b: LaneSum) -> LaneSum:
    if a.known and b.known:
        return number(a.number - b.number)
    return add(a, scaled(b, -1))


def primitive(a: LaneSum) -> LaneSum:
    """Without what divides all coefficients in all threads: of the same sign."""
    common = int(np.gcd.reduce([np.gcd.reduce(np.atleast_1d(n)) for n in a.terms.values()] or [1]))
    return _made({monomial: n // common for monomial, n in a.terms.items()})


def multiply(a: LaneSum, b: LaneSum) -> LaneSum:
    if a.known and b.known:
        return number(a.number * b.number)
    terms: dict[Value, Coefficient] = {}
    for x, n in a.terms.items():
        for y, m in b.terms.items():
            terms[x * y] = terms.get(x * y, 0) + n * m
    return _made(terms)


def merged(mask: Array, new: LaneSum, old: LaneSum) -> LaneSum:
    """`new` in the threads of the mask, `old` in the others."""
    terms: dict[Value, Coefficient] = {}
    for monomial in {**new.terms, **old.terms}:
        terms[monomial] = np.where(mask, new.terms.get(monomial, 0), old.terms.get(monomial, 0))
    return _made(terms)


def mapped(of: Callable[..., Any], *values: LaneSum) -> LaneSum:
    """A function of known values, thread by thread."""
    if all(isinstance(value.number, int) for value in values):
        return number(int(of(*(value.number for value in values))))
    found = of(*(np.asarray(value.number, dtype=np.int64) for value in values))
    return number(int(found) if np.ndim(found) == 0 else np.asarray(found, dtype=np.int64))


def split(a: LaneSum, divisor: int) -> Array | int | None:
    """The known part of a sum whose other coefficients the divisor divides; None where it does not
    divide them all."""
    rest = (n for monomial, n in a.terms.items() if monomial != ONE)
    return None if any(np.any(np.asarray(n) % divisor) for n in rest) else a.number


def over(a: LaneSum, divisor: int) -> LaneSum:
    """The floor of a quotient, of a sum that `split` takes."""
    return _made({monomial: n // divisor for monomial, n in a.terms.items()})
