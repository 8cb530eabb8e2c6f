"""Loads whose values one arm of a branch alone needs: held against nvcc's machine code
(tests/compiler/cases_arms.py)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.execution.test_execution import access, run
from tests.optimizer.table.test_compiler_table import cases, flagged, lowered

pytestmark = pytest.mark.slow


ARMS = [case for case in cases() if case.name.startswith("arm_")]
BRANCHES = {
    "arm_divide",
    "arm_root",
}  # a call and a slow way: the machine keeps the branch, and the load is in it, so not predicated
FOLDED = {
    "arm_integer_3"
}  # of its six operations nvcc drops one, and computes the arm without a branch


def test_loads_that_move_into_an_arm_are_flagged_and_no_others() -> None:
    assert len(ARMS) > 50
    for case in ARMS:
        found = {
            line
            for line, kinds in flagged(lowered(case.name, case.source)).items()
            if "sunk" in kinds and line in case.machine
        }
        moved = {line for line, machine in case.machine.items() if machine.startswith("@LDG")}
        if case.name in BRANCHES:
            assert found, case.name
        elif case.name not in FOLDED:
            assert found == moved, f"{case.name}\n{case.source}"


OWN = """// kernlint: launch(grid=4, block=128, f={0})
__global__ void k(float *o, const float4 *b, int f) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    {1}
}}
"""
SUM = """float4 y = b[i]; const float *p = reinterpret_cast<const float *>(&y); float s = 0;
    for (int j = 0; j < 4; j++) s += p[j];
    if (f) o[i] = s;"""
ROWS = """float4 y[4];
    for (int j = 0; j < 4; j++) y[j] = b[i + j * 512];
    if (f) for (int j = 0; j < 4; j++) o[i + 512 * j] = y[j].x + y[j].y * y[j].z - y[j].w;"""
PARTS = """float y[4];
    *reinterpret_cast<float4 *>(y) = b[i];
    if (f) for (int j = 0; j < 4; j++) o[i + 512 * j] = y[j];"""
THROUGH = (("b[i]", SUM), ("b[i + j * 512]", ROWS), ("b[i]", PARTS))


@pytest.mark.parametrize(("text", "body"), THROUGH)
@pytest.mark.parametrize("taken", [0, 1])
def test_a_value_that_passes_through_an_own_array_is_loaded_where_it_is_used(
    text: str, body: str, taken: int, tmp_path: Path
) -> None:
    """nvcc leaves before the load (`@!P0 EXIT`, sm_90) where the array's indices are constants."""
    found = access(run(tmp_path, OWN.format(taken, body)), text)
    made = found.as_compiled
    assert made is not None and made.reason == "sunk" and bool(made.requests) == bool(taken)


def test_an_index_that_is_no_constant_keeps_the_load_where_it_stands(tmp_path: Path) -> None:
    body = "float4 y = b[i]; const float *p = reinterpret_cast<const float *>(&y); float s = p[f];\nif (f) o[i] = s;"
    found = access(run(tmp_path, OWN.format(0, body)), "b[i]")
    assert found.status == "exact" and found.as_compiled is None


def test_an_address_that_is_handed_on_keeps_the_value(tmp_path: Path) -> None:
    """A pointer that is one of two arrays' may read either."""
    body = "float y[2], z[2]; y[0] = o[i]; z[0] = o[i + 512]; float *p = f ? y : z;\nif (f) o[i + 1024] = *p;"
    found = access(run(tmp_path, OWN.format(0, body)), "o[i]")
    assert found.as_compiled is None or found.as_compiled.reason != "eliminated"


TURNING = """// kernlint: launch(grid=4, block=128, n={0})
__global__ void k(float *o, const float *a, int n) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i];
    float y = a[i + 1024];
    {1}
}}
"""
CARRIED = "for (int k = 0; k < n; k++) x = x * y + 1; o[i] = x;"
STORED = "for (int k = i; k < n; k += 4096) o[k] = x * y; o[i + 8192] = x;"
HELD = "float s[2] = {0, 0}; for (int k = 0; k < n; k++) for (int j = 0; j < 2; j++) s[j] += y * j; o[i] = s[0] + s[1] + x;"
TESTED = "int k = 0; while (y > x && k < n) { x *= y; k++; } o[i] = x;"
AFTER = "for (int k = 0; k < n; k++) x = x * 2 + 1; o[i] = x + y;"
ONCE = "int k = 0; do { x = x * y + 1; } while (++k < n); o[i] = x;"


@pytest.mark.parametrize("body", [CARRIED, STORED, HELD])
@pytest.mark.parametrize(("n", "status"), [(0, "range"), (1024, "exact")])
def test_a_value_that_only_a_loop_needs_is_loaded_behind_its_first_test(
    body: str, n: int, status: str, tmp_path: Path
) -> None:
    """sm_90: the load stands behind the branch that leaves for `n <= 0` (nvcc 13.0)."""
    program = run(tmp_path, TURNING.format(n, body))
    assert access(program, "a[i + 1024]").status == status
    assert access(program, "a[i]").status == "exact"


def test_lanes_that_run_no_iteration_do_not_load_for_the_loop(tmp_path: Path) -> None:
    assert access(run(tmp_path, TURNING.format(300, STORED)), "a[i + 1024]").status == "range"


