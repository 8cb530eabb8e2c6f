"""Whether the columns of an array stay within their rows: only then may rows get longer, or columns change places.

Goes in: an array, the file it is in. Comes out: "" or the reason, for the launches known. The array is analysed once more as one row of
which each use takes its column alone; how far the engine sees lanes reach in it decides. What data may do counts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from kernlint import engine, facts, files
from kernlint.estimate.measured import Measured
from kernlint.recalling import Asked, Nothing, Outcome
from kernlint.settings import Settings
from kernlint.tuning.arrays import Array, probe

ANYWHERE = 1 << 30  # bytes: a column so far off is any number of its type


class _Keeping(Nothing):
    """Asked before each kernel's work, keeps what it measured."""

    def __init__(self) -> None:
        self.found: list[Measured | None] = []

    def at(self, path: str, text: str, prepared: object, unit: object, constants: object) -> _Keeping:
        return self

    def kernel(self, asked: Asked, work: Callable[[], Outcome]) -> Outcome:
        outcome = work()
        self.found += [result.measured for result in outcome.results]
        return outcome


def analysed(source: files.Source, settings: Settings) -> tuple[facts.File, Mapping[int, Measured]]:
    """The facts, and what the estimate of each kernel launch was made of, by its place in the file's kernels."""
    keeping = _Keeping()
    file = engine.analyse_source(source, settings, keeping)
    by_place: dict[int, Measured] = {}
    if len(keeping.found) == len(file.kernels):
        by_place = {i: m for i, m in enumerate(keeping.found) if m is not None}
    return file, by_place


def leaves_row(array: Array, file: facts.File, source: files.Source, settings: Settings, measured: Mapping[int, Measured]) -> str:
    """Why some use may take its column from another row; "" where every column of every launch stays within its row."""
    for place, some in measured.items():
        if any((o.name, o.span) == (array.name, array.span) for o in some.analysis.slice.objects) and place < len(file.kernels):
            return f"what is loaded from `{array.name}` decides addresses: columns cannot be told apart from rows"
    text = probe(array, source.text or "")
    if text is None:
        return "uses of it stand within its own subscripts"
    probed, seen = analysed(replace(source, text=text), settings)
    if len(probed.kernels) != len(file.kernels) or len(seen) != len(probed.kernels):
        return "its columns could not be followed"
    limit = array.row * array.element_bytes
    for some in seen.values():
        for (site, object_), reach in some.reached.items():
            if object_.name != array.name or object_.span is None or object_.span.line != array.span.line:
                continue
            use = f"the column on line {site.span.line}"
            if reach is None or reach[1] - reach[0] > ANYWHERE:
                return f"{use} cannot be shown to stay within its row of {array.row} elements"
            if reach[0] < 0 or reach[1] >= limit:
                last = reach[1] // array.element_bytes
                return f"{use} may reach element {last if last >= array.row else reach[0] // array.element_bytes} of a row of {array.row}"
    return ""
