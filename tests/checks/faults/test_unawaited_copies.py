"""Reads of what asynchronous copies bring: what waits for these, and what only seems to."""

from __future__ import annotations

import pytest

from tests.support.found import found

pytestmark = pytest.mark.slow

KERNEL = """
#include <cuda_pipeline.h>
// kernlint: launch(grid=4, block=64)
__device__ void copy16(void *to, const void *from)
{{
    unsigned s = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(s), "l"(from) : "memory");
}}
__global__ void k(float *out, const float4 *in, int n)
{{
    __shared__ float4 s[{stages}][64];
    int t = threadIdx.x;
    float v = 0;
    {body}
    out[blockIdx.x * 64 + t] = v;
}}
"""
COMMIT = 'asm volatile("cp.async.commit_group;" ::: "memory");'
ALL = 'asm volatile("cp.async.wait_all;" ::: "memory");'
BARRIER = "__syncthreads();"
READ = "v += s[0][63 - t].x;"
OWN = "v += s[0][t].x;"
BY_PIPELINE = "__pipeline_memcpy_async(&s[0][t], &in[t], 16);", "__pipeline_commit();"
COPY = "copy16(&s[0][t], &in[t]);"


def wait(groups: int) -> str:
    return f'asm volatile("cp.async.wait_group {groups};" ::: "memory");'


def many(body: str, stages: int = 2, code: str = "KL813") -> int:
    return len(found(code, KERNEL.format(body=body, stages=stages)))


@pytest.mark.parametrize(
    ("statements", "wrong"),
    [
        ([COPY, COMMIT, wait(0), BARRIER, READ], False),
        ([COPY, ALL, BARRIER, READ], False),
        ([COPY, COMMIT, wait(0), OWN], False),
        ([COPY, COMMIT, BARRIER, READ], True),
        ([COPY, COMMIT, OWN], True),
        ([COPY, wait(0), BARRIER, READ], True),  # in no group
        ([COPY, COMMIT, wait(1), BARRIER, READ], True),
        ([COPY, COMMIT, COMMIT, wait(1), BARRIER, READ], False),  # an empty group on top
        ([COPY, COMMIT, BARRIER, wait(0), READ], True),  # others have not waited yet
        ([*BY_PIPELINE, BARRIER, READ], True),
        ([*BY_PIPELINE, "__pipeline_wait_prior(0);", BARRIER, READ], False),
    ],
)  # fmt: skip
def test_a_wait_before_the_barrier(statements: list[str], wrong: bool) -> None:
    assert many("\n".join(statements)) == wrong
    assert many("\n".join(statements), code="KL810") == 0


RING = """
    for (int p = 0; p < {stages} - 1; p++) {{ copy16(&s[p][t], &in[p * 64 + t]); {commit} }}
    for (int k = 0; k < {tiles}; k++) {{
        int next = k + {stages} - 1;
        {refill}
        {wait}
        __syncthreads();
        v += s[k % {stages}][63 - t].x;
        __syncthreads();
    }}
"""
GUARDED = "if (next < {tiles}) copy16(&s[next % {stages}][t], &in[next * 64 + t]); {commit}"
NO_EMPTY = "if (next < {tiles}) {{ copy16(&s[next % {stages}][t], &in[next * 64 + t]); {commit} }}"


def ring(stages: int, tiles: int, refill: str, leaves: int) -> int:
    named = {"stages": stages, "tiles": tiles, "commit": COMMIT}
    filled = refill.format(**named)
    return many(RING.format(refill=filled, wait=wait(leaves), **named), stages)


@pytest.mark.parametrize("stages", [2, 3, 4])
@pytest.mark.parametrize("tiles", [4, 9, 40])
def test_a_ring_of_tiles(stages: int, tiles: int) -> None:
    assert ring(stages, tiles, GUARDED, stages - 1) == 0
    assert ring(stages, tiles, GUARDED, stages) == 1
    assert ring(stages, tiles, GUARDED, 0) == 0
    assert ring(stages, tiles, NO_EMPTY, stages - 1) == 1  # the last tiles are not waited for
    assert ring(stages, tiles, NO_EMPTY, 0) == 0


def test_a_loop_of_unknown_length() -> None:
    body = "for (int k = 0; k < n; k++) {{ copy16(&s[0][t], &in[k * 64 + t]); {} {} __syncthreads(); v += s[0][63 - t].x; __syncthreads(); }}"
    assert many(body.format(COMMIT, wait(0))) == 0
    [finding] = found("KL813", KERNEL.format(body=body.format(COMMIT, ""), stages=2))
    assert finding.severity == "warning" and "may read" in finding.message


GROUP = """
namespace cg = cooperative_groups;
// kernlint: launch(grid=4, block=64)
__global__ void k(int *out, const int *in)
{{
    __shared__ int s[2][64];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, s[0], in, sizeof(int) * 64);
    cg::memcpy_async(block, s[1], in + 64, sizeof(int) * 64);
    {wait}
    out[blockIdx.x * 64 + threadIdx.x] = s[{stage}][63 - threadIdx.x];
}}
"""


