"""Guards against arguments that indices have to exceed: the work behind them is not taken to be
unreachable, as it would be if these were taken to be large."""

from __future__ import annotations

import pytest

from tests.support.found import found

COLUMN = """// kernlint: launch(grid=64, block=256)
__global__ void k(const double *a, double *l, int n, int k) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    GUARD l[r * n + k] = a[r * n + k];
}
"""


@pytest.mark.parametrize(
    "guard",
    [
        "if (r > k && r < n)",
        "if (k < r && r < n)",
        "if (r - 1 >= k && r < n)",
        "if (r <= k || r >= n) return;",
        "if (!(r > k)) return;",
        "if (r > k) if (r < n)",
    ],
)
def test_rows_behind_a_pivot_are_judged(guard: str) -> None:
    findings = found("KL201", COLUMN.replace("GUARD", guard))
    assert [finding.metrics.sectors_high for finding in findings] == [32, 32]


@pytest.mark.parametrize("guard", ["if (r < n && r < k)", "if (r >= n || r >= k) return;"])
def test_upper_bounds_are_still_taken_to_let_the_work_pass(guard: str) -> None:
    findings = found("KL201", COLUMN.replace("GUARD", guard))
    assert [finding.metrics.sectors for finding in findings] == [32, 32]
