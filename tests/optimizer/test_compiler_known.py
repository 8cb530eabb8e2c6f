"""What nvcc does not know, or knows better than the source says, of values in registers: held
against its machine code for sm_90."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.model import facts
from tests.execution.test_execution import run

SOURCE = """// kernlint: launch(grid=4, block=128, n=5, m=7)
__global__ void k(float *__restrict__ o, const float *__restrict__ a, const float *__restrict__ b, const float4 *__restrict__ v,
                  int n, int m) {{
    __shared__ float s[512];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    s[t] = b[i];
    __syncthreads();
    float r = 0;
    {}
    o[i] = r;
}}
"""


def loads(tmp_path: Path, body: str) -> list[facts.Access]:
    source = SOURCE.format(body.replace("; ", ";\n    "))
    return [a for a in run(tmp_path, source).accesses if a.op == "load" and a.text != "b[i]"]


EXCHANGED = (
    (
        "float x = s[3]; for (int k = 0; k < n; k++) r += __shfl_xor_sync(~0u, x + r, 1); r += s[3];",
        "range",
    ),  # LDS twice
    (
        "float x = s[3]; for (int k = 0; k < n; k++) r += __ballot_sync(~0u, x + r > 1); r += s[3];",
        "range",
    ),
    (
        "s[t] += 3; for (int k = 0; k < n; k++) r += __shfl_xor_sync(~0u, r, 1); r += s[t];",
        "range",
    ),  # not from the store, either
    (
        "for (int k = 0; k < n; k++) { float x = s[3 + k]; r += __shfl_xor_sync(~0u, x + r, 1); r += s[3 + k]; }",
        "range",
    ),
    (
        "float x = s[3]; for (int k = 16; k; k >>= 1) r += __shfl_xor_sync(~0u, x + r, k); r += s[3];",
        "exact",
    ),  # straight code
    ("float x = s[3]; r += __shfl_xor_sync(~0u, x, 1); r += s[3];", "exact"),
    (
        "float x = a[i]; for (int k = 0; k < n; k++) r += __shfl_xor_sync(~0u, x + r, 1); r += a[i];",
        "exact",
    ),  # nothing writes it
    ("float x = s[3]; for (int k = 0; k < n; k++) r += a[i + k] * x; r += s[3];", "exact"),
)


@pytest.mark.parametrize(("body", "status"), EXCHANGED)
def test_lanes_that_exchange_values_in_a_loop_may_have_written_what_is_not_constant(
    body: str, status: str, tmp_path: Path
) -> None:
    assert loads(tmp_path, body)[-1].status == status


NEEDLESS = (
    ("float x = __shfl_xor_sync(~0u, v[i].x, 1);", "exact"),  # no LDG
    (
        "for (int k = t; k < n; k += 32) { float x = __shfl_xor_sync(~0u, v[i + k].x, 1); o[i + k] = m; }",
        "range",
    ),  # LDG in each turn
    (
        "if (a[i] > 3) { float x = __shfl_xor_sync(~0u, v[i].x, 1); o[m] = n; } else o[n] = m;",
        "range",
    ),
)


@pytest.mark.parametrize(("body", "status"), NEEDLESS)
def test_an_exchange_of_which_nobody_needs_the_result_may_stay_in_a_branch_or_loop(
    body: str, status: str, tmp_path: Path
) -> None:
    (found,) = (a for a in loads(tmp_path, body) if a.object == "v")
    assert found.status == status


CONSTANTS = (
    ("float x = a[t]; if (t == 0) { r = a[t]; o[i + 99] = r; } r += x;", "range"),  # LDG of a[0]
    ("float x = a[n]; if (n == 5) { r = a[n]; o[i + 99] = r; } r += x;", "range"),
    (
        "float x = a[n + t]; if (n != 5) o[i + 77] = x; else { r = a[n + t]; o[i + 99] = r; } r += x;",
        "range",
    ),
    ("float x = a[n + t]; if (n == m) { r = a[n + t]; o[i + 99] = r; } r += x;", "exact"),
    ("float x = a[t]; if (n == 0) { r = a[t]; o[i + 99] = r; } r += x;", "exact"),
    ("float x = a[t]; if (t % 32 == 0) { r = a[t]; o[i + 99] = r; } r += x;", "exact"),
)


@pytest.mark.parametrize(("body", "status"), CONSTANTS)
def test_an_address_that_a_condition_makes_a_constant_is_another_one(
    body: str, status: str, tmp_path: Path
) -> None:
    assert sorted(loads(tmp_path, body), key=lambda a: a.span.line)[-1].status == status


RAISED = (
    (
        "float x = a[i + 999]; for (int k = 0; k < 3; k++) r +=\n a[i + k] *\n b[t]; r *= x;",
        "a[i + 999]",
        "range",
    ),  # LDG of b[t] too
    (
        "float x = a[i + 999]; o[i + 5] = x; for (int k = 0; k < 3; k++) r +=\n a[i + k] *\n b[t];",
        "a[i + 999]",
        "exact",
    ),
    (
        "float x = a[i + 999]; for (int k = 0; k < 3; k++) r +=\n a[i + k] *\n b[t + k * 64]; r *= x;",
        "a[i + 999]",
        "exact",
    ),
)


@pytest.mark.parametrize(("body", "text", "status"), RAISED)
def test_what_an_unrolled_loop_does_not_change_is_counted_with_its_neighbours(
    body: str, text: str, status: str, tmp_path: Path
) -> None:
    (load,) = [a for a in loads(tmp_path, body) if a.text == text]
    assert load.status == status


def test_of_a_value_that_each_iteration_replaces_the_last_one_is_loaded(tmp_path: Path) -> None:
    """One LDG for four iterations."""
    (load,) = loads(tmp_path, "float x = n; for (int k = 0; k < 4; k++) x = a[i + k * 64]; r += x;")
    assert load.status == "range"


def test_words_that_two_loads_have_in_common_are_each_loaded_where_needed(tmp_path: Path) -> None:
    """Two LDG.E for the first, a LDG.E.128 for the second."""
    first = "if (n > m) { float4 x = v[i]; r = x.x + x.w; o[i + 99] = r; }"
    body = f"{first} __syncthreads(); if (i < m) {{ float4 y = v[i]; r += y.x * y.y * y.z; }}"
    assert {a.status for a in loads(tmp_path, body)} == {"range"}


def test_nothing_is_left_of_an_array_that_is_loaded_for_nothing(tmp_path: Path) -> None:
    source = SOURCE.format("if (t < 32) {\n float y = s[t * 2];\n }")
    assert {
        a.as_compiled.requests for a in run(tmp_path, source).accesses if a.as_compiled is not None
    } == {0.0}
    assert {a.text for a in run(tmp_path, source).accesses if a.as_compiled is not None} == {
        "s[t * 2]",
        "s[t]",
        "b[i]",
    }


def test_stores_to_a_quotient_of_the_counter_replace_each_other_in_copies(tmp_path: Path) -> None:
    kernel = run(tmp_path, SOURCE.format("for (int k = 0; k < n; k++) o[i * 3 + k / 4] = r + k;"))
    (store,) = [a for a in kernel.accesses if a.op == "store" and "k / 4" in a.text]
    assert store.status == "range"


OTHER_WAYS = (
    # LDG behind a loop that may have no iteration
    "for (int k = n; k > m; k--) r += a[i] * k; r += a[i];",
    # LDS in all copies but the first
    "for (int k = 0; k < 4; k++) { if (t < n) { s[m + k] = r + k; r += s[m]; } }",
)


@pytest.mark.parametrize("body", OTHER_WAYS)
def test_what_a_loop_or_another_copy_of_a_branch_has_loaded_may_be_loaded_again(
    body: str, tmp_path: Path
) -> None:
    assert sorted(loads(tmp_path, body), key=lambda a: a.span.line)[-1].status == "range"


MOVED_UP = (
    (
        "float y = a[i + 9]; __syncthreads(); for (int k = 0; k < n; k++) r += a[t] * b[i + k]; r *= y;",
        "a[i + 9]",
    ),  # what nothing writes
    (
        "if (n > 3) { if (i < m) { r += a[i * 3]; r += b[i + n]; } r += a[i * 3]; o[i + 99] = r; }",
        "b[i + n]",
    ),
)


@pytest.mark.parametrize(("body", "text"), MOVED_UP)
def test_loads_that_move_up_are_counted_with_others_on_the_way(
    body: str, text: str, tmp_path: Path
) -> None:
    (load,) = [a for a in loads(tmp_path, body) if a.text == text]
    assert load.status == "range"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("first", "second", "status"),
    [
        ("(t & 31) < 1", "(t & 31) == 0", "range"),
        ("t < 16", "t <= 15", "range"),
        ("t < n", "n > t", "range"),
        ("t > 0 && t < n", "t >= 1 && t < n", "range"),
        ("t % 32 == 0", "(t & 31) == 0", "range"),
        ("t < 16", "t < 8", "exact"),
        ("t < 16", "t < 17", "exact"),
    ],
)
def test_conditions_that_coincide_however_they_are_written(
    first: str, second: str, status: str, tmp_path: Path
) -> None:
    """Machine code: the value is still in a register under a condition that is the same one."""
    body = f"int t = threadIdx.x; s[t] = q[t]; __syncthreads(); if ({first}) s[t] += s[t + 16]; if ({second}) q[t] = s[t];"
    for text in (body, f"for (int k = 0; k < n; k++) {{ {body} }}"):
        source = f"// kernlint: launch(grid=4, block=64, n=37)\n__global__ void k(float *q, int n) {{\n__shared__ float s[128];\n{text}\n}}\n"
        loads = [a for a in run(tmp_path, source).accesses if (a.op, a.text) == ("load", "s[t]")]
        assert loads[-1].status == status, (text, loads[-1])
