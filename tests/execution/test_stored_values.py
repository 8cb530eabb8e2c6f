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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("type_", "stored", "severities"),
    [
        ("int", "v", []),
        ("int", "v > y ? v : 0", ["error"]),
        ("float4", "v", []),
        ("Pair", "v", []),
        ("Pair", "Pair{v.a, (float)y}", ["error"]),
        ("float", "expf(v) * 2", []),
        ("float", "v > 0 ? v : 0", []),
        ("float", "__shfl_sync(~0u, v, 0)", ["warning"]),
        ("float", "kept", ["warning"]),  # of two assignments
    ],
)
def test_values_of_any_type_are_told_apart(type_: str, stored: str, severities: list[str]) -> None:
    source = CLAMPED.format(row="last", pitch="pitch", stored=stored)
    kept = "float kept = 0; if (x < by) kept = v;" if stored == "kept" else ""
    head, _, launch = source.replace("tile[own]", f"{kept} tile[own]").partition("void go")
    head = head.replace("float *", "T *").replace("float tile", "T tile").replace("float v", "T v")
    pair = f"struct Pair {{ float a, b; }}; using T = {type_};"
    findings = found("KL810", pair + head + "void go" + launch.replace("float *", "T *"))
    assert [finding.severity for finding in findings] == severities


def test_a_variable_that_changes_is_not_what_a_value_was_made_of() -> None:
    source = """
__global__ void k(float *out)
{
    __shared__ float s;
    int w = threadIdx.x;
    float v = (float)w;
    w = 0;
    s = v;
    __syncthreads();
    out[threadIdx.x] = s + w;
}
void go(float *out) { k<<<1, 64>>>(out); }
"""
    assert len(found("KL810", source)) == 1
