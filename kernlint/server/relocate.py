"""What was found of an earlier text, with its places moved to where their lines are now.

Goes in: facts or findings, the lines that they depend on before and after. Comes out: the same of
the new text, or None where a place or a line named in words cannot be followed.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import is_dataclass, replace
from functools import cache
from operator import is_
from typing import Any

from kernlint.base.span import Span
from kernlint.memo.ir_digest import NAMED, NUMBER, field_names, names_line
from kernlint.model import facts
from kernlint.model.declaration import lines_of

PLAIN = frozenset((int, float, bool, type(None)))  # what holds no place


def moved(
    found: Any, before: tuple[int, ...], now: tuple[int, ...], path: str, in_words: bool
) -> Any | None:
    """`found` with every place in the file at `path` moved. `in_words`: a line that a text names is
    one of that file, and no quotation."""
    if before == now:
        return found
    to: dict[int, int] = {}
    for old, new in zip(before, now, strict=True):
        if to.setdefault(old, new) != new:
            return None
    try:
        return _Move(to, path, in_words).of(found)
    except KeyError:
        return None


class _Move:
    """One movement; raises KeyError at what it cannot follow."""

    def __init__(self, to: Mapping[int, int], path: str, in_words: bool) -> None:
        self._to, self._path, self._in_words = to, path, in_words
        self._spans: dict[int, tuple[Span, Span]] = {}  # by identity: facts share spans

    def of(self, value: Any, charged: str = "") -> Any:
        """`charged`: the file whose lines the record around it is charged to."""
        kind = value.__class__
        if kind is Span:
            return self._span(value)
        if kind is str:
            return self._text(value)
        if kind in PLAIN:
            return value
        if kind is tuple:
            return self._items(value)
        if kind is facts.Launch:
            return self._launch(value)
        if is_dataclass(kind):
            return self._rebuilt(value, charged)
        return self._entries(value) if isinstance(value, Mapping) else value

    def _items(self, value: tuple[Any, ...]) -> tuple[Any, ...]:
        items = self._all_of(value)
        return value if _same(items, value) else tuple(items)

    def _all_of(self, values: Iterable[Any], charged: str = "") -> list[Any]:
        of = self.of
        return [one if one.__class__ in PLAIN else of(one, charged) for one in values]

    def _entries(self, value: Mapping[Any, Any]) -> Mapping[Any, Any]:
        entries = {name: self.of(item) for name, item in value.items()}
        return value if _same(entries.values(), value.values()) else entries

    def _span(self, span: Span) -> Span:
        if span.path != self._path:
            return span
        known = self._spans.get(id(span))
        if known is None:
            to = self._to
            new = Span(
                span.path,
                to[span.line],
                span.column,
                to[span.end_line],
                span.end_column,
                span.macro,
            )
            known = self._spans[id(span)] = (span, new)
        return known[1]

    def _text(self, text: str) -> str:
        if "line" not in text or not names_line(text):
            return text
        new = NAMED.sub(self._lines, text)
        if new != text and not self._in_words:
            raise KeyError(text)
        return new

    def _lines(self, match: re.Match[str]) -> str:
        return match[1] + NUMBER.sub(lambda number: str(self._to[int(number[0])]), match[2])

    def _rebuilt(self, value: Any, charged: str) -> Any:
        """A record with its fields moved, those that hold the number of a line too."""
        kind = value.__class__
        names, lines = _fields_of(kind)
        if lines:
            charged = _charged_file(value) or charged
        old = [getattr(value, name) for name in names]
        new = self._all_of(old, charged)
        if charged == self._path:
            for at in lines:
                new[at] = self._to[old[at]]
        return value if _same(new, old) else kind(*new)

    def _launch(self, launch: facts.Launch) -> facts.Launch:
        """Its origin names its own line; directives stand in comments, whose lines do not count:
        the asker knows its launches."""
        if launch.span is None or launch.span.path != self._path:
            return launch
        span = self._perhaps(launch.span)
        origin = launch.origin.replace(f"line {launch.span.line}", f"line {span.line}")
        allocations = tuple((name, self._perhaps(place)) for name, place in launch.allocations)
        return replace(
            launch,
            span=span,
            origin=origin,
            block_origin=self._text(launch.block_origin),
            allocations=allocations,
        )

    def _perhaps(self, span: Span) -> Span:
        """A place in host code: as it is where its lines are not among those that moved."""
        if span.path != self._path:
            return span
        line, end = (self._to.get(n, n) for n in (span.line, span.end_line))
        return replace(span, line=line, end_line=end)


def _charged_file(record: Any) -> str:
    """The file that a record's lines are of; "" where the record around it says that."""
    span: Span | None = getattr(record, "span", None)
    return getattr(record, "charged_path", "") or ("" if span is None else span.path)


@cache
def _fields_of(kind: Hashable) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The fields of a class in order, and which of them hold the number of a line."""
    names = field_names(kind)
    return names, tuple(names.index(name) for name in lines_of(kind))


def _same(new: Iterable[Any], old: Iterable[Any]) -> bool:
    return all(map(is_, new, old))