@pytest.mark.parametrize("body", [TESTED, AFTER, ONCE])
def test_a_value_that_is_needed_whatever_the_count_stays(body: str, tmp_path: Path) -> None:
    assert access(run(tmp_path, TURNING.format(0, body)), "a[i + 1024]").status == "exact"


CHOICE = """// kernlint: launch(grid=4, block=128, n=5)
__global__ void k(float *o, const float *a, const float *b, int n, float q) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i];
    float y = b[i];
    {0}
}}
"""
CHOSEN = ("o[i] = n > 3 ? y : x;", "o[i] = (n > 3 && x > 0) ? y : x;", "if (x > 0) x = y; o[i] = x;", "o[i] = n > 3 ? y + 1 : x + 1;",
          "o[i] = n > 3 ? (int)y : (int)x;", "float r = n > 3 ? y : x; r += __shfl_xor_sync(~0u, r, 1); o[i] = r;")  # fmt: skip
KEPT = ("o[i] = n > 3 ? y : q;", "o[i] = n > 3 ? y : x * 2 + 1;", "float r = n > 3 ? y : x; o[i] = r + x;",
        "__syncthreads(); o[i] = n > 3 ? y : x;",
        "o[i + 4096] = 3; o[i] = n > 3 ? y : x;", "o[i] = n > 3 ? y : x; o[i + 4096] = x;")  # fmt: skip


@pytest.mark.parametrize("body", CHOSEN)
def test_a_load_that_is_one_of_two_may_be_made_only_where_it_is_chosen(
    body: str, tmp_path: Path
) -> None:
    """sm_90: `@!P0 LDG.E` (nvcc 13.0)."""
    found = access(run(tmp_path, CHOICE.format(body)), "b[i]")
    assert found.status == "range"


@pytest.mark.parametrize("body", KEPT)
def test_a_load_that_cannot_take_the_others_register_stays(body: str, tmp_path: Path) -> None:
    assert access(run(tmp_path, CHOICE.format(body)), "b[i]").status == "exact"


ARM_BRANCHES = ("o[i] = n > 3 ? expf(y) : x;", "float r = x > 0 ? sqrtf(y) : x; o[i] = r;", "o[i] = n > 3 ? fmaxf(y, x) : x;",
                "o[i] = n > 3 ? x / y : x;", "o[i] = n > 3 ? x : ((x > 2) ? expf(y) : 2);", "o[i] = n > 3 ? sqrtf(x) : y + x;",
                "o[i] = x > 0 && rsqrtf(y) > 2 ? x : 0;", "o[i] = n > 3 ? twice(y) : x;", "if (x > 0) x = twice(y); o[i] = x;")  # fmt: skip
COMPUTED = ("float z = expf(y); o[i] = n > 3 ? z : x;", "o[i] = x > 0 ? y * y * y + 1 : x;", "o[i] = n > 3 ? sqrtf(x) : y;",
            "o[i] = n > 3 ? expf(y) : sqrtf(y);")  # fmt: skip
TWICE = CHOICE.replace(
    "__global__", "__device__ float twice(float v) {{ return v * 2; }}\n__global__"
)


@pytest.mark.parametrize("body", ARM_BRANCHES)
def test_a_load_for_an_arm_that_stays_a_branch_may_move_there(body: str, tmp_path: Path) -> None:
    """sm_90: `@P0 LDG.E`, or the load is behind a branch (nvcc 13.0)."""
    assert access(run(tmp_path, TWICE.format(body)), "b[i]").status == "range"


@pytest.mark.parametrize("body", COMPUTED)
def test_a_load_for_a_choice_without_a_branch_stays(body: str, tmp_path: Path) -> None:
    assert access(run(tmp_path, TWICE.format(body)), "b[i]").status == "exact"


HANDED = """// kernlint: launch(grid=4, block=128, n=5)
struct Op {{ float x, k; __device__ float operator()(float y) const {{ return y > 0 ? y * k : 0.f; }} }};
__device__ float value(float y, float k) {{ return y > 0 ? y * k : 0.f; }}
__device__ float reference(float y, const float &k) {{ return y > 0 ? y * k : 0.f; }}
__device__ float early(float y, const float &k) {{ if (y > 0) return 0; return y * k; }}
__device__ float member(float y, Op op) {{ return y > 0 ? y * op.k : 0.f; }}
__global__ void k(float *o, const float *a, const float *b, int n) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i];
    float z = b[i];
    {0}
}}
"""
FROM_MEMORY = ("auto f = [&](float y) { return y > 0 ? y * x : 0.f; }; o[i] = f(z);",
               "auto f = [=](float y) { return y > 0 ? y * x : 0.f; }; o[i] = f(z);",
               "auto f = [&](float y) { if (y > 0) return y * x; return 0.f; }; o[i] = f(z);",
               "o[i] = Op{3.f, x}(z);", "o[i] = reference(z, x);", "o[i] = early(z, x);")  # fmt: skip
