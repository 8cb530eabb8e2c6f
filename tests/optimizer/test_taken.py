"""Values that something takes which is followed no further: their loads, and what these read. Held
against nvcc 13's code for sm_90."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.model.settings import Settings
from kernlint.pipeline.engine import analyse
from tests.execution.test_execution import access, run
from tests.optimizer.test_volatile import made

SOURCE = """// kernlint: launch(grid=1, block=32, kernel=k)
#include <cstdio>
#include <cuda/atomic>
__device__ inline int seen(cuda::atomic_ref<int, cuda::thread_scope_block> r) {{ return r.load(cuda::memory_order_relaxed); }}
__global__ void k(float *o, int *g) {{
    __shared__ int c[32];
    int t = threadIdx.x, d = 0;
    c[t] = (int)o[t];
    __syncthreads();
    {}
    o[t] = 1.f;
}}
"""
MMA = (
    'float d0 = 0, d1 = 0, d2 = 0, d3 = 0; asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, '
    '{%0,%1,%2,%3};" : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3) : "r"(c[t ^ 1]), "r"(c[t ^ 2]), "r"(c[t ^ 3]));'
)
MADE = {
    'asm volatile("nanosleep.u32 %0;" :: "r"(c[t ^ 1]));': "LDG STS LDS",
    'asm volatile("prefetch.global.L2 [%0];" :: "l"(g + c[t ^ 1]));': "LDG STS LDS",
    'asm volatile("bar.sync %0, 64;" :: "r"(c[t ^ 1]));': "LDG STS LDS",
    "__nanosleep(c[t ^ 1]);": "LDG STS LDS",
    "__syncwarp(c[t ^ 1]);": "LDG STS LDS",
    "d = __syncthreads_count(c[t ^ 1]);": "LDG STS LDS",
    'asm volatile("add.s32 %0, %1, 3;" : "=r"(d) : "r"(c[t ^ 1]));': "LDG STS",
    'asm("add.s32 %0, %1, 3;" : "=r"(d) : "r"(c[t ^ 1]));': "LDG STS",
    "d = __shfl_xor_sync(-1, c[t ^ 1], 3);": "LDG STS",
    "d = __any_sync(-1, c[t ^ 1]) + __ballot_sync(-1, c[t ^ 2]) + __match_any_sync(-1, c[t ^ 3]);": "LDG STS",
    "d = __reduce_add_sync(-1, c[t ^ 4]);": "LDG STS",
    MMA: "LDG STS",
    MMA + "g[t] = d1;": "LDG STS LDS LDS LDS STG",
    "d = c[t ^ 1] + 3;": "",
    "g[t] = __ballot_sync(-1, c[t ^ 1]);": "LDG STS LDS STG",
}  # fmt: skip
OPEN = (
    "d = mystery(c[t ^ 1]);",
    "mystery(g, c[t ^ 1] + 1);",
    "d = __shfl_xor_sync(c[t ^ 1], 3, 3);",
    "d = __ballot_sync(c[t ^ 1], 1);",
)
REFERENCES = (
    "cuda::atomic_ref<int, cuda::thread_scope_block> r(c[t ^ 1]); d = r.load(cuda::memory_order_relaxed);",
    "cuda::atomic_ref<int, cuda::thread_scope_block> r{c[t ^ 1]}; r.fetch_add(1);",
    "cuda::atomic_ref<int, cuda::thread_scope_block> r(c[t ^ 1]); d = seen(r);",
    "auto r = cuda::atomic_ref<int, cuda::thread_scope_block>(c[t ^ 1]); auto q = r; q.fetch_add(1);",
)


@pytest.mark.parametrize("body", MADE)
def test_what_takes_a_value_needs_its_load_or_keeps_what_the_load_reads(
    body: str, tmp_path: Path
) -> None:
    assert made(run(tmp_path, SOURCE.format(body))) == " ".join(
        sorted((*MADE[body].split(), "STG"))
    )


def test_what_is_printed_is_loaded(tmp_path: Path) -> None:
    """Beside it nvcc stores to the stack what it prints, which is not counted."""
    assert made(run(tmp_path, SOURCE.format('printf("%d", c[t ^ 1]);'))) == "LDG LDS STG STS"


@pytest.mark.parametrize("body", OPEN)
def test_what_a_function_takes_that_is_not_there_may_be_loaded(body: str, tmp_path: Path) -> None:
    path = tmp_path / "k.cu"
    path.write_text(SOURCE.format(body))
    (kernel,) = analyse([str(path)], Settings()).files[0].kernels
    load = access(kernel, "c[t ^ 1]")
    assert (load.status, load.as_compiled) == ("range", None)
    assert {(a.status, a.as_compiled) for a in kernel.accesses if a is not load} == {
        ("exact", None)
    }


@pytest.mark.parametrize("body", REFERENCES)
def test_an_atomic_reference_reads_what_it_is_made_of(body: str, tmp_path: Path) -> None:
    """Its access may be charged to its class's header; what stands before it stays as it is."""
    accesses = run(tmp_path, SOURCE.format(body)).accesses
    assert [(a.op, a.status) for a in accesses if a.status != "exact"] == [
        ("atomic" if "fetch" in body else "load", "range")
    ]
    assert not [a for a in accesses if a.as_compiled is not None]
