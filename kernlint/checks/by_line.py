"""A finding about several lines, with what there is to say of each line alone: comments and baselines
accept single lines.

Goes in: what a rule found, and the rule's way to report some of it. Comes out: one finding with its
parts. Decides nothing about what belongs together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from kernlint.base.span import Span
from kernlint.model.finding import Finding

Hit = TypeVar("Hit")


def in_parts(
    hits: Sequence[Hit],
    span_of: Callable[[Hit], Span],
    build: Callable[[Sequence[Hit]], Finding],
    cost: Callable[[Sequence[Hit]], float] = lambda hits: 0.0,
) -> Finding:
    """`build` reports some of the hits; the parts stand in order of their `cost`, that of the
    finding's own line first."""
    whole = build(hits)
    lines: dict[tuple[str, int], list[Hit]] = {}
    for hit in hits:
        span = span_of(hit)
        lines.setdefault((span.path, span.line), []).append(hit)
    if len(lines) < 2:
        return whole
    own = whole.span.path, whole.span.line
    order = sorted(lines, key=lambda line: (line != own, -cost(lines[line])))
    parts = (build(lines[line]) for line in order)
    return replace(whole, parts=tuple(replace(part, fix=None) for part in parts))


def as_info(finding: Finding, note: str) -> Finding:
    """The finding and each of its parts as information, with the reason why."""
    parts = tuple(as_info(part, note) for part in finding.parts)
    return replace(finding, severity="info", fix=None, notes=(*finding.notes, note), parts=parts)