IN_REGISTERS = ("auto f = [&](float y) { return y > 0 ? x : 0.f; }; o[i] = f(z);", "o[i] = value(z, x);", "o[i] = z > 0 ? z * x : 0.f;",
                "auto f = [&](float y) { float q = x; return y > 0 ? y * q : 0.f; }; o[i] = f(z);", "o[i] = member(z, Op{2.f, x});",
                "Op op{3.f, x}; o[i] = z > 2 ? op.k * z : z;")  # fmt: skip


@pytest.mark.parametrize("body", FROM_MEMORY)
def test_an_arm_that_computes_with_a_capture_or_member_stays_a_branch(
    body: str, tmp_path: Path
) -> None:
    """sm_90: `@P0 LDG.E` for `x`, which is in memory until the call is put in place (nvcc 13.0)."""
    assert access(run(tmp_path, HANDED.format(body)), "a[i]").status == "range"


@pytest.mark.parametrize("body", IN_REGISTERS)
def test_an_arm_that_computes_with_what_is_at_hand_needs_no_branch(
    body: str, tmp_path: Path
) -> None:
    assert access(run(tmp_path, HANDED.format(body)), "a[i]").status == "exact"


BOTH_WAYS = ("if (n > 3) { o[i] = y; return; } o[i] = x;", "if (n > 3) o[i] = y; else o[i] = x;")
ONE_WAY = ("if (n > 3) { o[i] = y * 2; return; } o[i] = x;", "if (n > 3) { o[i] = y * 2; return; } o[i] = x * 2;",
           "if (n > 3) { o[i + 5] = y; return; } o[i] = x;", "if (n > 3) o[i + 5] = y; else o[i] = x;",
           "if (n > 3) { o[i] = expf(y); return; } o[i] = x * 3;")  # fmt: skip


@pytest.mark.parametrize("body", BOTH_WAYS)
def test_loads_that_both_ways_store_may_become_one_of_the_selected_address(
    body: str, tmp_path: Path
) -> None:
    """sm_90: one LDG of a selected address, on the line of the branch, and none on the loads' lines
    (nvcc 13.0)."""
    program = run(tmp_path, CHOICE.format(body))
    assert [access(program, text).status for text in ("a[i]", "b[i]")] == ["range", "range"]


@pytest.mark.parametrize("body", ONE_WAY)
def test_a_load_for_one_way_alone_still_moves_there(body: str, tmp_path: Path) -> None:
    found = access(run(tmp_path, CHOICE.format(body)), "b[i]")
    assert (
        found.status == "exact"
        and found.as_compiled is not None
        and found.as_compiled.reason == "sunk"
    )


PARTS_OF = """#include <cuda_fp16.h>
// kernlint: launch(grid=4, block=128, n=5)
struct D {{ float r, i; __device__ D operator+(const D &z) const {{ return D{{r + z.r, i + z.i}}; }} }};
struct H {{ short r, i; }};
__device__ float id(float v) {{ return v; }}
__device__ inline float2 operator+(float2 p, float2 q) {{ return make_float2(p.x + q.x, p.y + q.y); }}
__global__ void k({0} *o, const {0} *a, const {0} *b, int n) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    {0} x = a[i];
    {0} y = b[i];
    {1}
}}
"""
PREDICATED = (
    ("float", "b[i]", "o[i] = n > 3 ? (int)y : x;"),
    ("float", "b[i]", "if (n > 3) x = (int)y; o[i] = x;"),
    ("float", "b[i]", "o[i] = n > 3 ? (float)(int)y : 1.f;"),
    ("float", "a[i]", "o[i] = n > 3 ? __int_as_float(__float_as_int(y)) : x;"),
    ("float", "b[i]", "o[i] = n > 3 ? id(y) : -x;"),
    ("int", "a[i]", "((float *)o)[i] = n > 3 ? __int_as_float(y) : x;"),
    ("int", "a[i]", "((float *)o)[i] = n > 3 ? __int2float_rn(y) : x;"),
    ("int", "b[i]", "((float *)o)[i] = n > 3 ? y : ((float *)a)[i + 999];"),
    ("int", "b[i]", "o[i] = n > 3 ? (unsigned char)y : x;"),
    ("unsigned", "b[i]", "o[i] = n > 3 ? y >> 16 : x;"),
    ("__half", "b[i]", "o[i] = n > 3 ? y * x : x;"),
    ("__half", "b[i]", "if (n > 3) x = x + y; o[i] = x;"),
    ("__half", "b[i]", "((float *)o)[i] = n > 3 ? (float)y : 1.f;"),
    ("float2", "b[i]", "o[i] = n > 3 ? y + x : x;"),
    ("float2", "b[i]", "if (n > 3) x = x + y; o[i] = x;"),
    ("D", "b[i]", "if (n > 3) x = x + y; o[i] = x;"),
    ("D", "b[i]", "if (n > 3) { x.r *= y.r; x.i *= y.i; } o[i] = x;"),
    ("D", "a[i]", "o[i].r = n > 3 ? y.r * y.i : x.r;"),
    ("H", "b[i]", "o[i].r = n > 3 ? y.r * y.r : x.r; o[i].i = x.i + y.i;"),
)
ALL_LANES = (
    ("float", "b[i]", "int z = y; o[i] = n > 3 ? z : x;"),
    ("float", "b[i]", "o[i] = n > 3 ? y > 0 : x;"),
    ("float", "b[i]", "((double *)o)[i] = n > 3 ? (double)y : 3.0;"),
    ("int", "b[i]", "((float *)o)[i] = n > 3 ? (float)y : 1.f;"),
    ("int", "b[i]", "float r = x; if (n > 3) r = y * 0.5f; ((float *)o)[i] = r;"),
    ("unsigned char", "b[i]", "o[i] = n > 3 ? y & 15 : x * 3;"),
    ("float2", "b[i]", "if (n > 3) { x.x *= y.x; x.y *= y.y; } o[i] = x;"),
    ("D", "b[i]", "float p = y.r, q = y.i; o[i].r = n > 3 ? p * q : x.r;"),
)


