"""KL203, gathers and scatters: global accesses whose addresses are read from memory. Goes in:
facts. Comes out: findings."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial

from kernlint.base.dataclass import dataclass
from kernlint.checks import context, words
from kernlint.checks.by_line import in_parts
from kernlint.checks.context import Group
from kernlint.checks.global_memory import csr_rows
from kernlint.checks.rules import Rule
from kernlint.hardware import Device
from kernlint.model.facts import Access, Kernel
from kernlint.model.finding import Finding, Metrics
from kernlint.source_model import index_terms

KINDS = {"load": "gather", "store": "scatter", "atomic": "scatter", "copy": "scatter"}
ROW_BY_ROW = "each lane accesses a different row, whatever the data"
OWN_ROWS = (
    "reordering the data does not help: if a warp can work on one row at a time, let its lanes access neighbouring elements; "
    "with rows stored as columns, neighbouring lanes that choose the same element number share sectors"
)
ORDER = (
    "if a profiler shows many sectors per request on this line, order the data so that a warp's indices lie together (sort, bin, "
    "renumber once), or keep a small table in shared memory"
)
Hit = tuple[Kernel, Access]
TOLD = 8  # others of a kernel that are told one by one


@dataclass(frozen=True, slots=True)
class Gather:
    """Accesses of one kernel to one array by one deciding fact: the first of them, and between what
    numbers it lies."""

    kernel: Kernel
    access: Access
    others: int
    kind: str
    least: int
    dense: int
    most: int
    row: str  # elements from the row of a lane to its neighbour's, where each lane has its own

    @property
    def spread(self) -> str:
        unit = "serial updates" if self.access.op == "atomic" else "sectors"
        if self.row:
            rows = (
                "" if self.row.isdigit() else f" if a row of `{self.row}` elements fills a sector"
            )
            return f"{self.most} {unit} per request{rows}"
        return f"between {self.least} and {self.most} {unit} per request"

    @property
    def by(self) -> str:
        """gather through `col[i]`: what it is and what decides."""
        return (
            f"one element of each lane's own row, chosen by `{self.access.detail}`"
            if self.row
            else f"{self.kind} through `{self.access.detail}`"
        )

    @property
    def at_stake(self) -> float:
        """Sectors or serial updates over the launch that the data may cost."""
        return 0 if self.row else (self.most - self.dense) * (self.access.requests or 1)


def decided_by_data(access: Access, kernel: Kernel) -> bool:
    """Whether the lanes' addresses come from an array's contents: a gather, or a scatter. A pointer
    that is itself held in memory (a plain name as the deciding fact), and an array of the thread's
    own, are another matter."""
    return access.status == "unknown" and chosen_by_data(access, kernel)


def chosen_by_data(access: Access, kernel: Kernel) -> bool:
    """The same, also where the index is so bounded that the number of sectors is."""
    if access.space != "global" or access.reason != "loaded-value" or not access.object:
        return False
    array, bracket, _ = access.detail.partition("[")
    if not bracket or (access.index and access.detail not in access.index):
        return False
    return not any(other.space == "local" and other.object == array for other in kernel.accesses)


def unpredictable_global_access(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL203: of each kernel one finding, at the access with the most at stake; by array and
    deciding fact the others are noted. Loops in which each lane walks a run of its own are told
    apart."""
    yield from csr_rows.own_runs(group, rule)
    hits = [
        (kernel, access)
        for kernel in group.kernels
        for access in kernel.accesses
        if decided_by_data(access, kernel)
        and (access.active_lanes is None or access.active_lanes > rule.threshold("minimum_lanes"))
    ]
    hits = [
        hit
        for alike in _by_decision(hits)
        if not _within_few_sectors(alike[0][1], group.device, rule)
        for hit in alike
    ]
    if hits:
        build = partial(_described, group=group, rule=rule)
        yield in_parts(hits, lambda hit: hit[1].span, build)


