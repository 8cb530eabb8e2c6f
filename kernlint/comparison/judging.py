"""Whether a prediction agrees with what was counted, line by line.

Goes in: what was counted for a line, and the accesses that a report charges to it. Comes out: a
verdict with both sides' numbers.

  agrees    wavefronts or sectors per request, or their total, within 0.5 %, and, where the instructions carry no predicate, the requests
  inside    a range no wider than a factor of 2 that holds the measured value
  vague     a wider range that holds it, or a number that nothing bounds
  wrong     called exact, or given a range, and the hardware says otherwise
  partial   some access of the line is unknown, or may be another line's or space's, and the others do not explain the value
  unknown   reported without a number
  missing   not reported
  invented  an exact access with requests where the hardware counted none

What was claimed decides what a verdict means: an exact number, a range that holds the counted one,
or nothing that can be held against it (`Row.agreement`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kernlint.base.dataclass import dataclass
from kernlint.comparison.profile import ProfiledLine
from kernlint.model import facts

TOLERANCE = 0.005
WIDE = 2  # a range wider than this factor is vague
AGREEMENTS = ("contradicted", "no-number", "inside", "exact")  # worst first
# worst first
ORDER = (
    "wrong",
    "invented",
    "missing",
    "partial",
    "unknown",
    "vague",
    "inside",
    "agrees",
)
SPACES = ("shared", "global", "local")


@dataclass(frozen=True, slots=True)
class PredictedAccess:
    """An access as the machine is predicted to execute it: `line` is the one it is charged to;
    counts per request or None."""

    access: facts.Access
    path: str
    line: int
    exact: bool
    requests: float | None
    lanes: float | None
    mean: float | None
    low: float | None
    high: float | None
    ideal: float | None
    bits: int


@dataclass(frozen=True, slots=True)
class Number:
    """One quantity on both sides; None where a side does not know it. `low` and `high` bound the
    prediction."""

    predicted: float | None
    measured: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Within:
    """Stated bounds that hold what was counted: of each request, or (`in_all`) of all that are
    predicted."""

    low: float
    high: float
    measured: float
    in_all: bool


@dataclass(frozen=True, slots=True)
class Row:
    """The comparison of one line. `counts`: wavefronts or sectors, per request where requests are
    known, else over the kernel. `within`: where a range was stated that holds them."""

    path: str
    line: int
    space: str
    op: str
    verdict: str
    exact: bool  # every access is called exact
    requests: Number
    lanes: Number
    counts: Number
    ideal: Number
    accesses: tuple[PredictedAccess, ...]
    measured: ProfiledLine | None
    why: tuple[str, ...] = ()
    within: Within | None = None

    @property
    def agreement(self) -> str:
        """exact: an exact claim that was counted so; inside: a range that holds what was counted;
        contradicted: a claim of either kind that does not hold; no-number: nothing was claimed that
        the counters could be held against."""
        if self.verdict in ("wrong", "invented"):
            return "contradicted"
        if self.exact and self.verdict == "agrees":
            return "exact"
        return (
            "inside"
            if self.within is not None and self.verdict in ("agrees", "inside", "vague")
            else "no-number"
        )

    @property
    def contradicted(self) -> bool:
        """The hardware contradicts a claim that was called exact."""
        return self.exact and self.verdict in ("wrong", "invented")

    @property
    def distance(self) -> float:
        """How far apart the totals are, in wavefronts or sectors (in requests where only those are
        compared)."""
        for number in (self.counts, self.requests):
            scale = (
                (self.requests.measured or self.requests.predicted or 1)
                if number is self.counts
                else 1
            )
            if number.predicted is not None or number.measured is not None:
                return abs((number.predicted or 0) - (number.measured or 0)) * scale
        return 0.0


def executed(access: facts.Access) -> PredictedAccess:
    """What the report says the machine executes: `as_compiled` where present."""
    compiled, shared = access.as_compiled, access.space == "shared"
    if compiled is not None:
        counts, status, requests = (
            compiled.wavefronts if shared else compiled.sectors,
            compiled.status,
            compiled.requests,
        )
        line, lanes, width = compiled.charged_line, compiled.active_lanes, compiled.bytes
    else:
        counts, status, requests = (
            access.wavefronts if shared else access.sectors,
            access.status,
            access.requests,
        )
        line, lanes, width = access.charged_line, access.active_lanes, access.bytes
    counts = counts if status != "unknown" else None
    if counts is None:
        mean = low = high = ideal = None
    else:
        mean, ideal = counts.mean, counts.ideal
        low, high = (counts.mean_low, counts.mean_high) if status == "range" else (mean, mean)
    path = access.charged_path or access.span.path
    return PredictedAccess(
        access, path, line, status == "exact", requests, lanes, mean, low, high, ideal, 8 * width
    )


def judge(line: ProfiledLine, accesses: Sequence[PredictedAccess]) -> Row:
    """One measured line against the accesses charged to it."""
    live = [e for e in accesses if e.requests != 0]
    usable = (
        [e for e in live if e.mean is not None]
        if line.count is not None
        else [e for e in live if e.requests is not None]
    )
    exact = bool(live) and all(e.exact for e in live)
    requests = _total(usable)
    counts = _counts(line, usable, requests)
    within = None if exact else _within(line, requests, counts)
    measured_lanes = (
        line.threads / line.requests if line.threads is not None and line.requests else None
    )
    return Row(
        line.path,
        line.line,
        line.space,
        line.op,
        _verdict(line, live, usable, exact, requests, counts, within),
        exact,
        Number(requests if len(usable) == len(live) else None, line.requests),
        Number(_mean(usable, "lanes"), measured_lanes),
        counts,
        Number(_scaled(line, usable, "ideal", requests), _per_request(line, line.ideal)),
        tuple(live),
        line,
        within=within if len(usable) == len(live) else None,
    )


def invented(path: str, line: int, accesses: Sequence[PredictedAccess]) -> Row | None:
    """Accesses of one line, space and operation for which nothing was counted; None where none of
    them is a claim."""
    claims = [e for e in accesses if e.exact and e.requests]
    if not claims:
        return None
    access, requests = claims[0].access, _total(claims)
    counts = Number(_mean(claims, "mean"), None)
    lanes, ideal = Number(_mean(claims, "lanes"), None), Number(_mean(claims, "ideal"), None)
    place = (path, line, access.space, access.op)
    return Row(
        *place, "invented", True, Number(requests, 0), lanes, counts, ideal, tuple(claims), None
    )


def weakened(row: Row) -> Row:
    """Where instructions that are not reported may explain a surplus, the claims about those that
    are stand uncontradicted."""
    return replace(row, verdict="partial") if row.contradicted else row


def exceeds(number: Number) -> bool:
    """Whether more was measured than predicted."""
    if number.predicted is None or number.measured is None:
        return False
    return number.measured > number.predicted and not close(number.predicted, number.measured)


def _verdict(
    line: ProfiledLine,
    live: Sequence[PredictedAccess],
    usable: Sequence[PredictedAccess],
    exact: bool,
    requests: float | None,
    counts: Number,
    within: Within | None,
) -> str:
    if not live:
        return "missing" if line.requests or line.count else "agrees"
    if not usable:
        return "unknown"
    if line.count is None:
        return _by_requests(line, exact, len(usable) == len(live), requests)
    if _agrees(line, requests, counts):
        return "agrees"
    if len(usable) < len(live):
        return "partial"
    if exact:
        return "invented" if not line.count and not line.requests else "wrong"
    return _bounded(line, counts, within)


def _by_requests(line: ProfiledLine, exact: bool, complete: bool, requests: float | None) -> str:
    """Where only requests were counted: nothing bounds them, so that a number called a range is no
    claim about them."""
    if requests is not None and line.predicated and (line.requests or 0) >= requests:
        return "vague"  # warps without an active lane are counted too
    if requests is not None and close(requests, line.requests or 0):
        return "agrees" if complete else "partial"
    return (
        ("wrong" if line.requests else "invented")
        if exact and complete
        else "partial"
        if not complete
        else "vague"
    )


def _agrees(line: ProfiledLine, requests: float | None, counts: Number) -> bool:
    """With as many requests, too, unless warps without an active lane are counted among them."""
    if counts.predicted is None or counts.measured is None or line.count is None:
        return False
    hit = close(counts.predicted, counts.measured)
    if line.requests is None:
        return hit
    hit = hit or (requests is not None and close(counts.predicted * requests, line.count))
    return hit and (line.predicated or requests is None or close(requests, line.requests))


def _bounded(line: ProfiledLine, counts: Number, within: Within | None) -> str:
    if within is not None:
        return "inside" if within.high <= WIDE * within.low else "vague"
    if counts.low is None or counts.high is None or counts.measured is None:
        return "unknown"
    # of a total, the range bounds each request, not how many there are
    return "vague" if line.requests is None else "wrong"


def _within(line: ProfiledLine, requests: float | None, counts: Number) -> Within | None:
    """The bounds of each request, else those of all that are predicted: nvcc may have made few wide
    requests of many narrow ones."""
    if counts.low is None or counts.high is None or counts.measured is None or line.count is None:
        return None
    tried = [Within(counts.low, counts.high, counts.measured, line.requests is None)]
    if line.requests is not None and requests is not None:
        tried.append(Within(counts.low * requests, counts.high * requests, line.count, True))
    return next(
        (
            one
            for one in tried
            if one.low * (1 - TOLERANCE) <= one.measured <= one.high * (1 + TOLERANCE)
        ),
        None,
    )


def _counts(
    line: ProfiledLine, usable: Sequence[PredictedAccess], requests: float | None
) -> Number:
    """Per request; over the kernel where the report counts no requests."""
    if line.count is None:
        return Number(None, None)
    predicted, low, high = (_scaled(line, usable, key, requests) for key in ("mean", "low", "high"))
    return Number(predicted, _per_request(line, line.count), low, high)


def _per_request(line: ProfiledLine, count: int | None) -> float | None:
    if count is None or line.requests is None:
        return count
    return count / line.requests if line.requests else None


def _scaled(
    line: ProfiledLine, usable: Sequence[PredictedAccess], key: str, requests: float | None
) -> float | None:
    if line.count is None:
        return None
    mean = _mean(usable, key)
    if line.requests is not None or mean is None:
        return mean
    return mean * requests if requests is not None else None


def _total(some: Sequence[PredictedAccess]) -> float | None:
    """Requests of all of them; None where one is not known."""
    known = [e.requests for e in some if e.requests is not None]
    return sum(known) if len(known) == len(some) else None


def _mean(some: Sequence[PredictedAccess], key: str) -> float | None:
    """Weighted by requests; the plain mean where those are not known."""
    values = [getattr(e, key) for e in some]
    if not values or any(value is None for value in values):
        return None
    requests = _total(some)
    if requests is None:
        return float(sum(values) / len(values))
    return (
        float(
            sum((e.requests or 0) * value for e, value in zip(some, values, strict=True)) / requests
        )
        if requests
        else None
    )


def close(one: float, other: float) -> bool:
    return abs(one - other) <= TOLERANCE * max(abs(other), 1e-9)
