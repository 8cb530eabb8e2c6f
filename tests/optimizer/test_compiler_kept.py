"""Loads and stores that nvcc makes though they look needless: nvcc 13's machine code for sm_90."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.execution.test_execution import access, run

SOURCE = """// kernlint: launch(grid=1, block=64, n=48)
__global__ void k(const float *q, float *o, int n) {{
    __shared__ float s[64], t[64];
    volatile __shared__ float kept[64];
    int i = threadIdx.x;
    float c = 0, d = 0;
    {}
}}
"""
FILLING = (
    "s[i] = q[i]; __syncthreads(); t[i] = s[i ^ 1]; o[i] = i;",
    "s[i] = q[i]; t[i] = s[i ^ 1]; o[i] = i;",
    "s[i] = q[i]; __syncthreads(); if (n > 3) t[i] = s[i ^ 1]; o[i] = i;",
    "s[i] = q[i]; __syncthreads(); for (int j = 0; j < n; j++) t[i] = s[i ^ j]; o[i] = i;",
)


@pytest.mark.parametrize("body", FILLING)
def test_what_fills_an_array_that_only_fills_another_may_stay(body: str, tmp_path: Path) -> None:
    """STS and LDG."""
    kernel = run(tmp_path, SOURCE.format(body))
    assert (
        access(kernel, "q[i]").status == "range"
        and access(kernel, "s[i]", "store").status == "range"
    )


@pytest.mark.parametrize("store", ["kept[i] = q[i];", "*(volatile float *)(s + i) = q[i];"])
def test_a_volatile_store_to_an_array_that_nobody_reads_is_made(store: str, tmp_path: Path) -> None:
    """STS and LDG."""
    load = access(run(tmp_path, SOURCE.format(store)), "q[i]")
    assert load.status == "exact" and load.as_compiled is None


HINTED = (
    "c = __ldcs(q + i); s[i] = c; d = __ldcs(q + i); o[i] = d + s[i ^ 3];",  # one LDG
    "c = __ldcg(q + i); while (c < n) c *= 2; d = __ldcg(q + i); o[i] = c + d;",  # two
    "c = __ldcs(q + i); for (int j = 0; j < n; j++) c += __ldcs(q + i); o[i] = c;",  # two
)


@pytest.mark.parametrize("body", HINTED)
def test_a_load_with_a_hint_behind_a_shared_store_or_a_loop_is_not_called_exact(
    body: str, tmp_path: Path
) -> None:
    loads = [
        a
        for a in run(tmp_path, SOURCE.format(body)).accesses
        if a.op == "load" and a.text.startswith("__ldc")
    ]
    assert loads[-1].status == "range"


def test_of_two_stores_with_one_hint_the_first_may_be_dropped(tmp_path: Path) -> None:
    """One STG, and two where something is loaded between them."""
    kernel = run(
        tmp_path, SOURCE.format("c = q[i]; d = c * 2; __stcs(o + i, c); __stcs(o + i, d);")
    )
    stores = [a for a in kernel.accesses if a.op == "store"]
    assert stores[0].status == "range"
