"""Bounds from conditions, against all small integers; signs that conversions may give."""

from __future__ import annotations

import operator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernlint.execution.values import sums
from kernlint.execution.values.booleans import Threshold
from kernlint.execution.values.implied_bounds import implied_bounds
from kernlint.execution.values.values import Atom, Value, bounds, identity
from kernlint.ir.types import INT, UINT
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source import files

TESTS = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
}
SMALL = range(-40, 41)
WHOLE = -(1 << 31), (1 << 31) - 1


@given(
    st.sampled_from(sorted(TESTS)),
    st.integers(-60, 60),
    st.sampled_from([-7, -3, -1, 1, 2, 5]),
    st.sampled_from([1, 3, 32]),
    st.integers(-9, 9),
)
def test_they_are_those_of_the_values_that_pass(
    name: str, number: int, factor: int, scale: int, shift: int
) -> None:
    atom = Atom("n", "unknown-argument", SMALL[0], SMALL[-1])
    threshold = Threshold(name, sums.constant(number), False, frozenset({(atom, factor)}))
    value = Value(sums.constant(shift), {atom: sums.constant(scale)})
    passing = [n for n in SMALL if TESTS[name](number, factor * n)]
    low, high = implied_bounds(value, INT, [threshold])
    assert low is not None and high is not None
    if not passing:
        assert low > high or name == "=="
        return
    assert (low, high) == (passing[0] * scale + shift, passing[-1] * scale + shift)


@pytest.mark.parametrize("of_iteration", [False, True])
def test_what_another_iteration_compared_says_nothing(of_iteration: bool) -> None:
    atom = Atom("n", "unknown-argument", 0, 100)
    threshold = Threshold(">", sums.constant(8), False, frozenset({(atom, 1)}), of_iteration)
    value = Value(sums.ZERO, {atom: sums.ONE})
    assert implied_bounds(value, INT, [threshold]) == (0, 100 if of_iteration else 7)


# what a comparison reads may not be what is taken: it wraps around, or is cut
WRAPPING = {
    "a negative number that is widened": ("int", "((size_t)x >= 10) ? x : 10", "y >= 10"),
    "a difference below 0": ("unsigned long long", "(x - 5 >= 10) ? x : 15", "y >= 15"),
    "a product above 2**64": ("unsigned long long", "(2 * x < 10) ? x : 0", "y < 5"),
    "a number that may change when it is narrowed": (
        "unsigned long long",
        "(x < 10) ? (int)x : 0",
        "y < 10",
    ),
    "the low half of what is compared": ("long long", "(x < 10) ? (int)x : 0", "y < 10"),
    "a large number that is taken as signed": ("unsigned", "(x >= 10) ? (int)x : 10", "y >= 10"),
    "a negative number that is taken as unsigned": ("unsigned", "((int)x < 10) ? x : 0", "y < 10"),
}
HOLDING = {
    "a number of the type compared": ("int", "(x < 10) ? x : 0", "y < 10"),
    "arithmetic that may not overflow": ("int", "(x - 5 < 10) ? x : 0", "y < 15"),
}


def status(type_: str, value: str, test: str) -> str:
    source = f"""// kernlint: launch(grid=1, block=32)
__global__ void k(const {type_}* a, int* out) {{
  {type_} x = a[0];
  auto y = {value};
  if ({test}) out[threadIdx.x] = 1;
}}"""
    (file,) = engine.analyse((), Settings(), stdin=files.from_bytes("k.cu", source.encode())).files
    assert not file.problems, file.problems
    (kernel,) = file.kernels
    return kernel.accesses[-1].status


@pytest.mark.parametrize("case", WRAPPING.values(), ids=WRAPPING)
def test_a_comparison_that_wraps_around_bounds_nothing(case: tuple[str, str, str]) -> None:
    assert status(*case) == "range"


@pytest.mark.parametrize("case", HOLDING.values(), ids=HOLDING)
def test_others_bound_what_they_choose(case: tuple[str, str, str]) -> None:
    assert status(*case) == "exact"


CAP = "if (y > 10) y = 10;"
ASSIGNED = {
    "all": (f"int y = x; {CAP}", "exact"),
    "a floor beside": (f"int y = x; {CAP} if (y < 2) y = 2;", "exact"),
    "the other side": ("int y = 10; if (x < 10) y = x;", "exact"),
    "both sides": ("int y; if (x < 10) y = x; else y = 10;", "exact"),
    "on a path": (f"int y = 0; if (x & 1) {{ y = x; {CAP} }}", "exact"),
    "some that data chooses": (f"int y = x; if (x & 1) {{ {CAP} }}", "range"),
    "some lanes": (f"int y = x; if (threadIdx.x < 8) {{ {CAP} }}", "range"),
    "lanes that left and came back": (
        f"int y = x; do {{ if (x & 1) break; {CAP} }} while (0);",
        "range",
    ),
    "another variable": ("int y = x, z = a[1]; if (z > 10) y = 10;", "range"),
}


@pytest.mark.parametrize(("body", "expected"), ASSIGNED.values(), ids=ASSIGNED)
def test_a_variable_that_a_branch_bounds(body: str, expected: str) -> None:
    text = f"""// kernlint: launch(grid=1, block=32)
__global__ void k(const int *a, int *out) {{
    int x = a[0];
    {body}
    if (y < 11) out[threadIdx.x] = 1;
}}"""
    (kernel,) = engine.analyse_source(files.Source("k.cu", "cuda", text), Settings()).kernels
    assert kernel.accesses[-1].status == expected


@pytest.mark.parametrize(
    ("element", "type_", "condition", "status"),
    [
        ("unsigned", "int", "x < 0", "unknown"),
        ("unsigned", "int", "x >= 0", "unknown"),
        ("int", "unsigned", "x > 0x7fffffffu", "unknown"),
        ("unsigned long long", "long long", "x < 0", "unknown"),
        ("unsigned", "unsigned", "x < 0", "exact"),
        ("unsigned char", "int", "x < 0", "exact"),
        ("unsigned", "long long", "x < 0", "exact"),
    ],
)
def test_a_sign_that_a_conversion_may_give_decides_a_branch(
    element: str, type_: str, condition: str, status: str
) -> None:
    text = f"""// kernlint: launch(grid=4, block=128)
__global__ void k(const {element} *a, float *o, const float *p)
{{
    int i = blockIdx.x * 128 + threadIdx.x;
    {type_} x = a[i];
    if ({condition}) o[i] = p[i];
}}
"""
    file = engine.analyse_source(files.Source("k.cu", "cuda", text), Settings())
    [kernel] = file.kernels
    [branch] = kernel.branches
    assert branch.status == status
    stored = [access.requests for access in kernel.accesses if access.op == "store"]
    assert stored == ([None] if status == "unknown" else [])


@pytest.mark.parametrize(
    ("most", "ends"),
    [
        (256, (0, 256)),
        (0, (0, 0)),
        (-1, WHOLE),
        ((1 << 31) - 1, (0, (1 << 31) - 1)),
        (1 << 31, WHOLE),
    ],
)
def test_an_unsigned_number_that_is_small_is_not_negative(most: int, ends: tuple[int, int]) -> None:
    value = Value(sums.ZERO, {Atom("n", "unknown-argument", *WHOLE): sums.ONE})
    whole = identity(value), str(UINT)
    threshold = Threshold("<=", sums.constant(-most), False, frozenset({(whole, -1)}))
    assert implied_bounds(value, UINT, [threshold]) == (ends if ends != WHOLE else bounds(value))
