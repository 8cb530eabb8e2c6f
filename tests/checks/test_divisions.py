"""KL702: divisions that cost, by how often they run or by what else is done; silent for divisors
that the compiler may know."""

from __future__ import annotations

import pytest

from tests.checks.test_barriers import case
from tests.checks.test_messages import findings_of

KERNEL = """\
{head}
__global__ void k({type} *o, const float *x, int n, int w, long m)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    {body}
}}
void go({type} *o, const float *x, int n, int w, long m) {{ k{given}<<<64, 256>>>(o, x, n, w, m); }}
"""


def reported(body: str, head: str = "", given: str = "") -> list[str]:
    text = KERNEL.format(head=head, body=body, type="float", given=given)
    return [f"{f.message} {f.help}" for f in findings_of(text, "KL702")]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("if (i < n) o[i] = x[(i + w) % n];", "subtract `n` once it is reached"),
        ("o[i % w * n + i / w] = x[i];", "a grid of two dimensions"),
        ("o[i] = x[i / (n * w)];", "make `n * w` a template argument or a constant"),
        ("o[i] = x[(i + 5L * n) % m];", "convert them first"),
        ("float s = 0; for (int k = 0; k < n; k++) s += x[(i + k) % w]; o[i] = s;", "subtract `w`"),
        ("for (; i < n; i += gridDim.x * blockDim.x) o[i] = x[i / w];", "increment row and column"),
    ],
)
def test_a_division_that_outweighs_all_else(body: str, said: str) -> None:
    [finding] = reported(body)
    assert said in finding


@pytest.mark.parametrize(
    "body",
    [
        "o[i] = x[i / 18 + i % 32];",
        "o[i] = x[i] * (blockIdx.x / gridDim.y);",
        "int r = i / w; float s = 0; for (int k = 0; k < 64; k++) s += x[r * 64 + k] * k; o[i] = s;",
        "for (; i < n; i += 256) o[i] = x[i] * (n / w);",
        "for (int d = 0; d < 3; d++) { i /= w; o[i * 3 + d] = x[i]; }",
        "for (int j = 0; j < n; j++) for (int d = 1; d < 4; d++) o[j + d] = x[(i + j) / d];",
        "for (int j = 0; j < n; j++) for (int k = 0; k < n; k++) o[j + k] = x[(i + j + k) / size(w)];",
        "constexpr int t[] = {4, 8};\\n#pragma unroll\\nfor (int d = 0; d < 2; d++) o[i + d] = x[i / t[d]];",
    ],
)
def test_silent_where_it_costs_little_or_the_compiler_may_know(body: str) -> None:
    assert not reported(body.replace("\\n", "\n"))


def test_a_template_argument_is_known_to_the_compiler() -> None:
    assert not reported("o[i] = x[i / W];", "template <int W>", "<18>")
    table = "template <int... V> struct S { __device__ static int of(int d) { constexpr int t[] = {V...}; return t[d]; } };"
    assert not reported("for (int d = 0; d < n; d++) o[d] = x[(i + d) / S<4, 8>::of(1)];", table)


def test_cases() -> None:
    [finding] = case("questions/62-ring-modulo.cu", "KL702")
    assert finding.span.line == 8 and "subtract `n` once it is reached" in finding.help
    assert not case("modern/m04_pack_member.cu", "KL702")
    assert not case("modern/m21_division_by_unseen.cu", "KL702")
