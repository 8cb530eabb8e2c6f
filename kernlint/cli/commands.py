"""The commands: what parses the words of each, and what it does then. Heavy modules are imported by
the command that needs them.

Goes in: words. Comes out: text on the output and an exit code. Raises `UsageError` only.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

from kernlint.base.dataclass import dataclass
from kernlint.base.usage import UsageError
from kernlint.cli import arguments
from kernlint.cli.output import as_json, opened
from kernlint.cli.requests import (
    BaselineRequest,
    CalibrateRequest,
    CheckRequest,
    CompareRequest,
    CompletionRequest,
    ConfigRequest,
    DevicesRequest,
    ExplainRequest,
    ReportRequest,
    Request,
    RulesRequest,
    ServerRequest,
    TuneRequest,
)

if TYPE_CHECKING:
    from kernlint.checks.rules import Rule
    from kernlint.configuration.project import Project
    from kernlint.model import facts


def check(request: CheckRequest) -> int:
    from kernlint.cli import check_command

    return check_command.check(request)


def baseline(request: BaselineRequest) -> int:
    from kernlint.cli import check_command

    return check_command.baseline_command(request)


def report(request: ReportRequest) -> int:
    from kernlint.cli import options, output

    project = options.project(request)
    if request.shows:
        return output.show(request, project)
    result = output.analysed(request, project)
    if request.against is not None:
        return _against(request, project, result, request.against)
    from kernlint.render import derivation, html, report_json, report_text
    from kernlint.source.sources import Sources

    if request.line is not None and request.line > (last := derivation.last_line(result)) > 0:
        raise UsageError(f"--line {request.line}: {request.paths[0]} ends at line {last}")
    with opened(request.output_file, request.color) as (stream, style):
        if request.output_format == "json":
            stream.write(as_json(report_json.to_json(result)))
        elif request.line is not None:
            stream.write(derivation.render(result, request.line, style, request.map))
        elif request.output_format == "html":
            stream.write(html.render(result, None, Sources.of(result.files)))
        else:
            stream.write(report_text.render(result, style))
    if request.output_format in ("json", "html") or request.line is not None:
        _print_problems(result)
    return output.ended(
        request.paths,
        int(not all(problem.note for file in result.files for problem in file.problems)),
    )


def _against(request: ReportRequest, project: Project, source: facts.Report, ptx_path: str) -> int:
    """`report a.cu --against a.ptx`."""
    from kernlint.cli import options, output
    from kernlint.comparison import ptx_against_source
    from kernlint.configuration.project import settings
    from kernlint.model.facts import Report
    from kernlint.pipeline import engine
    from kernlint.render import against, report_json
    from kernlint.source import files

    if len(source.files) != 1 or request.line is not None or request.output_format == "html":
        raise UsageError(
            "--against compares one source file with its PTX: name one file, leave out --line, and use text or json"
        )
    how = settings(project.values(ptx_path), options.launch(request), request.kernel)
    read = files.read(ptx_path, "ptx")
    if read.text and not ptx_against_source.is_ptx(read.text):
        made = "`nvcc -ptx -lineinfo` compiles a source to it"
        raise UsageError(
            f"--against {ptx_path}: no PTX in this file (PTX begins with `.version`); {made}"
        )
    ptx = engine.analyse_source(read, how, source_kernels=source.files[0].kernels)
    both = Report(source.device, (*source.files, ptx))
    found = ptx_against_source.compared(source.files[0], ptx)
    if not found.pairs:
        _print_problems(both)
        raise UsageError(ptx_against_source.nothing_in_common(source.files[0], ptx))
    with opened(request.output_file, request.color) as (stream, style):
        if request.output_format == "json":
            stream.write(as_json(report_json.to_json(both) | {"against": against.to_json(found)}))
        else:
            stream.write(against.render(found, style))
    _print_problems(both)
    return output.ended(
        [*request.paths, ptx_path],
        int(not all(problem.note for file in both.files for problem in file.problems)),
    )


def compare(request: CompareRequest) -> int:
    from kernlint.cli import options, output

    project = options.project(request)
    if request.shows:
        return output.show(request, project)
    from kernlint.cli import compare_command
    from kernlint.render import comparison, comparison_json

    profile = compare_command.profile(request.ncu, request.kernel)
    result = output.analysed(request, project)
    _print_problems(result)
    found = compare_command.compared(result, profile, compare_command.again(request, project))
    with opened(request.output_file, request.color) as (stream, style):
        if request.output_format == "json":
            stream.write(as_json(comparison_json.to_json(found)))
        elif request.output_format == "concise":
            stream.write(comparison.concise(found, style))
        else:
            stream.write(comparison.render(found, style))
    if request.output_format == "concise":
        print(comparison.summary(found), file=sys.stderr)
    return output.ended(request.paths, int(found.contradicted > 0))


def _print_problems(report: facts.Report) -> None:
    for problem in (problem for file in report.files for problem in file.problems):
        place = f"{problem.span.path}:{problem.span.line}:{problem.span.column}"
        print(
            f"{place}: {'info' if problem.note else 'warning'}: {problem.message} [{problem.code}]",
            file=sys.stderr,
        )


def explain(request: ExplainRequest) -> int:
    from kernlint.checks import rules

    chosen = (
        list(rules.rules().values())
        if request.all
        else [rules.find(code) for code in request.codes]
    )
    from kernlint.render import markdown, rule_pages

    with opened(request.output_file, request.color) as (stream, style):
        if request.output_format == "json":
            stream.write(
                as_json([_rule_json(rule) | {"page": rule_pages.text(rule)} for rule in chosen])
            )
            return 0
        if request.output_format == "html":
            stream.write(rule_pages.html(chosen))
        elif request.output_format == "md":
            stream.write("\n".join(rule_pages.markdown(rule) for rule in chosen))
        else:
            stream.write(
                "\n".join(markdown.render(rule_pages.markdown(rule), style) for rule in chosen)
            )
    return 0


def rules(request: RulesRequest) -> int:
    from kernlint.checks import rules as table

    known = list(table.rules().values())
    with opened(request.output_file, request.color) as (stream, style):
        if request.output_format == "json":
            stream.write(as_json([_rule_json(rule) for rule in known]))
            return 0
        wide = max(len(rule.name) for rule in known)
        for before, rule in zip([None, *known], known, strict=False):
            if before is None or before.family != rule.family:
                stream.write(style.paint(f"{rule.family} ({rule.code[:3]})", "strong") + "\n")
            severity = style.paint(f"{rule.severity:<7}", rule.severity)
            off = "" if rule.default else " (off by default)"
            stream.write(
                style.plain(f"{rule.code}  {rule.name:<{wide}}  {severity}  {rule.summary}{off}\n")
            )
    return 0


def _rule_json(rule: Rule) -> dict[str, object]:
    from kernlint.checks.rule_addresses import address

    names = (
        "code",
        "name",
        "family",
        "severity",
        "default",
        "summary",
        "thresholds",
        "references",
        "aliases",
    )
    return {name: getattr(rule, name) for name in names} | {"url": address(rule)}


def devices(request: DevicesRequest) -> int:
    from kernlint import hardware
    from kernlint.render import profiles

    try:
        chosen = [
            hardware.device(name) for name in ([request.name] if request.name else hardware.names())
        ]
    except ValueError as error:
        raise UsageError(str(error)) from None
    with opened(request.output_file, request.color) as (stream, style):
        if request.output_format == "json":
            stream.write(as_json([profiles.to_json(device) for device in chosen]))
        elif request.name:
            stream.write(profiles.render(chosen[0], style))
        else:
            wide = max(len(device.name) for device in chosen)
            stream.write("".join(f"{device.name:<{wide}}  {device.title}\n" for device in chosen))
    return 0


def tune(request: TuneRequest) -> int:
    from kernlint.cli import tune_command

    return tune_command.command(request)


def calibrate(request: CalibrateRequest) -> int:
    from kernlint.cli import calibrate_command

    return calibrate_command.calibrate(request)


def config(request: ConfigRequest) -> int:
    from kernlint.configuration.keys import KEYS

    with opened(request.output_file, request.color) as (stream, style):
        if request.output_format == "json":
            stream.write(
                as_json(
                    {
                        name: {"help": key.help, "overrides": key.per_file}
                        for name, key in KEYS.items()
                    }
                )
            )
            return 0
        wide = max(len(name) for name in KEYS)
        rows = [
            f"{name:<{wide}}  {key.help}{'' if key.per_file else ' (whole run)'}"
            for name, key in KEYS.items()
        ]
        rows.append(
            f"{'overrides':<{wide}}  [[overrides]] files = [globs]: keys of their own for some files"
        )
        stream.write("".join(style.plain(row) + "\n" for row in rows))
    return 0


def server(request: ServerRequest) -> int:
    try:
        import pygls  # noqa: F401
    except ImportError:
        raise UsageError(
            "the language server needs pygls: pip install 'kernlint[server]'"
        ) from None
    from kernlint.server.server import serve

    serve()
    return 0


def completion(request: CompletionRequest) -> int:
    from kernlint.cli.completion import script

    print(script(request.shell, {name: command.parser for name, command in COMMANDS.items()}))
    return 0


R = TypeVar("R", bound=Request)


@dataclass(frozen=True, slots=True)
class Command:
    """A word of the command line: what parses those behind it, the request they make, and what is
    done then."""

    parser: Callable[[], argparse.ArgumentParser]
    request: type[Request]
    run: Callable[[Any], int]


def _command(
    parser: Callable[[], argparse.ArgumentParser], request: type[R], run: Callable[[R], int]
) -> Command:
    return Command(parser, request, run)


COMMANDS = {
    "check": _command(arguments.check_parser, CheckRequest, check),
    "report": _command(arguments.report_parser, ReportRequest, report),
    "tune": _command(arguments.tune_parser, TuneRequest, tune),
    "compare": _command(arguments.compare_parser, CompareRequest, compare),
    "baseline": _command(arguments.baseline_parser, BaselineRequest, baseline),
    "config": _command(arguments.config_parser, ConfigRequest, config),
    "completion": _command(arguments.completion_parser, CompletionRequest, completion),
    "server": _command(arguments.server_parser, ServerRequest, server),
    "explain": _command(arguments.explain_parser, ExplainRequest, explain),
    "rules": _command(arguments.rules_parser, RulesRequest, rules),
    "devices": _command(arguments.devices_parser, DevicesRequest, devices),
    "calibrate": _command(arguments.calibrate_parser, CalibrateRequest, calibrate),
}


def parse(name: str, words: Sequence[str]) -> Request:
    """The words behind a command's name as its request."""
    command = COMMANDS[name]
    return arguments.parse(command.parser(), command.request, words)


def run(name: str, words: Sequence[str]) -> int:
    """The exit code of a command with those words behind its name."""
    return COMMANDS[name].run(parse(name, words))


def late(words: Sequence[str]) -> str:
    """A command's name behind options, where a path should stand; "" where there is none. A file of
    that name is a path, and the word behind an option may be its value."""
    named = [word for word in words[1:] if word in COMMANDS and not os.path.lexists(word)]
    if not named or not words[0].startswith("-"):
        return ""
    takes_value: dict[str, bool] = {}
    for command in COMMANDS.values():
        for option, action in command.parser()._option_string_actions.items():
            takes_value[option] = takes_value.get(option, False) or action.nargs != 0
    behind = {after for before, after in pairwise(words) if takes_value.get(before, False)}
    return next((word for word in named if word not in behind), "")
