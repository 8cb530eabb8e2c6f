"""Quotients and remainders by small constants where lanes are known and their common start is not:
one set of lanes for each residue.

`i % 6` with i = blockIdx.x * 16 + threadIdx.x and an unknown block is (threadIdx.x + r) % 6 for an
r in {0, 2, 4} that all lanes share. Such a value is an atom with a choice for each residue; atoms
of one selector choose together. Counting (`tally`) tries each choice.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import product

from kernlint.execution.values import sums
from kernlint.execution.values.sums import Sum, sum_identity
from kernlint.execution.values.values import (
    Atom,
    Atoms,
    Selector,
    Value,
    add,
    determiners,
    granularity,
    identity,
    of_atom,
    spelling,
    varies_in_warp,
)
from kernlint.ir.types import Type

MOST_RESIDUES = 32
MOST_CHOICES = 64  # of all selectors of one access together


def by_residue(op: str, a: Value, divisor: int | None, type_: Type, atoms: Atoms) -> Value | None:
    """Floor of a / divisor ("/") or a mod divisor ("%"), as choices by the residue of what is
    unknown in `a`. None where its unknown part differs between the lanes of a warp, or where
    nothing but it differs, or the divisor is large."""
    if (
        divisor is None
        or not divisor > 1
        or not a.terms
        or not varies_in_warp((a.known,), atoms.warp_lanes)
    ):
        return None
    if any(atom.base is not None or atom.choices for atom in a.terms) or varies_in_warp(
        _by(a), atoms.warp_lanes
    ):
        return None
    step = math.gcd(granularity(a), divisor)
    if not 1 < divisor // step <= MOST_RESIDUES:
        return None
    residues = tuple(range(0, divisor, step))
    common = Value(sums.ZERO, a.terms)
    selector = Selector(_spelled(a.terms), divisor, residues, identity(common))
    compute = sums.floor_divide if op == "/" else sums.floor_modulo
    choices = tuple(compute(sums.add(a.known, sums.constant(r)), divisor) for r in residues)
    first = min(a.terms, key=lambda atom: (atom.name, atom.reason))
    limits = min(c.low for c in choices), max(c.high for c in choices)
    atom = Atom(
        first.name,
        first.reason,
        *limits,
        determiners=determiners(a),
        choices=choices,
        selector=selector,
    )
    value = of_atom(
        atoms.intern(("residue", op, sum_identity(a.known), selector.key, divisor), atom)
    )
    if op == "%":
        return value
    whole = atoms.derived("floor/", type_, (common, Value(sums.constant(divisor))), (None, None))
    return add(whole, value)


def _by(a: Value) -> tuple[Sum, ...]:
    return (*a.terms.values(), *(d for atom in a.terms for d in atom.determiners))


def _spelled(terms: Mapping[Atom, Sum]) -> str:
    shown = [
        spelling(atom) if c.const == 1 or not c.is_constant else f"{c.const}*{spelling(atom)}"
        for atom, c in terms.items()
    ]
    return shown[0] if len(shown) == 1 else f"({' + '.join(sorted(shown))})"


def selected(
    terms: Mapping[Atom, Sum],
) -> tuple[list[tuple[Selector | None, int, Sum]], dict[Atom, Sum]]:
    """What the atoms with choices add to an offset, for each combination of residues, as (first
    selector, its residue, what is added); and the other terms. One combination that adds nothing
    where there are none, or too many."""
    chosen = {atom: c for atom, c in terms.items() if atom.selector is not None}
    selectors = list(dict.fromkeys(atom.selector for atom in chosen if atom.selector is not None))
    if not chosen or math.prod(len(s.residues) for s in selectors) > MOST_CHOICES:
        return [(None, 0, sums.ZERO)], dict(terms)
    found: list[tuple[Selector | None, int, Sum]] = []
    for picks in product(*(range(len(s.residues)) for s in selectors)):
        at = dict(zip(selectors, picks, strict=True))
        moved = sums.ZERO
        for atom, c in chosen.items():
            assert atom.selector is not None
            moved = sums.add(moved, sums.multiply(c, atom.choices[at[atom.selector]]))
        found.append((selectors[0], selectors[0].residues[picks[0]], moved))
    return found, {atom: c for atom, c in terms.items() if atom not in chosen}
