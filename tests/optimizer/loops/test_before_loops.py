"""Values that are loaded before a loop and again in it: what the report says of the loads in the
loop. What nvcc 13 makes of each for sm_90 stands behind it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.execution.test_execution import run

SOURCE = """// kernlint: launch(grid=4, block=64, n=5)
__global__ void k(float *p, float *o, float *__restrict__ r, int n) {{
    int t = threadIdx.x;
    float x = p[t], e = r[t], s = 0;
    {}
    o[t] = s + x + e;
}}
"""
LOADS = (
    ("for (int k = 0; k < n; k++) o[t + k] = x + p[t];", "p[t]", "range"),  # LDG in each turn
    ("for (int k = 0; k < n; k++) p[t + k] = x + p[t];", "p[t]", "range"),  # in each turn
    (
        "for (int k = 0; k < n; k++) if (x > k) o[t + k] = x + p[t];",
        "p[t]",
        "range",
    ),  # in each turn
    (
        "for (int k = 0; k < n; k++) for (int j = 0; j < n; j++) o[t + k * j] = p[t];",
        "p[t]",
        "range",
    ),  # in each turn
    (
        "#pragma unroll 1\n    for (int k = 0; k < n; k++) o[t + k] = x + p[t];",
        "p[t]",
        "range",
    ),  # in each turn
    (
        "for (int k = 0; k < n; k++) { s += p[t]; __syncthreads(); }",
        "p[t]",
        "range",
    ),  # in each turn
    ("for (int k = 0; k < n; k++) s += p[t] * k;", "p[t]", "exact"),  # none
    ("for (int k = 0; k < n; k++) o[t + k] = x + r[t];", "r[t]", "exact"),  # none
    ("for (int k = 0; k < n; k++) r[t + k] = x + r[t];", "r[t]", "range"),  # in each turn
    (
        "r[t] = 0;\n    for (int k = 0; k < n; k++)\n        r[t] = r[t] * x + k;",
        "r[t]",
        "exact",
    ),  # none
    (
        "r[t] = 0;\n    for (int k = 0; k < n; k++) { if (x > k) r[t + k] = 3; s += r[t]; }",
        "r[t]",
        "range",
    ),  # in each turn
)


@pytest.mark.slow
@pytest.mark.parametrize(("body", "text", "status"), LOADS)
def test_a_store_of_an_earlier_turn_may_have_changed_what_was_loaded_before_the_loop(
    body: str, text: str, status: str, tmp_path: Path
) -> None:
    found = [
        a for a in run(tmp_path, SOURCE.format(body)).accesses if a.text == text and a.op == "load"
    ][-1]
    assert found.status == status
    none = found.as_compiled is not None and found.as_compiled.requests == 0
    assert none is (status == "exact")
