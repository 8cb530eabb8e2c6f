"""Whether neighbours are said to be one access: members of a vector in global memory with something
between them, and elements of a shared array of which an earlier index is a part. nvcc 13 for sm_90
makes LDG.64, STG.64 and LDS.64 of those that are, two of the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.model import facts
from tests.execution.test_execution import run

SOURCE = """// kernlint: launch(grid=4, block=128, n=5)
__global__ void k(float *__restrict__ o, float2 *__restrict__ v, const float2 *__restrict__ q, int *__restrict__ c, float w, int n) {{
    __shared__ int s[256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    s[t] = n;
    __syncthreads();
    float x = 0;
    {}
    o[i] = x;
    o[i + 999] = s[n];
}}
"""
LOADS, STORES = "float a = q[i].x; {} x += a * q[i].y;", "v[i].x = w; {} v[i].y = n;"
APART = (
    "x = __shfl_xor_sync(~0u, w * t, 1);",
    "x = __any_sync(~0u, t > n);",
    "x = __match_any_sync(~0u, n + t);",
    "x = __reduce_add_sync(~0u, t);",
    "x = __activemask();",
    "atomicAdd(c + i, 1);",
    "x = atomicExch(c + i, 1);",
    "atomicAdd(s, 1);",
    "x = clock();",
    'int y; asm("mov.u32 %0, %%laneid;" : "=r"(y)); x = y;',
    "x = __ldcg(o + i);",
    "__stcs(o + i, 3.f);",
)
TOGETHER = ("", "x = __popc(n * t);", "x = __sinf(w * t);", "s[t] = 3;", "x = o[i];", "c[i] = 4;")


def joined(body: str, op: str, tmp_path: Path) -> list[facts.Access]:
    """The accesses to the vector of which the machine makes something else."""
    found = run(tmp_path, SOURCE.format(body.replace("; ", ";\n    "))).accesses
    return [
        a
        for a in found
        if a.op == op
        and a.object in ("v", "q")
        and (a.as_compiled is not None or a.status != "exact")
    ]


@pytest.mark.slow
@pytest.mark.parametrize("between", APART)
def test_what_lies_between_keeps_them_apart(between: str, tmp_path: Path) -> None:
    assert not joined(LOADS.format(between), "load", tmp_path)
    assert not joined(STORES.format(between), "store", tmp_path)


@pytest.mark.parametrize("between", TOGETHER)
def test_what_lies_between_does_not_keep_them_apart(between: str, tmp_path: Path) -> None:
    for body, op in ((LOADS, "load"), (STORES, "store")):
        made = joined(body.format(between), op, tmp_path)
        assert sorted(
            (a.as_compiled.bytes, a.as_compiled.requests) for a in made if a.as_compiled
        ) == [(4, 0), (8, 16)]


SHARED = """// kernlint: launch(grid=4, block=(64, 4), n=5, k=3)
__global__ void k(float *o, float w, int n, int k) {{
    __shared__ float s[4096];
    __shared__ float u[16][128];
    int t = threadIdx.x, y = threadIdx.y, i = blockIdx.x * 128 + t;
    {} = w;
    __syncthreads();
    float a = {};
    float b = {};
    o[i + 9] = a * b;
}}
"""
SUMS = (  # before them, the two loads, whether they surely are one
    ("s[y * 64 + t]", "s[y * 64 + 2 * t]", "s[y * 64 + 2 * t + 1]", False),
    ("s[k * 64 + 3 * t]", "s[k * 64 + 4 * t]", "s[k * 64 + 4 * t + 1]", False),
    ("s[t + 256]", "s[2 * t + 256]", "s[2 * t + 257]", False),
    ("o[y * 64 + t]", "s[y * 64 + 2 * t]", "s[y * 64 + 2 * t + 1]", False),
    ("u[y][t + 4]", "u[y][2 * t + 4]", "u[y][2 * t + 5]", False),
    ("u[y][t]", "u[y][2 * t]", "u[y][2 * t + 1]", True),
    ("s[t]", "s[y * 64 + 2 * t]", "s[y * 64 + 2 * t + 1]", True),
    ("s[t + 128]", "s[2 * t + 256]", "s[2 * t + 257]", True),
    ("s[y * 64 + t]", "s[2 * t]", "s[2 * t + 1]", True),
    ("s[y * 64 + t]", "s[t * 64 + 2 * y]", "s[t * 64 + 2 * y + 1]", True),
)


@pytest.mark.parametrize(("before", "first", "second", "one"), SUMS)
def test_an_index_that_an_earlier_one_is_part_of_says_nothing_of_its_alignment(
    before: str, first: str, second: str, one: bool, tmp_path: Path
) -> None:
    found = [
        a
        for a in run(tmp_path, SHARED.format(before, first, second)).accesses
        if a.space == "shared" and a.op == "load"
    ]
    assert [a.status for a in found] == ["exact" if one else "range"] * 2
    if one:
        assert sorted(
            (a.as_compiled.bytes, a.as_compiled.requests) for a in found if a.as_compiled
        ) == [(4, 0), (8, 32)]
