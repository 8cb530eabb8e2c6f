"""Findings as rustc and ruff show them: header, place, quoted source with carets and labels, notes,
help.

Goes in: findings, sources, a style. Comes out: text. Never wraps or recolours the quoted C code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from kernlint.base.dataclass import dataclass
from kernlint.base.span import Span, closed
from kernlint.checks import words
from kernlint.hardware import resolve
from kernlint.model.finding import Finding
from kernlint.render import devices
from kernlint.render.style import Style, columns, untabbed
from kernlint.source.sources import Sources

WIDEST = 160  # columns of one quoted line; longer ones are shown around the mark
HEAD = re.compile(
    r"(?:for|while|switch|if(?:\s+constexpr)?|[A-Z][A-Z0-9_]{2,})\s*\("
)  # of a loop, a branch, or a macro for one
GAP = 2  # lines between marks that are shown rather than skipped


@dataclass(frozen=True, slots=True)
class Mark:
    span: Span
    text: str
    primary: bool


def render(findings: Iterable[Finding], sources: Sources, style: Style) -> str:
    return "".join(frame(finding, sources, style) + "\n" for finding in findings)


def closing(
    findings: Iterable[Finding], device: str, style: Style, others: Mapping[str, str] | None = None
) -> str:
    """What holds of all of them, once: files judged for another device, the models that figures in
    cycles come from, how to read on."""
    some = list(findings)
    codes = sorted({finding.code for finding in some})
    lines = list(devices.sentences(others or {}, device))
    used = dict.fromkeys(
        f.device or device for f in some if any(words.FORMULA in note for note in f.notes)
    )
    lines += [words.model(resolve(name)) for name in used]
    lines += (
        [f"more about {'it' if len(codes) == 1 else 'them'}: kernlint explain {' '.join(codes)}"]
        if codes
        else []
    )
    return "".join(style.plain(line) + "\n" for line in lines) + "\n" * bool(lines)


def frame(finding: Finding, sources: Sources, style: Style) -> str:
    """One finding, with a line end after its last line."""
    marks = [
        Mark(finding.span, "", True),
        *(Mark(label.span, label.text, False) for label in finding.labels),
    ]
    marks = [
        mark
        for mark in marks
        if sources.line(mark.span.path, mark.span.line).strip() or not mark.primary
    ]
    width = len(str(max((mark.span.line for mark in marks), default=finding.span.line)))
    bar = style.paint(" " * width + " |", "gutter")
    lines = [
        f"{style.paint(f'{finding.severity}[{finding.code}]', finding.severity)}{style.paint(': ' + finding.message, 'strong')}"
    ]
    span = finding.span
    lines.append(
        f"{style.paint(' ' * width + '-->', 'gutter')} {span.path}:{span.line}:{span.column}"
        + _inside(finding)
    )
    if any(mark.primary for mark in marks):
        lines += [
            bar,
            *_excerpt([m for m in marks if m.span.path == span.path], width, sources, style),
        ]
        for path in dict.fromkeys(m.span.path for m in marks if m.span.path != span.path):
            other = [m for m in marks if m.span.path == path]
            lines.append(
                f"{style.paint(' ' * width + ':::', 'gutter')} {path}:{other[0].span.line}:{other[0].span.column}"
            )
            lines += [bar, *_excerpt(other, width, sources, style)]
        lines.append(bar)
    lines += _remarks(finding, width, style)
    return "".join(style.plain(line).rstrip() + "\n" for line in lines)


def _inside(finding: Finding) -> str:
    macro = f", in expansion of macro `{finding.span.macro}`" if finding.span.macro else ""
    return (f" in `{finding.kernel}`" if finding.kernel else "") + macro


def _remarks(finding: Finding, width: int, style: Style) -> Iterator[str]:
    gutter = style.paint(" " * width + " =", "gutter")
    rests = words.resting(finding.assumptions)
    for note in (*finding.notes, *((rests,) if rests else ())):
        yield f"{gutter} {style.paint('note', 'strong')}: {note}"
    if finding.help:
        yield f"{gutter} {style.paint('help', 'help')}: {finding.help}"


def _excerpt(marks: list[Mark], width: int, sources: Sources, style: Style) -> Iterator[str]:
    """The marked lines of one file in order, with a dotted gutter where lines are left out."""
    path = marks[0].span.path
    last = 0
    for number in sorted({mark.span.line for mark in marks}):
        if last and number - last > GAP:
            yield style.paint("." * max(3, width), "gutter")
        elif last:
            for between in range(last + 1, number):
                yield _quoted(between, sources.line(path, between), 0, width, style)
        text = sources.line(path, number)
        own = sorted(
            (m for m in marks if m.span.line == number),
            key=lambda m: (not m.primary, m.span.column),
        )
        start = _window(text, own[0].span.column)
        yield _quoted(number, text, start, width, style)
        for mark in own:
            yield _underline(mark, text, start, width, style)
        last = number


def _window(text: str, column: int) -> int:
    """How many characters at the start of an overlong line to leave out."""
    return 0 if len(text) <= WIDEST else max(0, column - 1 - WIDEST // 3)


def _quoted(number: int, text: str, start: int, width: int, style: Style) -> str:
    shown = untabbed(text)
    if start or len(text) > WIDEST:
        shown = (
            ("…" if start else "")
            + untabbed(text[start : start + WIDEST])
            + ("…" if start + WIDEST < len(text) else "")
        )
    return f"{style.paint(f'{number:>{width}} |', 'gutter')} {shown}".rstrip()


def _end(span: Span, text: str) -> int:
    """The column behind what is underlined. Of loops in other files and of macros for them a check
    knows the place alone: the head is meant."""
    line = text.rstrip()
    if (
        span.end_line == span.line
        and span.end_column == span.column + 1
        and HEAD.match(line, span.column - 1)
    ):
        return closed(line, span.column, len(line) + 1) or len(line) + 1
    return span.end_column if span.end_line == span.line else len(line) + 1


def _underline(mark: Mark, text: str, start: int, width: int, style: Style) -> str:
    span = mark.span
    end = _end(span, text)
    first, last = span.column - 1, max(span.column, min(end - 1, len(text) or 1))
    last = min(last, start + WIDEST)
    indent = columns(untabbed(text[start:first])) + (1 if start else 0)
    length = max(1, columns(untabbed(text[start:last])) + (1 if start else 0) - indent)
    line = ("^" if mark.primary else "-") * length + (f" {mark.text}" if mark.text else "")
    return f"{style.paint(' ' * width + ' |', 'gutter')} {' ' * indent}{style.paint(line, 'error' if mark.primary else 'label')}"
