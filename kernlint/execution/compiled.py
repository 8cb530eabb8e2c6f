"""From the tallies of what nvcc makes of an access to `facts.Compiled`.

In: the access's tally as written, its outcome, the tallies of the machine's accesses. Out: `facts.Compiled`, None where the access runs as
written. Never decides whether an outcome is certain: the compile stage has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kernlint import facts
from kernlint.execution.compiler_facts import Outcome, Risk
from kernlint.execution.merging import summed
from kernlint.execution.outcomes import Metric
from kernlint.execution.record import Record
from kernlint.execution.tally import Tally
from kernlint.lowering import ir
from kernlint.records import dataclass

OPENING = ("drifted", "in-registers")  # changes that leave an outcome open
Places = Mapping[tuple[ir.AccessSite, str], Sequence[Tally]]


@dataclass(frozen=True, slots=True)
class Predictions:
    """The outcomes that hold for every execution, with what was counted for them."""

    outcomes: Mapping[ir.AccessSite, Outcome]
    tallies: Places
    blocks: int | None

    def sure(self, tally: Tally, changes: tuple[Risk, ...]) -> bool:
        """Whether the outcome of the access is known, given every way in which it may change."""
        return tally.site in self.outcomes and not tally.open_count and not any(c.kind in OPENING for c in changes)

    def of(self, tally: Tally, status: str) -> facts.Compiled | None:
        """None where the access runs as written. `status` is that of the counts as written."""
        outcome = self.outcomes[tally.site]
        status = status if outcome.certain else "range"
        own = self.tallies.get((tally.site, tally.space), ())
        widths = [t.site.pieces[0][1] for t in own]
        if outcome.reason == "merged" and widths == [tally.site.pieces[0][1]] and own[0].requests == tally.requests:
            return None
        requests = sum(t.requests for t in own)
        if not requests:
            return gone(tally, status, outcome.charged_line, outcome.reason)
        shared = tally.space == "shared"
        wavefronts = _counts([t.wavefronts for t in own], requests) if shared else None
        sectors = None if shared else _counts([t.sectors for t in own], requests)
        lanes = sum(t.lanes for t in own) / requests
        total, block = None if self.blocks is None else requests, requests / (self.blocks or 1)
        return facts.Compiled(max(widths), total, lanes, wavefronts, sectors, status, outcome.charged_line, outcome.reason, block)


def gone(tally: Tally, status: str, line: int, reason: str) -> facts.Compiled:
    """Of an access that the machine does not execute."""
    return facts.Compiled(max(width for _, width in tally.site.pieces), 0, None, None, None, status, line, reason)


def predictions(outcomes: Mapping[ir.AccessSite, Outcome], record: Record, blocks: int | None) -> Predictions:
    places: dict[tuple[ir.AccessSite, str], list[Tally]] = {}
    for (site, space, _), tally in record.compiled.items():
        places.setdefault((site, space), []).append(tally)
    unsure = set(record.unpredicted)
    for (site, _), tallies in places.items():
        if any(t.uncounted or t.open_count for t in tallies):
            unsure.add(site)
    return Predictions({site: o for site, o in outcomes.items() if site not in unsure}, places, blocks)


def _counts(metrics: list[Metric], requests: int) -> facts.Counts | None:
    total = summed(metrics)
    if total.minimum is None or total.maximum is None:
        return None
    mean = total.total / requests
    return facts.Counts(total.minimum, mean, total.maximum, total.ideal / requests, total.low / requests, total.high / requests)
