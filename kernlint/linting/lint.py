"""Judged files and their configuration to the findings that a user sees.

    rules → suppressions in comments → baseline → severity and status

Goes in: the findings of each file, a `Selection` for each path, a baseline. Comes out: an
`LintOutcome`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from kernlint.base.dataclass import dataclass
from kernlint.checks.selection import held_back, once, selected_rules, shown, usual
from kernlint.linting import baseline, suppressions
from kernlint.linting.parts import parts_of
from kernlint.model.finding import Finding
from kernlint.model.reasons import UNCOUNTED
from kernlint.model.settings import Selection
from kernlint.model.verdict import Judged
from kernlint.source.sources import Sources

SelectionOf = Callable[[str], Selection]
Known = tuple[str, Mapping[baseline.Entry, int]]
Located = tuple[str, Finding]  # with the path of the file in whose analysis it was found


@dataclass(frozen=True, slots=True)
class LintOutcome:
    """`findings`: to be shown; `held_back`: those below the severity that may be shown once others
    are fixed; the rest are counts. `stale`: of the baseline, what is gone; `unjudged`: what this
    run could not find."""

    findings: tuple[Finding, ...]
    held_back: tuple[Finding, ...]
    hidden: int  # by severity or status
    silenced: int  # by comments; lines of findings
    known: int  # by the baseline; lines of findings
    stale: Mapping[baseline.Entry, int]
    unjudged: Mapping[baseline.Entry, int]
    # by rule, the severity that the configuration of all files gives it in place of its own
    levels: Mapping[str, str]
    # calls whose accesses no number holds, and why, where only hidden findings tell
    uncounted: tuple[tuple[str, str], ...] = ()
    suppressed: tuple[suppressions.Silenced, ...] = ()  # by comments, where they would be shown


def lint(
    files: Sequence[Judged], sources: Sources, selection_of: SelectionOf, known: Known | None = None
) -> LintOutcome:
    """`known`: the baseline's path and entries."""
    selections = {file.path: selection_of(file.path) for file in files}
    comments = {
        path: suppressions.of(sources.text(path), path) for file in files for path in _paths(file)
    }
    everything, silenced = _commented(files, comments, selections)
    suppressed = [
        one
        for file in files
        for one in suppressions.silenced(file.findings, comments)
        if shown(one.finding, selections[file.path])
    ]
    let_through = [finding for path, finding in everything if shown(finding, selections[path])]
    hidden = [
        (path, finding) for path, finding in everything if not shown(finding, selections[path])
    ]
    chosen = {path: selected_rules(selection) for path, selection in selections.items()}
    back = [
        finding for path, finding in hidden if held_back(finding, chosen[path], selections[path])
    ]
    unique = once(let_through)  # a header's finding may come with each file that includes it
    compared = baseline.Compared(tuple(unique))
    if known is not None:
        scopes = [_scope(file, selections[file.path]) for file in files]
        compared = baseline.compare(
            unique, known[1], sources, known[0], scopes, once(finding for _, finding in hidden)
        )
    met = _places(unique) - _places(compared.fresh)
    counts = len(hidden), silenced, met
    open_ = _uncounted([finding for _, finding in hidden], compared.fresh)
    return LintOutcome(
        compared.fresh,
        tuple(once(back)),
        *counts,
        compared.stale,
        compared.unjudged,
        _levels(selections.values()),
        open_,
        tuple({(one.finding.span, one.finding.code): one for one in suppressed}.values()),
    )


def _uncounted(
    hidden: Iterable[Finding], reported: Iterable[Finding]
) -> tuple[tuple[str, str], ...]:
    known = {name for finding in reported for name in finding.undefined}
    own = [finding for finding in hidden if finding.reason in UNCOUNTED]
    return tuple(
        {
            name: finding.reason
            for finding in own
            for name in finding.undefined
            if name not in known
        }.items()
    )


def _levels(selections: Iterable[Selection]) -> dict[str, str]:
    """What only some files' configuration says stands in the findings alone."""
    tables = [selection.severities for selection in selections]
    return {
        code: level
        for code, level in (tables[0] if tables else {}).items()
        if all(table.get(code) == level for table in tables)
    }


def _scope(file: Judged, selection: Selection) -> baseline.BaselineScope:
    return baseline.BaselineScope(
        file.path,
        selected_rules(selection).keys(),
        frozenset(kernel.name for kernel in file.reported),
        file.partial,
    )


def _commented(
    files: Sequence[Judged],
    comments: Mapping[str, suppressions.Suppressions],
    selections: Mapping[str, Selection],
) -> tuple[list[Located], int]:
    """What comments leave of the findings, with what is said of the comments, and how many they
    silence. A comment in a header is judged by what it silences in all files of the run."""
    left = [suppressions.apply(file.findings, comments) for file in files]
    silenced = sum(
        _places(file.findings) - _places(kept) for file, (kept, _) in zip(files, left, strict=True)
    )
    used = {part for _, some in left for part in some}
    homes = {path: file.path for file in files for path in _paths(file)} | {
        file.path: file.path for file in files
    }
    everything: list[Located] = []
    for file, (kept, _) in zip(files, left, strict=True):
        selection = selections[file.path]
        chosen = selected_rules(selection)
        for path in (path for path in _paths(file) if homes[path] == file.path):
            all_ran = not selection.narrowed or usual() <= chosen.keys()
            judge = suppressions.Judge(
                chosen.keys(), all_ran, partial(file.looked, path), _lines(files, path)
            )
            kept += suppressions.about(comments[path], used, judge, chosen)
        kept.sort(
            key=lambda f: (
                f.span.path != file.path,
                f.span.path,
                f.span.line,
                f.span.column,
                f.code,
                f.kernel,
            )
        )
        everything += [(file.path, finding) for finding in kept]
    return everything, silenced


def _lines(files: Sequence[Judged], path: str) -> dict[str, list[int]]:
    """Where a file's findings are, by code."""
    found: dict[str, list[int]] = {}
    for part in (part for file in files for part in _parts(file.findings)):
        if part.span.path == path:
            found.setdefault(part.code, []).append(part.span.line)
    return found


def _paths(file: Judged) -> list[str]:
    return list(dict.fromkeys([file.path, *(part.span.path for part in _parts(file.findings))]))


def _parts(findings: Iterable[Finding]) -> list[Finding]:
    return [part for finding in findings for part in parts_of(finding)]


def _places(findings: Iterable[Finding]) -> int:
    """How many lines the findings are about."""
    return len(_parts(findings))
