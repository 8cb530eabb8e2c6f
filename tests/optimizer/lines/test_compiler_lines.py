"""Lines that profilers charge with accesses of other lines: what stands there is a range that holds
both."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.execution.test_execution import access, run

CALLED = """// kernlint: launch(grid=4, block=96, n=300)
__device__ float second(const float *a, int i) {{
    {0}
}}
__global__ void k(const float *a, const float *b, float *c, int n) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    c[i] = second(a, i) * b[i];
}}
"""


def test_what_stands_on_the_line_of_a_call_is_counted_with_the_first_loads_of_its_function(
    tmp_path: Path,
) -> None:
    """sm_90: both LDG are charged to the call's line (nvcc 13.0)."""
    found = access(run(tmp_path, CALLED.format("return a[2 * i];")), "b[i]")
    assert found.status == "range" and found.sectors is not None
    assert found.sectors.mean_low == 3 and found.sectors.mean_high == 8


@pytest.mark.parametrize(
    "body",
    [
        "return i * 3;",
        "__shared__ float s[96];\n    s[i % 96] = i;\n    __syncthreads();\n    return s[5];",
    ],
)
def test_a_function_without_such_loads_leaves_the_line_of_its_call_alone(
    body: str, tmp_path: Path
) -> None:
    assert access(run(tmp_path, CALLED.format(body)), "b[i]").status == "exact"


def test_atomics_that_are_charged_to_each_others_lines_hold_each_others_sectors(
    tmp_path: Path,
) -> None:
    """Counted on an H100: of four such atomics one on the first line and three on the second."""
    text = """// kernlint: launch(grid=2, block=64)
__global__ void k(const float *x, float *a, float *b) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i] * 2;
    atomicAdd(&a[i], v);
    atomicAdd(&b[i * 8], -v);
}
"""
    found = access(run(tmp_path, text), "atomicAdd(&a[i], v)")
    assert found.status == "range" and found.sectors is not None and found.sectors.mean_high == 32


@pytest.mark.parametrize(("name", "low"), [("atomicMin", 0.0), ("atomicAdd", 16.0)])
def test_lanes_that_would_change_nothing_make_no_exchange(
    name: str, low: float, tmp_path: Path
) -> None:
    """Counted on an H100: 180 wavefronts of 384 lanes in a loop of load and compare-and-swap that
    most lanes leave at once."""
    text = f"""// kernlint: launch(grid=2, block=64)
__global__ void k(const unsigned long long *x, unsigned long long *o) {{
    __shared__ unsigned long long best;
    if (threadIdx.x == 0) best = 7;
    __syncthreads();
    {name}(&best, x[threadIdx.x]);
    __syncthreads();
    if (threadIdx.x == 0) *o = best;
}}
"""
    found = access(run(tmp_path, text), f"{name}(&best, x[threadIdx.x])")
    assert (
        found.status == "range"
        and found.wavefronts is not None
        and found.wavefronts.mean_low == low
    )


COPIED = """// kernlint: launch(grid=4, block=128)
{0}__global__ void k(const float4 *a, float4 *o) {{
    __shared__ float4 s[128];
    int t = threadIdx.x;
    if (t < 64) {1};
    asm volatile("cp.async.wait_all;");
    __syncthreads();
    o[t + blockIdx.x * 128] = s[t ^ 1];
}}
"""
COPY = """__device__ __forceinline__ void copy16(void *to, const void *from) {
    unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from));
}
"""


def test_copies_that_may_be_counted_on_another_line_may_leave_theirs_empty(tmp_path: Path) -> None:
    """Counted on an H100: of copies in a loop all but the first stages' were charged to the
    function's own line."""
    text = COPIED.format(COPY, "copy16(&s[t], &a[t + blockIdx.x * 128])")
    kernel = run(tmp_path, text)
    copies = [a for a in kernel.accesses if a.op == "copy"]
    assert [c.mean_low for a in copies if (c := a.sectors or a.wavefronts)] == [0, 0]


VECTORS = """// kernlint: launch(grid=4, block=32)
__global__ void k(const float4 *{0} a, float4 *{0} o) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = a[i];
    {1}
    o[i] = v;
}}
"""
SHUFFLED = "v.y = __shfl_xor_sync(~0u, v.y, 1);"
KEPT = "float c[4] = {v.x, v.y, v.z, v.w}; v.w = __shfl_xor_sync(~0u, c[1], 1); v.x = c[2];"
TAKEN = (
    ("", SHUFFLED, "range"),
    ("", KEPT, "range"),
    ("", "v.x = __int_as_float(__float_as_int(v.x) ^ 5);", "range"),
    ("__restrict__", SHUFFLED, "exact"),
    ("", "v.y += __shfl_xor_sync(~0u, v.y, 1);", "exact"),
    ("", "v.y = v.x + v.y;", "exact"),
)


