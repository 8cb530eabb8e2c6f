"""The counters of an access, by its memory space, and which shifts of a request they tell apart.

In: requests of one access. Out: what counts them with the hardware model. Never: totals, or what is
unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from kernlint.base import deadline
from kernlint.base.dataclass import dataclass
from kernlint.execution.counting.requests import Batch
from kernlint.execution.values.sums import Array
from kernlint.hardware import (
    Device,
    constant_word,
    ideal_sector_rows,
    ideal_wavefront_rows,
    line_rows,
    sector_rows,
    wavefront_rows,
)
from kernlint.hardware.rows import Requests, distinct, per_row, units
from kernlint.hardware.sector_counts import local_sectors

ROWS_AT_ONCE = 4096  # of 32 lanes: they fit into the processor's cache


@dataclass(frozen=True, slots=True)
class Measure:
    """One counter of an access. `count`: of byte offsets and active lanes, the same for offsets
    that differ by a multiple of `unit`; `ideal`: per request."""

    name: str
    unit: int
    count: Callable[[Array, Array], Array]
    ideal: Array


def measures(space: str, op: str, requests: Requests, width: int, device: Device) -> list[Measure]:
    """The counters of an access in a memory space; the first tells which request is the
    costliest."""
    active = requests.active
    if space == "local":
        ideal = -(-active.sum(axis=1) * width // device.sector_bytes)
        return [
            Measure(
                "sectors", 4, lambda rows, active: local_sectors(rows, active, width, device), ideal
            )
        ]
    if space == "shared":
        ideal = ideal_wavefront_rows(requests.offsets, active, width, op, device)
        unit = max(width, device.bank_bytes)
        return [
            Measure(
                "wavefronts",
                unit,
                lambda rows, active: wavefront_rows(rows, active, width, op, device),
                ideal,
            )
        ]
    if space == "constant":
        ones = np.ones(len(active), np.int64)
        return [
            Measure(
                "wavefronts",
                constant_word(width),
                lambda rows, active: word_rows(rows, active, width),
                ones,
            )
        ]
    ideal = ideal_sector_rows(requests.offsets, active, width, device)
    fewest = -(-ideal * device.sector_bytes // device.line_bytes)
    return [
        Measure(
            "sectors",
            device.sector_bytes,
            lambda rows, active: sector_rows(rows, active, width, "load", device),
            ideal,
        ),
        Measure(
            "lines",
            device.line_bytes,
            lambda rows, active: line_rows(rows, active, width, device),
            fewest,
        ),
    ]


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """What requests count that are all moved alike: each one's number, their sum with as many times
    as they occur, extremes."""

    values: Array
    total: int
    minimum: int
    maximum: int


Asked = tuple[Requests, Sequence[int]]  # requests, and by how much all their lanes are moved


def count_moved(measure: Measure, asked: Sequence[Asked]) -> list[dict[int, Counted]]:
    """The requests of each entry counted under each shift of all lanes, many shifts of many entries
    at once: few rows cost as much as one. Every entry's measure is of the same kind as
    `measure`."""
    found: list[dict[int, Counted]] = [{} for _ in asked]
    pieces: list[tuple[int, Sequence[int]]] = []
    rows = 0
    for position, (requests, shifts) in enumerate(asked):
        together = max(1, ROWS_AT_ONCE // len(requests.offsets))
        for start in range(0, len(shifts), together):
            some = shifts[start : start + together]
            if rows + len(some) * len(requests.offsets) > ROWS_AT_ONCE and pieces:
                _count_pieces(measure, asked, pieces, found)
                pieces, rows = [], 0
            pieces.append((position, some))
            rows += len(some) * len(requests.offsets)
    if pieces:
        _count_pieces(measure, asked, pieces, found)
    return found


def _count_pieces(
    measure: Measure,
    asked: Sequence[Asked],
    pieces: Sequence[tuple[int, Sequence[int]]],
    found: list[dict[int, Counted]],
) -> None:
    deadline.check(
        1 + sum(len(asked[position][0].offsets) * len(some) for position, some in pieces)
    )
    moved = [(asked[position][0], np.array(shifts)) for position, shifts in pieces]
    lanes = moved[0][0].offsets.shape[1]
    offsets = [
        (requests.offsets[None] + shifts[:, None, None]).reshape(-1, lanes)
        for requests, shifts in moved
    ]
    active = [np.tile(requests.active, (len(shifts), 1)) for requests, shifts in moved]
    counted, start = measure.count(np.concatenate(offsets), np.concatenate(active)), 0
    for (position, some), (requests, _), rows in zip(pieces, moved, offsets, strict=True):
        values = counted[start : start + len(rows)].reshape(len(some), -1)
        start += len(rows)
        totals, least, most = (
            (values @ requests.times).tolist(),
            values.min(axis=1).tolist(),
            values.max(axis=1).tolist(),
        )
        for one, shift in enumerate(some):
            found[position][shift] = Counted(values[one], totals[one], least[one], most[one])


def word_rows(rows: Array, active: Array, width: int) -> Array:
    """Passes of the constant cache."""
    unit = constant_word(width)
    return per_row(rows, active, unit, lambda relative: distinct(units(relative, width, unit)))


def classes(batch: Batch, unit: int) -> list[tuple[int, int]]:
    """The batch's shifts that a counter of this unit tells apart: (one of them, how often they
    occur)."""
    found: dict[int, tuple[int, int]] = {}
    for shift, times in zip(batch.shifts, batch.counts, strict=True):
        one, before = found.get(shift % unit, (shift, 0))
        found[shift % unit] = one, before + times
    return list(found.values())
