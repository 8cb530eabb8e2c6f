"""Runs of lanes: loops in which each lane walks the elements between two neighbouring offsets of an
array, as scalar CSR kernels do (`for (j = row[i]; j < row[i + 1]; j++) sum += val[j]`).

A lane's run begins where that of the lane before ends, so that neighbouring lanes are as far apart
as runs are long: what a request touches follows from their length alone. Goes in: facts. Comes out:
findings of KL203.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from kernlint.checks import context, words
from kernlint.checks.context import Group
from kernlint.checks.rules import Rule
from kernlint.model.facts import Access, Branch, Kernel
from kernlint.model.finding import Finding, Metrics
from kernlint.source_model.model import SourceModel

ITS_OWN = 2  # changes of a counter in its loop: the start and the step


def own_runs(group: Group, rule: Rule) -> Iterator[Finding]:
    """Of each kernel and loop one finding, at the first access of the runs."""
    found: dict[tuple[object, ...], list[tuple[Kernel, Access, Branch]]] = {}
    for kernel in group.kernels:
        for access in kernel.accesses:
            loop = loop_of(access, kernel, group.source)
            if loop is not None:
                found.setdefault((loop.span, access.detail), []).append((kernel, access, loop))
    for hits in found.values():
        kernel, access, loop = hits[0]
        yield _finding(kernel, access, loop, [other for _, other, _ in hits[1:]], group, rule)


def loop_of(access: Access, kernel: Kernel, source: SourceModel) -> Branch | None:
    """The loop whose counter alone is the access's index and runs from one offset that the lane
    loads to the next; else None."""
    if (access.space, access.status, access.reason) != ("global", "unknown", "loaded-value"):
        return None
    counter = access.in_elements.symbol
    loop = next(
        (one for one in kernel.branches if one.kind == "for" and one.span == access.in_loop), None
    )
    if not counter or loop is None or not _counts_between(loop, counter, access.detail, source):
        return None
    first, behind = _load(access.detail, kernel), _load(loop.detail, kernel)
    return loop if first is not None and behind is not None and _is_next(first, behind) else None


def _counts_between(loop: Branch, counter: str, start: str, source: SourceModel) -> bool:
    """Whether the counter goes from `start` to what decides the loop's end, one by one."""
    head, end = source.loop_head(loop.span), re.fullmatch(rf"{counter}\s*<\s*(.+)", loop.condition)
    if head is None or end is None or head.steps != ((counter, 1),):
        return False
    if source.changes(counter, loop.span) != ITS_OWN or head.begin[0] != counter:
        return False
    return all(
        _bare(fact) in (value, source.given(value, loop.span))
        for value, fact in ((head.begin[1], start), (_bare(end[1]), loop.detail))
    )


def _bare(expression: str) -> str:
    return re.sub(r"\s", "", expression)


def _load(fact: str, kernel: Kernel) -> Access | None:
    """The load of a deciding fact where neighbouring lanes read neighbouring elements."""
    loads = (a for a in kernel.accesses if a.op == "load" and _bare(a.text) == _bare(fact))
    return next((a for a in loads if context.lane_stride(a) == a.bytes == a.element_bytes), None)


def _is_next(first: Access, behind: Access) -> bool:
    """Whether each lane loads there the element after its own: that of the next lane."""
    if first.object != behind.object or first.example is None or behind.example is None:
        return False
    pairs = zip(first.example.lanes, behind.example.lanes, strict=False)
    both = [(a, b) for a, b in pairs if a is not None and b is not None]
    return (
        first.example.block == behind.example.block
        and bool(both)
        and all(b - a == first.bytes for a, b in both)
    )


def _finding(
    kernel: Kernel, access: Access, loop: Branch, others: list[Access], group: Group, rule: Rule
) -> Finding:
    lanes, sector = group.device.warp_lanes, group.device.sector_bytes
    apart, dense = -(-sector // access.bytes), -(-lanes * access.bytes // sector)
    each = (
        "a sector"
        if access.bytes <= sector
        else words.counted(-(-access.bytes // sector), "sector")
    )
    named = dict.fromkeys(f"`{other.text}`" for other in others if other.text != access.text)
    also = [f"also affects {', '.join(named)}"] if named else []
    return Finding(
        rule.code,
        rule.name,
        "warning",
        f"`{access.text}`: each lane walks its own run, from `{access.detail}` to `{loop.detail}`: "
        f"up to {lanes * -(-access.bytes // sector)} sectors per request instead of {dense} or {dense + 1} (unknown)",
        access.span,
        kernel=words.kernel(kernel),
        status="unknown",
        labels=context.labels(access, group.file),
        notes=(
            f"{each} per lane and request if runs have {apart} or more elements, {dense} or {dense + 1} sectors for {lanes} lanes if each "
            "has one: neighbouring lanes are one run apart",
            "the rest of a sector serves the lane's next iterations while it stays in the cache",
            *also,
            f"launch: {words.launch(kernel.launch)}",
        ),
        help="if runs are long, let the lanes of a warp walk one run together (vector CSR, a warp per row): lane l starts at "
        f"`{access.detail} + l`, steps by {lanes}, and the warp reduces the results at the end; a request then needs "
        f"{dense} or {dense + 1} sectors. For short runs one lane per run is as good",
        metrics=Metrics(requests=access.requests, active_lanes=access.active_lanes),
    )
