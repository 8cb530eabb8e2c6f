"""The values of an unknown for which an access counts least.

In: complete tables of counts. Out: the condition, and the least stride, pitch or offset from the
one at hand on that meets it.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping

import numpy as np
import sympy

from kernlint.base.dataclass import dataclass
from kernlint.laws.evaluation import value_at
from kernlint.laws.fitting import tabulated
from kernlint.laws.functions import Residue, Value
from kernlint.laws.patterns import CountTable, NoLaw
from kernlint.model.facts import ArgumentFact

LONGEST = 1024  # of a period
SMALL = 64  # the largest single value that is named


@dataclass(frozen=True, slots=True)
class Least:
    """Where the requests of an access count least: residues of the unknown modulo `period`, or the
    one positive value where no residue will do."""

    unknown: Value
    period: int
    residues: frozenset[int]
    value: int | None = None

    @property
    def condition(self) -> Value | None:
        """As short as it can be said; sufficient where the residues are no single class."""
        if self.value is not None:
            return sympy.Eq(self.unknown, self.value)
        found = self._class()
        return None if found is None else sympy.Eq(Residue(self.unknown, found[0]), found[1])

    def of_argument(self, arguments: Container[Value]) -> Least:
        """The same of the one argument in a product, where its multiples will do: nobody chooses the
        block or the iteration that it is multiplied by."""
        factors = [one for one in sympy.Mul.make_args(self.unknown) if one in arguments]
        found = self._class()
        if found is None or found[1] != 0 or len(factors) != 1:
            return self
        return Least(factors[0], found[0], frozenset({0}))

    def from_on(self, facts: Mapping[Value, ArgumentFact]) -> Value | None:
        """The least value, from the unknown on, that meets the condition."""
        found = self._class()
        if found is None or self.value is not None or not self.unknown.is_Symbol:
            return None
        modulus, residue = found
        fact = facts.get(self.unknown)
        if fact is not None and fact.multiple % modulus == 0:
            return self.unknown + (residue - fact.rest) % modulus
        return self.unknown + Residue(residue - self.unknown, modulus)

    def _class(self) -> tuple[int, int] | None:
        for modulus in (m for m in range(2, self.period + 1) if self.period % m == 0):
            for residue in range(modulus):
                if self.residues.issuperset(range(residue, self.period, modulus)):
                    return modulus, residue
        return None


def least(
    table: CountTable, domain: Iterable[Value], is_apart: Callable[[Value, int], bool]
) -> Least | None:
    """None where the unknown does not matter. A single value is one that the domain, expressions
    that are at least 0, allows, and at which threads keep elements of their own (`is_apart`)."""
    if table.unknown is None or table.period > LONGEST:
        return None
    try:
        counts = tabulated(table)
    except NoLaw:
        return None
    best = int(counts.beyond.min())
    alone = [low for low in domain if low.free_symbols == table.unknown.free_symbols]
    small = {
        x: counts.small_at(x)
        for x in range(1, min(counts.bound, SMALL))
        if _allowed(table.unknown, x, alone)
    }
    better = sorted((count, x) for x, count in small.items() if count < best)
    for _, x in better:
        if is_apart(table.unknown, x):
            return Least(table.unknown, 1, frozenset(), x)
    good = np.flatnonzero(counts.beyond == best)
    if len(good) == len(counts.beyond):
        return None
    return Least(table.unknown, table.period, frozenset(int(n) for n in good))


def _allowed(unknown: Value, x: int, lows: Iterable[Value]) -> bool:
    if not unknown.is_Symbol:
        return True
    values = (value_at(low, {unknown: x}) for low in lows)
    return all(value is None or value >= 0 for value in values)


def together(some: Iterable[Least]) -> Least | None:
    """Where all count least; None where their unknowns differ or nothing suits all."""
    found: Least | None = None
    for one in some:
        if found is None:
            found = one
            continue
        if one.unknown != found.unknown or one.value is not None or found.value is not None:
            return None
        period = int(np.lcm(one.period, found.period))
        residues = frozenset(
            r for r in range(period)
            if r % one.period in one.residues and r % found.period in found.residues
        )  # fmt: skip
        if not residues:
            return None
        found = Least(one.unknown, period, residues)
    return found
