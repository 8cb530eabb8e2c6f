"""Loads that nvcc takes out of their branch, and those that it leaves there: what its machine code
shows (nvcc 13.0.88, -O3, sm_90)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.execution.test_execution import access, run

KERNEL = """// kernlint: launch(grid=4, block=128)
__device__ int g;
__global__ void k(int *o, const int *x) {{
    __shared__ int s, a[128];
    int t = threadIdx.x;
    a[t] = x[t];
    if (t == 1) s = x[100];
    __syncthreads();
    {0}
}}
"""
TAKEN = (
    ("s", "if (t == 0 && s != 0) o[5] = 2;"),
    ("s", "int v = 1; if (t == 0) v = s; o[t] = v;"),
    ("s", "o[t] = t == 0 ? s : 7;"),
    ("a[3]", "if (t == 0 && a[3] > 1) o[5] = 2;"),
    ("a[7]", "int v = x[t]; if (t < 5) v += a[7]; o[t] = v;"),
    ("g", "if (t == 0 && g > 1) o[t] = 2;"),
    ("a[3]", "if (t == 0) { if (a[3] > 1) o[t] = 2; }"),
)
LEFT = (
    ("a[t]", "if (t < 32 && a[t] > 1) o[t] = 2;"),
    ("x[3]", "if (t == 0 && x[3] > 1) o[t] = 2;"),
    ("a[3]", "if (t == 0 && a[3] + a[4] > 1) o[t] = 2;"),
    ("s", "if (t == 0) o[blockIdx.x] = s;"),
)


@pytest.mark.parametrize(("text", "statement"), TAKEN)
def test_a_load_that_cannot_fail_is_not_called_exact_in_a_branch_of_its_own(
    text: str, statement: str, tmp_path: Path
) -> None:
    """The machine makes 16 requests of 32 lanes where 4 of one lane are written; what one request
    costs stays."""
    load = access(run(tmp_path, KERNEL.format(statement)), text, "load")
    counts = load.wavefronts or load.sectors
    assert load.status == "range" and "without the branch" in load.detail
    assert counts is not None and (counts.mean_low, counts.mean_high) == (1, 1)


@pytest.mark.parametrize(("text", "statement"), LEFT)
def test_other_loads_stay_in_their_branch(text: str, statement: str, tmp_path: Path) -> None:
    assert access(run(tmp_path, KERNEL.format(statement)), text, "load").status == "exact"


ARMS = """// kernlint: launch(grid=4, block=128)
#include <cuda_fp16.h>
__global__ void k(float4 *a, float4 *b, const float4 *x, int n) {{
    int i = blockIdx.x * 128 + threadIdx.x;
    float4 v = x[i], w;
    __half2 *in = reinterpret_cast<__half2 *>(&v), *out = reinterpret_cast<__half2 *>(&w);
    for (int j = 0; j < 4; j++) out[j] = __hadd2(in[j], in[j]);
    {0}
}}
"""


def test_vectors_that_both_arms_end_in_storing_are_not_called_exact(tmp_path: Path) -> None:
    """An H100 made four stores of 4 bytes of such a chain: 16 sectors each where 16 of one store of
    16 bytes are written."""
    kernel = run(tmp_path, ARMS.format("if (i < 256) a[i] = w; else b[i - 256] = w;"))
    stores = [access(kernel, "a[i]"), access(kernel, "b[i - 256]")]
    assert [a.status for a in stores] == ["range", "range"]
    assert all(a.sectors is not None and a.sectors.mean_high >= 4 * a.sectors.mean for a in stores)
    assert access(run(tmp_path, ARMS.format("a[i] = w;")), "a[i]").status == "exact"


MEMBERS = """// kernlint: launch(grid=4, block=128)
struct B {{ float4 v; __device__ B &operator=(const B &o) {{ v = o.v; return *this; }} __device__ void set(const B &o) {{ v = o.v; }} }};
__device__ void copy(B &d, const B &s) {{ d.v = s.v; }}
__global__ void k(B *o, const B *x) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    {0}
}}
"""


@pytest.mark.parametrize(
    ("text", "statement"),
    [("o.v", "o[i] = x[i];"), ("o.v", "o[i].set(x[i]);"), ("s.v", "copy(o[i], x[i]);")],
)
def test_a_member_read_in_a_function_of_one_line_may_be_charged_to_it_or_to_its_call(
    text: str, statement: str, tmp_path: Path
) -> None:
    """LDG.E.128 on the function's line (nvcc 13's line table): what a text like `o.v` accesses is
    no PTX instruction."""
    load = access(run(tmp_path, MEMBERS.format(statement)), text, "load")
    assert load.status == "range" and "charged to its call" in load.detail


HINTED = """// kernlint: launch(grid=4, block=128)
__global__ void k(float *o, const float *x, float v) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    {0}
}}
"""


STORES = (
    ("__stcs(o + i, 3.f);", "range"),
    ("__stcs(o + i, v);", "range"),
    ("__stcs(o + i, x[i]);", "exact"),
)


@pytest.mark.parametrize(("statement", "status"), STORES)
def test_a_store_with_a_hint_whose_value_must_be_fetched_may_be_charged_to_the_header(
    statement: str, status: str, tmp_path: Path
) -> None:
    """STG.E.EF behind a MOV, on the header's line (nvcc 13's line table); of a loaded value on the
    call's."""
    (store,) = [a for a in run(tmp_path, HINTED.format(statement)).accesses if a.op == "store"]
    assert store.status == status


