"""String literals of Python as mapped text: prefixes, escapes, implicit concatenation, f-strings
with the holes that they leave.

In: the source of one expression that is nothing but literals. Out: parts, `Mapped` text or a `Hole`
with the expression in it. Evaluates nothing. Raises ValueError for what is no row of literals.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kernlint.base.dataclass import dataclass
from kernlint.source.embedded.mapped_text import Mapped, unescaped, verbatim

_BETWEEN = re.compile(r"(?:\s|\\\n|#[^\n]*)+")
_OPEN = re.compile(r"(?P<prefix>[rRbBuUfFtT]{0,2})(?P<quote>\"\"\"|'''|\"|')")
_CONVERSION = re.compile(
    r"(?P<expression>(?s:.*?))(?P<shown>=)?(?P<conversion>![rsa])?(?::(?P<format>[^{}]*))?\s*\Z"
)


@dataclass(frozen=True, slots=True)
class Hole:
    """`{expression:format}` of an f-string: the expression's source, its format, and its place with
    the braces."""

    expression: str
    format: str
    start: int
    end: int


Part = Mapped | Hole


def parts(source: str, start: int, end: int) -> list[Part]:
    """The parts of the literals that stand between two offsets of a file, brackets around them and
    comments between them included."""
    found: list[Part] = []
    position = start
    while position < end:
        between = _BETWEEN.match(source, position, end)
        if between is not None or source[position] in "()":
            position = between.end() if between is not None else position + 1
            continue
        opened = _OPEN.match(source, position, end)
        if opened is None:
            raise ValueError("not a string literal")
        close = _close(source, opened.end(), end, opened["quote"])
        found += _body(source, opened.end(), close, opened["prefix"].lower())
        position = close + len(opened["quote"])
    return found


def _close(source: str, position: int, end: int, quote: str) -> int:
    while position < end:
        if source.startswith(quote, position):
            return position
        position += 2 if source[position] == "\\" else 1
    raise ValueError("a string literal without its end")


def _body(source: str, start: int, end: int, prefix: str) -> Iterator[Part]:
    def plain(first: int, last: int) -> Mapped:
        text = source[first:last]
        return verbatim(text, first) if "r" in prefix else unescaped(text, first, "b" in prefix)

    if "f" not in prefix:
        yield plain(start, end)
        return
    position = begun = start
    while position < end:
        if source[position] in "{}" and source.startswith(source[position] * 2, position):
            yield plain(begun, position + 1)
            position = begun = position + 2
        elif source[position] == "{":
            yield plain(begun, position)
            close = _closing_brace(source, position + 1, end)
            yield _hole(source, position, close + 1)
            position = begun = close + 1
        else:
            position += (
                2
                if source[position] == "\\"
                and "r" not in prefix
                and source[position + 1] not in "{}"
                else 1
            )
    yield plain(begun, end)


def _closing_brace(source: str, position: int, end: int) -> int:
    depth = 0
    while position < end:
        if source[position] == "}" and depth == 0:
            return position
        depth += (source[position] in "{[(") - (source[position] in "}])")
        position += 1
    raise ValueError("a brace without its partner")


def _hole(source: str, start: int, end: int) -> Hole:
    found = _CONVERSION.match(source[start + 1 : end - 1])
    if found is None or found["shown"] or found["conversion"] in ("!r", "!a"):
        return Hole("", "", start, end)  # a value in Python's own words
    return Hole(found["expression"].strip(), found["format"] or "", start, end)
