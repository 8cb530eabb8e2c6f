"""The command line's words as settings.

Goes in: a request. Comes out: launch facts, and values by the keys of configuration files,
which they are laid over. Raises `UsageError` with what to do instead.
"""

from __future__ import annotations

import contextlib
import os
import re
import tomllib
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from kernlint.base.usage import FORMATS, STATUSES, UsageError
from kernlint.checks import rule_addresses
from kernlint.cli.requests import AnalysisRequest, CheckRequest
from kernlint.configuration import keys
from kernlint.configuration.mistakes import Mistakes, each
from kernlint.configuration.project import Project
from kernlint.model.settings import LaunchOverrides
from kernlint.source.directives import argument, dim3, integer, kernel_name

T = TypeVar("T")
# `n`, a member of a struct `p.n`, an element of an array in it
PARAMETER = re.compile(r"[^\W\d]\w*(?:\.\w+|\[\d+\])*")
MACRO = re.compile(r"[^\W\d]\w*(?:\(.*)?", re.DOTALL)


def launch(request: AnalysisRequest) -> LaunchOverrides:
    """The launch that the command line states."""
    shared = (
        None
        if request.dynamic_shared is None
        else _value("--dynamic-shared", request.dynamic_shared, integer)
    )
    if shared is not None and shared < 0:
        raise UsageError(f"--dynamic-shared {shared}: a size in bytes cannot be negative")
    if request.kernel is not None:
        _value("--kernel", request.kernel, kernel_name)
    return LaunchOverrides(
        None if request.grid is None else _value("--grid", request.grid, dim3),
        None if request.block is None else _value("--block", request.block, dim3),
        shared,
        _pairs("--arg", request.arg, argument, PARAMETER),
    )


def registers(request: AnalysisRequest) -> dict[str, int]:
    """Registers per thread by kernel, "" for all others; from a file of ptxas, the most of a
    kernel's instantiations."""
    found: dict[str, int] = {}
    for text in request.registers:
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


def project(request: AnalysisRequest) -> Project:
    """The configuration of every path under what the command line says."""
    files = [text for text in request.config if "=" not in text]
    return Project(_values(request), files[0] if files else None, request.isolated)


def _values(request: AnalysisRequest) -> dict[str, Any]:
    """What the command line gives, by the keys of configuration files."""
    for folder in request.include:
        if not os.path.isdir(folder):
            raise UsageError(f"-I {folder}: no such folder")
    given: dict[str, Any] = {
        "device": _device(request.device),
        "arch": request.arch,
        "defines": _pairs(
            "-D", [text if "=" in text else f"{text}=1" for text in request.define], str
        ),
        "include": tuple(request.include),
        "language": request.language,
        "line-table": request.line_table,
        "compile": request.compile or None,
        "nvcc": request.nvcc,
        "exclude": _words(request.exclude),
        "compile-commands": request.compile_commands,
        "timeout-per-file": request.timeout_per_file,
    }
    if isinstance(request, CheckRequest):
        given |= _selecting(request)
    values = _settings_given(request.config) | {
        name: value for name, value in given.items() if value not in (None, (), {})
    }
    try:
        return dict(keys.with_device(values))
    except Mistakes as error:
        raise UsageError(f"the command line: {error}") from None


def _device(name: str | None) -> str | None:
    """The name of the device's profile; what no profile is called is reported with the request."""
    from kernlint import hardware

    if name is None or name.endswith(".toml"):
        return name
    with contextlib.suppress(ValueError):
        return hardware.device(name).name
    return name


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


def _selecting(request: CheckRequest) -> dict[str, Any]:
    """Which findings to show."""
    from kernlint.checks import rules

    for text in request.select:
        if not _words([text]):
            raise UsageError(
                f'--select "{text}" names no rule: leave it out for the usual rules, or see `kernlint rules`'
            )
    select, ignore, statuses = (
        _words(request.select),
        _words(request.ignore),
        _words(request.status),
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
    also(request)
    return {
        "select": select,
        "ignore": ignore,
        "severity": request.severity,
        "status": statuses,
        "fail-on": request.fail_on,
        "output-format": request.output_format,
        "baseline": request.baseline,
        "rules-url": None
        if request.rules_url is None
        else _value("--rules-url", request.rules_url, rule_addresses.template),
    }


def also(request: CheckRequest) -> list[tuple[str, str]]:
    """Further outputs: format and file."""
    found = []
    for text in request.also:
        format_, equals, path = text.partition("=")
        if not equals or not path or format_ not in FORMATS:
            raise UsageError(
                f"--also {text}: expected FORMAT=FILE, the format one of {', '.join(FORMATS)}"
            )
        found.append((format_, path))
    return found


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
        try:
            parsed = read(value)
        except ValueError as error:
            raise UsageError(f"{option} {text}: {error}") from None
        if found.get(name.strip(), parsed) != parsed:
            raise UsageError(
                f"{option} {name.strip()} is given twice with different values: keep one"
            )
        found[name.strip()] = parsed
    return found
