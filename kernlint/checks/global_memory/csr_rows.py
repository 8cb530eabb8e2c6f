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
from kernlint.model.facts import Access, Branch, File, Kernel
from kernlint.model.finding import Finding, Metrics

_HEAD = re.compile(
    r"for\s*\((?P<start>[^;]*);[^;]*;\s*(?:(?P<a>\w+)\s*\+\+|\+\+\s*(?P<b>\w+)|(?P<c>\w+)\s*\+=\s*1)\s*\)"
)
_CHANGED = r"\b{0}\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)|\b{0}\s*(?:\+\+|--)|(?:\+\+|--)\s*{0}\b"
ITS_OWN = 2  # changes of a counter in its loop: the start and the step


def own_runs(group: Group, rule: Rule) -> Iterator[Finding]:
    """Of each kernel and loop one finding, at the first access of the runs."""
    found: dict[tuple[object, ...], list[tuple[Kernel, Access, Branch]]] = {}
    for kernel in group.kernels:
        for access in kernel.accesses:
            loop = loop_of(access, kernel, group.file)
            if loop is not None:
                found.setdefault((loop.span, access.detail), []).append((kernel, access, loop))
    for hits in found.values():
        kernel, access, loop = hits[0]
        yield _finding(kernel, access, loop, [other for _, other, _ in hits[1:]], group, rule)


def loop_of(access: Access, kernel: Kernel, file: File) -> Branch | None:
    """The loop whose counter alone is the access's index and runs from one offset that the lane
    loads to the next; else None."""
    if (
        access.space != "global"
        or access.status != "unknown"
        or access.reason != "loaded-value"
        or not access.in_elements.symbol
    ):
        return None
    loop = next(
        (one for one in kernel.branches if one.kind == "for" and one.span == access.in_loop), None
    )
    if loop is None or not _counts_between(loop, access.in_elements.symbol, access.detail, file):
        return None
    first, behind = _load(access.detail, kernel), _load(loop.detail, kernel)
    return loop if first is not None and behind is not None and _is_next(first, behind) else None


def _counts_between(loop: Branch, counter: str, start: str, file: File) -> bool:
    """Whether the counter goes from `start` to what decides the loop's end, one by one."""
    head = _HEAD.fullmatch(context.head_text(loop.span, file))
    end = re.fullmatch(rf"{counter}\s*<\s*(.+)", loop.condition)
    if head is None or end is None or counter != (head["a"] or head["b"] or head["c"]):
        return False
    lines = file.text.split("\n")
    if (
        len(
            re.findall(
                _CHANGED.format(counter), "\n".join(lines[loop.span.line - 1 : loop.span.end_line])
            )
        )
        != ITS_OWN
    ):
        return False
    begin = re.search(rf"\b{counter}\s*=\s*([^,=]+)$", head["start"])
    text = "\n".join(lines[: loop.span.line])
    return begin is not None and _holds(begin[1], start, text) and _holds(end[1], loop.detail, text)


def _holds(expression: str, fact: str, text: str) -> bool:
    """Whether an expression is a fact's own, or a name that was last given it above."""
    if _bare(expression) == _bare(fact):
        return True
    given = (
        re.findall(rf"\b{re.escape(expression.strip())}\s*=\s*([^;,=]+)[;,]", text)
        if expression.strip().isidentifier()
        else []
    )
    return bool(given) and _bare(given[-1]) == _bare(fact)


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
    also = [f"the same holds for {', '.join(named)}"] if named else []
    return Finding(
        rule.code,
        rule.name,
        rule.severity,
        f"`{access.text}`: each lane walks a run of its own, from `{access.detail}` to `{loop.detail}`: {each} per lane and request "
        f"where runs have {apart} or more elements, {dense} or {dense + 1} for {lanes} lanes where each has one (unknown)",
        access.span,
        kernel=words.kernel(kernel),
        status="unknown",
        labels=context.labels(access, group.file),
        notes=(
            "a lane's run begins where that of the lane before ends: neighbouring lanes are as far apart as runs are long",
            "what else a sector holds serves the lane's next turns, as long as it stays in the cache",
            *also,
            f"launch: {words.launch(kernel.launch)}",
        ),
        help="where runs are long, let the lanes of a warp walk one run together (vector CSR: a warp per row): lane l takes element "
        f"`{access.detail} + l` and those {lanes} further on, and the lanes' results are added at the end, so that {lanes} lanes need "
        f"{dense} or {dense + 1} sectors; where runs have few elements, one lane per run is as good",
        metrics=Metrics(requests=access.requests, active_lanes=access.active_lanes),
    )
