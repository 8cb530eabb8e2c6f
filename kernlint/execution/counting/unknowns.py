"""What is unknown in the byte offset of an access: how it moves the lanes of a warp, and the values
that stand for all it may be.

In: the unknown terms of an offset. Out: `Unknowns`, and for each residue that matters the offsets
it gives. Never counts requests.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from kernlint.base.dataclass import dataclass, replace
from kernlint.base.per_object import PerObject
from kernlint.execution.counting.requests import Shape
from kernlint.execution.values import sums
from kernlint.execution.values.sums import LANE, Sum
from kernlint.execution.values.values import Atom, spelling, varies_in_warp

MOST_VALUES = 32  # an unknown with fewer values is counted for each
MOST_STRIDE = 1 << 20  # a size whose bound is higher may be taken to be large
# an unknown size is taken to be at least this many periods, so that rows of an array do not share
# sectors
LARGE = 1 << 22
MOST_BYTES = 1 << 62  # an offset beyond it does not fit into 64 bits beside others


@dataclass(frozen=True, slots=True)
class Unknowns:
    """How the unknown part of an offset varies: not at all modulo the period (`none`), by the
    multiple of one atom (`single`), by several that move the lanes of a warp together (`shift` by
    multiples of `granularity`), or lane by lane (`gather`). `strides`: the atom's multiple differs
    between lanes of a warp; they touch nothing in common from its value `apart_from` on."""

    kind: str
    granularity: int = 0
    atom: Atom | None = None
    strides: bool = False
    apart_from: int = LARGE

    @property
    def presumes(self) -> str:
        """What is taken for granted of a size that is a stride: nothing where its bounds say
        enough."""
        atom = self.atom
        if (
            atom is None
            or not (self.strides and atom.is_size)
            or _few(atom) is not None
            or (atom.low or 0) >= self.apart_from
        ):
            return ""
        positive = not atom.beyond and atom.multiple >= self.apart_from
        return f"{spelling(atom)} is not 0" if positive else f"{atom.name} is large"


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
    if len(striding) > 1 or any(_too_far(relevant[atom], period) for atom in striding):
        return Unknowns("gather", atom=striding[0], strides=True)
    if len(relevant) == 1:
        return Unknowns("single", 0, next(iter(relevant)), bool(striding))
    others = [divisor(c) * a.multiple for a, c in relevant.items() if a not in striding]
    if striding:
        return Unknowns("single", math.gcd(*others), striding[0], True)
    return Unknowns("shift", math.gcd(*others), next(iter(relevant)))


def _too_far(coefficient: Sum, period: int) -> bool:
    """Whether a stride taken to be large moves a lane further than 64 bits hold: as where a column
    less than 0 has wrapped round to nearly 2^32."""
    return max(abs(coefficient.low), abs(coefficient.high)) * (LARGE + 1) * period >= MOST_BYTES


def bounded(
    unknown: Unknowns, terms: Mapping[Atom, Sum], offsets: Iterable[Sum], unit: int, shape: Shape
) -> Unknowns:
    """With the stride from which lanes that it moves differently are at least `unit` bytes apart,
    where bounds of a size are known: aligned accesses have no `unit` in common then. A stride that
    cannot be so large makes lanes meet in ways that are not counted, unless it has few values.
    `offsets`: what is known, with the part of the stride that is `beyond` the atom."""
    atom = unknown.atom
    if not unknown.strides or atom is None or not atom.is_size:
        return unknown
    low, high = atom.low or 0, atom.high
    may_be_large = high is None or high >= MOST_STRIDE
    if low <= 0 and atom.multiple == 1 and may_be_large:
        return unknown
    gap, own = _least_gap(terms[atom], shape.warp_lanes), sums.scale(terms[atom], -atom.beyond)
    spread = max(
        sums.first_of_groups(sums.add(offset, own), shape.warp_lanes)[1] for offset in offsets
    )
    apart = -(-(spread + unit) // gap) - atom.beyond if gap else LARGE
    if high is not None and high < apart and _few(atom) is None:
        return Unknowns("gather", atom=atom, strides=True)
    return replace(unknown, apart_from=apart)


def _least_gap(coefficient: Sum, warp_lanes: int) -> int:
    """The least difference between unequal multiples of lanes of one warp; 0 where it is not
    told."""
    lanes = [array for key, array in coefficient.parts.items() if LANE in key]
    if len(lanes) != 1:
        return 0
    ordered = np.diff(np.sort(lanes[0].reshape(-1, warp_lanes), axis=1), axis=1)
    return int(ordered[ordered > 0].min())


def divisor(coefficient: Sum) -> int:
    """A number that divides all the values."""
    result = coefficient.const
    for array in coefficient.parts.values():
        result = math.gcd(result, divisor_of(array))
    return abs(result)


divisor_of = PerObject(lambda array: int(np.gcd.reduce(array, axis=None)))


@dataclass(frozen=True, slots=True)
class Residue:
    """The unknown is `value` modulo `modulus` (0: it is `value`)."""

    modulus: int
    value: int


# what the unknown is taken to be, and by how much that moves all lanes
Taken = tuple[Residue | None, int]


def taken(
    offset: Sum, terms: Mapping[Atom, Sum], unknown: Unknowns, period: int, sector_bytes: int
) -> Iterator[tuple[Sum, list[Taken]]]:
    """Known offsets for each residue class that the unknown part may fall into, those that differ
    by a shift of all lanes together."""
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
        yield (
            offset,
            [
                (residue, coefficient.const * value + shift)
                for residue, value in possible
                for shift in steps
            ],
        )
        return
    for residue, value in possible:
        yield (
            sums.add(offset, sums.multiply(coefficient, sums.constant(value))),
            [(residue, shift) for shift in steps],
        )


def at_zero(unknown: Unknowns, period: int) -> list[Taken]:
    """Shifts of all lanes where a size that is a stride, and taken to be large, is 0; none where it
    cannot be 0."""
    atom = unknown.atom
    if not unknown.strides or atom is None or not atom.is_size or atom.beyond:
        return []
    if (atom.low or 0) > 0 or _few(atom) is not None:
        return []
    steps = _shifts(unknown.granularity, period, period)
    return [(Residue(0, 0), shift) for shift in steps]


def lanes_alone(
    offset: Sum, terms: Mapping[Atom, Sum], unknown: Unknowns, width: int, shape: Shape
) -> bool:
    """Whether a stride taken to be large gives each lane of a warp sectors that it shares with
    none, as many whatever the residue."""
    if (
        not unknown.strides
        or unknown.atom is None
        or not unknown.atom.is_size
        or set(terms[unknown.atom].parts) != {(LANE,)}
    ):
        return False
    if _few(unknown.atom) is not None:
        return False
    rows = terms[unknown.atom].parts[LANE,].reshape(-1, shape.warp_lanes)
    apart = np.sort(rows, axis=1)
    aligned = (
        math.gcd(
            divisor(offset),
            unknown.granularity,
            *(divisor(c) * a.multiple for a, c in terms.items()),
        )
        % width
        == 0
    )
    return aligned and bool((apart[:, 1:] != apart[:, :-1]).all())


def _shifts(granularity: int, period: int, unit: int) -> list[int]:
    """Shifts of all lanes that tell their outcomes apart: every multiple of `granularity` in a
    period; beside an unknown stride, where lanes share no unit, those within the first unit of a
    period and within its last."""
    if not granularity:
        return [0]
    step = math.gcd(granularity, period)
    return sorted(
        {
            *range(0, min(unit, period), step),
            *range(period - unit if unit < period else 0, period, step),
        }
    )


def _possible(atom: Atom, modulus: int, strides: bool) -> list[tuple[Residue, int]]:
    """Values that stand for all that the unknown may be: each one where its bounds are tight, else
    each residue modulo `modulus`. Where it is a stride, lanes come apart only if it is large: so a
    size is taken to be (and that is stated), and any other unknown may be small or large."""
    step = math.gcd(atom.multiple, modulus) or 1
    few = _few(atom)
    if few is not None:
        return [(Residue(0, value), value) for value in few]
    residues = range(0, modulus, step)
    if not strides:
        return [(Residue(modulus, r), r) for r in residues]
    large = [(Residue(modulus, r), LARGE * modulus + r) for r in residues]
    if atom.is_size:
        return large
    least = max(atom.low or 0, 0)
    small = [least + (r - least) % modulus for r in residues]
    return [(Residue(0, value), value) for value in sorted(small)] + large


def _few(atom: Atom) -> range | None:
    """All values of an atom whose bounds are tight."""
    if atom.low is None or atom.high is None or atom.high - atom.low > MOST_VALUES * atom.multiple:
        return None
    return range(-(-atom.low // atom.multiple) * atom.multiple, atom.high + 1, atom.multiple)


def beyond(terms: Mapping[Atom, Sum], unknown: Unknowns, period: int) -> int:
    """By how much what `spelled` names is more than the atoms that stand for it."""
    if unknown.kind == "single" and unknown.atom is not None:
        return unknown.atom.beyond
    return sum(
        c.const * atom.beyond for atom, c in terms.items() if divisor(c) * atom.multiple % period
    )


def moved(residue: Residue, by: int) -> Residue:
    """The residue of what is `by` more."""
    value = residue.value + by
    return (
        residue
        if not by
        else Residue(residue.modulus, value % residue.modulus if residue.modulus else value)
    )


def spelled(terms: Mapping[Atom, Sum], unknown: Unknowns, period: int) -> str:
    """What is unknown, in words."""
    if unknown.kind == "single" and unknown.atom is not None:
        return spelling(unknown.atom)
    relevant = {spelling(atom) for atom, c in terms.items() if divisor(c) * atom.multiple % period}
    return f"the offset by {' and '.join(sorted(relevant))} in bytes"
