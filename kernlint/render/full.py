"""Findings as rustc and ruff show them: headline, place, quoted source with carets and labels, a few
notes, one help line, the fix as a diff.

In: findings, sources, a style. Out: text. Wraps its own words to the terminal; never wraps or
recolours quoted code. Notes beyond `NOTES` are counted in the closing and left to JSON.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from kernlint.base.dataclass import dataclass
from kernlint.base.span import Span, closed
from kernlint.checks import words
from kernlint.hardware import resolve
from kernlint.model.finding import Finding
from kernlint.render import devices, fix_diff
from kernlint.render.style import Style, columns, untabbed, wrapped
from kernlint.source.sources import Sources

WIDEST = 160  # columns of one quoted line; longer ones are shown around the mark
HEAD = re.compile(
    r"(?:for|while|switch|if(?:\s+constexpr)?|[A-Z][A-Z0-9_]{2,})\s*\("
)  # of a loop, a branch, or a macro for one
GAP = 2  # lines between marks that are shown rather than skipped
NOTES = 3  # notes of a finding that are shown
META = "KL0"  # family of findings that stand for several places: their notes list them all
INDEX, COST, LAUNCH, INFO_ONLY, ALSO = "index = ", "cost", "launch: ", "info only: ", "also "
CODE_OF_FIX = re.compile(
    r": `[^`]*`(?: and `[^`]*` for `[^`]*` in \d+ (?:index|indices))?(?= \()"
)  # in a help text, what the diff shows


@dataclass(frozen=True, slots=True)
class Underline:
    span: Span
    text: str
    primary: bool


def render(findings: Iterable[Finding], sources: Sources, style: Style) -> str:
    return "".join(frame(finding, sources, style) + "\n" for finding in findings)


def closing(
    findings: Iterable[Finding], device: str, style: Style, others: Mapping[str, str] | None = None
) -> str:
    """What holds for all of them, once: files judged for another device, the models behind figures
    in cycles, where to read on."""
    some = list(findings)
    codes = sorted({finding.code for finding in some})
    lines = list(devices.sentences(others or {}, device))
    used = dict.fromkeys(
        f.device or device for f in some if any(words.FORMULA in note for note in f.notes)
    )
    lines += [f"{words.model(resolve(name))}; {words.TERMS}" for name in used]
    hidden = sum(len(finding.notes) - len(_split(finding).kept) for finding in some)
    if hidden:
        notes = words.plural(hidden, "further note")
        lines.append(
            f"{notes} on these findings: --output-format json; "
            "how the numbers on a line come about: kernlint report --line N FILE"
        )
    if codes:
        rules = "this rule" if len(codes) == 1 else "these rules"
        lines.append(f"about {rules}: kernlint explain {' '.join(codes)}")
    told = [part for line in lines for part in wrapped(style.plain(line), style.prose, "", "  ")]
    return "".join(style.plain(line) + "\n" for line in told) + "\n" * bool(lines)


def frame(finding: Finding, sources: Sources, style: Style) -> str:
    """One finding, with a line end after its last line."""
    split = _split(finding)
    marks = [
        Underline(finding.span, split.index, True),
        *(Underline(label.span, label.text, False) for label in finding.labels),
    ]
    marks = [
        mark
        for mark in marks
        if sources.line(mark.span.path, mark.span.line).strip() or not mark.primary
    ]
    fix = fix_diff.lines(finding.fix, sources)
    numbers = [mark.span.line for mark in marks] + [line.number for line in fix]
    width = len(str(max(numbers, default=finding.span.line)))
    bar = style.paint(" " * width + " |", "gutter")
    span = finding.span
    lines = [*_headline(finding, sources, style)]
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
    else:
        split = split.without_source()
    lines += _remarks(finding, split.notes, bool(fix), width, style)
    lines += _diff(fix, width, style)
    return "".join(style.plain(line).rstrip() + "\n" for line in lines)


def _headline(finding: Finding, sources: Sources, style: Style) -> Iterator[str]:
    """Without the expression in front where the carets show it."""
    head, span = f"{finding.severity}[{finding.code}]", finding.span
    marked = sources.line(span.path, span.line)[span.column - 1 : span.end_column - 1]
    message = finding.message.removeprefix(f"`{marked}`: ")
    first, *more = wrapped(style.plain(message), style.prose, f"{head}: ", "    ")
    yield style.paint(head, finding.severity) + style.paint(first.removeprefix(head), "strong")
    yield from (style.paint(line, "strong") for line in more)


def _inside(finding: Finding) -> str:
    macro = f", in expansion of macro `{finding.span.macro}`" if finding.span.macro else ""
    return (f" in `{finding.kernel}`" if finding.kernel else "") + macro


@dataclass(frozen=True, slots=True)
class NoteSplit:
    """Where the notes of a finding go: `index` beside the carets, `notes` below the excerpt; `kept`
    are those of the finding's own notes that are shown."""

    index: str
    notes: tuple[str, ...]
    kept: tuple[str, ...]

    def without_source(self) -> NoteSplit:
        """With no excerpt the index is a note like others."""
        return NoteSplit("", (*((self.index,) if self.index else ()), *self.notes), self.kept)


