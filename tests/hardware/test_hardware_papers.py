"""The facts of the four texts kernlint is built from: Okamoto (A), the GF100 article (B), Aoki (C),
Komatsu (D)."""

from __future__ import annotations

import pytest

from kernlint import hardware

LANES = range(32)


# ------------------------------------------------------------------ A: GTX 780 Ti


def congested(c: int) -> list[int]:
    """Figure 6: 32 rows of 32 doubles; lanes 0..c-1 read column 0 of their row, the others the
    diagonal."""
    return [8 * (32 * lane + (0 if lane < c else lane)) for lane in LANES]


@pytest.mark.parametrize("c", [1, 5, *range(2, 33)])
def test_congestion_of_figure_6(c: int) -> None:
    assert hardware.wavefronts(congested(c), 8, "load", "gtx-780-ti") == c


def test_the_same_pattern_on_four_byte_banks_goes_by_half_warps() -> None:
    assert hardware.wavefronts(congested(1), 8, "load", "h100") == 2
    assert hardware.wavefronts(congested(5), 8, "load", "h100") == 6


def test_fitted_model() -> None:
    assert hardware.cycles(1, 1, 1, "gtx-780-ti") == pytest.approx(1.047 + 337.698, abs=1e-9)
    assert hardware.cycles(32, 32, 32, "gtx-780-ti") == pytest.approx(
        1.047 * 32768 + 337.698, abs=1e-6
    )
    assert hardware.cycles(32, 32, 32, "gtx-780-ti") == pytest.approx(34645.794, abs=1e-3)
    assert hardware.cycles(0, 32, 32, "gtx-780-ti") == 0


def test_figures_of_the_board() -> None:
    board = hardware.device("gtx-780-ti")
    assert (board.banks, board.bank_bytes, board.warp_lanes) == (32, 8, 32)
    assert board.limits["multiprocessors"] == 15 and board.limits["registers_per_sm"] == 65536
    assert board.latencies["shared_cycles"] == 16
    assert (board.latencies["global_cycles_low"], board.latencies["global_cycles_high"]) == (
        300,
        400,
    )
    assert board.latencies["clock_read_cycles"] == 16


@pytest.mark.parametrize(
    ("name", "nearest"),
    [("v100", "h100"), ("b200", "h100"), ("gtx-480", "gtx-780-ti"), ("mi300x", "gtx-780-ti")],
)
def test_an_uncalibrated_device_says_so(name: str, nearest: str) -> None:
    device, other = hardware.device(name), hardware.device(nearest)
    assert (device.c1, device.c2) == (other.c1, other.c2)
    assert all(
        device.sources[key].startswith(f"assumed from {nearest}")
        for key in ("timing.c1", "timing.c2")
    )


# ------------------------------------------------------------------ B: GTX 480, GTX 285


def test_latencies_of_fermi() -> None:
    assert dict(hardware.device("gtx-480").latencies) == {
        "global_ns": 400,
        "l1_ns": 70,
        "l2_ns": 250,
    }
    assert dict(hardware.device("gtx-285").latencies) == {"global_ns": 350}
    assert hardware.device("gtx-480").limits["shared_per_block"] == 48 * 1024
    assert hardware.device("gtx-285").limits["shared_per_block"] == 16 * 1024


# ------------------------------------------------------------------ C: the sum of doubles, 256
# threads, fs[2048]


def active(warp: int, step: int) -> list[int | None]:
    return [t if t % step == 0 else None for t in range(32 * warp, 32 * warp + 32)]


def scaled(threads: list[int | None], factor: int, shift: int = 0) -> list[int | None]:
    return [None if t is None else 8 * (factor * t + shift) for t in threads]


# The active threads of a warp are 2*stride apart, their doubles 128*stride bytes: on 4-byte banks
# all meet in one pair of banks, on 8-byte banks two (stride 1) or one. stride 128 leaves thread 0
# alone.
VERSION_1 = {
    #  stride: (h100, gtx-780-ti) wavefronts of one access of warp 0 with t % (2 * stride) == 0
    1: (16, 8), 2: (8, 8), 4: (4, 4), 8: (2, 2), 16: (1, 1), 32: (1, 1), 64: (1, 1), 128: (1, 1),
}  # fmt: skip


@pytest.mark.parametrize("stride", VERSION_1)
def test_version_1_conflicts_at_every_stride(stride: int) -> None:
    threads = active(0, 2 * stride)
    for shift in (0, 8 * stride):
        offsets = scaled(threads, 8, shift)
        assert hardware.wavefronts(offsets, 8, "load", "h100") == VERSION_1[stride][0]
        assert hardware.wavefronts(offsets, 8, "store", "h100") == VERSION_1[stride][0]
        assert hardware.wavefronts(offsets, 8, "load", "gtx-780-ti") == VERSION_1[stride][1]


