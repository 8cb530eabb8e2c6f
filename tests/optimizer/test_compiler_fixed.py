"""Stores at fixed addresses, shared variables beside each other, early returns that store: what the
report says of them. What nvcc 13 makes of each for sm_90 stands behind it."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.model import facts
from tests.execution.test_execution import run

SOURCE = """// kernlint: launch(grid=4, block=64, n=5, w=2)
union U {{ float f[4]; int i[4]; }};
__global__ void k(float *__restrict__ o, float4 *__restrict__ v, const float *__restrict__ q, int n, float w) {{
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    {}
}}
"""


def access(tmp_path: Path, body: str, text: str, op: str) -> facts.Access:
    found = run(tmp_path, SOURCE.format(body.replace("; ", ";\n    "))).accesses
    return next(a for a in found if a.text == text and a.op == op)


STORES = (
    ("v[3] = {1, 2, w, q[i]};", "v[3]", "range"),  # two STG.64
    ("v[3] = {w, q[i], 1, 2};", "v[3]", "exact"),  # STG.128
    ("v[i] = {1, 2, w, q[i]};", "v[i]", "exact"),  # STG.128
    ("v[3] = make_float4(1, 2, w, q[i]);", "v[3]", "exact"),  # STG.128
    (
        "__shared__ float a, b; a = w; b = q[i]; __syncthreads(); o[i] = a + b;",
        "a",
        "range",
    ),  # STS.64
    (
        "__shared__ float a, b; a = w; __syncthreads(); b = q[i]; __syncthreads(); o[i] = a + b;",
        "a",
        "exact",
    ),  # STS twice
    (
        "__shared__ float a, b; a = w / n; b = q[i] / n; __syncthreads(); o[i] = a + b;",
        "a",
        "exact",
    ),  # STS twice
    (
        "__shared__ float a, s[64]; a = w; s[t] = q[i]; __syncthreads(); o[i] = a + s[t ^ 1];",
        "a",
        "exact",
    ),  # STS twice
    ("__shared__ U s[64]; s[t].f[1] = q[i]; o[i] = w;", "s[t].f[1]", "range"),  # STS
    ("extern __shared__ float s[]; s[t] = q[i]; o[i] = w;", "s[t]", "exact"),  # STS
    ("if (i >= n) { o[i] = 0; return; } o[i] = w;", "o[i]", "range"),  # one STG
    (
        "if (i >= n) { o[i] = 0; return; } o[i + 64] = q[i];",
        "o[i]",
        "range",
    ),  # one STG of a selected address
    (
        "if (i >= n) { v[i] = make_float4(0, 0, 0, 0); return; } o[i] = q[i];",
        "v[i]",
        "exact",
    ),  # both STG
)


@pytest.mark.parametrize(("body", "text", "status"), STORES)
def test_stores_that_may_be_made_otherwise(
    body: str, text: str, status: str, tmp_path: Path
) -> None:
    assert access(tmp_path, body, text, "store").status == status


def test_an_extern_array_that_nobody_reads_is_filled(tmp_path: Path) -> None:
    """STS, and the LDG for it: the array is one for all kernels."""
    body = "extern __shared__ float s[]; s[t] = q[i]; o[i] = w;"
    for text, op in (("s[t]", "store"), ("q[i]", "load")):
        found = access(tmp_path, body, text, op)
        assert (found.status, found.requests, found.as_compiled) == ("exact", 8, None)


ORDERS = (("x", "y", 2), ("y", "x", 1))


@pytest.mark.parametrize(("first", "second", "counted"), ORDERS)
def test_members_stored_at_once_are_counted_on_the_line_of_the_last_of_them_in_memory(
    first: str, second: str, counted: int, tmp_path: Path
) -> None:
    """STG.64 on the line of `y`."""
    body = f"float2 *p = (float2 *)v; p[i].{first} = w; p[i].{second} = q[i];"
    stores = [access(tmp_path, body, f"p[i].{member}", "store") for member in (first, second)]
    made = [a.as_compiled.requests if a.as_compiled is not None else a.requests for a in stores]
    assert made == ([0, 8] if counted == 2 else [8, 0])


LOADS = (
    (
        "float x = q[i]; if (n > 3) { o[i] = n > 3 ? w : x; o[i + 64] = 4; }",
        "q[i]",
        "range",
    ),  # none
    ("float x[4] = {1, 2, 3, w}; x[2] = q[i]; x[n & 1] = 7; o[i] = x[0];", "q[i]", "range"),  # none
    (
        "for (int k = 0; k < 4; k++) v[i] = make_float4(q[i + k * n], 1, 2, w); o[i] = w;",
        "q[i + k * n]",
        "range",
    ),  # once
    (
        "float x = __ldcs(q + i); float y = w / n; o[i] = x * y + __ldcs(q + i);",
        "__ldcs(q + i)",
        "range",
    ),  # LDG twice
    (
        "float x = __ldcs(q + i); float y = w * n; o[i] = x * y + __ldcs(q + i);",
        "__ldcs(q + i)",
        "exact",
    ),  # LDG once
)


@pytest.mark.parametrize(("body", "text", "status"), LOADS)
def test_loads_that_may_be_made_otherwise(
    body: str, text: str, status: str, tmp_path: Path
) -> None:
    found = [
        a
        for a in run(tmp_path, SOURCE.format(body.replace("; ", ";\n    "))).accesses
        if a.text == text
    ]
    assert found[-1].status == status


def test_a_variable_named_like_a_member_is_copied_once(tmp_path: Path) -> None:
    """LDG.128 on the line of the store: `threadIdx.x` is no use of `x`."""
    found = access(tmp_path, "float4 x = v[i + 64]; v[threadIdx.x] = x;", "v[i + 64]", "load")
    assert found.charged_line == found.span.line + 1
