"""Requests whose lanes choose their addresses by what nobody knows, such as loaded values: between
which bounds their counts lie.

In: offsets with an unknown part that differs between the lanes of a warp, under a mask. Out: counts
that hold whatever the lanes choose, None where they say no more than how many lanes there are. What
decides: a number that divides the unknown part (`s[32 * x + lane]` leaves each lane in its bank),
the least and the greatest address (`x & 255`), and that lanes which agree on all that an unknown
hangs on hold the same value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from kernlint.base import deadline
from kernlint.base.dataclass import dataclass, replace
from kernlint.execution.counting.gather_bounds import (
    Bounds,
    Choices,
    GatherRequest,
    units,
    wavefronts,
)
from kernlint.execution.counting.requests import Shape, batches
from kernlint.execution.counting.residue_counts import AccessExecution, Metric, Outcomes
from kernlint.execution.counting.unknowns import divisor
from kernlint.execution.values import sums
from kernlint.execution.values.booleans import Bool
from kernlint.execution.values.sums import LANE, Array, Sum
from kernlint.execution.values.values import Atom, Value, bounds, varies_in_warp
from kernlint.hardware import Device, constant_word

MOST_ROWS = 512  # requests that are not alike
COUNTED = ("load", "store", "atomic", "increment", "cas")


@dataclass(frozen=True, slots=True)
class ChosenOffsets:
    """What is unknown in the offsets of one access. `common`: a multiple of it moves all lanes (0:
    nothing does); `groups`: by warp of the block and lane, equal numbers for lanes that choose
    together."""

    choices: Choices
    common: int
    groups: Array


def gather(terms: Mapping[Atom, Sum], base: Atom, shape: Shape) -> ChosenOffsets:
    """`terms`: the unknown part of an offset from `base`, of which some differs between the lanes
    of a warp."""
    assert base.base is not None
    size = None if base.base.dynamic else base.base.size or None
    own = {atom: c for atom, c in terms.items() if _differs(atom, c, shape.warp_lanes)}
    common = [divisor(c) * atom.multiple for atom, c in terms.items() if atom not in own]
    step = math.gcd(*(divisor(c) * atom.multiple for atom, c in own.items()))
    by = [part for atom, c in own.items() for part in (c, *atom.determiners)]
    choices = Choices(step, *bounds(Value(sums.ZERO, own)), size, base.multiple)
    return ChosenOffsets(choices, math.gcd(*common), _groups(by, shape))


def _differs(atom: Atom, coefficient: Sum, warp_lanes: int) -> bool:
    return varies_in_warp((*atom.determiners, coefficient), warp_lanes)


def _groups(by: list[Sum], shape: Shape) -> Array:
    """Of each lane of a block the number of its group, [warps, lanes]: lanes for which all of `by`
    are equal. Where blocks or iterations mix with lanes each lane is alone."""
    lanes = shape.sizes[LANE]
    parts = [(key, array) for one in by for key, array in one.parts.items() if LANE in key]
    found = np.arange(lanes)
    if all(key == (LANE,) for key, _ in parts):
        found = np.unique(np.stack([a for _, a in parts]), axis=1, return_inverse=True)[1]
    warps = found.reshape(-1, shape.warp_lanes)
    return np.stack([np.unique(warp, return_inverse=True)[1] for warp in warps])


def outcomes(execution: AccessExecution, found: ChosenOffsets, device: Device) -> Outcomes | None:
    """Counts of all requests with their bounds; None where these say nothing (of shared
    memory the lanes of a request are a bound), where accesses may be misaligned, and where too many
    requests differ."""
    counters = _counters(execution, found, device)
    first = _either_choice(execution, found, counters[:1]) if counters else None
    if first is None:
        return None
    if execution.space != "shared" and _says_nothing(first, counters[0]):
        return None
    total = _either_choice(execution, found, counters) if counters[1:] else first
    if total is None:
        return None
    return Outcomes(total.requests, total.lanes, (), total.metrics, None)


def _says_nothing(found: Summed, counter: RequestCounter) -> bool:
    """Whether the bounds are those of any lanes."""
    metric = found.metrics[counter.name]
    return metric.low <= found.requests and metric.high >= found.most


def _either_choice(
    execution: AccessExecution, found: ChosenOffsets, counters: Sequence[RequestCounter]
) -> Summed | None:
    """Whichever residues decide beside what the lanes choose."""
    total: Summed | None = None
    for _, _, added in execution.selections.choices:
        offset = sums.add(execution.offset, added)
        one = _counted(replace(execution, offset=offset), found, counters)
        if one is None:
            return None
        total = one if total is None else total.either(one)
    return total


def _counted(
    execution: AccessExecution, found: ChosenOffsets, counters: Sequence[RequestCounter]
) -> Summed | None:
    if not _aligned(execution, found):
        return None
    may = _summed(execution, execution.mask.may, found, counters)
    if may is None or not may.requests:
        return None
    if execution.mask.must is not execution.mask.may:
        sure = _summed(execution, execution.mask.must, found, counters)
        if sure is None:
            return None
        may.loosen(sure)
    return may


def _aligned(execution: AccessExecution, found: ChosenOffsets) -> bool:
    offset, width = execution.offset, execution.width
    steps = (offset.const, found.choices.step, found.common, *map(_divisor, offset.parts.values()))
    return not any(step % width for step in steps)


def _divisor(array: Array) -> int:
    return int(np.gcd.reduce(array, axis=None))


@dataclass(frozen=True, slots=True)
class RequestCounter:
    """`bounds`: of one request; `fewest`: what its bytes need; `alone`: what a lane counts that no
    other meets. Offsets that differ by a multiple of `unit` count alike."""

    name: str
    unit: int
    bounds: Callable[[GatherRequest], Bounds]
    fewest: Callable[[GatherRequest], int]
    alone: int = 1


def _counters(
    execution: AccessExecution, found: ChosenOffsets, device: Device
) -> list[RequestCounter]:
    space, op, width = execution.space, execution.op, execution.width
    choices = found.choices
    if op not in COUNTED or space not in ("shared", "global", "constant"):
        return []
    if space == "constant":
        word = constant_word(width)
        return [RequestCounter("wavefronts", word, lambda r: units(r, choices, word), lambda r: 1)]
    if space == "global":
        sector, line = device.sector_bytes, device.line_bytes
        return [
            RequestCounter("sectors", sector, lambda r: units(r, choices, sector), _fewest(sector)),
            RequestCounter("lines", line, lambda r: units(r, choices, line), _fewest(line)),
        ]
    schedule, banks = device.schedule(op, width), (device.banks, device.bank_bytes)
    if schedule.mode == "groups":
        return []
    return [
        RequestCounter(
            "wavefronts",
            max(width, device.bank_bytes),
            lambda r: wavefronts(r, choices, schedule, *banks),
            lambda r: schedule.passes * len(np.unique(r.lanes // schedule.lanes)),
            schedule.passes,
        )
    ]


def _fewest(unit: int) -> Callable[[GatherRequest], int]:
    return lambda r: (
        -(-len(np.unique(np.stack([r.groups, r.offsets]), axis=1)[0]) * r.width // unit)
    )


@dataclass(slots=True, eq=False)
class Summed:
    """Sums over requests. `most`: of the first counter, if each lane counted alone."""

    requests: int
    lanes: int
    most: int
    metrics: dict[str, Metric]

    def loosen(self, sure: Summed) -> None:
        """Where lanes may be absent: at least what those count that surely are there, and 1."""
        absent = self.requests - sure.requests
        for name, metric in self.metrics.items():
            least = sure.metrics.get(name, Metric())
            metric.low = least.low + absent
            metric.minimum = 1 if absent else least.minimum

    def either(self, other: Summed) -> Summed:
        """Where something else decides which of the two it is."""
        metrics = {name: _either(one, other.metrics[name]) for name, one in self.metrics.items()}
        return Summed(self.requests, self.lanes, self.most, metrics)


def _either(one: Metric, other: Metric) -> Metric:
    both = one + other
    return Metric(
        (one.total + other.total) / 2,
        min(one.low, other.low),
        max(one.high, other.high),
        min(one.ideal, other.ideal),
        both.minimum,
        both.maximum,
    )


def _summed(
    execution: AccessExecution,
    mask: Bool,
    found: ChosenOffsets,
    counters: Sequence[RequestCounter],
) -> Summed | None:
    result = Summed(0, 0, 0, {})
    period = math.lcm(*(counter.unit for counter in counters))
    for number, (request, shifts) in enumerate(
        _requests(execution, mask, found.groups, period), start=1
    ):
        deadline.check()
        times = sum(shifts.values())
        result.requests += times
        result.lanes += times * len(request.lanes)
        result.most += times * len(request.lanes) * counters[0].alone
        for counter in counters:
            if number > MOST_ROWS:
                return None
            metric = _of_request(request, shifts, found.common, counter)
            result.metrics.setdefault(counter.name, Metric()).add(metric)
    return result


def _of_request(
    request: GatherRequest, shifts: Mapping[int, int], common: int, counter: RequestCounter
) -> Metric:
    """One request, moved by each of `shifts` so often, and by whatever moves all lanes."""
    moves = range(0, counter.unit, math.gcd(common, counter.unit)) if common else (0,)
    result = Metric()
    classes: dict[int, int] = {}
    for shift, times in shifts.items():
        classes[shift % counter.unit] = classes.get(shift % counter.unit, 0) + times
    for shift, times in classes.items():
        ends = [counter.bounds(request.moved(shift + move)) for move in moves]
        low, high = min(end[0] for end in ends), max(end[1] for end in ends)
        fewest = float(min(counter.fewest(request), low) * times)
        total = (low + high) / 2 * times
        result.add(Metric(total, float(low * times), float(high * times), fewest, low, high))
    return result


def _requests(
    execution: AccessExecution, mask: Bool, groups: Array, period: int
) -> Iterator[tuple[GatherRequest, dict[int, int]]]:
    """Requests that are not alike up to a multiple of the period, with how often each is moved by
    how much."""
    lanes = np.arange(groups.shape[1])
    for batch in batches(execution.offset, mask, execution.shape, period):
        start = np.where(batch.active, batch.offsets, np.iinfo(np.int64).max).min(axis=1)
        start -= start % period
        relative = np.where(batch.active, batch.offsets - start[:, None], -1)
        together = np.where(batch.active, groups[batch.index % len(groups)], -1)
        rows = np.concatenate([relative, together], axis=1)
        distinct, times = np.unique(rows, axis=0, return_counts=True)
        for row, count in zip(distinct, times.tolist(), strict=True):
            active = row[: len(lanes)] >= 0
            request = GatherRequest(
                execution.width,
                lanes[active],
                row[: len(lanes)][active],
                row[len(lanes) :][active],
            )
            shifts = zip(batch.shifts, batch.counts, strict=True)
            yield request, {shift: many * count for shift, many in shifts}
