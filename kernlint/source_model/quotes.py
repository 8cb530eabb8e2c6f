"""What stands at a place of a file, character by character.

Goes in: the lines of a file, a place that its own text holds. Comes out: places and texts.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.base.span import Span, closed

HEAD_LINES = 8  # in which a definition's head names it


def quoted(lines: Sequence[str], place: Span) -> str:
    """The text of a place on one line; "" elsewhere."""
    if place.line != place.end_line or not 0 < place.line <= len(lines):
        return ""
    return lines[place.line - 1][place.column - 1 : place.end_column - 1]


def head(lines: Sequence[str], place: Span) -> Span:
    """The head of an if, a loop or a switch: keyword and parentheses, as far as they stand on its
    first line."""
    line = lines[place.line - 1].rstrip()
    behind = len(line) + 1
    end = behind if place.end_line > place.line else min(place.end_column, behind)
    end = closed(line, place.column, end) or max(end, place.column + 1)
    return Span(place.path, place.line, place.column, place.line, end, place.macro)


def name(lines: Sequence[str], definition: Span, called: str) -> Span | None:
    """A function's name in its definition's head; None where it is not found."""
    last = min(definition.end_line, definition.line + HEAD_LINES, len(lines))
    for number in range(definition.line, last + 1):
        column = lines[number - 1].find(f"{called}(") + 1
        if column:
            end = column + len(called)
            return Span(definition.path, number, column, number, end, definition.macro)
    return None
