"""Occupancy against the theoretical occupancy that Nsight Compute states for 65 launches, and by
hand for other devices."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernlint import hardware
from kernlint.hardware.occupancy import occupancy
from tests.places import TRUTH

LAUNCHES: list[dict[str, Any]] = json.loads((TRUTH / "h100_kernels.json").read_text())


def test_measured_launches() -> None:
    """Every launch: exactly the profiler's theoretical occupancy, in percent."""
    wrong = []
    for launch in LAUNCHES:
        shared = launch["static_shared"] + launch["dynamic_shared"]
        found = occupancy(math.prod(launch["block"]), launch["registers"], shared)
        if 100 * found.share != launch["occupancy_pct"]:
            wrong.append(
                (launch["program"], launch["kernel"], 100 * found.share, launch["occupancy_pct"])
            )
    assert not wrong
    assert len(LAUNCHES) == 65
    assert {launch["occupancy_pct"] for launch in LAUNCHES} == {40.625, 93.75, 100.0}


@pytest.mark.parametrize(
    ("device", "threads", "registers", "shared", "blocks", "limiters"),
    [
        ("h100", 256, 32, 0, 8, ("warps", "registers")),
        (
            "h100",
            256,
            33,
            0,
            6,
            ("registers",),
        ),  # 40 registers a thread in units: 1,280 a warp, 12 warps in each of four partitions
        ("h100", 32, 16, 0, 32, ("blocks",)),
        (
            "h100",
            64,
            16,
            16 * 1024,
            13,
            ("shared memory",),
        ),  # 17 KB with the kilobyte that the system keeps, 228 KB in all
        (
            "h100",
            1024,
            65,
            0,
            0,
            ("registers",),
        ),  # 32 warps of 2,304 registers: more than the file holds
        ("gtx-285", 256, 16, 0, 4, ("warps", "registers")),
        ("gtx-285", 64, 20, 0, 8, ("blocks",)),
        ("gtx-285", 64, 40, 3000, 5, ("shared memory",)),  # 3,016 bytes in units of 512: 3,072
        (
            "gtx-480",
            192,
            21,
            0,
            7,
            ("registers",),
        ),  # 672 registers in units of 64: 704 a warp, 23 warps in each of two partitions
        ("gtx-780-ti", 256, 32, 12 * 1024, 4, ("shared memory",)),
        (
            "mi300x",
            64,
            32,
            0,
            32,
            ("warps", "blocks"),
        ),  # a work-group of one wavefront takes no barrier
        ("mi300x", 128, 32, 0, 16, ("warps", "blocks")),
        (
            "mi300x",
            128,
            129,
            0,
            6,
            ("registers",),
        ),  # 136 of 512 registers a lane: three wavefronts on each of four SIMDs
        ("mi300x", 256, 64, 20 * 1024, 3, ("shared memory",)),
    ],
)
def test_by_hand(
    device: str, threads: int, registers: int, shared: int, blocks: int, limiters: tuple[str, ...]
) -> None:
    found = occupancy(threads, registers, shared, device)
    assert (found.blocks, found.limiters) == (blocks, limiters)


def test_unknown_registers_do_not_limit() -> None:
    found = occupancy(256, None, 0)
    assert "registers" not in found.limits
    assert (found.blocks, found.share) == (8, 1.0)


def test_carveout_limits_shared_memory() -> None:
    assert occupancy(128, 16, 8 * 1024, carveout=100 * 1024).blocks == 100 // 9
    assert (
        occupancy(128, 16, 8 * 1024, carveout=8 * 1024).blocks == 1
    )  # 9 KB with the kilobyte kept: 16 KB are given


@pytest.mark.parametrize(
    ("threads", "registers", "shared"), [(0, 32, 0), (-1, 32, 0), (32, -1, 0), (32, 32, -4)]
)
def test_nonsense_is_refused(threads: int, registers: int, shared: int) -> None:
    with pytest.raises(ValueError, match="at least one thread"):
        occupancy(threads, registers, shared)


@given(
    st.integers(1, 1024),
    st.integers(1, 255),
    st.integers(0, 232448),
    st.sampled_from(hardware.names()),
)
def test_resources_are_never_exceeded(threads: int, registers: int, shared: int, name: str) -> None:
    """What is resident fits, and one block more would not, by the resource named."""
    device = hardware.device(name)
    found = occupancy(threads, registers, shared, device)
    warps = math.ceil(threads / device.warp_lanes)
    assert found.blocks * warps <= device.limits["warps_per_sm"]
    assert found.blocks * shared <= device.limits["shared_per_sm"]
    if found.blocks and "registers_per_sm" in device.limits:
        assert found.blocks * threads * registers <= device.limits["registers_per_sm"]
    assert found.limiters
    assert min(found.limits.values()) == found.blocks
    more = occupancy(threads, registers, min(shared + 1024, 10**6), device)
    assert more.blocks <= found.blocks
