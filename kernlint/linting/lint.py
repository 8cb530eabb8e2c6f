"""A report and its configuration to the findings that a user sees.

    rules → suppressions in comments → baseline → severity and status

Goes in: facts, a `Selection` for each path, a baseline. Comes out: an `Outcome`. Never touches the facts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from kernlint import facts
from kernlint.checks.finding import Finding
from kernlint.checks.run import check_file, once, selected_rules, shown
from kernlint.linting import baseline, suppressions
from kernlint.records import dataclass
from kernlint.render.sources import Sources
from kernlint.settings import Selection

SelectionOf = Callable[[str], Selection]
Known = tuple[str, Mapping[baseline.Entry, int]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """`findings`: to be shown; `everything`: those below the severity too, before the baseline; the rest are counts."""

    findings: tuple[Finding, ...]
    everything: tuple[Finding, ...]
    hidden: int  # by severity or status
    silenced: int  # by comments
    known: int  # by the baseline
    stale: Mapping[baseline.Entry, int]


def lint(report: facts.Report, sources: Sources, selection_of: SelectionOf, known: Known | None = None) -> Outcome:
    """`known`: the baseline's path and entries."""
    everything: list[Finding] = []
    let_through: list[Finding] = []
    silenced = 0
    for file in report.files:
        selection = selection_of(file.path)
        chosen = selected_rules(selection)
        found = check_file(file, report.device, chosen)
        comments = {path: suppressions.of(sources.text(path), path) for path in _paths(file, found)}
        left, some = suppressions.apply(found, comments, frozenset(chosen), selection.severities)
        left.sort(key=lambda f: (f.span.path != file.path, f.span.path, f.span.line, f.span.column, f.code, f.kernel))
        silenced += some
        everything += left
        let_through += [finding for finding in left if shown(finding, selection)]
    unique = once(let_through)  # a header's finding may come with each file that includes it
    fresh, met, stale = unique, 0, {}
    if known is not None:
        compared = baseline.compare(unique, known[1], sources, known[0], [file.path for file in report.files])
        fresh, met, stale = list(compared.fresh), compared.known, dict(compared.stale)
    hidden = len(everything) - len(let_through)
    return Outcome(tuple(fresh), tuple(once(everything)), hidden, silenced, met, stale)


def _paths(file: facts.File, findings: Iterable[Finding]) -> list[str]:
    return list(dict.fromkeys([file.path, *(finding.span.path for finding in findings)]))
