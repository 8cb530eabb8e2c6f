"""Kernels in strings of host files: `EmbeddedProgram`s out of Python, C++ and C, with the places of
their text in the file.

Goes in: a path and a text. Comes out: a `Host`. `test` is cheap and says whether it is worth to
look.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache

from kernlint.base import python_text
from kernlint.base.span import Problem, Span
from kernlint.model.reasons import gave_up
from kernlint.source.embedded.program import KERNEL, EmbeddedProgram, Host, Template
from kernlint.source.lexer import Scan, as_written, scan
from kernlint.source.text import KERNEL_SUFFIXES, PYTHON_SUFFIXES
from kernlint.source.tokens import SplicedText

# a Python library makes a kernel around an expression
MADE = re.compile(r"\b(?:Elementwise|Reduction)Kernel\b")
# what every text of a template holds
_CONTROL = re.compile(r"\n[ \t]*%")
_SIGNS = ("${", "{%")
# each begins with letters, which are looked for quickly
_HEAD = re.compile(r"(?:__global__|__kernel)\b|kernel\s+void\b")
_RAW_STRING = re.compile(r'R"[^()\\\s"]{0,16}\(')
_QUOTING = re.compile(r"define(?<=\bdefine)\s+\w+\([\w\s]*(?:\.\.\.)?\)\s*#")
_STRINGIFIED = re.compile(r"(?:^|=)[ \t]*\w*(?:STR|str|SRC|SOURCE)\w*[ \t]*\(", re.MULTILINE)


# a text that is to be included, as one raw literal: of OpenCL also without a kernel
_RAW_TEXT = re.compile(r'(?:\s|//[^\n]*|/\*.*?\*/)*R"[^()\\\s"]{0,16}\(', re.DOTALL)


def is_python(path: str) -> bool:
    return path.lower().endswith(PYTHON_SUFFIXES)


def test(path: str, text: str) -> bool:
    """Whether a file may hold programs in strings."""
    if is_python(path) and MADE.search(text) is not None:
        return True
    if KERNEL.search(text) is None:
        return is_raw_text(path, text)
    return (
        is_python(path)
        or any('"' in text[text.rfind("\n", 0, at) + 1 : at] for at in _heads(text))
        or _RAW_STRING.search(text) is not None
        or _QUOTING.search(text) is not None
        or _STRINGIFIED.search(text) is not None
    )


def is_raw_text(path: str, text: str) -> bool:
    """Whether an OpenCL file is the inside of a host program's string."""
    is_opencl = KERNEL_SUFFIXES.get(os.path.splitext(path)[1].lower()) == "opencl"
    return is_opencl and _RAW_TEXT.match(text) is not None


def _heads(text: str) -> Iterator[int]:
    return (match.start() for match in _HEAD.finditer(text))


def _is_rendered(text: str) -> bool:
    """Whether a text may be a template's."""
    return any(sign in text for sign in _SIGNS) or _CONTROL.search(f"\n{text}") is not None


def host(path: str, text: str, defines: Iterable[tuple[str, str]] = ()) -> Host:
    """The programs in a file's strings; none for a file that is plain device code."""
    if not is_python(path) and not test(path, text) and not _is_rendered(text):
        return Host(path, text, (), is_code=True)
    return _host(path, text, tuple(defines))


@lru_cache(maxsize=4)
def _host(path: str, text: str, defines: tuple[tuple[str, str], ...]) -> Host:
    if not is_python(path):
        from kernlint.source.embedded.c_host import is_code, programs, raw_text

        found = programs(path, text) if test(path, text) else []
        if not found and is_raw_text(path, text):
            found = raw_text(path, text)
        if not found and _is_rendered(text):
            return _template(path, text, dict(defines))
        return _rendered(
            Host(path, text, tuple(found), is_code=not found or is_code(path, text, found)),
            dict(defines),
        )
    from kernlint.source.embedded import python_host

    try:
        own = python_host.programs(text, dict(defines)) if test(path, text) else []
        hosted = Host(path, text, tuple(own), tuple(_python_kernels(path, text)))
        return _rendered(hosted, dict(defines))
    except (SyntaxError, ValueError) as error:
        line = (error.lineno or 1) if isinstance(error, SyntaxError) else 1
        message = (
            f"cannot read this as Python: {error.msg if isinstance(error, SyntaxError) else error}"
        )
    except (RecursionError, MemoryError):
        line, message = 1, "cannot read this as Python: it is nested too deeply"
    return Host(path, text, (), (Problem("KL001", Span(path, line, 1, line, 1), message),))


def _python_kernels(path: str, text: str) -> Iterator[Problem]:
    """The kernels written in Python itself, for which a compiler makes PTX."""
    from kernlint.source.embedded import python_kernels

    if not any(word in text for word in python_kernels.WORDS):
        return
    for kernel in python_kernels.kernels(python_text.module(text)):
        end = kernel.column + len(kernel.decorator)
        span = Span(path, kernel.line, kernel.column, kernel.line, end)
        words = {"library": kernel.compiler.name, "decorator": f"@{kernel.decorator}"}
        yield gave_up(
            "python-kernel",
            span,
            "",
            kernel.name,
            name=kernel.name,
            **words,
            ptx=kernel.compiler.ptx,
        )


def _template(path: str, text: str, defines: dict[str, str]) -> Host:
    """A file that may be a template's: as the program that it is the text of, or as what is to be
    rendered first."""
    from kernlint.source.embedded import template_host

    control = template_host.control(path, text)
    if control is not None:
        return Host(path, text, (), is_template=True, templates=(control,))
    found = template_host.program(path, text, defines)
    return Host(
        path, text, (found,) if found else (), is_code=found is None, is_template=found is not None
    )


def _rendered(host: Host, defines: dict[str, str]) -> Host:
    """Programs in strings without those that are to be rendered first; placeholders in the others
    get stand-ins."""
    if not any(_is_rendered(program.text.text) for program in host.programs):
        return host
    from kernlint.source.embedded import template_host

    programs, templates = list[EmbeddedProgram](), list[Template]()
    for program in host.programs:
        found = template_host.control(host.path, program.text.text)
        if found is None:
            programs.append(template_host.with_stand_ins(program, host.path, defines))
        else:
            start, end = program.text.starts[found.start], program.text.ends[found.end - 1]
            templates.append(replace(found, start=start, end=end))
    return replace(host, programs=tuple(programs), templates=tuple(templates))


def scans(path: str, text: str) -> Iterator[Scan]:
    """Tokens and comments of all device code of a file, with places in the file."""
    found = host(path, text)
    if found.is_code or (found.is_template and not found.programs):
        yield as_written(text, path)
    for program in found.programs:
        yield scan(program.text.text, path, text, program.text)


def altered(found: Host) -> Iterator[Span]:
    """Where the file does not hold the text of its programs character by character."""
    places = SplicedText(found.path, found.text, [])
    for start, end in sorted(
        {stretch for program in found.programs for stretch in program.text.altered()}
    ):
        yield places.span(start, end)


def last_columns(path: str, text: str) -> dict[int, int]:
    """By line, where the device code of a string ends on it (a column from 0), before an escape or
    a comment to the line's end."""
    found: dict[int, int] = {}
    holder = host(path, text)
    for program in () if holder.is_template else holder.programs:
        places = SplicedText(path, text, [])
        for start, end in zip(program.text.starts, program.text.ends, strict=True):
            if end - start == 1 and not text[start].isspace():
                line = places.line_of(start)
                found[line] = max(found.get(line, 0), end - places.line_starts[line - 1])
    return found
