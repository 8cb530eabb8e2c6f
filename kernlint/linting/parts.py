"""Findings about several lines: comments and baselines accept single lines, not whole findings.

Goes in: a finding and those of its lines that are not accepted. Comes out: what is left of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kernlint.checks import words
from kernlint.model.finding import Finding, Label

LINES = 8  # other lines that are marked


def parts_of(finding: Finding) -> tuple[Finding, ...]:
    """One finding for each line that the finding is about."""
    return finding.parts or (finding,)


def only(finding: Finding, kept: Sequence[Finding]) -> Finding | None:
    """The finding about `kept` of its parts, at the first of them; None if there are none."""
    if len(kept) == len(parts_of(finding)):
        return finding
    if not kept:
        return None
    first, *others = kept
    lines = sorted({part.span.line for part in others})
    notes = (f"also affects {words.lines(lines)}",) if lines else ()
    return replace(
        first,
        labels=(*first.labels, *_marks(first, others)),
        notes=(*first.notes, *notes),
        help=first.help or finding.help,
        fix=finding.fix,
        withheld=finding.withheld,
        device=finding.device,
        parts=tuple(kept) if others else (),
    )


def _marks(first: Finding, others: Sequence[Finding]) -> tuple[Label, ...]:
    spans = {p.span.line: p.span for p in others if p.span.path == first.span.path}
    return tuple(Label(spans[line], "and here") for line in sorted(spans)[:LINES])
