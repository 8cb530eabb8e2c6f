"""The costliest request that is shown is one that a block of the launch makes, where that block
makes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.execution.test_execution import launch, run

# store, grid, the first block that makes the costliest request, the byte offset of its first lane
STORES = [
    # rows of 4,016 bytes: the requests of odd blocks lie off the 32-byte sectors
    ("*(float4 *)&o[blockIdx.x * 1004 + 4 * t] = v", 8, 1, 4016),
    ("if (blockIdx.x > 2) *(float4 *)&o[blockIdx.x * 1004 + 4 * t] = v", 8, 3, 12048),
    ("if (blockIdx.x == 4) o[t] = 1", 8, 4, 0),
    (
        "for (int i = 0; i < 4; i++) *(float4 *)&o[i * 2008 + blockIdx.x * 8036 + 4 * t] = v",
        4,
        1,
        32144,
    ),
    (
        "for (int i = 0; i < 4; i++) if (blockIdx.x + i == 3) o[blockIdx.x * 9 + i * 8 + t] = 1",
        4,
        1,
        100,
    ),
]


@pytest.mark.parametrize("store, grid, block, offset", STORES)
def test_block_of_the_costliest_request(
    store: str, grid: int, block: int, offset: int, tmp_path: Path
) -> None:
    body = f"int t = threadIdx.x; float4 v = make_float4(0, 0, 0, 0); {store};"
    given = launch(grid=grid, block=32)
    (stored,) = run(tmp_path, f"{given}__global__ void k(float *o) {{ {body} }}").accesses
    assert stored.example is not None and stored.sectors is not None
    assert stored.example.block == (block, 0, 0)
    assert stored.example.lanes[0] == offset
    assert stored.example.count == stored.sectors.max
