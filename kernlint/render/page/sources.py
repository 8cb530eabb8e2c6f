"""The lines of source that a page shows: files analysed whole, of headers what facts lie in.

Goes in: spans. Comes out: excerpts by number of their file. Never more of a header than its facts'
surroundings.
"""

from __future__ import annotations

from typing import Any

from kernlint.base.span import Span
from kernlint.source.sources import Sources

AROUND = 12  # lines of a header before and after one with facts


class Excerpts:
    """Files by number in the order in which they are met."""

    def __init__(self, sources: Sources, whole: set[str]) -> None:
        self._sources, self._whole = sources, whole
        self._lines: dict[str, set[int]] = {}

    def keep(self, span: Span) -> None:
        """The span's lines will be shown."""
        self._lines.setdefault(span.path, set()).update(range(span.line, span.end_line + 1))

    def place(self, span: Span) -> list[int]:
        """[file, line, column, last line, column after the end]"""
        self._lines.setdefault(span.path, set())
        return [
            list(self._lines).index(span.path),
            span.line,
            span.column,
            span.end_line,
            span.end_column,
        ]

    def sources(self) -> list[dict[str, Any]]:
        """`parts`: runs of lines, each with its first line's number."""
        return [
            {"path": path, "parts": self._parts(path, lines)} for path, lines in self._lines.items()
        ]

    def _parts(self, path: str, lines: set[int]) -> list[list[Any]]:
        # behind a last newline no line begins
        text = self._sources.text(path).removesuffix("\n").split("\n")
        if path in self._whole:
            return [[1, text]]
        parts: list[list[Any]] = []
        for number in sorted(
            {
                n
                for line in lines
                for n in range(line - AROUND, line + AROUND + 1)
                if 1 <= n <= len(text)
            }
        ):
            if not parts or number != parts[-1][0] + len(parts[-1][1]):
                parts.append([number, []])
            parts[-1][1].append(text[number - 1])
        return parts
