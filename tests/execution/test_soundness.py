"""Kernels whose numbers are easily taken to be known and are not, or are known to be others; every
number counted by hand."""

from __future__ import annotations

import pytest

from kernlint.model import facts
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source import files


def store(body: str, text: str, before: str = "") -> facts.Access:
    """The store `text` of a kernel with one warp."""
    head = "__global__ void k(int *out, const unsigned *data, const float *reals)"
    source = f"{before}\n// kernlint: launch(grid=1, block=32)\n{head} {{ {body} }}\n"
    file = engine.analyse((), Settings(), stdin=files.from_bytes("k.cu", source.encode())).files[0]
    assert not file.problems, file.problems
    (found,) = [
        a for kernel in file.kernels for a in kernel.accesses if (a.text, a.op) == (text, "store")
    ]
    return found


KNOWN = [
    # stores of two statements alternate: s[2] is 8 after the second one's turn, then 0
    (
        "__shared__ int s[8]; if (threadIdx.x == 0) for (int i = 0; i < 4; i++) { s[i] = 0; s[i + 1] = 8; } __syncthreads();"
        "out[threadIdx.x * s[2]] = 1;",
        "out[threadIdx.x * s[2]]",
        1,
    ),
    # unsigned 64-bit values beyond 2**63 are the larger ones
    (
        "unsigned long long m = min(~0ull - threadIdx.x, 8ull); out[threadIdx.x * m] = 1;",
        "out[threadIdx.x * m]",
        32,
    ),
    (
        "unsigned long long m = max(1ull << 63 | threadIdx.x, 3ull); out[m % 64 * 8] = 1;",
        "out[m % 64 * 8]",
        32,
    ),
    # lanes that do not run the loop keep what they had
    (
        "int i = 0; if (threadIdx.x < 16) { for (; i < 8; i++) out[i] = 1; } out[threadIdx.x * i] = 1;",
        "out[threadIdx.x * i]",
        16,
    ),
    # the bits that a conversion drops count again
    (
        "int m = 0; for (int i = 0; (unsigned char)(i * 100) < 201; i++) m += 8; out[threadIdx.x * m] = 1;",
        "out[threadIdx.x * m]",
        32,
    ),
    # a conversion beyond the type's range gives its last value
    (
        "int m = (int)3e10f; out[threadIdx.x * (m == 2147483647 ? 8 : 0)] = 1;",
        "out[threadIdx.x * (m == 2147483647 ? 8 : 0)]",
        32,
    ),
    (
        "unsigned m = (unsigned)-3.5f; out[threadIdx.x * (m + 8)] = 1;",
        "out[threadIdx.x * (m + 8)]",
        32,
    ),
]


@pytest.mark.parametrize(("body", "text", "sectors"), KNOWN)
def test_known_values(body: str, text: str, sectors: int) -> None:
    found = store(body, text)
    assert found.sectors is not None
    assert (found.status, found.sectors.min, found.sectors.mean, found.sectors.max) == (
        "exact",
        sectors,
        sectors,
        sectors,
    )


FEW_LANES = [
    # what is loaded decides among the lanes that look at it: however they look
    ("if (threadIdx.x == 4 && data[threadIdx.x]) out[threadIdx.x] = 1;", 0, 1),
    (
        "bool wanted = threadIdx.x < 16; if (wanted) wanted = data[threadIdx.x] > 3; if (wanted) out[threadIdx.x] = 1;",
        0,
        2,
    ),
    (
        "bool wanted = false; if (threadIdx.x < 16) wanted = data[threadIdx.x] > 3; if (wanted) out[threadIdx.x] = 1;",
        0,
        2,
    ),
    (
        "bool left = threadIdx.x >= 16 || data[threadIdx.x]; if (left) return; out[threadIdx.x] = 1;",
        0,
        2,
    ),
    (
        "bool wanted = threadIdx.x < 16 ? data[threadIdx.x] > 3 : threadIdx.x < 24; if (wanted) out[threadIdx.x] = 1;",
        1,
        3,
    ),
]


@pytest.mark.parametrize(("body", "fewest", "sectors"), FEW_LANES)
def test_lanes_that_a_condition_leaves_out_whatever_is_loaded(
    body: str, fewest: int, sectors: int
) -> None:
    found = store(body, "out[threadIdx.x]")
    assert found.sectors is not None and found.active_lanes is not None
    assert (found.status, found.sectors.mean_low, found.sectors.mean_high) == (
        "range",
        fewest,
        sectors,
    )
    assert found.active_lanes == (1 if sectors == 1 else 8 * sectors)


