"""The `check` and `baseline` commands: findings out of a report, to where the user wants them.

Goes in: a request. Comes out: text, files, an exit code. Raises `UsageError` only.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from kernlint.base import timings
from kernlint.base.dataclass import dataclass
from kernlint.base.deadline import SPENT
from kernlint.base.usage import SEVERITIES
from kernlint.checks.selection import META
from kernlint.cli import options, output
from kernlint.cli.requests import BaselineRequest, CheckRequest
from kernlint.configuration.project import Project
from kernlint.linting import baseline, missing_headers
from kernlint.linting.folding import folded
from kernlint.linting.lint import LintOutcome, lint
from kernlint.linting.parts import parts_of
from kernlint.model.finding import Finding
from kernlint.model.reasons import UNCOUNTED
from kernlint.model.verdict import Judged
from kernlint.render import devices
from kernlint.render.formats import FORMATS, TOLD_ONCE, WITH_FACTS, Document
from kernlint.render.style import Style
from kernlint.source.sources import Sources

if TYPE_CHECKING:
    from kernlint.cli.fix_command import FixedWork
    from kernlint.configuration.keys import Values
    from kernlint.model import facts
    from kernlint.pipeline.workers import Work


@dataclass(frozen=True, slots=True)
class CheckRun:
    """One analysis of all paths, and what is to be shown of it."""

    device: str
    files: tuple[Judged, ...]
    sources: Sources
    outcome: LintOutcome
    report: facts.Report  # empty where nobody asked for it
    headers: Mapping[str, missing_headers.HeaderFolder]  # where headers that are not found lie

    @property
    def others(self) -> dict[str, str]:
        """Devices by file, of those judged for another one than the run's."""
        return {
            file.path: file.device for file in self.files if file.device not in ("", self.device)
        }


# the format for reading at leisure; after fixes that were listed one by one, what is left comes in
# lines
FULL = "full"
NOUNS = {
    "error": ("error", "errors"),
    "warning": ("warning", "warnings"),
    "info": ("info finding", "info findings"),
}


def check(request: CheckRequest) -> int:
    project = options.project(request)
    if request.shows:
        return output.show(request, project)
    if request.watch:
        from kernlint.cli.watching import watch

        sought: set[str] = set()  # where the last run looked for headers

        def files() -> Iterable[str]:
            found = [path for path, _ in output.collected(request.paths, project)]
            return [*found, *{name for path in found for name in project.files(path)}, *sought]

        return watch(lambda: _check(request, options.project(request), sought), files)
    return output.ended(request.paths, _check(request, project, set()))


def _check(request: CheckRequest, project: Project, sought: set[str]) -> int:
    """`sought` gets the places where headers were looked for."""
    began = time.monotonic()
    if request.write_baseline is not None:
        output.complete(request.paths)
    values = project.values(request.first_path)
    works = None
    some: list[FixedWork] = []
    if request.fix or request.diff:
        some = _fixed(request, project)
        if request.diff:
            return _show_diff(request, some)
        works = [one.after for one in some]
        if request.reads_stdin:
            sys.stdout.write(works[0].source.text or "")
            return 0
    chosen = _format(values, "concise" if request.fix else FULL)
    also = options.also(request)
    shown = {chosen, *(format_ for format_, _ in also)}
    seconds = timings.start() if request.timings else None
    run = _lint(request, project, values, works, with_facts=bool(shown & WITH_FACTS))
    sources, outcome = run.sources, run.outcome
    sought.update(path for file in run.files for path, _ in file.sought)
    if request.write_baseline is not None:
        return _write_baseline(
            outcome, sources, request.write_baseline or values.get("baseline", baseline.DEFAULT)
        )
    if request.add_ignore is not None:
        return _add_ignores(outcome, sources, request.add_ignore)
    paths = tuple(file.path for file in run.files)

    for_people = folded(missing_headers.reported_once(outcome.findings, run.headers))

    def document(format_: str) -> Document:
        findings = for_people if format_ in TOLD_ONCE else outcome.findings
        how = outcome.levels, values.get("rules-url", ""), run.others, outcome.suppressed
        return Document(findings, sources, run.device, paths, run.report, *how)

    with output.opened(request.output_file, request.color) as (stream, style):
        stream.write(
            _statistics(for_people, style)
            if request.statistics
            else FORMATS[chosen](document(chosen), style)
        )
    for format_, path in also:
        with output.opened(path, "never") as (stream, style):
            stream.write(FORMATS[format_](document(format_), style))
    if chosen in (FULL, "concise"):
        sys.stdout.flush()
        all_of_them = (
            "--severity info" if not values.get("status") else "--severity info and every --status"
        )
        offered = not some and any(finding.fix for finding in outcome.findings)
        summary = _edited(some) + _summary(
            replace(outcome, findings=for_people),
            run,
            time.monotonic() - began,
            all_of_them,
            offered,
        )
        print(
            summary, file=sys.stdout if chosen == FULL and not request.output_file else sys.stderr
        )
    if seconds is not None:
        sys.stdout.flush()
        print(timings.table(seconds), end="", file=sys.stderr)
    if outcome.stale:
        gone = sum(outcome.stale.values())
        print(
            f"kernlint: {gone} of the baseline no longer found: `kernlint baseline prune` removes them",
            file=sys.stderr,
        )
    return _exit_code(request, values, outcome.findings)


