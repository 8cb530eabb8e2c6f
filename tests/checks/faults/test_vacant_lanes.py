"""Shuffles that read lanes which have left or do not come."""

from __future__ import annotations

import pytest

from tests.support.found import found

SOURCE = """
__global__ void k(float *out, const float *in, int n)
{{
    int t = threadIdx.x, lane = t % 32, i = blockIdx.x * blockDim.x + t;
    {body}
}}
void go(float *out, const float *in) {{ k<<<4, 256>>>(out, in, {n}); }}
"""
LEAVES = "if (i >= n) return; float v = in[i]; {} if (lane == 0) out[i / 32] = v;"


def vacant(body: str, n: int = 1000) -> int:
    return len(found("KL404", SOURCE.format(body=body, n=n)))


DOWN = "for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(0xffffffff, v, o);"


def test_lanes_that_have_left() -> None:
    assert vacant(LEAVES.format(DOWN)) == 1
    assert vacant(LEAVES.format(DOWN), 992) == 0  # whole warps leave
    assert vacant(LEAVES.format(DOWN.replace("down", "xor"))) == 1
    assert vacant(LEAVES.format("v += __shfl_sync(0xffffffff, v, 31);")) == 1
    assert vacant(LEAVES.format("v += __shfl_sync(0xffffffff, v, 0);")) == 0


def test_a_result_that_a_condition_lets_in() -> None:
    """May be that of the lanes which are there."""
    kept = "float u = __shfl_down_sync(0xffffffff, v, 16); if (i + 16 < n) v += u;"
    chosen = "float u = __shfl_down_sync(0xffffffff, v, 16); v += i + 16 < n ? u : 0.0f;"
    assert vacant(LEAVES.format(kept)) == vacant(LEAVES.format(chosen)) == 0


@pytest.mark.parametrize(
    ("body", "many"),
    [
        # the last lanes read others than the sum needs
        ("if (lane < 8) {{ {} }}".format("for (int o = 4; o > 0; o /= 2) v += __shfl_down_sync(0xff, v, o);"), 0),
        ("if (lane < 24) v += __shfl_xor_sync(0x00ffffff, v, 8);", 1),
        ("if (lane < 16) v += __shfl_xor_sync(0x0000ffff, v, 8);", 0),
        ("if (lane < 16) v = __shfl_sync(0x0000ffff, v, lane + 16);", 1),
        ("if (lane < 16) v += __shfl_up_sync(0x0000ffff, v, 1);", 0),
        ("if (lane < 16) v += __shfl_sync(0x0000ffff, v, lane + 16, 16);", 0),
        ("if (lane < 8) v += __shfl_down_sync(0xff, v, 8);", 1),
    ],
)  # fmt: skip
def test_lanes_outside_of_the_mask(body: str, many: int) -> None:
    assert vacant(f"float v = in[t]; {body} out[i] = v;", 1024) == many
