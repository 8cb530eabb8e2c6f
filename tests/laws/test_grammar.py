"""The grammar of laws: what is written is read back, and nothing else is read."""

from __future__ import annotations

import ctypes

import pytest
import sympy
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kernlint.laws import functions as own
from kernlint.laws.evaluation import value_at
from kernlint.laws.functions import FUNCTIONS, symbol
from kernlint.laws.grammar import LawSyntaxError, law_text, parse_law

NAMES = st.sampled_from(["tx", "bx", "gdx", "n", "pitch", "a.lda", "i'", "row[i]"])
ATOMS = st.one_of(NAMES.map(symbol), st.integers(-40, 40).map(sympy.Integer))
BINARY = [f for f in FUNCTIONS.values() if f.nargs == sympy.FiniteSet(2)]


def extreme(of: type[sympy.Expr], a: sympy.Expr, b: sympy.Expr) -> sympy.Expr:
    """Of two laws; sympy compares no division by 0."""
    try:
        return of(a, b)
    except ValueError:
        return a


def compound(inner: st.SearchStrategy[sympy.Expr]) -> st.SearchStrategy[sympy.Expr]:
    two = st.tuples(inner, inner)
    relations = st.sampled_from([sympy.Ge, sympy.Lt, sympy.Eq, sympy.Ne])
    return st.one_of(
        two.map(lambda p: p[0] + p[1]),
        two.map(lambda p: p[0] * p[1]),
        st.tuples(st.sampled_from(BINARY), two).map(lambda p: p[0](*p[1])),
        two.map(lambda p: extreme(own.Min, *p)),
        two.map(lambda p: extreme(own.Max, *p)),
        inner.map(lambda e: own.WRAPS[32, False](e)),
        st.tuples(relations, two, two).map(
            lambda p: sympy.Piecewise((p[1][0], p[0](*p[2])), (p[1][1], True))
        ),
    )


LAWS = st.recursive(ATOMS, compound, max_leaves=6)
POINT = {name: n for name, n in zip(
    ["tx", "bx", "gdx", "n", "pitch", "a.lda", "i'", "row[i]"], (5, 2, 7, 33, 64, 9, 3, 11),
    strict=True,
)}  # fmt: skip


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(LAWS)
def test_a_law_reads_back_as_it_was_written(law: sympy.Expr) -> None:
    try:
        text = law_text(law)
    except ValueError:
        assert law.has(sympy.zoo, sympy.nan) or law.atoms(sympy.Pow, sympy.Abs)
        return
    back = parse_law(text)
    values = {symbol(name): sympy.Integer(n) for name, n in POINT.items()}
    try:
        expected = law.xreplace(values).doit()  # terms without symbols are as they were written
    except ValueError:  # sympy compares no division by 0
        assume(False)
    assert back.xreplace(values).doit() == expected
    assert law_text(parse_law(law_text(back))) == law_text(back)


@pytest.mark.parametrize(
    ("text", "point", "value"),
    [
        ("gcd(p, 32)", {"p": 48}, 16),
        ("cases(p == 0: 1, true: gcd(p, 32))", {"p": 0}, 1),
        ("cases(p < 3 && q >= 2 || p == 9: 1, true: 2)", {"p": 9, "q": 0}, 1),
        ("ceildiv(min(16*gdx, max(0, cols)), 16)", {"gdx": 2, "cols": 17}, 2),
        ("n*(n + 1)/2", {"n": 7}, 28),
        ("table(mod(n, 4), 8, 9, 10, 11)", {"n": -1}, 11),
        ("div(n, 4) - rem(n, 4)", {"n": -7}, 2),
        ("sum(k, n, k*mod(k, 3))", {"n": 6}, 1 + 4 + 4 + 10 - 0),
        ("digits(n, 2) + power(2, digits(n - 1, 2))", {"n": 9}, 4 + 16),
        ("sum(k, n, 3)", {"n": -2}, 0),
        ("`row[i]`**2 - 3", {"row[i]": 5}, 22),
        ("u32(n) - i8(n)", {"n": -1}, 2**32),
        ("shr(n, 1) + band(n, 6) + bxor(n, 5)", {"n": 7}, 3 + 6 + 2),
    ],
)
def test_values_of_laws(text: str, point: dict[str, int], value: int) -> None:
    values = {symbol(name): sympy.Integer(n) for name, n in point.items()}
    assert parse_law(text).xreplace(values) == value


@pytest.mark.parametrize(
    "text",
    [
        "", "n +", "(n", "n)", "1 2", "f(n)", "__import__(n)", "n.__class__(1)", "n ** m", "2 ** 99",
        "gcd(1)", "gcd", "cases(1: 2)", "n / 0", "`a", "n; m", "lambda: 0", "(" * 99 + "n" + ")" * 99,
    ],
)  # fmt: skip
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(LawSyntaxError):
        parse_law(text)


@given(st.integers(-(2**40), 2**40), st.integers(-70, 70))
def test_operators_fold_as_in_c(a: int, b: int) -> None:
    if b:
        assert own.Div(a, b) == int(a / b) and own.Div(a, b) * b + own.Rem(a, b) == a
        assert own.Residue(a, abs(b)) in range(abs(b))
    assert own.WRAPS[32, True](a) == ctypes.c_int32(a).value
    assert own.WRAPS[16, False](a) == ctypes.c_uint16(a).value
    assert own.And(a, b) == a & b and own.Not(a) == ~a


def test_what_c_does_not_define_stays() -> None:
    assert law_text(own.Div(3, 0)) == "div(3, 0)"
    assert law_text(own.Shl(1, 64)) == "shl(1, 64)"


def test_unknowns_are_never_simplified() -> None:
    n = symbol("n")
    assert law_text(own.Rem(2 * own.Rem(n, 4), 8)) == "rem(2*rem(n, 4), 8)"
    assert law_text(own.Residue(4 * n, 4)) == "mod(4*n, 4)"


@given(LAWS, st.dictionaries(NAMES, st.integers(-40, 40)))
@settings(max_examples=60, deadline=None)
def test_a_value_at_a_point_is_what_substitution_gives(
    law: sympy.Expr, point: dict[str, int]
) -> None:
    numbers = {symbol(name): n for name, n in point.items()}
    found = law.xreplace({name: sympy.Integer(n) for name, n in numbers.items()})
    if isinstance(found, sympy.Integer):
        assert value_at(law, numbers) == found


def test_the_greatest_and_the_least_are_as_short_as_they_can_be() -> None:
    a, b, c = (symbol(name) for name in "abc")
    assert own.Max(a, own.Max(b, a)) == own.Max(a, b)
    assert own.Max(a + 3, a + 1) == a + 3
    assert own.Min(own.Max(0, a), own.Max(0, b)) == own.Max(0, own.Min(a, b))
    assert own.Max(0, own.Min(a, own.Max(0, b))) == own.Max(0, own.Min(a, b))
    assert own.Max(0, 2 * own.Max(0, c)) == 2 * own.Max(0, c)
    assert own.Min(5, own.Max(7, c)) == own.Min(5, own.Max(7, c), 9) == 5
