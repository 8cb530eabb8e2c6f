"""Tiles that whole matrices are read from by `ldmatrix`: the advice, and that the kernel written as
it says has no conflict left."""

from __future__ import annotations

import re

import pytest

from kernlint.checks.run import check
from kernlint.model.settings import Selection, Settings
from kernlint.pipeline import engine
from kernlint.source import files

LOAD = 'asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(p));'


def advice(columns: int, moved: str = "") -> str:
    """Of a tile of 64 rows; `moved`: what is added to each column, of row `r` (`i / columns` where
    it is written, `t % 16` where read)."""
    written, read = (moved.replace("r", row) for row in (f"(i / {columns})", "(t % 16)"))
    text = f"""#include <cuda_fp16.h>
__global__ void k(const half *in, float *out) {{
  __shared__ half s[64][{columns}];
  int t = threadIdx.x;
  for (int i = t; i < 64 * {columns}; i += 32) s[i / {columns}][(i % {columns}){written}] = in[blockIdx.x * 64 * {columns} + i];
  __syncthreads();
  unsigned a, b, c, d, total = 0;
  for (int first = 0; first < {columns}; first += 16) {{
    unsigned p = __cvta_generic_to_shared(&s[t % 16][(first + t / 16 * 8){read}]);
    {LOAD}
    total += a + b + c + d;
  }}
  out[blockIdx.x * 32 + t] = total;
}}
void run(const half *in, float *out) {{ k<<<64, 32>>>(in, out); }}
"""
    report = engine.analyse((), Settings(), stdin=files.from_bytes("k.cu", text.encode()))
    found = check(report, Selection(select=("KL101",)))
    return found[0].help if found else ""


@pytest.mark.parametrize(
    ("columns", "formula"),
    [(64, "c ^ (r % 8 * 8)"), (32, "c ^ (r / 2 % 4 * 8)"), (128, "c ^ (r % 16 * 8)")],
)
def test_a_swizzle_is_named_beside_the_padding(columns: int, formula: str) -> None:
    told = advice(columns)
    assert (
        "pad the rows by 8 elements" in told
        and f"or swizzle: store column c of row r of `s` at column `{formula}`" in told
    )
    found = re.search(r"column `c( \^ .*?)`", told)
    assert found is not None
    assert advice(columns, found[1]) == ""