def _format(values: Values, usual: str) -> str:
    return str(values.get("output-format") or usual)


def _fixed(request: CheckRequest, project: Project) -> list[FixedWork]:
    """Every file with its fixes made; written back where --fix asks for it."""
    from kernlint.base.progress import Progress
    from kernlint.cli import fix_command
    from kernlint.pipeline import workers

    works = output.works_of(request, project, with_findings=True)
    output.require_devices(works)
    with output.runner(request) as run:
        results = run(works)
    with Progress(sys.stderr) as progress:
        some = fix_command.fix(
            works,
            results,
            request.unsafe_fixes,
            request.idle_fixes,
            workers.workers(request.jobs),
            progress.update,
        )
    if request.fix and not request.reads_stdin:
        fix_command.store(some)
    for line in fix_command.summary(some, made=request.fix):
        print(line, file=sys.stderr)
    return some


def _edited(some: Sequence[FixedWork]) -> str:
    """2 fixed, 1 not:"""
    done, refused = (
        sum(len(one.result.done) for one in some),
        sum(len(one.result.refused) for one in some),
    )
    return f"{done} fixed{f', {refused} not' if refused else ''}; left: " if some else ""


def _show_diff(request: CheckRequest, some: Sequence[FixedWork]) -> int:
    from kernlint.cli import fix_command

    lines = list(fix_command.diff(some))
    with output.opened(request.output_file, request.color) as (stream, _):
        stream.writelines(lines)
    print(f"kernlint: {fix_command.balance(some)}", file=sys.stderr)
    return int(bool(lines) and not request.exit_zero)


def _lint(
    request: CheckRequest,
    project: Project,
    values: Values,
    works: list[Work] | None = None,
    with_facts: bool = False,
) -> CheckRun:
    works = output.works_of(request, project, with_findings=True) if works is None else works
    judged, report = output.judged(request, project, works, with_facts)
    sources = Sources({work.source.path: work.source.text or "" for work in works})
    path = None if request.write_baseline is not None else values.get("baseline")
    known = None if path is None else (path, baseline.read(path))
    outcome = lint(judged, sources, project.selection, known)
    headers = missing_headers.places(outcome.findings, request.paths)
    outcome = replace(outcome, findings=missing_headers.with_places(outcome.findings, headers))
    return CheckRun(report.device, tuple(judged), sources, outcome, report, headers)


def _exit_code(request: CheckRequest, values: Values, findings: Iterable[Finding]) -> int:
    """Analysis that was stopped for its time says nothing of the kernels: it counts where --strict
    asks for it."""
    limit = SEVERITIES.index(values.get("fail-on") or "warning")
    counted = [finding for finding in findings if request.strict or SPENT not in finding.message]
    return int(
        not request.exit_zero
        and any(SEVERITIES.index(finding.severity) >= limit for finding in counted)
    )


def _statistics(findings: Sequence[Finding], style: Style) -> str:
    """Count, code, how many fixes are available, name; the most frequent first. A fix that serves
    several findings is one."""
    counted = Counter((finding.code, finding.name) for finding in findings)
    edits = Counter({finding.fix: finding.code for finding in findings if finding.fix}.values())
    rows = [
        f"{number:>6}  {code}  {edits[code]:>4} fixable  {name}"
        for (code, name), number in counted.most_common()
    ]
    return "".join(style.plain(row) + "\n" for row in rows)


def _summary(
    outcome: LintOutcome, run: CheckRun, seconds: float, all_of_them: str, offered: bool
) -> str:
    """3 warnings in 2 of 5 kernels (1 file, 0.21 s)"""
    findings, analysed = outcome.findings, run.files
    severities = Counter(finding.severity for finding in findings)
    counts = [
        f"{severities[s]} {NOUNS[s][severities[s] != 1]}"
        for s in reversed(SEVERITIES)
        if severities[s]
    ]
    where = _where(findings, analysed)
    files = f"{len(analysed)} file{'' if len(analysed) == 1 else 's'}{devices.counted(run.others)}"
    hidden = outcome.hidden
    counted = (
        f"{', '.join(counts) or 'no findings'}{where}" if findings or where else "no kernel found"
    )
    parts = [f"{counted} ({files}, {seconds:.2f} s)"]
    parts += [_offered(findings)] if offered else []
    parts += [_uncounted(outcome.uncounted)] if outcome.uncounted else []
    parts += [f"{hidden} hidden (show with {all_of_them})"] if hidden else []
    parts += [f"{outcome.silenced} suppressed"] if outcome.silenced else []
    parts += [f"{outcome.known} in the baseline"] if outcome.known else []
    return "; ".join(parts)