@pytest.mark.parametrize(("type_", "text", "body"), PREDICATED)
def test_a_load_for_an_arm_that_converts_or_calls_operators_may_move_there(
    type_: str, text: str, body: str, tmp_path: Path
) -> None:
    """sm_90: `@P0 LDG.E`, or one load of a selected address (nvcc 13.0)."""
    assert access(run(tmp_path, PARTS_OF.format(type_, body)), text).status == "range"


@pytest.mark.parametrize(("type_", "text", "body"), ALL_LANES)
def test_a_load_whose_value_is_cheap_to_convert_stays(
    type_: str, text: str, body: str, tmp_path: Path
) -> None:
    assert access(run(tmp_path, PARTS_OF.format(type_, body)), text).status == "exact"


SHORT_CUT = HANDED.replace(
    "{{ return y > 0 ? y * k : 0.f; }} }};", "{{ return y > 0 && k > 0; }} }};", 1
)
CUT = ("auto f = [&](float y) { return y > 0 && x > 0; }; o[i] = f(z) ? 1 : 2;", "auto f = [=]() { return z > 0 || x > 0; }; o[i] = f();",
       "o[i] = Op{3.f, x}(z);")  # fmt: skip
WHOLE = ("o[i] = z > 0 && x > 0;", "auto f = [&](float x) { return z > 0 && x > 0; }; o[i] = f(x);")


@pytest.mark.parametrize("body", CUT)
def test_what_a_lambda_tests_second_may_be_loaded_only_then(body: str, tmp_path: Path) -> None:
    """sm_90: `@P0 LDG.E` for `x` (nvcc 13.0)."""
    assert access(run(tmp_path, SHORT_CUT.format(body)), "a[i]").status == "range"


@pytest.mark.parametrize("body", WHOLE)
def test_both_operands_at_hand_are_loaded(body: str, tmp_path: Path) -> None:
    assert access(run(tmp_path, SHORT_CUT.format(body)), "a[i]").status == "exact"


STORED_BEFORE = ("o[i] = x; if (n > 3) o[i] = y;", "o[i] = x; if (threadIdx.x > 3) o[i] = y;", "o[i] = x; if (n > 3) o[i] = y * 2;",
                 "o[i] = x; if (n > 3) return; o[i] = y;", "__shared__ float s[256]; s[threadIdx.x] = 0; if (n > 3) s[threadIdx.x] = y;"
                 " __syncthreads(); o[i] = s[threadIdx.x ^ 1];", "atomicAdd(o + (i & 31), n > 3 ? x : y);")  # fmt: skip
STORED_AFTER = ("if (n > 3) o[i] = y; o[i] = x;", "o[i] = x; if (n > 3) o[i + 5] = 1; o[i + 999] = y;",
                "atomicAdd(o + (i & 31), n > 3 ? x * 2 : y);")  # fmt: skip


@pytest.mark.parametrize("body", STORED_BEFORE)
def test_a_load_for_a_store_that_may_join_an_earlier_one_is_a_range(
    body: str, tmp_path: Path
) -> None:
    """sm_90: one STG of `n > 3 ? y : x` and `@P0 LDG.E` for `y`; in the shared case the load stays
    (nvcc 13.0)."""
    assert access(run(tmp_path, CHOICE.format(body)), "b[i]").status == "range"


@pytest.mark.parametrize("body", STORED_AFTER)
def test_a_load_for_a_store_that_joins_none_before_it_is_certain(body: str, tmp_path: Path) -> None:
    assert access(run(tmp_path, CHOICE.format(body)), "b[i]").status == "exact"


