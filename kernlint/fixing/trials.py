"""Analyses of a file with edits around its arrays.

Goes in: edits around one array each, a source. Comes out: the facts of the kernels that access the
array, with its edits made. Edits inside different kernels do not affect each other, so that they
share one analysis: a file of many kernels is not read once for each of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from kernlint.base.dataclass import dataclass
from kernlint.base.span import Span
from kernlint.memo.protocol import Hosted
from kernlint.model import facts
from kernlint.model.finding import Edit
from kernlint.model.settings import Settings
from kernlint.source import files
from kernlint.source.edits import applied
from kernlint.tuning.rows import AnalysedSource, analysed, only


@dataclass(frozen=True, slots=True)
class Trial:
    """`kernels`: the names of those that access the array; `definitions`: where they stand."""

    edits: tuple[Edit, ...]
    kernels: frozenset[str]
    definitions: frozenset[Span]

    @property
    def is_inside(self) -> bool:
        """Whether nothing but these kernels can see the edits."""
        return all(any(_contains(own, e.span) for own in self.definitions) for e in self.edits)


def trial(edits: Iterable[Edit], before: AnalysedSource) -> Trial:
    """`before`: the analysis of the kernels that access the array."""
    own = before.file.kernels
    return Trial(
        tuple(edits),
        frozenset(kernel.qualified_name or kernel.name for kernel in own),
        frozenset(kernel.span for kernel in own),
    )


def tried(
    trials: Sequence[Trial],
    source: files.Source,
    settings: Settings,
    hosted: Sequence[Hosted],
) -> list[AnalysedSource | None]:
    """What each makes of its kernels; None where its edits touch one place."""
    found: dict[int, AnalysedSource | None] = {}
    for group in _groups(trials):
        edits = (edit for place in group for edit in trials[place].edits)
        text = applied(source.text or "", edits)
        if text is None:
            found.update(dict.fromkeys(group))
            continue
        names = frozenset[str]().union(*(trials[place].kernels for place in group))
        made = analysed(replace(source, text=text), settings, names, hosted)
        for place in group:
            found[place] = made if len(group) == 1 else only(made, trials[place].kernels)
    return [found[place] for place in range(len(trials))]


def _groups(trials: Sequence[Trial]) -> list[list[int]]:
    """Trials that can be made at once, as places."""
    shared: list[list[int]] = []
    taken: list[set[str]] = []
    alone: list[list[int]] = []
    for place, one in enumerate(trials):
        if not one.is_inside or _touches_itself(one):
            alone.append([place])
            continue
        free = next((i for i, names in enumerate(taken) if names.isdisjoint(one.kernels)), None)
        if free is None:
            shared.append([place])
            taken.append(set(one.kernels))
        else:
            shared[free].append(place)
            taken[free] |= one.kernels
    return [*shared, *alone]


def _touches_itself(one: Trial) -> bool:
    in_order = sorted(one.edits, key=lambda edit: _start(edit.span))
    return any(_start(b.span) < _end(a.span) for a, b in pairwise(in_order))


def _start(span: Span) -> tuple[int, int]:
    return span.line, span.column


def _end(span: Span) -> tuple[int, int]:
    return span.end_line, span.end_column


def _contains(outer: Span, inner: Span) -> bool:
    return (
        outer.path == inner.path and _start(outer) <= _start(inner) and _end(inner) <= _end(outer)
    )


def kernels_of(file: facts.File) -> dict[tuple[str, Span | None], frozenset[str]]:
    """The names of the kernels that access each object, by the object's name and place."""
    found: dict[tuple[str, Span | None], set[str]] = {}
    for kernel in file.kernels:
        for access in kernel.accesses:
            found.setdefault((access.object, access.object_span), set()).add(
                kernel.qualified_name or kernel.name
            )
    return {key: frozenset(names) for key, names in found.items()}
