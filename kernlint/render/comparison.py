"""A comparison with a profile as tables for people, and as one line per disagreement.

Goes in: `Comparison`, a style. Comes out: text. Never computes a number, never hides a row of the
tables.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence

from kernlint.checks import words
from kernlint.comparison.compare import Comparison, MatchedLaunches
from kernlint.comparison.explaining import UNITS, hint
from kernlint.comparison.judging import ORDER, Number, Row, close
from kernlint.comparison.matching import AnalysedKernel, Candidates
from kernlint.comparison.profile import ProfiledLaunch
from kernlint.render.style import Style, columns, cut

WIDE = 40
LEFT = ("space", "op", "per request", "verdict", "code")
WORDS = {"agrees": "agree"}


def render(comparison: Comparison, style: Style) -> str:
    lines = [
        f"compared with {comparison.profile.path} ({comparison.profile.page}); `predicted | measured` where the two differ"
    ]
    lines += [f"{style.paint('note:', 'info')} {note}" for note in comparison.notes]
    for pair in comparison.pairs:
        lines += ["", *_pair(pair, style)]
    if comparison.only_measured:
        lines += ["", style.paint("profiled, but not compared:", "strong")]
        lines += _unmatched(comparison.only_measured, style)
    if comparison.only_predicted:
        lines += ["", style.paint("analysed, but not in the profile:", "strong")]
        lines += [f"  {_analysed(one)}" for one in comparison.only_predicted]
    lines += ["", summary(comparison)]
    return "".join(style.plain(line).rstrip() + "\n" for line in lines)


def summary(comparison: Comparison) -> str:
    """How many lines have which verdict, and whether an exact claim is contradicted."""
    verdicts = comparison.verdicts()
    rows = [row for pair in comparison.pairs for row in pair.rows]
    parts = [
        f"{verdicts[v]} {WORDS.get(v, v)}" + (_kinds(rows) if v == "agrees" else "")
        for v in reversed(ORDER)
        if verdicts[v]
    ]
    noun = "line" if any(row.line for row in rows) else "total"
    text = f"{words.plural(len(rows), noun)} of {words.plural(len(comparison.pairs), 'launch', 'launches')}: {', '.join(parts) or 'none'}"
    wrong = comparison.contradicted
    return f"{text}; " + (
        f"{words.plural(wrong, 'exact claim')} contradicted"
        if wrong
        else "no exact claim contradicted"
    )


def _kinds(rows: Sequence[Row]) -> str:
    """What the rows that agree were called."""
    found = Counter(row.agreement for row in rows if row.verdict == "agrees")
    ranges = f", {found['inside']} inside a stated range" if found["inside"] else ""
    return f" ({found['exact']} of them exact{ranges})"


def concise(comparison: Comparison, style: Style) -> str:
    """One line per row that does not agree, as compilers print them; contradicted exact claims are
    errors."""
    out = []
    for pair in comparison.pairs:
        for row in (row for row in pair.rows if row.verdict != "agrees"):
            severity = (
                "error"
                if row.contradicted
                else "warning"
                if row.verdict in ("wrong", "missing")
                else "note"
            )
            place = style.paint(
                f"{row.path or pair.file.path}:{row.line or pair.kernel.span.line}:{_column(row)}:",
                "strong",
            )
            role = "info" if severity == "note" else severity
            why = f": {'; '.join(row.why)}" if row.why else ""
            message = f"{row.verdict}: {_sentence(row)} in `{words.kernel(pair.kernel)}`{why}"
            out.append(f"{place} {style.paint(severity + ':', role)} {message}")
    return "".join(style.plain(line) + "\n" for line in out)


def _column(row: Row) -> int:
    return next(
        (one.access.span.column for one in row.accesses if one.access.span.line == row.line), 1
    )


def _sentence(row: Row) -> str:
    """shared load: 32 wavefronts per request predicted, 33 measured"""
    number, unit = row.counts, f"{UNITS[row.space]} per request"
    if row.counts.measured is None or row.verdict in ("invented", "missing"):
        number, unit = row.requests, "requests"
    elif row.requests.measured is None:
        unit = UNITS[row.space]
    return f"{row.space} {row.op or 'accesses'}: {_one(number.predicted)} {unit} predicted, {_one(number.measured)} measured"


# ------------------------------------------------------------------ tables


def _pair(pair: MatchedLaunches, style: Style) -> Iterator[str]:
    span = pair.kernel.span
    yield f"{style.paint(words.kernel(pair.kernel), 'strong')}  {span.path}:{span.line}"
    yield f"  launch: {words.launch(pair.kernel.launch)}"
    same = ", which counted the same" if len(pair.launches) > 1 else ""
    yield f"  profiled: {_numbers(pair.launches)}{same}, matched {pair.how}"
    yield from (f"  {note}" for note in pair.notes)
    if not pair.rows:
        yield "  no access to shared, global or local memory, predicted or measured"
        return
    yield ""
    cells = [_cells(row, pair.file.path) for row in pair.rows]
    if all(row.line == 0 for row in pair.rows):
        cells = [{head: text for head, text in one.items() if head != "line"} for one in cells]
    widths = {head: max(columns(head), *(columns(one[head]) for one in cells)) for head in cells[0]}
    yield style.paint(_line({head: head for head in widths}, widths), "dim")
    for row, one in zip(pair.rows, cells, strict=True):
        text = _line(one, widths)
        yield style.paint(text, "error") if row.contradicted else text
        yield from (f"    {style.paint('=', 'gutter')} {why}" for why in row.why)


def _line(cells: dict[str, str], widths: dict[str, int]) -> str:
    parts = []
    for head, width in widths.items():
        space = " " * (width - columns(cells[head]))
        parts.append(cells[head] + space if head in LEFT else space + cells[head])
    return "  " + "  ".join(parts).rstrip()


def _cells(row: Row, path: str) -> dict[str, str]:
    total = row.measured is not None and row.measured.requests is None
    unit = (
        f"{UNITS[row.space]} in all"
        if total
        else UNITS[row.space].removesuffix("s" if row.counts.measured == 1 else "")
    )
    counted = row.counts.predicted is not None or row.counts.measured is not None
    texts = list(dict.fromkeys(one.access.text for one in row.accesses))
    return {
        "line": str(row.line)
        if row.path in ("", path)
        else f"{os.path.basename(row.path)}:{row.line}",
        "space": row.space,
        "op": row.op or "all",
        "requests": _both(_known(row.requests)),
        "lanes": _both(_known(row.lanes)),
        "per request": f"{_both(row.counts)} {unit}" if counted else "",
        "ideal": _both(_known(row.ideal)),
        "verdict": row.verdict
        + (
            " (exact)"
            if row.exact
            else " (range)"
            if (row.verdict, row.agreement) == ("agrees", "inside")
            else ""
        ),
        "code": "; ".join(cut(text, WIDE) for text in texts[:3])
        + ("; …" if len(texts) > 3 else ""),
    }


def _known(number: Number) -> Number:
    """A quantity that the profile does not hold shows the prediction alone."""
    return Number(number.predicted, number.predicted) if number.measured is None else number


def _both(number: Number) -> str:
    """One number where the two agree, else both; with the bounds of a range."""
    predicted, measured = number.predicted, number.measured
    if predicted is None and measured is None:
        return ""
    bounds = ""
    if number.low is not None and number.high is not None and not close(number.low, number.high):
        bounds = f" ({words.mean(number.low)} to {words.mean(number.high)})"
    if predicted is not None and measured is not None and close(predicted, measured):
        return f"{_one(measured)}{bounds}"
    return f"{_one(predicted)}{bounds} | {_one(measured)}"


def _one(value: float | None) -> str:
    return "?" if value is None else words.mean(value)


def _unmatched(some: Sequence[Candidates], style: Style) -> Iterator[str]:
    """Launches of one kernel and shape, which fail for one reason, on one line."""
    alike: dict[object, list[Candidates]] = {}
    for one in some:
        alike.setdefault((one.launch.name, one.launch.grid, one.launch.block, one.why), []).append(
            one
        )
    for group in alike.values():
        launch = group[0].launch
        shape = (
            f", grid {words.size(launch.grid)}, block {words.size(launch.block)}"
            if launch.grid and launch.block
            else ""
        )
        yield f"  {_numbers([one.launch for one in group])} of {launch.name}{shape}: {group[0].why}"
        if hint(group[0]):
            yield f"    {style.paint('help:', 'help')} {hint(group[0])}"


def _numbers(launches: Sequence[ProfiledLaunch]) -> str:
    first = ", ".join(str(launch.identity) for launch in launches[:6])
    more = f", … {launches[-1].identity}" if len(launches) > 6 else ""
    return f"{'launch' if len(launches) == 1 else 'launches'} {first}{more}"


def _analysed(one: AnalysedKernel) -> str:
    return f"{words.kernel(one.kernel)} ({os.path.basename(one.file.path)}), {words.launch(one.kernel.launch)}"
