"""Which files to analyse, and their text.

Goes in: paths from the command line, or the bytes of standard input. Comes out: one `Source` per
file, in a stable order, each with its text or with the problem that kept it from being read. Never
raises for a bad file.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator

from kernlint.base.dataclass import dataclass
from kernlint.base.span import Problem, Span
from kernlint.source import foreign
from kernlint.source import text as reading

BUILD_FOLDERS = frozenset(
    {"build", "cmake-build-debug", "cmake-build-release", "node_modules", "__pycache__", "venv"}
)
NAMES = {"cuda": "CUDA", "opencl": "OpenCL", "ptx": "PTX", reading.MACHINE_CODE: "machine code"}
HOST_LIMIT = 4 << 20  # bytes of a host file met in a folder
_KERNEL = re.compile(rb"__global__|[kK]ernel")  # what every match of embedded.KERNEL and MADE holds


@dataclass(frozen=True, slots=True)
class Source:
    """One file: `text` is None when it could not be read at all; `problems` says why, or what was
    odd about it."""

    path: str
    language: str
    text: str | None
    problems: tuple[Problem, ...] = ()


def collect(
    paths: Iterable[str], excluded: Callable[[str], bool] = lambda path: False
) -> Iterator[tuple[str, Problem | None]]:
    """Every file to analyse, in the order given, folders walked in sorted order; a file that is
    named twice, in whatever way, comes once.

    `excluded`: files and folders met on the way that are passed over; a path given by name is
    always taken.
    """
    seen: set[str] = set()
    for path in paths:
        for found, problem in _walk(path, excluded) if os.path.isdir(path) else [(path, None)]:
            place = os.path.abspath(found)
            if place not in seen:
                seen.add(place)
                yield found, problem


def _walk(folder: str, excluded: Callable[[str], bool]) -> Iterator[tuple[str, Problem | None]]:
    # files that are taken for host code, and may hold kernels all the same
    found, other = (
        False,
        "",
    )
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(
            f
            for f in folders
            if not f.startswith(".")
            and f not in BUILD_FOLDERS
            and not excluded(os.path.join(place, f))
        )
        for name in sorted(names):
            path, extension = os.path.join(place, name), os.path.splitext(name)[1].lower()
            if name.startswith(".") or not (
                extension in reading.KERNEL_SUFFIXES or extension in reading.HOST_SUFFIXES
            ):
                continue
            if not other and extension not in (*reading.KERNEL_SUFFIXES, *reading.PYTHON_SUFFIXES):
                other = os.path.join(place, f"*{extension}")
            if excluded(path):
                found = found or extension in reading.KERNEL_SUFFIXES
            elif extension in reading.KERNEL_SUFFIXES or _holds_programs(path):
                found = True
                yield os.path.normpath(path), None
    if not found:
        looked_for = " ".join("*" + suffix for suffix in reading.KERNEL_SUFFIXES)
        named = (
            f": name files of another ending themselves, `kernlint {os.path.normpath(other)}`"
            if other
            else ""
        )
        yield (
            folder,
            _problem(folder, f"no kernel files in this folder (looked for {looked_for}){named}"),
        )


def _holds_programs(path: str) -> bool:
    """Whether a host file has kernels, or templates of such, in its strings; most files are
    dismissed by their bytes."""
    if not os.path.isfile(path) or os.path.getsize(path) > HOST_LIMIT:
        return False
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError:
        return False
    if _KERNEL.search(data) is None:
        return False
    from kernlint.source.embedded import programs

    text = reading.decode(data)
    if text is None or not programs.test(path, text):
        return False
    held = programs.host(path, text)
    return bool(held.programs or held.templates)


def read(path: str, language: str | None = None) -> Source:
    """The file's text; bytes that are not UTF-8 become U+FFFD, with a problem at the first one."""
    source, problem = reading.read(path, language or "")
    if source is None:
        return Source(path, language or "cuda", None, (problem,) if problem else ())
    if source.language == reading.MACHINE_CODE:
        return Source(path, source.language, source.text)
    return _judged(path, source.language, source.text)


def from_bytes(path: str, data: bytes, language: str | None = None) -> Source:
    """As `read`, for bytes already at hand (standard input)."""
    text = reading.decode(data)
    if text is None:
        return Source(
            path, language or "cuda", None, (_problem(path, "cannot read: it is a binary file"),)
        )
    return _judged(
        path, "cuda" if language == "hip" else language or reading.language_of(path, text), text
    )


def _judged(path: str, language: str, text: str) -> Source:
    """A text that is no code has nothing to analyse."""
    found = "" if path.lower().endswith(reading.HOST_SUFFIXES) else foreign.what(text, path)
    if found:
        message = f"this is no {NAMES.get(language, language)} code but {found}"
        return Source(path, language, None, (_problem(path, message),))
    return Source(path, language, text, _oddities(path, text))


def _oddities(path: str, text: str) -> tuple[Problem, ...]:
    if not text.strip():
        return (_problem(path, "the file is empty: nothing to analyse"),)
    position = text.find("\ufffd")
    if position < 0:
        return ()
    line, column = text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position)
    message = "not valid UTF-8 from here; the file is still analysed (save it as UTF-8 to be sure)"
    return (Problem("KL001", Span(path, line, column, line, column + 1), message, note=True),)


def _problem(path: str, message: str) -> Problem:
    return Problem("KL001", Span(path, 1, 1, 1, 1), message)
