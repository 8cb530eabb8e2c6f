"""Accesses of which data or an unknown decides, lane by lane, who takes part: `if (flag[i])`, `i >=
n - 1 - t`, a loop of unknown length.

How far apart the lanes are does not depend on who takes part, so such an access is judged by the
lanes that may. Goes in: an access as executed. Comes out: the same with the counts of all those
lanes. Never decides whether something is reported.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

from kernlint.base.dataclass import dataclass
from kernlint.base.latest import Latest
from kernlint.base.span import Span
from kernlint.checks import branch_paths, context
from kernlint.checks.context import Executed
from kernlint.model.facts import Access, Branch, Kernel
from kernlint.source_model import index_terms

SIDES = re.compile(r"(?P<one>[^=!<>]+)(?P<sign>[=!]=)(?P<other>[^=!<>]+)")
REMAINDER = re.compile(r"[\s(]*[A-Za-z_][\w.:]*\s*%[^\[]*")
PLAIN = re.compile(r"[\s(]*[A-Za-z_][\w.:]*(?:\s*[-+]\s*[\w.:]+)*[\s)]*")  # `i`, `n - 1`
NAME = re.compile(r"[A-Za-z_][\w.:]*")
NOWHERE = {"nullptr", "NULL"}  # what a pointer is compared with
NONE = re.compile(r"\S+ == 0")  # `pitch == 0`: every lane in the first row
WINNER = "atomic-result"  # what an atomic returned decides: usually one lane wins


def is_open(access: Access, kernel: Kernel) -> bool:
    """Whether an unknown decides which lanes take part, and more than one may."""
    return (
        access.conditional
        and access.parted
        and access.reason != WINNER
        and not _elected(access, kernel)
    )


def whole(entry: Executed) -> Executed:
    """With the counts of all lanes that may take part, where their distance is known; as it is
    elsewhere."""
    if (
        entry.compiled
        or entry.counts.mean_low >= entry.counts.mean
        or not is_open(entry.access, entry.kernel)
        or not _has_distance(entry.access, entry.kernel)
    ):
        return entry
    return _full(entry)


def updates_one_by_one(access: Access) -> bool:
    """Whether no lane of an atomic updates for all of the others, as the compiler may let it for
    integers at one address."""
    lanes = access.example.lanes if access.example is not None else ()
    words = {offset for offset in lanes if offset is not None}
    return len(words) > 1 or access.floating or access.hardware_op == "cas"


def crowded(entry: Executed) -> Executed:
    """Of an atomic whose lanes meet: with the counts of all lanes that may take part, where these
    are the same in every request; as it is elsewhere."""
    same = entry.counts.mean == entry.counts.max == entry.counts.mean_high
    if not (same and is_open(entry.access, entry.kernel) and updates_one_by_one(entry.access)):
        return entry
    return _full(entry)


def _full(entry: Executed) -> Executed:
    """With the count of all lanes; where a row length decides it too, the least that any length but
    0 gives remains the lower bound, the worst request the upper one."""
    mean, high = entry.counts.mean, min(entry.counts.mean_high, float(entry.counts.max))
    outcomes = (case.most for case in entry.access.cases if not NONE.fullmatch(case.condition))
    low = min((mean, *outcomes))
    return replace(
        entry, counts=replace(entry.counts, mean_low=low, mean_high=max(mean, high)), partial=True
    )


def _has_distance(access: Access, kernel: Kernel) -> bool:
    """Between neighbouring lanes: a number, be it within rows of the block alone, or a size."""
    stride = context.lane_stride(access) or index_terms.is_linear(access, kernel)
    return bool(stride or index_terms.spacing(access, kernel))


@dataclass(frozen=True, slots=True)
class _Elections:
    """The places of the branches of a kernel that choose a lane by its number: with `==` for what
    they contain, the outermost ones in order, with `!=` for the rest."""

    inside: Sequence[Span]
    others: Sequence[Span]


def _elected(access: Access, kernel: Kernel) -> bool:
    """Whether one lane is chosen by its number: `if (i == last)` around it, `if (i != last) return`
    before it."""
    elections = _elections(kernel)
    spans = (access.span, *access.calls)
    return any(_around(elections.inside, span) for span in spans) or any(
        not any(branch_paths.within(span, other) or _is_before(span, other) for span in spans)
        for other in elections.others
    )


def _is_before(span: Span, other: Span) -> bool:
    return span.path == other.path and _start(span) < _start(other)


def _around(some: Sequence[Span], inner: Span) -> bool:
    at = bisect_right(some, (inner.path, inner.line, inner.column), key=_start) - 1
    return at >= 0 and branch_paths.within(inner, some[at])


def _start(span: Span) -> tuple[str, int, int]:
    return span.path, span.line, span.column


def _elections_of(kernel: Kernel) -> _Elections:
    inside: list[Span] = []
    others: list[Span] = []
    for branch in sorted(kernel.branches, key=lambda branch: _start(branch.span)):
        signs = _signs(branch, kernel)
        if "==" in signs and not (inside and branch_paths.within(branch.span, inside[-1])):
            inside.append(branch.span)
        if "!=" in signs:
            others.append(branch.span)
    return _Elections(inside, others)


_elections = Latest(_elections_of)


def _signs(branch: Branch, kernel: Kernel) -> set[str]:
    """Those by which a part of its condition chooses a lane by its number."""
    decided = branch.counted is not None and branch.counted.divergent is not None
    if decided or not ("==" in branch.condition or "!=" in branch.condition):
        return set()
    condition = _without_uniform_loads(branch.condition, kernel)
    parts = (SIDES.fullmatch(part) for part in re.split(r"&&|\|\|", condition))
    found = (part for part in parts if part is not None)
    same = {parameter.name for parameter in kernel.parameters} | NOWHERE
    return {
        part["sign"]
        for part in found
        if _by_number(part["one"], part["other"])
        and not same.issuperset(NAME.findall(f"{part['one']} {part['other']}"))
    }


def _by_number(one: str, other: str) -> bool:
    """Whether the lane's number decides, or its remainder (`i % n == 0`)."""
    if REMAINDER.fullmatch(one) or REMAINDER.fullmatch(other):
        return True
    return PLAIN.fullmatch(one) is not None and PLAIN.fullmatch(other) is not None


_loads = Latest(lambda kernel: {access.text for access in kernel.accesses if access.op == "load"})


def _without_uniform_loads(condition: str, kernel: Kernel) -> str:
    """With a name in the place of each element that all lanes read as one."""
    for text in {text for text in _loads(kernel) if text in condition}:
        if index_terms.read_as_one(text, kernel):
            condition = condition.replace(text, "uniform")
    return condition
