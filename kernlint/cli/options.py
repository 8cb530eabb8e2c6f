"""The command line's words as settings, and what contradicts what.

Goes in: parsed options. Comes out: launch facts, and values by the keys of configuration files,
which they are laid over. Raises `UsageError` with what to do instead.
"""

from __future__ import annotations

import argparse
import os
import re
import tomllib
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from kernlint.base.usage import FORMATS, SEVERITIES, STATUSES, UsageError
from kernlint.checks import rule_addresses
from kernlint.configuration import keys
from kernlint.configuration.mistakes import Mistakes, each
from kernlint.configuration.project import Project
from kernlint.model.settings import LaunchOverrides
from kernlint.source.directives import argument, dim3, integer, kernel_name

T = TypeVar("T")
PARAMETER = re.compile(
    r"[^\W\d]\w*(?:\.\w+|\[\d+\])*"
)  # `n`, a member of a struct `p.n`, an element of an array in it
MACRO = re.compile(r"[^\W\d]\w*(?:\(.*)?", re.DOTALL)


def launch(options: argparse.Namespace) -> LaunchOverrides:
    """The launch that the command line states."""
    shared = (
        None
        if options.dynamic_shared is None
        else _value("--dynamic-shared", options.dynamic_shared, integer)
    )
    if shared is not None and shared < 0:
        raise UsageError(f"--dynamic-shared {shared}: a size in bytes cannot be negative")
    if options.kernel is not None:
        _value("--kernel", options.kernel, kernel_name)
    return LaunchOverrides(
        None if options.grid is None else _value("--grid", options.grid, dim3),
        None if options.block is None else _value("--block", options.block, dim3),
        shared,
        _pairs("--arg", options.arg, argument, PARAMETER),
    )


def registers(options: argparse.Namespace) -> dict[str, int]:
    """Registers per thread by kernel, "" for all others; from a file of ptxas, the most of a
    kernel's instantiations."""
    found: dict[str, int] = {}
    for text in options.registers:
        from kernlint.estimate import ptxas

        name, equals, number_ = text.rpartition("=")
        if not number_.strip().isdecimal():
            try:
                with open(text, encoding="utf-8", errors="replace") as file:
                    known = ptxas.registers(file.read())
            except OSError as error:
                raise UsageError(
                    f"--registers {text}: neither a number, NAME=NUMBER nor a file: {error.strerror or error}"
                ) from None
            if not known:
                raise UsageError(
                    f"--registers {text}: no ptxas output in this file; save what `nvcc -Xptxas -v` prints"
                )
            found |= known
        elif equals and not name.strip():
            raise UsageError(f"--registers {text}: expected N, NAME=N or a file")
        else:
            found[name.strip()] = int(number_)
    return found


def project(options: argparse.Namespace) -> Project:
    """The configuration of every path under what the command line says."""
    _name_baseline(options)
    _check_paths(options)
    if options.isolated and options.config:
        raise UsageError("--isolated and --config contradict each other: keep one")
    files = [text for text in options.config if "=" not in text]
    if len(files) > 1:
        raise UsageError(
            f"--config names {len(files)} files: keep one, and let it `extend` the other"
        )
    return Project(_values(options), files[0] if files else None, options.isolated)


def _values(options: argparse.Namespace) -> dict[str, Any]:
    """What the command line gives, by the keys of configuration files."""
    for folder in options.include:
        if not os.path.isdir(folder):
            raise UsageError(f"-I {folder}: no such folder")
    given: dict[str, Any] = {
        "device": options.device,
        "arch": options.arch,
        "defines": _pairs(
            "-D", [text if "=" in text else f"{text}=1" for text in options.define], str
        ),
        "include": tuple(options.include),
        "language": options.language,
        "line-table": options.line_table,
        "exclude": _words(options.exclude),
        "compile-commands": options.compile_commands,
        "timeout-per-file": options.timeout_per_file,
    }
    if hasattr(options, "select"):
        given |= _selecting(options)
    values = _settings_given(options.config) | {
        name: value for name, value in given.items() if value not in (None, (), {})
    }
    try:
        return dict(keys.with_device(values))
    except Mistakes as error:
        raise UsageError(f"the command line: {error}") from None


def _settings_given(texts: Iterable[str]) -> dict[str, Any]:
    """--config KEY=VALUE, the value as TOML or as a bare text."""
    found: dict[str, Any] = {}
    for text in texts:
        if "=" not in text:
            continue
        try:
            table = tomllib.loads(text)
        except tomllib.TOMLDecodeError:
            name, _, value = text.partition("=")
            table = {name.strip(): value.strip()}
        try:
            found |= each(table.items(), keys.value)
        except Mistakes as error:
            raise UsageError(f"--config {text}: {error}") from None
    return found


