"""KL605: blocks that lose a place on a multiprocessor by a little: some bytes of shared memory, some
threads, some registers.

Goes in: a kernel and its launches, the device's limits. Comes out: findings. Never guesses
registers: they count where an estimate knows them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import prod

from kernlint import hardware
from kernlint.base.dataclass import dataclass
from kernlint.checks import words
from kernlint.checks.context import Group
from kernlint.checks.rules import Rule
from kernlint.hardware import Device
from kernlint.hardware.occupancy import (
    REGISTERS,
    SHARED,
    WARPS,
    Occupancy,
    occupancy,
    shared_of_block,
)
from kernlint.model.facts import Estimate, Kernel
from kernlint.model.finding import Finding, Label

LESS = {
    SHARED: "make the shared arrays {save} smaller (less padding, a smaller tile, narrower types)",
    WARPS: "launch blocks of {enough} threads",
    REGISTERS: "bound the registers with `__launch_bounds__({threads}, {blocks})`, and check that none are spilled",
}
MOST_WAVES = 4  # blocks for each multiprocessor of a grid that is made for a device
DYNAMIC = "extern"  # before an array whose size the launch gives
UNITS = {SHARED: "byte", WARPS: "thread", REGISTERS: "register"}
FEWER = {
    SHARED: "less of shared memory per block",
    WARPS: "fewer per block",
    REGISTERS: "fewer per thread",
}


@dataclass(frozen=True, slots=True)
class Block:
    """What a block asks for; `registers` of a thread, None where they are not known."""

    threads: int
    shared: int
    registers: int | None

    def occupancy(self, device: Device) -> Occupancy:
        return occupancy(self.threads, self.registers, self.shared, device)


@dataclass(frozen=True, slots=True)
class Edge:
    """One more block would fit if each took `enough` of a resource instead of what it takes.
    `of`: bytes, threads or registers now; `blocks`: now."""

    kernel: Kernel
    resource: str
    blocks: int
    of: int
    enough: int
    gain: float  # resident warps with it, as a multiple of those now

    @property
    def save(self) -> int:
        return self.of - self.enough


def occupancy_edge(group: Group, rule: Rule) -> Iterator[Finding]:
    """KL605: launches of which one more block would be resident if a block took a little less."""
    found = _found(group, rule)
    if found:
        yield _worst(found, group, rule)
    elif group.file.device_assumed and group.language == "cuda":
        for another in (replace(group, device=device) for device in _meant(group)):
            elsewhere = _found(another, rule)
            if elsewhere:
                yield _of_another(elsewhere, another, rule)
                return


def _worst(edges: Sequence[Edge], group: Group, rule: Rule) -> Finding:
    worst = min(edges, key=lambda edge: (edge.save / edge.of, -edge.gain))
    return _finding(worst, len({id(edge.kernel) for edge in edges}), group, rule)


def _of_another(edges: Sequence[Edge], group: Group, rule: Rule) -> Finding:
    finding, device = _worst(edges, group, rule), group.device
    why = (
        f"no device is given; this grid has blocks for the {device.limits['multiprocessors']} multiprocessors of {device.title} "
        f"(`--device {device.name}`)"
    )
    return replace(finding, notes=(why, *finding.notes))


def _found(group: Group, rule: Rule) -> list[Edge]:
    return [
        edge
        for kernel in group.kernels
        for edge in _edges(kernel, group)
        if _counts(edge, rule) and _fills(edge, group.device)
    ]


def _meant(group: Group) -> Iterator[Device]:
    """The other devices of the vendor that a launch may be meant for, by its grid: a few blocks for
    each of their multiprocessors, where that is a number that no problem size has by chance."""
    sharing = [kernel.launch.grid for kernel in group.kernels if _shared(kernel)]
    grids = {prod(grid) for grid in sharing if grid is not None}
    for name in hardware.names() if grids else ():
        device = hardware.device(name)
        count = device.limits.get("multiprocessors", 0)
        made_for_it = grids & {waves * count for waves in range(1, MOST_WAVES + 1)}
        if made_for_it and count & (count - 1) and device.vendor == group.device.vendor:
            yield device


def lost(group: Group, more: int) -> tuple[int, int] | None:
    """Resident blocks now, and fewer with so many bytes more of shared memory a block; None where
    there are as many, or no number is known."""
    for kernel in group.kernels:
        block = _block(kernel, group)
        if block is None or kernel.launch.block_assumed:
            continue
        larger = replace(block, shared=block.shared + more)
        try:
            now, then = (one.occupancy(group.device).blocks for one in (block, larger))
        except ValueError:  # a device whose limits are not known
            return None
        if then < now:
            return now, then
    return None


def _fills(edge: Edge, device: Device) -> bool:
    """Whether the launch fills the places that there are already."""
    grid = edge.kernel.launch.grid
    return grid is None or prod(grid) >= _places(edge, device)


def _places(edge: Edge, device: Device) -> int:
    return device.limits.get("multiprocessors", 1) * edge.blocks


def _counts(edge: Edge, rule: Rule) -> bool:
    return edge.save <= rule.threshold("saved") * edge.of and edge.gain >= rule.threshold("gain")


def _edges(kernel: Kernel, group: Group) -> Iterator[Edge]:
    block = _block(kernel, group)
    if block is None:
        return
    try:
        now = block.occupancy(group.device)
    except ValueError:  # a device whose limits are not known
        return
    for resource in (SHARED, WARPS, REGISTERS) if now.blocks else ():
        less = _less(block, resource, now.blocks + 1, group.device)
        if less is None or (kernel.launch.block_assumed and resource != SHARED):
            continue
        then = less.occupancy(group.device)
        if then.blocks > now.blocks:
            of, enough = (_taken(one, resource) for one in (block, less))
            yield Edge(kernel, resource, now.blocks, of, enough, then.warps / now.warps)


def _block(kernel: Kernel, group: Group) -> Block | None:
    """None where its size, or that of its dynamic shared memory, is not known; without a launch the
    arrays of fixed size decide alone."""
    dynamic = DYNAMIC in group.file.text or group.language != "cuda"
    if kernel.dynamic_shared_bytes is None and dynamic:
        return None
    if kernel.launch.block_assumed and not kernel.static_shared_bytes:
        return None
    estimate = kernel.estimate
    registers = estimate.registers if isinstance(estimate, Estimate) else None
    return Block(prod(kernel.launch.block), _shared(kernel), registers)


def _shared(kernel: Kernel) -> int:
    return kernel.static_shared_bytes + (kernel.dynamic_shared_bytes or 0)


def _less(block: Block, resource: str, blocks: int, device: Device) -> Block | None:
    """The largest block of which so many are resident by one resource; None where it is not known,
    or none is smaller."""
    limits = device.limits
    if resource == SHARED:
        unit = limits.get("shared_unit", 1)
        most = limits["shared_per_sm"] // blocks // unit * unit - device.shared_window
        return replace(block, shared=most) if 0 < most < block.shared else None
    if resource == WARPS:
        most = limits["warps_per_sm"] // blocks * device.warp_lanes
        return replace(block, threads=most) if 0 < most < block.threads else None
    fewer = (replace(block, registers=count) for count in range((block.registers or 0) - 1, 0, -1))
    return next((one for one in fewer if one.occupancy(device).blocks >= blocks), None)


def _taken(block: Block, resource: str) -> int:
    if resource == REGISTERS:
        return block.registers or 0
    return block.shared if resource == SHARED else block.threads


def _finding(edge: Edge, launches: int, group: Group, rule: Rule) -> Finding:
    kernel, launched = edge.kernel, edge.kernel.launch.span
    save = words.plural(edge.save, UNITS[edge.resource])
    less = f"{save} {FEWER[edge.resource]}"
    now = f"{words.count(edge.enough)} instead of {words.count(edge.of)}"
    told = LESS[edge.resource].format(
        save=save, enough=edge.enough, threads=prod(kernel.launch.block), blocks=edge.blocks + 1
    )
    by_host = kernel.launch.in_host_code
    return Finding(
        rule.code,
        rule.name,
        rule.severity,
        f"`{kernel.name}`: {words.plural(edge.blocks, 'block')} per multiprocessor: {edge.blocks + 1} would fit with {less} ({now})",
        group.source.name(kernel.span, kernel.name),
        kernel=words.kernel(kernel),
        status="range",
        labels=(Label(launched, "launched here"),) if launched is not None and by_host else (),
        notes=tuple(_notes(edge, launches, group)),
        help=f"{told}: {words.mean(edge.gain)} times the resident warps",
    )


def _notes(edge: Edge, launches: int, group: Group) -> Iterator[str]:
    kernel, limits = edge.kernel, group.device.limits
    if edge.resource == SHARED:
        taken = shared_of_block(edge.of, group.device)
        kept = f"{words.count(taken)} bytes of a block with what the system keeps"
        yield f"{group.device.title} has {words.count(limits['shared_per_sm'])} bytes per multiprocessor: {kept}"
    else:
        known = limits["warps_per_sm"] if edge.resource == WARPS else limits["registers_per_sm"]
        unit = "warps" if edge.resource == WARPS else "registers"
        yield f"{group.device.title} holds {words.count(known)} {unit} per multiprocessor"
    if kernel.launch.grid is not None:
        blocks, places = prod(kernel.launch.grid), _places(edge, group.device)
        if blocks <= places:
            yield f"this launch has {words.plural(blocks, 'block')} for {words.count(places)} places: only a larger grid gains"
    if not isinstance(kernel.estimate, Estimate) or kernel.estimate.registers is None:
        yield "registers are not known and may allow fewer"
    yield f"launch: {words.launch(kernel.launch)}"
    if len(group.kernels) > 1:
        yield f"in {launches} of {len(group.kernels)} launches"