@pytest.mark.parametrize(("restrict", "statement", "status"), TAKEN)
def test_a_vector_of_floats_that_are_taken_as_integers_may_be_charged_to_the_line_that_does(
    restrict: str, statement: str, status: str, tmp_path: Path
) -> None:
    """The LDG.E.128 of the first three is charged to the line behind, counted on an H100 and read
    in nvcc 13's line table."""
    found = access(run(tmp_path, VECTORS.format(restrict, statement)), "a[i]")
    assert found.status == status


OPERANDS = (
    ("atomicAdd(p + 1, t);", "range"),
    ("atomicInc(p + 1, gridDim.x - 1);", "range"),
    ("atomicAdd(&shared, t);", "range"),
    ("if (t == 0) atomicAdd(p + i, t + n);", "range"),
    ("if (t == 0 && atomicAdd(p + i, t + n) == 7) o[2] = 1;", "range"),
    ("atomicAdd(p + i, n - 1);", "exact"),
    ("atomicAdd(p + i, t + n);", "exact"),
    ("if (t == 0) atomicAdd(p + i, n - 1);", "exact"),
    ("atomicAdd(several + t, t + n);", "exact"),
)


@pytest.mark.parametrize(("statement", "status"), OPERANDS)
def test_atomics_whose_operand_or_address_must_be_fetched_may_be_charged_to_the_header(
    statement: str, status: str, tmp_path: Path
) -> None:
    """Of 1,386 such kernels nvcc 13's line table names the header only where this is a range."""
    text = f"""// kernlint: launch(grid=4, block=128)
__global__ void k(unsigned *p, unsigned *o, unsigned n) {{
    unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    __shared__ unsigned shared, several[128];
    if (t == 0) shared = 0;
    several[t] = t;
    __syncthreads();
    {statement}
    __syncthreads();
    o[i] = several[t ^ 1] + shared;
}}
"""
    (atomic,) = [a for a in run(tmp_path, text).accesses if a.op == "atomic"]
    assert atomic.status == status


NEIGHBOURS = """// kernlint: launch(grid=4, block=64, n=50)
__global__ void k(const float *in, float *out, int n) {{
    __shared__ {0}float s[256];
    int t = threadIdx.x;
    {1}
    __syncthreads();
    float a = s[4 * t];
    float b = s[4 * t + 1];
    float c = s[4 * t + 2];
    float d = s[4 * t + 3];
    out[t] = a * b + c * d;
}}
"""
LOOP = "for (int i = t; i < 256; i += blockDim.x) s[i] = in[i];"


@pytest.mark.parametrize(
    ("aligned", "before", "status"),
    [
        ("", LOOP, "range"),
        ("", "if (t < n) s[t] = in[t];", "range"),
        ("", "s[t] = in[t];", "exact"),
        ("__align__(16) ", LOOP, "exact"),
    ],
)
def test_which_of_neighbouring_loads_has_the_line_is_known_in_the_first_block_or_by_alignment(
    aligned: str, before: str, status: str, tmp_path: Path
) -> None:
    """LDS.128 on the line of `b` behind a loop or branch, where only ptxas knows that the array is
    aligned (nvcc 13's line table, 360 kernels)."""
    loads = [
        a
        for a in run(tmp_path, NEIGHBOURS.format(aligned, before)).accesses
        if a.text.startswith("s[4") and a.op == "load"
    ]
    assert [a.as_compiled.status for a in loads if a.as_compiled is not None] == [status] * 4


STORED = """// kernlint: launch(grid=1, block=64, n=5)
struct P {{ float x, y; }};
__device__ P made(const P *q, int i) {{ P r; r.x = q[i].x + 1; r.y = q[i].y; return r; }}
__global__ void k(P *o, const P *q, const float4 *v, int n) {{
    int i = threadIdx.x;
    P r = q[i];
    r.x += n;
    o[i] =
        {};
}}
"""
NEW = ("made(q, i)", "P{q[i].x, 2}", "P()", "{q[i].x, 3}", "n > 3 ? made(q, i) : made(q, i + 1)")
OBJECTS = ("q[i]", "r", "P(r)", "(P)r", "static_cast<P>(r)", "n > 3 ? q[i] : q[i + 1]")


