"""Parts of dynamic shared memory that overlap, and names that are meant to be one memory."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest

from kernlint.execution.faults.lanes import Lanes
from kernlint.execution.faults.order import READ, WRITE
from kernlint.execution.faults.overlaps import _lost_for_others
from kernlint.execution.values.sums import Array
from tests.support.found import found

SOURCE = """
// kernlint: launch(grid=4, block=64, dynamic_shared=1024)
__global__ void k(float *out, const int *in)
{{
    {declared}
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    {body}
}}
"""
TWO = "extern __shared__ int a[]; extern __shared__ float b[];"
FILL = "a[t] = in[i]; b[t] = 0.5f * t; __syncthreads(); out[i] = a[63 - t] + b[t];"


@pytest.mark.parametrize(
    ("declared", "body", "many"),
    [
        (TWO, FILL, 1),
        ("extern __shared__ int a[]; float *b = (float *)a;", FILL, 1),
        ("extern __shared__ int a[]; float *b = (float *)(a + 64);", FILL, 0),
        # used one after the other
        (TWO, "a[t] = in[i]; __syncthreads(); int v = a[63 - t]; __syncthreads(); b[t] = v; "
              "__syncthreads(); out[i] = b[63 - t];", 0),
        # a row of the same array
        ("extern __shared__ float a[]; float *b = a + t / 32 * 32;",
         "a[t] = 0; b[t % 32] = in[i]; __syncthreads(); out[i] = a[63 - t];", 0),
        ("extern __shared__ float a[]; extern __shared__ float b[];", FILL, 1),
    ],
    ids=["two declared", "one start", "carved", "phases", "rows", "two of a type"],
)  # fmt: skip
def test_what_overlaps(declared: str, body: str, many: int) -> None:
    assert len(found("KL807", SOURCE.format(declared=declared, body=body))) == many


def test_names_that_differ_in_type_alone_may_be_views_of_one_part() -> None:
    declared = "extern __shared__ int a[]; float *b = (float *)a;"
    view, parts = (
        found("KL807", SOURCE.format(declared=one, body=FILL))[0] for one in (declared, TWO)
    )
    assert view.severity == "warning" and "may" in view.message
    assert any("unless the two are meant to share this memory" in note for note in view.notes)
    assert parts.severity == "error"


WRAPS = """
__global__ void k(float *out, const float *in, int pitch)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.x, col = threadIdx.x;
    unsigned u = i;
    {body}
}}
void go(float *out, const float *in) {{ k<<<70000, 64>>>(out, in, 40000); }}
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "many"),
    [
        ("out[row * pitch + col] = 1;", 1),
        ("float *p = out + row * pitch; p[col] = 1;", 1),
        ("out[(size_t)row * pitch + col] = 1;", 0),
        ("out[(size_t)(row * pitch) + col] = 1;", 1),
        ("out[i] = in[i - 1];", 0),  # may be a pointer into an array
        ("out[u] = in[u - 1];", 1),
        ("if (u > 0) out[u] = in[u - 1];", 0),
    ],
)
def test_indices_that_leave_32_bits(body: str, many: int) -> None:
    assert len(found("KL808", WRAPS.format(body=body))) == many


def test_a_guard_that_names_another_bound_is_shown() -> None:
    source = """
#include <cuda_runtime.h>
__global__ void k(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = in[i];
    }
}
int main()
{
    float *in, *out;
    cudaMalloc(&in, 1000 * sizeof(float));
    cudaMalloc(&out, 900 * sizeof(float));
    k<<<8, 128>>>(out, in, 1000);
}
"""
    [finding] = found("KL804", source)
    assert "`i < n` does not keep the index in bounds" in "\n".join(finding.notes)
    assert [label.span.line for label in finding.labels] == [14, 6, 15]


def looked_for(lanes: Lanes, name: Array) -> list[tuple[int, int]]:
    """One by one."""
    found = []
    for read in np.flatnonzero(lanes.kind == READ).tolist():
        before = [i for i in range(read) if lanes.unit[i] == lanes.unit[read]]
        writes = [i for i in before if lanes.kind[i] != READ]
        own = [i for i in before if writes and i < writes[-1] and name[i] == name[read]]
        if writes and name[writes[-1]] != name[read] and own and lanes.kind[own[-1]] != READ:
            found.append((writes[-1], own[-1]))
    return found


@pytest.mark.parametrize("seed", range(40))
def test_what_is_lost_for_other_names_is_found_as_one_by_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 60))
    nothing = np.zeros(count, dtype=np.int64)
    unit = np.sort(rng.integers(0, 6, count))
    kind = np.where(rng.integers(0, 2, count) == 1, READ, WRITE)
    columns = {f.name: nothing for f in fields(Lanes)} | {"unit": unit, "kind": kind}
    lanes, name = Lanes(**columns), rng.integers(0, 3, count)
    assert list(_lost_for_others(lanes, name)) == looked_for(lanes, name)
