"""The command line's words as settings, and what contradicts what.

Goes in: parsed options. Comes out: `Settings` and `Selection`. Raises `UsageError` with what to do instead; reads no file.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable
from typing import TypeVar

from kernlint.facts import PointerArgument
from kernlint.settings import Argument, LaunchOverrides, Selection, Settings
from kernlint.source.directives import dim3, integer, number
from kernlint.usage import SEVERITIES, UsageError

STATUSES = ("exact", "range", "unknown")
T = TypeVar("T")


def settings(options: argparse.Namespace) -> Settings:
    """How to analyse."""
    _check_paths(options)
    shared = None if options.dynamic_shared is None else _value("--dynamic-shared", options.dynamic_shared, integer)
    if shared is not None and shared < 0:
        raise UsageError(f"--dynamic-shared {shared}: a size in bytes cannot be negative")
    overrides = LaunchOverrides(
        None if options.grid is None else _value("--grid", options.grid, dim3),
        None if options.block is None else _value("--block", options.block, dim3),
        shared,
        _pairs("--arg", options.arg, _argument),
    )
    for folder in options.include:
        if not os.path.isdir(folder):
            raise UsageError(f"-I {folder}: no such folder")
    return Settings(
        options.device or "h100",
        _pairs("-D", [text if "=" in text else f"{text}=1" for text in options.define], str),
        tuple(options.include),
        options.language,
        overrides,
        options.kernel,
    )


def selection(options: argparse.Namespace) -> Selection:
    """Which findings to show."""
    from kernlint.checks import rules

    select, ignore, statuses = _words(options.select), _words(options.ignore), _words(options.status)
    for word in (*select, *ignore):
        rules.matching(word)
    both = rules.named(select) & rules.named(ignore)
    if both:
        raise UsageError(f"{', '.join(sorted(both))} is both selected and ignored: keep one of --select and --ignore")
    for word in statuses:
        if word not in STATUSES:
            raise UsageError(f"--status {word}: not one of {', '.join(STATUSES)}")
    if options.exit_zero and options.fail_on:
        raise UsageError("--exit-zero and --fail-on contradict each other: keep one")
    if options.severity and options.fail_on and SEVERITIES.index(options.fail_on) < SEVERITIES.index(options.severity):
        raise UsageError(f"--fail-on {options.fail_on} has no effect: --severity {options.severity} hides those findings")
    if options.statistics and options.output_format == "json":
        raise UsageError("--statistics prints a table: leave out --output-format json, or count in the JSON")
    return Selection(select, ignore, options.severity, statuses)


def _check_paths(options: argparse.Namespace) -> None:
    if not options.paths:
        raise UsageError("no file given: name files or folders, or - for standard input")
    if "-" in options.paths and len(options.paths) > 1:
        raise UsageError("- reads standard input: give it alone, without other files")
    if options.stdin_filename and options.paths != ["-"]:
        raise UsageError("--stdin-filename names standard input: give - as the file")
    if getattr(options, "line", None) is not None:
        if options.line < 1:
            raise UsageError(f"--line {options.line}: lines count from 1")
        if options.output_format == "json":
            raise UsageError("--line explains in text: leave out --output-format json")
        if len(options.paths) > 1 or os.path.isdir(options.paths[0]):
            raise UsageError("--line is about one file: name just that file")


def _words(given: Iterable[str]) -> tuple[str, ...]:
    return tuple(word.strip() for text in given for word in text.split(",") if word.strip())


def _value(option: str, text: str, read: Callable[[str], T]) -> T:
    try:
        return read(text)
    except ValueError as error:
        raise UsageError(f"{option} {text}: {error}") from None


def _pairs(option: str, given: Iterable[str], read: Callable[[str], T]) -> dict[str, T]:
    """NAME=VALUE options as a table; one name with two values contradicts itself."""
    found: dict[str, T] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not name.strip() or not equals:
            raise UsageError(f"{option} {text}: expected NAME=VALUE")
        if not name.strip().partition("(")[0].isidentifier():
            raise UsageError(f"{option} {text}: {name.strip()} is no name")
        parsed = _value(f"{option} {name}", value, read)
        if found.get(name.strip(), parsed) != parsed:
            raise UsageError(f"{option} {name.strip()} is given twice with different values: keep one")
        found[name.strip()] = parsed
    return found


def _argument(text: str) -> Argument:
    """An integer or floating-point value; `+N` a pointer N bytes into its allocation."""
    if text.strip().startswith("+"):
        offset = integer(text.strip()[1:])
        if offset < 0:
            raise ValueError("a pointer lies at or after the start of its allocation")
        return PointerArgument(offset)
    return number(text)