LOOPS = (
    (
        "float s = 0.f; for (int j = 0; j < n; j++) s += __ldg(x + j * 512 + i); o[i] = s;",
        "load",
        "range",
    ),
    ("for (int j = 0; j < 4; j++) o[i + j * 512] = __ldg(x + j * 512 + i);", "load", "exact"),
    ("for (int j = 0; j < 4; j++) __stcs(o + i + j * 512, x[j * 512 + i]);", "store", "exact"),
    (
        "for (int j = 0; j < 4; j++) __stcs(o + i + j * 512, __ldg(x + j * 512 + i));",
        "load",
        "exact",
    ),
    (
        "for (int j = 0; j < 4; j++) __stcs(o + i + j * 512, __ldg(x + j * 512 + i));",
        "store",
        "range",
    ),
    ("__stcs(o + i, __ldg(x + i));", "store", "exact"),
)


@pytest.mark.parametrize(("statements", "op", "status"), LOOPS)
def test_copies_of_an_access_with_a_hint_in_a_loop_may_be_the_headers(
    statements: str, op: str, status: str, tmp_path: Path
) -> None:
    """Of a loop that stays some copies' instructions stand on the header's lines, of one run out
    whole only the stores of what such a function loads beside them (nvcc 13's line table)."""
    source = (
        HINTED.format(statements)
        .replace("float v)", "int n)")
        .replace("const float *x", "const float *__restrict__ x")
    )
    assert {a.status for a in run(tmp_path, source).accesses if a.op == op} == {status}


@pytest.mark.parametrize(
    ("count", "status"),
    [("counted", "range"), ("counts + threadIdx.x", "exact"), ("&counted", "range")],
)
def test_an_atomic_on_a_global_variable_whose_address_must_be_fetched_may_be_charged_to_the_header(
    count: str, status: str, tmp_path: Path
) -> None:
    """ATOMG behind the loads of the address, on the header's line (nvcc 13's line table)."""
    array = "[1]" if count == "counted" else ""
    source = f"""// kernlint: launch(grid=4, block=128)
    __device__ unsigned counted{array};
    __global__ void k(unsigned *counts, unsigned *o) {{ o[threadIdx.x] = atomicInc({count}, gridDim.x * threadIdx.x); }}
    """
    (atomic,) = [a for a in run(tmp_path, source).accesses if a.op == "atomic"]
    assert atomic.status == status