def _split(finding: Finding) -> NoteSplit:
    """The index beside the carets; below, the first explanations, the cost, and the launch with
    what the numbers rest on, as many as `NOTES`."""
    index = next((note for note in finding.notes if note.startswith(INDEX)), "")
    below = [note for note in finding.notes if note != index]
    fixed = [next((n for n in below if n.startswith(kind)), "") for kind in (COST, LAUNCH)]
    fixed = [note for note in fixed if note]
    room = len(below) if finding.code.startswith(META) else max(0, NOTES - len(fixed))
    chosen = {*fixed, *sorted((n for n in below if n not in fixed), key=_rank)[:room]}
    kept = [note for note in below if note in chosen]
    rests = words.resting(finding.assumptions, finding.notes)
    shown = [f"{n}; {rests}" if rests and n.startswith(LAUNCH) else n for n in kept]
    if rests and not any(note.startswith(LAUNCH) for note in kept):
        shown.append(rests)
    return NoteSplit(index, tuple(shown), (*((index,) if index else ()), *kept))


def _rank(note: str) -> int:
    """Why a finding is only a note comes first, the other places that it holds for last."""
    return 0 if note.startswith(INFO_ONLY) else 2 if note.startswith(ALSO) else 1


def _remarks(
    finding: Finding, notes: Iterable[str], has_diff: bool, width: int, style: Style
) -> Iterator[str]:
    for note in notes:
        yield from _remark("note", "strong", note, width, style)
    if finding.help:
        help_ = CODE_OF_FIX.sub("", finding.help, count=1) if has_diff else finding.help
        yield from _remark("help", "help", help_, width, style)


def _remark(kind: str, role: str, text: str, width: int, style: Style) -> Iterator[str]:
    head = f"{' ' * width} = {kind}: "
    first, *more = wrapped(style.plain(text), style.prose, head, " " * len(head))
    gutter = style.paint(" " * width + " =", "gutter")
    yield f"{gutter} {style.paint(kind, role)}: {first.removeprefix(head)}"
    yield from more


def _diff(fix: list[fix_diff.DiffLine], width: int, style: Style) -> Iterator[str]:
    """The removed and added lines, below the help."""
    if fix:
        yield style.paint(" " * width + " |", "gutter")
    for line in fix[: fix_diff.MOST]:
        role = "error" if line.sign == "-" else "help"
        text = untabbed(line.text[:WIDEST]) + ("…" if len(line.text) > WIDEST else "")
        number = style.paint(f"{line.number:>{width}}", "gutter")
        yield f"{number} {style.paint(f'{line.sign} {text}'.rstrip(), role)}"
    if len(fix) > fix_diff.MOST:
        more = words.plural(len(fix) - fix_diff.MOST, "more changed line")
        yield f"{style.paint('.' * max(3, width), 'gutter')} {more}"


def _excerpt(marks: list[Underline], width: int, sources: Sources, style: Style) -> Iterator[str]:
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
            yield from _underline(mark, text, start, width, style)
        last = number


def _window(text: str, column: int) -> int:
    """How many characters at the start of an overlong line to leave out."""
    return 0 if len(text) <= WIDEST else max(0, column - 1 - WIDEST // 3)


def _quoted(number: int, text: str, start: int, width: int, style: Style) -> str:
    before, after = "…" if start else "", "…" if start + WIDEST < len(text) else ""
    shown = f"{before}{untabbed(text[start : start + WIDEST])}{after}"
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


def _underline(mark: Underline, text: str, start: int, width: int, style: Style) -> Iterator[str]:
    """The carets, and their label: below them where it does not fit beside."""
    span = mark.span
    end = _end(span, text)
    first, last = span.column - 1, max(span.column, min(end - 1, len(text) or 1))
    last = min(last, start + WIDEST)
    indent = columns(untabbed(text[start:first])) + (1 if start else 0)
    length = max(1, columns(untabbed(text[start:last])) + (1 if start else 0) - indent)
    line, label = ("^" if mark.primary else "-") * length, mark.text
    gutter, role = style.paint(" " * width + " |", "gutter"), "error" if mark.primary else "label"
    room = style.prose - width - 3
    if not label or indent + length + 1 + columns(label) <= room:
        yield f"{gutter} {' ' * indent}{style.paint(f'{line} {label}'.rstrip(), role)}"
        return
    yield f"{gutter} {' ' * indent}{style.paint(line, role)}"
    yield f"{gutter} {' ' * max(0, min(indent, room - columns(label)))}{style.paint(label, role)}"
