"""How far a number of an access holds, and the counts that follow.

In: what was counted of an access, and why the machine may count otherwise. Out: the counts of one
request, with bounds. Never looks at launches or devices.
"""

from __future__ import annotations

from collections.abc import Callable

from kernlint.base.dataclass import dataclass
from kernlint.execution.counting.residue_counts import Metric
from kernlint.execution.counting.tally import Tally
from kernlint.model import facts

SERIAL = ("atomic", "cas")


@dataclass(frozen=True, slots=True)
class NumberStatus:
    """How far a number holds: its status, why not exact, and by what factors the machine's total
    may differ. `by_lanes`: a request may count up to one for each of its active lanes; `scattered`:
    profilers may count only some of the requests on the line; `beside`: what they may count there,
    too."""

    status: str
    reason: str = ""
    detail: str = ""
    factor: tuple[float, float] = (1.0, 1.0)
    by_lanes: bool = False
    scattered: bool = False
    beside: tuple[Tally, ...] = ()


def lanes_of(tally: Tally) -> float | None:
    if tally.requests and not tally.open_count:
        return tally.lanes / tally.requests
    return tally.weight_lanes / tally.weight if tally.weight else None


def fewest_lanes_of(tally: Tally) -> float | None:
    """Where requests are known and data decides which lanes take part; None where it does not."""
    known = tally.requests and not tally.open_count and tally.sure_lanes < tally.lanes
    return tally.sure_lanes / tally.requests if known else None


def wavefronts_of(tally: Tally) -> Metric:
    return tally.wavefronts


def sectors_of(tally: Tally) -> Metric:
    return tally.sectors


def lines_of(tally: Tally) -> Metric:
    return tally.lines


def counts_of(
    of: Callable[[Tally], Metric], tally: Tally, standing: NumberStatus, lanes: int
) -> facts.Counts | None:
    metric = of(tally)
    if metric.minimum is None or metric.maximum is None or not tally.weight:
        return None
    mean = metric.total / tally.weight
    low, high = metric.low / tally.weight, metric.high / tally.weight
    if standing.status != "exact" and tally.open_count:
        low, high = 0.0 if tally.guarded else min(low, metric.minimum), max(high, metric.maximum)
    if standing.scattered:
        low, high = min(low, metric.minimum), max(high, metric.maximum)
    for other in standing.beside:
        least, greatest = of(other).minimum, of(other).maximum
        if least is None or greatest is None or other.uncounted:
            least, greatest = 0, lanes
        low = min(low, 0 if other.guarded else least)
        high = max(high, greatest)
    fewest, most = standing.factor
    highest = high * max(1.0, most)
    if standing.by_lanes:
        highest = max(highest, lanes_of(tally) or lanes)
    if (
        tally.open_count and tally.hardware_op not in SERIAL
    ):  # of one wider request: each lane's aligned 16 bytes lie in one sector
        highest = max(high, min(highest, lanes))
    return facts.Counts(
        metric.minimum,
        mean,
        metric.maximum,
        metric.ideal / tally.weight,
        float(low * fewest),
        float(highest),
    )
