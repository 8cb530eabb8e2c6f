"""KL301: what a split warp could do better, and where it could not."""

from __future__ import annotations

import pytest

from tests.support.found import found, of_case

TILE = """// kernlint: launch(grid=64, block=16x16)
__global__ void k(const float *x, float *y) {
    __shared__ float s[20][20];
    int tx = threadIdx.x, ty = threadIdx.y, i = (blockIdx.x * 16 + ty + 2) * 1024 + tx + 2;
    s[ty + 2][tx + 2] = x[i];
    HALO
    __syncthreads();
    y[i] = s[ty][tx + 2] + s[ty + 2][tx + 1] + s[ty + 1][tx] + s[ty + 1][tx + 2];
}
"""
WARP = """// kernlint: launch(grid=64, block=BLOCK)
__global__ void k(const float *x, float *y) {
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t;
    float v = x[i];
    BODY
    y[i + 64 * BLOCK] = v;
}
"""


def body(text: str, block: int = 32) -> str:
    return WARP.replace("BODY", text).replace("BLOCK", str(block))


def test_a_tree_within_a_warp_becomes_shuffles() -> None:
    (finding,) = of_case("KL301", "advice/tree.cu")
    assert finding.help.startswith("combine the values of a warp in registers")
    assert "`v += __shfl_down_sync(0xffffffff, v, h)` for h = 16 down to 1" in finding.help


def test_a_tree_over_a_small_block_ends_in_shuffles() -> None:
    tree = (
        "__shared__ float s[64];\n    s[t] = v;\n    __syncthreads();\n"
        "    for (int h = 32; h > 0; h >>= 1) {\n        if (h > t) s[t] += s[h + t];\n        __syncthreads();\n    }"
    )
    (finding,) = found("KL301", body(tree, 64))
    assert finding.help.startswith("once `h` is below 32, combine the values of a warp")


@pytest.mark.parametrize(
    "halo",
    [
        "if (tx == 0) s[ty + 2][1] = x[i - 1];",
        "if (tx < 2) { s[ty + 2][tx] = x[i - 2]; s[ty + 2][tx + 18] = x[i + 16]; }",
        "if (tx == 0) s[ty + 2][1] = x[i - 1]; else if (tx == 15) s[ty + 2][18] = x[i + 1];",
        "if (tx < 2 && ty < 2) s[ty][tx] = x[i - 2050];",
    ],
)
def test_the_halo_of_a_tile_is_no_finding(halo: str) -> None:
    assert found("KL301", TILE.replace("HALO", halo)) == []


LOOP = "for (int j = 0; j < 64; j++) v += sinf(j * v);"


@pytest.mark.parametrize(
    "who", ["t == 0", "t < 1", "!t", "t == 0 && blockIdx.x > 3", "blockIdx.x > 3 && t == 0"]
)
def test_one_elected_thread_is_no_finding(who: str) -> None:
    assert found("KL301", body(f"if ({who}) {{ {LOOP} }}")) == []


def test_several_lanes_at_work_are_one() -> None:
    assert [one.code for one in found("KL301", body(f"if (t < 8) {{ {LOOP} }}"))] == ["KL301"]
    assert [one.code for one in found("KL301", body(f"if (t % 2 == 0) {{ {LOOP} }}"))] == ["KL301"]


@pytest.mark.parametrize("who", ["t % 4 == 0", "(t & 31) < 8", "v > 0 && t % 2 == 0"])
def test_a_single_store_is_no_finding(who: str) -> None:
    assert found("KL301", body(f"if ({who}) y[i / 4] = v;", 256)) == []


ROWS = """// kernlint: launch(grid=64, block=16x16)
__global__ void rows(const float *x, float *y)
{
    __shared__ float s[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    s[ty][tx] = x[(blockIdx.x * 16 + ty) * 16 + tx];
    __syncthreads();
    if (tx < 8) s[ty][tx] += s[ty][tx + 8];
    __syncthreads();
    if (tx < 4) s[ty][tx] += s[ty][tx + 4];
    __syncthreads();
    if (tx < 2) s[ty][tx] += s[ty][tx + 2];
    __syncthreads();
    if (tx == 0) y[blockIdx.x * 16 + ty] = s[ty][0] + s[ty][1];
}
"""


def test_a_tree_that_is_written_out_becomes_one_shuffle_a_step() -> None:
    findings = found("KL301", ROWS)
    assert [finding.span.line for finding in findings] == [8, 10, 12]  # not the rows' results
    for finding, step in zip(findings, (8, 4, 2), strict=True):
        assert f"`v += __shfl_down_sync(0xffffffff, v, {step})` (or" in finding.help


def test_pairs_of_scattered_lanes_are_renumbered() -> None:
    pairs = "int o = t ^ 4;\n    if (o > t) { float w = x[o]; if (w < v) { y[t] = w; y[o] = v; } }"
    (finding,) = found("KL301", body(pairs, 64))
    assert finding.help.startswith("let whole warps take the same path: renumber the threads")
