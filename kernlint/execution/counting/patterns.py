"""The warp requests of accesses, worked out and counted once for all accesses that are alike.

In: byte offsets under a mask, a device. Out: `Pattern`s: batches of requests with the distinct ones
among them and what those count under each shift of all lanes. The constant part of an offset is
such a shift, so `a[i]`, `a[i + 1]` and `b[i]` share their patterns, within a kernel and between
kernels.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterable, Iterator, Sequence

import numpy as np

from kernlint.base.dataclass import dataclass, field
from kernlint.execution.counting.measures import Measure, classes, count_moved, measures
from kernlint.execution.counting.requests import Batch, Shape, batches
from kernlint.execution.values.booleans import Bool
from kernlint.execution.values.sums import Array, Sum, sum_identity
from kernlint.hardware import Device
from kernlint.hardware.rows import Requests, distinct_requests

MOST_ENTRIES = 1 << 14  # lanes of the requests of one access that are kept
MOST_KEPT = 256  # accesses whose requests are kept


class PatternCounts:
    """What one counter says of a pattern. `shifts`: those of the batch that it tells apart, with
    how often they occur (`times`); `ideal`: of all distinct requests and shifts together; `totals`,
    `least`, `most`: by the shift of all lanes modulo the counter's unit."""

    def __init__(self, measure: Measure, batch: Batch, requests: Requests) -> None:
        distinct_shifts = classes(batch, measure.unit)
        self.measure, self.requests = measure, requests
        self.shifts, self.times = (
            np.array(numbers) for numbers in zip(*distinct_shifts, strict=True)
        )
        self.ideal = int(measure.ideal @ requests.times) * sum(
            times for _, times in distinct_shifts
        )
        self.known = np.zeros(measure.unit, np.bool_)
        self.totals, self.least, self.most = np.zeros((3, measure.unit), np.int64)

    def lacking(self, shifts: Array) -> list[int]:
        """Those of the shifts whose numbers are not known yet."""
        missing = shifts[~self.known[shifts]]
        return sorted(set(missing.tolist())) if len(missing) else []

    def values(self, shift: int) -> Array:
        """What each distinct request counts when all lanes are moved."""
        return count_moved(self.measure, [(self.requests, [shift])])[0][shift].values


def make_known(wanted: Sequence[tuple[PatternCounts, Sequence[int]]]) -> None:
    """Makes the numbers for these shifts known, of counts of one kind of access."""
    by_name: dict[str, list[tuple[PatternCounts, Sequence[int]]]] = {}
    for counts, shifts in wanted:
        by_name.setdefault(counts.measure.name, []).append((counts, shifts))
    for alike in by_name.values():
        numbers = count_moved(
            alike[0][0].measure, [(counts.requests, shifts) for counts, shifts in alike]
        )
        for (counts, _), found in zip(alike, numbers, strict=True):
            for shift, counted in found.items():
                counts.known[shift] = True
                counts.totals[shift], counts.least[shift], counts.most[shift] = (
                    counted.total,
                    counted.minimum,
                    counted.maximum,
                )


@dataclass(slots=True, eq=False)
class Pattern:
    """A batch of requests; `lanes`: active ones of the distinct requests, `repeated`: how often the
    batch occurs."""

    batch: Batch
    requests: Requests
    lanes: int
    repeated: int
    _counts: dict[tuple[str, str, int], list[PatternCounts]] = field(default_factory=dict)

    def counts(self, space: str, op: str, width: int, device: Device) -> list[PatternCounts]:
        """The counters of an access of this kind; the first tells which request is the
        costliest."""
        found = self._counts.get((space, op, width))
        if found is None:
            found = [
                PatternCounts(measure, self.batch, self.requests)
                for measure in measures(space, op, self.requests, width, device)
            ]
            self._counts[space, op, width] = found
        return found


def truth_identity(truth: Bool) -> Hashable:
    """Equal identities mean equal truths."""
    return truth.empty, truth.negated, sum_identity(Sum(0, truth.factors))


_kept: OrderedDict[Hashable, tuple[Device, list[Pattern]]] = OrderedDict()


def patterns(
    offset: Sum, mask: Bool, shape: Shape, device: Device, period: int
) -> Iterable[Pattern]:
    """All warp requests of accesses with byte offsets `offset`, less its constant, under `mask`;
    shifts are residues modulo `period`."""
    moving = Sum(0, offset.parts, offset.low - offset.const, offset.high - offset.const)
    key = id(device), period, tuple(shape.sizes.items()), truth_identity(mask), sum_identity(moving)
    found = _kept.get(key)
    if found is None:
        return _made(moving, mask, shape, device, period, key)
    _kept.move_to_end(key)
    return found[1]


def _made(
    offset: Sum, mask: Bool, shape: Shape, device: Device, period: int, key: Hashable
) -> Iterator[Pattern]:
    made: list[Pattern] = []
    entries = 0
    for batch in batches(offset, mask, shape, period):
        requests = distinct_requests(batch.offsets, batch.active, period)
        pattern = Pattern(
            batch, requests, int(requests.active.sum(axis=1) @ requests.times), sum(batch.counts)
        )
        entries += batch.active.size
        if entries <= MOST_ENTRIES:
            made.append(pattern)
        yield pattern
    if entries <= MOST_ENTRIES:
        _kept[key] = device, made
        if len(_kept) > MOST_KEPT:
            _kept.popitem(last=False)
