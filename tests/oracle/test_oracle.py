"""The oracle itself: kernels whose counts are worked out by hand, and the hardware table it was
held against."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from typing import Any

import pytest

from tests.oracle import (
    Buffer,
    Case,
    Fact,
    Launch,
    Local,
    OracleError,
    rewrite,
    run_kernel,
    run_kernels,
    truth,
)
from tests.places import DATA
from tests.support import needs

pytestmark = [needs.oracle, pytest.mark.slow, pytest.mark.uncompiled]


def run(
    source: str,
    grid: Any = 1,
    block: Any = 32,
    raw: bool = False,
    dynamic: int = 0,
    **arguments: Any,
) -> Launch:
    launch = {
        "kernel": "k",
        "grid": grid,
        "block": block,
        "arguments": arguments,
        "dynamic_shared_bytes": dynamic,
    }
    return run_kernel(source, [launch], raw=raw)[0]


def numbers(fact: Fact) -> tuple[int, int, int, int, int]:
    return fact.requests, fact.lanes, fact.count, fact.min, fact.max


def test_transpose_tile_conflicts() -> None:
    source = """__global__ void k(float *out) {
    __shared__ float plain[32][32];
    __shared__ float padded[32][33];
    plain[threadIdx.x][threadIdx.y] = 1.0f;
    padded[threadIdx.x][threadIdx.y] = 1.0f;
    plain[threadIdx.y][threadIdx.x] = 2.0f;
    out[threadIdx.y * 32 + threadIdx.x] = 1.0f;
    out[threadIdx.x * 32 + threadIdx.y] = 1.0f;
}"""
    launch = run(source, grid=2, block=[32, 8], out=Buffer("float", 1024))
    assert numbers(launch.at(4, "shared", "store")) == (16, 512, 512, 32, 32)
    assert numbers(launch.at(5, "shared", "store")) == (16, 512, 16, 1, 1)
    assert numbers(launch.at(6, "shared", "store")) == (16, 512, 16, 1, 1)
    assert numbers(launch.at(7, "global", "store")) == (16, 512, 64, 4, 4)
    assert numbers(launch.at(8, "global", "store")) == (16, 512, 512, 32, 32)


def test_broadcast_and_multicast() -> None:
    source = """__global__ void k(float *out) {
    __shared__ float s[256];
    float a = s[5];
    float b = s[threadIdx.x / 8];
    float c = s[threadIdx.x / 4 * 32];
    out[0] = a + b + c;
}"""
    launch = run(source, out=Buffer("float", 4))
    assert [launch.at(line, "shared", "load").count for line in (3, 4, 5)] == [1, 1, 8]
    assert numbers(launch.at(6, "global", "store")) == (1, 32, 1, 1, 1)


def test_divergence_reconverges_after_if_and_loop() -> None:
    source = """__global__ void k(int *out, int n) {
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t < 5) {
        s[t] = 1;
    } else if (t & 1) {
        s[t + 1] = 2;
    }
    s[t] = 3;
    for (int i = 0; i < t % 4; i++)
        s[t] = i;
    s[t] = 4;
    if (t >= n)
        return;
    for (int i = 0; i < 4; i++) {
        if (i == t)
            continue;
        s[t] = 5;
        if (i > t)
            break;
    }
    out[t] = s[t];
}"""
    launch = run(source, block=32, out=Buffer("int", 64), n=20)
    lanes = {
        f.line: (f.requests, f.lanes)
        for f in launch.facts
        if f.space == "shared" and f.op == "store"
    }
    assert lanes[5] == (1, 5)
    assert lanes[7] == (1, 14)  # odd lanes from 5 to 31
    assert lanes[9] == (1, 32)
    assert lanes[11] == (3, 24 + 16 + 8)
    assert lanes[12] == (1, 32)
    # lane 0: i = 1 and leaves; lane 1: i = 0, 2; lane 2: 0, 1, 3; lane 3: 0, 1, 2; from lane 4 on
    # all four
    assert lanes[18] == (4, 1 + 2 + 3 + 3 + 4 * 16)
    assert launch.at(22, "global", "store").requests == 1
    assert launch.at(22, "global", "store").lanes == 20


def test_conditions_and_calls() -> None:
    source = """__device__ int pick(const int *p, int i) {
    if (i % 2)
        return p[i];
    return p[2 * i];
}
__global__ void k(const int *in, int *out) {
    int t = threadIdx.x;
    int v = t < 8 ? pick(in, t) : 0;
    if (t > 3 &&
        in[t] == 0)
        v++;
    out[t] = v;
}"""
    launch = run(source, p=Buffer("int", 64), out=Buffer("int", 64))
    assert numbers(launch.at(3, "global", "load"))[:2] == (1, 4)
    assert numbers(launch.at(4, "global", "load")) == (1, 4, 2, 2, 2)
    assert numbers(launch.at(10, "global", "load")) == (1, 28, 4, 4, 4)
    assert numbers(launch.at(12, "global", "store")) == (1, 32, 4, 4, 4)


def test_barrier_orders_a_reduction() -> None:
    source = """__global__ void k(const int *in, int *out) {
    extern __shared__ int s[];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int h = blockDim.x / 2; h > 0; h /= 2) {
        if (t < h)
            s[t] += s[t + h];
        __syncthreads();
    }
    out[(s[0] == 128 * 127 / 2) ? 0 : 64] = s[0];
}"""
    values = list(range(128))
    launch = run(
        source,
        block=128,
        dynamic=512,
        raw=True,
        values=Buffer("int", 128, values),
        out=Buffer("int", 128),
    )
    assert {a for r in launch.requests if r.line == 11 and r.op == "store" for a in r.offsets} == {
        0
    }  # the sum was right
    assert launch.at(8, "shared", "store").requests == 2 + 1 + 1 + 1 + 1 + 1 + 1
    assert launch.at(8, "shared", "store").lanes == 127
    assert launch.at(8, "shared", "load").requests == 2 * 8


def test_shuffles_and_votes() -> None:
    source = """__global__ void k(int *out) {
    int t = threadIdx.x;
    int up = __shfl_up_sync(~0u, t, 1);
    int down = __shfl_down_sync(~0u, t, 3, 16);
    int swapped = __shfl_xor_sync(~0u, t, 5);
    int first = __shfl_sync(~0u, t + 7, 0);
    unsigned odd = __ballot_sync(~0u, t & 1);
    bool right = up == (t ? t - 1 : 0) && down == (t % 16 < 13 ? t + 3 : t) && swapped == (t ^ 5) && first == 7;
    right = right && odd == 0xaaaaaaaau && __any_sync(~0u, t == 9) && !__all_sync(~0u, t == 9);
    int sum = t;
    for (int d = 16; d > 0; d >>= 1)
        sum += __shfl_xor_sync(~0u, sum, d);
    if (t >= 16)
        right = right && __activemask() == 0xffff0000u;
    out[right && sum == 496 ? t : 1024] = 1;
}"""
    assert numbers(run(source, out=Buffer("int", 2048)).at(15, "global", "store")) == (
        1,
        32,
        4,
        4,
        4,
    )


def test_atomics() -> None:
    source = """__global__ void k(int *g) {
    __shared__ int s[64];
    atomicAdd(&s[threadIdx.x % 4], 2);
    atomicAdd(&s[threadIdx.x * 2], 2);
    atomicCAS(&s[threadIdx.x], 0, 1);
    atomicAdd(&g[threadIdx.x % 2], 1);
    atomicMax(g + threadIdx.x * 8, 1);
}"""
    launch = run(source, g=Buffer("int", 512))
    assert (
        launch.at(3, "shared", "atomic").count == 8
        and launch.at(3, "shared", "atomic").combined == 1
    )
    assert launch.at(4, "shared", "atomic").count == 2
    assert launch.at(5, "shared", "atomic").count == 2
    assert (
        launch.at(6, "global", "atomic").count == 1
    )  # one sector, as the profiler's source view counts it
    assert launch.at(7, "global", "atomic").count == 32


def test_block_of_odd_sizes_in_three_dimensions() -> None:
    source = """__global__ void k(int *out) {
    int id = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    out[id + 512 * (blockIdx.x + blockIdx.y * gridDim.x + blockIdx.z * gridDim.x * gridDim.y)] = 1;
    if (threadIdx.z == 1)
        out[threadIdx.x] = 1;
}"""
    launch = run(source, grid=[2, 1, 3], block=[5, 3, 3], raw=True, out=Buffer("int", 4096))
    fact = launch.at(3, "global", "store")
    assert numbers(fact) == (12, 6 * 45, 6 * 6, 2, 4)
    assert launch.at(5, "global", "store").lanes == 6 * 15
    assert launch.at(5, "global", "store").requests == 6  # threads 15 to 29: one warp
    assert [r.block for r in launch.requests if r.line == 5] == [
        (x, 0, z) for z in range(3) for x in range(2)
    ]


def test_wide_accesses() -> None:
    source = """struct Pair { float a, b; };
