"""Judged files and their configuration to the findings that a user sees.

    rules → suppressions in comments → baseline → severity and status

Goes in: the findings of each file, a `Selection` for each path, a baseline. Comes out: an `Outcome`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from kernlint.checks.finding import Finding
from kernlint.checks.selection import held_back, once, selected_rules, shown
from kernlint.linting import baseline, suppressions
from kernlint.linting.judged import Judged
from kernlint.records import dataclass
from kernlint.render.sources import Sources
from kernlint.settings import Selection

SelectionOf = Callable[[str], Selection]
Known = tuple[str, Mapping[baseline.Entry, int]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """`findings`: to be shown; `everything`: those below the severity too, before the baseline; `held_back`: those of them that may be
    shown once others are mended; the rest are counts."""

    findings: tuple[Finding, ...]
    everything: tuple[Finding, ...]
    held_back: tuple[Finding, ...]
    hidden: int  # by severity or status
    silenced: int  # by comments
    known: int  # by the baseline
    stale: Mapping[baseline.Entry, int]


def lint(files: Iterable[Judged], sources: Sources, selection_of: SelectionOf, known: Known | None = None) -> Outcome:
    """`known`: the baseline's path and entries."""
    everything: list[Finding] = []
    let_through: list[Finding] = []
    back: list[Finding] = []
    paths: list[str] = []
    silenced = 0
    for file in files:
        selection = selection_of(file.path)
        chosen = selected_rules(selection)
        comments = {path: suppressions.of(sources.text(path), path) for path in _paths(file)}
        left, some = suppressions.apply(file.findings, comments, frozenset(chosen), selection.severities)
        left.sort(key=lambda f: (f.span.path != file.path, f.span.path, f.span.line, f.span.column, f.code, f.kernel))
        silenced += some
        everything += left
        let_through += [finding for finding in left if shown(finding, selection)]
        back += [finding for finding in left if held_back(finding, chosen, selection)]
        paths.append(file.path)
    unique = once(let_through)  # a header's finding may come with each file that includes it
    back = once(back)
    fresh, met, stale = unique, 0, {}
    if known is not None:
        compared = baseline.compare([*unique, *back], known[1], sources, known[0], paths)
        asked = set(map(id, unique))
        fresh, stale = [finding for finding in compared.fresh if id(finding) in asked], dict(compared.stale)
        met = len(unique) - len(fresh)
    hidden = len(everything) - len(let_through)
    return Outcome(tuple(fresh), tuple(once(everything)), tuple(back), hidden, silenced, met, stale)


def _paths(file: Judged) -> list[str]:
    return list(dict.fromkeys([file.path, *(finding.span.path for finding in file.findings)]))
