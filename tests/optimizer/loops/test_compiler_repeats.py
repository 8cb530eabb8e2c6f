"""Accesses that meet others in further iterations of a loop around them: held against nvcc 13's
machine code for sm_90."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.execution.test_execution import access, run

pytestmark = pytest.mark.slow

SOURCE = """// kernlint: launch(grid=4, block=128, n=48, pages=9)
__global__ void k(float *__restrict__ o, const float *__restrict__ q, const float *__restrict__ c, const int *__restrict__ table,
                  int pages, int n) {{
    __shared__ float sh[128];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, i = blockIdx.x * blockDim.x + threadIdx.x;
    {}
}}
"""
IN_PAGES = """for (int p = warp; p < pages; p += 4) {{
        float s = 0;
        for ({}) s += q[d] * c[p * 999 + d];
        o[p * 64 + threadIdx.x] = s;
    }}"""
COPIED = (
    *("int d = lane; d < 64; d += 32", "int d = lane; d < 160; d += 32", "int d = lane; d < 192; d += 32"),
    *("int d = lane; d < 544; d += 32", "int d = lane; d < 20; d += 32", "int d = lane; d < 40; d += 32"),
    *("int d = lane * 2; d < 128; d += 64", "int d = 31 - lane; d < 64; d += 32"),
    *("int d = threadIdx.x / 8 % 4; d < 8; d += 4", "int d = lane; d + 32 <= 95; d += 32", "int d = lane; d < 180; d += 32"),
)  # fmt: skip
LOOPED = (
    *("int d = lane; d < 256; d += 32", "int d = lane; d < 80; d += 32", "int d = lane; d < 100; d += 32", "int d = lane; d < n; d += 32"),
    *("int d = threadIdx.x; d < 256; d += 128", "int d = warp; d < 8; d += 4", "int d = (int)threadIdx.x % 32; d < 64; d += 32"),
)  # fmt: skip


@pytest.mark.parametrize("loop", COPIED)
def test_what_few_copies_of_an_inner_loop_load_may_be_loaded_before_the_outer_one(
    loop: str, tmp_path: Path
) -> None:
    kernel = run(tmp_path, SOURCE.format(IN_PAGES.format(loop)))
    assert access(kernel, "q[d]").status == "range"
    varied = access(kernel, "c[p * 999 + d]")
    assert varied.status == "exact" or varied.detail.startswith("lanes leave")


@pytest.mark.parametrize("loop", LOOPED)
def test_a_loop_that_stays_loads_in_each_iteration(loop: str, tmp_path: Path) -> None:
    assert not [
        a
        for a in run(tmp_path, SOURCE.format(IN_PAGES.format(loop))).accesses
        if "before" in a.detail
    ]


def test_a_loop_that_stands_alone_stays(tmp_path: Path) -> None:
    body = "float s = 0; for (int d = lane; d < 64; d += 32) s += q[d]; for (int d = lane; d < 64; d += 32) o[i * 64 + d] = q[d] - s;"
    assert {a.status for a in run(tmp_path, SOURCE.format(body)).accesses} == {"exact"}


TOGETHER = (
    (
        "for (int d = lane; d < 64; d += 32) s += q[p * 64 + d]; for (int d = lane; d < 64; d += 32) s += q[d + 64 * p] * s;",
        "q[d + 64 * p]",
    ),
    (
        "for (int d = lane; d < 64; d += 32) sh[d] = c[p * 64 + d]; for (int d = lane; d < 64; d += 32) s += sh[d];",
        "sh[d]",
    ),
)


@pytest.mark.parametrize(("body", "text"), TOGETHER)
def test_what_such_copies_have_in_common_may_stay_in_registers(
    body: str, text: str, tmp_path: Path
) -> None:
    kernel = run(
        tmp_path,
        SOURCE.format(
            f"for (int p = 0; p < pages; p++) {{ float s = 0; {body} o[p * 64 + i] = s; }}"
        ),
    )
    assert access(kernel, text, "load").status == "range"


AGAIN = (
    *(
        "int t = 0; t < n; t++|t / 16",
        "int t = 0; t < n; t++|t >> 1",
        "int t = 0; t < n; t++|t & ~3",
        "int t = 0; t < n; t++|t % 4",
    ),
    *("int t = 0; t < n; t += 2|t / 32", "int t = lane; t < n; t += 32|t % 64"),
)
APART = (
    *("int t = warp; t < n; t++|t / 4", "int t = 0; t < n; t++|t / 3", "int t = 0; t < n; t += 64|t / 32"),
    "int t = lane; t < n; t += 32|t / 64",
    *("int t = threadIdx.x; t < n; t += 128|t / 128", "int t = 0; t < n; t++|t % 32"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "status"), [*((t, "range") for t in AGAIN), *((t, "exact") for t in APART)]
)
def test_quotients_and_remainders_of_a_counter_are_the_same_in_several_copies(
    text: str, status: str, tmp_path: Path
) -> None:
    loop, index = text.split("|")
    body = f"float s = 0; for ({loop}) s += q[{index}] * c[t * 4 + i]; o[i] = s;"
    assert access(run(tmp_path, SOURCE.format(body)), f"q[{index}]").status == status


def test_copies_of_an_unrolled_loop_share_a_quotient(tmp_path: Path) -> None:
    body = "float s = 0; for (int t = 0; t < n; t += 16) for (int u = 0; u < 16; u++) s += q[(t + u) / 16] * c[t * 4 + i + u]; o[i] = s;"
    assert access(run(tmp_path, SOURCE.format(body)), "q[(t + u) / 16]").status == "range"


BEFORE = (
    (
        "float m = q[p];\nfor (int r = 0; r < n; r++) s += q[p + 5] * c[r * 64 + i]; s *= m;",
        "q[p]",
        "range",
    ),
    (
        "int m = table[p];\nfor (int r = 0; r < n; r++) s += q[m] * c[r * 64 + i];",
        "table[p]",
        "range",
    ),
    (
        "int m = table[p]; for (int r = 0; r < n; r++) s += q[m] * c[r * 64 + i];",
        "table[p]",
        "exact",
    ),  # of one line
    (
        "int m = table[p];\no[p] = m;\nfor (int r = 0; r < n; r++) s += q[i] * c[r * 64 + i];",
        "table[p]",
        "exact",
    ),
    (
        "int m = table[p];\nfor (int r = 0; r < n; r++) s += q[m + r] * c[r * 64 + i];",
        "table[p]",
        "exact",
    ),
)


@pytest.mark.parametrize(("body", "text", "status"), BEFORE)
def test_a_load_that_leaves_a_loop_is_counted_on_the_line_of_the_one_before_it(
    body: str, text: str, status: str, tmp_path: Path
) -> None:
    kernel = run(
        tmp_path,
        SOURCE.format(
            f"for (int p = warp; p < pages; p += 4) {{ float s = 0; {body} o[p * 64 + i] = s; }}"
        ),
    )
    assert access(kernel, text).status == status


def test_stores_that_a_volatile_load_reads_stay(tmp_path: Path) -> None:
    """nvcc 13, sm_90: LDG, STS, LDS and STG are all there."""
    source = """// kernlint: launch(grid=1, block=32)
