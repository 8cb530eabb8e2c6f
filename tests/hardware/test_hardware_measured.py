"""The hardware model against counters measured on an H100 (tests/data/h100_*.jsonl)."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

import numpy as np
import pytest

from kernlint import hardware
from tests.places import DATA

INTEGER_ATOMICS = ("red.add.u32", "atom.add.u32", "red.max.u32")
MATRICES = {
    "ldmatrix.x1": 8,
    "ldmatrix.x2": 16,
    "ldmatrix.x4": 32,
    "ldmatrix.x4.trans": 32,
    "stmatrix.x4": 32,
}
GLOBAL_ATOMICS = (
    "global.red.add.u32",
    "global.red.add.f32",
    "global.atom.add.u32",
    "global.atom.cas.b32",
)


def measured(name: str) -> list[dict[str, Any]]:
    head, *lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    columns = json.loads(head)["columns"]
    return [dict(zip(columns, json.loads(line), strict=True)) for line in lines]


def lanes_of(record: dict[str, Any], space: str) -> list[int | None]:
    mask = int(record["mask"], 16)
    return [offset if mask >> lane & 1 else None for lane, offset in enumerate(record[space])]


PATTERNS = measured("h100_patterns.jsonl")
SPECIAL: dict[str, list[dict[str, Any]]] = defaultdict(list)
for entry in measured("h100_special.jsonl"):
    SPECIAL[entry["op"]].append(entry)


def test_all_patterns_scalar() -> None:
    assert len(PATTERNS) == 1280
    wrong = []
    for record in PATTERNS:
        lanes, width = lanes_of(record, "offsets"), record["width"]
        if record["space"] == "shared":
            op = {"ld": "load", "st": "store"}[record["op"]]
            found, truth = hardware.wavefronts(lanes, width, op), record["wavefronts"]
        else:
            found, truth = hardware.sectors(lanes, width), record["sectors"]
        if found != truth:
            wrong.append((record, found))
    assert wrong == []


@pytest.mark.parametrize("width", [1, 2, 4, 8, 16])
@pytest.mark.parametrize(
    ("space", "op"),
    [("shared", "load"), ("shared", "store"), ("global", "load"), ("global", "store")],
)
def test_all_patterns_by_rows(space: str, op: str, width: int) -> None:
    chosen = [
        r
        for r in PATTERNS
        if (r["space"], r["op"], r["width"]) == (space, {"load": "ld", "store": "st"}[op], width)
    ]
    assert len(chosen) > 30
    # Thirty copies, each shifted: the collapsing of equal rows must not show.
    offsets = np.concatenate(
        [np.array([r["offsets"] for r in chosen]) + 128 * shift for shift in range(30)]
    )
    active = np.concatenate(
        [
            np.array(
                [[int(r["mask"], 16) >> lane & 1 for lane in range(32)] for r in chosen], np.bool_
            )
        ]
        * 30
    )
    if space == "shared":
        found, truth = (
            hardware.wavefront_rows(offsets, active, width, op),
            [r["wavefronts"] for r in chosen],
        )
    else:
        found, truth = (
            hardware.sector_rows(offsets, active, width, op),
            [r["sectors"] for r in chosen],
        )
    assert found.dtype == np.int64
    assert found.tolist() == truth * 30


@pytest.mark.parametrize("op", INTEGER_ATOMICS)
def test_shared_integer_atomics(op: str) -> None:
    assert len(SPECIAL[op]) == 40
    for record in SPECIAL[op]:
        assert (
            hardware.wavefronts(lanes_of(record, "shared"), record["width"], "atomic")
            == record["wavefronts"]
        )


def test_shared_compare_and_swap() -> None:
    assert len(SPECIAL["atom.cas.b32"]) == 40
    for record in SPECIAL["atom.cas.b32"]:
        assert hardware.wavefronts(lanes_of(record, "shared"), 4, "cas") == record["wavefronts"]


@pytest.mark.parametrize("op", MATRICES)
def test_matrix_rows(op: str) -> None:
    """Lane l of the first 8, 16 or 32 lanes supplies a row's address; the others' addresses are
    ignored."""
    assert len(SPECIAL[op]) == 40
    for record in SPECIAL[op]:
        assert (
            hardware.wavefronts(lanes_of(record, "shared")[: MATRICES[op]], 16, op.split(".")[0])
            == record["wavefronts"]
        )


@pytest.mark.parametrize("op", GLOBAL_ATOMICS)
def test_global_atomics(op: str) -> None:
    assert len(SPECIAL[op]) == 40
    for record in SPECIAL[op]:
        assert (
            hardware.sectors(
                lanes_of(record, "global"), record["width"], op="cas" if "cas" in op else "atomic"
            )
            == record["sectors"]
        )


@pytest.mark.parametrize("width", [4, 8, 16])
def test_asynchronous_copies_read_sectors(width: int) -> None:
    records = SPECIAL[f"cp.async.{width}"]
    active = [[int(r["mask"], 16) >> lane & 1 for lane in range(32)] for r in records]
    found = hardware.copy_sector_rows(
        [r["shared"] for r in records], [r["global"] for r in records], active, width
    )
    assert found.tolist() == [r["sectors"] for r in records]
    assert len(records) == 40


@pytest.mark.parametrize("width", [4, 8])
def test_asynchronous_copies_of_4_and_8_bytes_are_bounded_only(width: int) -> None:
    """Not understood fully: the profile's number is a lower bound of the passes."""
    for record in SPECIAL[f"cp.async.{width}"]:
        assert (
            1
            <= hardware.wavefronts(lanes_of(record, "shared"), width, "copy")
            <= record["wavefronts"]
        )


@pytest.mark.slow
def test_copies_count_between_their_banks_and_their_lanes() -> None:
    """The profiler's wavefronts depend on both addresses: the device's rule is a lower bound, the
    lanes an upper one."""
    header, *records = [
        json.loads(line) for line in (DATA / "h100_copies.jsonl").read_text().splitlines()
    ]
    assert (
        header["columns"] == ["op", "mask", "shared", "global", "wavefronts", "sectors"]
        and len(records) == 682
    )
    for op, mask, shared, read, wavefronts, sectors in records:
        width, active = (
            int(op.rpartition(".")[2]),
            [int(mask, 16) >> lane & 1 for lane in range(32)],
        )
        places = [offset if flag else None for offset, flag in zip(shared, active, strict=True)]
        assert hardware.wavefronts(places, width, "copy") <= wavefronts <= sum(active), (
            op,
            mask,
            shared,
            read,
        )
        assert hardware.ideal_wavefronts(places, width, "copy") <= wavefronts
        sources = [offset if flag else None for offset, flag in zip(read, active, strict=True)]
        assert hardware.sectors(sources, width) <= sectors <= sum(active), (op, mask, shared, read)
        if ".ca." in op:
            assert hardware.sectors(sources, width) == sectors


@pytest.mark.parametrize(("width", "fewest"), [(4, 1), (8, 2), (16, 4)])
def test_copies_next_to_each_other_take_as_few_wavefronts_as_hold_them(
    width: int, fewest: int
) -> None:
    _, *records = [
        json.loads(line) for line in (DATA / "h100_copies.jsonl").read_text().splitlines()
    ]
    row = [width * lane for lane in range(32)]
    side_by_side = [
        r for r in records if r[0].endswith(f".{width}") and r[1:4] == ["f" * 8, row, row]
    ]
    found = {counted for *_, counted, _ in side_by_side}
    assert found == {fewest} == {hardware.ideal_wavefronts(row, width, "copy")}
