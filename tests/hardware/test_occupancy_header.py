"""Occupancy and the splits of L1 and shared memory against the CUDA toolkit's own calculator
(tests/data/occupancy)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kernlint import hardware
from kernlint.hardware.occupancy import (
    BLOCKS,
    REGISTERS,
    SHARED,
    WARPS,
    carveout_percent,
    occupancy,
)
from tests.hardware import occupancy_header
from tests.places import DATA

ANSWERS: dict[str, Any] = json.loads((DATA / "occupancy/header.json").read_text())
KB = 1024
NAMES = [name for name in hardware.names() if str(hardware.device(name).capability) in ANSWERS]


def answers(name: str) -> Any:
    return ANSWERS[str(hardware.device(name).capability)]


def test_every_capability_that_the_header_knows_is_asked() -> None:
    assert {hardware.device(name).capability for name in hardware.names()} - {13, 20, None} == {
        int(key) for key in ANSWERS
    }
    assert len(NAMES) >= 8
    assert all(len(found["launches"]) == occupancy_header.LAUNCHES for found in ANSWERS.values())


@pytest.mark.parametrize("name", NAMES)
def test_limits_are_those_of_the_guide_and_the_header(name: str) -> None:
    limits, found = hardware.device(name).limits, answers(name)
    warps, shared, optin, kept = found["guide"]
    assert (
        limits["threads_per_block"],
        limits["registers_per_sm"],
        limits["registers_per_thread"],
    ) == (1024, 65536, 255)
    assert (limits["warps_per_sm"], limits["shared_per_sm"]) == (warps, shared * KB)
    assert (limits["shared_per_block"], limits["shared_per_block_optin"]) == (48 * KB, optin * KB)
    assert hardware.device(name).shared_window == kept * KB
    for key in ("blocks_per_sm", "register_unit", "register_partitions", "shared_unit"):
        assert limits[key] == found[key]


@pytest.mark.parametrize("name", NAMES)
def test_splits_of_l1_and_shared_memory(name: str) -> None:
    device, splits = hardware.device(name), answers(name)["splits"]
    assert device.carveouts == tuple(sorted(set(splits)))
    if len(splits) == 101:  # asked for in percent
        assert all(splits[carveout_percent(size, device)] == size for size in device.carveouts)


@pytest.mark.parametrize("name", NAMES)
def test_launches(name: str) -> None:
    device = hardware.device(name)
    for threads, registers, shared, share, size, *expected in answers(name)["launches"]:
        found = occupancy(threads, registers, shared, device, size if share >= 0 else None)
        limits = [found.limits.get(limit) for limit in (WARPS, BLOCKS, REGISTERS, SHARED)]
        assert [*limits, found.blocks] == expected, (threads, registers, shared, share)
