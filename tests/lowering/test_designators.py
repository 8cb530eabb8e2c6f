"""Braced lists whose items say where they go."""

from __future__ import annotations

import pytest

from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source import files

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


LEFT_OUT = (
    ("struct A { int v[2]; int w; }; A x = {1, i, 8}; o[x.v[1] * x.w + x.v[0]] = 1;", 32),
    ("struct B { int2 v; int w; }; B x = {1, i, 8}; o[x.v.y * x.w + x.v.x] = 1;", 32),
    ("int m[2][2] = {1, 8, i, 4}; o[m[1][0] * m[0][1] + m[0][0]] = 1;", 32),
    ("int2 m[2] = {1, 8, i}; o[m[1].x * m[0].y + m[1].y] = 1;", 32),
    ("struct C { int v[2]; }; C m[2] = {1, 8, i}; o[m[1].v[0] * m[0].v[1] + m[1].v[1]] = 1;", 32),
)


@pytest.mark.parametrize(("body", "expected"), LEFT_OUT)
def test_braces_may_be_left_out(body: str, expected: float) -> None:
    assert sectors("k.cu", CUDA.format(body)) == ("exact", expected)


def test_what_a_list_without_inner_braces_loads_is_an_access() -> None:
    body = "struct A {{ int v[4]; }}; ((A *)o)[i] = {{1, 2, 3, o[i + 7]}};".replace(
        "{{", "{"
    ).replace("}}", "}")
    found = engine.analyse_source(files.from_bytes("k.cu", CUDA.format(body).encode()), Settings())
    assert [a.text for a in found.kernels[0].accesses if a.op == "load" and a.object == "o"] == [
        "o[i + 7]"
    ]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("int a[8] = {[0 ... 3] = 8, [4 ... 7] = 2}; o[a[3] * i] = 1;", 32),
        ("int a[8] = {[0 ... 3] = 8, [4 ... 7] = 2}; o[a[4] * i] = 1;", 8),
        ("int a[] = {[1 ... 2] = 8, 4}; o[i * (sizeof(a) / sizeof(a[0])) + a[0]] = a[3];", 16),
    ],
)
def test_ranges_of_elements(body: str, expected: float) -> None:
    """GNU's designators."""
    assert sectors("k.cu", CUDA.format(body)) == ("exact", expected)
