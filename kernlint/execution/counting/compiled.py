"""From the tallies of what nvcc makes of an access to `facts.Compiled`.

In: the access's tally as written, its outcome, the tallies of the machine's accesses. Out:
`facts.Compiled`, None where the access runs as written. Never decides whether an outcome is
certain: the compile stage has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kernlint.base.dataclass import dataclass, replace
from kernlint.execution.counting.merging import summed
from kernlint.execution.counting.residue_counts import Metric
from kernlint.execution.counting.tally import Tally
from kernlint.execution.record import RunRecord
from kernlint.ir import nodes as ir
from kernlint.model import facts
from kernlint.optimizer.compiler_facts import Outcome, Risk, Unrolled

UNROLLING = (
    "how many neighbours become one access depends on how far it unrolls the loop around them"
)
OPENING = ("drifted", "in-registers")  # changes that leave an outcome open
Places = Mapping[tuple[ir.AccessSite, str], Sequence[Tally]]


@dataclass(frozen=True, slots=True)
class Predictions:
    """The outcomes that hold for every execution, with what was counted for them."""

    outcomes: Mapping[ir.AccessSite, Outcome]
    tallies: Places
    wider: Places
    blocks: int | None

    def sure(self, tally: Tally, changes: tuple[Risk, ...]) -> bool:
        """Whether the outcome of the access is known, given every way in which it may change."""
        return tally.site in self.outcomes and not any(c.kind in OPENING for c in changes)

    def exact(self, site: ir.AccessSite) -> bool:
        """Whether the outcome says all: on which line, and how wide."""
        return self.outcomes[site].certain and not self.open(site)

    def open(self, site: ir.AccessSite) -> str:
        """What an outcome leaves open, for people."""
        outcome = self.outcomes[site]
        return UNROLLING if isinstance(outcome, Unrolled) and outcome.wider is not None else ""

    def of(self, tally: Tally, status: str) -> facts.Compiled | None:
        """None where the access runs as written. `status` is that of the counts as written."""
        outcome = self.outcomes[tally.site]
        status = status if self.exact(tally.site) else "range"
        own = self.tallies.get((tally.site, tally.space), ())
        widths = [t.site.pieces[0][1] for t in own]
        if (
            outcome.reason == "merged"
            and widths == [tally.site.pieces[0][1]]
            and own[0].requests == tally.requests
        ):
            return None
        if not any(t.requests for t in own):
            return gone(tally, status, outcome.charged_line, outcome.reason)
        made = self._made(own, tally.space, outcome, status)
        wider = self.wider.get((tally.site, tally.space), ())
        if not wider or not isinstance(outcome, Unrolled) or outcome.wider is None:
            return made
        loop = outcome.wider.loop.site.span
        return _or_wider(
            replace(made, unrolled=loop), self._made(wider, tally.space, outcome, status)
        )

    def _made(
        self, own: Sequence[Tally], space: str, outcome: Outcome, status: str
    ) -> facts.Compiled:
        requests, shared = sum(t.requests for t in own), space == "shared"
        counts = _counts([t.wavefronts if shared else t.sectors for t in own], requests)
        lanes = sum(t.lanes for t in own) / requests
        is_open = any(t.open_count for t in own)  # how often it executes is not known
        total = None if self.blocks is None or is_open else requests
        block = None if is_open else requests / (self.blocks or 1)
        made = counts if shared else None, None if shared else counts
        width = max(t.site.pieces[0][1] for t in own)
        return facts.Compiled(
            width, total, lanes, *made, status, outcome.charged_line, outcome.reason, space, block
        )


def _or_wider(made: facts.Compiled, wider: facts.Compiled) -> facts.Compiled:
    """What surely is made of an access, where more may be joined: its counts bound what all
    requests of either come to."""
    counts, other = made.wavefronts or made.sectors, wider.wavefronts or wider.sectors
    if counts is None or other is None:
        return replace(made, wider=wider)
    if not made.per_block or not wider.per_block:
        return replace(made, wider=wider)
    share = wider.per_block / made.per_block
    low, high = (
        min(counts.mean_low, other.mean_low * share),
        max(counts.mean_high, other.mean_high * share),
    )
    bounded = replace(counts, mean_low=low, mean_high=high)
    return replace(
        made, wider=wider, wavefronts=made.wavefronts and bounded, sectors=made.sectors and bounded
    )


def gone(tally: Tally, status: str, line: int, reason: str) -> facts.Compiled:
    """Of an access that the machine does not execute."""
    return facts.Compiled(
        max(width for _, width in tally.site.pieces),
        0,
        None,
        None,
        None,
        status,
        line,
        reason,
        tally.space,
    )


def predictions(
    outcomes: Mapping[ir.AccessSite, Outcome], record: RunRecord, blocks: int | None
) -> Predictions:
    places, wider = _by_place(record.compiled), _by_place(record.wider)
    unsure = set(record.unpredicted)
    for (site, _), tallies in (*places.items(), *wider.items()):
        if any(t.uncounted for t in tallies):
            unsure.add(site)
    return Predictions(
        {site: o for site, o in outcomes.items() if site not in unsure}, places, wider, blocks
    )


def _by_place(
    counted: Mapping[tuple[ir.AccessSite, str, tuple[int, int]], Tally],
) -> dict[tuple[ir.AccessSite, str], list[Tally]]:
    places: dict[tuple[ir.AccessSite, str], list[Tally]] = {}
    for (site, space, _), tally in counted.items():
        places.setdefault((site, space), []).append(tally)
    return places


def _counts(metrics: list[Metric], requests: int) -> facts.Counts | None:
    total = summed(metrics)
    if total.minimum is None or total.maximum is None:
        return None
    mean = total.total / requests
    return facts.Counts(
        total.minimum,
        mean,
        total.maximum,
        total.ideal / requests,
        total.low / requests,
        total.high / requests,
    )
