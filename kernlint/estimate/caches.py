"""L1 against what is resident: lines for each thread, and loops in which warps use each other's
lines.

In: measured facts, traffic, capacity. Out: `facts.Caching`. The reuse distance of a loop is told in
bytes that the resident blocks bring in while it runs: when warps drift apart by the whole loop, a
line that one warp brought and another still needs has to outlive that much.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kernlint.estimate.traffic import Capacity, Traffic
from kernlint.execution.measured import Measured
from kernlint.hardware import Device
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import walk
from kernlint.model import facts


def caching(
    measured: Measured,
    found: Mapping[ir.AccessSite, Traffic],
    capacity: Capacity,
    device: Device,
    resident: int,
    threads: int,
) -> facts.Caching:
    loads = [t for t in found.values() if t.space == "global" and t.op == "load"]
    streams = tuple(_streams(measured, device, resident))
    return facts.Caching(
        capacity.l1,
        device.line_bytes,
        resident * threads,
        resident,
        capacity.held / device.line_bytes,
        sum(t.sectors for t in loads),
        sum(t.fresh for t in loads),
        streams,
    )


def _streams(measured: Measured, device: Device, resident: int) -> Iterator[facts.Stream]:
    """Each innermost loop without a barrier and each object that it loads."""
    groups: dict[tuple[ir.Loop, ir.MemoryObject], list[ir.AccessSite]] = {}
    loops = {
        tally.site: tally.loops
        for tally, access in measured.accesses
        if access.space == "global" and access.op == "load"
    }
    for site, object_ in measured.touched:
        if loops.get(site):
            groups.setdefault((loops[site][-1], object_), []).append(site)
    for (loop, object_), sites in groups.items():
        some = [measured.touched[site, object_] for site in sites]
        iterations = measured.longest.get(loop)
        if iterations is None or any(t.unknown for t in some) or _has_barrier(loop):
            continue
        blocks = max(t.blocks for t in some) or 1
        unit = device.sector_bytes / blocks
        distinct = sum(t.fresh for t in some) * unit
        yield facts.Stream(
            loop.site.span,
            object_.name,
            iterations,
            distinct,
            sum(t.by_warps for t in some) * unit,
            distinct / max(1, iterations) * resident,
        )


def _has_barrier(loop: ir.Loop) -> bool:
    return any(
        isinstance(s, ir.Barrier) and s.site.scope in ("block", "grid") for s in walk((loop,))
    )
