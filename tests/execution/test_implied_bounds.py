"""Bounds from conditions, against all small integers."""

from __future__ import annotations

import operator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernlint.execution.values import sums
from kernlint.execution.values.booleans import Threshold
from kernlint.execution.values.implied_bounds import implied_bounds
from kernlint.execution.values.values import Atom, Value

TESTS = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
}
SMALL = range(-40, 41)


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
    low, high = implied_bounds(value, [threshold])
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
    assert implied_bounds(value, [threshold]) == (0, 100 if of_iteration else 7)
