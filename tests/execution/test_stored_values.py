"""Stores of several threads to one element: a race where the values differ, none where they are one."""

from __future__ import annotations

import pytest

from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source import files
from tests.support.found import found

KERNEL = """// kernlint: launch(grid=1, block=64)
__global__ void k({type} *out)
{{
    __shared__ {type} s;
    if (threadIdx.x < 32) s = {first};
    else s = {second};
    __syncthreads();
    out[threadIdx.x] = s;
}}
"""


@pytest.mark.parametrize(
    ("type_", "first", "second", "races"),
    [
        ("int", "-1", "-2", True),  # Python's hashes of the two are equal
        ("int", "7", "7", False),
        ("float", "1.0f", "2.0f", True),
        ("float", "-1.0f", "-2.0f", True),
        ("float", "0.5f", "0.5f", False),
    ],
)
def test_two_warps_store(type_: str, first: str, second: str, races: bool) -> None:
    text = KERNEL.format(type=type_, first=first, second=second)
    file = engine.analyse_source(files.Source("k.cu", "cuda", text), Settings())
    [kernel] = file.kernels
    assert [race.certain for race in kernel.races] == [True] * races


CLAMPED = """
__global__ void k(float *out, const float *in, float by, int pitch, int rows)
{{
    __shared__ float tile[8][32];
    int x = threadIdx.x, y = blockIdx.x * 8 + threadIdx.y, last = rows - 1;
    int own = min((int)threadIdx.y, last - (int)blockIdx.x * 8), row = min(y, {row});
    float v = in[row * {pitch} + x];
    tile[own][x] = {stored};
    __syncthreads();
    if (y < rows) out[y * 32 + x] = tile[threadIdx.y][x];
}}
void go(float *out, const float *in, int pitch) {{ k<<<13, dim3(32, 8)>>>(out, in, 2, pitch, 100); }}
"""


@pytest.mark.parametrize(
    ("row", "pitch", "stored", "races"),
    [
        ("last", "32", "v", False),
        ("last", "pitch", "v", False),
        ("last", "pitch", "v * by + 1", False),
        ("last + 2", "32", "v", True),
        ("last", "32", "v + y", True),
    ],
)
def test_threads_that_read_one_element_write_one_value(
    row: str, pitch: str, stored: str, races: bool
) -> None:
    source = CLAMPED.format(row=row, pitch=pitch, stored=stored)
    assert bool(found("KL810", source)) == races


@pytest.mark.parametrize("body", ["if (i < n) {}", "if (i >= n) return; {}", "if (i < n && {})"])
def test_a_guard_keeps_threads_within_a_member(body: str) -> None:
    change = "c->x[i] *= c->y[i]"
    source = """
struct Columns {{ float x[10], y[10]; }};
__global__ void k(Columns *c, int n)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    {body};
}}
void go(Columns *c, int n) {{ k<<<(n + 63) / 64, 64>>>(c, n); }}
"""
    guarded = body.format("c->x[i] < 1") + " " + change if "&&" in body else body.format(change)
    assert found("KL812", source.format(body=guarded)) == []