PART_STORED = """// kernlint: launch(grid=4, block=128, n=2)
struct Q {{ float x, y; }};
struct I3 {{ int x, y, z; }};
__global__ void k({0} *o, const {0} *a, const {1} *b, float *q, int n, float g, int h) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    {0} r = a[i];
    {1} w = b[i];
    {2}
}}
"""
FOR_A_PART = (
    ("float2", "float", "if (n > 3) r.x *= w; o[i] = r;"),
    ("float2", "float", "if (b[i + 999] > 3) r.y += w; o[i] = r;"),
    ("float2", "float", "if (n > 3) r.x *= w * 2 + 1; q[i] = r.x + r.y;"),
    ("float2", "float", "float s = 3; if (n > 3) { s *= w; r.y = 5; } r.x += s; o[i] = r;"),
    ("float4", "float", "float4 s = r; if (n > 3) s.w = w * 2; o[i] = s;"),
    ("float4", "float4", "if (n > 3) r.x *= w.x; o[i] = r;"),
    ("int2", "int", "r.x += 1; r.y += 2; if (n > 3) r.x *= w; o[i] = r;"),
    ("int4", "int2", "if (n > 3) r.w = w.y * 5; else r.x = 2; o[i] = r;"),
    ("float", "float", "float s[2] = {1, r}; if (n > 3) s[0] *= w; o[i] = s[0] + s[1];"),
)  # fmt: skip
FOR_A_WHOLE = (
    ("float2", "float", "if (n > 3) r.x *= w * w; o[i] = r;"),
    ("float2", "float", "if (n > 3) { r.x *= w; r.y *= w; } o[i] = r;"),
    ("float2", "float", "if (n > 3) r.x *= w; q[i] = w; o[i] = r;"),
    ("float2", "float", "r.x = n > 3 ? r.x * w : r.x; o[i] = r;"),
    ("float2", "float", "q[i + 1000] = g; if (n > 3) r.x *= w; o[i] = r;"),
    ("float2", "float", "__syncthreads(); if (n > 3) r.x *= w; o[i] = r;"),
    ("float2", "float2", "if (n > 3) { r.x *= w.x; r.y *= w.y; } o[i] = r;"),
    ("float", "float", "if (n > 3) r *= w; o[i] = r;"),
)  # fmt: skip


@pytest.mark.parametrize(("type_", "other", "body"), FOR_A_PART)
def test_a_load_for_an_arm_that_stores_to_a_part_of_a_struct_may_move_there(
    type_: str, other: str, body: str, tmp_path: Path
) -> None:
    """sm_90: `@P0 LDG.E` (nvcc 13.0): where `n > 3` is false, no sector is read."""
    found = access(run(tmp_path, PART_STORED.format(type_, other, body)), "b[i]")
    assert found.status == "range" and found.sectors is not None and found.sectors.mean_low == 0


@pytest.mark.parametrize(("type_", "other", "body"), FOR_A_WHOLE)
def test_a_load_of_two_uses_or_behind_a_store_stays_where_it_is(
    type_: str, other: str, body: str, tmp_path: Path
) -> None:
    assert access(run(tmp_path, PART_STORED.format(type_, other, body)), "b[i]").status == "exact"


TAKEN_TWICE = (
    ("float", "float", "float c = a[i + 999]; if (n > 3) r = c = w * 2; o[i] = r; o[i + 999] = c;"),
    ("float", "float", "float c = a[i + 999]; r = n > 3 ? g : r; c = n > 3 ? g : c; o[i] = r; o[i + 999] = c;"),
    ("int", "float", "int c = a[i + 999]; if (n > 3) { r = h; c = h + 1; } o[i] = r; o[i + 999] = c;"),
    ("Q", "float", "if (n > 3) { r.x = w * 2; r.y = w * 2; } o[i] = r;"),
    ("I3", "float", "if (n > 3) { r.x = h; r.y = 2 * h; r.z = h; } o[i] = r;"),
)  # fmt: skip
TAKEN_ONCE = (
    ("float", "float", "float c = a[i + 999]; if (n > 3) r = c = 5; o[i] = r; o[i + 999] = c;"),
    ("float", "float", "float c = a[i + 999]; g *= 2; o[i] = n > 3 ? g : r; o[i + 999] = n > 4 ? g : c;"),
    ("float", "float", "g *= i; o[i + 999] = g; o[i] = n > 3 ? g : r;"),
    ("float", "float", "if (n > 3) r = g * i; o[i] = r;"),
)  # fmt: skip


@pytest.mark.parametrize(("type_", "other", "body"), TAKEN_TWICE)
def test_a_load_may_take_the_register_of_a_value_that_choices_share(
    type_: str, other: str, body: str, tmp_path: Path
) -> None:
    """sm_90: `@!P0 LDG.E` for the last of them (nvcc 13.0)."""
    assert access(run(tmp_path, PART_STORED.format(type_, other, body)), "a[i]").status == "range"


@pytest.mark.parametrize(("type_", "other", "body"), TAKEN_ONCE)
def test_a_load_takes_no_register_that_is_needed_or_of_one_choice_alone(
    type_: str, other: str, body: str, tmp_path: Path
) -> None:
    assert access(run(tmp_path, PART_STORED.format(type_, other, body)), "a[i]").status == "exact"


