"""Wavefronts: the passes of the shared-memory pipe that a request needs.

In: byte offsets of the lanes from a base that lies on bank 0, the width and the operation, a
device. Out: wavefronts per request. Never: timing, or which device it is; the phase schedules are
the profile's.

Rules of NVIDIA's 32 banks of 4 bytes: measured on H100 over 2,240 single-warp accesses and 600
special operations, without exception; see the profile's sources.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from kernlint.base.usage import DEFAULT_DEVICE
from kernlint.hardware.devices import Device, Schedule, resolve
from kernlint.hardware.rows import INACTIVE, Flags, Rows, checked, narrow, pad, per_row, units

FEW_ROWS = 256  # measured: up to here the steps of numpy cost more than the memory they move


def wavefronts(
    offsets: Sequence[int | None],
    width: int,
    op: str = "load",
    device: str | Device = DEFAULT_DEVICE,
) -> int:
    """Wavefronts of one shared request: a byte offset per lane, None for an inactive lane.

    ValueError: more lanes than the warp, a width the operation lacks, an unknown operation or
    device.
    """
    profile = resolve(device)
    return int(wavefront_rows(*pad(tuple(offsets), profile), width, op, profile)[0])


def ideal_wavefronts(
    offsets: Sequence[int | None],
    width: int,
    op: str = "load",
    device: str | Device = DEFAULT_DEVICE,
) -> int:
    """Wavefronts that the same active lanes need when no two words share a bank."""
    profile = resolve(device)
    return int(ideal_wavefront_rows(*pad(tuple(offsets), profile), width, op, profile)[0])


def lane_groups(
    offsets: Sequence[int | None],
    width: int,
    op: str = "load",
    device: str | Device = DEFAULT_DEVICE,
) -> list[tuple[int, ...]]:
    """The lanes of one shared request that go together, group by group in the order of their turns;
    ValueError as for `wavefronts`."""
    profile = resolve(device)
    schedule = profile.schedule(op, width)
    order = schedule.order or tuple(range(profile.warp_lanes))
    size = schedule.lanes
    if schedule.paired_lanes:
        rows, flags = _ordered(*checked(*pad(tuple(offsets), profile), width, profile), schedule)
        relative = np.where(
            flags, rows - rows.min(where=flags, initial=np.iinfo(np.int64).max), INACTIVE
        )
        if bool(_paired(relative, schedule.partners)[0]):
            size = schedule.paired_lanes
    return [order[first : first + size] for first in range(0, len(order), size)]


def wavefront_rows(
    offsets: npt.ArrayLike,
    active: npt.ArrayLike,
    width: int,
    op: str = "load",
    device: str | Device = DEFAULT_DEVICE,
) -> Rows:
    """Wavefronts of each request: `offsets` and `active` are [requests, lanes of the warp]."""
    profile = resolve(device)
    schedule = profile.schedule(op, width)
    rows, flags = _ordered(*checked(offsets, active, width, profile), schedule)
    unit = max(width, profile.bank_bytes)
    return schedule.passes * per_row(
        rows, flags, unit, lambda relative: _scheduled(relative, width, schedule, profile)
    )


def ideal_wavefront_rows(
    offsets: npt.ArrayLike,
    active: npt.ArrayLike,
    width: int,
    op: str = "load",
    device: str | Device = DEFAULT_DEVICE,
) -> Rows:
    """Conflict-free wavefronts of each request: one up to a bank's width, else one per lane group
    with an active lane; of asynchronous copies as few as hold what the active lanes write (32 lanes
    of 16 bytes take 4, of 8 bytes 2, measured on an H100)."""
    profile = resolve(device)
    schedule = profile.schedule(op, width)
    rows, flags = _ordered(*checked(offsets, active, width, profile), schedule)
    if op == "copy":
        return np.asarray(
            -(-np.count_nonzero(flags, axis=1) * width // (profile.banks * profile.bank_bytes)),
            dtype=np.int64,
        )
    return schedule.passes * per_row(
        rows, flags, max(width, profile.bank_bytes), lambda relative: _ideal(relative, schedule)
    )


def _ordered(rows: Rows, flags: Flags, schedule: Schedule) -> tuple[Rows, Flags]:
    """The lanes in the order in which the schedule's groups take them."""
    if not schedule.order:
        return rows, flags
    return rows[:, schedule.order], flags[:, schedule.order]


