"""KL704: code for warps of 32 lanes on devices of 64."""

from __future__ import annotations

import pytest

from tests.checks.test_resources import found

KERNEL = """\
#include <hip/hip_runtime.h>
#define FULL 0xffffffffu
constexpr int WARP = 32;
__device__ float halves(float v) {{ for (int d = 16; d > 0; d >>= 1) v += __shfl_down(v, d); return v; }}
__global__ void k(float *y, const float *x)
{{
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    float v = x[i];
    {body}
    y[i] = v;
}}
void go(float *y, const float *x) {{ k<<<64, 256>>>(y, x); }}
"""
VOTE = "v += __any(v > 0.5f);"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (f"if ((threadIdx.x & 31) == 0) v = 0; {VOTE}", "`threadIdx.x & 31`: numbers lanes"),
        (f"v += t % WARP; {VOTE}", "`t % WARP`: numbers lanes"),
        (f"v += t >> 5; {VOTE}", "`t >> 5`: numbers lanes"),
        (f"v += t & 0x1f; {VOTE}", "`t & 0x1f`: numbers lanes"),
        (f"v += t & (WARP - 1); {VOTE}", "`t & (WARP - 1)`: numbers lanes"),
        ("v += __shfl_sync(FULL, v, 0);", "names 32 lanes"),
        ("v += __any_sync(0xFFFFFFFF, v > 0);", "names 32 lanes"),
        ("unsigned m = __ballot(v > 0); v += m;", "is kept in 32 bits"),
        ("v += __popc(__ballot(v > 0));", "is kept in 32 bits"),
        ("v = halves(v);", "combines 32 lanes"),
        ("if (t < 64) for (int d = 16; d; d /= 2) v += __shfl_down(v, d);", "combines 32 lanes"),
        ("if (t < 32) v = 0; for (int d = 16; d; d /= 2) v += __shfl_down(v, d);", "combines 32"),
        ("for (int d = 16; d; d /= 2) { v += __shfl_xor(v, d); }", "combines 32 lanes"),
    ],
)
def test_what_takes_a_warp_for_32_lanes(body: str, said: str) -> None:
    text = KERNEL.format(body=body)
    [finding] = found(text, "KL704", device="mi300x", path="k.hip")
    assert said in finding.message and "has 64" in finding.message
    assert finding.severity == "warning"
    assert not found(text, "KL704", device="h100", path="k.hip")


@pytest.mark.parametrize(
    "body",
    [
        "v += t % 32 + t / 32;",  # a tile, as no lanes exchange values
        "for (int d = warpSize / 2; d; d /= 2) v += __shfl_down(v, d);",
        "for (int d = 16; d; d /= 2) v += __shfl_down(v, d, 32);",
        "if (t < WARP) { v += x[t]; for (int d = 16; d; d /= 2) v += __shfl_down(v, d); }",
        "if (threadIdx.x < 32) for (int d = 16; d; d /= 2) v += __shfl_down(v, d);",
        "unsigned long long m = __ballot(v > 0); v += __popcll(m);",
        f"v += t % warpSize; {VOTE}",
        f"v += i % 3 + blockIdx.x / 32; {VOTE}",
        "v += __shfl_sync(~0ull, v, 0);",
    ],
)
def test_what_holds_for_64_lanes(body: str) -> None:
    assert not found(KERNEL.format(body=body), "KL704", device="mi300x", path="k.hip")
