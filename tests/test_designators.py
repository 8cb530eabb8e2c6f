"""Braced lists whose items say where they go."""

from __future__ import annotations

import pytest

from kernlint import engine, files
from kernlint.settings import Settings

CUDA = """struct S {{ int a; float b; int c; }};
// kernlint: launch(grid=2, block=64)
__global__ void k(int *o) {{ int i = blockIdx.x * 64 + threadIdx.x; {0} }}
"""
OPENCL = """__constant int table[] = {{[5] = 3, [1] = 4}};
typedef struct {{ int a, b; }} S;
typedef struct {{ S s; int d; }} N;
// kernlint: launch(grid=2, block=64)
__kernel void k(__global int *o) {{ int i = get_global_id(0); {0} }}
"""


def sectors(name: str, source: str) -> tuple[str, float]:
    """Status and sectors per request of the store to `o`."""
    found = engine.analyse_source(files.from_bytes(name, source.encode()), Settings())
    assert not found.problems
    (store,) = [a for a in found.kernels[0].accesses if a.object == "o"]
    assert store.sectors is not None
    return store.status, store.sectors.mean


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("S s = {.a = i, .c = 8}; o[s.a * s.c] = 3;", 32),
        ("S s{.c = 2}; o[s.c * i + s.a] = 3;", 8),
        ("float4 v = {.x = 1, .y = 2}; ((float4 *)o)[i] = v;", 16),
        ("int4 v{.w = 8, .y = 1}; o[v.w * i + v.x] = v.y;", 32),
        ("auto v = __nv_bfloat16(__nv_bfloat16_raw{.x = 17376}); o[i] = v > v;", 4),
    ],
)
def test_members_and_components_by_name(body: str, expected: float) -> None:
    assert sectors("k.cu", CUDA.format(body)) == ("exact", expected)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("int a[4] = {[2] = 8, [0] = 1}; o[a[2] * i + a[3]] = 1;", 32),
        ("int a[4] = {[1] = 2, 8}; o[a[2] * i + a[0]] = 1;", 32),
        ("N n = {.s.a = 2, .s.b = i, .d = 8}; o[n.s.a * n.s.b + n.d] = 1;", 8),
        ("o[i * (sizeof(table) / sizeof(table[0]) + 2)] = 1;", 32),
    ],
)
def test_elements_by_index_and_members_of_members(body: str, expected: float) -> None:
    assert sectors("k.cl", OPENCL.format(body)) == ("exact", expected)