@pytest.mark.parametrize(("value", "line"), [*((v, 8) for v in NEW), *((v, 9) for v in OBJECTS)])
def test_a_copy_is_charged_to_what_is_copied_and_a_new_object_to_its_place(
    value: str, line: int, tmp_path: Path
) -> None:
    """nvcc 13's line tables of 286 kernels (11 places, 15 and 8 values)."""
    (stored,) = [a for a in run(tmp_path, STORED.format(value)).accesses if a.op == "store"]
    assert stored.charged_line == line


ARGUMENTS = """// kernlint: launch(grid=1, block=64)
__device__ float mixed(float a, float b, float c) {{ return a * b - c; }}
__global__ void k(float4 *o, float *p, const float4 *__restrict__ q, float c) {{
    int i = threadIdx.x;
    {}
}}
"""


@pytest.mark.parametrize("body", [
    "o[i] = make_float4(q[i].x,\n        q[i].y + 1,\n        q[i].z, c);",
    "p[i] = mixed(q[i].w,\n        q[i].y,\n        q[i].x + 1);",
    "o[i] = float4{q[i].x,\n        q[i].y * c,\n        c, c};",
    "p[i] = fmaxf(q[i].y,\n        q[i].y + c);",
])  # fmt: skip
def test_arguments_are_loaded_in_the_order_in_which_they_are_written(
    body: str, tmp_path: Path
) -> None:
    """The vector, or the word that is used twice, is charged to the first argument's line (54 of
    240 kernels had it on a later one)."""
    loads = [a for a in run(tmp_path, ARGUMENTS.format(body)).accesses if a.op == "load"]
    assert [a.charged_line for a in loads] == sorted(a.charged_line for a in loads)
    made = [
        a
        for a in loads
        if (a.as_compiled.requests if a.as_compiled is not None else a.requests) != 0
    ]
    assert [
        a.as_compiled.charged_line if a.as_compiled is not None else a.charged_line for a in made
    ] == [5]


def test_members_that_a_load_between_may_read_are_not_stored_at_once(tmp_path: Path) -> None:
    """`o[i].w` and `o[i].x` have a load of `x` between them, so that there are two STG.64 and no
    STG.128 (nvcc 13.0)."""
    text = """// kernlint: launch(grid=1, block=64)
struct alignas(16) A { float x, y, z, w; };
__global__ void k(A *o, const A *q) {
    int i = threadIdx.x;
    o[i].x = q[i].w;
    o[i].y = q[i].z;
    o[i].z = q[i].y;
    o[i].w = q[i].x;
}
"""
    stores = [a for a in run(tmp_path, text).accesses if a.op == "store"]
    assert [a.status for a in stores] == ["range"] * 4


PICKED = """// kernlint: launch(grid=1, block=64, n=40)
__global__ void k(float4 *o, const float4 *q, const float4 *r, int n) {{
    int i = threadIdx.x;
    float4 z = make_float4(0, 0, 0, 0);
    {}
}}
"""


@pytest.mark.parametrize(("body", "status"), [
    ("o[i] = i < n ? q[i] : z;", "range"),
    ("o[i] = i < n ? q[i] : r[i];", "range"),
    ("z = i < n ? q[i] : r[i]; z.x += 1; o[i] = z;", "exact"),
    ("o[i] = i < n ? q[i] : make_float4(0, 0, 0, 0);", "exact"),
])  # fmt: skip
def test_objects_that_are_chosen_among_may_have_a_store_each(
    body: str, status: str, tmp_path: Path
) -> None:
    """nvcc 13 makes `@P0 STG.E.128` and `STG.E.128` of the first two."""
    (stored,) = [
        a
        for a in run(tmp_path, PICKED.format(body)).accesses
        if a.op == "store" and a.space == "global"
    ]
    assert stored.status == status


SCAN = """// kernlint: launch(grid=4, block=256)
__global__ void k(const float *a, float *c) {
    __shared__ float s[2][256];
    int t = threadIdx.x, p = 0;
    s[0][t] = a[t];
    __syncthreads();
    for (int off = 1; off < 256; off *= 2) {
        float v = s[p][t];
        if (t >= off) v += s[p][t - off];
        p ^= 1;
        s[p][t] = v;
        __syncthreads();
    }
    c[t] = s[p][t];
}
"""


def test_what_the_next_iteration_and_the_code_behind_load_is_told_to_share_a_line(
    tmp_path: Path,
) -> None:
    """It was told to be dropped, the reason of others."""
    found = [a for a in run(tmp_path, SCAN).accesses if (a.text, a.op) == ("s[p][t]", "load")]
    assert [a.status for a in found] == ["range", "range"]
    assert all("the next iteration and the code after the loop load it" in a.detail for a in found)