def _by_decision(hits: Sequence[Hit]) -> list[list[Hit]]:
    """One list per array and deciding fact."""
    found: dict[tuple[object, ...], list[Hit]] = {}
    for kernel, access in hits:
        key = (access.span.path, access.object, access.detail, access.op == "atomic")
        found.setdefault(key, []).append((kernel, access))
    return list(found.values())


def _described(hits: Sequence[Hit], group: Group, rule: Rule) -> Finding:
    some = [_gather(alike, group.device) for alike in _by_decision(hits)]
    return _finding(max(some, key=lambda one: one.at_stake), some, group, rule)


def _gather(hits: Sequence[Hit], device: Device) -> Gather:
    kernel, access = hits[0]
    lanes = device.warp_lanes if access.active_lanes is None else math.ceil(access.active_lanes)
    dense, most = _bounds(access, lanes, device)
    least = dense if access.op == "atomic" else -(-access.bytes // device.sector_bytes)
    own = context.beside(access, (a for _, a in hits))
    kind = " and ".join(KINDS[op] for op in sorted({a.op for a in own}))
    row = (
        ""
        if access.op == "atomic"
        else index_terms.row_of_lane(access, kernel, device.sector_bytes)
    )
    return Gather(
        kernel,
        access,
        len({(a.span.path, a.span.line, a.text) for _, a in hits}) - 1,
        kind,
        least,
        dense,
        most,
        row,
    )


def _finding(worst: Gather, some: Sequence[Gather], group: Group, rule: Rule) -> Finding:
    access = worst.access
    return Finding(
        rule.code,
        rule.name,
        rule.severity,
        f"`{access.text}`: {worst.by}: {worst.spread} (unknown)",
        access.span,
        kernel=words.kernel(worst.kernel),
        status="unknown",
        labels=context.labels(access, group.file),
        notes=(
            *_notes(worst, [one for one in some if one is not worst]),
            f"launch: {words.launch(worst.kernel.launch)}",
        ),
        help=OWN_ROWS if worst.row else ORDER,
        metrics=Metrics(requests=access.requests, active_lanes=access.active_lanes),
    )


def _notes(worst: Gather, others: Sequence[Gather]) -> Iterator[str]:
    yield ROW_BY_ROW if worst.row else _decision(worst)
    if worst.others:
        yield f"also affects {words.plural(worst.others, 'more access', 'more accesses')} to `{worst.access.object}`"
    for one in others[:TOLD]:
        span = one.access.span
        place = (
            f"line {span.line}"
            if span.path == worst.access.span.path
            else f"{span.path}:{span.line}"
        )
        more = (
            f", and {words.plural(one.others, 'more access', 'more accesses')}"
            if one.others
            else ""
        )
        yield f"also `{one.access.text}` ({place}{more}): {one.by}: {one.spread}"
    if len(others) > TOLD:
        yield f"and {words.plural(len(others) - TOLD, 'more gather or scatter', 'more gathers and scatters')} of this kernel"


def _within_few_sectors(access: Access, device: Device, rule: Rule) -> bool:
    """Whether the whole array is so small that the order of its elements hardly matters; atomics
    meet in it all the more."""
    size = math.prod(access.object_shape) * access.element_bytes if access.object_shape else 0
    return access.op != "atomic" and 0 < size <= rule.threshold("table") * device.sector_bytes


def _bounds(access: Access, lanes: int, device: Device) -> tuple[int, int]:
    """Sectors of `lanes` neighbouring elements, and the most that the lanes can touch: an array's
    own size is a limit too."""
    sector = device.sector_bytes
    dense = -(-lanes * access.bytes // sector)
    size = math.prod(access.object_shape) * access.element_bytes if access.object_shape else 0
    most = lanes * -(-access.bytes // sector)
    return dense, min(most, -(-size // sector) + 1) if size else most


def _decision(worst: Gather) -> str:
    if worst.access.op == "atomic":
        return f"{worst.least} if all lanes update different, neighbouring elements, {worst.most} if they all update the same"
    alike = f"{worst.least} if all lanes access the same element, {worst.dense} if they access neighbouring ones"
    return f"{alike}, {worst.most} if they are scattered" if worst.most > worst.dense else alike