AHEAD = """// kernlint: launch(grid=4, block=128, n=5)
__global__ void k({0} *o, const {0} *a, const float *w, int n) {{
    __shared__ float t[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    {0} p = a[i];
    {1}
}}
"""
CARRIED_ON = (
    ("float", "for (int k = 1; k < n; k++) { s += p * w[k]; p = a[i + k * 512]; } o[i] = s;"),
    ("float", "for (int k = 1; k < n; k++) { s += p * p; p = a[i + k * 512]; } o[i] = s + p;"),
    ("float", "p *= 2; for (int k = 1; k < n; k++) { s += p; p = a[i + k * 512] * 2; } o[i] = s;"),
    ("float", "_Pragma(\"unroll 1\") for (int k = 1; k < n; k++) { s += p; p = a[i + k * 512]; } o[i] = s;"),
    ("float", "int k = 1; while (true) { s += p; if (k >= n) break; p = a[i + k * 512]; k++; } o[i] = s;"),
    ("float", "for (int k = 1; k < n; k++) { t[threadIdx.x] = p; __syncthreads(); s += t[5]; p = a[i + k * 512]; } o[i] = s;"),
    ("float2", "for (int k = 1; k < n; k++) { s += p.x; p = a[i + k * 512]; } o[i].x = s;"),
)  # fmt: skip
LOADED_FIRST = (
    ("float", "for (int k = 1; k < n; k++) { float q = a[i + k * 512]; o[i + k * 512] = q - p; p = q; }"),
    ("float", "o[i] = 3; for (int k = 1; k < n; k++) { s += p; p = a[i + k * 512]; } o[i + 9] = s;"),
    ("float", "for (int k = 1; k < n; k++) { s += p; p = a[i + k * 512]; __syncthreads(); } o[i] = s;"),
    ("float", "for (int k = 1; k < n; k++) { s += p; if (k & 1) p = a[i + k * 512]; } o[i] = s;"),
    ("int", "for (int k = 0; k < n; k++) p = a[p] + 1; o[i] = p;"),
    ("float2", "for (int k = 1; k < n; k++) { s += p.x * p.y; p = a[i + k * 512]; } o[i].x = s;"),
)  # fmt: skip


@pytest.mark.parametrize(("type_", "body"), CARRIED_ON)
def test_a_load_that_a_loop_carries_on_may_serve_the_one_before_it(
    type_: str, body: str, tmp_path: Path
) -> None:
    """sm_90: no LDG on the line of `p = a[i]`: the loop's line has one more (nvcc 13.0)."""
    program = run(tmp_path, AHEAD.format(type_, body))
    loads = [a for a in program.accesses if a.object == "a"]
    assert len(loads) == 2 and all(a.status == "range" for a in loads)
    assert all(a.sectors is not None and a.sectors.mean_low == 0 for a in loads)


@pytest.mark.parametrize(("type_", "body"), LOADED_FIRST)
def test_a_load_before_a_loop_stays_where_the_loops_own_has_another_use_or_a_store_behind_it(
    type_: str, body: str, tmp_path: Path
) -> None:
    assert access(run(tmp_path, AHEAD.format(type_, body)), "a[i]").status == "exact"


LAST_ONE = ("for (int k = 1; k < n; k++) p = a[i + k * 512]; o[i] = p + s;",
            "for (int k = 1; k < n; k++) s = a[i + k * 512] * 2; o[i] = p + s;",
            "for (int k = 1; k < n; k++) { s = a[i + k * 512]; t[k] = 5; } __syncthreads(); o[i] = p + s + t[threadIdx.x];",
            "for (int k = 1; k < n; k++) { s = a[i + k * 512]; o[k] = 5; } o[i] = p + s;")  # fmt: skip
EVERY_ONE = ("for (int k = 1; k < n; k++) { s = a[i + k * 512]; if (s > 3) p++; } o[i] = p + s;",
             "for (int k = 1; k < n; k++) s += a[i + k * 512]; o[i] = p + s;",
             "for (int k = 1; k < n; k++) if (k & 1) s = a[i + k * 512]; o[i] = p + s;")  # fmt: skip


@pytest.mark.parametrize("body", LAST_ONE)
def test_a_load_of_which_the_last_one_counts_is_not_made_in_every_iteration(
    body: str, tmp_path: Path
) -> None:
    """sm_90: one LDG behind the loop, in the last two cases one for four or sixteen iterations
    (nvcc 13.0)."""
    found = access(run(tmp_path, AHEAD.format("float", body)), "a[i + k * 512]")
    assert found.status == "range" and found.sectors is not None and found.sectors.mean_low == 0


@pytest.mark.parametrize("body", EVERY_ONE)
def test_a_load_that_each_iteration_needs_is_made_in_each(body: str, tmp_path: Path) -> None:
    assert access(run(tmp_path, AHEAD.format("float", body)), "a[i + k * 512]").status == "exact"


LEFT_OVER = ("_Pragma(\"unroll 2\") for (int k = 0; k < n; k++) { s += a[i + k * 512]; if (k % 4 == 3) o[k] = s; }",
             "_Pragma(\"unroll 2\") for (int k = 0; k < n; k++) { s = max(s, a[i + k * 512]); if (i == k) o[k] = s; }",
             "_Pragma(\"unroll 4\") for (int k = 0; k < 1002; k++) { s = max(s, a[i + k * 512]); if (k % 4 == 3) o[k] = s; }")  # fmt: skip
TURNED = ("_Pragma(\"unroll 4\") for (int k = 0; k < n; k++) { s += a[i + k * 512]; if (k % 4 == 3) o[k] = s; }",
          "_Pragma(\"unroll 1\") for (int k = 0; k < n; k++) { s += a[i + k * 512]; if (k % 4 == 3) o[k] = s; }",
          "for (int k = 0; k < n; k++) { s += a[i + k * 512]; if (k % 4 == 3) o[k] = s; }",
          "_Pragma(\"unroll 2\") for (int k = 0; k < n; k++) { s += a[i + k * 512]; if (k % 4 == 3) o[k] = s; } o[i] = s;",
          "_Pragma(\"unroll 2\") for (int k = 0; k < n; k++) { s += a[i + k * 512]; if (s > 4) o[k] = s; }")  # fmt: skip


