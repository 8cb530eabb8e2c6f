"""What is certainly not below 0 wherever a law holds.

In: the domain, the ranges of arguments, counters of blocks and iterations. Out: an answer for an
expression.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import sympy

from kernlint.base.dataclass import dataclass
from kernlint.laws.domain import bound_of, is_positive_multiple
from kernlint.laws.functions import Ceiling, Div, Floor, Gcd, Power, Rem, Residue, Shr, Value

QUOTIENTS = (Div, Floor, Ceiling, Rem, Shr)  # which keep the sign, by a positive number


@dataclass(frozen=True, slots=True)
class Nonnegative:
    names: frozenset[Value]

    @staticmethod
    def of(
        domain: Iterable[Value],
        ranges: Mapping[Value, tuple[int, int]],
        counters: frozenset[Value],
    ) -> Nonnegative:
        found = {name for name, (low, _) in ranges.items() if low >= 0}
        for e in domain:
            bound = bound_of(e)
            if is_positive_multiple(e):
                found.add(e.as_coeff_Mul()[1])
            elif bound is not None and bound[1] >= 0:
                found.add(bound[0])
        return Nonnegative(counters.union(found))

    def __contains__(self, e: object) -> bool:
        return e is not None and self.holds(e)

    def holds(self, e: Value) -> bool:
        if e in self.names:
            return True
        if isinstance(e, sympy.Add):
            return all(self.holds(term) for term in e.args)
        if isinstance(e, sympy.Mul):
            return all(self.holds(factor) for factor in e.args)
        if isinstance(e, sympy.Integer):
            return bool(e >= 0)
        return self._is_function_from_0(e)

    def _is_function_from_0(self, e: Value) -> bool:
        if isinstance(e, QUOTIENTS):
            by = e.args[1]
            return bool(by.is_Integer and by > 0) and self.holds(e.args[0])
        if isinstance(e, Residue):
            return bool(e.args[1].is_Integer and e.args[1] > 0)
        if isinstance(e, Power):
            return bool(e.args[0].is_Integer and e.args[0] > 0)
        return isinstance(e, Gcd)
