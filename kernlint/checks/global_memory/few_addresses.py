"""Family 2, global memory: atomics of a whole launch on a few addresses that data choose, as in a
histogram, or on a single one. Goes in: facts. Comes out: findings.

How many lanes of a warp meet, data decide; but many updates on few addresses meet somewhere: of n
updates on m addresses one address takes n / m at least. The lanes of a warp that update one integer
may be combined by the compiler; the warps of the launch are not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from kernlint.checks import context, dialect, words
from kernlint.checks.context import Group
from kernlint.checks.global_memory.gathers import chosen_by_data
from kernlint.checks.rules import Rule
from kernlint.model.facts import Access, Kernel
from kernlint.model.finding import Finding, Metrics

PRIVATE = {
    "cuda": "count in shared memory, one copy of the {size} bytes per block, and add it to global memory once at the end of each block; "
    "let each block take many elements",
    "opencl": "count in shared memory, one copy of the {size} bytes per work-group, and add it to global memory once at the end of each "
    "work-group; let each work-group take many elements",
}
ONCE_A_BLOCK = {
    "cuda": "let each thread combine many elements, then each block its threads' results (shuffles and shared memory), and let one "
    "thread of the block update the address",
    "opencl": "let each work-item combine many elements, then each work-group its work-items' results (in shared memory), and let one "
    "work-item of the group update the address",
}


def findings(group: Group, rule: Rule, reported: Sequence[Access]) -> Iterator[Finding]:
    """KL208 for addresses that data choose, and for one that all warps update: one finding for each
    place. `reported`: accesses whose lanes surely meet, of which it is said that they do."""
    yield from _on_chosen(group, rule)
    yield from _on_one(group, rule, {_place(access) for access in reported})


def _place(access: Access) -> tuple[object, ...]:
    return access.span.path, access.span.line, access.text


def _on_one(group: Group, rule: Rule, reported: set[tuple[object, ...]]) -> Iterator[Finding]:
    found: dict[tuple[object, ...], list[tuple[Kernel, Access]]] = {}
    for kernel in group.kernels:
        for access in kernel.accesses:
            if (place := _place(access)) not in reported and _hammered(access, group, rule):
                found.setdefault(place, []).append((kernel, access))
    for hits in found.values():
        kernel, access = max(hits, key=lambda hit: hit[1].requests or 0)
        yield Finding(
            rule.code,
            rule.name,
            rule.severity,
            f"`{access.text}`: {words.count(round(access.requests or 0))} requests, all of the launch, update one address, one after the "
            "other, even where the compiler combines the lanes of a warp",
            access.span,
            kernel=words.kernel(kernel),
            status="range",
            labels=context.labels(access, group.file),
            notes=(*words.index(access), f"launch: {words.launch(kernel.launch)}"),
            help=dialect.own(ONCE_A_BLOCK, group.language),
            assumptions=access.assumptions,
            metrics=Metrics(requests=access.requests, active_lanes=access.active_lanes),
        )


def _hammered(access: Access, group: Group, rule: Rule) -> bool:
    """Whether many warps update one address with all their lanes, which the compiler may combine."""
    return (
        access.op == "atomic"
        and access.reach == access.bytes
        and access.reason == "compiler"
        and not access.conditional
        and (access.active_lanes or 0) > group.device.warp_lanes // 2
        and (access.requests or 0) >= rule.threshold("requests")
    )


def _on_chosen(group: Group, rule: Rule) -> Iterator[Finding]:
    found: dict[tuple[object, ...], list[tuple[Kernel, Access]]] = {}
    for kernel in group.kernels:
        for access in kernel.accesses:
            if _crowded(access, kernel, rule):
                found.setdefault(_place(access), []).append((kernel, access))
    for hits in found.values():
        kernel, access = max(hits, key=lambda hit: _updates(*hit) or 0)
        yield _finding(kernel, access, group, rule)


def _crowded(access: Access, kernel: Kernel, rule: Rule) -> bool:
    if access.op != "atomic" or not access.reach or not chosen_by_data(access, kernel):
        return False
    if _addresses(access) > rule.threshold("addresses") or access.requests == 0:
        return False
    updates = _updates(access=access, kernel=kernel)
    return updates is None or updates >= rule.threshold("updates") * _addresses(access)


def _addresses(access: Access) -> int:
    return -(-(access.reach or 0) // access.bytes)


def _updates(kernel: Kernel, access: Access) -> float | None:
    """Of the launch; as many as it has threads, where the number of each thread's is not known;
    None without a grid."""
    if access.requests is not None and access.active_lanes is not None:
        return access.requests * access.active_lanes
    launch = kernel.launch
    return None if launch.grid is None else float(prod(launch.grid) * prod(launch.block))


def _finding(kernel: Kernel, access: Access, group: Group, rule: Rule) -> Finding:
    addresses, updates = _addresses(access), access.requests and _updates(kernel, access)
    counted = bool(updates) and not access.conditional
    many = f"all {words.count(round(updates or 0))} updates" if counted else "all updates"
    each = (
        f": {words.count(round((updates or 0) / addresses))} or more on the busiest, one by one"
        if counted
        else ", one by one"
    )
    return Finding(
        rule.code,
        rule.name,
        rule.severity,
        f"`{access.text}`: {many} go to at most {words.plural(addresses, 'address', 'addresses')}{each}",
        access.span,
        kernel=words.kernel(kernel),
        status="range",
        labels=context.labels(access, group.file),
        notes=(*words.index(access), f"launch: {words.launch(kernel.launch)}"),
        help=dialect.own(PRIVATE, group.language).format(size=words.count(access.reach or 0)),
        assumptions=access.assumptions,
        metrics=Metrics(requests=access.requests, active_lanes=access.active_lanes),
    )
