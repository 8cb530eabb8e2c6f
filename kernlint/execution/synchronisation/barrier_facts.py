"""The barriers of a kernel as facts: what the machine has counted, and where that leaves it open
what the conditions around them are made of.

In: a lowered kernel, its launch, tallies. Out: `facts.Barrier`, in the order of the source.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from kernlint.execution.synchronisation import uniformity
from kernlint.execution.synchronisation.barriers import BarrierTally, last_ones
from kernlint.execution.synchronisation.partners import missed
from kernlint.execution.synchronisation.vacant_lanes import used_results
from kernlint.hardware import Device
from kernlint.ir import nodes as ir
from kernlint.model import facts

_SCOPES = {
    "block": uniformity.WITHIN_BLOCK,
    "grid": uniformity.WITHIN_BLOCK | uniformity.BLOCK,
}
Tallies = Mapping[ir.BarrierSite, BarrierTally]
Sites = frozenset[ir.BarrierSite]
Ways = Mapping[ir.BarrierSite, uniformity.Reached]


def barrier_facts(
    kernel: ir.Kernel, launch: facts.Launch, device: Device, tallies: Tallies
) -> tuple[facts.Barrier, ...]:
    """Barriers; of shuffles and votes those that not all lanes execute which they name, or may
    not."""
    if not tallies:
        return ()
    last, lacking = last_ones(kernel.body), missed(kernel.body, tallies)
    row_lanes = device.warp_lanes if prod(launch.block[1:]) == 1 else 0
    ways = uniformity.reached(kernel, _flat(launch, device.warp_lanes), row_lanes)
    used = used_results(kernel.body) if any(t.vacant for t in tallies.values()) else frozenset()
    for tally in tallies.values():
        tally.vacant = tally.vacant if tally.site in used else ()
    found = (
        _barrier(tally, last, lacking, ways)
        for tally in tallies.values()
        if _is_reported(tally, lacking, ways)
    )
    return tuple(sorted(found, key=lambda b: (b.span.line, b.span.column)))


def _flat(launch: facts.Launch, warp_lanes: int) -> frozenset[str]:
    """Built-in values that are 0 in every thread: of axes that the block does not have, and the warp
    of a block that is known to have one."""
    axes = (f"tid.{'xyz'[axis]}" for axis in range(3) if launch.block[axis] == 1)
    is_warp = prod(launch.block) <= warp_lanes and not launch.block_assumed
    return frozenset((*axes, *(("warpid",) if is_warp else ())))


def _is_reported(tally: BarrierTally, lacking: Sites, ways: Ways) -> bool:
    lanes = any((tally.unnamed, tally.beyond, tally.vacant, tally.voted))
    decided = tally.uniform is False or lanes or _arguments(tally, ways) != ""
    left = tally.site.scope == "block" and (tally.after_exit or _returned(tally, ways) is not None)
    open_ = _parting(tally, lacking, ways) is not None
    return not tally.site.exchange or decided or left or open_


def _apart(tally: BarrierTally) -> int:
    """What tells apart threads that wait for each other."""
    return _SCOPES.get(tally.site.scope, uniformity.WITHIN)


def _arguments(tally: BarrierTally, ways: Ways) -> str:
    way = ways.get(tally.site)
    return "" if way is None else _said(way.arguments & uniformity.WITHIN_BLOCK)


def _said(by: int) -> str:
    """What threads differ by, as the report says it."""
    known = by & ~(uniformity.OTHER | uniformity.EVERY_AXIS)
    return "data" if by & uniformity.DATA else "index" if known else ""


def _returned(tally: BarrierTally, ways: Ways) -> tuple[uniformity.EarlyReturn, ...]:
    """Branches under which threads return before, or may for all that is known."""
    way = ways.get(tally.site)
    some = () if way is None else way.returned
    return tuple(x for x in some if tally.after_exit or _said(x.cause.by & uniformity.WITHIN_BLOCK))


def _parting(tally: BarrierTally, lacking: Sites, ways: Ways) -> uniformity.Cause | None:
    """The branch that lets some threads come, and others, for all that is known, not."""
    way = ways.get(tally.site)
    if way is None or tally.uniform is not None:
        return None
    is_open = tally.site.scope in ("block", "grid") or (tally.open and tally.site in lacking)
    return way.first(_apart(tally)) if is_open else None


def _is_uniform(tally: BarrierTally, ways: Ways) -> bool | None:
    """As counted; where that leaves it open, as the conditions around are made."""
    way = ways.get(tally.site)
    if tally.uniform is not None or way is None:
        return tally.uniform
    return None if way.by(_apart(tally)) else True


def _barrier(tally: BarrierTally, last: Sites, lacking: Sites, ways: Ways) -> facts.Barrier:
    site, uniform = tally.site, _is_uniform(tally, ways)
    absent, last_one = tally.absent if site in lacking else (), site in last
    cause = _parting(tally, lacking, ways)
    by = "" if cause is None else _said(cause.by)
    returned = _returned(tally, ways)
    return facts.Barrier(
        site.span,
        site.text,
        uniform,
        site.scope,
        tally.after_exit,
        "" if uniform else tally.detail,
        site.calls,
        last_one,
        absent,
        tally.unnamed,
        by,
        None if cause is None else cause.site.span,
        _arguments(tally, ways),
        tuple(x.cause.site.span for x in returned),
        tuple(x.cause.site.span for x in returned if x.waited),
        tally.beyond,
        tally.vacant,
        tally.voted,
        site.memory,
    )
