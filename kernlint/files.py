"""Which files to analyse, and their text.

Goes in: paths from the command line. Comes out: one `Source` per file, in a stable order, each with its text or with the problem
that kept it from being read. Never raises for a bad file, never decides what the text means beyond its language.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from kernlint.source.span import Problem, Span

SUFFIXES = {".cu": "cuda", ".cuh": "cuda", ".hip": "cuda", ".cl": "opencl", ".clh": "opencl", ".ocl": "opencl"}
BUILD_FOLDERS = frozenset({"build", "cmake-build-debug", "cmake-build-release", "node_modules", "__pycache__", "venv"})
SIZE_LIMIT = 64 * 1024 * 1024  # bytes; a larger "source" is data


@dataclass(frozen=True, slots=True)
class Source:
    """One file: `text` is None when it could not be read at all; `problems` says why, or what was odd about it."""

    path: str
    language: str
    text: str | None
    problems: tuple[Problem, ...] = ()


def collect(paths: Iterable[str]) -> Iterator[tuple[str, Problem | None]]:
    """Every file to analyse, in the order given, folders walked in sorted order; a repeated path comes once."""
    seen: set[str] = set()
    for path in paths:
        for found, problem in _walk(path) if os.path.isdir(path) else [(path, None)]:
            if found not in seen:
                seen.add(found)
                yield found, problem


def _walk(folder: str) -> Iterator[tuple[str, Problem | None]]:
    found = False
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(f for f in folders if not f.startswith(".") and f not in BUILD_FOLDERS)
        for name in sorted(names):
            if os.path.splitext(name)[1] in SUFFIXES and not name.startswith("."):
                found = True
                yield os.path.normpath(os.path.join(place, name)), None
    if not found:
        yield folder, _problem(folder, f"no kernel files in this folder (looked for {' '.join('*' + s for s in SUFFIXES)})")


def read(path: str, language: str | None = None) -> Source:
    """The file's text, line ends as they are. Bytes that are not UTF-8 become U+FFFD, with a problem at the first one."""
    try:
        if os.path.isdir(path):
            return Source(path, language or "cuda", None, (_problem(path, "is a folder"),))
        with open(path, "rb") as file:
            data = file.read(SIZE_LIMIT + 1)
    except OSError as error:
        return Source(path, language or "cuda", None, (_problem(path, f"cannot read the file: {error.strerror or error}"),))
    return decode(path, data, language)


def decode(path: str, data: bytes, language: str | None = None) -> Source:
    """As `read`, for bytes already at hand (standard input)."""
    guess = language or language_of(path, "")
    if len(data) > SIZE_LIMIT:
        return Source(path, guess, None, (_problem(path, f"the file is larger than {SIZE_LIMIT // 2**20} MiB: not analysed"),))
    if b"\0" in data[:65536]:
        return Source(path, guess, None, (_problem(path, "the file is binary (it holds NUL bytes): not analysed"),))
    problems: tuple[Problem, ...] = ()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line, column = before.count(b"\n") + 1, len(before) - before.rfind(b"\n")
        message = f"byte 0x{data[error.start]:02x} is not UTF-8; the rest of the file is analysed (save the file as UTF-8 to be sure)"
        problems = (Problem("KL001", Span(path, line, column, line, column + 1), message),)
        text = data.decode("utf-8-sig", errors="replace")
    if not text.strip():
        problems = (*problems, _problem(path, "the file is empty: nothing to analyse"))
    return Source(path, language or language_of(path, text), text, problems)


def language_of(path: str, text: str) -> str:
    """By the file name's suffix, else by whether the text declares kernels as OpenCL does."""
    known = SUFFIXES.get(os.path.splitext(path)[1].lower())
    if known:
        return known
    return "opencl" if re.search(r"\b(__kernel|kernel)\s+(__attribute__|void)\b", text) and "__global__" not in text else "cuda"


def _problem(path: str, message: str) -> Problem:
    return Problem("KL001", Span(path, 1, 1, 1, 1), message)
