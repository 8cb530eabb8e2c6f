"""KL701 held against the machine code of nvcc 13.0 for sm_90 (`-cubin`, nvdisasm): which literals
bring in instructions of doubles."""

from __future__ import annotations

import pytest

from kernlint.fixing.fixer import fixed
from kernlint.model.finding import Finding
from tests.checks.test_messages import findings_of

pytestmark = pytest.mark.slow


KERNEL = """\
__global__ void k(float *a, const float *b, int n)
{{
    int t = blockIdx.x * 256 + threadIdx.x;
    float x = b[t], s = b[t + n], o;
    {body}
    a[t] = o;
}}
"""
# statements, and whether the machine code has DADD, DMUL, DFMA, DSETP or a conversion to or from
# F64
CASES = [
    ("float y = n > t ? x : 0.1; o = y;", False),
    ("float y = n > t ? x : 0.5; o = y;", False),
    ("s += n > t ? x : 0.0; o = s;", True),
    ("s += n > t ? x : 0.5; o = s;", True),
    ("s += n > t ? x : 0.1; o = s;", True),
    ("o = s * (n > t ? x : 1.0);", True),
    ("o = s * (n > t ? 2.0 : 1.0);", True),
    ("o = t * (n > t ? 2.0 : 1.0);", True),
    ("o = s > (n > t ? x : 0.5) ? 1 : 2;", True),
    ("int i = n > t ? x : 0.5; o = i;", True),
    ("s += x + 0.0; o = s;", True),
    ("s += x * 1.0; o = s;", False),
    ("o = s - 1.0 * x;", False),
    ("o = s > x * 1.0 ? 1 : 2;", False),
    ("int i = x + 0.0; o = i;", True),
    ("int i = x * 0.5; o = i;", True),
    ("unsigned i = x + 0.5; o = i;", True),
    ("long long i = x * 0.5; o = i;", True),
    ("unsigned char i = x * 255.0; o = i;", True),
    ("s += 0.3; o = s;", True),
    ("s += 0.5; o = s;", False),
    ("s *= 0.3; o = s;", True),
    ("s *= 0.5; o = s;", False),
    ("o = -0.5 * x + 1.0;", True),
    ("o = -0.3 * x;", True),
    ("o = -0.5 * x;", False),
    ("o = x == 0.1 ? 1 : 2;", True),
    ("o = x == 0.5 ? 1 : 2;", False),
    ("o = x != 0.1 ? 1 : 2;", True),
    ("o = s > x * 0.5 ? 1 : 2;", True),
    ("o = 1.0 / x;", False),
    ("o = x / 3.0;", False),
    ("o = t > 0.5 ? 1 : 2;", False),
    ("o = t + 0.0;", True),
    ("o = t * 1.0;", True),
    ("int i = t * 0.5; o = i;", True),
    ("int i = t / 2.0; o = i;", True),
    ("o = (float)(x * 0.5) * s;", False),
    ("o = fmaxf(x * 0.5, s);", False),
    ("o = sqrt(x * 0.5);", True),
    ("o = sqrtf(x * 0.5);", False),
    ("o = exp(-0.5 * x);", True),
    ("o = b[(int)(x * 0.5)];", True),
    ("if (x * 0.5) s = 1; o = s;", True),
    ("o = x * 0.5 * s;", True),
    ("o = 2.0 * x * s;", True),
    ("o = 1.0 - x;", False),
    ("o = (1.0 - x) * s;", True),
    ("s += 1.0 / x; o = s;", True),
    ("s += -1.0 / x; o = s;", True),
    ("s += x / 1.0; o = s;", False),
    ("s += -1.0 * x; o = s;", False),
    ("s += 0.0 * x; o = s;", True),
    ("int i = 1.0 / x; o = i;", True),
    ("o = s > 1.0 / x ? 1 : 2;", True),
    ("o = 1. / (1. - x);", True),
    ("o = 1. / (1.f - x);", False),
    ("o = __float2int_rn(x * 0.5);", False),
    ("o = n > t ? x * 2.0 : x * 0.1f;", True),
    ("o = n > t ? x * 2.0 : s * 0.5;", True),
    ("o = n > t ? x * 2.0 : 1.0;", False),
    ("o = n > t ? 1.0 - x : 0.0f;", False),
    ("o = n > t ? x : s + 0.25;", True),
    ("o = n > t ? b[t + 2 * n] * 0.25 : s;", True),
    ("o = n > t ? 0.5f : b[t + 2 * n] * 0.25;", False),
    ("o = n > t ? (n > 3 ? s * 0.5 : x) : x;", True),
    ("o = n > t ? 1.0 * s : s;", False),
    ("o = __double2float_rn(x * 0.5);", True),
]
HALVES = [  # the same for what becomes a half
    ("h = x * 0.5;", True),
    ("h = __half(x * 0.5);", True),
    ("h = (__half)(x + 0.5);", True),
    ("h = static_cast<__half>(x * 0.5);", True),
    ("h = (float)(x * 0.5);", False),
    ("h = x > s ? x : 0.5;", True),
    ("h = 1. / (1. - x);", True),
    ("h = __float2half(x * 0.5);", False),
    ("h = __double2half(x * 0.5);", True),
    ("__nv_bfloat16 v = x * 0.5; h = __float2half(__bfloat162float(v));", True),
]


