"""Edits on a text, and writing it back the way it was stored.

Goes in: a text, edits with places in it. Comes out: the new text. Raises `UsageError` where a file
cannot be written as it was.
"""

from __future__ import annotations

import codecs
import difflib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from kernlint.base.usage import UsageError
from kernlint.model.finding import Edit

Stretch = tuple[int, int, str]
MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def applied(text: str, edits: Iterable[Edit]) -> str | None:
    """The text with all edits made; None where two of them touch the same place. Equal edits are
    one."""
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    stretches = sorted({_stretch(edit, starts) for edit in edits})
    if _overlap(stretches):
        return None
    for first, last, content in reversed(stretches):
        text = text[:first] + content + text[last:]
    return text


def _stretch(edit: Edit, starts: Sequence[int]) -> Stretch:
    span = edit.span
    return (
        starts[span.line - 1] + span.column - 1,
        starts[span.end_line - 1] + span.end_column - 1,
        edit.content,
    )


def _overlap(stretches: Sequence[Stretch]) -> bool:
    return any(b[0] < a[1] or b[0] == a[0] for a, b in pairwise(stretches))


def difference(before: str, after: str, path: str) -> Iterator[str]:
    """A unified difference, as `patch -p0` takes it: lines end as they do in the file at `path`;
    only \\n ends one of the texts."""
    ends = _ends(path, before.count("\n"))
    old, new = (re.findall("[^\n]*\n|[^\n]+", _ended(text, ends)) for text in (before, after))
    for line in difflib.unified_diff(old, new, path, path):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def write(path: str, text: str) -> None:
    """Write a changed text with the encoding and the line ends that the file has."""
    try:
        with open(path, "rb") as file:
            data = file.read()
        stored = _stored(text, data, path)
        temporary = f"{path}.kernlint"
        with open(temporary, "wb") as file:
            file.write(stored)
        os.chmod(temporary, os.stat(path).st_mode)
        os.replace(temporary, os.path.realpath(path))
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror or error}") from None


def _stored(text: str, data: bytes, path: str) -> bytes:
    mark, encoding = next(((m, e) for m, e in MARKS if data.startswith(m)), (b"", "utf-8"))
    try:
        before = data[len(mark) :].decode(encoding)
    except UnicodeDecodeError:
        raise UsageError(
            f"{path} is not valid {encoding.upper()} and was not changed; save it as UTF-8 first"
        ) from None
    return mark + _ended(text, re.findall("\r\n|\r|\n", before)).encode(encoding)


def _ends(path: str, lines: int) -> list[str]:
    """How lines end in the file at `path`, if it is one of so many lines that end so."""
    try:
        with open(path, "rb") as file:
            ends = re.findall(rb"\r\n|\n", file.read())
    except OSError:
        return []
    return [end.decode() for end in ends] if len(ends) == lines else []


def _ended(text: str, ends: Sequence[str]) -> str:
    """A text with the line ends that it had; where lines have come or gone, with the most usual of
    them."""
    usual = max(set(ends), key=ends.count) if ends else "\n"
    lines = text.split("\n")
    if len(ends) != len(lines) - 1:
        ends = [usual] * (len(lines) - 1)
    return "".join(line + end for line, end in zip(lines, [*ends, ""], strict=True))
