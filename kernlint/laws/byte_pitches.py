"""Run-time pitches and offsets in bytes: `(float *)(base + row * pitch)`.

In: the records of an access. Out: the same with each such argument as a multiple of the bytes that
the access must be aligned to, and the way back for the law that is made of them. An access at
another multiple is a fault, so that its law need not hold there.
"""

from __future__ import annotations

import math
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace

import numpy as np
import sympy

from kernlint.base.dataclass import dataclass
from kernlint.laws.functions import Residue, Value, symbol
from kernlint.laws.lane_values import Coefficient, LaneSum, NoValue
from kernlint.laws.records import AccessRecord
from kernlint.laws.solving import Least


@dataclass(frozen=True, slots=True)
class Units:
    """`steps`: by argument its unit in bytes; `names`: by argument the symbol that counts these."""

    records: tuple[AccessRecord, ...]
    steps: Mapping[Value, int]
    names: Mapping[Value, Value]

    @property
    def domain(self) -> tuple[Value, ...]:
        """What is at least 0 where the arguments are multiples of their units."""
        return tuple(-Residue(argument, step) for argument, step in self.steps.items())

    def ranges(self, of: Mapping[Value, tuple[int, int]]) -> dict[Value, tuple[int, int]]:
        """What the units may be, by the types of their arguments."""
        steps = (
            (name, of[argument], self.steps[argument]) for argument, name in self.names.items()
        )
        return {name: (-(-low // step), high // step) for name, (low, high), step in steps}

    def in_bytes(self, e: Value) -> Value:
        back = {name: argument / self.steps[argument] for argument, name in self.names.items()}
        return e.xreplace(back)

    def condition(self, low: Value) -> Value:
        """What is at least 0 where `low` is, in whole bytes."""
        found = self.in_bytes(low)
        parts = (term.as_coeff_Mul()[0].q for term in sympy.Add.make_args(found))
        return sympy.expand(found * math.lcm(*parts))

    def least(self, found: Least) -> Least:
        for argument, name in self.names.items():
            if found.unknown == name:
                step = self.steps[argument]
                residues = frozenset(r * step for r in found.residues)
                value = None if found.value is None else found.value * step
                return Least(argument, found.period * step, residues, value)
        return replace(found, unknown=self.in_bytes(found.unknown))


def in_units(records: Sequence[AccessRecord], arguments: Container[Value]) -> Units:
    """As they are where all addresses are aligned, or where more than arguments decides that."""
    steps: dict[Value, int] = {}
    for record in records:
        address = record.address
        terms = address.terms.items() if isinstance(address, LaneSum) else ()
        for monomial, n in terms:
            step = record.width // math.gcd(record.width, int(np.gcd.reduce(n, axis=None)))
            if step == 1:
                continue
            argument = _argument(monomial, arguments)
            if argument is None:
                return Units(tuple(records), {}, {})
            steps[argument] = math.lcm(step, steps.get(argument, 1))
    names = {argument: symbol(f"{argument.name}/{step}") for argument, step in steps.items()}
    counted = {argument: steps[argument] * name for argument, name in names.items()}
    made = (replace(one, address=_counted(one.address, counted)) for one in records)
    return Units(tuple(made) if steps else tuple(records), steps, names)


def _argument(monomial: Value, arguments: Container[Value]) -> Value | None:
    """The one factor of a product that is an argument."""
    factors = [one for one in sympy.Mul.make_args(monomial) if one in arguments]
    return factors[0] if len(factors) == 1 else None


def _counted(address: LaneSum | NoValue, counted: Mapping[Value, Value]) -> LaneSum | NoValue:
    if isinstance(address, NoValue):
        return address
    terms: dict[Value, Coefficient] = {}
    for monomial, n in address.terms.items():
        step, product = monomial.xreplace(counted).as_coeff_Mul()
        terms[product] = n * int(step) + terms.get(product, 0)
    return LaneSum(terms)
