"""What the memory accesses of a launch put through the shared-memory pipe, L1, L2 and DRAM.

In: the measured accesses of a kernel (facts as compiled, footprints). Out: `Traffic` of each access
and of all. Reuse: what a block has touched before is in L1 as long as L1 holds a line for every
access of all resident warps (or all that resident blocks touch); what all objects hold together is
in L2 from the start when it fits (docs/estimate.md).
"""

from __future__ import annotations

from collections.abc import Iterable

from kernlint.base.dataclass import dataclass
from kernlint.execution.counting.footprint import Touched
from kernlint.execution.counting.tally import Tally
from kernlint.execution.counting.total_bounds import KNOWN, TotalBounds
from kernlint.execution.measured import Measured
from kernlint.hardware import Device
from kernlint.hardware.occupancy import carveout_for
from kernlint.ir import nodes as ir
from kernlint.model import facts


@dataclass(frozen=True, slots=True)
class Traffic:
    """Totals of one access over the launch. `sectors` and `lines` go through L1, `beyond` sectors
    on to L2; `assumed`: what stands in for a number that is not known; `spread`: between which
    bounds one lies that is."""

    space: str
    op: str
    requests: float
    wavefronts: float = 0.0
    sectors: float = 0.0
    lines: float = 0.0
    beyond: float = 0.0
    fresh: float = 0.0  # distinct sectors per block, summed over blocks
    ideal: float = 0.0  # wavefronts or sectors of an ideal access
    assumed: str = ""
    spread: TotalBounds = KNOWN

    @property
    def missing(self) -> float:
        """The part of requests that wait for L2."""
        return min(1.0, self.beyond / self.requests) if self.requests else 0.0


def traffic(
    tally: Tally,
    access: facts.Access,
    device: Device,
    touched: Iterable[Touched],
    spread: TotalBounds = KNOWN,
) -> Traffic:
    """One access, before it is known whether L1 holds what is used again (`beyond` is as if it
    did)."""
    compiled = access.as_compiled
    requests = float(tally.requests)
    counts = access.wavefronts if access.space == "shared" else access.sectors
    if compiled is not None and compiled.requests is not None:
        requests = float(compiled.requests)
        after = compiled.wavefronts if access.space == "shared" else compiled.sectors
        counts = after if after is not None else counts
    if not requests:
        return Traffic(access.space, access.op, 0.0)
    lanes = (
        (compiled.active_lanes if compiled is not None else None)
        or access.active_lanes
        or device.warp_lanes
    )
    if access.space == "shared":
        mean, ideal, assumed = _passes(counts, lanes, access, device)
        return Traffic(
            "shared",
            access.op,
            requests,
            requests * mean,
            ideal=requests * ideal,
            assumed=assumed,
            spread=spread,
        )
    if access.space not in ("global", "local"):
        return Traffic(access.space, access.op, requests, spread=spread)
    mean, ideal, assumed = _sectors(counts, lanes, access, device)
    sectors = requests * mean
    lines = requests * (access.cache_lines.mean if access.cache_lines is not None else mean)
    followed = list(touched)
    known = bool(followed) and not any(t.unknown for t in followed)
    fresh = (
        min(sectors, sum(t.by_warps if access.op == "store" else t.fresh for t in followed))
        if known
        else sectors
    )
    beyond = fresh if access.op in ("load", "store") else sectors
    if access.space == "local":
        beyond = 0.0
    return Traffic(
        access.space,
        access.op,
        requests,
        0.0,
        sectors,
        lines,
        beyond,
        fresh,
        requests * ideal,
        assumed,
        spread,
    )


def _passes(
    counts: facts.Counts | None, lanes: float, access: facts.Access, device: Device
) -> tuple[float, float, str]:
    if counts is not None and not _chosen_by_data(counts, access):
        return counts.mean, counts.ideal, ""
    evenly = f"`{access.text}`: its words are taken to be spread evenly over the banks"
    expected = _crowded(lanes, device.banks)
    if counts is None:
        return expected, 1.0, evenly
    return min(max(expected, counts.mean_low), counts.mean_high), counts.ideal, evenly


