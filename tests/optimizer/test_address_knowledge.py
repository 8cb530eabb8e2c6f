"""The lattice of address knowledge: what it says of a result holds of every result."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernlint.optimizer.address_knowledge import (
    ANY,
    OPERATIONS,
    Knowledge,
    between,
    constant,
    join,
    meet,
    multiple,
    plus,
    refined,
)
from kernlint.optimizer.compiler_forms import FOLDS

NUMBERS = st.integers(-200, 200)
COMPUTED = {
    **FOLDS,
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
}


@st.composite
def known(draw: st.DrawFn) -> tuple[int, Knowledge]:
    """A value, and something true of it."""
    value = draw(NUMBERS)
    low = draw(st.none() | st.integers(-300, value))
    high = draw(st.none() | st.integers(value, 300))
    step = draw(st.sampled_from([0, 1, 2, 3, 4, 6, 8, 12, 16]))
    mask = draw(st.integers(-1, 255))
    start = value % step if step else value
    return value, refined(Knowledge(low, high, step, start, ~value & mask, value & mask))


def _computed(
    some: tuple[str, tuple[int, Knowledge], tuple[int, Knowledge]],
) -> tuple[int, Knowledge]:
    op, (a, knows_a), (b, knows_b) = some
    if (op in ("/", "%") and b == 0) or (op in ("<<", ">>") and not 0 <= b < 16):
        return a, knows_a
    return COMPUTED[op](a, b), OPERATIONS[op](knows_a, knows_b)


VALUES = st.recursive(
    known(),
    lambda inner: st.tuples(st.sampled_from(sorted(OPERATIONS)), inner, inner).map(_computed),
    max_leaves=6,
)


@given(VALUES)
def test_every_result_lies_in_what_is_known(some: tuple[int, Knowledge]) -> None:
    value, knows = some
    assert knows.contains(value), (value, knows)
    assert refined(knows).contains(value)
    assert knows.value in (None, value)
    assert value % (knows.alignment or 1) == 0


@given(VALUES, VALUES)
def test_what_both_ways_say_is_in_their_join(
    one: tuple[int, Knowledge], other: tuple[int, Knowledge]
) -> None:
    both = join(one[1], other[1])
    assert both.contains(one[0]) and both.contains(other[0])
    assert both == join(other[1], one[1])
    assert join(one[1], one[1]) == one[1]


@given(known(), known(), known())
def test_joins_go_together_in_any_order(
    a: tuple[int, Knowledge], b: tuple[int, Knowledge], c: tuple[int, Knowledge]
) -> None:
    assert join(join(a[1], b[1]), c[1]) == join(a[1], join(b[1], c[1]))


@given(known(), st.data())
def test_what_both_say_is_in_their_meet(some: tuple[int, Knowledge], data: st.DataObject) -> None:
    """What one value has of both is in the meet; where there is none, no value has both."""
    value, knows = some
    other_value, other = data.draw(known())
    both = meet(knows, other)
    if other.contains(value):
        assert both is not None and both.contains(value)
    if knows.contains(other_value):
        assert both is not None and both.contains(other_value)
    assert meet(knows, knows) is not None


@pytest.mark.parametrize(
    ("op", "a", "b", "alignment"),
    [
        ("&", multiple(4), constant(255), 4),
        ("&", ANY, constant(12), 4),
        ("^", multiple(4), constant(8), 4),
        ("|", multiple(4), constant(1), 1),
        ("%", multiple(8), constant(12), 4),
        ("*", multiple(2), multiple(6), 4),
        ("<<", ANY, constant(3), 8),
        (">>", multiple(16), constant(2), 4),
        ("+", multiple(8), constant(4), 4),
    ],
)
def test_alignment_passes_through(op: str, a: Knowledge, b: Knowledge, alignment: int) -> None:
    assert OPERATIONS[op](a, b).alignment == alignment


def test_ranges_pass_through() -> None:
    thread = between(0, 1023)
    assert OPERATIONS["&"](ANY, constant(15)) == between(0, 15)
    assert OPERATIONS["%"](thread, constant(32)).high == 31
    assert OPERATIONS[">>"](thread, constant(5)).high == 31
    assert plus(thread, constant(5)).low == 5
    assert meet(thread, between(None, -1)) is None
    assert meet(thread, between(7, 7)) == constant(7)
