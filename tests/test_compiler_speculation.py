"""Loads that nvcc takes out of their branch, and those that it leaves there: what its machine code shows (nvcc 13.0.88, -O3, sm_90)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.test_execution import access, run

KERNEL = """// kernlint: launch(grid=4, block=128)
__device__ int g;
__global__ void k(int *o, const int *x) {{
    __shared__ int s, a[128];
    int t = threadIdx.x;
    a[t] = x[t];
    if (t == 1) s = x[100];
    __syncthreads();
    {0}
}}
"""
TAKEN = (
    ("s", "if (t == 0 && s != 0) o[5] = 2;"),
    ("s", "int v = 1; if (t == 0) v = s; o[t] = v;"),
    ("s", "o[t] = t == 0 ? s : 7;"),
    ("a[3]", "if (t == 0 && a[3] > 1) o[5] = 2;"),
    ("a[7]", "int v = x[t]; if (t < 5) v += a[7]; o[t] = v;"),
    ("g", "if (t == 0 && g > 1) o[t] = 2;"),
    ("a[3]", "if (t == 0) { if (a[3] > 1) o[t] = 2; }"),
)
LEFT = (
    ("a[t]", "if (t < 32 && a[t] > 1) o[t] = 2;"),
    ("x[3]", "if (t == 0 && x[3] > 1) o[t] = 2;"),
    ("a[3]", "if (t == 0 && a[3] + a[4] > 1) o[t] = 2;"),
    ("s", "if (t == 0) o[blockIdx.x] = s;"),
)


@pytest.mark.parametrize(("text", "statement"), TAKEN)
def test_a_load_that_cannot_fail_is_not_called_exact_in_a_branch_of_its_own(text: str, statement: str, tmp_path: Path) -> None:
    """The machine makes 16 requests of 32 lanes where 4 of one lane are written; what one request costs stays."""
    load = access(run(tmp_path, KERNEL.format(statement)), text, "load")
    counts = load.wavefronts or load.sectors
    assert load.status == "range" and "without the branch" in load.detail
    assert counts is not None and (counts.mean_low, counts.mean_high) == (1, 1)


@pytest.mark.parametrize(("text", "statement"), LEFT)
def test_other_loads_stay_in_their_branch(text: str, statement: str, tmp_path: Path) -> None:
    assert access(run(tmp_path, KERNEL.format(statement)), text, "load").status == "exact"
