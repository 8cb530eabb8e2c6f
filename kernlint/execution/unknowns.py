"""What is unknown in the byte offset of an access: how it moves the lanes of a warp, and the values that stand for all it may be.

In: the unknown terms of an offset. Out: `Unknowns`, and for each residue that matters the offsets it gives. Never counts requests.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from kernlint.execution import sums
from kernlint.execution.requests import Shape
from kernlint.execution.sums import LANE, Sum
from kernlint.execution.values import Atom, varies_in_warp
from kernlint.records import dataclass
from kernlint.remembered import PerObject

MOST_VALUES = 32  # an unknown with fewer values is counted for each
LARGE = 1 << 22  # an unknown size is taken to be at least this many periods, so that rows of an array do not share sectors


@dataclass(frozen=True, slots=True)
class Unknowns:
    """How the unknown part of an offset varies: not at all modulo the period (`none`), by the multiple of one atom (`single`), by
    several that move the lanes of a warp together (`shift` by multiples of `granularity`), or lane by lane (`gather`).
    `strides`: the atom's multiple differs between lanes of a warp."""

    kind: str
    granularity: int = 0
    atom: Atom | None = None
    strides: bool = False


def classify(terms: Mapping[Atom, Sum], shape: Shape, period: int) -> Unknowns:
    relevant: dict[Atom, Sum] = {}
    striding: list[Atom] = []
    for atom, coefficient in terms.items():
        if varies_in_warp(atom.determiners, shape.warp_lanes):
            return Unknowns("gather", atom=atom)
        if varies_in_warp((coefficient,), shape.warp_lanes):
            striding.append(atom)
        elif divisor(coefficient) * atom.multiple % period == 0:
            continue
        relevant[atom] = coefficient
    if not relevant:
        return Unknowns("none")
    if len(striding) > 1:
        return Unknowns("gather", atom=striding[0], strides=True)
    if len(relevant) == 1:
        return Unknowns("single", 0, next(iter(relevant)), bool(striding))
    others = [divisor(c) * a.multiple for a, c in relevant.items() if a not in striding]
    if striding:
        return Unknowns("single", math.gcd(*others), striding[0], True)
    return Unknowns("shift", math.gcd(*others), next(iter(relevant)))


def divisor(coefficient: Sum) -> int:
    """A number that divides all the values."""
    result = coefficient.const
    for array in coefficient.parts.values():
        result = math.gcd(result, _divisor_of(array))
    return abs(result)


_divisor_of = PerObject(lambda array: int(np.gcd.reduce(array, axis=None)))


@dataclass(frozen=True, slots=True)
class Residue:
    """The unknown is `value` modulo `modulus` (0: it is `value`)."""

    modulus: int
    value: int


Taken = tuple[Residue | None, int]  # what the unknown is taken to be, and by how much that moves all lanes


def taken(offset: Sum, terms: Mapping[Atom, Sum], unknown: Unknowns, period: int, sector_bytes: int) -> Iterator[tuple[Sum, list[Taken]]]:
    """Known offsets for each residue class that the unknown part may fall into, those that differ by a shift of all lanes together."""
    if unknown.kind == "none":
        yield offset, [(None, 0)]
        return
    steps = _shifts(unknown.granularity, period, sector_bytes if unknown.strides else period)
    if unknown.kind == "shift":
        yield offset, [(Residue(period, shift), shift) for shift in steps]
        return
    atom = unknown.atom
    assert atom is not None
    coefficient = terms[atom]
    modulus = period // math.gcd(period, divisor(coefficient))
    possible = _possible(atom, modulus, unknown.strides)
    if coefficient.is_constant:
        yield offset, [(residue, coefficient.const * value + shift) for residue, value in possible for shift in steps]
        return
    for residue, value in possible:
        yield sums.add(offset, sums.multiply(coefficient, sums.constant(value))), [(residue, shift) for shift in steps]


def lanes_alone(offset: Sum, terms: Mapping[Atom, Sum], unknown: Unknowns, width: int, shape: Shape) -> bool:
    """Whether a stride taken to be large gives each lane of a warp sectors that it shares with none, as many whatever the residue."""
    if not unknown.strides or unknown.atom is None or not unknown.atom.is_size or set(terms[unknown.atom].parts) != {(LANE,)}:
        return False
    rows = terms[unknown.atom].parts[LANE,].reshape(-1, shape.warp_lanes)
    apart = np.sort(rows, axis=1)
    aligned = math.gcd(divisor(offset), unknown.granularity, *(divisor(c) * a.multiple for a, c in terms.items())) % width == 0
    return aligned and bool((apart[:, 1:] != apart[:, :-1]).all())


def _shifts(granularity: int, period: int, unit: int) -> list[int]:
    """Shifts of all lanes that tell their outcomes apart: every multiple of `granularity` in a period; beside an unknown stride, where
    lanes share no unit, those within the first unit of a period and within its last."""
    if not granularity:
        return [0]
    step = math.gcd(granularity, period)
    return sorted({*range(0, min(unit, period), step), *range(period - unit if unit < period else 0, period, step)})


def _possible(atom: Atom, modulus: int, strides: bool) -> list[tuple[Residue, int]]:
    """Values that stand for all that the unknown may be: each one where its bounds are tight, else each residue modulo `modulus`. Where
    it is a stride, lanes come apart only if it is large: so a size is taken to be (and that is stated), and any other unknown may be
    small or large."""
    step = math.gcd(atom.multiple, modulus) or 1
    if atom.low is not None and atom.high is not None and atom.high - atom.low <= MOST_VALUES * atom.multiple:
        first = -(-atom.low // atom.multiple) * atom.multiple
        return [(Residue(0, value), value) for value in range(first, atom.high + 1, atom.multiple)]
    residues = range(0, modulus, step)
    if not strides:
        return [(Residue(modulus, r), r) for r in residues]
    large = [(Residue(modulus, r), LARGE * modulus + r) for r in residues]
    if atom.is_size:
        return large
    return [(Residue(0, r), r) for r in residues] + large


def spelled(terms: Mapping[Atom, Sum], unknown: Unknowns, period: int) -> str:
    """What is unknown, in words."""
    if unknown.kind == "single" and unknown.atom is not None:
        return unknown.atom.name
    relevant = {atom.name for atom, c in terms.items() if divisor(c) * atom.multiple % period}
    return f"the offset by {' and '.join(sorted(relevant))} in bytes"
