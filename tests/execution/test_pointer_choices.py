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


@pytest.mark.parametrize(
    "written",
    [
        "float &r = flag ? s[t] : u[2 * t]; r = 1;",
        "(flag ? s[t] : u[2 * t]) = 1;",
        "(flag ? s[t] : u[2 * t])++;",
        "(flag ? s[t] : flag > 2 ? u[t] : u[2 * t]) *= 2;",
    ],
)
def test_a_conditional_expression_may_stand_for_the_object_chosen(written: str) -> None:
    """It was read once, where it stands, and nothing was stored."""
    source = f"""// kernlint: launch(grid=1, block=32)
    __global__ void k(float *x, int flag)
    {{
        __shared__ float s[64], u[64];
        int t = threadIdx.x;
        {written}
        __syncthreads();
        x[t] = s[t] + u[t];
    }}"""
    file = files.from_bytes("k.cu", source.encode())
    [kernel] = engine.analyse((), Settings(), stdin=file).files[0].kernels
    stored = [a for a in kernel.accesses if a.space == "shared" and a.op == "store"]
    assert [(a.status, a.wavefronts) for a in stored] == [("unknown", None)]