NOT_KNOWN = [
    # the two products differ although Python's hash of -1.0 is that of -2.0
    (
        "float x = reals[0]; int d = (int)(x * -1.0f) - (int)(x * -2.0f); out[threadIdx.x * d] = 1;",
        "out[threadIdx.x * d]",
    ),
    # unsigned arithmetic wraps: v may be the greatest value, or more than 16 bits wide
    ("unsigned v = data[0]; if (v + 1 == 0) out[threadIdx.x] = 1;", "out[threadIdx.x]"),
    ("unsigned v = data[0]; if (v - 1 < v) out[threadIdx.x] = 1;", "out[threadIdx.x]"),
    ("unsigned v = data[0]; if (((v << 16) >> 16) == v) out[threadIdx.x] = 1;", "out[threadIdx.x]"),
    ("unsigned v = data[0]; if (v * 3 / 3 == v) out[threadIdx.x] = 1;", "out[threadIdx.x]"),
    ("unsigned v = data[0]; if (v * 3 % 3 == 0) out[threadIdx.x] = 1;", "out[threadIdx.x]"),
    # lanes that do not run a loop of unknown length keep what they had
    (
        "int x = 0; if (threadIdx.x < 16) { while (data[x]) x++; x = 8; } out[threadIdx.x * x] = 1;",
        "out[threadIdx.x * x]",
    ),
    # an iteration may load what an earlier one stored
    (
        "int a = out[0]; for (int i = 0; i < 4; i++) { int b = out[0]; out[threadIdx.x * (b - a) + 9] = 1; out[0] = b + 8; }",
        "out[threadIdx.x * (b - a) + 9]",
    ),
    # which lane's store stays is not said
    (
        "__shared__ int s; s = threadIdx.x & 8 ? 8 : 0; __syncthreads(); out[threadIdx.x * s] = 1;",
        "out[threadIdx.x * s]",
    ),
]


@pytest.mark.parametrize(("body", "text"), NOT_KNOWN)
def test_values_that_are_not_known(body: str, text: str) -> None:
    assert store(body, text).status != "exact"


def test_a_store_anywhere_may_change_what_was_not_read_yet() -> None:
    before = "__device__ int width = 8; __device__ int *anywhere;"
    found = store(
        "*anywhere = 0; out[threadIdx.x * width] = 1;", "out[threadIdx.x * width]", before
    )
    assert found.status != "exact"


def test_an_equal_value_stored_by_all_lanes_is_known() -> None:
    found = store(
        "__shared__ int s; s = 8; __syncthreads(); out[threadIdx.x * s] = 1;",
        "out[threadIdx.x * s]",
    )
    assert found.sectors is not None
    assert (found.status, found.sectors.mean) == ("exact", 32)


def test_what_a_block_stores_in_global_memory_is_not_known() -> None:
    body = "if (threadIdx.x == 0) width = 8 * blockIdx.x; __syncthreads(); out[threadIdx.x * width] = 1;"
    assert store(body, "out[threadIdx.x * width]", "__device__ int width = 0;").status != "exact"


def test_what_a_loop_of_unknown_length_changes_is_not_known_in_it() -> None:
    loop = "int i = 0; while (data[i]) { out[threadIdx.x * s] = 1; __syncthreads(); s = 2 * s; __syncthreads(); i++; }"
    found = store("__shared__ int s; s = 1; __syncthreads();" + loop, "out[threadIdx.x * s]")
    assert found.sectors is None or found.sectors.mean != 4


ENTRIES = [
    # unrolled in full, its loads are the function's first instructions
    (
        "float f(const float *p) { float r = 0; for (int i = 0; i < 4; i++)\nr += p[i * 4];\nreturn r; }",
        "f(reals + threadIdx.x)",
    ),
    # the argument is computed by the caller
    ("float f(const float *p, int i) {\nreturn p[i];\n}", "f(reals, threadIdx.x * 5)"),
    # either load may be the first
    (
        "float f(const float *p) {\nfloat x = p[0];\nfloat y = p[8];\nreturn x + y; }",
        "f(reals + threadIdx.x)",
    ),
]


@pytest.mark.parametrize(("function", "call"), ENTRIES)
def test_loads_that_may_begin_an_inlined_function_may_be_charged_to_its_call(
    function: str, call: str
) -> None:
    kernel = f"__global__ void k(float *out, const float *reals) {{ if (threadIdx.x > 40) return;\nout[threadIdx.x] = {call}; }}"
    source = f"__device__ {function}\n// kernlint: launch(grid=1, block=64)\n{kernel}\n"
    file = engine.analyse((), Settings(), stdin=files.from_bytes("k.cu", source.encode())).files[0]
    assert not file.problems
    loads = [
        a for k in file.kernels for a in k.accesses if a.op == "load" and a.text.startswith("p[")
    ]
    assert loads and all((a.status, a.reason) == ("range", "compiler") for a in loads)


LOCAL = "void f(float *p, float v) {\nconst int t = threadIdx.x;\np[t] = v;\n}"
GUARDED = "void f(float *p, float v, int n) {\nif (threadIdx.x < n)\np[threadIdx.x] = v;\n}"
# function, its calls, and whether nvcc 13.0 (sm_90) charges the function's accesses to its own
# lines
STORES = [
    (
        "void f(float *p, int i) { p[i] = 1; }",
        "f(out, threadIdx.x);\nf(out, threadIdx.x + 64);",
        False,
    ),
    (
        "void f(float *p, int i, float v) { p[i] = v; }",
        "f(s, threadIdx.x, in[0]);\n__syncthreads();\nf(out, threadIdx.x, s[3]);",
        False,
    ),
    ("void f(float *p, int i, int n) { if (i < n) p[i] = 1; }", "f(out, threadIdx.x, n);", False),
    (
        "void f(float *p, float *q) { p[threadIdx.x] = 1; __syncthreads(); q[threadIdx.x] = p[5]; }",
        "f(s, out);",
        False,
    ),
    ("void f(float *p, int i, float v) { p[i * 2] = v; }", "f(out, threadIdx.x, 1.0f);", False),
    (GUARDED, "f(out, in[0], n);", True),
    (LOCAL, "f(out, in[0]);", True),
    (LOCAL, "f(out, in[0]);\nf(out + 64, in[1]);", False),
]


