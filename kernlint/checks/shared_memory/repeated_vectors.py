"""Family 1, shared memory: wide loads whose lanes read few vectors, but not as neighbours. Goes in:
facts. Comes out: findings.

A load of 8 or 16 bytes per lane is served by half or quarter warps. Lanes of one such group share
what they read alike; lanes of different groups do so only where each lane reads the address of its
neighbour (lane ^ 1, lane ^ 2), which makes the groups twice as large.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kernlint import hardware
from kernlint.checks import context, words
from kernlint.checks.context import Executed, Group
from kernlint.checks.rules import Rule
from kernlint.model.finding import Finding

WIDTHS = (8, 16)  # bytes per lane that take several groups of lanes


def findings(entries: Sequence[Executed], group: Group, rule: Rule) -> Iterator[Finding]:
    """KL103 for loads of 8 and 16 bytes: the same vectors, read by neighbours, take fewer
    wavefronts."""
    all_costs = context.costs(entries)
    least = rule.threshold("share")
    for cause in context.by_cause(e for e in entries if _apart(e, group)):
        hits = [e for e in cause if _wasted(e, all_costs, group) >= least]
        if hits:
            yield _finding(max(hits, key=lambda e: e.times), hits, group, rule)


def _apart(entry: Executed, group: Group) -> bool:
    access, counts = entry.access, entry.counts
    if access.hardware_op != "load" or access.bytes not in WIDTHS or access.example is None:
        return False
    settled = counts.min == counts.max and not entry.partial
    lanes = sum(offset is not None for offset in access.example.lanes)
    whole = lanes == group.device.warp_lanes and entry.bytes == access.bytes
    is_repeated = 2 * _vectors(entry) <= lanes
    return settled and whole and is_repeated and counts.mean >= 2 * _sorted(entry, group)


def _vectors(entry: Executed) -> int:
    """How many different ones the lanes read."""
    example = entry.access.example
    return len({offset for offset in (example.lanes if example else ()) if offset is not None})


def _sorted(entry: Executed, group: Group) -> int:
    """Wavefronts of the same request if lanes that read alike were neighbours."""
    access = entry.access
    lanes = sorted(o for o in (access.example.lanes if access.example else ()) if o is not None)
    return hardware.wavefronts(tuple(lanes), access.bytes, "load", group.device)


def _wasted(entry: Executed, all_costs: context.Costs, group: Group) -> float:
    """As a share of the kernel's shared-memory wavefronts."""
    wasted = (entry.counts.mean - _sorted(entry, group)) * entry.times
    return wasted / (all_costs.total[id(entry.kernel)] or 1)


def _finding(worst: Executed, hits: Sequence[Executed], group: Group, rule: Rule) -> Finding:
    access, few = worst.access, _sorted(worst, group)
    vectors = _vectors(worst)
    lanes, size = group.device.warp_lanes, access.bytes
    schedule = group.device.schedule("load", size)
    return Finding(
        rule.code,
        rule.name,
        rule.severity,
        f"`{access.text}`: lanes that read the same {size} bytes are not neighbours: "
        f"{words.mean(worst.counts.mean)} wavefronts per request instead of {few} {context.certainty(worst)}",
        access.span,
        kernel=words.kernel(worst.kernel),
        status=worst.status,
        labels=context.labels(access, group.file),
        notes=(
            *words.index(access),
            f"{lanes} lanes read {vectors} different vectors; loads of {size} bytes are served for {schedule.lanes} lanes at a time, "
            f"for {schedule.paired_lanes} if each lane reads what lane ^ 1 or lane ^ 2 reads",
            *context.launch_notes(hits, worst, group, "wavefronts"),
        ),
        help=f"let neighbouring lanes (lane and lane ^ 1) read the same element of `{access.object}`; or keep its elements in registers",
        assumptions=access.assumptions,
        metrics=context.wavefronts(worst),
    )
