"""`cuda::barrier`, mbarriers and what they await: what orders accesses, and what does not."""

from __future__ import annotations

import pytest

from tests.support.found import found

FRAME = """
#include <cuda/barrier>
#include <cuda/ptx>
#include <cooperative_groups.h>
namespace ptx = cuda::ptx;
using Barrier = cuda::barrier<cuda::thread_scope_block>;
__device__ uint32_t at(const void *p) {{ return (uint32_t)__cvta_generic_to_shared(p); }}
// kernlint: launch(grid=2, block=128)
__global__ void k(const float *in, float *o)
{{
    __shared__ alignas(128) float s[128];
    __shared__ Barrier bar;
    __shared__ uint64_t mb;
    int t = threadIdx.x;
    float v = 0;
    if (t == 0) {{ init(&bar, blockDim.x); ptx::mbarrier_init(&mb, 128); }}
    __syncthreads();
    {body}
    o[blockIdx.x * 128 + t] = v;
}}
"""
WRITE, READ = "s[t] = in[t];", "v += s[127 - t];"
TEST = (
    'asm volatile("{ .reg .pred p; mbarrier.test_wait.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"'
    ' : "=r"(d) : "r"(at(&mb)), "l"(st) : "memory");'
)
ARRIVE = 'asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(st) : "r"(at(&mb)) : "memory");'
ORDERED = [
    f"{WRITE} bar.arrive_and_wait(); {READ}",
    f"{WRITE} auto a = bar.arrive(); bar.wait(std::move(a)); {READ}",
    f"{WRITE} bar.wait(bar.arrive()); {READ}",
    f"{WRITE} auto a = ptx::mbarrier_arrive(&mb); while (!ptx::mbarrier_test_wait(&mb, a)); {READ}",
    f"{WRITE} uint64_t st; {ARRIVE} uint32_t d = 0; while (!d) {TEST} {READ}",
    f"for (int i = 0; i < 9; i++) {{ {WRITE} bar.arrive_and_wait(); {READ} bar.arrive_and_wait(); }}",
    f"if (t < 64) {{ s[t] = in[t]; s[t + 64] = 0; bar.arrive(); }} else {{ bar.arrive_and_wait(); {READ} }}",
]
RACING = [
    f"{WRITE} auto a = bar.arrive(); {READ} bar.wait(std::move(a));",
    f"{WRITE} {READ} bar.arrive_and_wait();",
    f"for (int i = 0; i < 9; i++) {{ {WRITE} bar.arrive_and_wait(); {READ} }}",
]
BULK = {
    "ptx": "ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, s, in, sizeof(s), &mb);",
    "library": "cuda::memcpy_async(s, in, cuda::aligned_size_t<16>(sizeof(s)), bar);",
    "assembly": 'asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"'
    ' :: "r"(at(s)), "l"(in), "r"(512), "r"(at(&mb)) : "memory");',
}
AWAITED = ["bar.arrive_and_wait();", "while (!ptx::mbarrier_try_wait_parity(&mb, 0));"]


def races(body: str) -> list[str]:
    source = FRAME.format(body=body)
    return [finding.severity for code in ("KL810", "KL811") for finding in found(code, source)]


@pytest.mark.parametrize("body", ORDERED)
def test_what_a_barrier_orders(body: str) -> None:
    assert races(body) == []


@pytest.mark.parametrize("body", RACING)
def test_what_no_barrier_orders(body: str) -> None:
    assert races(body) == ["error"]


@pytest.mark.parametrize("copy", BULK.values(), ids=BULK)
def test_reads_of_a_bulk_copy(copy: str) -> None:
    copied = f"if (t == 0) {{ {copy} }}"
    for wait in AWAITED:
        assert found("KL813", FRAME.format(body=f"{copied} {wait} {READ}")) == []
    [finding] = found("KL813", FRAME.format(body=f"{copied} __syncthreads(); {READ}"))
    assert finding.severity == "error" and "the asynchronous copy" in finding.message
    guarded = f"{copied} __syncthreads(); if (in[t] > 0) {READ}"
    assert [f.severity for f in found("KL813", FRAME.format(body=guarded))] == ["warning"]
    assert found("KL813", FRAME.format(body=f"{copied} {WRITE} __syncthreads(); {READ}")) == []
