"""Operations noted while lowering, and which of them the walk over the kernel keeps: from source to
facts."""

from __future__ import annotations

import pytest

from kernlint.checks.run import check
from kernlint.model.facts import Operation
from kernlint.model.settings import Selection, Settings
from kernlint.pipeline import engine
from kernlint.source import files


def operations(body: str, parameters: str = "int *a, int n, int m") -> list[Operation]:
    text = f"// kernlint: launch(grid=2, block=64, n=100)\n__global__ void k({parameters}) {{\n{body}\n}}\n"
    [kernel] = (
        engine.analyse((), Settings(), stdin=files.from_bytes("k.cu", text.encode()))
        .files[0]
        .kernels
    )
    return list(kernel.operations)


NARROWED = "narrowed-double"  # a double literal that nvcc computes with as a float


def arithmetic(found: list[Operation]) -> list[str]:
    return [o.kind for o in found if o.kind != NARROWED]


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
        ("x[0] = -(x[1] * 0.5);", 0),
        ("x[0] += x[1] * 0.5;", 1),  # added in double: fma.rn.f64
        ("float s = x[2]; for (int i = 0; i < 9; i++) s += x[i] * 0.5; x[0] = s;", 1),
        ("x[0] = x[2] - -(x[1] * 2.0);", 1),
        ("x[0] = x[2] / (x[1] + 1.0);", 1),
        ("float t = x[1] * 0.5; x[0] += t;", 0),
        ("x[0] = (float)(x[1] * 2.0) + x[2];", 0),
        ("x[0] = x[1] * 1.0 + x[2];", 0),
        ("if (x[1] > 0.5) x[0] = 1;", 0),
        ("x[0] = fmaxf(x[2], x[1] * 0.5);", 0),
        ("x[0] = x[1] * 0.1f;", 0),
        ("x[0] = x[1] * 3;", 0),
        ("double d = x[1] * 0.1; x[0] = d * d;", 0),  # doubles are meant
    ],
)
def test_floats_that_meet_double_literals(body: str, kept: int) -> None:
    assert arithmetic(operations(body, "float *x")) == ["double-arithmetic"] * kept


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        ("x[0] = 0.299 * u[3 * n] + 0.587 * u[3 * n + 1];", 2),
        (
            "u[0] = (unsigned char)(u[1] * 0.5);",
            1,
        ),  # nvcc computes any product of an integer and a double in double
        ("x[0] = n / 2.0;", 1),
        ("x[0] = pow(x[1], 2.0);", 1),
        ("x[0] = pow(2.0, x[1]);", 1),
        ("x[0] = std::pow(x[1], 2.2);", 1),
        ("x[0] = pow(x[1], 2.0f) + powf(x[1], 2.0);", 0),
        ("x[0] = 0.299f * u[3 * n];", 0),
        ("x[0] = 0.3 * 7;", 0),
        ("int k = 7; x[0] = 0.3 * k;", 0),
        ("for (int k = 0; k < 4; ++k) x[k] = 0.3 * k;", 0),  # the compiler computes them all
        ("double d = 0.3 * n; x[0] = d;", 0),  # doubles are meant
        ("d[0] = 0.3 * n;", 0),
        ("x[0] = d[0] + 0.3 * n;", 0),
    ],
)
def test_integers_and_powers_that_meet_double_literals(body: str, kept: int) -> None:
    found = operations(body, "float *x, unsigned char *u, double *d, int n")
    assert arithmetic(found) == ["double-arithmetic"] * kept


def test_a_divisor_that_an_instantiation_may_know_is_no_fact() -> None:
    text = "template <int W> __global__ void k(int *a, int n) { for (int i = 0; i < n; i++) a[i] = i / W; }\n"
    text += "template __global__ void k<7>(int *, int);\n"
    (kernel,) = (
        engine.analyse((), Settings(), stdin=files.from_bytes("k.cu", text.encode()))
        .files[0]
        .kernels
    )
    assert kernel.operations == ()


def test_an_integer_that_an_instantiation_may_know_is_no_fact() -> None:
    text = "template <int W> __global__ void k(float *a, int n) { a[n] = W * 0.1 + 0.3f; a[0] = n * a[1]; }\n"
    for suffix in ("", "template __global__ void k<7>(float *, int);\n"):
        (kernel,) = (
            engine.analyse((), Settings(), stdin=files.from_bytes("k.cu", (text + suffix).encode()))
            .files[0]
            .kernels
        )
        assert kernel.operations == ()


def test_a_macro_is_told_once() -> None:
    text = (
        "#define EPSILON 1e-8\n// kernlint: launch(grid=2, block=64)\n"
        "__global__ void k(float *x) {\n    if (x[0] < EPSILON) x[1] = 1;\n    if (x[2] > EPSILON) x[3] = 1;\n"
        "    x[4] = 0.1 * x[5] + 0.3 * x[6];\n}\n"
    )
    report = engine.analyse((), Settings(), stdin=files.from_bytes("k.cu", text.encode()))
    found = check(report, Selection(select=("KL701",)))
    assert [(f.span.line, f.fix is not None) for f in found] == [(4, False), (6, True)]
    assert (
        "the double literal of `EPSILON` promotes" in found[0].message
        and "literal of `EPSILON`" in found[0].help
    )