__global__ void k(double *d, float4 *q, float2 *h, Pair *p) {
    __shared__ double sd[64];
    __shared__ float4 sq[64];
    int t = threadIdx.x;
    d[t] = sd[t];
    sq[t] = q[t];
    float2 v = h[2 * t];
    float4 same = sq[t / 2];
    double pairs = sd[t / 2 * 2];
    sq[t].x = v.x + same.y + (float)pairs;
    q[t] = make_float4(1, 2, 3, 4);
    Pair copy = p[t];
    d[t] = copy.a;
}"""
    launch = run(
        source,
        d=Buffer("double", 64),
        q=Buffer("float4", 64),
        h=Buffer("float2", 64),
        p=Buffer("Pair", 64),
    )
    assert numbers(launch.at(6, "shared", "load")) == (1, 32, 2, 2, 2)
    assert numbers(launch.at(6, "global", "store")) == (1, 32, 8, 8, 8)
    assert numbers(launch.at(7, "shared", "store")) == (1, 32, 4, 4, 4)
    assert numbers(launch.at(7, "global", "load")) == (1, 32, 16, 16, 16)
    assert numbers(launch.at(8, "global", "load")) == (1, 32, 16, 16, 16)
    assert numbers(launch.at(9, "shared", "load")) == (
        1,
        32,
        2,
        2,
        2,
    )  # pairs of lanes read one address: by half-warps
    assert numbers(launch.at(10, "shared", "load")) == (
        1,
        32,
        2,
        2,
        2,
    )  # the whole warp at once, 16 doubles 16 bytes apart
    assert numbers(launch.at(11, "shared", "store")) == (1, 32, 4, 4, 4)
    assert numbers(launch.at(12, "global", "store")) == (1, 32, 16, 16, 16)
    assert numbers(launch.at(13, "global", "load")) == (
        2,
        64,
        16,
        8,
        8,
    )  # two pieces of four bytes, each over eight sectors


def test_pointer_offset_and_raw_requests() -> None:
    source = "__global__ void k(float *a, int n) {\n    a[threadIdx.x * n] = 1;\n}"
    launch = run(source, block=40, raw=True, a=Buffer("float", 256, offset_bytes=20), n=2)
    assert numbers(launch.at(2, "global", "store")) == (2, 40, 9 + 3, 3, 9)
    assert launch.requests[0].offsets == tuple(20 + 8 * i for i in range(32))
    assert launch.requests[1].offsets == tuple(20 + 8 * i for i in range(32, 40)) + (None,) * 24
    assert launch.requests[1].object == "a" and launch.requests[1].warp == 1


def test_long_loops_are_aligned_in_pieces() -> None:
    source = """__global__ void k(int *out, int n) {
    for (int i = 0; i < n + (int)threadIdx.x; i++)
        out[threadIdx.x] = i;
}"""
    fact = run(source, block=64, out=Buffer("int", 64), n=30000).at(3, "global", "store")
    assert (fact.requests, fact.lanes) == (30031 + 30063, sum(30000 + t for t in range(64)))


def test_local_arrays() -> None:
    source = """__global__ void k(int *out, int n) {
    int h[8] = {0};
    double d[4];
    unsigned char b[16];
    int t = threadIdx.x;
    h[n] = 1;
    h[t & 1] += 2;
    d[t & 1] = 3;
    b[t & 3] = 4;
    out[t] = h[t % 3] + b[n];
}"""
    launch = run(source, out=Buffer("int", 64), n=2)
    assert numbers(launch.at(6, "local", "store")) == (1, 32, 4, 4, 4)
    assert numbers(launch.at(7, "local", "load")) == (1, 32, 8, 8, 8)
    assert numbers(launch.at(8, "local", "store")) == (1, 32, 16, 16, 16)
    assert numbers(launch.at(9, "local", "store")) == (1, 32, 4, 4, 4)
    assert launch.at(10, "local", "load").count == 12 + 4


def test_opencl() -> None:
    source = """__constant float weights[4] = {1, 2, 3, 4};
