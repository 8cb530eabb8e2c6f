"""Why a line's numbers differ, or are no better than they are, in words.

Goes in: the judged rows of one launch. Comes out: the rows with `why`. Decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from kernlint.checks import words
from kernlint.comparison.judging import PredictedAccess, Row, close
from kernlint.comparison.matching import Candidates
from kernlint.comparison.names import parse

UNITS = {"shared": "wavefronts", "global": "sectors", "local": "sectors"}


def explain(
    rows: Sequence[Row], accesses: Sequence[PredictedAccess], source: str
) -> tuple[Row, ...]:
    """`accesses`: all of the kernel's; `source`: the file it stands in."""
    sources = {source, *(one.path for one in accesses)}
    return tuple(
        replace(row, why=tuple(dict.fromkeys(_why(row, rows, accesses, sources)))) for row in rows
    )


def _why(
    row: Row, rows: Sequence[Row], accesses: Sequence[PredictedAccess], sources: set[str]
) -> Iterator[str]:
    if row.verdict == "missing":
        yield from _missing(row, rows, accesses, sources)
    elif row.verdict == "invented":
        yield from _invented(row, rows)
    else:
        if row.verdict == "wrong":
            yield from _wrong(row)
        if row.verdict == "partial" and row.exact:
            yield "more was counted than the accesses reported here explain: others, which kernlint does not know, may be the reason"
        if row.verdict in ("inside", "vague"):
            yield from _bounds(row)
        if row.verdict == "agrees":
            yield from _predicated(row)
            yield from _lanes(row)
        for one in row.accesses:
            yield from _access(one, row.verdict)


def hint(one: Candidates) -> str:
    """What brings a profiled launch that has no counterpart into the comparison; "" where nothing
    does."""
    launch = one.launch
    if not one.nearest:
        return ""
    if launch.grid is None or launch.block is None:
        return "add the raw page of the same profile (--ncu raw.csv): it tells grid and block"
    shape = f"grid={words.size(launch.grid)}, block={words.size(launch.block)}"
    name = parse(launch.name)
    arguments = f"<{', '.join(name.written)}>" if name.written else ""
    return f"say so in the source: `// kernlint: launch(kernel={name.plain}{arguments}, {shape})`"


def _bounds(row: Row) -> Iterator[str]:
    """What was counted, and the stated bounds that hold it; how many requests these were."""
    within, unit = row.within, UNITS[row.space]
    if within is None:
        yield "how many requests there are is not certain: nothing was stated that what was counted could contradict"
    else:
        each = "in all" if within.in_all else "per request"
        low, high = words.mean(within.low), words.mean(within.high)
        stated = "as stated" if low == high else f"inside the stated range, {low} to {high}"
        yield f"{words.mean(within.measured)} {unit} {each} counted, {stated}"
    yield from _requests(row)


def _requests(row: Row) -> Iterator[str]:
    measured, predicted = row.requests.measured, row.requests.predicted
    if predicted is not None and measured is not None and not close(predicted, measured):
        yield f"{words.count(round(measured))} requests counted where {words.count(round(predicted))} were predicted"


def _predicated(row: Row) -> Iterator[str]:
    """Why requests differ where the totals agree."""
    requests, measured = row.requests, row.measured
    if (
        measured is None
        or not measured.predicated
        or requests.predicted is None
        or requests.measured is None
    ):
        return
    if not close(requests.predicted, requests.measured):
        yield "predicated instructions: the profiler counts requests of warps without an active lane too, the prediction does not"


def _lanes(row: Row) -> Iterator[str]:
    """Where an exact claim's counts per request agree but its lanes do not: there were more or
    fewer such requests."""
    if (
        not row.exact
        or row.lanes.predicted is None
        or row.requests.predicted is None
        or row.measured is None
        or row.measured.threads is None
    ):
        return
    predicted = row.lanes.predicted * row.requests.predicted
    if not close(predicted, row.measured.threads):
        yield f"{words.count(row.measured.threads)} lanes counted in all where {words.count(round(predicted))} were predicted"


def _wrong(row: Row) -> Iterator[str]:
    conditions = list(
        dict.fromkeys(
            text for one in row.accesses if not one.exact for text in one.access.assumptions
        )
    )
    given = f", which holds for: {'; '.join(conditions)}" if conditions else " given"
    yield (
        "called exact, but counted otherwise" if row.exact else f"counted outside the range{given}"
    )
    requests, counts, measured = row.requests, row.counts, row.measured
    differ = (
        requests.predicted is not None
        and requests.measured is not None
        and not close(requests.predicted, requests.measured)
    )
    if differ:
        yield from _requests(row)
    elif counts.measured is not None:
        yield f"each request takes another number of {UNITS[row.space]} than predicted"
    widths = sorted({one.bits for one in row.accesses})
    if measured is not None and measured.bits and list(measured.bits) != widths:
        yield f"the machine's instructions are {_bits(measured.bits)} wide, predicted were {_bits(widths)}: nvcc merged or split accesses"
    if measured is not None and measured.predicated and differ:
        yield "instructions carry a predicate: the profiler also counts warps in which no lane was active"


def _access(one: PredictedAccess, verdict: str) -> Iterator[str]:
    access = one.access
    if (not one.exact and verdict != "agrees") or verdict == "wrong":
        reason = words.why(access)
        if reason:
            yield f"`{_short(access.text)}`: {reason}"
    if verdict == "wrong":
        if one.exact:
            yield from words.assuming(access.assumptions)
        if access.calls:
            yield f"`{_short(access.text)}` is in an inlined function, whose first accesses nvcc may charge to the call"
    if access.as_compiled is not None and access.as_compiled.reason:
        yield f"`{_short(access.text)}` as compiled: {access.as_compiled.reason}, {one.bits}-bit accesses"
    if access.conditional and verdict != "agrees":
        yield f"whether `{_short(access.text)}` executes depends on data"


def _missing(
    row: Row, rows: Sequence[Row], accesses: Sequence[PredictedAccess], sources: set[str]
) -> Iterator[str]:
    if row.path and row.path not in sources:
        yield "the file is not among those analysed"
        return
    if row.space == "local":
        yield "no local access in the source: nvcc spills registers here, or passes an argument through the stack"
        return
    unsure = [
        one.access
        for one in accesses
        if one.access.op == row.op
        and row.line in (one.line, 0)
        and not one.exact
        and words.why(one.access)
    ]
    if unsure:
        yield f"it may be `{_short(unsure[0].text)}`, taken here for {unsure[0].space} memory's: {words.why(unsure[0])}"
        return
    elsewhere = [
        other
        for other in rows
        if other.verdict == "invented" and (other.space, other.op) == (row.space, row.op)
    ]
    if elsewhere:
        yield f"kernlint expects a {row.space} {row.op} on {_lines(elsewhere)}: nvcc charges it to another line"
    else:
        yield f"kernlint reports no {row.space} {row.op} here that executes"


def _invented(row: Row, rows: Sequence[Row]) -> Iterator[str]:
    yield "called exact, but the profiler counted no such instruction here"
    elsewhere = [
        other
        for other in rows
        if other.verdict == "missing" and (other.space, other.op) == (row.space, row.op)
    ]
    if elsewhere:
        yield f"it counted one on {_lines(elsewhere)}"
    for one in row.accesses:
        yield from _access(one, "wrong")


def _lines(rows: Sequence[Row]) -> str:
    return "line " + ", ".join(str(row.line) for row in rows)


def _bits(widths: Sequence[int]) -> str:
    return " and ".join(map(str, widths)) + " bits"


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 40 else flat[:39] + "…"