@pytest.mark.parametrize(("turns", "status"), [("1", "exact"), ("4", "range")])
def test_copies_of_an_access_of_assembly_in_an_unrolled_loop_may_be_its_own_lines(
    turns: str, status: str, tmp_path: Path
) -> None:
    """Of copies whose results are kept in an array most are charged to the function's line, of
    added ones none (nvcc 13's line table)."""
    source = f"""// kernlint: launch(grid=4, block=128)
    __device__ int cached(const int *p) {{
        int v;
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p));
        return v;
    }}
    __global__ void k(int *o, const int *x) {{
        int s = 0;
        for (int j = 0; j < {turns}; j++) s += cached(x + threadIdx.x + j * 128);
        o[threadIdx.x] = s;
    }}"""
    assert {a.status for a in run(tmp_path, source).accesses if a.op == "load"} == {status}


BETWEEN = """// kernlint: launch(grid=4, block=32)
__global__ void k(const float *{0}a, const float *{0}b, float *{0}o) {{
    int i = threadIdx.x;
    float x = {1} * 2.f;
    {2}
    float y = {3} + x;
    o[i + 100] = x;
    o[i + 200] = y;
}}
"""
HINTS = (
    ("", "__ldg(&a[i])", "", "a[i]", 2),
    ("__restrict__ ", "a[i]", "", "__ldg(&a[i])", 2),
    ("", "__ldcs(&a[i])", "", "__ldcg(&a[i])", 2),
    ("", "__ldcs(&a[i])", "", "__ldcs(&a[i])", 1),
    ("", "__ldg(&a[i])", "o[i] = x;", "__ldg(&a[i])", 1),
    ("", "__ldg(&a[i])", "__syncthreads();", "__ldg(&a[i])", 1),
    ("", "a[i]", "o[i] = x;", "a[i]", 2),
    ("__restrict__ ", "a[i]", "o[i] = x;", "a[i]", 1),
    ("__restrict__ ", "__ldcs(&a[i])", "o[i] = x;", "__ldcs(&a[i])", 2),
    ("__restrict__ ", "__ldcs(&a[i])", "__syncthreads();", "__ldcs(&a[i])", 2),
)


@pytest.mark.parametrize(("restrict", "first", "between", "second", "made"), HINTS)
def test_loads_by_functions_that_tell_how_to_cache(
    restrict: str, first: str, between: str, second: str, made: int, tmp_path: Path
) -> None:
    """Only loads by the same function become one; `__ldg` is taken not to change whatever is
    written, the others to change with any store or barrier (LDG counted in nvcc 13's machine code,
    222 kernels)."""
    loads = [
        a
        for a in run(tmp_path, BETWEEN.format(restrict, first, between, second)).accesses
        if a.op == "load"
    ]
    requests = [a.requests if a.as_compiled is None else a.as_compiled.requests for a in loads]
    assert [bool(n) for n in requests] == [True, made == 2] and all(
        a.status == "exact" for a in loads if a.as_compiled is None
    )


ENDINGS = """// kernlint: launch(grid=4, block=64)
__global__ void k(const float *a, float *o) {{
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    float v = a[i];
    float u = a[i + 64];
    if (t & 1) {{
        {0}
    }} else {{
        {1}
    }}
}}
"""
SINGLE, DOUBLE = "o[i] = v;", "o[i] = v;\n        o[2 * i + 900] = v;"
OTHER = "o[i + 1000] = u;\n        o[2 * i + 2000] = u;"
ALIKE = (
    (DOUBLE, OTHER, "store", "range"),
    (DOUBLE, OTHER, "load", "range"),
    (SINGLE, "o[i + 1000] = u;", "load", "range"),
    ("o[i] = a[i + 128];", "o[i + 1000] = u;", "load", "range"),
    (SINGLE, "atomicAdd(o + i, u);", "store", "exact"),
)


@pytest.mark.parametrize(("then", "otherwise", "op", "status"), ALIKE)
def test_arms_that_end_alike_may_share_their_stores_and_what_is_loaded_for_them(
    then: str, otherwise: str, op: str, status: str, tmp_path: Path
) -> None:
    """One STG of a chosen address for each pair from the end, and one LDG for the values (nvcc 13's
    machine code, 243 kernels)."""
    found = [a for a in run(tmp_path, ENDINGS.format(then, otherwise)).accesses if a.op == op]
    assert {a.status for a in found if a.text != "a[i]" or "a[i + 128]" not in then} == {status}
