"""`cuda::atomic` and `cuda::atomic_ref`: methods and operators are atomic, of the element's width, for
the threads of their scope."""

from __future__ import annotations

import pytest

from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source import files
from tests.support.found import found

HEAD = "#include <cuda/atomic>\n// kernlint: launch(grid=64, block=256)\n"
HELPERS = """
struct Counter {
    cuda::atomic_ref<int> n;
    __device__ Counter(int &x) : n(x) {}
    __device__ void add() { n++; n.fetch_add(2); }
};
__device__ cuda::atomic_ref<int> at(int *h, int i) { return cuda::atomic_ref<int>(h[i]); }
__device__ auto by_auto(int *h, int i) { cuda::atomic_ref<int> r(h[i]); return r; }
"""


def accesses(kernel: str) -> list[tuple[str, int, float | None]]:
    """Of a kernel's accesses to `h`: operation, bytes of each lane, sectors per request."""
    file = engine.analyse_source(files.Source("k.cu", "cuda", HELPERS + HEAD + kernel), Settings())
    [one] = file.kernels
    assert not file.problems
    every = [access for access in one.accesses if access.object == "h"]
    return [(a.op, a.bytes, a.sectors.mean if a.sectors else None) for a in every]


@pytest.mark.parametrize(
    ("type_", "body", "expected"),
    [
        ("unsigned", "cuda::atomic_ref<unsigned> r(h[t]); r.fetch_add(1u);", [("atomic", 4, 4)]),
        ("double", "cuda::atomic_ref r{h[t]}; r.fetch_add(1.0);", [("atomic", 8, 8)]),
        ("int", "cuda::atomic_ref<int>(*h).exchange(3);", [("atomic", 4, 1)]),
        ("int", "using ref = cuda::atomic_ref<int>; ref r(h[t]); r++;", [("atomic", 4, 4)]),
        ("int", "cuda::atomic_ref<int> r(h[t]); r |= 4;", [("atomic", 4, 4)]),
        ("int", "cuda::atomic_ref<int> r(h[t]); r.store(4);", [("store", 4, 4)]),
        ("cuda::atomic<int>", "h[t].fetch_add(1);", [("atomic", 4, 4)]),
        ("cuda::atomic<short>", "h[t].fetch_or(1);", [("atomic", 2, 2)]),
        ("cuda::atomic<int, cuda::thread_scope_device>", "h[t]++;", [("atomic", 4, 4)]),
        ("cuda::std::atomic<unsigned long long>", "h[t] -= 2;", [("atomic", 8, 8)]),
        ("cuda::atomic<int>", "h[t] = 2;", [("store", 4, 4)]),
        ("cuda::atomic<int>", "o[t] = h[t] = 2;", [("store", 4, 4)]),
        ("int", "Counter c(h[t]); c.add();", [("atomic", 4, 4), ("atomic", 4, 4)]),
        ("int", "at(h, t).fetch_add(1);", [("atomic", 4, 4)]),
        ("int", "by_auto(h, t)++;", [("atomic", 4, 4)]),
        ("cuda::atomic<int>", "int old = h->load(); o[t] = old;", [("load", 4, 1)]),
        ("cuda::atomic<int>", "int old = h[t]; o[t] = old;", [("load", 4, 4)]),
    ],
)
def test_accesses_are_of_the_element(
    type_: str, body: str, expected: list[tuple[str, int, float]]
) -> None:
    kernel = f"__global__ void k({type_} *h, int *o) {{ int t = threadIdx.x; {body} }}"
    assert accesses(kernel) == expected


@pytest.mark.parametrize("scope", ["block", "device", "system"])
@pytest.mark.parametrize(
    ("type_", "update"),
    [
        ("float", "cuda::atomic_ref<float, {}> r(*h); r.fetch_add(x);"),
        ("float", "cuda::atomic_ref<float, {}>(*h).fetch_add(x);"),
        ("float", "cuda::atomic_ref<float, {}> r{{*h}}; r += x;"),
        ("cuda::atomic<float, {}>", "h->fetch_add(x);"),
        ("cuda::atomic<float, {}>", "*h += x;"),
    ],
)
def test_an_update_that_is_atomic_for_its_block_alone_loses_those_of_others(
    type_: str, update: str, scope: str
) -> None:
    of = f"cuda::thread_scope_{scope}"
    kernel = f"""__global__ void k({type_.format(of)} *h, const float *in)
{{
    float x = in[blockIdx.x * 256 + threadIdx.x];
    {update.format(of)}
}}
"""
    told = [f.severity for f in found("KL812", HEAD + kernel)]
    assert told == (["error"] if scope == "block" else [])


@pytest.mark.parametrize(("barrier", "told"), [("", 1), ("__syncthreads();", 0)])
def test_a_counter_in_shared_memory_is_set_before_it_is_used(barrier: str, told: int) -> None:
    kernel = f"""__global__ void k(int *out, const int *in)
{{
    __shared__ cuda::atomic<int, cuda::thread_scope_block> n;
    if (threadIdx.x == 0) n = 0;
    {barrier}
    if (in[blockIdx.x * 256 + threadIdx.x] > 0) n++;
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = n;
}}
"""
    assert len(found("KL810", HEAD + kernel) + found("KL811", HEAD + kernel)) == told


def test_a_flag_that_is_released_and_acquired_is_no_race() -> None:
    kernel = """__global__ void k(cuda::atomic<int> *h, int *data, int *out)
{
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) { *data = 42; h->store(1, cuda::memory_order_release); }
    else { while (h->load(cuda::memory_order_acquire) == 0) {} out[blockIdx.x] = *data; }
}
"""
    assert found("KL812", HEAD + kernel) == []


@pytest.mark.parametrize(
    ("type_", "told"),
    [
        ("int", ["error"]),
        ("cuda::atomic<int, cuda::thread_scope_device>", []),
        ("cuda::atomic<int>", []),
    ],
)
@pytest.mark.parametrize(
    "body",
    [
        "if (blockIdx.x == 0 && threadIdx.x == 0) h[0] = 5; o[blockIdx.x * 256 + threadIdx.x] = h[0];",
        "if (threadIdx.x == 0) h[0] = blockIdx.x;",
    ],
)
def test_loads_and_stores_of_objects_are_no_race(type_: str, told: list[str], body: str) -> None:
    kernel = f"__global__ void k({type_} *h, int *o) {{ {body} }}\n"
    assert [f.severity for f in found("KL812", HEAD + kernel)] == told


def test_methods_of_objects_are_no_race() -> None:
    kernel = """__global__ void k(int *h, int *o)
{
    cuda::atomic_ref<int> r(*h);
    if (threadIdx.x == 0) r.store(blockIdx.x);
    o[blockIdx.x * 256 + threadIdx.x] = r.load() + r;
}
"""
    assert found("KL812", HEAD + kernel) == []


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("std::is_integral_v<cuda::atomic<int>>", False),
        ("std::is_arithmetic_v<cuda::atomic<float>>", False),
        ("std::is_same_v<cuda::atomic<int>, int>", False),
        ("std::is_same_v<cuda::atomic<int>, cuda::atomic<int, cuda::thread_scope_system>>", True),
        ("std::is_same_v<cuda::atomic<int>, cuda::atomic<int, cuda::thread_scope_block>>", False),
        ("std::is_integral_v<int>", True),
    ],
)
def test_an_atomic_object_is_a_class(condition: str, holds: bool) -> None:
    kernel = f"__global__ void k(float *h) {{ if constexpr ({condition}) h[threadIdx.x] = 1; }}"
    assert accesses(kernel) == ([("store", 4, 4)] if holds else [])