def _where(findings: Sequence[Finding], analysed: Sequence[Judged]) -> str:
    """` in 2 of 5 kernels`: those with findings, of those analysed; ` in 5 kernels` where all have
    some, or there are no findings; "" where there are no kernels, or nothing is found in one."""
    known = len({(file.path, span) for file in analysed for span in file.kernels})
    own = [finding for finding in findings if finding.kernel]
    found = len({(finding.span.path, finding.kernel.partition("<")[0]) for finding in own})
    if not known or (findings and not own):
        return ""
    some = f"{found} of " if 0 < found < known else ""
    return f" in {some}{known} kernel{'' if known == 1 else 's'}"


def _uncounted(calls: Sequence[tuple[str, str]]) -> str:
    """not counted: accesses of `f` and 1 more function (not defined in the analysed files)"""
    first, others = calls[0][0], len(calls) - 1
    what = (
        f"accesses of `{first}` and {others} more function{'' if others == 1 else 's'}"
        if others
        else f"accesses of `{first}`"
    )
    return f"not counted: {what} ({', '.join(dict.fromkeys(UNCOUNTED[reason] for _, reason in calls))})"


def _offered(findings: Sequence[Finding]) -> str:
    """1 fix available (preview with --unsafe-fixes --diff)"""
    fixes = {finding.fix for finding in findings if finding.fix}
    unsafe = "" if all(fix.applicability == "safe" for fix in fixes) else "--unsafe-fixes "
    return (
        f"{len(fixes)} fix{'' if len(fixes) == 1 else 'es'} available (preview with {unsafe}--diff)"
    )


def _write_baseline(outcome: LintOutcome, sources: Sources, path: str) -> int:
    entries = baseline.counted([*outcome.findings, *outcome.held_back], sources, path)
    baseline.write(path, entries)
    count, more = len(outcome.findings), len(outcome.held_back)
    also = f", and {more} that may appear once others are fixed" if more else ""
    print(
        f"kernlint: {count} finding{'' if count == 1 else 's'} written to {path}{also}; from now on: --baseline {path}"
    )
    return 0


def _add_ignores(outcome: LintOutcome, sources: Sources, reason: str) -> int:
    from kernlint.linting.ignoring import with_ignores
    from kernlint.source.edits import write

    marked = [finding for finding in outcome.findings if finding.code not in META]
    parts = [part for finding in marked for part in parts_of(finding)]
    texts = {part.span.path: sources.text(part.span.path) for part in parts}
    changed = with_ignores(marked, texts, reason)
    for path, text in changed.items():
        write(path, text)
    lines = len({(part.span.path, part.span.line) for part in parts})
    left = len(outcome.findings) - len(marked)
    also = f"; findings about comments ({left}) cannot be suppressed: fix them" if left else ""
    print(
        f"kernlint: {lines} line{'' if lines == 1 else 's'} marked in {len(changed)} file{'' if len(changed) == 1 else 's'}{also}"
    )
    return 0


def baseline_command(request: BaselineRequest) -> int:
    """`kernlint baseline prune FILE…` and `kernlint baseline show`."""
    if request.paths:
        project = options.project(request)
        values = project.values(request.first_path)
    else:
        project, values = Project({}), Project({}).values(".")
    path = request.baseline or values.get("baseline", baseline.DEFAULT)
    entries = baseline.read(path)
    if request.verb == "show":
        for (name, code, kernel, line), count in sorted(entries.items()):
            print(
                f"{count:>4}  {code}  {name}" + (f" in `{kernel}`" if kernel else "") + f"  {line}"
            )
        return 0
    outcome = _lint(request, project, {**values, "baseline": path}).outcome
    baseline.write(path, baseline.pruned(entries, outcome.stale))
    print(f"kernlint: {sum(outcome.stale.values())} removed from {path}{_kept(outcome.unjudged)}")
    return output.ended(request.paths, 0)


def _kept(unjudged: Mapping[baseline.Entry, int]) -> str:
    """What stays in a baseline for not having been looked for."""
    codes = ", ".join(sorted({code for _, code, _, _ in unjudged}))
    return (
        f"; {sum(unjudged.values())} kept, of rules or kernels that this run did not check ({codes})"
        if unjudged
        else ""
    )
