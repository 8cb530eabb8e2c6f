"""Sectors and cache lines: what a request touches of global or local memory.

In: byte offsets of the lanes from a base that lies on a line's start, the width, a device. Out:
sectors or lines per request. Never: which level of the hierarchy answers.

Rules measured on H100: a load or store touches the distinct 32-byte sectors of its bytes, one
request per instruction; a global atomic costs, per sector, as many as the most lanes that share one
address of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from kernlint.base.usage import DEFAULT_DEVICE
from kernlint.hardware.devices import OPERATIONS, Device, resolve
from kernlint.hardware.rows import INACTIVE, Rows, checked, distinct, narrow, pad, per_row, units

SERIAL = ("atomic", "cas")


def sectors(
    offsets: Sequence[int | None],
    width: int,
    device: str | Device = DEFAULT_DEVICE,
    op: str = "load",
) -> int:
    """Sectors of one global or local request: a byte offset per lane, None for an inactive lane.
    ValueError on nonsense."""
    profile = resolve(device)
    return int(sector_rows(*pad(tuple(offsets), profile), width, op, profile)[0])


def cache_lines(
    offsets: Sequence[int | None], width: int, device: str | Device = DEFAULT_DEVICE
) -> int:
    """Cache lines of one global request."""
    profile = resolve(device)
    return int(line_rows(*pad(tuple(offsets), profile), width, profile)[0])


def ideal_sectors(
    offsets: Sequence[int | None], width: int, device: str | Device = DEFAULT_DEVICE
) -> int:
    """Sectors that the distinct bytes of one request need at least."""
    profile = resolve(device)
    return int(ideal_sector_rows(*pad(tuple(offsets), profile), width, profile)[0])


def sector_rows(
    offsets: npt.ArrayLike,
    active: npt.ArrayLike,
    width: int,
    op: str = "load",
    device: str | Device = DEFAULT_DEVICE,
) -> Rows:
    """Sectors of each request: `offsets` and `active` are [requests, lanes of the warp]."""
    profile = resolve(device)
    if op not in OPERATIONS:
        raise ValueError(f"unknown operation {op!r}; operations are {', '.join(OPERATIONS)}")
    rows, flags = checked(offsets, active, width, profile)
    if op in SERIAL:
        return per_row(
            rows,
            flags,
            profile.sector_bytes,
            lambda relative: _serial_sectors(relative, profile.sector_bytes),
        )
    return per_row(
        rows,
        flags,
        profile.sector_bytes,
        lambda relative: distinct(units(relative, width, profile.sector_bytes)),
    )


def line_rows(
    offsets: npt.ArrayLike, active: npt.ArrayLike, width: int, device: str | Device = DEFAULT_DEVICE
) -> Rows:
    """Cache lines of each request."""
    profile = resolve(device)
    rows, flags = checked(offsets, active, width, profile)
    return per_row(
        rows,
        flags,
        profile.line_bytes,
        lambda relative: distinct(units(relative, width, profile.line_bytes)),
    )


def ideal_sector_rows(
    offsets: npt.ArrayLike, active: npt.ArrayLike, width: int, device: str | Device = DEFAULT_DEVICE
) -> Rows:
    """ceil(distinct bytes touched by the active lanes / sector size) of each request."""
    profile = resolve(device)
    rows, flags = checked(offsets, active, width, profile)
    return -(
        -per_row(rows, flags, 1, lambda relative: _distinct_bytes(relative, width))
        // profile.sector_bytes
    )


def copy_sector_rows(
    shared: npt.ArrayLike,
    offsets: npt.ArrayLike,
    active: npt.ArrayLike,
    width: int,
    device: str | Device = DEFAULT_DEVICE,
) -> Rows:
    """Sectors that each asynchronous copy reads: `shared` are the destinations' offsets, `offsets`
    the global sources'.

    Copies through L1 read the distinct sectors. A 16-byte copy bypasses L1 where the profile says
    so: of the lanes that write one destination the last is served, and each pair of a shared block
    and a global block (32 and 128 bytes on H100) counts once.
    """
    profile = resolve(device)
    rows, flags = checked(offsets, active, width, profile)
    if profile.bypass_copy is None or width < 16:
        return sector_rows(rows, flags, width, "load", profile)
    places, _ = checked(shared, active, width, profile)
    lanes = np.arange(profile.warp_lanes)
    ordered = np.argsort(np.where(flags, places, -1), axis=1, kind="stable")
    places, rows = (
        np.take_along_axis(places, ordered, axis=1),
        np.take_along_axis(rows, ordered, axis=1),
    )
    served = np.take_along_axis(flags, ordered, axis=1) & np.where(
        lanes < len(lanes) - 1, places != np.roll(places, -1, axis=1), True
    )
    shared_block, global_block = profile.bypass_copy
    low = (
        np.where(served, rows, rows.max(axis=1, keepdims=True)).min(axis=1, keepdims=True)
        // global_block
    )
    pairs = (places // shared_block << 40) + rows // global_block - low
    return distinct(np.where(served, pairs, INACTIVE))


def _distinct_bytes(relative: Rows, width: int) -> Rows:
    """The size of the union of the lanes' byte ranges: sorted by start, each adds what the next
    does not cover."""
    ordered = np.sort(narrow(relative), axis=1)
    gaps = np.minimum(ordered[:, 1:] - ordered[:, :-1], width)
    gaps[ordered[:, :-1] < 0] = 0
    return np.asarray(gaps.sum(axis=1) + width * (ordered[:, -1] >= 0), dtype=np.int64)


def _serial_sectors(relative: Rows, sector_bytes: int) -> Rows:
    """The sum over the sectors touched of the most lanes on one address of the sector."""
    lanes = np.ascontiguousarray(np.sort(narrow(relative), axis=1).T)
    shift = sector_bytes.bit_length() - 1
    run = (lanes[0] != INACTIVE).astype(np.int64)
    best, total = run.copy(), np.zeros(len(relative), np.int64)
    for before, here in pairwise(lanes):
        moved = here >> shift != before >> shift
        total += np.where(moved, best, 0)
        run = np.where(here == before, run + (here != INACTIVE), 1)
        best = np.where(moved, run, np.maximum(best, run))
    return np.asarray(total + best)


def constant_word(width: int) -> int:
    """Bytes of what the constant cache serves at a time, to any number of lanes, for accesses of
    `width` bytes (CUDA C++ Programming Guide, Constant Memory: a request is split into as many
    requests as there are different addresses)."""
    return max(width, 4)


def local_sectors(rows: Rows, active: Rows, width: int, device: Device) -> Rows:
    """Sectors of local accesses: byte b of lane l lies at (b div 4)·128 + 4·l + b mod 4 for a warp
    of 32 (measured on sm_90)."""
    lanes = rows.shape[1]
    per_word = lanes * 4 // device.sector_bytes
    words = [rows // 4 + k for k in range(max(1, width // 4))]
    found = [
        np.where(active, word * per_word + np.arange(lanes) * 4 // device.sector_bytes, -1)
        for word in words
    ]
    ordered = np.sort(np.concatenate(found, axis=1), axis=1)
    fresh = ordered[:, 1:] != ordered[:, :-1]
    return np.asarray(fresh.sum(axis=1) + 1 - (ordered[:, 0] == -1))
