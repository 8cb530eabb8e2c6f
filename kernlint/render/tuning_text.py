"""The forms that `tune` tried, as tables for people, with the edits that make them.

Goes in: `Tuned` files, a style. Comes out: text. Never computes a figure.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence

from kernlint.checks import words
from kernlint.estimate.model import MODEL
from kernlint.model.finding import Edit
from kernlint.render.style import Style, columns, cut
from kernlint.source.edits import applied
from kernlint.tuning.figures import TIE, Figures, better
from kernlint.tuning.search import Option, Subject, Tuned

SHOWN = 5  # forms of one subject
COLUMNS = ("", "cycles", "", "wavefronts", "shared bytes", "occupancy", "form")
TIES = f"times within {words.share(TIE, 1)} are ties: fewer wavefronts first, then fewer requests, then fewer bytes"
STARS = "*"  # stands before what is in the file


def render(found: Sequence[Tuned], style: Style) -> str:
    lines: list[str] = []
    for tuned in found:
        lines += [*_file(tuned, style), ""]
    return "".join(style.plain(line).rstrip() + "\n" for line in lines[:-1])


def _file(tuned: Tuned, style: Style) -> Iterator[str]:
    yield f"{style.paint(tuned.path, 'strong')}: times on {tuned.device} by {MODEL}, wavefronts of shared memory over the launch"
    for problem in tuned.problems:
        place = f"{problem.span.path}:{problem.span.line}:{problem.span.column}:"
        yield f"  {place} {style.paint(problem.code, 'warning')} {problem.message}"
    if not tuned.subjects:
        yield "  nothing to tune: " + (
            "no shared array is accessed"
            if tuned.analysed
            else "no kernel of this file was analysed"
        )
    for subject in tuned.subjects:
        yield ""
        yield from _subject(subject, tuned, style)
    if tuned.together is not None and tuned.together_baseline is not None:
        yield ""
        yield f"  {style.paint('all arrays at once', 'strong')}: {tuned.together.title}"
        yield from _table([(tuned.together, "1")], tuned.together_baseline, style)
    assumed = dict.fromkeys(
        text
        for subject in tuned.subjects
        for kernel in subject.kernels
        for text in _assumptions(kernel)
    )
    if assumed:
        yield ""
        yield from (f"  assumed: {text}" for text in assumed)


def _assumptions(kernel: object) -> Iterable[str]:
    estimate = getattr(kernel, "estimate", "")
    return () if isinstance(estimate, str) else estimate.assumptions


def _subject(subject: Subject, tuned: Tuned, style: Style) -> Iterator[str]:
    name = f"`{subject.array}`" if subject.array else "block"
    launches = [
        f"{words.kernel(kernel)}, {words.launch(kernel.launch)}" for kernel in subject.kernels
    ]
    line = f" (line {subject.span.line})" if subject.span is not None and subject.array else ""
    yield f"  {style.paint(name, 'strong')}{line} of {launches[0]}"
    yield from (f"    and of {launch}" for launch in launches[1:])
    if subject.kept and not subject.options and not subject.same and not subject.lost:
        yield f"    not tuned: {subject.kept}"
        return
    if subject.baseline.no_cycles:
        yield f"    no time: {subject.baseline.no_cycles}; ranked by wavefronts"
    shown = _worth_showing(subject)
    numbered = [(option, str(number)) for number, option in enumerate(shown, 1)]
    yield from _table(numbered, subject.baseline, style)
    yield f"    {_tally(subject, len(shown))}"
    times = [figures.time for figures in (*(option.figures for option in shown), subject.baseline)]
    if times != sorted(times):
        yield f"    {TIES}"
    if subject.kept:
        yield f"    not tried: other forms, since {subject.kept}"
    for option, number in numbered:
        yield from _edit(option, number, subject, tuned, style)


def _worth_showing(subject: Subject) -> list[Option]:
    """Those that are better than the present form, without longer rows where shorter ones do as
    well."""
    shown: list[Option] = []
    for option in subject.options:
        if better(option.figures, subject.baseline) and not any(
            one.kind == option.kind and _as_good(one.figures, option.figures) for one in shown
        ):
            shown.append(option)
    return shown[:SHOWN]


def _as_good(one: Figures, other: Figures) -> bool:
    if not (one.ties(other) or one.time <= other.time):
        return False
    names = ("wavefronts", "sectors", "per_request")
    pairs = [(getattr(one, name), getattr(other, name)) for name in names]
    as_good = all(a == b or (a is not None and b is not None and a <= b) for a, b in pairs)
    return as_good and one.shared_bytes <= other.shared_bytes


def _tally(subject: Subject, shown: int) -> str:
    gains = sum(better(option.figures, subject.baseline) for option in subject.options)
    losses = sum(better(subject.baseline, option.figures) for option in subject.options)
    tried = words.plural(len(subject.options) + subject.same + subject.lost, "form")
    parts = [
        f"{gains} better" + (f" ({gains - shown} not shown)" if gains > shown else ""),
        f"{losses} worse",
        f"{subject.same + len(subject.options) - gains - losses} the same",
    ]
    return f"{tried} analysed: {', '.join(parts)}"


def _table(
    numbered: Sequence[tuple[Option, str]], baseline: Figures, style: Style
) -> Iterator[str]:
    rows = [_row(option.figures, baseline, number, option.title) for option, number in numbered]
    rows.append(_row(baseline, baseline, STARS, "as it is"))
    header = [*COLUMNS]
    if baseline.wavefronts is None:
        header[3] = "per request"
    if not any(row[2] for row in rows):
        header, rows = _without(header, 2), [_without(row, 2) for row in rows]
    widths = [max(columns(row[i]) for row in (header, *rows)) for i in range(len(header))]
    for row in (header, *rows):
        cells = [
            cell.rjust(wide) if i < len(row) - 1 else cell
            for i, (cell, wide) in enumerate(zip(row, widths, strict=True))
        ]
        text = "    " + "  ".join(cells)
        yield style.paint(text, "dim") if row is header else text


def _without(row: Sequence[str], column: int) -> list[str]:
    return [*row[:column], *row[column + 1 :]]


def _row(some: Figures, baseline: Figures, number: str, title: str) -> list[str]:
    change = ""
    if some is not baseline and some.cycles is not None and baseline.cycles:
        change = f"{100 * (some.cycles - baseline.cycles) / baseline.cycles:+.1f} %"
    return [
        number,
        _cycles(some),
        change,
        _passes(some),
        words.count(some.shared_bytes),
        "?" if some.occupancy is None else words.share(some.occupancy, 1),
        title,
    ]


def _cycles(some: Figures) -> str:
    """8,297 (6,377 to 8,297): the estimate between its bounds."""
    if some.cycles is None:
        return "?"
    low, high, told = some.cycles_low, some.cycles_high, words.count(some.cycles)
    return (
        told
        if low is None or high is None or low == high
        else f"{told} ({words.count(low)} to {words.count(high)})"
    )


def _passes(some: Figures) -> str:
    """139,264 (8,192 to 139,264); `~` where no bounds are known beside what is assumed."""

    def told(value: float) -> str:
        return words.mean(round(value, 2)) if some.wavefronts is None else words.count(round(value))

    middle, low, high = (
        told(value)
        for value in (
            some.per_request if some.wavefronts is None else some.wavefronts,
            some.low,
            some.high,
        )
    )
    if low != high:
        return f"{middle} ({low} to {high})"
    return middle if some.status == "exact" else f"~{middle}"


def _edit(
    option: Option, number: str, subject: Subject, tuned: Tuned, style: Style
) -> Iterator[str]:
    yield ""
    if option.block is not None and option.grid is not None:
        launch = subject.kernels[0].launch
        where = f" (line {launch.span.line})" if launch.span is not None else ""
        yield f"    {number}: launch{where} with grid {words.size(option.grid)} and block {words.size(option.block)}"
        return
    yield f"    {number}: {option.title}"
    yield from (
        f"      {style.paint(cut(line, 150), 'label')}"
        for line in _changed_lines(tuned.text, option.edits)
    )


def _changed_lines(text: str, edits: Iterable[Edit]) -> Iterator[str]:
    """Each changed line before and after, with its number."""
    before, after = text.split("\n"), (applied(text, edits) or text).split("\n")
    for tag, first, last, low, high in difflib.SequenceMatcher(
        None, before, after, autojunk=False
    ).get_opcodes():
        if tag != "equal":
            yield from (
                f"{number + 1:>4} - {before[number].strip()}" for number in range(first, last)
            )
            yield from (f"{number + 1:>4} + {after[number].strip()}" for number in range(low, high))
