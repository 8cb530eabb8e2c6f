"""Stores that data leaves to one thread of those that meet at a place are no race; those of any thread
that finds something are."""

from __future__ import annotations

import pytest

from tests.support.found import found

KERNEL = """
// kernlint: launch(grid=4, block=32)
__global__ void k(int *o, const int *x, int k, int high)
{{
    __shared__ int s[64];
    int t = threadIdx.x, v = x[t], next = x[t + 1], best = t;
    for (int m = 16; m > 0; m /= 2) best = max(best, __shfl_xor_sync(~0u, v, m));
    {body}
    __syncthreads();
    o[t] = s[t];
}}
"""
CHOSEN = [
    "if ((best & 31) == t) s[0] = v;",  # the winner of a reduction
    "if (t == best) s[0] = v;",
    "int row = x[t / 32]; if (row == t) s[0] = v;",  # an element that threads share
    "int last = -1; for (int i = 0; i < k; i++) if (x[t + i] > high) last = i; if (last == t) s[0] = v;",
    "if (v < k) { if (next >= k) s[0] = t; }",  # the bin of a prefix sum that passes k
    "if (k >= v && k < next) s[0] = t;",
]
ANY = [
    "if (v == t) s[0] = v;",  # each thread's own element
    "int mine = v & 31; if (t == mine) s[0] = v;",
    "if ((v > k ? t : 32) == t) s[0] = v;",
    "if (v > k) s[0] = t;",
    "if (v > k && v < high) s[0] = t;",  # one value between two limits
    "if (v == k) s[0] = t;",
    "if (v < k && next < k) s[0] = t;",
]


@pytest.mark.parametrize("body", CHOSEN)
def test_data_may_choose_one_thread(body: str) -> None:
    assert found("KL811", KERNEL.format(body=body)) == []


@pytest.mark.parametrize("body", ANY)
def test_any_thread_may_come(body: str) -> None:
    [race] = found("KL811", KERNEL.format(body=body))
    assert "may write different values" in race.message