def _scheduled(relative: Rows, width: int, schedule: Schedule, device: Device) -> Rows:
    if schedule.mode == "groups":
        return _active_groups(relative, schedule)
    if not schedule.paired_lanes:
        return _grouped(relative, width, schedule.lanes, schedule.mode, device)
    paired = _paired(relative, schedule.partners)
    result = np.empty(len(relative), np.int64)
    for chosen, lanes in ((paired, schedule.paired_lanes), (~paired, schedule.lanes)):
        if bool(chosen.any()):
            result[chosen] = _grouped(relative[chosen], width, lanes, schedule.mode, device)
    return result


def _ideal(relative: Rows, schedule: Schedule) -> Rows:
    groups: Rows = _active_groups(relative, schedule)
    if schedule.paired_lanes:
        together = _active_groups(relative, replace(schedule, lanes=schedule.paired_lanes))
        groups = np.where(_paired(relative, schedule.partners), together, groups)
    return groups


def _active_groups(relative: Rows, schedule: Schedule) -> Rows:
    """Lane groups that take a turn: those with an active lane, or all of a warp with one."""
    groups: Flags = np.any((relative >= 0).reshape(len(relative), -1, schedule.lanes), axis=2)
    if schedule.mode == "groups":
        return np.asarray(groups.shape[1] * np.any(groups, axis=1), dtype=np.int64)
    return np.asarray(np.count_nonzero(groups, axis=1), dtype=np.int64)


def _paired(relative: Rows, partners: tuple[int, ...]) -> Flags:
    """Rows where, for one x of `partners`, each active lane l with an active partner l^x has the
    partner's address."""
    lanes = np.arange(relative.shape[1])
    result = np.zeros(len(relative), np.bool_)
    for partner in partners:
        other = relative[:, lanes ^ partner]
        result |= ((relative == other) | (relative < 0) | (other < 0)).all(axis=1)
    return result


def _grouped(relative: Rows, width: int, lanes: int, mode: str, device: Device) -> Rows:
    """The sum over groups of `lanes` lanes of each group's worst bank."""
    unit, banks = device.bank_bytes, device.banks
    if unit < width <= unit * banks and not bool(
        ((relative & (width - 1) != 0) & (relative >= 0)).any()
    ):
        # An aligned access covers a fixed run of banks: counting whole accesses per run is counting
        # words per bank.
        unit, banks = width, banks * unit // width
    words = units(relative, width, unit)
    groups = words.reshape(len(relative) * (relative.shape[1] // lanes), -1)
    return np.asarray(
        _worst_bank(groups, banks, mode == "words").reshape(len(relative), -1).sum(axis=1),
        dtype=np.int64,
    )


def _worst_bank(words: Rows, banks: int, share: bool) -> Rows:
    """Per row the most words (`share`: distinct words) that fall into one bank; INACTIVE entries do
    not count."""
    if words.shape[1] == 1:
        return (words[:, 0] >= 0).astype(np.int64)
    low = banks.bit_length() - 1
    shift = int(words.max(initial=0) >> low).bit_length()
    keys = np.sort(narrow(((words & (banks - 1)) << shift) | (words >> low)), axis=1)
    if len(keys) < FEW_ROWS:
        return _worst_run(keys, shift, share)
    lanes = np.ascontiguousarray(keys.T)
    run = (lanes[0] != INACTIVE).astype(np.int8 if len(lanes) < 128 else np.int32)
    worst = run.copy()
    for before, here in pairwise(lanes):
        step = here != before if share else here != INACTIVE
        run = np.where((here ^ before) >> shift != 0, 1, run + step).astype(run.dtype)
        np.maximum(worst, run, out=worst)
    return np.asarray(worst, dtype=np.int64)


def _worst_run(keys: Rows, shift: int, share: bool) -> Rows:
    """The same by prefix sums over whole rows: fewer steps, more memory. `keys`: sorted, the bank
    above `shift` bits of its word."""
    counted = keys != INACTIVE
    if share:
        counted[:, 1:] &= keys[:, 1:] != keys[:, :-1]
    upto = np.cumsum(counted, axis=1)
    before = upto - counted
    before[:, 1:][(keys[:, 1:] ^ keys[:, :-1]) >> shift == 0] = 0
    return np.asarray((upto - np.maximum.accumulate(before, axis=1)).max(axis=1), dtype=np.int64)