def test_version_1_partial_sums() -> None:
    """`fs[8*t] += fs[8*t+i]`: each half-warp's 16 lanes fall into 2 pairs of banks: 8-way,
    twice."""
    for i in range(8):
        assert hardware.wavefronts(scaled(active(0, 1), 8, i), 8, "load", "h100") == 16
        assert hardware.wavefronts(scaled(active(0, 1), 8, i), 8, "load", "gtx-780-ti") == 8


def test_version_1_reads_uncoalesced_and_version_2_coalesced() -> None:
    assert hardware.sectors(scaled(active(0, 1), 8), 8) == 32
    assert hardware.sectors(scaled(active(0, 1), 1), 8) == 8


@pytest.mark.parametrize("stride", [256, 128, 64, 32, 16, 8, 4, 2])
def test_version_2_is_free_of_conflicts(stride: int) -> None:
    for warp in range(8):
        threads = [t if t < stride // 2 else None for t in range(32 * warp, 32 * warp + 32)]
        for shift in (0, stride):
            offsets = scaled(threads, 1, shift)
            assert hardware.wavefronts(offsets, 8, "load", "h100") == hardware.ideal_wavefronts(
                offsets, 8, "load", "h100"
            )
            assert hardware.wavefronts(offsets, 8, "load", "gtx-780-ti") == (
                1 if 32 * warp < stride // 2 else 0
            )


def test_patterns_without_conflict() -> None:
    permutation = [4 * ((7 * lane + 3) % 32) for lane in LANES]
    for offsets in ([4 * lane for lane in LANES], permutation, [128] * 32):
        assert hardware.wavefronts(offsets, 4) == 1
    assert hardware.wavefronts([8 * lane for lane in LANES], 4) == 2


# ------------------------------------------------------------------ D: stride and banks, OpenCL


ITEMS = range(16)
CACHE_LINES = {  # index: lines of 64 bytes for 16 work-items of int
    "gid": ([gid for gid in ITEMS], 1),
    "gid + 1": ([gid + 1 for gid in ITEMS], 2),
    "gid * 16": ([gid * 16 for gid in ITEMS], 16),
    "gid * 32": ([gid * 32 for gid in ITEMS], 16),
    "gid * 8": ([gid * 8 for gid in ITEMS], 8),
}
BANKS = {  # index: (banks used, ways)
    "gid": ([gid for gid in ITEMS], 16, 1),
    "gid + 1": ([gid + 1 for gid in ITEMS], 16, 1),
    "gid & ~1": ([gid & ~1 for gid in ITEMS], 8, 1),
    "gid * 2": ([gid * 2 for gid in ITEMS], 8, 2),
    "gid * 16": ([gid * 16 for gid in ITEMS], 1, 16),
    "gid * 17": ([gid * 17 for gid in ITEMS], 16, 1),
}


@pytest.mark.parametrize("index", CACHE_LINES)
def test_cache_lines_of_the_table(index: str) -> None:
    elements, lines = CACHE_LINES[index]
    assert hardware.cache_lines([4 * element for element in elements], 4, "intel-gen9") == lines


def test_cache_lines_of_a_two_dimensional_group() -> None:
    """`gid_1 + gid_2 * gsize`, work-group <4,2,1>: a line per row of the group; drawn as 4 for two
    groups."""
    gsize = 1024
    group = [4 * (x + y * gsize) for y in range(2) for x in range(4)]
    assert hardware.cache_lines(group, 4, "intel-gen9") == 2
    two = group + [offset + 4 * 2 * gsize for offset in group]
    assert hardware.cache_lines(two, 4, "intel-gen9") == 4


@pytest.mark.parametrize("index", BANKS)
def test_banks_of_the_table(index: str) -> None:
    elements, used, ways = BANKS[index]
    assert len({element % 16 for element in elements}) == used
    assert (
        hardware.wavefronts([4 * element for element in elements], 4, "load", "intel-gen9") == ways
    )


TWINS = {  # the same index with a CUDA warp: (32-byte sectors, lines of 128 bytes, wavefronts)
    "i": (lambda i: i, 4, 1, 1),
    "i + 1": (lambda i: i + 1, 5, 2, 1),
    "i * 16": (lambda i: i * 16, 32, 16, 16),
    "i * 32": (lambda i: i * 32, 32, 32, 32),
    "i * 8": (lambda i: i * 8, 32, 8, 8),
    "i & ~1": (lambda i: i & ~1, 4, 1, 1),
    "i * 2": (lambda i: i * 2, 8, 2, 2),
    "i * 17": (lambda i: i * 17, 32, 17, 1),
    "i * 33": (lambda i: i * 33, 32, 32, 1),
}


@pytest.mark.parametrize("index", TWINS)
def test_cuda_twins(index: str) -> None:
    element, sectors, lines, ways = TWINS[index]
    offsets = [4 * element(lane) for lane in LANES]
    assert hardware.sectors(offsets, 4, "h100") == sectors
    assert hardware.cache_lines(offsets, 4, "h100") == lines
    assert hardware.wavefronts(offsets, 4, "load", "h100") == ways