@pytest.mark.parametrize(("function", "calls", "own"), STORES)
def test_accesses_of_an_inlined_function_keep_their_line_only_behind_another_line_of_it(
    function: str, calls: str, own: bool
) -> None:
    kernel = f"__global__ void k(float *out, const float *in, int n) {{\n__shared__ float s[64];\n{calls}\n}}"
    source = f"__device__ {function}\n// kernlint: launch(grid=1, block=64, n=50)\n{kernel}\n"
    (found,) = (
        engine.analyse((), Settings(), stdin=files.from_bytes("k.cu", source.encode()))
        .files[0]
        .kernels
    )
    inside = [a for a in found.accesses if a.calls]
    assert inside and {(a.status, a.reason) for a in inside} == (
        {("exact", "")} if own else {("range", "compiler")}
    )


def test_a_load_behind_a_branch_of_its_function_is_charged_to_its_own_line() -> None:
    function = "__device__ float f(const float *p, int n) {\nif (n < 3) return 0;\nreturn p[n];\n}"
    kernel = "__global__ void k(float *out, const float *reals) {\nout[threadIdx.x] = f(reals, threadIdx.x); }"
    source = f"{function}\n// kernlint: launch(grid=1, block=64)\n{kernel}\n"
    file = engine.analyse((), Settings(), stdin=files.from_bytes("k.cu", source.encode())).files[0]
    (load,) = [a for k in file.kernels for a in k.accesses if a.op == "load"]
    assert (load.status, load.charged_line) == ("exact", 3)


@pytest.mark.parametrize("index", ["int", "unsigned char", "long"])
def test_a_counter_that_a_conversion_cuts_wraps_where_it_does(index: str) -> None:
    """`i = (unsigned char)(i + 100)` goes 0, 100, 200, 44, 144, 244, whatever the type of `i`."""
    body = "if (i == 44) out[threadIdx.x] = 1; if (i == 300) out[threadIdx.x + 64] = 1; i = (unsigned char)(i + 100);"
    source = f"// kernlint: launch(grid=1, block=32)\n__global__ void k(int *out) {{ {index} i = 0; for (int k = 0; k < 6; k++) {{ {body} }} }}"
    (found,) = (
        engine.analyse((), Settings(), stdin=files.from_bytes("k.cu", source.encode()))
        .files[0]
        .kernels
    )
    assert {a.text: a.requests for a in found.accesses if a.requests} == {"out[threadIdx.x]": 1}


def test_the_condition_of_a_do_loop_is_evaluated_as_often_as_the_loop_runs() -> None:
    body = "int i = 0; do { out[i++] = 1; } while (data[i] > 5 && i < 9);"
    source = f"// kernlint: launch(grid=1, block=32)\n__global__ void k(int *out, const int *data) {{ {body} }}"
    file = engine.analyse((), Settings(), stdin=files.from_bytes("k.cu", source.encode())).files[0]
    (kernel,) = file.kernels
    (load,) = [a for a in kernel.accesses if a.op == "load"]
    (branch,) = kernel.branches
    assert load.status != "exact" and load.requests is None
    assert branch.status != "exact" and branch.evaluations is None


@pytest.mark.parametrize(
    "index", ["threadIdx.x / 0u", "threadIdx.x % 0", "threadIdx.x / (threadIdx.x - threadIdx.x)"]
)
def test_a_division_by_zero_has_no_value(index: str) -> None:
    found = store(f"out[{index}] = 1;", f"out[{index}]")
    assert (found.status, found.sectors) in (("unknown", None), ("range", found.sectors))
    assert found.reason == "unsupported"


@pytest.mark.slow
def test_a_loop_that_stands_still_and_an_offset_beyond_any_memory() -> None:
    """Both stopped the analysis of the whole kernel."""
    (kernel,) = engine.analyse_source(files.from_bytes("k.cu", BEYOND.encode()), Settings()).kernels
    assert [(a.text, a.status) for a in kernel.accesses] == [
        ("s[threadIdx.x]", "range"),
        ("a[j]", "unknown"),
    ]


BEYOND = """__global__ void k(float *a, int n) {
    __shared__ float s[64];
    int active = blockDim.x;
    while (active != 1) { active / 2; s[threadIdx.x] = 1; }
    long j = (long)blockIdx.x * blockDim.x << +threadIdx.x;
    a[j] = 1;
}
int main() { k<<<400000, 64>>>(0, 0); }
"""
