"""Shared accesses of which data decides which lanes take part."""

from __future__ import annotations

from tests.support.found import found

KERNEL = """// kernlint: launch(grid=64, block=256)
__global__ void k(const float *x, const int *flag, float *y) {
    __shared__ float s[256 * 32];
    __shared__ float h[4];
    __shared__ int c;
    int t = threadIdx.x;
    if (flag[t]) s[t * 32] = x[t];
    if (flag[t] > 1) s[t] = x[t];
    if (flag[t] > 2) atomicAdd(&h[t % 4], x[t]);
    if (flag[t] > 3) atomicAdd(&c, 1);
    __syncthreads();
    y[t] = s[t] + h[t % 4] + c;
}
"""


def test_a_guard_by_data_does_not_silence_a_conflict() -> None:
    (finding,) = found("KL101", KERNEL)
    assert finding.span.line == 7 and finding.severity == "warning"
    assert "up to 32-way bank conflict: up to 32 wavefronts per request" in finding.message


def test_a_guard_by_data_does_not_silence_contention() -> None:
    (finding,) = found("KL102", KERNEL)
    assert finding.span.line == 9
    assert "up to 8-way atomic contention: up to 8 wavefronts per request" in finding.message