HALF = """\
#include <cuda_fp16.h>
#include <cuda_bf16.h>
__global__ void k(__half *a, const float *b, int n)
{{
    int t = blockIdx.x * 256 + threadIdx.x;
    float x = b[t], s = b[t + n];
    __half h;
    {body}
    a[t] = h;
}}
"""


TEXTS = [
    (kernel.format(body=body), doubles)
    for kernel, cases in ((KERNEL, CASES), (HALF, HALVES))
    for body, doubles in cases
]


@pytest.mark.parametrize(("text", "doubles"), TEXTS)
def test_a_literal_is_told_where_nvcc_computes_with_doubles(text: str, doubles: bool) -> None:
    turns = 0
    while (found := findings_of(text, "KL701")) and turns < 3:
        assert found[0].fix is not None
        lines = text.split("\n")
        for edit in sorted(found[0].fix.edits, key=lambda e: -e.span.column):
            at, span = lines[edit.span.line - 1], edit.span
            behind = at[span.end_column - 1 :]
            lines[span.line - 1] = at[: span.column - 1] + edit.content + behind
        text, turns = "\n".join(lines), turns + 1
    assert (turns > 0) is doubles and not found


def test_a_choice_of_what_is_loaded() -> None:
    """nvcc 13.0 for sm_90: DADD for the sum, none where the choice is made a float at once."""
    (finding,) = findings_of(KERNEL.format(body="s += n > t ? b[t + 2 * n] : 0.0; o = s;"), "KL701")
    assert (
        "`n > t ? b[t + 2 * n] : 0.0`: the double literal `0.0` promotes the expression to 64-bit arithmetic"
        in finding.message
    )
    assert findings_of(KERNEL.format(body="o = n > t ? b[t + 2 * n] : 0.0;"), "KL701") == []


TEMPLATE = """\
template <typename T> __device__ T scaled(T a, int n) {{ return {body}; }}
template <typename T> __global__ void k(T *o, int n) {{ o[threadIdx.x] = scaled(o[threadIdx.x], n); }}
{host}
"""
FLOATS = "void go(float *a) { k<float><<<1, 32>>>(a, 3); }"
BOTH = "void go(float *a, double *d) { k<float><<<1, 32>>>(a, 3); k<double><<<1, 32>>>(d, 3); }"
INSTANTIATED = FLOATS + " template __global__ void k<double>(double *, int);"
HOSTED = FLOATS + " __host__ __device__ double more(double x) { return scaled(x, 3); }"
# what is computed in a template, and whether its first literal may become a float, whoever is seen
# to use the template
SHARED = [
    ("a * 0.1", False),
    ("0.1 + a", False),
    ("a * a + 0.5 * a", True),  # a float holds it: with doubles the same value
    ("pow(a, 0.3)", False),
    ("pow(a, 3.0)", True),
    ("n * 0.5 * a", False),  # an integer would be rounded to a float
    ("a * (n > 3 ? a : 0.1)", False),
    ("a * (n > 3 ? a : 0.25)", True),
]


@pytest.mark.parametrize(("body", "may"), SHARED)
@pytest.mark.parametrize("host", [FLOATS, BOTH, INSTANTIATED, HOSTED, ""])
def test_a_literal_stays_a_double_where_doubles_may_be_computed_with_it(
    body: str, may: bool, host: str
) -> None:
    found = findings_of(TEMPLATE.format(body=body, host=host), "KL701")
    assert found and all((one.fix is not None) is may for one in found)
    assert all(
        ("give the literal the type of the computation" in (one.help or "")) is not may
        for one in found
    )


