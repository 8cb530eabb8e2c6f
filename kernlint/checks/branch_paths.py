"""What the sides of an `if` or the cases of a `switch` do, and whether it is more than a compiler
turns into selects.

Goes in: a branch, the facts of its kernel, the model of the source. Comes out: its paths with the accesses,
loops and calls in each. Never decides whether a branch is reported.

nvcc 13 for sm_90 emits no branch, but selects and predicated instructions, where the paths only
compute, also where each path loads and stores the same places (`x[i] *= 0.5f` in one case, `x[i] *=
0.25f` in the other); it branches where the paths access different places, loop, or call functions
that are not a few instructions (sinf, powf).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from functools import cache
from typing import Generic, TypeVar

from kernlint.base.dataclass import dataclass
from kernlint.base.latest import Latest
from kernlint.base.span import Span
from kernlint.ir.functions import functions
from kernlint.model.facts import LOOPS, Access, Branch, Kernel
from kernlint.source_model.model import SourceModel

T = TypeVar("T")
# Keywords and functions of a few instructions: casts, bounds, packing; others are `cheap` in
# ir/functions.toml.
CHEAP = re.compile(
    r"(if|for|while|switch|return|sizeof|alignof|decltype|(static|const|reinterpret|dynamic)_cast|static_assert|assert"
    r"|f?(min|max|abs)f?|__saturatef|__f?mul\w*|__float\w*|__int\w*|__half\w*|__low\w*|__high\w*|convert_\w+|as_\w+|make_\w+"
    r"|(u?(char|short|int|long)|float|double|half|bool|size_t|unsigned|u?int\d+_t)\d{0,2}|native_\w+|__f(add|sub|div|mul)\w*|__ldg)"
)
# Shuffles, votes and the like: one instruction of the lanes that take part together.
TOGETHER = re.compile(
    r"__(shfl|ballot|any|all|match|reduce|syncwarp|activemask)\w*|sub_group_\w+|intel_sub_group_\w+"
    r"|shfl(_up|_down|_xor)?|ballot|any|all|match_(any|all)"
)


@dataclass(frozen=True, slots=True)
class BranchPath:
    """One side: its accesses, whether it holds a loop, and the functions that it calls and that are
    not cheap."""

    accesses: tuple[Access, ...]
    loops: bool
    calls: frozenset[str]


def is_cheap(name: str) -> bool:
    """Whether what is called is a keyword or a function of a few instructions."""
    return name in _cheap_functions() or CHEAP.fullmatch(name) is not None


@cache
def _cheap_functions() -> frozenset[str]:
    rows = [row for row in functions().values() if row.cheap]
    return frozenset(
        [row.name for row in rows] + [f"{row.name}f" for row in rows if "f" in row.names]
    )


def paths(branch: Branch, kernel: Kernel, source: SourceModel) -> list[BranchPath]:
    """The sides of the branch in the order of the source; one path for the whole statement where its
    text is not at hand."""
    inside = accesses_inside(branch, kernel)
    loops = [b.span for b in _loops(kernel).inside(branch.span) if b.span != branch.span]
    found = []
    for side in source.sides(branch.span, branch.kind):
        own = tuple(
            a for a in inside if any(within(place, side.span) for place in (a.span, *a.calls))
        )
        calls = frozenset(name for name in side.calls if not is_cheap(name))
        found.append(BranchPath(own, any(within(loop, side.span) for loop in loops), calls))
    return found


def differing(found: list[BranchPath]) -> list[BranchPath]:
    """The paths without the accesses that all of several paths have in common: those are done once
    for all lanes."""
    if len(found) < 2:
        return found
    common = set.intersection(*({(a.text, a.op) for a in path.accesses} for path in found))
    return [
        BranchPath(
            tuple(a for a in path.accesses if (a.text, a.op) not in common), path.loops, path.calls
        )
        for path in found
    ]


def works(path: BranchPath) -> bool:
    """Whether a compiler needs a branch for it, or accesses memory with a part of the lanes."""
    return bool(path.accesses or path.loops or path.calls)


def cooperates(path: BranchPath) -> bool:
    """Whether its lanes only exchange values: what they do together, others could not do for
    them."""
    return (
        bool(path.calls)
        and not path.accesses
        and all(TOGETHER.fullmatch(name) for name in path.calls)
    )


class ByPlace(Generic[T]):
    """Things of one kernel by where they stand in the source: those within a statement are found
    without a look at all of them. `some`: things with their places, in order."""

    def __init__(self, some: Iterable[tuple[T, Iterable[Span]]]) -> None:
        self._things: list[T] = []
        self._begins: dict[str, list[tuple[int, int, int, int, int]]] = {}
        for number, (thing, spans) in enumerate(some):
            self._things.append(thing)
            for span in spans:
                place = (span.line, span.column, span.end_line, span.end_column, number)
                self._begins.setdefault(span.path, []).append(place)
        for places in self._begins.values():
            places.sort()

    def inside(self, outer: Span) -> list[T]:
        """In their order."""
        places = self._begins.get(outer.path, [])
        end = outer.end_line, outer.end_column
        first = bisect_left(places, (outer.line, outer.column, 0, 0, 0))
        last = bisect_right(places, (*end, *end, len(self._things)))
        found = {place[4] for place in places[first:last] if place[2:4] <= end}
        return [self._things[number] for number in sorted(found)]


_accesses = Latest(lambda kernel: ByPlace((a, (a.span, *a.calls)) for a in kernel.accesses))
_loops = Latest(lambda kernel: ByPlace((b, (b.span,)) for b in kernel.branches if b.kind in LOOPS))


def accesses_inside(branch: Branch, kernel: Kernel) -> list[Access]:
    """Accesses in the branch's statement after its head; those in called functions count through
    their call."""
    return [a for a in _accesses(kernel).inside(branch.span) if not _in_head(a, branch)]


def _in_head(access: Access, branch: Branch) -> bool:
    return access.text in branch.condition and access.span.line == branch.span.line


def within(inner: Span, outer: Span) -> bool:
    if inner.path != outer.path:
        return False
    start, end = (outer.line, outer.column), (outer.end_line, outer.end_column)
    return start <= (inner.line, inner.column) and (inner.end_line, inner.end_column) <= end
