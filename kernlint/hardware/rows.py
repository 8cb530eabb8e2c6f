"""Warp requests as rows: checking, collapsing equal ones, and counting distinct units along a row.

In: byte offsets and activity, [rows, lanes]. Out: arrays with one number per row, or relative rows
that encode an inactive lane as -1. Never: a Python loop over rows, or an opinion about banks and
sectors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from kernlint.base.dataclass import dataclass
from kernlint.hardware.devices import Device

Integers = npt.NDArray[Any]
Rows = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

INACTIVE = -1
_FAR = np.int64(2**62)
_CHUNK = 8192  # rows that stay in the processor's cache while they are counted
_FEW = 32  # rows below which looking for equal ones does not pay
# unrelated odd multipliers, one a lane
_MIX = np.array([pow(0x9E3779B97F4A7C15, 2 * lane + 3, 2**61 - 1) | 1 for lane in range(64)])


def checked(
    offsets: npt.ArrayLike, active: npt.ArrayLike, width: int, device: Device
) -> tuple[Rows, Flags]:
    """The arrays as int64 and bool, [rows, lanes of the device's warp]; ValueError when they are
    anything else."""
    rows, flags = np.asarray(offsets, dtype=np.int64), np.asarray(active, dtype=np.bool_)
    if width not in device.widths:
        raise ValueError(
            f"no access is {width!r} bytes wide on {device.name}; widths are {', '.join(map(str, device.widths))}"
        )
    if rows.ndim != 2 or rows.shape != flags.shape:
        raise ValueError(
            f"offsets and active must have one shape [rows, lanes], got {rows.shape} and {flags.shape}"
        )
    if rows.shape[1] != device.warp_lanes:
        raise ValueError(
            f"{rows.shape[1]} lanes given, a warp of {device.name} has {device.warp_lanes}"
        )
    return rows, flags


def per_row(offsets: Rows, active: Flags, unit: int, count: Callable[[Rows], Rows]) -> Rows:
    """`count` of the rows, computed once for rows that are equal up to a shift by whole `unit`s (a
    power of two).

    `count` sees byte offsets from the row's lowest active unit (so 0 ≤ offset where active) and
    INACTIVE elsewhere.
    """
    if not len(offsets):
        return np.zeros(0, np.int64)
    relative = _relative(offsets, active, unit)
    if (
        len(relative) > 1
        and np.array_equal(relative[-1], relative[0])
        and bool((relative == relative[0]).all())
    ):
        return np.repeat(count(relative[:1]), len(relative))
    if len(relative) >= _FEW:
        found = _distinct_rows(relative)
        if found is not None:
            return count(found[0])[found[1]]
    return np.concatenate(
        [count(relative[start : start + _CHUNK]) for start in range(0, len(relative), _CHUNK)]
    )


@dataclass(frozen=True, slots=True)
class Requests:
    """Requests that stand for many: row i occurs `times[i]` times, first at `first[i]`, each moved
    by some multiple of a unit."""

    offsets: Rows
    active: Flags
    times: Rows
    first: Rows


def distinct_requests(offsets: Rows, active: Flags, unit: int) -> Requests:
    """The requests, rows that are equal up to a shift by whole `unit`s (a power of two) together as
    far as that pays."""
    relative = _relative(offsets, active, unit)
    if (
        len(relative) > 1
        and np.array_equal(relative[-1], relative[0])
        and bool((relative == relative[0]).all())
    ):
        return Requests(relative[:1], active[:1], np.array([len(relative)]), np.zeros(1, np.int64))
    found = _distinct_rows(relative) if len(relative) >= _FEW else None
    if found is None:
        return Requests(
            relative, active, np.ones(len(relative), np.int64), np.arange(len(relative))
        )
    chosen, inverse, first = found
    return Requests(chosen, active[first], np.bincount(inverse), first)


def _relative(offsets: Rows, active: Flags, unit: int) -> Rows:
    if bool(active.all()):
        low = offsets.min(axis=1, keepdims=True)
        return np.asarray(offsets - (low & -unit))
    low = np.where(active, offsets, _FAR).min(axis=1, keepdims=True)
    return np.where(active, offsets - (low & -unit), INACTIVE)


def _distinct_rows(relative: Rows) -> tuple[Rows, Rows, Rows] | None:
    """(distinct rows, where each row is among them, where each of them occurs first), None when too
    few are equal.

    Hashed, then verified: never approximate.
    """
    mix = np.resize(_MIX, relative.shape[1])
    _, first, inverse = np.unique(relative @ mix, return_index=True, return_inverse=True)
    if 2 * len(first) > len(relative):
        return None
    chosen = relative[first]
    return (chosen, inverse, first) if np.array_equal(chosen[inverse], relative) else None


def units(relative: Rows, width: int, unit: int) -> Rows:
    """The `unit`-byte blocks each lane's `width` bytes touch, [rows, lanes * k]; k > 1 only where
    an access spans several."""
    shift = unit.bit_length() - 1
    first = relative >> shift
    if width == 1:
        return np.asarray(first)
    last = np.where(relative >= 0, (relative + (width - 1)) >> shift, INACTIVE)
    spread = int((last - first).max(initial=0))
    if spread == 0:
        return np.asarray(first)
    steps = np.arange(spread + 1)
    return np.asarray(
        np.minimum(first[:, :, None] + steps, last[:, :, None]).reshape(len(relative), -1)
    )


def narrow(values: Rows) -> Integers:
    """The same numbers in 32 bits where they fit: sorting is three times faster."""
    return values.astype(np.int32) if int(values.max(initial=0)) < 2**31 else values


def distinct(values: Rows) -> Rows:
    """How many different non-negative numbers each row holds."""
    ordered = np.sort(narrow(values), axis=1)
    changes = np.count_nonzero(ordered[:, 1:] != ordered[:, :-1], axis=1)
    return np.asarray(changes + (ordered[:, 0] >= 0), dtype=np.int64)


def pad(offsets: list[int | None] | tuple[int | None, ...], device: Device) -> tuple[Rows, Flags]:
    """One request as a row of the warp's length: lanes not given are inactive. ValueError for more
    lanes than the warp has."""
    if len(offsets) > device.warp_lanes:
        raise ValueError(
            f"{len(offsets)} lanes given, a warp of {device.name} has {device.warp_lanes}"
        )
    # whatever a caller without types gives
    lanes: list[Any] = list(offsets) + [None] * (device.warp_lanes - len(offsets))
    for lane, offset in enumerate(lanes):
        if offset is not None and (
            isinstance(offset, bool) or not isinstance(offset, (int, np.integer))
        ):
            raise ValueError(f"lane {lane}: an offset is a number of bytes or None, got {offset!r}")
    return np.array([[offset or 0 for offset in lanes]], np.int64), np.array(
        [[offset is not None for offset in lanes]]
    )
