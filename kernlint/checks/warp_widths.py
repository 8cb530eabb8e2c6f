"""KL704: code that takes a warp for 32 lanes, on a device that has more.

Goes in: places of a kernel's source, the device. Comes out: findings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from kernlint.checks import words
from kernlint.checks.by_line import in_parts
from kernlint.checks.context import Group
from kernlint.checks.rules import Rule
from kernlint.model.finding import Finding, Label
from kernlint.source_model.lanes_of_32 import BITS, LANES, MASK, NUMBER, STEP, LanePlace

WRONG = {
    NUMBER: "numbers lanes or warps by 32",
    MASK: "names 32 lanes of a warp",
    BITS: "is kept in 32 bits: those of lanes 32 and above are lost",
    STEP: "combines 32 lanes where the first step is 16",
}
RIGHT = {
    NUMBER: "use `warpSize` in place of 32 (`threadIdx.x % warpSize`, `threadIdx.x / warpSize`)",
    MASK: "name all lanes: a mask of 64 bits (`~0ull`), which HIP's `_sync` functions take",
    BITS: "keep it in `unsigned long long` and use `__popcll`, `__ffsll`, `__clzll`",
    STEP: "start at `warpSize / 2`; if two sums of 32 are meant, give the shuffle a width of 32",
}


def warp_of_32_lanes(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL704: one finding for each kind of place of a kernel."""
    if group.device.warp_lanes <= LANES:
        return
    found: dict[str, dict[tuple[str, int, int], LanePlace]] = {}
    for place in group.source.lane_places(group.kernels[0].span):
        at = place.span.path, place.span.line, place.span.column
        found.setdefault(place.kind, {}).setdefault(at, place)
    for places in found.values():
        build = partial(_finding, group=group, rule=rule)
        yield in_parts(list(places.values()), lambda place: place.span, build)


def _finding(places: Sequence[LanePlace], group: Group, rule: Rule) -> Finding:
    first, *others = places
    lines = {one.span.line: one.span for one in others if one.span.line != first.span.line}
    lanes = group.device.warp_lanes
    assumed = ("no device is given: `--device NAME` chooses another",)
    return Finding(
        rule.code,
        rule.name,
        rule.severity,
        f"`{first.text}`: {WRONG[first.kind]}, but a warp of {group.device.title} has {lanes}",
        first.span,
        kernel=words.kernel(group.kernels[0]),
        status="exact",
        labels=tuple(Label(span, "and here") for span in lines.values()),
        notes=assumed * group.file.device_assumed,
        help=RIGHT[first.kind],
    )