@pytest.mark.parametrize("body", LEFT_OVER)
def test_the_last_load_of_an_unrolled_loop_may_be_made_only_where_it_is_needed(
    body: str, tmp_path: Path
) -> None:
    """sm_90: `@P0 EXIT` for the condition before the last LDG, of 1,002 loads only 1,000 are left
    (nvcc 13.0)."""
    found = access(run(tmp_path, AHEAD.format("float", body)), "a[i + k * 512]")
    assert (
        found.status == "range"
        and found.sectors is not None
        and found.sectors.mean_low < found.sectors.mean_high
    )


@pytest.mark.parametrize("body", TURNED)
def test_loads_that_a_loop_or_its_test_needs_are_made_in_each_iteration(
    body: str, tmp_path: Path
) -> None:
    assert access(run(tmp_path, AHEAD.format("float", body)), "a[i + k * 512]").status == "exact"


def test_a_shuffle_that_nobody_needs_is_not_made(tmp_path: Path) -> None:
    """sm_90: neither SHFL nor LDG (nvcc 13.0)."""
    found = access(
        run(tmp_path, AHEAD.format("float", "p = __shfl_xor_sync(~0u, p, 1); o[i] = 3;")), "a[i]"
    )
    assert found.as_compiled is not None and found.as_compiled.requests == 0


EARLIER = """// kernlint: launch(grid=4, block=128, n=5)
__global__ void k(float *o, const float *a, const float *b, const int *c, int *d, float m, int n) {{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    {0}
}}
"""


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("float x = a[i] * 3; float w = b[i]; o[i] = n > 3 ? w : x;", "range"),  # @LDG
        ("float x = a[i] * 3; float w = b[i]; if (n > i) x = w; o[i] = x;", "range"),
        ("float x = m * 3; float v = a[i]; float w = b[i]; if (v > 3) x = w; o[i] = x;", "range"),
        ("float x = n; float v = a[i]; float w = b[i]; o[i] = (v > 3 ? w : x) * 2;", "range"),
        ("float w = b[i]; float x = a[i] * 3; o[i] = n > 3 ? w : x;", "exact"),  # LDG, as below
        ("float x = a[i] * 3; float w = b[i]; o[i] = n > i ? w * 2 : x;", "exact"),
        ("float x = a[i] * 3; float w = b[i]; o[i] = n > i ? w : x; o[i + 999] = x;", "exact"),
        ("float x = a[i] * 3; float w = b[i]; o[i] = n > i ? w : x; o[i + 999] = w;", "exact"),
        ("float v = a[i]; float w = b[i]; o[i] = v > 3 ? w : 1;", "exact"),
        ("float v = a[i]; float w = b[i]; o[i] = v > 3 ? w : m;", "exact"),
    ],
)
def test_a_load_that_replaces_an_earlier_value_may_be_predicated(
    body: str, status: str, tmp_path: Path
) -> None:
    assert access(run(tmp_path, EARLIER.format(body)), "b[i]").status == status


def test_a_load_that_replaces_what_a_loop_carries_may_be_predicated(tmp_path: Path) -> None:
    """@LDG for `s = w`, LDG for `s = w * 2`."""
    loop = "float s = 0; for (int j = 0; j < n; j++) {{ float v = a[i + j * 32]; float w = b[j * 32 + i]; if (v > 0) s = w{0}; }} o[i] = s;"
    for factor, status in (("", "range"), (" * 2", "exact")):
        assert (
            access(run(tmp_path, EARLIER.format(loop.format(factor))), "b[j * 32 + i]").status
            == status
        )


def test_a_load_that_replaces_an_index_may_be_predicated(tmp_path: Path) -> None:
    """@LDG for `i`; LDG for a constant."""
    for other, status in (("i", "range"), ("7", "exact")):
        assert (
            access(
                run(tmp_path, EARLIER.format(f"int w = c[i]; d[i] = n > 3 ? w : {other};")), "c[i]"
            ).status
            == status
        )


RESTRICTED = EARLIER.replace("const float *b", "float *__restrict__ b").replace(
    "const int *c", "const int *__restrict__ c"
)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("int w = c[i]; d[i] = n > i ? w : n;", "range"),  # @LDG
        ("int w = c[i]; if (n > 5) w = n; d[i] = w;", "range"),
        ("int w = c[i]; if (i > 0 && i < n) w = n; d[i] = w;", "range"),
        ("int w = c[i + n]; d[i] = i > 3 ? w : n;", "range"),
        (
            "for (int k = 0; k < 8; k++) { int w = c[i + k]; d[i + k] = i > k ? w : n; }",
            "range",
        ),  # one @LDG of eight
        ("for (int k = 0; k < n; k++) { int w = c[i + k]; d[i + k] = k > 3 ? w : k; }", "range"),
        ("int w = c[i]; o[i + n] = i; d[i] = i > 3 ? w : n;", "range"),  # c is restricted
        ("int x = i * n; int w = c[i]; b[i] = 3; __syncthreads(); d[i] = i > 3 ? w : x;", "range"),
        ("int w = c[i]; d[i] = i > 3 ? w : n;", "exact"),  # LDG, as below
        ("int w = c[i]; d[i] = n > 3 ? w * 3 : n;", "exact"),
        ("for (int k = 0; k < 8; k++) { int w = c[i + k]; d[i + k] = i > k ? w : -7; }", "exact"),
    ],
)
def test_a_load_that_replaces_an_argument_that_has_a_register_may_be_predicated(
    body: str, status: str, tmp_path: Path
) -> None:
    (load,) = (a for a in run(tmp_path, RESTRICTED.format(body)).accesses if a.object == "c")
    assert load.status == status


