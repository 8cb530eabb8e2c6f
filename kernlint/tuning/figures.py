"""What one analysis says about the launches of a kernel, as the figures that forms are ranked by.

Goes in: facts of kernels. Comes out: `Figures`. Never computes a count or a time of its own: it
only adds up the engine's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from kernlint.base.dataclass import dataclass
from kernlint.model import facts

Known = TypeVar("Known", int | None, float | None)
Form = TypeVar("Form")
WORST = ("exact", "range", "unknown")
# of the smaller time; the model's median error is more than ten times that (docs/estimate.md)
TIE = 0.01


@dataclass(frozen=True, slots=True)
class Figures:
    """Of one launch, or summed over several. None: not known. `wavefronts` of all shared-memory
    requests of the launch, and the same of `sectors`; where it is not known how many there are,
    `per_request` tells the mean of those that a form is about; `low` and `high` bound whichever of
    the two is known. `status` of the counts, the worst."""

    cycles: int | None
    cycles_low: int | None
    cycles_high: int | None
    microseconds: float | None
    wavefronts: float | None
    sectors: float | None
    per_request: float
    shared_bytes: int
    occupancy: float | None
    status: str
    no_cycles: str = ""  # why there are none
    low: float = 0.0
    high: float = 0.0
    requests: float | None = None  # to shared memory

    @property
    def counts(self) -> tuple[float, float, float, int]:
        """What decides between equal times; less is better, the first difference decides. As many
        wavefronts in fewer requests (wider ones) leave more of the issue slots to others."""
        passes = self.per_request if self.wavefronts is None else self.wavefronts
        sectors, requests = (
            float("inf") if known is None else known for known in (self.sectors, self.requests)
        )
        return passes, requests, sectors, self.shared_bytes

    @property
    def time(self) -> float:
        return float("inf") if self.cycles is None else self.cycles

    def ties(self, other: Figures) -> bool:
        """Whether the model cannot tell their times apart."""
        return self.time == other.time or abs(self.time - other.time) <= TIE * min(
            self.time, other.time
        )

    @property
    def outcome(self) -> tuple[object, ...]:
        """What must differ for a form to be worth telling."""
        return (
            self.cycles,
            self.wavefronts,
            self.sectors,
            round(self.per_request, 6),
            self.occupancy,
        )


def better(one: Figures, other: Figures) -> bool:
    """By time; where the times tie by wavefronts, sectors and shared bytes."""
    return one.counts < other.counts if one.ties(other) else one.time < other.time


def ranked(some: Iterable[Form], of: Callable[[Form], Figures], baseline: Figures) -> list[Form]:
    """Best first: those that are better than `baseline`, then the others. What ties with the
    fastest is ordered by its counts, then what ties with the fastest of the rest, and so on: ties
    do not chain."""
    left = sorted(some, key=lambda one: (not better(of(one), baseline), of(one).time))
    order: list[Form] = []
    while left:
        lead = of(left[0])
        level = [
            one
            for one in left
            if of(one).ties(lead) and better(of(one), baseline) == better(lead, baseline)
        ]
        order += sorted(level, key=lambda one: (of(one).counts, of(one).time))
        left = left[len(level) :]
    return order


def figures(kernel: facts.Kernel, array: str = "") -> Figures:
    """`array`: the one whose requests `per_request` is about; else all shared ones."""
    shared = [access for access in kernel.accesses if access.space == "shared"]
    counted = [access for access in kernel.accesses if access.space in ("shared", "global")]
    estimate = kernel.estimate
    own = [
        access.wavefronts
        for access in shared
        if access.wavefronts is not None and array in ("", access.object)
    ]
    wavefronts = _total(shared, _wavefronts)
    known = None if isinstance(estimate, str) else estimate
    return Figures(
        cycles=known.cycles if known else None,
        cycles_low=known.cycles_low if known else None,
        cycles_high=known.cycles_high if known else None,
        microseconds=known.microseconds if known else None,
        wavefronts=wavefronts,
        sectors=_total(
            [access for access in kernel.accesses if access.space == "global"],
            lambda one: one.sectors,
        ),
        per_request=_mean(own, _middle),
        low=_mean(own, _low) if wavefronts is None else _total(shared, _wavefronts, _low) or 0.0,
        high=_mean(own, _high) if wavefronts is None else _total(shared, _wavefronts, _high) or 0.0,
        shared_bytes=kernel.static_shared_bytes + (kernel.dynamic_shared_bytes or 0),
        occupancy=known.occupancy if known else None,
        status=max((access.status for access in counted), key=WORST.index, default="exact"),
        no_cycles=estimate if isinstance(estimate, str) else "",
        requests=_requests(shared),
    )


def _wavefronts(one: facts.Access | facts.Compiled) -> facts.Counts | None:
    return one.wavefronts


def _middle(counts: facts.Counts) -> float:
    return counts.mean


def _low(counts: facts.Counts) -> float:
    return min(counts.mean_low, counts.mean)


def _high(counts: facts.Counts) -> float:
    return max(counts.mean_high, counts.mean)


def _mean(some: Sequence[facts.Counts], which: Callable[[facts.Counts], float]) -> float:
    return sum(map(which, some)) / len(some) if some else 0.0


def _requests(accesses: Iterable[facts.Access]) -> float | None:
    found = [
        access.as_compiled.requests if access.as_compiled is not None else access.requests
        for access in accesses
    ]
    return None if None in found else float(sum(n for n in found if n is not None))


def _total(
    accesses: Iterable[facts.Access],
    counter: Callable[[facts.Access | facts.Compiled], facts.Counts | None],
    which: Callable[[facts.Counts], float] = _middle,
) -> float | None:
    """Over the launch, as the machine executes them; None where a number is missing."""
    total = 0.0
    for access in accesses:
        one: facts.Access | facts.Compiled = (
            access.as_compiled if access.as_compiled is not None else access
        )
        counts = counter(one)
        if one.requests == 0:
            continue
        if counts is None or one.requests is None:
            return None
        total += which(counts) * one.requests
    return total


def summed(some: Sequence[Figures]) -> Figures:
    """All launches together: times and counts add up, the most shared memory and the least
    occupancy count."""
    if len(some) == 1:
        return some[0]

    def total(values: Sequence[Known]) -> Known | None:
        known = [value for value in values if value is not None]
        return sum(known) if len(known) == len(values) else None

    wavefronts = total([one.wavefronts for one in some])
    share = 1 / len(some) if wavefronts is None and some else 1.0  # of a mean
    occupancies = [one.occupancy for one in some if one.occupancy is not None]
    return Figures(
        cycles=total([one.cycles for one in some]),
        cycles_low=total([one.cycles_low for one in some]),
        cycles_high=total([one.cycles_high for one in some]),
        microseconds=total([one.microseconds for one in some]),
        wavefronts=wavefronts,
        sectors=total([one.sectors for one in some]),
        per_request=sum(one.per_request for one in some) / max(1, len(some)),
        shared_bytes=max((one.shared_bytes for one in some), default=0),
        occupancy=min(occupancies, default=None),
        status=max((one.status for one in some), key=WORST.index, default="exact"),
        no_cycles=next((one.no_cycles for one in some if one.no_cycles), ""),
        low=share * sum(one.low for one in some),
        high=share * sum(one.high for one in some),
        requests=total([one.requests for one in some]),
    )


def lanes(kernel: facts.Kernel) -> float | None:
    """Executions of accesses by single threads over the launch; None where that is not known."""
    found = [
        None if a.requests is None or a.active_lanes is None else a.requests * a.active_lanes
        for a in kernel.accesses
    ]
    return (
        None
        if any(one is None for one in found)
        else round(sum(one for one in found if one is not None), 3)
    )