FUNCTIONS = [  # a function and its call, and whether its literal may become a float
    ("__device__ float f(float a) { return a * 0.1; }", "f(x)", True),
    ("__device__ double f(float a) { return a * 0.1; }", "f(x)", False),
    (
        "__device__ double f(float a) { return a + 0.5; }",
        "f(x) * 0.5f",
        False,
    ),  # its sum is one of doubles
    ("__device__ auto f(float a) { return a * 0.1; }", "f(x)", False),
    ("__device__ auto f(float a) -> float { return a * 0.1; }", "f(x)", True),
    ("__device__ float f(auto a) { return a * 0.1; }", "f(x)", False),
    ("template <int N> __device__ float f(float a) { return a * 0.1 * N; }", "f<3>(x)", True),
    (
        "template <typename T> struct S { __device__ static T f(T a) { return a * 0.1; } };",
        "S<float>::f(x)",
        False,
    ),
    (
        "template <int N> struct S { __device__ static float f(float a) { return a * 0.1; } };",
        "S<2>::f(x)",
        True,
    ),
    (
        "template <typename T> __device__ T f(T a); template <> __device__ float f(float a) { return a * 0.1; }",
        "f(x)",
        True,
    ),
    (
        "template <typename... T> __device__ float f(T... a) { return ((a * 0.1) + ...); }",
        "f(x)",
        False,
    ),
    ("struct S { float v; __device__ S(float a) { v = a * 0.1 + a; } };", "S(x).v", True),
    ("", "[](float a) -> float { return a * 0.1; }(x)", True),
    ("", "[](auto a) -> float { return a * 0.1; }(x)", False),
]


@pytest.mark.parametrize(("function", "call", "may"), FUNCTIONS)
def test_a_literal_may_become_a_float_where_its_text_has_the_same_types_wherever_it_is_run(
    function: str, call: str, may: bool
) -> None:
    found = findings_of(function + "\n" + KERNEL.format(body=f"o = {call};"), "KL701")
    assert found and (found[0].fix is not None) is may


def test_the_literal_of_a_macro_may_be_meant_elsewhere() -> None:
    (finding,) = findings_of("#define C 0.1\n" + KERNEL.format(body="o = x * C + s;"), "KL701")
    assert (
        finding.fix is None
        and finding.help
        == "make it a float: `(float)(C)`, around all that is computed of literals; or add the suffix `f` to the literal of `C`, "
        "if no double expression uses `C`"
    )


def test_every_literal_of_a_line_gets_its_suffix() -> None:
    """Alike ones are one after the other the first of their line: what is left elsewhere on it is
    another finding."""
    text = KERNEL.format(body="o = (1.0 - x) * (1.0 - x) * (1.0 - x) + 3.0 * x * (1.0 - x);")

    def judge(changed: str) -> list[Finding]:
        return findings_of(changed, "KL701")

    done = fixed(text, judge(text)[0].span.path, judge, unsafe=True)
    assert (
        "o = (1.0f - x) * (1.0f - x) * (1.0f - x) + 3.0f * x * (1.0f - x);" in done.text
        and not done.refused
    )


ON_ONE_LINE = {
    "o = 1.0 / (1.0 + x);": "o = 1.0f / (1.0f + x);",
    "o = s * 0.1 + x * 3e-1; // 0.5": "o = s * 0.1f + x * 3e-1f; // 0.5",
    "o = x * 0.5f + s * .3 + b[2];": "o = x * 0.5f + s * .3f + b[2];",
}


@pytest.mark.parametrize("body", ON_ONE_LINE)
def test_one_edit_puts_right_all_literals_of_a_line(body: str) -> None:
    (finding,) = findings_of(KERNEL.format(body=body), "KL701")
    assert finding.fix is not None
    line = KERNEL.format(body=body).split("\n")[finding.span.line - 1]
    for edit in sorted(finding.fix.edits, key=lambda e: -e.span.column):
        line = line[: edit.span.column - 1] + edit.content + line[edit.span.end_column - 1 :]
    assert line.strip() == ON_ONE_LINE[body]


def test_literals_that_doubles_may_meet_keep_their_digits() -> None:
    """Of `width - 1.` a `double` instance would keep the digits that a float has."""
    text = TEMPLATE.format(body="min(max(a, 0.), n - 1.)", host="")
    (finding,) = findings_of(text, "KL701")
    assert finding.fix is not None and [edit.content for edit in finding.fix.edits] == ["0.f"]


CONSTANTS = {
    "(1.0 / 3.0) * x": "write `(float)(1.0 / 3.0)`, or give its literals the suffix `f`",
    "2.0f * 3.14 * x": "write `(float)(2.0f * 3.14)`, or give its literals the suffix `f`",
    "x * (C / 180.0)": "make it a float: `(float)(C)`, around all that is computed of literals; or",
    "x * M_PI": "make it a float: `(float)(M_PI)`, around all that is computed of literals",
}


@pytest.mark.parametrize("body", CONSTANTS)
def test_what_is_computed_of_literals_is_a_double_too(body: str) -> None:
    source = "#include <math.h>\n#define C 0.1\n" + KERNEL.format(body=f"o = {body};")
    (finding,) = findings_of(source, "KL701")
    assert finding.help.startswith(CONSTANTS[body])
    written = [] if finding.fix is None else [edit.content for edit in finding.fix.edits]
    assert written == ([] if "make" in CONSTANTS[body] else [CONSTANTS[body].split("`")[1]])


def test_a_constant_that_a_float_holds_costs_nothing() -> None:
    assert not findings_of(KERNEL.format(body="o = x * (1.0 / 4.0);"), "KL701")
