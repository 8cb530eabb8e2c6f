"""Neighbours in shared memory behind masks, swizzles and falling indices: what nvcc 13 joins for
sm_90 (216 kernels)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.execution.test_execution import run

# an index, the neighbours' distances from it, LDS instructions of a warp; None where only bounds
# are told
LOADS = (
    ("(t * 4) & 255", (0, 1, 2, 3), 1),
    ("(t * 4) ^ 8", (0, 1, 2, 3), 1),
    ("((t * 4) ^ 8) + 4", (0, -1, -2, -3), 2),
    ("((t ^ (t >> 3)) * 4)", (0, 1, 2, 3), 1),
    ("(t * 4) | 256", (0, 1, 2, 3), 1),
    ("(t * 2) & 127", (0, 1), 1),
    ("(t * 4u) % 128u", (0, 1, 2, 3), 1),
    ("(t * 4) & 254", (0, 1, 2, 3), 1),
    ("(t * 6) & 254", (0, 1, 2, 3), 2),
    ("(t * 3) & 255", (0, 1), 2),
    ("(t * 4) ^ 9", (0, 1), 2),
    ("126 - t * 2", (0, 1), 1),
    ("127 - t * 2", (0, -1), None),  # 2
    ("255 - t * 4", (0, 1, 2, 3), None),  # 4
    ("252 - t * 4", (0, 1, 2, 3), 1),
)


@pytest.mark.parametrize(("index", "apart", "loads"), LOADS)
def test_neighbours_in_shared_memory(
    index: str, apart: tuple[int, ...], loads: int | None, tmp_path: Path
) -> None:
    kernel = run(
        tmp_path,
        f"""// kernlint: launch(grid=1, block=32)
__global__ void k(float *q) {{
    __shared__ float s[1024];
    int t = threadIdx.x;
    s[t] = q[t + 99];
    __syncthreads();
    int b = {index};
    q[t] = {" + ".join(f"s[b + {n}]" for n in apart)};
}}
""",
    )
    found = [a.as_compiled or a for a in kernel.accesses if a.space == "shared" and a.op == "load"]
    exact = all(a.status == "exact" for a in found)
    assert (sum(a.requests or 0 for a in found) if exact else None) == loads
