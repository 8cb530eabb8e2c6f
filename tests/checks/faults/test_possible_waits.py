"""What may put accesses of different blocks in an order though nobody follows it: no error is sure
of a race there, and none is told behind such a wait."""

from __future__ import annotations

import pytest

from tests.support.found import found

pytestmark = pytest.mark.slow

FRAME = """
#include <cooperative_groups.h>
#include <cuda/atomic>
namespace cg = cooperative_groups;
__device__ float data[256];
__device__ int flag, err;
__device__ cuda::atomic<int, cuda::thread_scope_device> object;
// kernlint: launch(grid=2, block=128)
__global__ void k(float *out, int *f, volatile int *v) {{
    cuda::atomic_ref<int, cuda::thread_scope_device> a(*f);
    int t = threadIdx.x, i = blockIdx.x * 128 + t, w = 0;
    {body}
}}
"""
HANDED = """if (blockIdx.x == 0) {{ data[t] = t; {fence} __syncthreads(); if (t == 0) {release} }}
    else {{ if (t == 0) {{ {wait} }} __syncthreads(); out[t] = data[t]; }}"""
STORED = 'asm volatile("st.release.gpu.global.u32 [%0], %1;" :: "l"(&flag), "r"(1) : "memory");'
ADDED = 'asm volatile("red.release.gpu.global.add.u32 [%0], %1;" :: "l"(&flag), "r"(1) : "memory");'
LOADED = 'asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(w) : "l"(&flag) : "memory");'
LOADS = f"do {{ {LOADED} }} while (w == 0);"
NV = "__NV_THREAD_SCOPE_DEVICE"
FENCE = "__threadfence();"
TIMED = "int n = 0; while (*v == 0) { if (++n > 1000) { err = 1; break; } }"
PAIRS = {
    "stored in assembly": ("", STORED, LOADS),
    "added in assembly": ("", ADDED, LOADS),
    "atomic_ref": (
        "",
        "a.store(1, cuda::memory_order_release);",
        "while (a.load(cuda::memory_order_acquire) == 0);",
    ),
    "atomic_ref in full order": ("", "a.store(1);", "while (a.load() == 0);"),
    "exchange that gives back what it found": (
        "",
        "a.store(1);",
        "do { w = 1; a.compare_exchange_strong(w, 2); } while (w != 1);",
    ),
    "atomic": (
        "",
        "object.store(1, cuda::memory_order_release);",
        "while (object.load(cuda::memory_order_acquire) == 0);",
    ),
    "function of nvcc": (
        "",
        f"__nv_atomic_store_n(&flag, 1, __NV_ATOMIC_RELEASE, {NV});",
        f"while (__nv_atomic_load_n(&flag, __NV_ATOMIC_ACQUIRE, {NV}) == 0);",
    ),
    "past the caches": (FENCE, "atomicExch(&flag, 1);", "while (__ldcv(&flag) == 0);"),
    "past L1": (FENCE, "__stcg(&flag, 1);", "while (__ldcg(&flag) == 0);"),
    "with an end": (FENCE, "*v = 1;", TIMED),
}


def severities(body: str) -> list[str]:
    return [finding.severity for finding in found("KL812", FRAME.format(body=body))]


@pytest.mark.parametrize(("fence", "release", "wait"), PAIRS.values(), ids=PAIRS)
def test_behind_a_wait_that_is_not_followed_nothing_is_told(
    fence: str, release: str, wait: str
) -> None:
    assert severities(HANDED.format(fence=fence, release=release, wait=wait)) == []
    assert severities(HANDED.format(fence="", release=";", wait="")) == ["error"]


@pytest.mark.parametrize(
    "barrier",
    [
        "cg::this_cluster().sync();",
        "auto c = cg::this_cluster(); c.sync();",
        "cg::sync(cg::this_cluster());",
    ],
)
def test_a_barrier_of_a_cluster_orders_its_blocks(barrier: str) -> None:
    body = "data[i] = t; {} out[i] = data[i ^ 128];"
    assert severities(body.format(barrier)) == []
    assert severities(body.format("__syncthreads();")) == ["error"]
    assert severities(barrier + body.format("")) == ["error"]


def test_a_vote_of_the_block_waits() -> None:
    wait = f"while (__syncthreads_and(w != blockIdx.x + 1)) {{ if (t == 0) {LOADED} }}"
    body = f"{wait} __syncthreads(); out[t] = out[t] + 1.0f; __syncthreads(); if (t == 0) {STORED}"
    assert severities(body) == []


def test_lanes_poll_what_others_of_their_warp_set() -> None:
    body = (
        "data[i] = t; __threadfence(); __syncthreads(); if (t == 0) v[blockIdx.x] = 1;"
        "if (t < gridDim.x) while (v[t] != 1); __syncthreads(); out[i] = data[i ^ 128];"
    )
    assert severities(body) == []


def test_a_function_that_nobody_knows_may_wait() -> None:
    source = "__device__ void g(int *f);\n" + FRAME
    for name, severity in (("g(f);", ["warning"]), ("", ["error"])):
        body = f"data[i] = t; {name} out[i] = data[i ^ 128];"
        assert [f.severity for f in found("KL812", source.format(body=body))] == severity


def test_before_the_wait_and_behind_the_release_nothing_is_in_order() -> None:
    late = "if (blockIdx.x == 0) {{ {0} data[t] = t; }} else {{ {1} out[t] = data[t]; }}"
    assert severities(late.format(STORED, LOADS)) == ["error"]
    early = "if (blockIdx.x == 0) {{ data[t] = t; {0} }} else {{ out[t] = data[t]; {1} }}"
    assert severities(early.format(STORED, LOADS)) == ["error"]


def test_a_plain_load_that_polls_makes_it_unsure() -> None:
    body = HANDED.format(fence=FENCE, release="flag = 1;", wait="while (flag == 0);")
    assert "error" not in severities(body)


def test_the_name_of_an_array_is_no_wait() -> None:
    source = FRAME.replace("float data[256]", "float data[256], acquired[256], released[256]")
    body = "data[i] = t; released[i] = acquired[i]; out[i] = data[i ^ 128];"
    assert [f.severity for f in found("KL812", source.format(body=body))] == ["error"]


def test_a_method_of_the_users_own_is_no_wait() -> None:
    """Its name is that of a method of `cuda::atomic`."""
    source = """struct Row { float *p; __device__ float &test(int i) const { return p[i]; } };
__global__ void k(Row row, float *out, float *y) {
    int i = threadIdx.x;
    out[i] = row.test(i);
    atomicAdd(&row.p[5000 + i], 1.f);
    y[i] = out[1023 - i];
}
void go(Row row, float *o, float *y) { k<<<4, 1024>>>(row, o, y); }
"""
    assert [f.severity for f in found("KL812", source)] == ["error"]
