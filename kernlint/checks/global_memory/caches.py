"""L1 and the split of shared memory: loops whose warps evict each other's lines (KL204), lines for
too many threads (KL205), splits that decide how many blocks are resident (KL604). Goes in: facts.
Comes out: findings."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from kernlint.checks import dialect, words
from kernlint.checks.context import Group
from kernlint.checks.rules import Rule
from kernlint.model.facts import Caching, Kernel, Stream
from kernlint.model.finding import Finding, Label

# compute capability from which the split is asked for in percent (CUDA C++ Programming Guide, 7.x)
PERCENT_FROM = 70


BARRIER = {"cuda": "__syncthreads()", "opencl": "barrier(CLK_LOCAL_MEM_FENCE)"}
CARVEOUT = "cudaFuncAttributePreferredSharedMemoryCarveout"


def cache_thrash_across_warps(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL204: loops without a barrier in which warps load what other warps load too, with more
    between than L1 holds."""
    hits = [
        (kernel, c, s)
        for kernel in group.kernels
        for c in _cachings(kernel)
        for s in c.streams
        if _thrashes(s, c, rule)
    ]
    loops = dict.fromkeys(stream.loop for _, _, stream in hits)
    for loop in loops:
        yield _thrash(
            max(
                (h for h in hits if h[2].loop == loop), key=lambda h: h[2].by_warps - h[2].distinct
            ),
            group,
            rule,
        )


def _thrashes(stream: Stream, caching: Caching, rule: Rule) -> bool:
    """Reuse between warps, more than L1 passing by while they may drift apart, and room for what
    they need when they do not."""
    shared = (
        stream.distinct > 0
        and stream.by_warps >= rule.threshold("warps_per_sector") * stream.distinct
    )
    passes = stream.distinct * caching.blocks
    return (
        shared
        and stream.iterations >= rule.threshold("iterations")
        and stream.at_once <= caching.l1_bytes < passes
    )


def _thrash(hit: tuple[Kernel, Caching, Stream], group: Group, rule: Rule) -> Finding:
    kernel, caching, stream = hit
    times = words.mean(round(stream.by_warps / stream.distinct, 2))
    passing, held, at_once = words.alike(
        stream.distinct * caching.blocks, caching.l1_bytes, stream.at_once
    )
    return Finding(
        rule.code,
        rule.name,
        rule.severity,
        f"warps of `{kernel.name}` load each sector of `{stream.object}` {times} times in a loop without a barrier and "
        "thrash L1 (range)",
        group.source.head(stream.loop),
        kernel=words.kernel(kernel),
        status="range",
        notes=(
            f"{passing} pass through {held} of L1 in {words.plural(stream.iterations, 'iteration')}: fast warps evict lines that slow "
            "ones still need",
            f"in lockstep, the warps load {at_once} per iteration, which fits in L1 of {group.device.title}",
            f"launch: {words.launch(kernel.launch)}; {words.plural(caching.blocks, 'resident block')}",
        ),
        assumptions=kernel.assumptions,
        help=f"put `{dialect.own(BARRIER, group.language)}` at the end of the loop body, where all threads of the block reach it, to "
        "keep the warps together",
    )


def l1_pressure(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL205: launches whose resident threads need more lines of L1 at once than there are, where
    lines would be used again."""
    hits = [(kernel, c) for kernel in group.kernels for c in _cachings(kernel) if _presses(c, rule)]
    if not hits:
        return
    kernel, caching = max(hits, key=lambda h: h[1].needed / h[1].lines)
    again = words.share(caching.sectors - caching.fresh, caching.sectors)
    blocks = words.plural(caching.blocks, "resident block")
    yield Finding(
        rule.code,
        rule.name,
        rule.severity,
        f"`{kernel.name}`: loads of the resident threads need {words.count(round(caching.needed))} cache lines at once, L1 has "
        f"{words.count(caching.lines)} (range)",
        group.source.name(kernel.span, kernel.name),
        kernel=words.kernel(kernel),
        status="range",
        notes=(
            f"{words.count(caching.threads)} resident threads share {words.plural(caching.lines, 'line')} "
            f"({words.counted(round(caching.threads / caching.lines, 1), 'thread')} per line); {again} of the sectors they load could hit in L1 "
            "but miss",
            f"{words.bytes_of(caching.l1_bytes)} of L1 on {group.device.title}, next to the shared memory of {blocks}",
            f"launch: {words.launch(kernel.launch)}",
        ),
        assumptions=kernel.assumptions,
        help="let neighbouring lanes load neighbouring elements, stage rows in shared memory, or keep fewer threads resident",
    )


def _presses(caching: Caching, rule: Rule) -> bool:
    used_again = caching.sectors >= rule.threshold("uses") * max(1.0, caching.fresh)
    return (
        caching.lines > 0
        and used_again
        and caching.needed > rule.threshold("ratio") * caching.lines
    )


def _cachings(kernel: Kernel) -> Iterator[Caching]:
    if kernel.caching is not None:
        yield kernel.caching


def shared_carveout(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL604: launches of which the split between L1 and shared memory decides how many blocks are
    resident."""
    if group.language != "cuda" or CARVEOUT in group.file.text:
        return
    for kernel in group.kernels:
        found = _split(kernel, group, rule)
        if found is not None:
            yield found
            return


def _split(kernel: Kernel, group: Group, rule: Rule) -> Finding | None:
    from kernlint.hardware.occupancy import SHARED, carveout_percent, occupancy, shared_of_block

    device, shared = group.device, kernel.static_shared_bytes + (kernel.dynamic_shared_bytes or 0)
    sizes = sorted(size for size in device.carveouts if size >= shared_of_block(shared, device))
    blocks = (
        0
        if kernel.launch.grid is None
        else prod(kernel.launch.grid) // device.limits.get("multiprocessors", 1)
    )
    if not shared or kernel.launch.origin == "assumed" or len(sizes) < 2:
        return None
    resident = {
        size: occupancy(prod(kernel.launch.block), None, shared, device, size) for size in sizes
    }
    most = resident[sizes[-1]].blocks
    least = next(size for size in sizes if resident[size].blocks == most)
    fewest = resident[sizes[0]].blocks
    if fewest == 0 or most < rule.threshold("ratio") * fewest or blocks < most:
        return None
    wish = f"cudaFuncSetAttribute({kernel.name}, {CARVEOUT}, {carveout_percent(least, device)})"
    if (device.capability or 0) < PERCENT_FROM:
        wish = f"cudaFuncSetCacheConfig({kernel.name}, cudaFuncCachePrefer{'Shared' if least == sizes[-1] else 'Equal'})"
    held = (
        ""
        if SHARED in resident[least].limiters
        else f"; with {words.bytes_of(least)} it no longer limits"
    )
    small, enough = words.bytes_of(sizes[0]), words.bytes_of(least)
    launched = kernel.launch.span if kernel.launch.in_host_code else None
    return Finding(
        rule.code,
        rule.name,
        rule.severity,
        f"`{kernel.name}`: {words.plural(fewest, 'resident block')} with {small} of shared memory per multiprocessor, {most} with "
        f"{enough} (exact but for registers)",
        group.source.name(kernel.span, kernel.name),
        kernel=words.kernel(kernel),
        status="range",
        labels=(Label(launched, "launched here"),) if launched is not None else (),
        notes=(
            f"each block needs {words.bytes_of(shared)} of shared memory{held}",
            f"launch: {words.launch(kernel.launch)}",
        ),
        help=f"call `{wish}` to reserve that much and leave the rest to L1; otherwise the driver decides",
    )
