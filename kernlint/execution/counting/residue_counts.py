"""What one execution of an access counts, for each residue that its unknowns may have.

In: byte offsets with their unknown part, under a mask. Out: `Outcomes`: requests, counts by counter
and residue, the costliest request. Executions that are alike up to a multiple of the counters'
period are counted once: they share their outcomes.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import islice

import numpy as np

from kernlint.base import deadline
from kernlint.base.dataclass import dataclass, field, replace
from kernlint.execution.counting.patterns import (
    Pattern,
    PatternCounts,
    make_known,
    patterns,
    truth_identity,
)
from kernlint.execution.counting.requests import Move, Shape, first_moves
from kernlint.execution.counting.unknowns import (
    Residue,
    Taken,
    Unknowns,
    at_zero,
    divisor_of,
    lanes_alone,
    taken,
)
from kernlint.execution.values import sums
from kernlint.execution.values.booleans import Bool
from kernlint.execution.values.masks import Mask
from kernlint.execution.values.sums import BLOCK, LANE, Array, Sum, sum_identity
from kernlint.execution.values.values import Atom, Selector
from kernlint.hardware import Device

COUNTING = 20  # steps of work for one offset, beside the rows that are counted
MOST_KEPT = 2048  # executions whose outcomes are kept
TOGETHER = 64  # choices of an execution whose requests are counted at once
FEW_LANES = 4096  # of all warps of one choice: those are counted with others


@dataclass(slots=True)
class Metric:
    """One counter over requests: weighted total and extremes, its ideal, and bounds of the total
    over what is unknown."""

    total: float = 0.0
    low: float = 0.0
    high: float = 0.0
    ideal: float = 0.0
    minimum: int | None = None
    maximum: int | None = None

    def __add__(self, other: Metric) -> Metric:
        """Of the requests of both, of which there may be none."""
        least = [m for m in (self.minimum, other.minimum) if m is not None]
        most = [m for m in (self.maximum, other.maximum) if m is not None]
        return Metric(
            self.total + other.total,
            self.low + other.low,
            self.high + other.high,
            self.ideal + other.ideal,
            min(least, default=None),
            max(most, default=None),
        )

    def add(self, other: Metric) -> None:
        """Adds further requests, of which there are some."""
        self.total += other.total
        self.low += other.low
        self.high += other.high
        self.ideal += other.ideal
        self.minimum = (
            other.minimum
            if self.minimum is None or other.minimum is None
            else min(self.minimum, other.minimum)
        )
        self.maximum = (
            other.maximum
            if self.maximum is None or other.maximum is None
            else max(self.maximum, other.maximum)
        )


@dataclass(frozen=True, slots=True)
class Widest:
    """The costliest request seen. `block`: linear index of its block in the grid, None when many
    blocks do the same."""

    count: int
    lanes: tuple[int | None, ...]  # byte offsets
    block: int | None
    warp: int

    @property
    def active(self) -> int:
        return sum(offset is not None for offset in self.lanes)


@dataclass(frozen=True, slots=True)
class Selections:
    """What unknown residues add to an offset, each choice of them; `reason` and detail: what
    decides between them."""

    choices: list[tuple[Selector | None, int, Sum]]
    reason: tuple[str, str]


@dataclass(frozen=True, slots=True)
class AccessExecution:
    """One execution of `width` bytes of an access in a memory space, at known offsets but for
    `terms` and `selections`."""

    space: str
    op: str
    width: int
    offset: Sum
    terms: Mapping[Atom, Sum]
    unknown: Unknowns
    selections: Selections
    mask: Mask
    shape: Shape
    apart: bool = False  # requests may have different residues


@dataclass(slots=True, eq=False)
class Series:
    """One counter over all requests, for each residue: total, what it surely is, and extremes;
    `ideal` whatever the residue. `least`, `most`: of the total where each request has a residue of
    its own."""

    total: Array
    low: Array
    minimum: Array
    maximum: Array
    ideal: float
    least: float = 0.0
    most: float = 0.0

    def add(self, total: Array, minimum: Array, maximum: Array, ideal: int) -> None:
        self.total += total
        np.minimum(self.minimum, minimum, out=self.minimum)
        np.maximum(self.maximum, maximum, out=self.maximum)
        self.ideal += float(ideal)


@dataclass(slots=True, eq=False)
class ResidueGroup:
    """Residues whose offsets differ by a shift of all lanes together."""

    residues: list[Residue | None]
    requests: int = 0
    lanes: int = 0
    series: dict[str, Series] = field(default_factory=dict)


Range = tuple[float, float]  # of a total: the least and the greatest it may be


@dataclass(frozen=True, slots=True)
class ResidueCount:
    """What one residue gives, over so many requests, whatever else is unknown."""

    residue: Residue
    requests: int
    wavefronts: Range
    sectors: Range

    def either(self, other: ResidueCount) -> ResidueCount:
        """What it gives where something else decides which of the two it is."""
        return ResidueCount(
            self.residue,
            max(self.requests, other.requests),
            _around(self.wavefronts, other.wavefronts),
            _around(self.sectors, other.sectors),
        )


def _around(one: Range, other: Range) -> Range:
    return min(one[0], other[0]), max(one[1], other[1])


@dataclass(frozen=True, slots=True)
class Outcomes:
    """What an execution counts. `residues`: what each of them gives, where they differ, and a
    stride of 0 where that is possible; `requests` and `lanes`: of the first of them; `metrics`:
    over all but that stride, by counter."""

    requests: int
    lanes: int
    residues: tuple[ResidueCount, ...]
    metrics: Mapping[str, Metric]
    widest: Widest | None


COUNTERS = ("wavefronts", "sectors", "lines")
_kept: OrderedDict[Hashable, tuple[Device, int, Outcomes | None]] = OrderedDict()


def outcomes(execution: AccessExecution, device: Device, period: int) -> Outcomes | None:
    """None where no warp executes. Raises TooDense where one array would grow too large."""
    key = id(device), _identity(execution, period)
    found = _kept.get(key)
    if found is not None:
        _kept.move_to_end(key)
        _, start, known = found
        return _moved(known, execution.offset.const - start)
    made = _Counting(execution, device, period).outcomes()
    _kept[key] = device, execution.offset.const, made
    if len(_kept) > MOST_KEPT:
        _kept.popitem(last=False)
    return made


def capped(found: Outcomes, most: Outcomes | None) -> Outcomes:
    """With totals and extremes no greater than those of `most`, which hold for the same requests."""
    if most is None:
        return found
    metrics = {
        name: _capped(metric, most.metrics[name]) if name in most.metrics else metric
        for name, metric in found.metrics.items()
    }
    limit = most.metrics["wavefronts"].high if "wavefronts" in most.metrics else math.inf
    residues = tuple(
        replace(one, wavefronts=(min(one.wavefronts[0], limit), min(one.wavefronts[1], limit)))
        for one in found.residues
    )
    return replace(found, residues=residues, metrics=metrics)


def _capped(metric: Metric, most: Metric) -> Metric:
    def least(a: int | None, b: int | None) -> int | None:
        return a if b is None else b if a is None else min(a, b)

    return replace(
        metric,
        total=min(metric.total, most.high),
        low=min(metric.low, most.high),
        high=min(metric.high, most.high),
        minimum=least(metric.minimum, most.maximum),
        maximum=least(metric.maximum, most.maximum),
    )


def _identity(e: AccessExecution, period: int) -> Hashable:
    """Equal identities mean equal outcomes, up to the place of the costliest request."""
    unknown = e.unknown
    terms = tuple(
        (a is unknown.atom, a.low, a.high, a.multiple, a.is_size, a.beyond, sum_identity(c))
        for a, c in e.terms.items()
    )
    chosen = tuple(
        (None if s is None else s.modulus, value, sum_identity(added))
        for s, value, added in e.selections.choices
    )
    must = () if e.mask.must is e.mask.may else truth_identity(e.mask.must)
    parts = sum_identity(Sum(e.offset.const % period, e.offset.parts))
    blocks = sum_identity(Sum(0, {(BLOCK,): e.shape.blocks}))
    how = unknown.kind, unknown.granularity, unknown.strides
    memory = e.space, e.op, e.width
    return (
        memory,
        e.apart,
        parts,
        how,
        terms,
        chosen,
        truth_identity(e.mask.may),
        must,
        tuple(e.shape.sizes.items()),
        blocks,
    )


def _moved(known: Outcomes | None, distance: int) -> Outcomes | None:
    if known is None or known.widest is None or not distance:
        return known
    lanes = tuple(None if offset is None else offset + distance for offset in known.widest.lanes)
    widest = Widest(known.widest.count, lanes, known.widest.block, known.widest.warp)
    return Outcomes(known.requests, known.lanes, known.residues, known.metrics, widest)


class _Counting:
    """The counting of one execution."""

    def __init__(self, execution: AccessExecution, device: Device, period: int) -> None:
        self.execution, self.device, self.period = execution, device, period
        self.widest: Widest | None = None

    def outcomes(self) -> Outcomes | None:
        mask, groups = self.execution.mask, []
        for offset, residues in self._foreseen():
            deadline.check(COUNTING)
            group = self._counted(offset, mask.may, residues, not self.execution.unknown.strides)
            if mask.must is not mask.may and group.requests:
                _bound(group, self._counted(offset, mask.must, residues, False))
            groups += [group] if group.requests else []
        found = _assembled(groups, self.widest, self.execution.apart) if groups else None
        zero = self._at_zero() if found is not None and found.residues else []
        return (
            found
            if found is None or not zero
            else replace(found, residues=(*found.residues, *_by_residue(zero)))
        )

    def _at_zero(self) -> list[ResidueGroup]:
        """The requests where a size that is a stride is 0: all lanes that it moves meet."""
        e, groups = self.execution, list[ResidueGroup]()
        for _, _, added in e.selections.choices:
            offset = sums.add(e.offset, added)
            residues = at_zero(e.unknown, self.period)
            group = self._counted(offset, e.mask.may, residues, False) if residues else None
            groups += [group] if group is not None and group.requests else []
        return groups

    def _foreseen(self) -> Iterator[tuple[Sum, list[Taken]]]:
        """The same as `_selected`; what small ones need is counted for many of them at once
        before."""
        ahead: list[tuple[Sum, list[Taken]]] = []
        for offset, residues in self._selected():
            small = self._is_small(offset)
            ahead += [(offset, residues)] if small else []
            if len(ahead) == TOGETHER or (ahead and not small):
                self._foresee(ahead)
                yield from ahead
                ahead = []
            if not small:
                yield offset, residues
        if len(ahead) > 1:
            self._foresee(ahead)
        yield from ahead

    def _is_small(self, offset: Sum) -> bool:
        mask = self.execution.mask
        axes = {
            axis
            for key in (*offset.parts, *mask.may.factors, *mask.must.factors)
            if LANE in key
            for axis in key
        }
        return math.prod(self.execution.shape.sizes[axis] for axis in axes) <= FEW_LANES

    def _foresee(self, ahead: Sequence[tuple[Sum, list[Taken]]]) -> None:
        e, wanted = self.execution, []
        for offset, residues in ahead:
            deadline.check(COUNTING)
            moves = self._moves(offset, residues)
            for mask in (e.mask.may,) if e.mask.must is e.mask.may else (e.mask.may, e.mask.must):
                for pattern in list(patterns(offset, mask, e.shape, self.device, self.period)):
                    for counts in self._counts(pattern):
                        missing = counts.lacking((moves + counts.shifts) % counts.measure.unit)
                        wanted += [(counts, missing)] if missing else []
        make_known(wanted)

    def _moves(self, offset: Sum, residues: Sequence[Taken]) -> Array:
        return np.array([[(shift + offset.const) % self.period] for _, shift in residues])

    def _selected(self) -> Iterator[tuple[Sum, list[Taken]]]:
        """The offsets to be counted, without those that the machine refuses: an access begins at a
        multiple of its width. All of them where there is no other."""
        found = False
        for offset, residues in self._choices():
            aligned = _aligned(offset, residues, self.execution.width)
            if aligned:
                found = True
                yield offset, aligned
        if not found:
            yield from self._choices()

    def _choices(self) -> Iterator[tuple[Sum, list[Taken]]]:
        """The offsets for each choice of the residues that lanes share: as `taken`."""
        e = self.execution
        for selector, value, added in e.selections.choices:
            start = sums.add(e.offset, added)
            most = (
                1
                if e.space == "global" and lanes_alone(start, e.terms, e.unknown, e.width, e.shape)
                else None
            )
            for moved, residues in islice(
                taken(start, e.terms, e.unknown, self.period, self.device.sector_bytes), most
            ):
                chosen = None if selector is None else Residue(selector.modulus, value)
                yield moved, [(chosen or residue, shift) for residue, shift in residues[:most]]

    def _counted(
        self, offset: Sum, mask: Bool, residues: Sequence[Taken], illustrates: bool
    ) -> ResidueGroup:
        """The requests at `offset` under `mask`, for each residue. `illustrates`: the offsets are
        real ones, not those of a size taken to be large."""
        group = ResidueGroup([residue for residue, _ in residues])
        moves = self._moves(offset, residues)
        for pattern in patterns(offset, mask, self.execution.shape, self.device, self.period):
            for position, counts in enumerate(self._counts(pattern)):
                at = (moves + counts.shifts) % counts.measure.unit
                missing = counts.lacking(at)
                if missing:
                    make_known([(counts, missing)])
                most = counts.most[at]
                series = group.series.setdefault(counts.measure.name, _empty(len(residues)))
                series.add(
                    counts.totals[at] @ counts.times,
                    counts.least[at].min(axis=1),
                    most.max(axis=1),
                    counts.ideal,
                )
                times = counts.times * int(counts.requests.times.sum())
                series.least += float(counts.least[at].min(axis=0) @ times)
                series.most += float(most.max(axis=0) @ times)
                if position == 0 and illustrates and self._is_worse(pattern, int(most.max())):
                    row, column = divmod(int(most.argmax()), at.shape[1])
                    unit = counts.measure.unit
                    moves_of = first_moves(offset, mask, self.execution.shape, unit)
                    move = moves_of[int(counts.shifts[column]) % unit]
                    shift = offset.const + residues[row][1] + move.shift
                    self._widen(
                        pattern, counts.values(int(at[row, column])), Move(shift, move.block)
                    )
            group.requests += len(pattern.batch.offsets) * pattern.repeated
            group.lanes += pattern.lanes * pattern.repeated
        return group

    def _counts(self, pattern: Pattern) -> list[PatternCounts]:
        e = self.execution
        return pattern.counts(e.space, e.op, e.width, self.device)

    def _is_worse(self, pattern: Pattern, most: int) -> bool:
        """Whether the pattern has a costlier request than all before, or one of fewer lanes that
        conflicts as much."""
        if self.widest is None or most != self.widest.count:
            return self.widest is None or most > self.widest.count
        if most == 1 or not worse_by_lanes(self.execution.space, self.execution.op):
            return False
        return (
            int(pattern.batch.active[pattern.requests.first].sum(axis=1).min()) < self.widest.active
        )

    def _widen(self, pattern: Pattern, values: Array, move: Move) -> None:
        """Notes the first request of the pattern, moved by `move`, that counts most; of a conflict
        the one of fewest lanes among those."""
        batch, shape, most = pattern.batch, self.execution.shape, int(values.max())
        candidates = pattern.requests.first[values == most]
        if most > 1 and worse_by_lanes(self.execution.space, self.execution.op):
            lanes_of = batch.active[candidates].sum(axis=1)
            candidates = candidates[lanes_of == lanes_of.min()]
        worst = int(candidates.min())
        lanes = (batch.offsets[worst] + move.shift).tolist()
        block, warp = batch.place(worst, shape.sizes[LANE] // shape.warp_lanes)
        block = move.block if block is None else block
        found = tuple(
            offset if active else None
            for offset, active in zip(lanes, batch.active[worst].tolist(), strict=True)
        )
        self.widest = Widest(most, found, None if block is None else int(shape.blocks[block]), warp)


def _aligned(offset: Sum, residues: Sequence[Taken], width: int) -> list[Taken]:
    """Those residues by which every lane is at a multiple of the width, a power of two."""
    if width & (width - 1) or any(divisor_of(array) % width for array in offset.parts.values()):
        return []
    return [one for one in residues if (offset.const + one[1]) % width == 0]


def worse_by_lanes(space: str, op: str) -> bool:
    """Whether of requests that take equally many wavefronts the one of fewer lanes is the worse:
    its ideal is lower. Atomics are served lane by lane."""
    return space == "shared" and op in ("load", "store")


def worse(one: Widest, other: Widest | None, space: str, op: str) -> bool:
    """Whether it is the costlier request, or one of fewer lanes that conflicts as much."""
    if other is None or one.count != other.count:
        return other is None or one.count > other.count
    return one.count > 1 and worse_by_lanes(space, op) and one.active < other.active


def _empty(residues: int) -> Series:
    most = np.iinfo(np.int64).max
    zeros = np.zeros(residues)
    return Series(zeros, zeros.copy(), np.full(residues, most), np.full(residues, -1), 0.0)


def _bound(may: ResidueGroup, sure: ResidueGroup) -> None:
    """Lower bounds where lanes may be absent: the counts of the lanes that are surely there, at
    least 1 per request."""
    absent = max(may.requests - sure.requests, 0)
    for name, series in may.series.items():
        low = sure.series.get(name)
        series.low = (0.0 if low is None else low.total) + absent + np.zeros(len(series.low))
        series.least = (0.0 if low is None else low.least) + absent
        series.minimum = (
            np.ones_like(series.minimum)
            if may.requests != sure.requests or low is None
            else low.minimum
        )


def _assembled(groups: Sequence[ResidueGroup], widest: Widest | None, apart: bool) -> Outcomes:
    all_series = {
        name: [g.series[name] for g in groups] for name in COUNTERS if name in groups[0].series
    }
    differ = any(_differ(some) for some in all_series.values())
    metrics = {
        name: _metric(some, sum(len(g.residues) for g in groups))
        for name, some in all_series.items()
    }
    for name, metric in metrics.items() if apart else ():
        _loosen(metric, all_series[name], max(g.requests for g in groups))
    residues = _by_residue(groups) if differ else ()
    return Outcomes(groups[0].requests, groups[0].lanes, residues, metrics, widest)


def _by_residue(groups: Sequence[ResidueGroup]) -> tuple[ResidueCount, ...]:
    found: dict[Residue, ResidueCount] = {}
    for group in groups:
        wavefronts, sectors = (_ranges(group, name) for name in ("wavefronts", "sectors"))
        for residue, w, s in zip(group.residues, wavefronts, sectors, strict=True):
            assert residue is not None
            one = ResidueCount(residue, group.requests, w, s)
            before = found.get(residue)
            found[residue] = one if before is None else before.either(one)
    return tuple(found.values())


def _ranges(group: ResidueGroup, name: str) -> list[Range]:
    """Of each residue the bounds of the counter's total."""
    series = group.series.get(name)
    if series is None:
        return [(0.0, 0.0)] * len(group.residues)
    low = np.where(series.low == 0, series.total, series.low)
    return list(zip(low.tolist(), series.total.tolist(), strict=True))


def _differ(some: Sequence[Series]) -> bool:
    first = some[0]
    return any(
        bool(
            (s.total != first.total[0]).any()
            or (s.low != first.low[0]).any()
            or (s.maximum != first.maximum[0]).any()
        )
        for s in some
    )


def _metric(some: Sequence[Series], residues: int) -> Metric:
    """Over all residues: means of the totals and ideals, bounds of the totals, extremes."""
    return Metric(
        math.fsum(float(s.total.sum()) for s in some) / residues,
        min(float(np.where(s.low == 0, s.total, s.low).min()) for s in some),
        max(float(s.total.max()) for s in some),
        math.fsum(s.ideal * len(s.total) for s in some) / residues,
        min(int(s.minimum.min()) for s in some),
        max(int(s.maximum.max()) for s in some),
    )


def _loosen(metric: Metric, some: Sequence[Series], requests: int) -> None:
    """The bounds of the total where each request has a residue of its own."""
    alone = some[0] if len(some) == 1 else None
    metric.low = min(
        metric.low,
        alone.least if alone else float(min(int(s.minimum.min()) for s in some) * requests),
    )
    metric.high = max(
        metric.high,
        alone.most if alone else float(max(int(s.maximum.max()) for s in some) * requests),
    )
