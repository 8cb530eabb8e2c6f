"""Loops of unknown length that move a variable on by more than additions, the same for all lanes:
the stride of a scan, the half of a double buffer."""

from __future__ import annotations

import pytest

from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source import files
from tests.support.found import found

pytestmark = pytest.mark.slow

SCAN = """// kernlint: launch(grid=1, block=256)
__global__ void k(float *x, int n, const int *in) {
    __shared__ float s[2][256];
    int t = threadIdx.x, cur = 0, d = 1;
    s[0][t] = x[t];
    __syncthreads();
    for (; d < n; STEP) {
        float v = s[cur][t];
        if (t >= d) v += s[cur][t - d];
        cur ^= 1;
        s[cur][t] = v;
        __syncthreads();
    }
    x[t] = s[cur][t];
}
"""


def most(code: str, text: str = "s[cur][t - d]") -> float:
    """Wavefronts of the access, at most."""
    file = engine.analyse_source(files.Source("a.cu", "cuda", code), Settings())
    (access,) = [a for kernel in file.kernels for a in kernel.accesses if a.text == text]
    assert access.wavefronts is not None
    return access.wavefronts.mean_high


@pytest.mark.parametrize("step", ["d *= 2", "d <<= 1", "d = 2 * d + 1", "d = n - d", "d += d"])
def test_a_stride_that_all_lanes_share_moves_them_together(step: str) -> None:
    scan = SCAN.replace("STEP", step)
    assert most(scan) == 1
    assert found("KL101", scan) == []


@pytest.mark.parametrize("step", ["d += in[t]", "d = d * t", "d = t > 3 ? d * 2 : d * 3"])
def test_a_stride_of_each_lane_may_lead_to_one_bank(step: str) -> None:
    assert most(SCAN.replace("STEP", step)) > 1


def test_a_stride_that_only_some_lanes_move_on_is_one_for_each_lane() -> None:
    scan = SCAN.replace("cur ^= 1;", "cur ^= 1;\n        if (in[t]) d *= 2;")
    assert most(scan.replace("STEP", "d *= 2")) > 1


def test_a_stride_between_lanes_cannot_leave_its_array() -> None:
    scan = SCAN.replace("STEP", "d *= 2").replace(
        "if (t >= d)", "int k = 2 * d * t;\n        if (k < 256)"
    )
    assert most(scan.replace("s[cur][t - d]", "s[0][k]"), "s[0][k]") == 16  # words of a bank
