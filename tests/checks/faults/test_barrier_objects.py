"""`cuda::barrier`, mbarriers and what they await: what orders accesses, and what does not."""

from __future__ import annotations

import pytest

from tests.support.found import found

pytestmark = pytest.mark.slow

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


ASSEMBLY_WAIT = f"for (uint64_t st = 0, d = 0; !d;) {TEST}"
STAGES = """
#include <cuda/barrier>
namespace cde = cuda::device::experimental;
using Barrier = cuda::barrier<cuda::thread_scope_block>;
struct Tiles {{ alignas(128) float tile[128]; float scale[128]; }};
// kernlint: launch(grid=1, block=128)
__global__ void k(const float *in, float *o, int what, int n)
{{
    __shared__ alignas(128) float s[2][128];
    __shared__ Tiles both;
    __shared__ Barrier bar, next;
    int t = threadIdx.x;
    float v = 0;
    if (t == 0) {{ init(&bar, blockDim.x); init(&next, blockDim.x); }}
    __syncthreads();
    {body}
    o[t] = v;
}}
"""


def bulk(to: str, source: str = "in", size: str = "512") -> str:
    return f"if (t == 0) {{ cde::cp_async_bulk_global_to_shared({to}, {source}, {size}, bar); }}"


WAIT, MEET = "bar.arrive_and_wait();", "__syncthreads();"
TURNS = "for (int i = 0; i < 8; i++) {{ {} }}".format


@pytest.mark.parametrize(
    ("statements", "severities"),
    [
        ([bulk("s[0]"), WAIT, bulk("s[1]"), MEET, "v = s[0][t];"], []),
        ([bulk("s[0]"), WAIT, bulk("s[1]"), MEET, "v = s[1][127 - t];"], ["error"]),
        ([bulk("s[0]", size="256"), MEET, "v = s[0][64 + t / 2];"], []),
        ([bulk("s[0]", size="256"), MEET, "v = s[0][t];"], ["error"]),
        ([bulk("s[0]", size="n"), MEET, "v = s[0][t];"], []),
        ([bulk("s[what]"), MEET, "v = s[0][t];"], []),
        ([bulk("both.tile"), "both.scale[t] = 1;", MEET, "v = both.scale[127 - t];"], []),
        ([bulk("both.tile"), MEET, "v = both.tile[t];"], ["error"]),
        ([f"if (what == 1) {bulk('s[0]')}", MEET, "if (what == 0) v = s[0][t];"], []),
        ([f"if (what == 1) {{ {bulk('s[0]')} {MEET} v = s[0][t]; }}"], ["warning"]),
        ([bulk("s[0]"), MEET, "if (what == 0) v = s[0][t];"], ["warning"]),
        ([TURNS(f"{bulk('s[i & 1]')} if (i > 0) v += s[(i - 1) & 1][t]; {WAIT}")], []),
        ([TURNS(f"{bulk('s[i & 1]')} {MEET} v += s[i & 1][t]; {WAIT}")], ["error"]),
        ([TURNS(f"if (i > 0) v += s[0][t]; {MEET} {bulk('s[0]')} {WAIT}")], []),
        ([TURNS(f"if (i > 0) v += s[0][t]; {bulk('s[0]')} {MEET}")], ["error"]),
    ],
)
def test_which_bytes_a_bulk_copy_brings(statements: list[str], severities: list[str]) -> None:
    source = STAGES.format(body="\n    ".join(statements))
    assert [finding.severity for finding in found("KL813", source)] == severities


def test_assembly_that_tests_an_mbarrier_waits_for_a_bulk_copy() -> None:
    copied = f"if (t == 0) {{ {BULK['assembly']} }}"
    assert found("KL813", FRAME.format(body=f"{copied} {ASSEMBLY_WAIT} {READ}")) == []


UNKNOWN = """
#include <cuda/barrier>
struct Team {{ __device__ void init(); __device__ void arrive(); }};
__device__ void init(float *s);
__device__ void arrive(float *s);
__device__ void fence_all(float *s);
__device__ void cp_async_bulk(float *s);
__device__ void reduce(float *s);
// kernlint: launch(grid=1, block=256)
__global__ void k(const float *in, float *out, Team team)
{{
    __shared__ float s[256];
    s[threadIdx.x] = in[threadIdx.x];
    {call}
    out[threadIdx.x] = s[255 - threadIdx.x];
}}
"""
FUNCTIONS = "init(s);", "arrive(s);", "fence_all(s);", "cp_async_bulk(s);", "reduce(s);"
METHODS = "team.init();", "team.arrive();"


