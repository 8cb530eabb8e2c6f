"""Operations noted while lowering, and which of them the walk over the kernel keeps: from source to facts."""

from __future__ import annotations

import pytest

from kernlint import engine, files
from kernlint.facts import Operation
from kernlint.settings import Settings


def operations(body: str, parameters: str = "int *a, int n, int m") -> list[Operation]:
    text = f"// kernlint: launch(grid=2, block=64, n=100)\n__global__ void k({parameters}) {{\n{body}\n}}\n"
    [kernel] = engine.analyse((), Settings(), stdin=files.from_bytes("k.cu", text.encode())).files[0].kernels
    return list(kernel.operations)


@pytest.mark.parametrize(
    ("body", "loops"),
    [
        ("a[threadIdx.x] = threadIdx.x / m;", 0),
        ("for (int i = 0; i < n; i++) a[i] = i / m;", 1),
        ("for (int i = 0; i < n; i++) { int d = m + 1; a[i] = i % d; }", 1),
        ("for (int i = 0; i < n; i++) a[i] = n / m;", 0),  # the compiler takes it out of the loop
        ("for (int i = 0; i < n; i++) { int q = n / m; a[i] = q; }", 0),
        ("for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[j] = (i + j) / m;", 2),
        ("for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) a[j] = i / m;", 1),
        ("for (int i = 0; i < n; i++) { m += 3; a[i] = 1000 / m; }", 1),
    ],
)
def test_loops_that_a_division_cannot_be_taken_out_of(body: str, loops: int) -> None:
    [found] = operations(body)
    assert found.kind == "integer-division" and found.bits == 32 and len(found.loops) == loops


@pytest.mark.parametrize(
    "body",
    [
        "for (int i = 0; i < n; i++) a[i] = i / 7;",
        "const int w = 60; for (int i = 0; i < n; i++) a[i] = i / w;",
        "constexpr int w = 60; for (int i = 0; i < n; i++) a[i] = i % (w + 1);",
        "for (int i = 0; i < n; i++) a[i] = i * m;",
    ],
)
def test_divisions_by_constants_are_no_facts(body: str) -> None:
    assert operations(body) == []


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        ("x[0] = x[1] * 0.1;", 1),
        ("x[0] = 0.1 + x[1];", 1),
        ("if (x[1] > 0.3) x[0] = 1;", 1),
        ("x[0] = x[1] * 0.5;", 0),  # a float holds it exactly
        ("x[0] = x[1] * 0.1f;", 0),
        ("x[0] = x[1] * 3;", 0),
        ("double d = x[1] * 0.1; x[0] = d * d;", 0),  # doubles are meant
    ],
)
def test_floats_that_meet_double_literals(body: str, kept: int) -> None:
    assert [o.kind for o in operations(body, "float *x")] == ["double-arithmetic"] * kept
