"""Instructions that nvcc makes without a line of their own, charged to lines around them (read in
nvcc 13's line tables for sm_90)."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.model import facts
from tests.execution.test_execution import access, run

pytestmark = pytest.mark.slow

SOURCE = """#include <cstring>
struct T {{ int v[{0}]; }};
// kernlint: launch(grid=4, block=64, n=5)
__global__ void k(char *o, const char *s, T *t, const T *u, int *p, float *f, double *d, int n) {{
    int i = threadIdx.x;
    {1}
}}
"""


def statuses(tmp_path: Path, body: str, words: int = 4) -> dict[tuple[str, str], str]:
    return {
        (a.op, a.text): a.status
        for a in run(tmp_path, SOURCE.format(words, body.replace("; ", ";\n    "))).accesses
    }


@pytest.mark.parametrize("size", [24, 28, 32, 100, 128, 256])
def test_many_bytes_are_copied_in_a_loop_without_a_line(size: int, tmp_path: Path) -> None:
    body = f"char y = s[i]; memcpy(o + i * {size}, s + i * {size}, {size}); char x = s[i + 999]; o[i + 1000] = x + y; p[i] = 3;"
    assert set(statuses(tmp_path, body).values()) == {"range"}


@pytest.mark.parametrize("size", [2, 8, 16])
def test_few_bytes_are_copied_on_their_line(size: int, tmp_path: Path) -> None:
    body = f"char y = s[i]; memcpy(o + i * {size}, s + i * {size}, {size}); char x = s[i + 999]; o[i + 1000] = x + y;"
    assert set(statuses(tmp_path, body).values()) == {"exact"}


@pytest.mark.parametrize(
    ("size", "status"), [(16, "exact"), (64, "exact"), (128, "range"), (1024, "range")]
)
def test_so_is_memory_that_is_set(size: int, status: str, tmp_path: Path) -> None:
    body = f"__shared__ alignas(16) int a[256], b[256]; b[i] = p[i]; memset(a, 0, {size}); __syncthreads(); p[i] = a[b[i ^ 1]];"
    found = statuses(tmp_path, body)
    assert {found["store", f"memset(a, 0, {size})"], found["store", "b[i]"]} == {status} and found[
        "load", "p[i]"
    ] == "exact"


@pytest.mark.parametrize(("words", "status"), [(28, "exact"), (32, "range"), (64, "range")])
def test_large_structs_are_copied_so(words: int, status: str, tmp_path: Path) -> None:
    found = statuses(
        tmp_path, "int y = p[i]; t[i] = u[i]; int x = p[i + 999]; p[i + 1000] = x + y;", words
    )
    assert {s for (op, text), s in found.items()} == {status}, found


def test_a_copy_under_a_condition_is_charged_to_lines_around_it(tmp_path: Path) -> None:
    body = "__shared__ int a[256], b[256]; b[i] = p[i]; if (i == 0) memset(a, 0, 128); __syncthreads(); p[i + n] = a[b[i ^ 1]];"
    found = statuses(tmp_path, body)
    assert found["store", "b[i]"] == "range" and found["load", "p[i]"] == "exact"


def test_of_bytes_copied_to_an_own_array_those_needed_are_read(tmp_path: Path) -> None:
    """8 LDG.E.U8 of 16."""
    found = statuses(tmp_path, "float b[8]; memcpy(b, s + 16 * i, 16); f[i] = b[0] + b[3];")
    assert found["load", "memcpy(b, s + 16 * i, 16)"] == "range"


REPLACED = (
    ("T a = u[i]; a.v[0] = i; t[i] = a;", "range"),  # 3 LDG.E of 4
    ("T a = u[i]; a.v[0] += i; t[i] = a;", "exact"),
    ("T a; if (i < n) a = u[i]; else for (int k = 0; k < 4; k++) a.v[k] = 0; t[i] = a;", "exact"),
    ("T a = u[i]; for (int k = 0; k < 4; k++) a.v[k] = a.v[k] * 3; t[i] = a;", "exact"),
)


@pytest.mark.parametrize(("body", "status"), REPLACED)
def test_a_member_that_is_replaced_before_anything_reads_it_is_not_loaded(
    body: str, status: str, tmp_path: Path
) -> None:
    assert statuses(tmp_path, body)["load", "u[i]"] == status


TABLES = (
    (
        "f[i] = sinf(f[i + 64]);",
        "f[i + 64]",
        "range",
    ),  # LDG.E and, for large arguments, six LDG.E.CONSTANT
    ("f[i] = tanf(f[i + 64]) * 3;", "f[i + 64]", "range"),
    ("float x = 0; x += cosf(x) * f[i + 64]; f[i] = x;", "f[i + 64]", "range"),
    ("float x, y; sincosf(f[i + 64], &x, &y); f[i] = x * y;", "f[i + 64]", "range"),
    ("d[i] = sin(d[i + 64]);", "d[i + 64]", "range"),  # LDG.E.64 and three LDG.E.128.CONSTANT
    ("d[i] = lgamma(d[i + 64]);", "d[i + 64]", "range"),
    ("float x = f[i + 64]; f[i] = sinf(x);", "f[i + 64]", "exact"),
    ("f[i] = __sinf(f[i + 64]);", "f[i + 64]", "exact"),
    ("f[i] = sinpif(f[i + 64]);", "f[i + 64]", "exact"),
    ("f[i] = expf(f[i + 64]);", "f[i + 64]", "exact"),
    ("d[i] = exp(d[i + 64]);", "d[i + 64]", "exact"),
)


@pytest.mark.parametrize(("body", "text", "status"), TABLES)
def test_tables_of_library_functions_are_read_on_the_line_of_the_call(
    body: str, text: str, status: str, tmp_path: Path
) -> None:
    assert statuses(tmp_path, body)["load", text] == status


def test_what_library_functions_write_through_pointers_is_stored_on_their_line(
    tmp_path: Path,
) -> None:
    """Two STG.E for each line."""
    body = "__sincosf(f[i + 640],\n&f[i],\n&f[i + 64]);\nf[i + 128] = frexpf(f[i + 704], &p[i]);"
    stores = [a for a in run(tmp_path, SOURCE.format(4, body)).accesses if a.op == "store"]
    line = min(a.charged_line for a in stores)
    assert [
        (a.text, a.charged_line - line, a.status)
        for a in sorted(stores, key=lambda a: (a.charged_line, a.text))
    ] == [
        *(
            ("f[i + 64]", 0, "exact"),
            ("f[i]", 0, "exact"),
            ("f[i + 128]", 3, "exact"),
            ("p[i]", 3, "exact"),
        ),
    ]


def test_what_library_functions_are_given_is_loaded(tmp_path: Path) -> None:
    found: facts.Access = access(
        run(tmp_path, SOURCE.format(4, "float x, y; __sincosf(f[i + 64], &x, &y); f[i] = x * y;")),
        "f[i + 64]",
    )
    assert found.status == "exact" and found.as_compiled is None and found.requests == 8


SUMS = (
    (
        "float s = f[i]; for (int h = 16; h; h >>= 1) s += __shfl_xor_sync(~0u, s, h); if (i % 32 == 0) atomicAdd(f, s);",
        "range",
    ),
    ("float s = f[i] * 3; atomicAdd(f, s);", "range"),
    ("float s = f[i] * 3; atomicAdd(&f[3], s);", "range"),
    ("float s = f[i] * 3; atomicAdd(f + blockIdx.x, s);", "exact"),
    ("float s = 0; for (int h = 0; h < n; h++) s += f[i + h * 64]; atomicAdd(f, s);", "range"),
)


@pytest.mark.parametrize(("body", "status"), SUMS)
def test_an_atomic_on_what_a_parameter_points_to_may_be_charged_to_its_header(
    body: str, status: str, tmp_path: Path
) -> None:
    """The argument is fetched into a register first, and the operand's last instruction comes
    between."""
    (atomic,) = [a for a in run(tmp_path, SOURCE.format(4, body)).accesses if a.op == "atomic"]
    assert atomic.status == status


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("for (int k = 0; k < 3; k++) { v += s[j]; j += 64; } v += s[j];", "range"),
        ("for (int k = 0; k < 3; k++) { v += s[j]; j += 64; } v += s[j] + p[i];", "range"),
        ("for (int k = 0; k < 3; k++) { v += s[j]; j += 64; } v += s[64];", "exact"),
    ],
)
def test_what_a_loop_shares_with_its_exit_may_be_on_lines_beside_it(
    body: str, status: str, tmp_path: Path
) -> None:
    found = statuses(tmp_path, f"int j = i, v = s[i + 999]; {body} o[i] = v + s[i + 700];")
    loads = {s for (op, text), s in found.items() if text in ("s[i + 999]", "s[i + 700]")}
    assert loads == {status}, found


@pytest.mark.parametrize(
    ("condition", "status"),
    [("if (i == 16 * k) ", "range"), ("", "exact"), ("if (n > 3) ", "exact")],
)
def test_what_iterations_store_under_their_own_conditions_is_one_store_on_another_line(
    condition: str, status: str, tmp_path: Path
) -> None:
    """Machine code: two stores on the line of `m[i]`, none on that of `c`."""
    body = f"__shared__ int m[64], c; int x = p[i]; for (int k = 0; k < 4; k++) {{ x = x * 5 + 1; {condition}c = x; }} m[i] = x; __syncthreads(); p[i] = m[63 - i] + c;"
    found = statuses(tmp_path, body)
    assert found["store", "m[i]"] == status, found
    assert condition == "" or found["store", "c"] == "range", found
