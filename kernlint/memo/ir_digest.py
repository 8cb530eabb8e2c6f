"""What a lowered kernel says, whatever text it came from: kernels of equal form give equal facts,
up to the lines of their places.

Goes in: an `ir.Kernel`, the path of its file. Comes out: a digest of all that execution reads
(names, types, quoted texts, columns), and the lines of the file's places, in an order that equal
forms share.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import fields
from functools import cache
from operator import attrgetter
from typing import Any

from kernlint.base.span import Span
from kernlint.ir import nodes as ir
from kernlint.ir.types import Record

# line numbers in words: "line 7", "lines 7, 9"
NAMED = re.compile(r"\b(line |lines )(\d+(?:(?:, | and )\d+)*)")
NUMBER = re.compile(r"\d+")
_PERHAPS = re.compile(r"lines? \d")  # begins with letters, which are looked for quickly
APART: dict[Hashable, tuple[str, ...]] = {Record: ("definition",), ir.AccessSite: ("charged_line",)}
_PLAIN = frozenset((int, float, bool, type(None)))


def names_line(text: str) -> bool:
    """Whether a text names a line by its number."""
    return _PERHAPS.search(text) is not None and NAMED.search(text) is not None


def form(kernel: ir.Kernel, path: str) -> tuple[str, tuple[int, ...]] | None:
    """None where the kernel holds something that is not known to be a value. Lines named in texts
    are among the lines, whatever file they are of."""
    said: list[str] = []
    lines: list[int] = []
    seen: dict[int, int] = {}  # by identity: variables, objects and labels are told apart by it
    left: list[Any] = [kernel]
    while left:
        value = left.pop()
        kind: type[Any] = value.__class__
        if kind is str:
            said.append(repr(_without_lines(value, lines) if "line" in value else value))
        elif kind in _PLAIN:
            said.append(repr(value))
        elif kind is tuple:
            said.append(f"({len(value)}")
            left += reversed(value)
        elif kind is Span:
            said.append(f"{value.column} {value.end_column} {value.macro!r}")
            said.append(_placed(path, value.path, (value.line, value.end_line), lines))
        elif id(value) in seen:
            said.append(f"#{seen[id(value)]}")
        elif hasattr(kind, "__dataclass_fields__"):
            seen[id(value)] = len(seen)
            said.append(kind.__name__)
            left += reversed(_parts(value, kind, path, said, lines, seen))
        else:
            return None
    return hashlib.sha256("\0".join(said).encode("utf-8", "surrogatepass")).hexdigest(), tuple(
        lines
    )


def _parts(
    value: Any, kind: Any, path: str, said: list[str], lines: list[int], seen: dict[int, int]
) -> Sequence[Any]:
    """The fields that execution reads: of a class's definition only which it is and whether it has
    bases, and lines apart from the rest."""
    if kind is Record:
        said.append(
            f"{seen.setdefault(id(value.definition), len(seen))} {bool(getattr(value.definition, 'bases', ()))}"
        )
    elif kind is ir.AccessSite:
        said.append(
            _placed(path, value.charged_path or value.span.path, (value.charged_line,), lines)
        )
    return _values_of(kind)(value)


def _placed(path: str, own: str, places: Sequence[int], lines: list[int]) -> str:
    """Lines of the file may move; those of others are told as they are."""
    if own != path:
        return f"{own} {places}"
    lines += places
    return ""


def _without_lines(text: str, lines: list[int]) -> str:
    """A text without the lines that it names."""
    for match in NAMED.finditer(text):
        lines += [int(number) for number in NUMBER.findall(match[2])]
    return NAMED.sub(r"\1", text)


@cache
def _values_of(kind: Hashable) -> Callable[[object], Sequence[Any]]:
    """What gives the fields of a dataclass's object, less those that are told apart from the
    rest."""
    names = [name for name in field_names(kind) if name not in APART.get(kind, ())]
    if not names:
        return lambda value: ()
    get = attrgetter(*names)
    return get if len(names) > 1 else lambda value: (get(value),)


@cache
def field_names(kind: Hashable) -> tuple[str, ...]:
    """Of a dataclass."""
    return tuple(field.name for field in fields(kind))  # type: ignore[arg-type]
