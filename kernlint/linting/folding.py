"""Kernels and functions that were not analysed, reported once for one reason: a folder with copied
libraries holds dozens of them.

Goes in: the findings of a run. Comes out: fewer KL003, none lost: the first of each reason names
all others by their places. Findings of numbers that are not known (notes) stay with their kernels.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from kernlint.model.finding import Finding
from kernlint.model.reasons import CODE

# of a launch: one statement may launch many kernels, whose sizes are unknown for different reasons
LOST = "block-unknown"
FEW = 2  # places of one reason in as many files that are reported apart
# between what was not analysed and why
PREDICATE = re.compile(r" (?=(?:is|exceeded|stopped|are) )")


def folded(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings, with those of one reason in one file or in more than a few at the first of
    them."""
    causes: dict[object, list[Finding]] = {}
    foldable = [finding for finding in findings if _foldable(finding)]
    launching = Counter(map(_line, foldable))
    for finding in foldable:
        is_of_many = finding.reason == LOST and launching[_line(finding)] > 1
        key = (LOST, _line(finding)) if is_of_many else _cause(finding)
        causes.setdefault(key, []).append(finding)
    folded_into: dict[int, Finding | None] = {}
    for alike in causes.values():
        for some in [alike] if len(alike) > FEW else _by_file(alike):
            folded_into |= {id(finding): None for finding in some[1:]}
            folded_into[id(some[0])] = _together(some)
    return tuple(
        one for finding in findings if (one := folded_into.get(id(finding), finding)) is not None
    )


def _line(finding: Finding) -> tuple[str, int]:
    return finding.span.path, finding.span.line


def _foldable(finding: Finding) -> bool:
    return (
        finding.code == CODE
        and finding.severity != "info"
        and not finding.headers
        and finding.reason != ""
    )


def _cause(finding: Finding) -> object:
    """Why it was not analysed, without what."""
    why = PREDICATE.split(finding.message, maxsplit=1)[-1].replace("the text around it", "its text")
    return finding.reason, finding.severity, finding.help, why


def _by_file(alike: Sequence[Finding]) -> list[list[Finding]]:
    files: dict[str, list[Finding]] = {}
    for finding in alike:
        files.setdefault(finding.span.path, []).append(finding)
    return list(files.values())


def _together(some: Sequence[Finding]) -> Finding:
    first, *others = some
    if not others:
        return first
    files = len({finding.span.path for finding in some})
    where = f", in {files} files" if files > 1 else ""
    message = f"{first.message}; same for {len(others)} more{where}"
    return replace(first, message=message, kernel="", notes=(*first.notes, *map(_place, others)))


def _place(finding: Finding) -> str:
    """also k.cu:30: kernel `b`; same for `c` (line 40)"""
    what = PREDICATE.split(finding.message, maxsplit=1)[0]
    return "; ".join((f"also {finding.span.path}:{finding.span.line}: {what}", *finding.notes))
