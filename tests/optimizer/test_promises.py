"""`__restrict__` inside a kernel (at variables, at parameters of functions that are inlined, at
members), and other accesses that nvcc can tell apart: what the report says of them. What nvcc 13
makes of each for sm_90 stands behind it."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.model import facts
from tests.execution.test_execution import run

SOURCE = """// kernlint: launch(grid=4, block=64, n=5)
struct R {{ float *__restrict__ y; const float *__restrict__ x; }};
struct S {{ float a, b; }};
struct D : S {{ float c; }};
__device__ void both(float *__restrict__ y, const float *__restrict__ x, int i, int j) {{
    y[i] = x[j];
    y[i + 1] = x[j] + 1;
}}
__device__ void put(float *__restrict__ y, float v, int i) {{ y[i] = v; }}
__device__ float get(const float *__restrict__ x, int i) {{ return x[i]; }}
__global__ void k(float *y, float *z, const float *x, R r, S *s, D *d, int n) {{
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float u[256];
    {}
}}
"""


def access(tmp_path: Path, body: str, text: str, op: str) -> facts.Access:
    """The last such access; nvcc inlines what is called."""
    found = run(tmp_path, SOURCE.format(body.replace("; ", ";\n    "))).accesses
    return [a for a in found if a.text == text and a.op == op][-1]


LOADS = (
    ("y[i] = x[i]; z[i] = x[i];", "x[i]", "exact"),  # LDG twice
    ("const float *__restrict__ q = x; y[i] = q[i]; z[i] = q[i];", "q[i]", "range"),  # LDG once
    (
        "const float *__restrict__ q = x; y[i] = q[i]; __syncthreads(); z[i] = q[i];",
        "q[i]",
        "range",
    ),  # once
    (
        "const float *__restrict__ q = n > 3 ? x : z; y[i] = q[i]; y[i + n] = q[i];",
        "q[i]",
        "range",
    ),  # once
    (
        "const float *__restrict__ q[1] = {x}; y[i] = q[0][i]; z[i] = q[0][i];",
        "q[0][i]",
        "range",
    ),  # once
    ("float *__restrict__ q = y; q[i] = x[i]; z[i] = x[i];", "x[i]", "range"),  # once
    (
        "float *__restrict__ q = y; for (int k = 0; k < n; k++) q[i + k * n] = x[i] * k;",
        "x[i]",
        "range",
    ),  # once, before the loop
    ("float v = x[i]; put(y, v, i); z[i] = x[i];", "x[i]", "range"),  # once
    ("both(y, x, i, i);", "x[j]", "range"),  # once
    ("both(y, y + n, i, i + n);", "x[j]", "range"),  # once
    (
        "u[t] = x[i]; u[t + 64] = x[i + n]; __syncthreads(); both(u, u + 128, t, n); z[i] = u[n];",
        "x[j]",
        "range",
    ),  # LDS once
    (
        "u[t] = x[i]; __syncthreads(); put(u, 3, t); __syncthreads(); z[i] = u[t];",
        "u[t]",
        "exact",
    ),  # LDS: not past a barrier
    (
        "r.y[i] = r.x[i]; z[i] = r.x[i];",
        "r.x[i]",
        "exact",
    ),  # LDG twice: no promise of a member counts
    ("r.y[i] = x[i]; z[i] = x[i];", "x[i]", "exact"),  # LDG twice
    (
        "float v = y[3 * i]; y[3 * n + 1] = 2; y[3 * i + 2] = v + y[3 * i];",
        "y[3 * i]",
        "range",
    ),  # LDG once: three apart, never the same
    (
        "float v = y[3 * i]; y[3 * n + 3] = 2; y[3 * i + 2] = v + y[3 * i];",
        "y[3 * i]",
        "exact",
    ),  # LDG twice
    (
        "u[t + 1] = x[i]; u[4 * t] = x[n]; z[i] = u[t + 1]; __syncthreads(); z[i + n] = u[n];",
        "u[t + 1]",
        "range",
    ),  # no LDS
)


@pytest.mark.slow
@pytest.mark.parametrize(("body", "text", "status"), LOADS)
def test_loads_behind_promises_inside_a_kernel(
    body: str, text: str, status: str, tmp_path: Path
) -> None:
    found = access(tmp_path, body, text, "load")
    assert found.status == status
    assert status != "exact" or found.as_compiled is None


STORES = (
    (
        "float *__restrict__ q = y; q[i] = 1; float v = x[i + 1]; q[i + 0] = v;",
        "q[i]",
        "range",
    ),  # gone
    ("y[i] = 1; float v = x[i + 1]; y[i + 0] = v;", "y[i]", "exact"),  # STG
    ("d[i].a = 1; float v = d[n].c; (d + i)->a = v;", "d[i].a", "range"),  # gone
    ("float *p = &s[i].a; *p = 1; float v = s[n].b; p[0] = v;", "*p", "range"),  # gone
    (
        "u[t & 31] = 1; float v = u[(n & 31) + 32]; u[(t & 31) + 0] = v; __syncthreads(); z[i] = u[n];",
        "u[t & 31]",
        "range",
    ),  # gone
    ("float *p = &s[i].a; *p = 1; float v = x[n]; p[0] = v;", "*p", "exact"),  # STG
    ("y[5 * i] = 1; float v = y[5 * n + 2]; y[5 * i + 0] = v;", "y[5 * i]", "range"),  # gone
)


@pytest.mark.parametrize(("body", "text", "status"), STORES)
def test_a_store_before_another_that_a_load_between_may_not_need(
    body: str, text: str, status: str, tmp_path: Path
) -> None:
    assert access(tmp_path, body, text, "store").status == status
