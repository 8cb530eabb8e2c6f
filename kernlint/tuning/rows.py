"""Whether the columns of an array stay within their rows: only then may rows get longer, or columns
change places.

Goes in: an array, the file it is in. Comes out: "" or the reason, for the launches known. The array
is analysed once more as one row of which each use takes its column alone; how far the engine sees
lanes reach in it decides. What data may do counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from kernlint.base import deadline
from kernlint.base.dataclass import dataclass
from kernlint.checks.words import size
from kernlint.execution.measured import Measured
from kernlint.ir import nodes as ir
from kernlint.memo.protocol import Asked, Hosted, Nothing, Outcome, takes_lambda
from kernlint.model import facts
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source import files
from kernlint.source.edits import applied
from kernlint.source_model.rewritable import CHANGING
from kernlint.tuning.addresses import is_declared, lost, other_use
from kernlint.tuning.arrays import TunedArray

ANYWHERE = 1 << 30  # bytes: a column so far off is any number of its type
OVERLAPPING = "it is used within its own subscripts"
NO_TIME = f"the time limit ended before its columns were shown to stay within their rows ({deadline.MORE})"


@dataclass(frozen=True, slots=True)
class AnalysedSource:
    """A source's facts; what the estimate of each kernel launch was made of, by its place in the
    file's kernels; which launches its host code makes, for each program in it. `kernels`: the names
    of those that were asked for, None for all."""

    file: facts.File
    measured: Mapping[int, Measured]
    hosted: tuple[Hosted, ...]
    kernels: frozenset[str] | None = None


class _Keeping(Nothing):
    """Asked before each kernel's work, keeps what it measured; leaves out kernels that were not
    asked for, and takes launches in host code from before where they are known."""

    def __init__(self, kernels: frozenset[str] | None, hosted: Sequence[Hosted]) -> None:
        self.found: list[Measured | None] = []
        self.hosted: list[Hosted] = []
        self._kernels, self._known = kernels, hosted

    def at(
        self, path: str, text: str, prepared: object, unit: object, constants: object
    ) -> _Keeping:
        return self

    def host(self, said: str, work: Callable[[], Hosted]) -> Hosted:
        place = len(self.hosted)
        known = self._known[place] if place < len(self._known) else None
        lasts = known is not None and not takes_lambda(reached.launch for reached in known.launches)
        self.hosted.append(known if known is not None and lasts else work())
        return self.hosted[-1]

    def begins(self, asked: Asked) -> bool:
        return (
            self._kernels is None
            or (asked.kernel.qualified_name or asked.kernel.name) in self._kernels
        )

    def kernel(self, asked: Asked, work: Callable[[], Outcome]) -> Outcome:
        if not self.begins(asked):
            return Outcome((), (), ())
        outcome = work()
        self.found += [result.measured for result in outcome.results]
        return outcome


def analysed(
    source: files.Source,
    settings: Settings,
    kernels: frozenset[str] | None = None,
    hosted: Sequence[Hosted] = (),
) -> AnalysedSource:
    """`kernels`: the names of those that matter, None for all. `hosted`: the launches of its host
    code, where they are known."""
    keeping = _Keeping(kernels, hosted)
    file = engine.analyse_source(source, settings, keeping)
    by_place: dict[int, Measured] = {}
    if len(keeping.found) == len(file.kernels):
        by_place = {i: m for i, m in enumerate(keeping.found) if m is not None}
    return AnalysedSource(file, by_place, tuple(keeping.hosted), kernels)


def is_stopped(some: AnalysedSource, count: int) -> bool:
    """Whether the clock took some of `count` kernels."""
    return some.file.unfinished and len(some.file.kernels) < count


def only(some: AnalysedSource, kernels: frozenset[str]) -> AnalysedSource:
    """The part of an analysis that is about some kernels."""
    kept = [
        i
        for i, kernel in enumerate(some.file.kernels)
        if (kernel.qualified_name or kernel.name) in kernels
    ]
    measured = {place: some.measured[i] for place, i in enumerate(kept) if i in some.measured}
    return AnalysedSource(
        replace(some.file, kernels=tuple(some.file.kernels[i] for i in kept)),
        measured,
        some.hosted,
        kernels,
    )


def leaves_row(
    array: TunedArray, before: AnalysedSource, source: files.Source, settings: Settings
) -> str:
    """Why some use may take its column from another row; "" where every column of every launch
    stays within its row. `before`: the source as it is, with all kernels that access the array."""
    reason = indistinct(array, before)
    if reason or isinstance(array.rows, str):
        return reason
    text = applied(source.text or "", array.rows.alone)
    if text is None:
        return OVERLAPPING
    probe = replace(source, text=text)
    probed = analysed(probe, settings, before.kernels, before.hosted)
    if is_other(probed, before):
        probed = analysed(probe, settings, before.kernels)
    return leaves(array, before, probed)


def indistinct(array: TunedArray, before: AnalysedSource) -> str:
    """Why its columns cannot be told from its rows; "" where an analysis of the columns alone
    (`Rows.alone`) decides."""
    file, own = before.file, array.rows
    if isinstance(own, str):
        return own
    known = [some for place, some in before.measured.items() if place < len(file.kernels)]
    for some in known:
        sliced = {(o.name, o.span) for o in some.analysis.slice.objects}
        if (array.name, array.span) in sliced:
            return f"what is loaded from `{array.name}` decides addresses: columns and rows cannot be distinguished"
    for subscript in own.of_row:
        changing = next((token.text for token in subscript.tokens if token.text in CHANGING), "")
        if changing:
            return f"its index on line {subscript.span.line} contains `{changing}`, without which its columns cannot be determined"
    return ""


def is_other(probed: AnalysedSource, before: AnalysedSource) -> bool:
    """Whether the columns alone have other launches: not every template argument can be told by its
    text, and host code must be followed again."""
    return len(probed.file.kernels) != len(before.file.kernels) and not probed.file.unfinished


def leaves(array: TunedArray, before: AnalysedSource, probed: AnalysedSource) -> str:
    """`probed`: the source with an array of one row, whose uses have their column alone."""
    count = len(before.file.kernels)
    if is_stopped(probed, count):
        return NO_TIME
    if len(probed.file.kernels) != count or len(probed.measured) != count:
        return "its columns could not be followed"
    for place, some in probed.measured.items():
        launch = probed.file.kernels[place].launch
        assumed = (
            f" with the assumed block of {size(launch.block)} (give --block)"
            if launch.block_assumed
            else ""
        )
        for object_ in some.kernel.objects:
            if is_declared(object_, array.name, array.span.line):
                reason = other_use(some.kernel, object_) or _leaves(some, object_, assumed)
                if reason:
                    return reason
    return ""


def _leaves(some: Measured, row: ir.MemoryObject, assumed: str) -> str:
    """Why some access at the address of an array that is one row may leave it."""
    anywhere = lost(some, row)
    if anywhere is not None:
        return f"the address of the access on line {anywhere} could not be followed"
    element = getattr(row.type, "element", row.type).size or 1
    whole = (row.size or 0) // element
    for (site, object_), reach in some.reached.items():
        if object_ is not row:
            continue
        use = f"the column on line {site.span.line}"
        if reach is None or reach[1] - reach[0] > ANYWHERE or not site.pieces:
            return f"{use} cannot be shown to stay within its row of {whole} elements"
        if reach[0] < 0 or reach[1] >= whole * element:
            last = reach[1] // element
            return f"{use} may reach element {last if last >= whole else reach[0] // element} of a row of {whole}{assumed}"
    return ""