@pytest.mark.parametrize(
    ("wait", "stage", "wrong"),
    [
        ("cg::wait(block);", 1, False),
        ("cg::wait_prior<1>(block);", 0, False),
        ("cg::wait_prior<1>(block);", 1, True),
        ("block.sync();", 0, True),
    ],
)
def test_copies_of_a_group(wait: str, stage: int, wrong: bool) -> None:
    assert len(found("KL813", GROUP.format(wait=wait, stage=stage))) == wrong


PIPELINE = """
#include <cuda/pipeline>
// kernlint: launch(grid=4, block=64)
__global__ void k(int *out, const int *in)
{{
    __shared__ int s[64];
    int t = threadIdx.x;
    auto pipe = cuda::make_pipeline();
    pipe.producer_acquire();
    cuda::memcpy_async(&s[t], &in[t], sizeof(int), pipe);
    pipe.producer_commit();
    {wait}
    __syncthreads();
    out[blockIdx.x * 64 + t] = s[63 - t];
    pipe.consumer_release();
}}
"""


@pytest.mark.parametrize(
    ("wait", "wrong"),
    [
        ("pipe.consumer_wait();", False),
        ("cuda::pipeline_consumer_wait_prior<0>(pipe);", False),
        ("cuda::pipeline_consumer_wait_prior<1>(pipe);", True),
        ("", True),
    ],
)
def test_a_pipeline_of_a_thread(wait: str, wrong: bool) -> None:
    assert len(found("KL813", PIPELINE.format(wait=wait))) == wrong


OPENCL = """
// kernlint: launch(grid=8, block=64)
__kernel void k(__global const float *in, __global float *out)
{{
    __local float s[64];
    event_t e = async_work_group_copy(s, in + get_group_id(0) * 64, 64, 0);
    {wait}
    out[get_global_id(0)] = s[63 - get_local_id(0)];
}}
"""


@pytest.mark.parametrize(
    ("wait", "wrong"),
    [("wait_group_events(1, &e);", False), ("barrier(CLK_LOCAL_MEM_FENCE);", True)],
)
def test_copies_of_a_work_group(wait: str, wrong: bool) -> None:
    assert len(found("KL813", OPENCL.format(wait=wait), "k.cl")) == wrong


REUSED = """
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
// kernlint: launch(grid=1, block=64, n=8)
__global__ void k(const float *in, float *out, int n)
{{
    __shared__ float s[64];
    auto block = cg::this_thread_block();
    float v = 0;
    for (int i = 0; i < n; i++) {{
        cg::memcpy_async(block, s, in + i * 64, sizeof(float) * 64);
        cg::wait(block);
        v += s[63 - threadIdx.x];
        {end}
    }}
    out[threadIdx.x] = v;
}}
"""


@pytest.mark.parametrize(("end", "many"), [("", 1), ("block.sync();", 0)])
def test_a_copy_that_a_block_starts_is_no_barrier(end: str, many: int) -> None:
    assert len(found("KL810", REUSED.format(end=end))) == many


NESTED = """
    s[0][t] = s[1][t] = in[t];
    __syncthreads();
    {first}
    #pragma unroll 1
    for (int i = 0; i < 24; i++) {{
        if (i + 1 < 24) {{ __pipeline_memcpy_async(&s[(i + 1) & 1][t], &in[i * 64 + t], 16); }}
        __pipeline_commit();
        __pipeline_wait_prior({pending});
        __syncthreads();
        #pragma unroll 1
        for (int j = 0; j < 16; j++)
            #pragma unroll 1
            for (int k = 0; k < 16; k++) v += s[i & 1][(j * 16 + k + t) % 64].x;
        {end}
    }}
"""
FIRST = "__pipeline_memcpy_async(&s[0][t], &in[t], 16); __pipeline_commit();"


@pytest.mark.parametrize(
    ("pending", "end", "codes"),
    [
        (1, BARRIER, []),
        (0, BARRIER, []),
        (2, BARRIER, ["KL813"]),
        (1, "", ["KL810"]),
    ],
)
def test_reads_in_nested_loops(pending: int, end: str, codes: list[str]) -> None:
    body = NESTED.format(first=FIRST, pending=pending, end=end)
    assert [c for c in ("KL810", "KL813") if many(body, 2, c)] == codes


@pytest.mark.parametrize(("end", "codes"), [(ALL + BARRIER, 0), (BARRIER, 1)])
def test_reads_in_loops_of_different_lengths(end: str, codes: int) -> None:
    """Two loops, one after the other, within a loop that only reads."""
    reads = (
        "for (int i = 0; i < 4; i++) {"
        " for (int j = 0; j < 8; j++) v += s[0][(t + i + j) % 64].x;"
        " for (int j = 0; j < 2; j++) v += s[0][(t + i * j) % 64].y; }"
    )
    assert (many("".join((COPY, COMMIT, end, reads))) > 0) == bool(codes)
