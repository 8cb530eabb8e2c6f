"""Between which bounds the machine's totals of an access lie, as factors of the figures that stand
for them.

In: what was counted for an access, its facts, and the ways in which nvcc may change it. Out: a
`TotalBounds`. On which line a request is counted makes no difference to what the machine does;
neighbours of which nvcc may make one access take the share of the widest one each.
"""

from __future__ import annotations

from collections.abc import Iterable

from kernlint.base.dataclass import dataclass
from kernlint.execution.counting.tally import Tally
from kernlint.model import facts
from kernlint.optimizer.compiler_facts import CHARGED, WIDEST, Risk

Factors = tuple[float, float]
ONE: Factors = (1.0, 1.0)


@dataclass(frozen=True, slots=True)
class TotalBounds:
    """Factors of the requests, and of the wavefronts or sectors of each."""

    requests: Factors = ONE
    each: Factors = ONE

    @property
    def total(self) -> Factors:
        return self.requests[0] * self.each[0], self.requests[1] * self.each[1]


KNOWN = TotalBounds()


def total_bounds(tally: Tally, access: facts.Access, risks: Iterable[Risk]) -> TotalBounds:
    """`risks`: none where it is known what becomes of the access."""
    counts = access.wavefronts if tally.space == "shared" else access.sectors
    if access.as_compiled is not None:
        compiled = access.as_compiled
        return TotalBounds(
            ONE, _of_counts(compiled.wavefronts if tally.space == "shared" else compiled.sectors)
        )
    if counts is None or access.status != "range":
        return KNOWN
    if access.reason == "hardware-model":
        return TotalBounds(ONE, _of_counts(counts))
    metric = tally.wavefronts if tally.space == "shared" else tally.sectors
    each = (metric.low / metric.total, metric.high / metric.total) if metric.total else ONE
    return TotalBounds(_of_risks(tally, risks), each)


def _of_counts(counts: facts.Counts | None) -> Factors:
    return (
        ONE
        if counts is None or not counts.mean
        else (counts.mean_low / counts.mean, counts.mean_high / counts.mean)
    )


def _of_risks(tally: Tally, risks: Iterable[Risk]) -> Factors:
    share = max(width for _, width in tally.site.pieces) / WIDEST
    found = [
        (max(r.factor[0], share) if r.kind == "merged" else r.factor[0], r.factor[1])
        for r in risks
        if r.kind not in CHARGED
    ]
    return min((low for low, _ in found), default=1.0), max(
        (high for _, high in found), default=1.0
    )
