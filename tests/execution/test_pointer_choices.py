"""Pointers that change between arrays from one iteration to the next."""

from __future__ import annotations

import pytest

from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source import files

SOURCE = """
// kernlint: launch(grid=8, block=128, steps={steps})
__global__ void k(float *a, float *b, int steps)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int s = 0; s < steps; s++) {{
        float *from = s & 1 ? b : a, *to = s & 1 ? a : b;
        to[i] = 0.5f * from[i];
    }}
}}
"""


@pytest.mark.parametrize("steps", [1, 4, 7])
def test_an_array_by_the_parity_of_an_iteration(steps: int) -> None:
    source = files.from_bytes("k.cu", SOURCE.format(steps=steps).encode())
    [kernel] = engine.analyse((), Settings(), stdin=source).files[0].kernels
    found = {(access.op, access.requests, access.status) for access in kernel.accesses}
    assert {(op, count) for op, count, _ in found} == {
        ("load", 8 * 4 * steps),
        ("store", 8 * 4 * steps),
    }
    assert all(access.sectors is not None for access in kernel.accesses)