__global__ void k(float *o) {
    __shared__ float s[32];
    s[threadIdx.x] = o[threadIdx.x];
    __syncthreads();
    float x = *(volatile float *)&s[threadIdx.x ^ 1];
    o[threadIdx.x] = 1.f;
}"""
    kernel = run(tmp_path, source)
    assert [
        a.as_compiled
        for a in kernel.accesses
        if a.text in ("s[threadIdx.x]", "o[threadIdx.x]") and a.op == "store"
    ] == [None, None]


EQUAL = {
    "if (a == b) { float x = p[a]; float y = p[b]; o[t] = x * y; }": ("range", 3),
    "if (a != b) o[t] = 1; else { float x = p[a]; float y = p[b]; o[t] = x * y; }": ("range", 3),
    "if (a == b && t < 7) { float x = p[a]; float y = p[b]; o[t] = x * y; }": ("range", 3),
    "float x = p[a]; if (a == b) { float y = p[b]; o[t] = y; } o[t + 64] = x;": ("range", 3),
    "if (a == b + 2) { float x = p[a]; float y = p[b]; o[t] = x * y; }": ("exact", 5),
    "if (a <= b) { float x = p[a]; float y = p[b]; o[t] = x * y; }": ("exact", 3),
    "if (a != b) { float x = p[a]; float y = p[b]; o[t] = x * y; }": ("exact", 4),
}


@pytest.mark.parametrize("body", EQUAL)
def test_a_condition_may_make_addresses_equal(body: str, tmp_path: Path) -> None:
    """nvcc 13, sm_90: one load in the arms of the first four, two in the others."""
    header = "__global__ void k(const float *__restrict__ p, float *__restrict__ o, int a, int b) { int t = threadIdx.x;"
    status, a = EQUAL[body]
    kernel = run(tmp_path, f"// kernlint: launch(grid=1, block=32, a={a}, b=3)\n{header} {body} }}")
    assert access(kernel, "p[b]").status == status


DROPPED = (
    "float x = p[t];\nfloat y = p[t]; o[t] = y;",
    "float x = p[t];\nx = p[t] * 2; o[t] = x;",
    "float x = p[t], z = x + 1;\nfloat y = p[t]; o[t] = y;",
    "float x = p[t]; if (n > 3) x = 5; else x = 4;\no[t] = p[t] + x;",
    "float x = p[t]; if (n > 3) x = 5;\no[t] = p[t];",
    "float s = 0; for (int i = 0; i < 4; ++i) s += p[t + i];\nfloat y = 0; for (int i = 0; i < 4; ++i) y += p[t + i]; o[t] = y;",
    "for (int i = 0; i < n; ++i) { float a = p[t + i * 32];\nfloat b = p[t + i * 32]; o[t + i * 32] = b; }",
    "float4 v = w[t];\no[t] = w[t].x;",
)


@pytest.mark.parametrize("body", DROPPED)
def test_of_two_loads_the_one_that_is_needed_is_made(body: str, tmp_path: Path) -> None:
    """nvcc 13, sm_90: the load is on the second line, whatever the first would have handed on."""
    header = "__global__ void k(const float *__restrict__ p, const float4 *__restrict__ w, float *__restrict__ o, int n) {"
    kernel = run(
        tmp_path,
        f"// kernlint: launch(grid=1, block=32, n=64)\n{header} int t = threadIdx.x;\n{body}\n}}",
    )
    first, second = (
        [a for a in kernel.accesses if a.op == "load" and a.span.line == line] for line in (3, 4)
    )
    assert first and second
    assert all(a.as_compiled is not None and a.as_compiled.requests == 0 for a in first)
    assert all(a.as_compiled is None or a.as_compiled.requests for a in second)


PAIRS = """// kernlint: launch(grid=1, block=256)
__global__ void k(const float *in, float *out) {{
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = in[t];
    for ({0} u = 0; (1 << u) < 256; u++) {{
        __syncthreads();
        if (t < (256 >> (u + 1))) {{
            {0} a = (t * 2) << u, b = (t * 2 + 1) << u;
            if (s[a] > s[b]) s[a] = 0;
        }}
    }}
    if (t == 0) out[0] = s[0];
}}
"""


@pytest.mark.parametrize("type_", ["int", "long long"])
def test_a_loop_that_tests_a_power_of_its_counter_is_unrolled(type_: str, tmp_path: Path) -> None:
    """sm_90: fourteen LDS and one LDS.64 (nvcc 13.0): in the first iteration the words lie side by
    side."""
    assert access(run(tmp_path, PAIRS.format(type_)), "s[b]").status == "range"