@pytest.mark.parametrize("call", [*FUNCTIONS, *METHODS])
def test_a_function_that_is_named_like_one_of_the_library_may_wait(call: str) -> None:
    source = UNKNOWN.format(call=call)
    assert [f for code in ("KL810", "KL811") for f in found(code, source)] == []


CHANGING = """
#include <cuda/ptx>
__device__ float reduced(float v);
__device__ void reduce_all(float *s);
// kernlint: launch(grid=2, block=256)
__global__ void k(const float *in, float *out)
{{
    __shared__ float s[256], r[256];
    int t = threadIdx.x;
    s[t] = in[t + {part}];
    r[t] = in[t];
    {call}
    out[{to}] = {value};
}}
"""
CLUSTER = "cuda::ptx::barrier_cluster_arrive(); cuda::ptx::barrier_cluster_wait();"
ALIKE, APART = "0", "blockIdx.x * 256"


@pytest.mark.parametrize(
    ("part", "call", "to", "value", "severities"),
    [
        (ALIKE, CLUSTER, "t", "s[255 - t]", []),
        (ALIKE, "reduce_all(s);", "t", "s[255 - t]", ["warning"]),
        (APART, "reduce_all(s);", "t", "s[255 - t]", ["warning"]),
        (ALIKE, "reduce_all(s);", "blockIdx.x", "s[t]", ["warning"]),
        (ALIKE, "float *p = s + 1; reduce_all(p);", "blockIdx.x", "s[t]", ["warning"]),
        (ALIKE, "", "blockIdx.x", "reduced(s[t])", ["warning"]),
        (ALIKE, "reduce_all(r);", "blockIdx.x", "s[t]", ["error"]),
    ],
)
def test_values_that_a_call_may_have_made_equal(
    part: str, call: str, to: str, value: str, severities: list[str]
) -> None:
    source = CHANGING.format(part=part, call=call, to=to, value=value)
    assert [finding.severity for finding in found("KL812", source)] == severities


SET_UP = """
#include <cuda/barrier>
#include <cooperative_groups.h>
using Barrier = cuda::barrier<cuda::thread_scope_block>;
__device__ uint32_t at(const void *p) {{ return (uint32_t)__cvta_generic_to_shared(p); }}
__device__ void set(uint64_t *b, int n) {{ asm volatile("mbarrier.init.shared.b64 [%0], %1;" :: "r"(at(b)), "r"(n)); }}
__device__ void arrive(uint64_t *b) {{ asm volatile("mbarrier.arrive.shared.b64 _, [%0];" :: "r"(at(b)) : "memory"); }}
__global__ void k(float *o)
{{
    __shared__ Barrier bar;
    __shared__ uint64_t mb[4];
    auto block = cooperative_groups::this_thread_block();
    int t = threadIdx.x, w = t / 32;
    {body}
    o[t] = 1;
}}
void run(float *o) {{ k<<<1, 128>>>(o); }}
"""


@pytest.mark.parametrize(
    ("body", "many"),
    [
        ("if (t == 0) init(&bar, 128); bar.arrive_and_wait();", 1),
        (
            "if (t == 0) init(&bar, 128); __syncwarp(); auto a = bar.arrive(); bar.wait(std::move(a));",
            1,
        ),
        ("if (t == 0) init(&bar, 128); __syncthreads(); bar.arrive_and_wait();", 0),
        (
            "if (block.thread_rank() == 0) init(&bar, block.size()); block.sync(); bar.arrive_and_wait();",
            0,
        ),
        ("if (t < 4) set(&mb[t], 128); arrive(&mb[0]); arrive(&mb[3]);", 1),
        ("if (t == 0) for (int i = 0; i < 4; i++) set(&mb[i], 1); arrive(&mb[w]);", 1),
        ("if (t % 32 == 0) set(&mb[w], 32); __syncwarp(); arrive(&mb[w]);", 0),
        ("if (t == 0) { set(mb, 1); arrive(mb); }", 0),
        (
            "if (t == 0) set(mb, 128); __syncthreads(); arrive(mb); __syncthreads(); if (t == 0) set(mb, 64);",
            0,
        ),
    ],
)
def test_who_uses_a_barrier_before_it_is_set_up(body: str, many: int) -> None:
    findings = found("KL810", SET_UP.format(body=body))
    assert [f.severity for f in findings] == ["error"] * many
