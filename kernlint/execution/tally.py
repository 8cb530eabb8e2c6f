"""Counting: warp requests of one access to wavefronts, sectors and lines, summed over the launch.

In: a byte-offset value with its mask. Out: a `Tally` per (site, space) with totals, extremes and what keeps the number from being exact.
Unknown shifts and strides are counted for every residue that they may have, so their numbers are ranges with cases, not guesses.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

import numpy as np

from kernlint import deadline
from kernlint.execution import sums
from kernlint.execution.booleans import Bool
from kernlint.execution.masks import Mask
from kernlint.execution.measures import Counted, classes, count_moved, measures
from kernlint.execution.requests import Batch, Shape, batches, executions
from kernlint.execution.selection import selected
from kernlint.execution.sums import LANE, Array, Sum
from kernlint.execution.values import Atom, Selector, Value, base_of, varies_in_warp
from kernlint.hardware import Device
from kernlint.hardware.rows import Requests, distinct_requests
from kernlint.lowering import ir
from kernlint.records import dataclass, field

MOST_VALUES = 32  # an unknown with fewer values is counted for each
LARGE = 1 << 22  # an unknown size is taken to be at least this many periods, so that rows of an array do not share sectors


@dataclass(slots=True)
class Metric:
    """One counter over requests: weighted total and extremes, its ideal, and bounds of the total over what is unknown."""

    total: float = 0.0
    low: float = 0.0
    high: float = 0.0
    ideal: float = 0.0
    minimum: int | None = None
    maximum: int | None = None

    def add(self, counted: Counted, ideal: int, times: int) -> None:
        """Adds requests that are counted and would ideally count `ideal`, all of them `times` times."""
        self.total += float(counted.total * times)
        self.ideal += float(ideal * times)
        self.minimum = counted.minimum if self.minimum is None else min(self.minimum, counted.minimum)
        self.maximum = counted.maximum if self.maximum is None else max(self.maximum, counted.maximum)


@dataclass(frozen=True, slots=True)
class Widest:
    """The costliest request seen. `block`: linear index of its block in the grid, None when many blocks do the same."""

    count: int
    lanes: tuple[int | None, ...]  # byte offsets
    block: int | None
    warp: int


@dataclass(slots=True)
class CaseTotal:
    """What one residue of an unknown would give, summed over requests."""

    requests: int = 0
    wavefronts: float = 0.0
    sectors: float = 0.0

    def add(self, requests: int, wavefronts: float, sectors: float) -> None:
        self.requests += requests
        self.wavefronts += wavefronts
        self.sectors += sectors


@dataclass(slots=True)
class Tally:
    """What was seen of one access in one memory space. `weight`: requests counted in the metrics (symbolic iterations count once)."""

    site: ir.AccessSite
    space: str
    hardware_op: str
    objects: dict[ir.MemoryObject, None] = field(default_factory=dict)
    requests: int = 0
    lanes: int = 0
    weight: float = 0.0
    weight_lanes: float = 0.0
    open_count: bool = False  # some execution's number of repetitions is unknown
    guarded: bool = False  # whether a warp executes it depends on data: the machine may run it predicated, with no lane active
    uncounted: bool = False  # some request's addresses are unknown
    wavefronts: Metric = field(default_factory=Metric)
    sectors: Metric = field(default_factory=Metric)
    lines: Metric = field(default_factory=Metric)
    reasons: dict[tuple[str, str], None] = field(default_factory=dict)  # (reason, detail) that keep it from being exact
    assumptions: dict[str, None] = field(default_factory=dict)
    cases: dict[tuple[str, int], dict[int, CaseTotal]] = field(default_factory=dict)  # by (unknown, modulus) and residue
    widest: Widest | None = None
    always_constant: bool = True  # every address was a compile-time constant
    loops: tuple[ir.Loop, ...] = ()


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
        elif _gcd(coefficient) * atom.multiple % period == 0:
            continue
        relevant[atom] = coefficient
    if not relevant:
        return Unknowns("none")
    if len(striding) > 1:
        return Unknowns("gather", atom=striding[0], strides=True)
    if len(relevant) == 1:
        return Unknowns("single", 0, next(iter(relevant)), bool(striding))
    others = [_gcd(c) * a.multiple for a, c in relevant.items() if a not in striding]
    if striding:
        return Unknowns("single", math.gcd(*others), striding[0], True)
    return Unknowns("shift", math.gcd(*others), next(iter(relevant)))


def _gcd(coefficient: Sum) -> int:
    result = coefficient.const
    for array in coefficient.parts.values():
        result = math.gcd(result, int(np.gcd.reduce(array, axis=None)))
    return abs(result)


@dataclass(frozen=True, slots=True)
class Selections:
    """What unknown residues add to an offset, each choice of them; `reason` and detail: what decides between them."""

    choices: list[tuple[Selector | None, int, Sum]]
    reason: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Counter:
    """Counts accesses for one device; `shape` gives the axes in scope."""

    device: Device

    @property
    def period(self) -> int:
        return math.lcm(self.device.banks * self.device.bank_bytes, self.device.line_bytes)

    def _countable(self, tally: Tally) -> bool:
        if tally.space == "shared":
            return all((tally.hardware_op, width) in self.device.schedules for _, width in tally.site.pieces)
        return all(width in self.device.widths for _, width in tally.site.pieces)

    def has(self, operation: str, site: ir.AccessSite) -> bool:
        """Whether the device has `operation` for an access of the site's width."""
        return len(site.pieces) == 1 and (operation, site.pieces[0][1]) in self.device.schedules

    def record(self, tally: Tally, address: Value, mask: Mask, shape: Shape, open_reason: tuple[str, str] | None) -> None:
        """Adds all requests of one execution of an access at `address` (pointing at piece 0) under `mask`.

        `open_reason`: why it is not known how often this execution repeats (reason, detail); None when it is known."""
        pieces = tally.site.pieces
        requests, lanes = executions(mask.may, shape)
        if requests == 0:
            return
        tally.requests += requests * max(1, len(pieces))
        tally.lanes += lanes * max(1, len(pieces))
        if not pieces:
            tally.uncounted = True
            tally.reasons.setdefault(tally.site.unsized)
            return
        if not self._countable(tally):
            tally.uncounted = True
            tally.reasons.setdefault(("hardware-model", f"{self.device.title} has no rule for a {tally.hardware_op} of this width"))
            return
        if not mask.is_known or open_reason is not None:
            tally.open_count = True
            tally.guarded |= not mask.is_known
            tally.reasons.setdefault((mask.reason, mask.detail) if open_reason is None else open_reason)
        base = base_of(address)
        if base is None or base.base is None:
            tally.uncounted = True
            culprit = next(iter(address.terms), None)
            reason = culprit.reason if culprit and culprit.base is None else "unknown-pointer"
            tally.reasons.setdefault((reason, culprit.name if culprit else ""))
            return
        terms = {atom: c for atom, c in address.terms.items() if atom is not base}
        choices, rest = selected(terms)
        selections, terms = Selections(choices, next(((a.reason, a.name) for a in terms if a not in rest), ("", ""))), rest
        self._alignment(tally, base, terms)
        unknown = classify(terms, shape, self.period)
        if unknown.kind == "gather":
            tally.uncounted = True
            assert unknown.atom is not None
            name = unknown.atom.name
            how = ", a stride between lanes" if unknown.strides else ", the same for all lanes" if unknown.atom.shifts else ""
            tally.reasons.setdefault((unknown.atom.reason, f"{name}{how}"))
            return
        if not mask.is_known and mask.must is not mask.may:
            tally.reasons.setdefault((mask.reason, mask.detail))
        for offset, width in pieces:
            at = sums.add(address.known, sums.constant(offset))
            self._piece(tally, at, terms, unknown, selections, width, mask, shape)

    def _alignment(self, tally: Tally, base: Atom, terms: dict[Atom, Sum]) -> None:
        """An object's base may lie anywhere its alignment allows; that matters where it is finer than the device's units."""
        needed = self.device.line_bytes if tally.space in ("global", "constant") else 4
        if base.multiple % needed:
            atom = Atom(f"the base of {base.name}", "unknown-alignment", 0, None, base.multiple)
            terms[atom] = sums.ONE

    def _piece(
        self,
        tally: Tally,
        offset: Sum,
        terms: dict[Atom, Sum],
        unknown: Unknowns,
        selections: Selections,
        width: int,
        mask: Mask,
        shape: Shape,
    ) -> None:
        outcomes: list[Outcome] = []
        for moved, residues in self._selected(tally, offset, terms, unknown, selections, width, shape):
            deadline.check()
            some = [Moved(Outcome(residue, not unknown.strides), shift) for residue, shift in residues]
            for batch in batches(moved, mask.may, shape, self.period):
                self._count(some, tally, batch, width, shape)
            if mask.must is not mask.may:
                self._must(some, tally, moved, mask.must, shape, width)
            outcomes += [one.outcome for one in some]
        outcomes = [o for o in outcomes if o.requests]
        if not outcomes:
            return
        first = outcomes[0].totals()
        if any(o.totals() != first for o in outcomes):
            tally.reasons.setdefault((unknown.atom.reason, unknown.atom.name) if unknown.atom is not None else selections.reason)
            for o in outcomes:
                assert o.residue is not None
                known = tally.cases.setdefault((o.residue.name, o.residue.modulus), {})
                known.setdefault(o.residue.value, CaseTotal()).add(o.requests, o.wavefronts.total, o.sectors.total)
        if unknown.strides and unknown.atom is not None and unknown.atom.is_size:
            tally.assumptions.setdefault(f"{unknown.atom.name} is large")
        tally.weight += outcomes[0].requests
        tally.weight_lanes += outcomes[0].lanes
        for name in ("wavefronts", "sectors", "lines"):
            _merge(getattr(tally, name), [getattr(o, name) for o in outcomes])

    def _selected(
        self, tally: Tally, offset: Sum, terms: dict[Atom, Sum], unknown: Unknowns, selections: Selections, width: int, shape: Shape
    ) -> Iterator[tuple[Sum, list[tuple[Residue | None, int]]]]:
        """The outcomes to be counted, for each choice of the residues that lanes share: as `_outcomes`."""
        for selector, value, added in selections.choices:
            start = sums.add(offset, added)
            most = 1 if tally.space == "global" and _lanes_alone(start, terms, unknown, width, shape) else None
            for moved, residues in islice(self._outcomes(start, terms, unknown), most):
                chosen = None if selector is None else Residue(selector.name, selector.modulus, value)
                yield moved, [(chosen or residue, shift) for residue, shift in residues[:most]]

    def _outcomes(
        self, offset: Sum, terms: Mapping[Atom, Sum], unknown: Unknowns
    ) -> Iterator[tuple[Sum, list[tuple[Residue | None, int]]]]:
        """Known offsets for each residue class that the unknown part may fall into, those that differ by a shift of all lanes together:
        (offset, [(what the unknown is taken to be, shift)])."""
        period = self.period
        if unknown.kind == "none":
            yield offset, [(None, 0)]
            return
        steps = _shifts(unknown.granularity, period, self.device.sector_bytes if unknown.strides else period)
        if unknown.kind == "shift":
            name = _names(terms, period)
            yield offset, [(Residue(name, period, shift), shift) for shift in steps]
            return
        atom = unknown.atom
        assert atom is not None
        coefficient = terms[atom]
        modulus = period // math.gcd(period, _gcd(coefficient))
        possible = _possible(atom, modulus, unknown.strides)
        if coefficient.is_constant:
            yield offset, [(residue, coefficient.const * value + shift) for residue, value in possible for shift in steps]
            return
        for residue, value in possible:
            yield sums.add(offset, sums.multiply(coefficient, sums.constant(value))), [(residue, shift) for shift in steps]

    def _count(self, outcomes: Sequence[Moved], tally: Tally, batch: Batch, width: int, shape: Shape) -> None:
        requests = distinct_requests(batch.offsets, batch.active, self.period)
        repeated = sum(batch.counts)
        lanes = int(requests.active.sum(axis=1) @ requests.times) * repeated
        for position, measure in enumerate(measures(tally.space, tally.hardware_op, requests, width, self.device)):
            told_apart = classes(batch, measure.unit)
            ideal = int(measure.ideal @ requests.times)
            needed = dict.fromkeys((shift + one.shift) % measure.unit for one in outcomes for shift, _ in told_apart)
            counted = count_moved(measure, requests, list(needed))
            for one in outcomes:
                metric = getattr(one.outcome, measure.name)
                for shift, times in told_apart:
                    here = shift + one.shift
                    count = counted[here % measure.unit]
                    metric.add(count, ideal, times)
                    if position == 0 and one.outcome.illustrates and (tally.widest is None or count.maximum > tally.widest.count):
                        tally.widest = _widest(count.values, requests, batch, here, shape)
        for one in outcomes:
            one.outcome.requests += len(batch.offsets) * repeated
            one.outcome.lanes += lanes

    def _must(self, outcomes: Sequence[Moved], tally: Tally, offset: Sum, must: Bool, shape: Shape, width: int) -> None:
        """Lower bounds where lanes may be absent: the counts of the lanes that are surely there, at least 1 per request."""
        surely = [Moved(Outcome(None, False), moved.shift) for moved in outcomes]
        for batch in batches(offset, must, shape, self.period):
            self._count(surely, Tally(tally.site, tally.space, tally.hardware_op), batch, width, shape)
        for may, sure in zip(outcomes, surely, strict=True):
            absent = may.outcome.requests - sure.outcome.requests
            for name in ("wavefronts", "sectors", "lines"):
                metric, low = getattr(may.outcome, name), getattr(sure.outcome, name)
                if metric.maximum is None:
                    continue
                metric.low = low.total + max(absent, 0)
                metric.minimum = 1 if absent or low.minimum is None else low.minimum


