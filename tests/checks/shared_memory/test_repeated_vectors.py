"""KL103 for wide loads: only where lanes read the same vectors."""

from __future__ import annotations

import pytest

from tests.support.found import found

TILE = """// kernlint: launch(grid=4, block=16x16)
__global__ void k(const float4 *a, float4 *b) {
    __shared__ float4 t[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    t[y][x] = a[y * 16 + x];
    __syncthreads();
    b[y * 16 + x] = t[INDEX];
}
"""


@pytest.mark.parametrize(("index", "is_told"), [("x][y", False), ("0][x % 4", True)])
def test_columns_of_vectors_are_no_repeated_reads(index: str, is_told: bool) -> None:
    told = found("KL103", TILE.replace("[INDEX]", f"[{index}]"))
    assert [finding.span.line for finding in told] == [7] * is_told