def test_a_load_is_predicated_beside_one_that_a_store_holds_in_its_place(tmp_path: Path) -> None:
    """LDG for `b[i]`, which is written next; @LDG for `a[i]`."""
    program = run(
        tmp_path, RESTRICTED.format("float x = b[i], w = a[i]; b[i] = 3; o[i] = i > n ? w : x;")
    )
    assert (
        access(program, "a[i]").status == "range"
        and access(program, "b[i]", "load").status == "exact"
    )


EXCHANGED = """// kernlint: launch(grid=1, block=64, n=5)
__global__ void k(const int *in, int *out, int n) {{
    int a = in[threadIdx.x ^ 1], b = in[threadIdx.x + 64];
    {0}
    if ((int)threadIdx.x < n) out[threadIdx.x] = a;
}}
"""


@pytest.mark.parametrize(
    "between",
    [
        "if (b < a) { int q = a; a = b; b = q; }",
        "if (a > b) a = b;",
        "if (b & 1) a += b; else a -= 3;",
    ],
)
def test_a_branch_that_only_chooses_moves_with_what_it_chooses_from(
    between: str, tmp_path: Path
) -> None:
    """sm_90: both loads lie behind `@P0 EXIT` (nvcc 13.0)."""
    program = run(tmp_path, EXCHANGED.format(between))
    for text in ("in[threadIdx.x ^ 1]", "in[threadIdx.x + 64]"):
        found = access(program, text)
        assert found.status == "range" or (
            found.as_compiled is not None and found.as_compiled.reason == "sunk"
        )


OWN_SORT = """// kernlint: launch(grid=1, block=64, n=5)
__global__ void k(const int *in, int *out, int n) {{
    int v[3];
    for (int i = 0; i < 3; i++) v[i] = in[threadIdx.x + 64 * i];
    {0}
    if ((int)threadIdx.x < n) out[threadIdx.x] = v[1];
}}
"""
SWAPS = """for (int i = 0; i < 2; i++)
        for (int j = i + 1; j < 3; j++)
            if (v[j] < v[i]) { int q = v[i]; v[i] = v[j]; v[j] = q; }"""
SORTS = (
    SWAPS,
    "if (v[2] < v[0]) v[1] = v[0];",
    "if (v[1] < v[0]) { if (v[2] < v[1]) v[1] = v[2]; else v[1] = v[0]; }",
)


@pytest.mark.parametrize("between", SORTS)
def test_branches_that_only_order_an_own_array_move_with_its_values(
    between: str, tmp_path: Path
) -> None:
    """sm_90: the loads lie behind `@P0 EXIT` (nvcc 13.0)."""
    found = access(run(tmp_path, OWN_SORT.format(between)), "in[threadIdx.x + 64 * i]")
    assert found.status == "range" or (
        found.as_compiled is not None and found.as_compiled.reason == "sunk"
    )


@pytest.mark.parametrize("kept", ["v[j] = expf(v[i]) / q;", "v[j] = q; out[threadIdx.x + 64] = 1;"])
def test_branches_that_stay_keep_the_values_that_they_test(kept: str, tmp_path: Path) -> None:
    text = (
        OWN_SORT.format(SWAPS.replace("v[j] = q;", kept))
        .replace("int v[3]", "float v[3]")
        .replace("int q", "float q")
    )
    found = access(run(tmp_path, text), "in[threadIdx.x + 64 * i]")
    assert found.status == "exact" and found.as_compiled is None


CHOSEN_TWICE = """// kernlint: launch(grid=1, block=64, n=5)
__global__ void k(const int *in, int *out, int n) {{
    int a = in[threadIdx.x],
        b = in[threadIdx.x + 64],
        c = in[threadIdx.x + 128];
    {0}
    if ((int)threadIdx.x < n) out[threadIdx.x] = a;
}}
"""


@pytest.mark.parametrize(
    "between",
    ["if (b < a) { if (c < b) a = c; else a = b; }", "if (b < a) { a += 1; if (c < b) a = c; }"],
)
def test_a_branch_in_a_branch_that_only_chooses_moves_with_what_it_chooses_from(
    between: str, tmp_path: Path
) -> None:
    """sm_90: all three loads lie behind `@P0 EXIT` (nvcc 13.0)."""
    program = run(tmp_path, CHOSEN_TWICE.format(between))
    for text in ("in[threadIdx.x]", "in[threadIdx.x + 64]", "in[threadIdx.x + 128]"):
        found = access(program, text)
        assert found.status == "range" or (
            found.as_compiled is not None and found.as_compiled.reason == "sunk"
        ), text
