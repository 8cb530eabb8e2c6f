"""Addresses at sample points: what agrees at all, and that nothing is known that a point denies."""

from __future__ import annotations

import random

import numpy as np
import pytest

from kernlint.base.span import Span
from kernlint.ir import nodes as ir
from kernlint.ir.types import Integer
from kernlint.optimizer.compiler_forms import Atoms, Form, form_of
from kernlint.optimizer.compiler_state import Path, Step
from kernlint.optimizer.samples import OPERATIONS, Samples

NOWHERE = Span("k.cu", 1, 1, 1, 1)
INT, UNSIGNED = Integer(32, True, "int"), Integer(32, False, "unsigned int")
T, N = ir.Builtin(INT, "tid.x"), ir.Variable("n", INT)


def op(
    name: str, left: ir.Expression, right: ir.Expression | int, type_: Integer = INT
) -> ir.Binary:
    right = ir.Constant(type_, right) if isinstance(right, int) else right
    return ir.Binary(type_, name, left, right)


SAME = (
    (op("^", op("^", T, 5), 5), T),
    (op("+", op("*", op("/", T, 32), 32), op("%", T, 32)), T),
    (op(">>", op("<<", T, 2), 2), T),
    (op("&", T, 1023), T),
    (op("%", op("*", T, 4), 4), ir.Constant(INT, 0)),
)
APART = ((op("^", T, 5), T), (op("&", T, 511), T), (op("/", T, 2), T), (T, ir.Read(INT, N)))


def distance(one: ir.Expression, other: ir.Expression, path: Path = ()) -> int | None:
    atoms = Atoms()
    view = Samples(atoms, (), lambda loop: None).view(path)
    assert view is not None
    return view.distance(form_of(one, {}, atoms), form_of(other, {}, atoms))


@pytest.mark.parametrize(("one", "other"), SAME)
def test_values_that_are_written_otherwise(one: ir.Expression, other: ir.Expression) -> None:
    assert distance(one, other) == 0
    assert distance(op("+", one, 3), other) == 3


@pytest.mark.parametrize(("one", "other"), APART)
def test_values_that_differ(one: ir.Expression, other: ir.Expression) -> None:
    assert distance(one, other) is None


def under(test: ir.Binary, atoms: Atoms, **step: object) -> Path:
    statement = ir.If(test, (), (), ir.BranchSite(NOWHERE, "if", ""))
    return (Step(form_of(test, {}, atoms), True, statement, **step),)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("test", "fixed"),
    [
        (op("==", T, 0), True),
        (op("==", T, ir.Read(INT, N)), False),
        (op("<", T, 1, UNSIGNED), False),  # the operands' type decides: `tid.x` is an int here
        (op("<", ir.Builtin(UNSIGNED, "tid.x"), 1, UNSIGNED), True),
        (op("<", T, 1), False),
        (op("==", op("&", T, 7), 0), True),
    ],
)
def test_what_conditions_fix(test: ir.Binary, fixed: bool) -> None:
    """Whether a word and the next one lie in one block of 8 bytes where the condition holds."""
    atoms = Atoms()
    view = Samples(atoms, (), lambda loop: None).view(under(test, atoms))
    assert view is not None
    assert view.in_one_block(form_of(op("*", T, 4), {}, atoms), 4, 8) == fixed


def test_equal_values_under_a_condition() -> None:
    atoms = Atoms()
    view = Samples(atoms, (), lambda loop: None).view(under(op("==", T, ir.Read(INT, N)), atoms))
    assert view is not None
    assert view.distance(form_of(T, {}, atoms), form_of(ir.Read(INT, N), {}, atoms)) == 0


@pytest.mark.parametrize("seed", range(40))
def test_what_is_known_holds_at_all_points(seed: int) -> None:
    """The alignment that a form surely has divides it at each sample point."""
    source, atoms = random.Random(seed), Atoms()
    view = Samples(atoms, (), lambda loop: None).view(())
    assert view is not None
    leaves = [T, ir.Read(INT, N), ir.Builtin(INT, "ctaid.x")]
    for _ in range(12):
        left = source.choice(leaves)
        name = source.choice([*"+-*/%&|^", "<<", ">>", "min", "max"])
        right = source.choice(
            [source.choice(leaves), *(source.choice((1, 2, 3, 4, 8, 31)) for _ in "ab")]
        )
        leaves.append(
            op(name, left, right if name not in ("<<", ">>") else source.choice((1, 2, 3)))
        )
        form = form_of(leaves[-1], {}, atoms)
        known = atoms.alignment(Form(form.terms), {}, 1)
        assert not (view.values(Form(form.terms)) % known).any(), (leaves[-1], known)


@pytest.mark.parametrize(
    ("a", "b", "quotient", "rest"), [(7, 2, 3, 1), (-7, 2, -3, -1), (7, -2, -3, 1)]
)
def test_division_is_that_of_c(a: int, b: int, quotient: int, rest: int) -> None:
    left, right = np.array([a]), np.array([b])
    assert OPERATIONS["/"](left, right)[0] == quotient and OPERATIONS["%"](left, right)[0] == rest


def test_a_narrowing_conversion_drops_bits() -> None:
    byte = ir.Convert(Integer(8, False, "unsigned char"), T)
    assert distance(byte, T) is None
    assert distance(ir.Convert(INT, byte), op("&", T, 255)) == 0


def test_a_limit_past_62_bits_is_drawn_from() -> None:
    drawn = Samples(Atoms(), (), lambda loop: None).drawn(1, (1 << 64) - 1)
    assert drawn.min() >= 0 and drawn.max() < 1 << 62