def _chosen_by_data(counts: facts.Counts, access: facts.Access) -> bool:
    """Whether lanes choose their addresses by what is loaded: nothing is known but bounds."""
    is_open = counts.mean_low < counts.mean_high and access.reason == "loaded-value"
    return access.status == "unknown" or (is_open and access.example is None)


def _sectors(
    counts: facts.Counts | None, lanes: float, access: facts.Access, device: Device
) -> tuple[float, float, str]:
    if counts is not None and not _chosen_by_data(counts, access):
        return counts.mean, counts.ideal, ""
    apart = f"`{access.text}`: its lanes are taken to lie in sectors of their own"
    if counts is not None:
        return counts.mean_high, counts.ideal, apart
    return max(1.0, lanes), max(1.0, lanes * access.bytes / device.sector_bytes), apart


def _crowded(lanes: float, banks: int) -> float:
    """About how many words the fullest of `banks` banks gets when `lanes` words fall into them at
    random: the sum over k of the chance that some bank has k or more, bounded by the mean number of
    such banks and by 1."""
    n = max(1, round(lanes))
    chance = (1 - 1 / banks) ** n  # that a bank gets k words
    tail, total = 1.0 - chance, 0.0
    for k in range(1, n + 1):
        total += min(1.0, banks * max(0.0, tail))
        chance *= (n - k + 1) / (k * (banks - 1))
        tail -= chance
    return max(1.0, total)


@dataclass(frozen=True, slots=True)
class Capacity:
    """L1 of one multiprocessor against what its resident warps and blocks need, and L2 against all
    that the launch touches; bytes."""

    l1: int
    held: float  # a line for each access of each resident warp
    touched: float  # all that resident blocks touch
    l2: int
    footprint: float
    moved: float  # bytes of DRAM when L2 does not hold it

    @property
    def l1_holds(self) -> bool:
        return min(self.held, self.touched) <= self.l1

    @property
    def l2_holds(self) -> bool:
        return self.footprint <= self.l2


def capacity(
    found: dict[ir.AccessSite, Traffic],
    measured: Measured,
    device: Device,
    resident_blocks: int,
    shared_taken: int,
    blocks: int,
) -> Capacity:
    warps = resident_blocks * measured.warps_per_block
    loads = [t for t in found.values() if t.space == "global" and t.op == "load" and t.requests]
    held = sum(
        min(t.lines / t.requests * device.line_bytes, t.sectors / t.requests * device.line_bytes)
        * warps
        for t in loads
    )
    touched = (
        sum(t.fresh for t in found.values() if t.space == "global")
        * device.sector_bytes
        / max(1, blocks)
        * resident_blocks
    )
    whole = device.limits.get("l1_bytes", 0) or device.limits.get(
        "l1_shared_bytes", 0
    ) - carveout_for(shared_taken * resident_blocks, device)
    return Capacity(
        max(0, whole),
        held,
        touched,
        device.limits.get("l2_bytes", 0),
        footprint(measured, device),
        moved(measured, device),
    )


def footprint(measured: Measured, device: Device) -> float:
    """Distinct bytes of global memory that the launch touches, at most: per object the span of its
    accesses, or what blocks touch."""
    return _distinct(measured, device, ("load", "store", "atomic", "copy"), False)


def moved(measured: Measured, device: Device) -> float:
    """Bytes that DRAM reads and takes back when L2 holds nothing and too little: what is loaded
    once, what is stored once."""
    return _distinct(measured, device, ("load", "atomic", "copy"), False) + _distinct(
        measured, device, ("store", "atomic"), True
    )


def _distinct(measured: Measured, device: Device, ops: tuple[str, ...], each: bool) -> float:
    """`each`: what an access touches counts whether or not others have touched it before."""
    spans: dict[ir.MemoryObject, tuple[int, int]] = {}
    touched: dict[ir.MemoryObject, float] = {}
    for (site, object_), found in measured.touched.items():
        if site.op not in ops:
            continue
        low, high = spans.get(object_, (found.low, found.high))
        spans[object_] = (min(low, found.low), max(high, found.high))
        touched[object_] = (
            touched.get(object_, 0.0)
            + (found.distinct if each else found.fresh) * device.sector_bytes
        )
    return sum(min(high - low, touched[o]) for o, (low, high) in spans.items())