__kernel void k(__global float4 *a, __global float *b, __local float *scratch, int n) {
    __local float tile[16][16];
    int x = get_local_id(0), y = get_local_id(1);
    float4 v = a[get_global_id(0)] + (float4)(1.0f, 2.0f, 3.0f, weights[x & 3]);
    tile[x][y] = v.x + v.s1;
    scratch[x * n] = v.z;
    barrier(CLK_LOCAL_MEM_FENCE);
    b[get_global_id(1) * get_global_size(0) + get_global_id(0)] = tile[y][x];
    vstore4(v, x, b);
}"""
    arguments = {
        "a": Buffer("float4", 32),
        "b": Buffer("float", 1024),
        "scratch": Local(2048),
        "n": 4,
    }
    launch = run_kernel(
        source, [{"kernel": "k", "grid": 2, "block": [16, 16], "arguments": arguments}], "opencl"
    )[0]
    assert numbers(launch.at(5, "global", "load")) == (16, 512, 16 * 8, 8, 8)
    assert launch.at(5, "constant", "load").requests == 16
    assert numbers(launch.at(6, "shared", "store")) == (16, 512, 16 * 8, 8, 8)
    assert numbers(launch.at(7, "shared", "store")) == (16, 512, 32, 2, 2)
    assert numbers(launch.at(9, "global", "store")) == (16, 512, 64, 4, 4)
    assert numbers(launch.at(10, "global", "store")) == (64, 2048, 512, 8, 8)


def test_many_cases_in_one_compilation() -> None:
    cases = [
        Case(f"#define N {n}\n__global__ void k(int *a) {{ a[threadIdx.x * N] = 1; }}",
             [{"kernel": "k", "grid": 1, "block": 32, "arguments": {"a": Buffer("int", 1024)}}] * 2) for n in range(1, 9)
    ]  # fmt: skip
    found = run_kernels(cases)
    assert [
        [launch.at(2, "global", "store").count for launch in launches] for launches in found
    ] == [[4 * n, 4 * n] for n in range(1, 9)]


def test_trouble_is_an_error() -> None:
    with pytest.raises(OracleError):
        run("__global__ void k(int *a) { a[oops] = 1; }", a=Buffer("int", 4))
    with pytest.raises(OracleError, match="never come"):
        run(
            "__global__ void k() { if (threadIdx.x < 4) __shfl_sync(~0u, 1, 0); else __syncthreads(); }"
        )
    with pytest.raises(rewrite.RewriteError):
        rewrite.cuda('__global__ void k() { asm volatile("mma.sync.aligned" ::); }')


def table() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads((DATA / "oracle_table.json").read_text())
    return rows


def test_table_sorts_every_measured_line() -> None:
    rows = table()
    measured = json.loads((DATA / "truth" / "h100_kernels.json").read_text())
    assert (
        len(rows)
        == sum(
            line["space"] in truth.COUNT and line["requests"] > 0
            for launch in measured
            for line in launch["lines"]
        )
        == 322
    )
    assert Counter(r["verdict"] for r in rows) == {"as written": 311, "compiler": 6, "data": 5}
    for r in rows:
        hardware = {**r["hardware"], "space": r["space"]}
        if r["verdict"] == "as written":
            assert truth.matches(r["oracle"], hardware)
            assert truth.close(r["oracle"]["lanes"], hardware["threads"])
        if r["verdict"] == "compiler":
            assert r["note"]
        if r["verdict"] == "data":
            assert truth.matches(r["oracle"], hardware, "combined")


def test_committed_numbers_belong_to_the_sources() -> None:
    for entry in json.loads((DATA / "oracle_truth.json").read_text()):
        path = DATA / "truth" / "kernels" / entry["program"]
        assert entry["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("program", ["divergence.cu", "smem_latency.cu"])
def test_programs_give_the_committed_numbers(program: str) -> None:
    rows = json.loads((DATA / "oracle_truth.json").read_text())
    committed = [
        {k: v for k, v in e.items() if k not in ("program", "sha256")}
        for e in rows
        if e["program"] == program
    ]
    assert (
        json.loads(json.dumps(truth.run_program((DATA / "truth" / "kernels" / program, False))))
        == committed
    )
