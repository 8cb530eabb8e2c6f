"""What random kernels of `benchmarks.random_kernels` showed to be claimed too much, made small: each
was exact, and nvcc 13.0 makes something else of it for sm_90."""

from __future__ import annotations

import pytest

from kernlint.model.settings import Settings
from kernlint.optimizer.compiler import look
from kernlint.pipeline import engine
from kernlint.source import files
from tests.support.lowered import program

KERNEL = """
__device__ void put(float *a, int i, float x, int n) {{ if (i < n) a[i] = x; }}
// kernlint: launch(grid=2, block=128, n=97)
__global__ void k(float *__restrict__ o, const float *__restrict__ q, int n) {{
  __shared__ float a[160], b[160];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  {}
}}
"""


def status(body: str, text: str) -> str:
    source = files.from_bytes("k.cu", KERNEL.format(body).encode())
    accesses = engine.analyse_source(source, Settings()).kernels[0].accesses
    return max((a.as_compiled or a).status for a in accesses if a.text == text)


ONE_CONDITION = "float x = q[i];\n put(o, i, x, n);\n put(o + n, i, x * 2, n);"
OTHER_CONDITIONS = "float x = q[i];\n if (i < n) o[i] = x;\n if (i > 9) o[i + 999] = x;"
SAME_PLACE = (
    "int w = t / 32, l = t % 32;\n float x = q[w * 32 + l];\n float y = q[t];\n o[i] = x * y;"
)
FIXED = "a[t] = q[i];\n __syncthreads();\n float x = a[t];\n if ({}) x += a[t + 1];\n o[i] = x;"
NEXT = "float x = 0;\n#pragma unroll 4\n for (; i < n; i += 256) {\n o[i] = x;\n x += q[i];\n }"
AHEAD = (
    "float x = q[i], y = 0;\n for (int k = 0; k < 4; k++) {{\n y += x * q[k];\n {} }}\n o[i] = y;"
)
CARRIED = AHEAD.format("x = q[i + k * 128 + 128];")
WAITING = AHEAD.format("x = q[i + k * 128 + 128];\n __syncthreads();")
REPLACED = "float r = n;\n a[t] = q[i];\n a[t] = r;\n r += q[i];\n o[i] = r;\n o[i + 512] = a[t];"
REGISTERS = """float v[4], y = 0;
  for (int k = 0; k < 4; k++) v[k] = q[i + k * 128];
  for (int r = 0; r < 4; r++) {
    for (int k = 0; k < 4; k++) y += v[k] * a[k];
    for (int k = 0; k < 4; k++) v[k] = q[i + (r + 1) * 512 + k * 128];
  }
  o[i] = y;"""
UNREAD = """if (t == 0) {
    a[0] = q[0];
    a[1] = q[1];
    a[2] = q[2];
    a[3] = q[3];
  }
  __syncthreads();
  o[i] = a[0] * a[1] + a[2];"""
NESTED = """if (t < 32) a[t] = q[i];
  else if (t < 64) a[t + 32] = 3;
  else a[t + 64] = 1;
  __syncthreads();
  o[i] = a[t];"""
JOINED = """for (int m = 0; m < 64; m += 16) {
    if (t < n) a[t] = q[i + m];
    else a[t] = 0;
    b[t] = q[t + m];
    __syncthreads();
    o[i] += a[t ^ 1] * b[t ^ 3];
    __syncthreads();
  }"""


@pytest.mark.parametrize(
    ("body", "text", "expected"),
    [
        (ONE_CONDITION, "q[i]", "range"),  # is loaded behind the condition
        (OTHER_CONDITIONS, "q[i]", "exact"),
        (SAME_PLACE, "q[w * 32 + l]", "range"),  # one load, on the second one's line
        (SAME_PLACE, "q[t]", "range"),
        (FIXED.format("t == 0"), "a[t + 1]", "range"),  # a[1] is loaded by all warps
        (FIXED.format("t == n"), "a[t + 1]", "exact"),
        (NEXT, "q[i]", "range"),  # the last one is not loaded
        (CARRIED, "q[i]", "range"),  # the loop's line has all four
        (WAITING, "q[i]", "exact"),
        (REGISTERS, "q[i + (r + 1) * 512 + k * 128]", "range"),  # 12 of 16
        (UNREAD, "a[3]", "range"),  # a store of 8 bytes and one of 4
        (UNREAD, "q[3]", "range"),
        (UNREAD, "q[2]", "exact"),
        (NESTED, "a[t]", "range"),  # one store for all three
        (REPLACED, "q[i]", "range"),  # either line has it
        (JOINED, "b[t]", "range"),  # copies of the store to `a` are charged to its line
        (JOINED.replace("else a[t] = 0;", ""), "b[t]", "exact"),
    ],
)
def test_what_was_claimed_too_much(body: str, text: str, expected: str) -> None:
    assert status(body, text) == expected


@pytest.mark.parametrize("condition", ["i >= 1", "i < 2 || i > 2"])
def test_data_that_conditions_fix_may_make_addresses_equal(condition: str) -> None:
    """LLVM makes an equality of `i < 1` without a sign, and merges the loads."""
    text = f"""__global__ void k(float *o, const unsigned *idx) {{
      __shared__ float s[128]; int t = threadIdx.x; unsigned i = idx[t];
      if ({condition}) return;
      o[t] = s[i + 7 + t] * s[{"7" if "1" in condition else "9"} + t]; }}\n"""
    made = program(text)
    found = look(made.instantiate(made.kernels()[-1], None)).found
    risks = {kind for site, kinds in found.items() if site.text.startswith("s[") for kind in kinds}
    assert "undecided" in risks
