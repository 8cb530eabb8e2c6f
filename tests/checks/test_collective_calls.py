"""KL401 to KL403 on calls that a tile, a sub-group or a work-group makes together, and on lanes that
a partial warp does not have."""

from __future__ import annotations

import pytest

from tests.checks.test_barriers import BARRIERS, brief, case
from tests.checks.test_messages import findings_of

TILE = """\
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
// kernlint: launch(grid=4, block=64, n=200)
__global__ void k(float *x, int n)
{{
    auto w = cg::tiled_partition<{size}>(cg::this_thread_block());
    float v = x[threadIdx.x];
    {code}
    x[threadIdx.x] = v;
}}
"""


@pytest.mark.parametrize(
    ("code", "size", "severity"),
    [
        ("if (v > 0.5f) v += w.shfl_down(v, 1);", 32, "warning"),
        ("if (v > 0.5f) v = w.any(v > 1.0f);", 32, "warning"),
        ("if (v > 0.5f) v = cg::reduce(w, v, cg::plus<float>());", 32, "warning"),
        ("if (threadIdx.x % 32 < 16) v += w.shfl_down(v, 8);", 32, "error"),
        ("if (threadIdx.x % 32 < 16) v += w.shfl_down(v, 8);", 16, ""),
        ("for (int i = w.meta_group_rank(); i < n; i += 2) v += w.shfl_down(v, 8);", 32, ""),
        ("auto g = cg::coalesced_threads(); if (v > 0.5f) v += g.shfl(v, 0);", 32, ""),
    ],
)
def test_the_lanes_of_a_tile_call_together(code: str, size: int, severity: str) -> None:
    found = findings_of(TILE.format(code=code, size=size), *BARRIERS)
    assert [f.severity for f in found if f.code == "KL403"] == [severity] * bool(severity)


OPENCL = """\
// kernlint: launch(grid=4, block=64)
kernel void k(global float *x)
{{
    float v = x[get_global_id(0)];
    {code}
    x[get_global_id(0)] = v;
}}
"""


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("if (get_local_id(0) < 40) v = work_group_broadcast(v, 0);", ("KL401", "error")),
        ("if (v > 0.5f) v = work_group_scan_inclusive_add(v);", ("KL401", "warning")),
        (
            "if (get_global_id(0) >= 200) return; v = work_group_broadcast(v, 0);",
            ("KL402", "warning"),
        ),
        ("if (get_local_id(0) < 40) v = sub_group_reduce_add(v);", ("KL403", "error")),
        ("if (v > 0.5f) v = sub_group_broadcast(v, 0);", ("KL403", "warning")),
        ("if (v > 0.5f) v = sub_group_non_uniform_reduce_add(v) + sub_group_shuffle(v, 1);", None),
        ("v = work_group_scan_inclusive_add(v) + work_group_broadcast(v, 3);", None),
    ],
)
def test_work_items_call_together(code: str, expected: tuple[str, str] | None) -> None:
    found = findings_of(OPENCL.format(code=code), *BARRIERS, path="k.cl")
    assert [(f.code, f.severity) for f in found] == ([] if expected is None else [expected])
    assert not any("mask" in f"{f.message} {f.notes} {f.help}" for f in found)


PARTIAL = """\
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(float *x)
{{
    float v = x[blockIdx.x * blockDim.x + threadIdx.x];
    {code}
    x[blockIdx.x * blockDim.x + threadIdx.x] = v;
}}
void go(float *x) {{ k<<<4, {block}>>>(x); }}
"""
DOWN = "v += __shfl_down_sync(0xffffffff, v, 16);"


