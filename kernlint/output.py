"""What the commands share: the analysis with a progress bar, and where the result goes.

Goes in: parsed options, the project. Comes out: reports, open streams. Raises `UsageError` only.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

from kernlint.render.style import Style, style_for
from kernlint.usage import UsageError

if TYPE_CHECKING:
    from kernlint import facts
    from kernlint.configuration.project import Project
    from kernlint.settings import Settings
    from kernlint.source.span import Problem


def analysed(options: argparse.Namespace, project: Project) -> facts.Report:
    """The facts of every path on the command line, each file under its own configuration."""
    from kernlint import engine, files
    from kernlint import options as reading
    from kernlint.configuration.project import settings
    from kernlint.progress import Progress

    launch = reading.launch(options)

    def settings_of(path: str) -> Settings:
        return settings(project.values(path), launch, options.kernel)

    if options.paths == ["-"]:
        name = options.stdin_filename or "<stdin>"
        chosen = settings_of(name)
        return engine.analyse((), chosen, stdin=files.from_bytes(name, sys.stdin.buffer.read(), chosen.language))
    with Progress(sys.stderr) as progress:
        first = settings_of(options.paths[0])
        return engine.analyse(options.paths, first, progress.update, settings_of=settings_of, excluded=project.excluded)


def collected(options: argparse.Namespace, project: Project) -> list[tuple[str, Problem | None]]:
    from kernlint import files

    return list(files.collect(options.paths, project.excluded))


def show(options: argparse.Namespace, project: Project) -> int:
    """--show-files and --show-settings."""
    with opened(options.output_file, options.color) as (stream, _):
        for path, problem in collected(options, project) if options.paths != ["-"] else [(options.stdin_filename or "<stdin>", None)]:
            if options.show_files and problem is None:
                stream.write(f"{path}\n")
            if options.show_settings:
                stream.write(f"{path}\n")
                stream.write("".join(f"  from {os.path.relpath(name)}\n" for name in project.files(path)))
                stream.write("".join(f"  {name} = {_shown(value)}\n" for name, value in sorted(project.values(path).items())))
    return 0


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{name} = {_shown(item)}" for name, item in value.items()) + " }"
    if isinstance(value, tuple | list):
        return "[" + ", ".join(_shown(item) for item in value) + "]"
    if hasattr(value, "kernel"):  # a launch directive
        facts_ = {"grid": value.grid, "block": value.block, "dynamic-shared": value.dynamic_shared_bytes, "args": value.arguments or None}
        return f"{value.kernel} " + _shown({name: item for name, item in facts_.items() if item is not None})
    return json.dumps(value)


@contextmanager
def opened(path: str | None, color: str | None) -> Iterator[tuple[TextIO, Style]]:
    """The stream for a result, standard output when no file is named, and how text may look there."""
    choice = color or "auto"
    if not path:
        yield sys.stdout, style_for(sys.stdout, choice)
        return
    try:
        with open(path, "w", encoding="utf-8") as file:
            yield file, Style(choice == "always")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror or error}") from None


def as_json(value: object) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False, default=dict) + "\n"
