"""Quotients of values that differ between lanes, as unknowns that must cancel out.

In: a dividend and a divisor. Out: their quotient as a name, their remainder as `a - b*q`. So what
takes an index apart and puts it together again (`r = i / w; c = i % w; x[r * w + c]`) is the index
itself, and everything else is recognised as what has no closed form.
"""

from __future__ import annotations

import numpy as np

from kernlint.laws.functions import symbol
from kernlint.laws.lane_values import ONE, LaneSum, minus, multiply, uniform

MARK = "/"  # before the name of a quotient
REASON = "the index holds a quotient of values that differ between lanes"


class Quotients:
    """Of one walk. Dividends are at least 0 and divisors at least 1, as the domain must say."""

    def __init__(self) -> None:
        self._known: dict[object, LaneSum] = {}
        self._most: dict[object, int] = {}  # of quotients and remainders, which are at least 0
        self._names = 0

    def quotient(self, a: LaneSum, b: LaneSum, most: int) -> LaneSum:
        """`most`: the greatest value of their type."""
        key = (_key(a), _key(b))
        if key not in self._known:
            self._known[key] = self._fresh()
        return self._noted(self._known[key], most)

    def remainder(self, a: LaneSum, b: LaneSum, most: int) -> LaneSum:
        return self._noted(minus(a, multiply(b, self.quotient(a, b, most))), most)

    def fits(self, value: LaneSum, most: int) -> bool:
        """Whether it is a quotient or remainder from 0 to `most`."""
        return self._most.get(_key(value), most + 1) <= most

    def lost(self) -> LaneSum:
        """What cancels out nowhere."""
        return self._fresh()

    def _fresh(self) -> LaneSum:
        self._names += 1
        return uniform(symbol(f"{MARK}{self._names}"))

    def _noted(self, value: LaneSum, most: int) -> LaneSum:
        key = _key(value)
        self._most[key] = max(most, self._most.get(key, 0))
        return value


def _key(value: LaneSum) -> object:
    rest = ((m, np.asarray(n).tobytes()) for m, n in value.terms.items() if m != ONE)
    return frozenset(rest), np.asarray(value.number).tobytes()


def is_open(value: LaneSum) -> bool:
    """Whether a quotient is left in it."""
    return any(
        name.name.startswith(MARK) for monomial in value.terms for name in monomial.free_symbols
    )
