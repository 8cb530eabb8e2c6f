"""Indices of a thread's arrays that only a run decides, held against the stack frames of nvcc 13.0
for sm_90 (`-Xptxas -v`)."""

from __future__ import annotations

import pytest

from tests.checks.test_messages import findings_of

KERNEL = """\
// kernlint: launch(grid=4, block=256{given})
__global__ void k(float *a, const float *b, const int *h, int n)
{{
    float loc[{size}], s = 0;
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < {size}; k++) loc[k] = b[k];
    {body}
    a[t] = s;
    for (int k = 0; k < {size}; k++) a[t + k * 1024] = loc[k];
}}
"""
STORES = "loc[k] = b[k * 1024 + t];"


@pytest.mark.slow
@pytest.mark.parametrize("given", ["", ", n=60"])
@pytest.mark.parametrize(
    ("size", "body", "frame"),
    [
        (64, f"for (int k = 0; k < n; k++) {STORES}", 256),
        (64, "for (int k = 0; k < n; k++) s += loc[k] * b[k + t];", 256),
        (64, "for (int k = 0; k < n; k++) loc[h[k]] += b[k];", 256),
        (64, "s = loc[n];", 256),
        (8, f"for (int k = 0; k < n; k++) {STORES}", 0),
        (8, "for (int k = 0; k < n; k++) s += loc[k] * b[k + t];", 0),
        (8, f"for (int k = 0; k < 8 && k < n; k++) {STORES}", 0),
        (8, f"for (int k = 0; k < min(n, 8); k++) {STORES}", 0),
        (8, f"for (int k = 0; k < 8; k++) {{ if (k >= n) break; {STORES} }}", 0),
        (8, f"for (int k = threadIdx.x & 3; k < 8; k += 4) {STORES}", 0),
    ],
)
def test_arrays_in_local_memory_whatever_the_index(
    size: int, body: str, frame: int, given: str
) -> None:
    if given and size < 60:
        given = ", n=6"
    found = findings_of(KERNEL.format(size=size, body=body, given=given), "KL502")
    certain = [finding for finding in found if finding.status == "exact"]
    assert (frame > 0 or not certain) and (found or frame == 0), body


READ = """\
__global__ void pick(float *a, const int *h, int n)
{{
    float loc[{size}], s = 0;
    int t = threadIdx.x;
    for (int k = 0; k < {size}; k++) loc[k] = a[t + k * n];
    {body}
    a[t] = s;
}}
void go(float *a, const int *h) {{ pick<<<64, 128>>>(a, h, 1024); }}
"""


@pytest.mark.parametrize(
    ("size", "body", "may"),
    [
        (64, "s = loc[h[t]];", True),
        (128, "s = loc[h[t]];", False),
        (64, "for (int k = 0; k < n; k++) s += loc[h[t + k]];", False),
    ],
)
def test_an_array_that_is_only_read_outside_of_loops_may_be_selected_from(
    size: int, body: str, may: bool
) -> None:
    """Stack frames by nvcc 13.0 -Xptxas -v for sm_80 and sm_90: 0, 512 and 256 bytes."""
    [finding] = findings_of(READ.format(size=size, body=body), "KL502")
    assert ("per thread may lie in local memory" in finding.message) is may
