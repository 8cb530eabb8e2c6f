"""A fix as the lines that it removes and adds.

In: a fix, sources. Out: numbered lines with their sign, in the order of a unified diff. Nothing for
a fix that touches several files, or none.
"""

from __future__ import annotations

import difflib
from dataclasses import replace

from kernlint.base.dataclass import dataclass
from kernlint.base.span import Span
from kernlint.model.finding import Edit, Fix
from kernlint.source.edits import applied
from kernlint.source.sources import Sources

MOST = 8  # changed lines that a finding shows


@dataclass(frozen=True, slots=True)
class DiffLine:
    """`number`: of the old text for `-`, of the new text for `+`."""

    number: int
    sign: str
    text: str


def lines(fix: Fix | None, sources: Sources) -> list[DiffLine]:
    """Only the stretch from the first to the last edited line is compared."""
    if fix is None or len({edit.span.path for edit in fix.edits}) != 1:
        return []
    path = fix.edits[0].span.path
    first = min(edit.span.line for edit in fix.edits)
    last = max(edit.span.end_line for edit in fix.edits)
    old = "\n".join(sources.line(path, number) for number in range(first, last + 1))
    new = applied(old, [Edit(_moved(edit.span, first), edit.content) for edit in fix.edits])
    return [] if new is None else _compared(old.split("\n"), new.split("\n"), first)


def _moved(span: Span, first: int) -> Span:
    """The span in a text that starts at line `first`."""
    return replace(span, line=span.line - first + 1, end_line=span.end_line - first + 1)


def _compared(old: list[str], new: list[str], first: int) -> list[DiffLine]:
    found = []
    for kind, a, b, c, d in difflib.SequenceMatcher(None, old, new, False).get_opcodes():
        if kind != "equal":
            found += [DiffLine(first + a + i, "-", text) for i, text in enumerate(old[a:b])]
            found += [DiffLine(first + c + i, "+", text) for i, text in enumerate(new[c:d])]
    return found