@pytest.mark.parametrize(
    ("code", "block", "lanes"),
    [
        (DOWN, 48, "lanes 16-31"),
        (DOWN, 100, "lanes 4-31"),
        (DOWN, 64, ""),
        (f"if (threadIdx.x < 32) {DOWN}", 48, ""),
        ("v += __shfl_xor_sync(threadIdx.x < 32 ? ~0u : 0xffffu, v, 1);", 48, ""),
        ("v += __shfl_xor_sync(__activemask(), v, 1); __syncwarp();", 48, ""),
        ("v += __popc(__ballot_sync(0xffffffff, v > 0.5f));", 48, ""),
        ("v = __reduce_add_sync(0xffffffff, (int)v);", 48, "lanes 16-31"),
        (
            "v += cg::tiled_partition<32>(cg::this_thread_block()).shfl_down(v, 16);",
            48,
            "lanes 16-31",
        ),
        ("v += cg::tiled_partition<16>(cg::this_thread_block()).shfl_down(v, 8);", 48, ""),
    ],
)
def test_lanes_that_a_partial_warp_does_not_have(code: str, block: int, lanes: str) -> None:
    found = findings_of(PARTIAL.format(code=code, block=block), *BARRIERS)
    assert [(f.code, f.severity) for f in found] == [("KL403", "warning")] * bool(lanes)
    assert all(f.notes[0].endswith(f"named without a thread: {lanes}") for f in found)


def test_cases_of_partial_warps_and_waits() -> None:
    assert brief(case("questions/63-block-48-shuffle.cu")) == [("KL403", "warning", 8)]
    assert not case("modern/m02_wait_false_error.cu")


ELECTED = """\
// kernlint: launch(grid=4, block=64)
__global__ void k(float *x, const float *g)
{{
    __shared__ float s[64];
    const bool chosen = {chosen};
    for (int i = 0; i < 8; i++) {{
        s[threadIdx.x] = g[i * 64 + threadIdx.x];
        __syncthreads();
        if (chosen) asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
            :: "l"(x + i * 64), "r"((unsigned)__cvta_generic_to_shared(s)), "r"(256) : "memory");
        __syncthreads();
    }}
}}
"""


def test_an_elected_thread_may_have_a_name() -> None:
    for chosen in (
        "threadIdx.x == 0",
        "threadIdx.x == 63",
        "threadIdx.x / 32 + threadIdx.x % 32 < 1",
    ):
        assert not findings_of(ELECTED.format(chosen=chosen), "KL301")
    assert not findings_of(ELECTED.format(chosen="threadIdx.x % 8 == 0"), "KL301")  # leaders
    assert findings_of(ELECTED.format(chosen="threadIdx.x % 2 == 0"), "KL301")
    assert not case("questions/47-exact-mask.cu", "KL301")
    assert not case("modern/m20_elected_thread_noise.cu", "KL301")


COPY = """\
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
// kernlint: launch(grid=4, block=256)
__global__ void k(const float *x, float *y)
{{
    __shared__ float s[256];
    auto b = cg::this_thread_block();
    auto w = cg::tiled_partition<32>(b);
    {code}
    cg::wait(b);
    y[threadIdx.x] = s[threadIdx.x];
}}
"""


@pytest.mark.parametrize(
    ("code", "severity"),
    [
        ("if (threadIdx.x < 32) cg::memcpy_async(b, s, x, 1024);", "error"),
        ("if (x[threadIdx.x] > 0) cg::memcpy_async(b, s, x, 1024);", "warning"),
        ("if (blockIdx.x > 0) cg::memcpy_async(b, s, x, 1024);", ""),
        ("if (w.meta_group_rank() == 0) cg::memcpy_async(w, s, x, 1024);", ""),
    ],
)
def test_a_copy_of_a_block_is_made_by_all_its_threads(code: str, severity: str) -> None:
    found = findings_of(COPY.format(code=code), *BARRIERS)
    assert [(f.code, f.severity) for f in found] == [("KL401", severity)] * bool(severity)


def test_a_barrier_of_the_grid_does_not_let_exited_blocks_go() -> None:
    source = """#include <cooperative_groups.h>
// kernlint: launch(grid=8, block=64)
__global__ void k(float *x) {
    if (blockIdx.x < 4) { x[threadIdx.x] = 1; cooperative_groups::this_grid().sync(); }
}
"""
    (finding,) = findings_of(source, "KL401")
    assert "also for those that have exited" in finding.notes[0]
    assert not any("do not hang" in note for note in finding.notes)


def test_a_reduction_gives_all_lanes_of_a_warp_one_number() -> None:
    code = (
        "int m = cg::reduce(w, (int)v, cg::greater<int>()); "
        "for (int i = max(0, n - m); i < n; i++) __shfl_down_sync(~0u, v, 1);"
    )
    found = findings_of(TILE.format(code=code, size=32), *BARRIERS)
    assert "KL403" not in [f.code for f in found]
