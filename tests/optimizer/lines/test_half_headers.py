"""Accesses that functions of the toolkit's half headers make: the lines that nvcc 13's line table
charges them to (sm_90)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.execution.test_execution import access, run

SOURCE = """#include <cuda_fp16.h>
// kernlint: launch(grid=4, block=128, n=5)
__global__ void k(half2 *o, const half2 *s, half *r, const half *p, float *g, const float *f, half z, half y, int n) {{
    __shared__ half2 sh[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    {0}
}}
"""
IN_HEADER = (
    ("o[i]", "o[i] = s[i];"),
    ("o[i]", "half2 v;\nv.x = z;\nv.y = y;\no[i] = v;"),
    ("o[i]", "half2 v = s[i];\nv.x = z;\no[i] = v;"),
    ("o[i]", "half2 v = s[i];\nfor (int k = 0; k < n; k++) v.x = __hmul(v.x, z);\no[i] = v;"),
    ("o[i]", "o[i] = half2(z, p[i]);"),
    ("sh[threadIdx.x]", "sh[threadIdx.x] = s[i]; __syncthreads(); o[i] = sh[3];"),
    ("s[i + k * 64]", "half2 v = s[i];\nfor (int k = 1; k < n; k++) v = __hadd2(v, s[i + k * 64]);\no[i] = v;"),
    ("s[i + 64]", "half2 v = s[i] * s[i + 64];\no[i] = v;"),
    ("r[i]", "r[i] = f[i];"),
    ("r[i]", "r[i] += z;"),
    ("p[i]", "float x = p[i];\ng[i] = x;"),
    ("p[i]", "r[i] = p[i] * z + y;"),
)  # fmt: skip
IN_PLACE = (
    ("o[i]", "half2 v = s[i];\no[i] = v;"),
    ("o[i]", "half2 v = __halves2half2(z, y);\no[i] = v;"),
    ("o[i]", "o[i] = __float22half2_rn(make_float2(n, n));"),
    ("o[i]", "half2 v = s[i];\nif (n > 3) v = __hmul2(v, v);\no[i] = v;"),
    ("s[i]", "half2 v = s[i];\no[i] = v;"),
    ("s[i]", "o[i] = __hmul2(s[i], s[i + 64]);"),
    ("r[i]", "r[i] = __float2half(f[i]);"),
    ("p[i]", "g[i] = __half2float(p[i]);"),
    ("p[i + k * 64]", "float x = 0; for (int k = 0; k < n; k++) x += __half2float(p[i + k * 64]); g[i] = x;"),
)  # fmt: skip


@pytest.mark.parametrize(("text", "body"), IN_HEADER)
def test_what_a_function_of_the_header_accesses_may_be_charged_to_it(
    text: str, body: str, tmp_path: Path
) -> None:
    found = access(
        run(tmp_path, SOURCE.format(body)),
        text,
        "store" if text[0] in "or" or text == "sh[threadIdx.x]" else "load",
    )
    assert found.status == "range" and "header" in found.detail


@pytest.mark.parametrize(("text", "body"), IN_PLACE)
def test_a_copy_that_needs_nothing_of_the_header_before_it_is_charged_to_its_line(
    text: str, body: str, tmp_path: Path
) -> None:
    assert (
        access(
            run(tmp_path, SOURCE.format(body)), text, "store" if text[0] in "or" else "load"
        ).status
        == "exact"
    )


def test_a_half2_that_is_loaded_and_only_copied_is_charged_to_its_own_line(tmp_path: Path) -> None:
    """Unlike a `float4`, which the copy moves."""
    body = "half2 v = s[i];\n    o[i] = v;"
    assert access(run(tmp_path, SOURCE.format(body)), "s[i]").charged_line == 6
