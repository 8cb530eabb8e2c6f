"""Properties of the hardware model, against reference counters written independently of it, and its
errors."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernlint import hardware
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source import files

WIDTHS = (1, 2, 4, 8, 16)
Lanes = list[int | None]


@st.composite
def requests(
    draw: st.DrawFn, lanes: int = 32, widths: tuple[int, ...] = WIDTHS, aligned: bool = True
) -> tuple[Lanes, int]:
    width = draw(st.sampled_from(widths))
    step = width if aligned else 1
    kind = draw(st.sampled_from(["random", "affine", "few"]))
    if kind == "affine":
        base, stride = draw(st.integers(0, 64)), draw(st.integers(0, 40))
        elements = [base + stride * lane for lane in range(lanes)]
    else:
        elements = draw(
            st.lists(
                st.integers(0, 2000 if kind == "random" else 40), min_size=lanes, max_size=lanes
            )
        )
    mask = draw(
        st.one_of(st.just([True] * lanes), st.lists(st.booleans(), min_size=lanes, max_size=lanes))
    )
    return [
        element * step if on else None for element, on in zip(elements, mask, strict=True)
    ], width


# ------------------------------------------------------------------ references: sets and loops,
# nothing shared with the model


def degree(lanes: Lanes, width: int, banks: int, bank_bytes: int) -> int:
    served: dict[int, set[int]] = defaultdict(set)
    for offset in lanes:
        if offset is not None:
            for byte in range(offset, offset + width):
                served[byte // bank_bytes % banks].add(byte // bank_bytes)
    return max((len(words) for words in served.values()), default=0)


def reference_wavefronts(lanes: Lanes, width: int, op: str) -> int:
    group = {8: 16, 16: 8}.get(width, 32)
    if op == "load" and width >= 8:
        for x in (1, 2):
            pairs = [(lanes[lane], lanes[lane ^ x]) for lane in range(32)]
            if all(a is None or b is None or a == b for a, b in pairs):
                group = {8: 32, 16: 16}[width]
    return sum(degree(lanes[start : start + group], width, 32, 4) for start in range(0, 32, group))


def reference_blocks(lanes: Lanes, width: int, block: int) -> int:
    return len(
        {
            byte // block
            for offset in lanes
            if offset is not None
            for byte in range(offset, offset + width)
        }
    )


def reference_atomic_sectors(lanes: Lanes) -> int:
    crowd: dict[int, int] = {}
    for offset, count in Counter(offset for offset in lanes if offset is not None).items():
        crowd[offset // 32] = max(crowd.get(offset // 32, 0), count)
    return sum(crowd.values())


# ------------------------------------------------------------------ properties


@pytest.mark.slow
@given(requests(), st.sampled_from(["load", "store"]))
@settings(max_examples=300, deadline=None)
def test_wavefronts_match_the_reference(request: tuple[Lanes, int], op: str) -> None:
    lanes, width = request
    assert hardware.wavefronts(lanes, width, op) == reference_wavefronts(lanes, width, op)


@pytest.mark.slow
@given(requests(aligned=False))
@settings(max_examples=200, deadline=None)
def test_misaligned_accesses_touch_all_their_bytes(request: tuple[Lanes, int]) -> None:
    lanes, width = request
    assert hardware.sectors(lanes, width) == reference_blocks(lanes, width, 32)
    assert hardware.cache_lines(lanes, width) == reference_blocks(lanes, width, 128)
    assert hardware.ideal_sectors(lanes, width) == math.ceil(reference_blocks(lanes, width, 1) / 32)
    assert hardware.wavefronts(lanes, width, "store") == reference_wavefronts(lanes, width, "store")


@pytest.mark.slow
@given(requests(widths=(4, 8, 16)))
@settings(max_examples=200, deadline=None)
def test_atomics_match_the_reference(request: tuple[Lanes, int]) -> None:
    lanes, width = request
    assert hardware.sectors(lanes, width, op="atomic") == reference_atomic_sectors(lanes)
    if width == 4:
        crowd = max(
            Counter(offset // 4 % 32 for offset in lanes if offset is not None).values(), default=0
        )
        assert hardware.wavefronts(lanes, 4, "atomic") == crowd
        assert hardware.wavefronts(lanes, 4, "cas") == 2 * crowd


@pytest.mark.slow
@given(requests(widths=(4, 8, 16)))
@settings(max_examples=150, deadline=None)
def test_eight_byte_banks_match_the_reference(request: tuple[Lanes, int]) -> None:
    lanes, width = request
    group = 16 if width == 16 else 32
    expected = sum(
        degree(lanes[start : start + group], width, 32, 8) for start in range(0, 32, group)
    )
    assert hardware.wavefronts(lanes, width, "load", "gtx-780-ti") == expected


@pytest.mark.slow
@given(requests(), st.integers(0, 31), st.sampled_from(["store", "atomic", "cas"]))
@settings(max_examples=200, deadline=None)
def test_counts_never_grow_when_a_lane_leaves(
    request: tuple[Lanes, int], leaver: int, op: str
) -> None:
    lanes, width = request
    fewer = [None if lane == leaver else offset for lane, offset in enumerate(lanes)]
    assert hardware.wavefronts(fewer, width, op) <= hardware.wavefronts(lanes, width, op)
    assert hardware.sectors(fewer, width, op=op) <= hardware.sectors(lanes, width, op=op)
    assert hardware.cache_lines(fewer, width) <= hardware.cache_lines(lanes, width)
    assert hardware.ideal_sectors(fewer, width) <= hardware.ideal_sectors(lanes, width)


@pytest.mark.slow
@given(requests(widths=(1, 2, 4)), st.randoms(use_true_random=False))
@settings(max_examples=200, deadline=None)
def test_narrow_accesses_do_not_care_which_lane(request: tuple[Lanes, int], random: object) -> None:
    lanes, width = request
    shuffled = list(lanes)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    for op in ("load", "store", "atomic", "cas"):
        assert hardware.wavefronts(shuffled, width, op) == hardware.wavefronts(lanes, width, op)
    assert hardware.sectors(shuffled, width) == hardware.sectors(lanes, width)


@pytest.mark.slow
@given(requests(), st.sampled_from(["load", "store"]))
@settings(max_examples=200, deadline=None)
def test_ideals_bound_the_counts(request: tuple[Lanes, int], op: str) -> None:
    lanes, width = request
    assert hardware.ideal_wavefronts(lanes, width, op) <= hardware.wavefronts(lanes, width, op)
    assert hardware.ideal_sectors(lanes, width) <= hardware.sectors(lanes, width)
    assert (hardware.wavefronts(lanes, width, op) == 0) == all(offset is None for offset in lanes)


@pytest.mark.slow
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from(WIDTHS),
    st.sampled_from(["load", "store", "atomic", "cas"]),
    st.integers(1, 300),
)
@settings(max_examples=60, deadline=None)
def test_rows_equal_scalars(seed: int, width: int, op: str, count: int) -> None:
    random = np.random.default_rng(seed)
    few = random.integers(0, 500, (7, 32))
    offsets = width * np.where(
        random.random((count, 1)) < 0.6,
        few[random.integers(0, 7, count)],
        random.integers(0, 5000, (count, 32)),
    )
    active = random.random((count, 32)) < random.choice([0.0, 0.4, 1.0], (count, 1))
    lanes = [
        [int(o) if a else None for o, a in zip(row, flags, strict=True)]
        for row, flags in zip(offsets, active, strict=True)
    ]
    assert hardware.wavefront_rows(offsets, active, width, op).tolist() == [
        hardware.wavefronts(row, width, op) for row in lanes
    ]
    assert hardware.sector_rows(offsets, active, width, op).tolist() == [
        hardware.sectors(row, width, op=op) for row in lanes
    ]
    assert hardware.line_rows(offsets, active, width).tolist() == [
        hardware.cache_lines(row, width) for row in lanes
    ]
    assert hardware.ideal_sector_rows(offsets, active, width).tolist() == [
        hardware.ideal_sectors(row, width) for row in lanes
    ]
    ideal = hardware.ideal_wavefront_rows(offsets, active, width, op)
    assert ideal.tolist() == [hardware.ideal_wavefronts(row, width, op) for row in lanes]


def test_far_and_negative_offsets() -> None:
    near = np.array([[4 * lane * 3 for lane in range(32)]])
    far = np.array([[2**41 * (lane % 5) + 12 * lane for lane in range(32)]])
    on = np.ones((1, 32), np.bool_)
    assert (
        hardware.wavefront_rows(near - 4096, on, 4).tolist()
        == hardware.wavefront_rows(near, on, 4).tolist()
    )
    assert (
        hardware.wavefront_rows(near + 2**50, on, 4).tolist()
        == hardware.wavefront_rows(near, on, 4).tolist()
    )
    assert hardware.sector_rows(far, on, 4).tolist() == [len({int(o) // 32 for o in far[0]})]


def test_ideal_of_paired_loads() -> None:
    """Measured: a float4 load that neighbouring lanes share counts 2 ideal wavefronts, one of
    separate addresses 4."""
    assert hardware.ideal_wavefronts([16 * (lane // 2) for lane in range(32)], 16, "load") == 2
    assert hardware.ideal_wavefronts([16 * lane for lane in range(32)], 16, "load") == 4
    assert hardware.ideal_wavefronts([8 * lane for lane in range(32)], 8, "load") == 2
    assert (
        hardware.ideal_wavefronts(
            [64 * lane if lane < 5 else None for lane in range(32)], 16, "store"
        )
        == 1
    )


def test_a_warp_of_64_lanes() -> None:
    schedules = {("load", 4): hardware.Schedule(32), ("load", 8): hardware.Schedule(16)}
    wide = dataclasses.replace(
        hardware.device("h100"), name="wide", warp_lanes=64, schedules=schedules
    )
    assert hardware.wavefronts([4 * lane for lane in range(64)], 4, "load", wide) == 2
    assert hardware.wavefronts([8 * lane for lane in range(64)], 8, "load", wide) == 4
    assert hardware.sectors([4 * lane for lane in range(64)], 4, wide) == 8


def test_no_rows() -> None:
    nothing = np.zeros((0, 32), np.int64)
    assert hardware.wavefront_rows(nothing, nothing > 0, 4).shape == (0,)
    assert hardware.sector_rows(nothing, nothing > 0, 4).shape == (0,)


# ------------------------------------------------------------------ errors and profiles


def test_nonsense_is_refused() -> None:
    with pytest.raises(ValueError, match="33 lanes given, a warp of h100 has 32"):
        hardware.wavefronts([0] * 33, 4)
    with pytest.raises(ValueError, match="17 lanes given, a warp of intel-gen9 has 16"):
        hardware.cache_lines([0] * 17, 4, "intel-gen9")
    with pytest.raises(ValueError, match="no shared load of width 3"):
        hardware.wavefronts([0], 3)
    with pytest.raises(ValueError, match="no access is 5 bytes wide"):
        hardware.sectors([0], 5)
    with pytest.raises(ValueError, match="did you mean 'ldmatrix'"):
        hardware.wavefronts([0], 16, "ldmatirx")
    with pytest.raises(ValueError, match="unknown operation 'read'"):
        hardware.sectors([0], 4, op="read")
    with pytest.raises(ValueError, match="did you mean 'gtx-780-ti'"):
        hardware.device("gtx790ti")
    with pytest.raises(ValueError, match="lane 1: an offset is a number of bytes"):
        hardware.wavefronts([0, 1.5], 4)  # type: ignore[list-item]
    with pytest.raises(ValueError, match="one shape"):
        hardware.wavefront_rows(np.zeros((2, 32), np.int64), np.ones((1, 32), np.bool_), 4)
    with pytest.raises(ValueError, match="cannot be negative"):
        hardware.cycles(-1, 1, 1)


def test_profiles_are_complete_and_sourced() -> None:
    assert set(hardware.names()) >= {"h100", "gtx-780-ti", "gtx-480", "gtx-285", "intel-gen9"}
    for name in hardware.names():
        profile = hardware.device(name)
        assert profile is hardware.device(name)
        for op in ("load", "store", "atomic", "cas"):
            for width in profile.widths:
                assert profile.schedule(op, width).lanes <= profile.warp_lanes
        assert all(source.strip() for source in profile.sources.values())
        assert {
            "threads_per_block",
            "shared_per_block",
            "shared_per_block_optin",
            "shared_per_sm",
        } <= set(profile.limits)


def test_a_figure_without_a_source_is_refused() -> None:
    text = 'title = "t"\nvendor = "v"\n[warp]\nlanes = { value = 32 }\n'
    with pytest.raises(ValueError, match=r"states no source for warp\.lanes"):
        hardware.from_toml("made-up", text)
    with pytest.raises(ValueError, match=r"lacks warp\.widths"):
        hardware.from_toml("made-up", text.replace("32 }", '32, source = "s" }'))


def test_lanes_served_out_of_order() -> None:
    """MI300X, ds_read_b128: lanes 0-3 go with 20-23 (CK Tile's documentation), so neighbours never
    wait for each other and these do."""
    far = 16 * 1024
    together = [*range(4), *range(20, 24)]
    one_bank = [128 * together.index(lane) if lane in together else None for lane in range(64)]
    assert hardware.wavefronts(one_bank, 16, "load", "mi300x") == 8
    neighbours = [128 * lane if lane < 8 else None for lane in range(64)]
    assert hardware.wavefronts(neighbours, 16, "load", "mi300x") == 4 + 4
    assert hardware.wavefronts(neighbours, 16, "store", "mi300x") == 8
    apart = [far * (lane // 4) for lane in range(64)]
    assert (
        hardware.wavefronts(apart, 16, "load", "mi300x") == 2 * 8
    )  # two addresses of one bank in each of eight groups
    assert hardware.wavefronts([16 * lane for lane in range(64)], 16, "load", "mi300x") == 8


def test_a_schedule_takes_every_lane_once() -> None:
    text = (Path(hardware.__file__).parent / "profiles/mi300x.toml").read_text()
    with pytest.raises(ValueError, match="load at 16 bytes is not valid"):
        hardware.from_toml("twice", text.replace("order = [0, 1,", "order = [0, 0,"))


@pytest.mark.slow
@pytest.mark.parametrize("name", hardware.names())
def test_every_profile_analyses_a_kernel(name: str) -> None:
    """Warps of 16, 32 and 64 lanes: one row of words a warp, free of conflicts on every device."""
    text = """// kernlint: launch(grid=4, block=128)
__global__ void copy(float *out, const float *in)
{
    __shared__ float s[128];
    s[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x ^ 1];
}
"""
    device = hardware.device(name)
    report = engine.analyse(
        (), Settings(device=name), stdin=files.from_bytes("k.cu", text.encode())
    )
    assert len(report.files[0].kernels[0].accesses) == 4
    for access in report.files[0].kernels[0].accesses:
        counts = access.wavefronts or access.sectors
        assert access.requests == 4 * 128 // device.warp_lanes
        assert counts is not None
        assert counts.mean == counts.ideal
        if access.space == "global":
            assert counts.mean == device.warp_lanes * 4 // device.sector_bytes
