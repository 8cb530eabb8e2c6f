"""One finding for each barrier that is missing, whatever it orders."""

from __future__ import annotations

import pytest

from kernlint.model.finding import Finding
from tests.support.found import found

pytestmark = pytest.mark.slow

KERNEL = """
__global__ void k(const float *x, float *y, int n)
{{
    __shared__ float a[2][256], b[2][256];
    int t = threadIdx.x;
    float v = 0;
    {body}
    y[blockIdx.x * 256 + t] = v;
}}
void f(const float *x, float *y) {{ k<<<16, 256>>>(x, y, 64); }}
"""
FIRST = "a[0][t] = x[t]; b[0][t] = x[t + 256]; __syncthreads(); int now = 0;"
NEXT = "a[now ^ 1][t] = x[i * 256 + t]; b[now ^ 1][t] = x[i * 512 + t];"
USE = "v += a[now][255 - t];\nv += b[now][t ^ 1];\nnow ^= 1;"
FILL = "a[0][t] = x[t];\nb[0][t] = x[t + n];\n"
READ = "v = a[0][255 - t];\nv += b[0][t ^ 32];\n"


def races(body: str) -> list[Finding]:
    source = KERNEL.format(body=body)
    return [*found("KL810", source), *found("KL811", source)]


@pytest.mark.parametrize("loop", ["for (int i = 1; i < n; i++)", "for (int i = 1; i < n; i *= 2)"])
def test_a_double_buffer_lacks_one_barrier(loop: str) -> None:
    [finding] = races(f"{FIRST}\n{loop} {{\n{NEXT}\n{USE}\n}}")
    assert "of the previous iteration" in finding.message
    assert finding.help is not None and "at the end of the body of the loop" in finding.help
    assert any("the same barrier is missing for" in note for note in finding.notes)


@pytest.mark.parametrize("loop", ["for (int i = 1; i < n; i++)", "for (int i = 1; i < n; i *= 2)"])
def test_a_double_buffer_with_its_barrier(loop: str) -> None:
    assert races(f"{FIRST}\n{loop} {{\n{NEXT}\n{USE}\n__syncthreads();\n}}") == []


def test_two_arrays_that_are_filled_before_one_barrier() -> None:
    [finding] = races(FILL + READ)
    assert any("`a[0][255 - t]`" in text for text in (finding.message, *finding.notes))
    assert any("`b[0][t ^ 32]`" in text for text in (finding.message, *finding.notes))
    assert races(FILL + "__syncthreads();" + READ) == []


def test_a_loop_needs_two_barriers() -> None:
    loop = f"for (int i = 0; i < n; i++) {{\n{FILL}{READ}}}"
    assert len(races(loop.replace(READ, "__syncthreads();\n" + READ))) == 1
    assert len(races(loop.replace(READ, READ + "__syncthreads();\n"))) == 1


TREE = """
for (int d = 128; d > 0; d >>= 1) {{
    if (t < d) {{
        {barrier}
        a[0][t] += b[0][t + d];
    }}
}}
for (int d = 1; d < 256; d *= 2) {{
    __syncthreads();
    if (t < d) {{
        float w = a[0][t];
        a[0][t + d] += w;
    }}
}}
"""


def test_a_barrier_that_some_threads_do_not_reach_shifts_no_others() -> None:
    source = KERNEL.format(body=FIRST + TREE.format(barrier="__syncthreads();"))
    assert len(found("KL401", source)) == 1
    assert found("KL810", source) == []


TILES = """
__global__ void k(const float *x, float *y)
{
    __shared__ float a[32][32], b[32][32];
    int u = threadIdx.x, t = threadIdx.y;
    float v = 0;
    for (int m = 0; m < 8; m++) {
        a[t][u] = x[m * 32 + u];
        b[t][u] = x[m * 32 + t];
        __syncthreads();
        for (int i = 0; i < 32; i++) v += a[t][i] * b[i][u];
        __syncthreads();
    }
    y[t * 32 + u] = v;
}
void f(const float *x, float *y) { k<<<1, dim3(32, 32)>>>(x, y); }
"""


def test_both_tiles_of_a_product_whose_last_barrier_is_missing() -> None:
    """Each row of `a` is read by its own warp alone, in the line that reads `b`."""
    [finding] = found("KL8", TILES.replace("__syncthreads();\n    }", "}"))
    assert finding.code == "KL810" and "`b[t][u]`" in finding.message
    assert "the same barrier is missing for `a[t][u]` on line 8" in finding.notes
    assert found("KL8", TILES) == []