def _lanes_alone(offset: Sum, terms: Mapping[Atom, Sum], unknown: Unknowns, width: int, shape: Shape) -> bool:
    """Whether a stride taken to be large gives each lane of a warp sectors that it shares with none, as many whatever the residue."""
    if not unknown.strides or unknown.atom is None or not unknown.atom.is_size or set(terms[unknown.atom].parts) != {(LANE,)}:
        return False
    rows = terms[unknown.atom].parts[LANE,].reshape(-1, shape.warp_lanes)
    apart = np.sort(rows, axis=1)
    aligned = math.gcd(_gcd(offset), unknown.granularity, *(_gcd(c) * a.multiple for a, c in terms.items())) % width == 0
    return aligned and bool((apart[:, 1:] != apart[:, :-1]).all())


def _widest(values: Array, requests: Requests, batch: Batch, shift: int, shape: Shape) -> Widest:
    """The first request of the batch, moved by `shift`, that counts most."""
    most = int(values.max())
    worst = int(requests.first[values == most].min())
    lanes = (batch.offsets[worst] + shift).tolist()
    block, warp = batch.place(worst, shape.sizes[LANE] // shape.warp_lanes)
    found = tuple(offset if active else None for offset, active in zip(lanes, batch.active[worst].tolist(), strict=True))
    return Widest(most, found, None if block is None else int(shape.blocks[block]), warp)


@dataclass(frozen=True, slots=True)
class Residue:
    """`name` % `modulus` == `value`."""

    name: str
    modulus: int
    value: int


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
        return [(Residue(atom.name, 0, value), value) for value in range(first, atom.high + 1, atom.multiple)]
    residues = range(0, modulus, step)
    if not strides:
        return [(Residue(atom.name, modulus, r), r) for r in residues]
    large = [(Residue(atom.name, modulus, r), LARGE * modulus + r) for r in residues]
    if atom.is_size:
        return large
    return [(Residue(atom.name, 0, r), r) for r in residues] + large


def _names(terms: Mapping[Atom, Sum], period: int) -> str:
    """The unknowns that shift an offset, in words."""
    relevant = {atom.name for atom, c in terms.items() if _gcd(c) * atom.multiple % period}
    return f"the offset by {' and '.join(sorted(relevant))} in bytes"


@dataclass(slots=True)
class Outcome:
    """The counts for one residue class."""

    residue: Residue | None
    illustrates: bool = True  # its offsets are real ones, not those of a size taken to be large
    requests: int = 0
    lanes: int = 0
    wavefronts: Metric = field(default_factory=Metric)
    sectors: Metric = field(default_factory=Metric)
    lines: Metric = field(default_factory=Metric)

    def totals(self) -> tuple[float, ...]:
        a, b, c = self.wavefronts, self.sectors, self.lines
        return a.total, a.low, a.maximum or 0, b.total, b.low, b.maximum or 0, c.total, c.low, c.maximum or 0


@dataclass(frozen=True, slots=True, eq=False)
class Moved:
    """An outcome in which all lanes are moved by `shift` bytes."""

    outcome: Outcome
    shift: int


def _merge(into: Metric, outcomes: list[Metric]) -> None:
    if outcomes[0].minimum is None:
        return
    lows = [o.low or o.total for o in outcomes]
    into.total += sum(o.total for o in outcomes) / len(outcomes)
    into.low += min(lows)
    into.high += max(o.total for o in outcomes)
    into.ideal += sum(o.ideal for o in outcomes) / len(outcomes)
    smallest = min(o.minimum for o in outcomes if o.minimum is not None)
    largest = max(o.maximum for o in outcomes if o.maximum is not None)
    into.minimum = smallest if into.minimum is None else min(into.minimum, smallest)
    into.maximum = largest if into.maximum is None else max(into.maximum, largest)
