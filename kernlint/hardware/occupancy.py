"""Occupancy: how many blocks of a launch one multiprocessor holds at once, and what keeps it from
holding more.

In: threads, registers and shared memory of a block, a device. Out: `Occupancy`. Never: what the
resident warps then do.

Source: the occupancy calculator of the CUDA toolkit (registers are given to warps in units, each of
an SM's partitions holds its share of them; shared memory goes in units, with what the system keeps
of each block on top). Tested against the theoretical occupancy that Nsight Compute 2025.3 states
for 65 launches on an H100, and against the toolkit's own calculator (cuda_occupancy.h, CUDA 13.0)
for launches drawn at random on every compute capability from 3.5 on that a profile is of: no
exception. The units stand in the profiles.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType

from kernlint.base.dataclass import dataclass
from kernlint.base.usage import DEFAULT_DEVICE
from kernlint.hardware.devices import Device, resolve

WARPS, BLOCKS, REGISTERS, SHARED = "warps", "blocks", "registers", "shared memory"


@dataclass(frozen=True, slots=True)
class Occupancy:
    """What one multiprocessor holds of a launch with blocks of `warps_per_block` warps.

    `limits`: how many blocks each resource alone would allow; `registers` is not among them where
    the count per thread is not known, and then `blocks` is the most that there can be. `limiters`:
    the resources that allow no more than `blocks`.
    """

    blocks: int
    warps_per_block: int
    most_warps: int
    limits: Mapping[str, int]

    @property
    def warps(self) -> int:
        return self.blocks * self.warps_per_block

    @property
    def share(self) -> float:
        """Resident warps as a part of the most that the device can hold, 0 to 1."""
        return self.warps / self.most_warps

    @property
    def limiters(self) -> tuple[str, ...]:
        return tuple(name for name, blocks in self.limits.items() if blocks == self.blocks)


def occupancy(
    threads: int,
    registers: int | None,
    shared_bytes: int,
    device: str | Device = DEFAULT_DEVICE,
    carveout: int | None = None,
) -> Occupancy:
    """The occupancy of a launch with `threads` threads a block, `registers` 32-bit registers a
    thread (None: not known) and `shared_bytes` of static and dynamic shared memory a block.

    `carveout`: bytes of an SM's combined L1 cache and shared memory that are wished as shared
    memory, the most possible when None. A wish that does not hold one block is exceeded, as far as
    a block needs: the toolkit's calculator does so from 7.0 on. ValueError for negative sizes, no
    thread, or a device whose profile lacks the figures.
    """
    profile = resolve(device)
    limits = profile.limits
    if threads < 1 or shared_bytes < 0 or (registers is not None and registers < 0):
        raise ValueError(
            f"a block needs at least one thread and no negative size, got {threads}, {registers}, {shared_bytes}"
        )
    missing = [
        name for name in ("warps_per_sm", "blocks_per_sm", "shared_per_sm") if name not in limits
    ]
    if missing:
        raise ValueError(f"the profile of {profile.name} does not state {' and '.join(missing)}")
    warps = math.ceil(threads / profile.warp_lanes)
    fits = threads <= limits.get("threads_per_block", threads)
    most = (
        limits.get("blocks_of_one_warp_per_sm", limits["blocks_per_sm"])
        if warps == 1
        else limits["blocks_per_sm"]
    )
    found = {WARPS: limits["warps_per_sm"] // warps if fits else 0, BLOCKS: most}
    if registers and "registers_per_sm" in limits:
        found[REGISTERS] = _by_registers(warps, registers, profile)
    taken = shared_of_block(shared_bytes, profile)
    if taken:
        whole = (
            limits["shared_per_sm"]
            if carveout is None
            else max(carveout, carveout_for(taken, profile) if carveout < taken else 0)
        )
        found[SHARED] = whole // taken
    return Occupancy(min(found.values()), warps, limits["warps_per_sm"], MappingProxyType(found))


def shared_of_block(shared_bytes: int, device: Device) -> int:
    """Bytes of shared memory that a block takes of an SM: its own and what the system keeps, in
    whole units."""
    unit = device.limits.get("shared_unit", 1)
    return -(-(shared_bytes + device.shared_window) // unit) * unit


def carveout_for(needed: int, device: Device) -> int:
    """The smallest share of the L1 cache that holds `needed` bytes of shared memory; all that there
    is where none does."""
    return min(
        (size for size in device.carveouts if size >= needed),
        default=device.limits.get("shared_per_sm", 0),
    )


def carveout_percent(size: int, device: Device) -> int:
    """What to ask cudaFuncSetAttribute for to be given `size`, one of the device's carveouts: a
    percentage of the largest, of which the next larger carveout is taken (CUDA C++ Programming
    Guide, compute capability 7.x, shared memory)."""
    return 100 * size // max(device.carveouts)


def _by_registers(warps: int, registers: int, device: Device) -> int:
    """Blocks that the register file holds. Registers are given to a warp in units, within one of
    the SM's partitions; on the oldest devices to a block. Some launch no block that a sibling with
    more partitions could not hold."""
    limits = device.limits
    if registers > limits.get("registers_per_thread", registers):
        return 0
    if "register_block_unit" in limits:
        whole_warps = _up(warps, limits.get("register_warps", 1))
        return limits["registers_per_sm"] // _up(
            whole_warps * device.warp_lanes * registers, limits["register_block_unit"]
        )
    per_warp = _up(registers * device.warp_lanes, limits.get("register_unit", 1))

    def held(partitions: int) -> int:
        return partitions * (limits["registers_per_sm"] // partitions // per_warp) // warps

    own = limits.get("register_partitions", 1)
    return held(own) if held(limits.get("sibling_partitions", own)) else 0


def _up(value: int, unit: int) -> int:
    return -(-value // unit) * unit
