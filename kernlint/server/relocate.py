"""What was told of an earlier text, with its places moved to where their lines are now.

Goes in: facts or findings, the lines that they depend on before and after. Comes out: the same of
the new text, or None where a place or a line named in words cannot be followed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass, replace
from typing import Any

from kernlint.base.span import Span
from kernlint.memo.ir_digest import NAMED, NUMBER, field_names
from kernlint.model import facts


def moved(
    told: Any, before: Sequence[int], now: Sequence[int], path: str, in_words: bool
) -> Any | None:
    """`told` with every place in the file at `path` moved. `in_words`: a line that a text names is
    one of that file, and no quotation."""
    to: dict[int, int] = {}
    for old, new in zip(before, now, strict=True):
        if to.setdefault(old, new) != new:
            return None
    if all(old == new for old, new in to.items()):
        return told
    try:
        return _Move(to, path, in_words).of(told)
    except KeyError:
        return None


class _Move:
    """One movement; raises KeyError at what it cannot follow."""

    def __init__(self, to: Mapping[int, int], path: str, in_words: bool) -> None:
        self._to, self._path, self._in_words = to, path, in_words
        self._spans: dict[int, tuple[Span, Span]] = {}  # by identity: facts share spans

    def of(self, value: Any) -> Any:
        kind = value.__class__
        if kind is Span:
            return self._span(value)
        if kind is str:
            return self._text(value)
        if kind is tuple:
            if not value or isinstance(value[0], int | float | None):
                return value
            items = [self.of(item) for item in value]
            return (
                tuple(items)
                if any(new is not old for new, old in zip(items, value, strict=True))
                else value
            )
        if kind is facts.Launch:
            return self._launch(value)
        if kind is facts.Access:
            return self._access(value)
        return self._rebuilt(value) if is_dataclass(value) else value

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
        if "line" not in text or NAMED.search(text) is None:
            return text
        new = NAMED.sub(self._lines, text)
        if new != text and not self._in_words:
            raise KeyError(text)
        return new

    def _lines(self, match: re.Match[str]) -> str:
        return match[1] + NUMBER.sub(lambda number: str(self._to[int(number[0])]), match[2])

    def _rebuilt(self, value: Any) -> Any:
        changed = {}
        for name in field_names(value.__class__):
            old = getattr(value, name)
            new = self.of(old)
            if new is not old:
                changed[name] = new
        return replace(value, **changed) if changed else value

    def _access(self, access: facts.Access) -> facts.Access:
        """The lines that it is charged to are of one file."""
        new: facts.Access = self._rebuilt(access)
        if (access.charged_path or access.span.path) != self._path:
            return new
        return replace(
            new,
            charged_line=self._to[access.charged_line],
            as_compiled=new.as_compiled and self._charged(new.as_compiled),
        )

    def _charged(self, compiled: facts.Compiled) -> facts.Compiled:
        return replace(
            compiled,
            charged_line=self._to[compiled.charged_line],
            wider=compiled.wider and self._charged(compiled.wider),
        )

    def _launch(self, launch: facts.Launch) -> facts.Launch:
        """Its origin names its own line; directives stand in comments, whose lines do not count:
        the asker knows its launches."""
        if launch.span is None or launch.span.path != self._path:
            return launch
        line = self._to.get(launch.span.line, launch.span.line)
        end = self._to.get(launch.span.end_line, launch.span.end_line)
        span = replace(launch.span, line=line, end_line=end)
        origin = launch.origin.replace(f"line {launch.span.line}", f"line {line}")
        return replace(
            launch, span=span, origin=origin, block_origin=self._text(launch.block_origin)
        )
