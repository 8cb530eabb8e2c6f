"""Lanes that choose their addresses by unknown values: bounds hold for every choice, and are tight
where banks or sectors do not depend on it. Held against choices counted one by one."""

from __future__ import annotations

import math
import random
from itertools import product

import numpy as np
import pytest

from kernlint.execution.counting.gather_bounds import Choices, GatherRequest, units, wavefronts
from kernlint.hardware import resolve, sector_rows, wavefront_rows
from kernlint.model import facts
from kernlint.model.settings import LaunchOverrides, Settings
from kernlint.pipeline import engine
from kernlint.source import files
from tests.places import DATA

DEVICE = resolve("h100")
CASES = DATA / "cases"
MOST_CHOICES = 64


def drawn(rng: random.Random) -> tuple[str, GatherRequest, Choices, int]:
    """An operation, a request, what its lanes choose, and how many values a choice has."""
    width = rng.choice([1, 2, 4, 4, 4, 8, 16])
    lanes = np.array(sorted(rng.sample(range(32), rng.choice([1, 3, 4, 16, 32]))))
    stride = rng.choice([1, 2, 4, 5, 8, 16])
    offsets = rng.choice(
        [lanes * width, lanes * 0, lanes // stride * width, lanes * stride * width]
    )
    groups = rng.choice([np.arange(len(lanes)), lanes // rng.choice([2, 4, 8]), lanes * 0])
    step = width * rng.choice([1, 2, 3, 8, 16, 32, 33, 48, 64])
    values, low = rng.choice([1, 2, 3, 8, 64]), step * rng.choice([0, -3, 5])
    high = low + step * (values - 1)
    known = rng.random() < 0.7
    operations = ["load", "store", "atomic", "increment"] if width == 4 else ["load", "store"]
    request = GatherRequest(width, lanes, offsets, groups)
    choices = Choices(step, low if known else None, high if known else None)
    return rng.choice(operations), request, choices, values


def chosen(
    rng: random.Random, request: GatherRequest, low: int, step: int, values: int
) -> np.ndarray:
    """Offsets of the lanes for some choices, all of them where they are few: [choices, lanes]."""
    groups = len(np.unique(request.groups))
    if values**groups <= MOST_CHOICES:
        picks = np.array(list(product(range(values), repeat=groups)))
    else:
        picks = np.array([spread(rng, groups, values) for _ in range(MOST_CHOICES)])
    number = np.unique(request.groups, return_inverse=True)[1]
    return request.offsets + low + step * picks[:, number]


def spread(rng: random.Random, groups: int, values: int) -> list[int]:
    """Choices that are likely to meet in one bank, in one word, or nowhere."""
    factor = rng.choice([0, 1, 2, 8, 32])
    if factor:
        return [i * factor % values for i in range(groups)]
    some = rng.sample(range(values), min(values, 2))
    return [rng.choice(some) for _ in range(groups)]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_no_choice_leaves_the_bounds(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(40):
        operation, request, choices, values = drawn(rng)
        low = choices.low if choices.low is not None else 0
        offsets = chosen(rng, request, low, choices.step, values) + (1 << 14)
        rows = np.zeros((len(offsets), 32), np.int64)
        rows[:, request.lanes] = offsets
        active = np.zeros_like(rows, bool)
        active[:, request.lanes] = True
        sectors = sector_rows(rows, active, request.width, "load", DEVICE)
        least, most = units(request, choices, DEVICE.sector_bytes)
        assert least <= sectors.min() and sectors.max() <= most, (request, choices)
        schedule = DEVICE.schedule(operation, request.width)
        found = wavefronts(request, choices, schedule, DEVICE.banks, DEVICE.bank_bytes)
        counted = wavefront_rows(rows, active, request.width, operation, DEVICE)
        assert found[0] <= counted.min() and counted.max() <= found[1], (request, choices)


@pytest.mark.parametrize("seed", range(4))
def test_units_of_groups_are_those_that_each_group_can_have(seed: int) -> None:
    """Where nothing is known of the addresses: the most that one group must touch, and the sum of
    what each can."""
    rng = random.Random(seed)
    for _ in range(40):
        _, request, choices, _ = drawn(rng)
        anywhere = Choices(choices.step, None, None)
        counts = [each_shift(request, number, choices.step) for number in set(request.groups)]
        least, most = units(request, anywhere, 32)
        assert most == sum(map(max, counts))
        lowest = max(map(min, counts))
        assert least == lowest if choices.step % 32 else least >= lowest


def each_shift(request: GatherRequest, number: int, step: int) -> list[int]:
    """How many blocks of 32 bytes a group touches from wherever it begins."""
    offsets = request.offsets[request.groups == number]
    shifts = range(0, 32, math.gcd(step, 32))
    return [len(np.unique((offsets + shift) // 32)) for shift in shifts]


def accesses(source: str, name: str, block: tuple[int, int, int]) -> list[facts.Access]:
    how = Settings(launch=LaunchOverrides(grid=(4, 1, 1), block=block), kernel=name or None)
    report = engine.analyse((), how, stdin=files.from_bytes("k.cu", source.encode()))
    return [access for kernel in report.files[0].kernels for access in kernel.accesses]


def each(access: facts.Access) -> tuple[float, float]:
    counts = access.wavefronts or access.sectors
    assert counts is not None, access.reason
    return counts.mean_low, counts.mean_high


@pytest.mark.slow
@pytest.mark.parametrize(
    "kernel, block, text, right",
    [
        ("b1", (32, 1, 1), "s[x][t]", (1, 1)),
        ("b2", (32, 1, 1), "s[x*32+t]", (1, 1)),
        ("b3", (32, 1, 1), "s[x][t]", (1, 1)),
        ("b4", (32, 1, 1), "s[a[threadIdx.x]][t]", (1, 1)),
        ("b5", (32, 1, 1), "s[(x+t)&31]", (1, 1)),
        ("b6", (32, 1, 1), "s[(x+t)&31]", (1, 1)),
        ("b7", (32, 8, 1), "w[tok*32+threadIdx.x]", (4, 4)),
        # two rows of half a line each, which may be one
        ("b7", (16, 16, 1), "w[tok*32+threadIdx.x]", (2, 4)),
    ],
)
def test_bank_that_does_not_depend_on_the_unknown(
    kernel: str, block: tuple[int, int, int], text: str, right: tuple[int, int]
) -> None:
    source = (CASES / "claims" / "bank.cu").read_text(encoding="utf-8")
    found = [a for a in accesses(source, kernel, block) if a.text == text]
    assert found
    for access in found:
        assert each(access) == right
        assert access.status == ("exact" if right[0] == right[1] else "range")


@pytest.mark.parametrize("text", ["s[v & 255]", "s[(v >> 8) & 255]"])
def test_masked_index_is_bounded(text: str) -> None:
    """256 words are 8 in each bank."""
    source = (CASES / "laws" / "hist.cu").read_text(encoding="utf-8")
    found = [a for a in accesses(source, "h", (64, 1, 1)) if a.text == text]
    assert [each(a) for a in found] == [(1, 8)] * 2
    assert {(a.status, a.reason) for a in found} == {("range", "loaded-value")}


ANYWHERE = """
__global__ void h(const int *in, const float *f, float *out) {
    __shared__ int bins[2048], slots[48];
    __shared__ float4 wide[256];
    const int v = in[threadIdx.x];
    atomicAdd(&bins[__float_as_uint(f[threadIdx.x]) >> 21], 1);
    slots[atomicAdd(&bins[0], 1)] = v;
    out[threadIdx.x] = wide[v].x + slots[v];
    if (threadIdx.x < 8) bins[v] = 1;
}
"""


@pytest.mark.slow
def test_where_data_decides_lanes_and_words_bound_shared_memory() -> None:
    found = accesses(ANYWHERE, "h", (64, 1, 1))
    counts = {a.text: (a.wavefronts.min, a.wavefronts.max) for a in found if a.wavefronts}
    assert counts["atomicAdd(&bins[__float_as_uint(f[threadIdx.x]) >> 21], 1)"] == (1, 32)
    assert counts["slots[atomicAdd(&bins[0], 1)]"] == (1, 2)
    assert counts["wide[v].x"] == (1, 32)
    assert counts["slots[v]"] == (1, 2)
    assert counts["bins[v]"] == (1, 8)
    assert not [a for a in found if a.space == "shared" and a.status == "unknown"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "index, right",
    [
        ("v % 64u", (1, 2)),
        ("min(v, 95u)", (1, 3)),
        ("v >> 26", (1, 2)),
        ("bytes[t]", (1, 8)),
        ("(v & 3u) | ((v & 1u) << 5)", (1, 2)),
        ("(v & 7u) * (v & 7u)", (1, 2)),
        ("64 * (v & 7u) + t", (1, 1)),
        ("(v & ~31u) + t", (1, 1)),
        ("33 * (v & 31u)", (1, 32)),
        ("2 * v + (t & 1)", (1, 16)),
        ("64 * (v & 7u) + 2 * t", (2, 2)),
        ("32 * v", (1, 32)),
        ("32 * v + t % 8", (1, 4)),
        ("32 * rows[t / 8] + t % 8", (1, 4)),
        ("36 * rows[t / 8] + t % 8", (1, 4)),
        ("v", (1, 32)),
    ],
)
def test_index(index: str, right: tuple[int, int]) -> None:
    """1,024 words of shared memory; no more is known of `v` than of its type."""
    source = f"""
    __global__ void k(float *o, const unsigned *a, const unsigned char *bytes, const int *rows) {{
        __shared__ float s[1024];
        unsigned t = threadIdx.x, v = a[t];
        s[t] = o[t];
        __syncthreads();
        o[t] = s[{index}];
    }}"""
    (access,) = (
        a for a in accesses(source, "", (32, 1, 1)) if a.space == "shared" and a.op == "load"
    )
    assert each(access) == right


def test_array_bounds_its_index() -> None:
    """An index of a valid program lies within the array: 128 words are 4 in each bank."""
    source = """
    __global__ void k(const int *a) {
        __shared__ int bins[128];
        bins[threadIdx.x] = 0;
        __syncthreads();
        atomicAdd(&bins[a[threadIdx.x]], 1);
    }"""
    (access,) = (a for a in accesses(source, "", (128, 1, 1)) if a.op == "atomic")
    assert each(access) == (1, 4)


def test_absent_lanes_lower_the_least() -> None:
    """Two words of each bank, of which data may take all lanes but one."""
    source = """
    __global__ void k(float *o, const unsigned *a) {
        __shared__ float s[1024];
        s[threadIdx.x] = o[threadIdx.x];
        __syncthreads();
        if (a[threadIdx.x] > 3)
            o[threadIdx.x] = s[64 * (a[threadIdx.x + 32] & 7) + 2 * threadIdx.x];
    }"""
    (access,) = (a for a in accesses(source, "", (32, 1, 1)) if "64" in a.text)
    assert each(access)[1] == 2 and each(access)[0] < 2
