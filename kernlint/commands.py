"""What each command does, once its words are parsed. Heavy modules are imported by the command that needs them.

Goes in: parsed options. Comes out: text on the output and an exit code. Raises `UsageError` only.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from kernlint.render.style import Style, style_for
from kernlint.usage import SEVERITIES, UsageError

if TYPE_CHECKING:
    from kernlint import facts
    from kernlint.checks.finding import Finding
    from kernlint.checks.rules import Rule
    from kernlint.render.sources import Sources
    from kernlint.settings import Settings

NOUNS = {"error": ("error", "errors"), "warning": ("warning", "warnings"), "info": ("note", "notes")}


def check(options: argparse.Namespace) -> int:
    from kernlint import options as reading

    began = time.monotonic()
    settings, selection = reading.settings(options), reading.selection(options)
    from kernlint.checks.run import check as find
    from kernlint.render.sources import Sources
    from kernlint.settings import Selection

    report = _analyse(options, settings)
    everything = find(report, Selection(selection.select, selection.ignore, "info", selection.statuses))
    findings = find(report, selection)
    sources = Sources.of(report.files)
    with _output(options) as (stream, style):
        stream.write(_findings_text(options, findings, sources, report.device, style))
    if options.output_format != "json":
        summary = _summary(findings, len(everything) - len(findings), report, time.monotonic() - began)
        full_on_screen = options.output_format in (None, "full")
        sys.stdout.flush()
        print(summary, file=sys.stdout if full_on_screen else sys.stderr)
    if options.exit_zero:
        return 0
    limit = SEVERITIES.index(options.fail_on or "warning")
    return int(any(SEVERITIES.index(finding.severity) >= limit for finding in findings))


def _findings_text(options: argparse.Namespace, findings: Sequence[Finding], sources: Sources, device: str, style: Style) -> str:
    from kernlint.render import concise, findings_json, full

    if options.statistics:
        return _statistics(findings, style)
    if options.output_format == "json":
        return _json(findings_json.to_json(findings, sources, device))
    return concise.render(findings, style) if options.output_format == "concise" else full.render(findings, sources, style)


def _statistics(findings: Sequence[Finding], style: Style) -> str:
    """Count, code, how many can be fixed by an edit, name; the most frequent first."""
    counted = Counter((finding.code, finding.name) for finding in findings)
    fixable = Counter(finding.code for finding in findings if finding.fix)
    rows = [f"{number:>6}  {code}  {fixable[code]:>4} with a fix  {name}" for (code, name), number in counted.most_common()]
    return "".join(style.plain(row) + "\n" for row in rows)


def _summary(findings: Sequence[Finding], hidden: int, report: facts.Report, seconds: float) -> str:
    """3 warnings in 2 kernels (1 file, 0.21 s)"""
    severities = Counter(finding.severity for finding in findings)
    counts = [f"{severities[s]} {NOUNS[s][severities[s] != 1]}" for s in reversed(SEVERITIES) if severities[s]]
    found = {(finding.span.path, finding.kernel) for finding in findings if finding.kernel}
    names: set[object] = set(found) if findings else {(file.path, kernel.span) for file in report.files for kernel in file.kernels}
    where = f" in {len(names)} kernel{'' if len(names) == 1 else 's'}" if names or not findings else ""
    files = f"{len(report.files)} file{'' if len(report.files) == 1 else 's'}"
    more = f"; {hidden} more with --severity info" if hidden and not findings else f"; {hidden} hidden" if hidden else ""
    return f"{', '.join(counts) or 'no findings'}{where} ({files}, {seconds:.2f} s){more}"


def report(options: argparse.Namespace) -> int:
    from kernlint import options as reading

    settings = reading.settings(options)
    result = _analyse(options, settings)
    from kernlint.render import derivation, report_json, report_text

    with _output(options) as (stream, style):
        if options.output_format == "json":
            stream.write(_json(report_json.to_json(result)))
        elif options.line is not None:
            stream.write(derivation.render(result, options.line, style))
        else:
            stream.write(report_text.render(result, style))
    problems = [problem for file in result.files for problem in file.problems]
    if options.output_format == "json" or options.line is not None:
        for problem in problems:
            place = f"{problem.span.path}:{problem.span.line}:{problem.span.column}"
            print(f"{place}: {'note' if problem.note else 'warning'}: {problem.message} [{problem.code}]", file=sys.stderr)
    return int(not all(problem.note for problem in problems))


def explain(options: argparse.Namespace) -> int:
    from kernlint.checks import rules

    if options.all == bool(options.codes):
        raise UsageError("name the rules to explain, or --all: for example `kernlint explain KL101`")
    chosen = list(rules.rules().values()) if options.all else [rules.find(code) for code in options.codes]
    with _output(options) as (stream, style):
        if options.output_format == "json":
            stream.write(_json([_rule_json(rule) | {"page": rule.page} for rule in chosen]))
            return 0
        from kernlint.render import markdown

        stream.write("\n".join(markdown.render(_page(rule), style) for rule in chosen))
    return 0


def rules(options: argparse.Namespace) -> int:
    from kernlint.checks import rules as table

    known = list(table.rules().values())
    with _output(options) as (stream, style):
        if options.output_format == "json":
            stream.write(_json([_rule_json(rule) for rule in known]))
            return 0
        wide = max(len(rule.name) for rule in known)
        for rule in known:
            severity = style.paint(f"{rule.severity:<7}", rule.severity)
            off = "" if rule.default else " (off by default)"
            stream.write(style.plain(f"{rule.code}  {rule.name:<{wide}}  {severity}  {rule.summary}{off}\n"))
    return 0


def _page(rule: Rule) -> str:
    """The page with what its front matter says below the title."""
    title, _, rest = rule.page.partition("\n")
    limits = ", ".join(f"{name} = {value:g}" for name, value in rule.thresholds.items())
    state = f"{rule.severity}, {'on' if rule.default else 'off'} by default, family {rule.family}"
    references = "".join(f"- {reference}\n" for reference in rule.references)
    after = f"\n## References\n\n{references}" if references else ""
    return f"{title}\n\n{state}{'; thresholds: ' + limits if limits else ''}\n{rest}{after}"


def _rule_json(rule: Rule) -> dict[str, object]:
    names = ("code", "name", "family", "severity", "default", "summary", "thresholds", "references", "aliases")
    return {name: getattr(rule, name) for name in names}


def devices(options: argparse.Namespace) -> int:
    from kernlint import hardware
    from kernlint.render import profiles

    try:
        chosen = [hardware.device(name) for name in ([options.name] if options.name else hardware.names())]
    except ValueError as error:
        raise UsageError(str(error)) from None
    with _output(options) as (stream, style):
        if options.output_format == "json":
            stream.write(_json([profiles.to_json(device) for device in chosen]))
        elif options.name:
            stream.write(profiles.render(chosen[0], style))
        else:
            wide = max(len(device.name) for device in chosen)
            stream.write("".join(f"{device.name:<{wide}}  {device.title}\n" for device in chosen))
    return 0


def _analyse(options: argparse.Namespace, settings: Settings) -> facts.Report:
    from kernlint import engine, files
    from kernlint.progress import Progress

    if options.paths == ["-"]:
        name = options.stdin_filename or "<stdin>"
        source = files.from_bytes(name, sys.stdin.buffer.read(), settings.language)
        return engine.analyse((), settings, stdin=source)
    with Progress(sys.stderr) as progress:
        return engine.analyse(options.paths, settings, progress.update)


@contextmanager
def _output(options: argparse.Namespace) -> Iterator[tuple[TextIO, Style]]:
    """Where the result goes, and how it may look there."""
    choice = options.color or "auto"
    if not options.output_file:
        yield sys.stdout, style_for(sys.stdout, choice)
        return
    try:
        with open(options.output_file, "w", encoding="utf-8") as file:
            yield file, Style(choice == "always")
    except OSError as error:
        raise UsageError(f"cannot write {options.output_file}: {error.strerror or error}") from None


def _json(value: object) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False, default=dict) + "\n"


COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "check": check,
    "report": report,
    "explain": explain,
    "rules": rules,
    "devices": devices,
}