def _selecting(options: argparse.Namespace) -> dict[str, Any]:
    """Which findings to show."""
    from kernlint.checks import rules

    for text in options.select:
        if not _words([text]):
            raise UsageError(
                f'--select "{text}" names no rule: leave it out for the usual rules, or see `kernlint rules`'
            )
    select, ignore, statuses = (
        _words(options.select),
        _words(options.ignore),
        _words(options.status),
    )
    for word in (*select, *ignore):
        rules.matching(word)
    both = rules.named(select) & rules.named(ignore)
    if both:
        raise UsageError(
            f"{', '.join(sorted(both))} is both selected and ignored: keep one of --select and --ignore"
        )
    for word in statuses:
        if word not in STATUSES:
            raise UsageError(f"--status {word}: not one of {', '.join(STATUSES)}")
    if options.exit_zero and options.strict:
        raise UsageError("--exit-zero and --strict contradict each other: keep one")
    if options.exit_zero and options.fail_on:
        raise UsageError("--exit-zero and --fail-on contradict each other: keep one")
    if (
        options.severity
        and options.fail_on
        and SEVERITIES.index(options.fail_on) < SEVERITIES.index(options.severity)
    ):
        raise UsageError(
            f"--fail-on {options.fail_on} has no effect: --severity {options.severity} hides those findings"
        )
    if options.statistics and options.output_format not in (None, "full", "concise"):
        raise UsageError(
            f"--statistics prints a table: leave out --output-format {options.output_format}, or count in its output"
        )
    for also in options.also:
        format_, equals, path = also.partition("=")
        if not equals or not path or format_ not in FORMATS:
            raise UsageError(
                f"--also {also}: expected FORMAT=FILE, the format one of {', '.join(FORMATS)}"
            )
    if options.timings:  # of one process that does all the work
        options.jobs, options.no_cache = 1, True
    if options.diff:  # beside --fix it changes no file, as that of other linters
        options.fix = False
    for name, given in (
        ("--unsafe-fixes", options.unsafe_fixes),
        ("--idle-fixes", options.idle_fixes),
    ):
        if given and not (options.fix or options.diff):
            raise UsageError(f"{name} selects fixes: add --fix or --diff")
    if (options.fix or options.diff) and (
        options.write_baseline is not None or options.add_ignore is not None or options.watch
    ):
        raise UsageError(
            "--fix and --diff cannot be combined with --write-baseline, --add-ignore or --watch"
        )
    if options.write_baseline is not None and options.add_ignore is not None:
        raise UsageError("--write-baseline and --add-ignore both accept the findings: keep one")
    if options.write_baseline and options.baseline and options.write_baseline != options.baseline:
        raise UsageError(
            f"--write-baseline {options.write_baseline} and --baseline {options.baseline} name two files: keep one"
        )
    return {
        "select": select,
        "ignore": ignore,
        "severity": options.severity,
        "status": statuses,
        "fail-on": options.fail_on,
        "output-format": options.output_format,
        "baseline": options.baseline,
        "rules-url": None
        if options.rules_url is None
        else _value("--rules-url", options.rules_url, rule_addresses.template),
    }


def _name_baseline(options: argparse.Namespace) -> None:
    """What stands behind --write-baseline is the baseline's name where it ends like one, else a
    path to analyse."""
    named = getattr(options, "write_baseline", None)
    if not named or named.lower().endswith(".json"):
        return
    if not os.path.lexists(named):
        raise UsageError(
            f"--write-baseline {named}: no such file or folder to analyse, and the name of a baseline ends in .json"
        )
    options.paths, options.write_baseline = [*options.paths, named], ""


def _check_paths(options: argparse.Namespace) -> None:
    if not options.paths:
        taken = getattr(options, "add_ignore", None)
        if taken and os.path.exists(taken):
            raise UsageError(
                f"no file given: --add-ignore takes `{taken}` as its reason; name the files first: `{taken} --add-ignore`"
            )
        raise UsageError("no file given: name files or folders, or - for standard input")
    if "-" in options.paths and len(options.paths) > 1:
        raise UsageError("- reads standard input: it cannot be combined with files")
    if options.stdin_filename and options.paths != ["-"]:
        raise UsageError("--stdin-filename names standard input: give - as the file")
    if getattr(options, "map", False) and options.line is None:
        raise UsageError("--map draws the accesses of one line: add --line N")
    if getattr(options, "line", None) is not None:
        if options.line < 1:
            raise UsageError(f"--line {options.line}: lines count from 1")
        if options.output_format not in (None, "text"):
            raise UsageError(
                f"--line prints text: leave out --output-format {options.output_format}"
            )
        if len(options.paths) > 1 or os.path.isdir(options.paths[0]):
            raise UsageError("--line works on one file: name only that file")


def _words(given: Iterable[str]) -> tuple[str, ...]:
    return tuple(word.strip() for text in given for word in text.split(",") if word.strip())


def _value(option: str, text: str, read: Callable[[str], T]) -> T:
    try:
        return read(text)
    except ValueError as error:
        raise UsageError(f"{option} {text}: {error}") from None


def _pairs(
    option: str, given: Iterable[str], read: Callable[[str], T], names: re.Pattern[str] = MACRO
) -> dict[str, T]:
    """NAME=VALUE options as a table; one name with two values contradicts itself."""
    found: dict[str, T] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not name.strip() or not equals:
            raise UsageError(f"{option} {text}: expected NAME=VALUE")
        if not names.fullmatch(name.strip()):
            raise UsageError(f"{option} {text}: {name.strip()} is not a name")
        parsed = _value(f"{option} {name}", value, read)
        if found.get(name.strip(), parsed) != parsed:
            raise UsageError(
                f"{option} {name.strip()} is given twice with different values: keep one"
            )
        found[name.strip()] = parsed
    return found
