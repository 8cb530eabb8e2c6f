"""Expressions evaluated over all lanes and blocks at once against a plain interpreter, one thread
at a time."""

from __future__ import annotations

import resource

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernlint.execution.evaluate import Evaluator
from kernlint.execution.values import sums
from kernlint.execution.values.booleans import Split, dense_bool
from kernlint.execution.values.sums import BLOCK, LANE, dense
from kernlint.execution.values.values import (
    LONGEST,
    Atom,
    Atoms,
    Value,
    bounds,
    identity,
    integer,
    of_atom,
    spelling,
)
from kernlint.ir import nodes as ir
from kernlint.ir.types import INT, UINT, Integer
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source import files

THREADS, BLOCKS = 48, 7
BINARY = [
    "+",
    "-",
    "*",
    "/",
    "%",
    "&",
    "|",
    "^",
    "<<",
    ">>",
    "<",
    "<=",
    "==",
    "!=",
    ">",
    ">=",
    "&&",
    "||",
    "min",
    "max",
]


def wrapped(value: int, type_: Integer) -> int:
    low = -(1 << (type_.bits - 1)) if type_.signed else 0
    return (value - low) % (1 << type_.bits) + low


def plain(e: ir.Expression, thread: int, block: int) -> int:
    """C semantics for one thread with Python integers."""
    assert isinstance(e.type, Integer)
    match e:
        case ir.Constant():
            return int(e.value)
        case ir.Builtin():
            return {"tid.x": thread, "ctaid.x": block}[e.name]
        case ir.Convert():
            return wrapped(plain(e.operand, thread, block), e.type)
        case ir.Unary():
            value = plain(e.operand, thread, block)
            return (
                int(not value)
                if e.op == "!"
                else wrapped(-value if e.op == "-" else ~value, e.type)
            )
        case ir.Select():
            return plain(
                e.then if plain(e.condition, thread, block) else e.otherwise, thread, block
            )
    assert isinstance(e, ir.Binary)
    a, b = plain(e.left, thread, block), plain(e.right, thread, block)
    match e.op:
        case "+" | "-" | "*" | "&" | "|" | "^":
            result = {"+": a + b, "-": a - b, "*": a * b, "&": a & b, "|": a | b, "^": a ^ b}[e.op]
        case "/" | "%":
            quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
            result = quotient if e.op == "/" else a - quotient * b
        case "<<":
            result = a << b
        case ">>":
            result = a >> b
        case "min" | "max":
            result = min(a, b) if e.op == "min" else max(a, b)
        case "&&" | "||":
            result = int(bool(a) and bool(b)) if e.op == "&&" else int(bool(a) or bool(b))
        case _:
            result = int(
                {"<": a < b, "<=": a <= b, "==": a == b, "!=": a != b, ">": a > b, ">=": a >= b}[
                    e.op
                ]
            )
    return wrapped(result, e.type)


@st.composite
def expressions(draw: st.DrawFn, depth: int = 4, type_: Integer = INT) -> ir.Expression:
    if depth == 0 or draw(st.integers(0, 4)) == 0:
        kind = draw(st.sampled_from(["tid.x", "ctaid.x", "constant"]))
        if kind == "constant":
            low = -40 if type_.signed else 0
            return ir.Constant(
                type_,
                draw(
                    st.one_of(
                        st.integers(low, 70),
                        st.sampled_from([1, 2, 4, 8, 16, 31, 32, 33, 64, 128, 255, 1024]),
                    )
                ),
            )
        return ir.Convert(type_, ir.Builtin(UINT, kind))
    kind = draw(st.sampled_from(["binary"] * 6 + ["convert", "unary", "select"]))
    below = expressions(depth - 1, type_)
    if kind == "convert":
        other = draw(
            st.sampled_from(
                [INT, UINT, Integer(8, True, "signed char"), Integer(16, False, "unsigned short")]
            )
        )
        return ir.Convert(
            type_,
            ir.Convert(other, draw(expressions(depth - 1, draw(st.sampled_from([INT, UINT]))))),
        )
    if kind == "unary":
        return ir.Unary(type_, draw(st.sampled_from(["-", "~", "!"])), draw(below))
    if kind == "select":
        return ir.Select(type_, draw(expressions(depth - 1, INT)), draw(below), draw(below))
    op = draw(st.sampled_from(BINARY))
    left = draw(below)
    if op in ("/", "%"):
        divisor = draw(st.one_of(st.integers(1, 70), st.sampled_from([2, 4, 8, 16, 32, 33])))
        right: ir.Expression = ir.Constant(type_, divisor)
        if draw(st.booleans()):
            right = ir.Binary(
                type_,
                "+",
                ir.Binary(type_, "&", draw(below), ir.Constant(type_, 15)),
                ir.Constant(type_, 1),
            )
    elif op in ("<<", ">>"):
        right = (
            ir.Binary(type_, "&", draw(below), ir.Constant(type_, 7))
            if draw(st.booleans())
            else ir.Constant(type_, draw(st.integers(0, 9)))
        )
    else:
        right = draw(below)
    return ir.Binary(type_, op, left, right)


def evaluate(e: ir.Expression, blocks: list[int]) -> np.ndarray:
    """[blocks, threads], the blocks split apart wherever the evaluator asks for it."""
    builtins = {
        "tid.x": Value(sums.along(LANE, np.arange(THREADS))),
        "ctaid.x": Value(sums.along(BLOCK, np.asarray(blocks))),
    }
    evaluator = Evaluator(builtins, Atoms(), 32)
    try:
        value = evaluator.number(e)
    except Split as split:
        parts = [
            [b for b, u in zip(blocks, split.undecided, strict=True) if u is np.bool_(which)]
            for which in (True, False)
        ]
        rows = {b: row for part in parts for b, row in zip(part, evaluate(e, part), strict=True)}
        return np.stack([rows[b] for b in blocks])
    assert value.is_known
    return np.broadcast_to(dense(value.known, (BLOCK, LANE))[1], (len(blocks), THREADS))


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(st.sampled_from([INT, UINT]).flatmap(lambda t: expressions(4, t)))
def test_expressions_match_one_thread_at_a_time(e: ir.Expression) -> None:
    found = evaluate(e, list(range(BLOCKS)))
    expected = [[plain(e, t, b) for t in range(THREADS)] for b in range(BLOCKS)]
    assert found.tolist() == expected


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(expressions(4, INT))
def test_conditions_match_values(e: ir.Expression) -> None:
    """The truth of an expression is that of its value."""
    evaluator = Evaluator(
        {"tid.x": Value(sums.along(LANE, np.arange(THREADS))), "ctaid.x": integer(3)}, Atoms(), 32
    )
    truth = dense_bool(evaluator.condition(e).must, (LANE,))[1]
    expected = [plain(e, t, 3) != 0 for t in range(THREADS)]
    assert np.broadcast_to(truth, (THREADS,)).tolist() == expected


def test_bounds_of_an_unknown_that_has_one_value_times_what_is_known_reach_to_both_ends() -> None:
    five = Atom("n", "loaded-value", 5, 5)
    assert bounds(Value(sums.ZERO, {five: sums.along(LANE, np.array([1, 2, 3]))})) == (5, 15)
    assert bounds(Value(sums.constant(1), {five: sums.along(LANE, np.array([-1, 2, 3]))})) == (
        -4,
        16,
    )


def test_what_is_loaded_at_an_unknown_that_is_gone_is_not_taken_for_that_at_another() -> None:
    def loaded(atom: Atom) -> str:
        return atoms.intern(
            ("load", identity(of_atom(atom))), Atom(f"a[{atom.name}]", "loaded-value")
        ).name

    atoms = Atoms()
    for turn in range(100):
        assert loaded(Atom(f"gone{turn}", "loaded-value")) == f"a[gone{turn}]"
    others = [
        Atom(f"n{turn}", "loaded-value") for turn in range(1000)
    ]  # some of them where the first were
    assert [loaded(atom) for atom in others] == [f"a[{atom.name}]" for atom in others]


def test_a_remainder_by_a_huge_number_makes_no_list_of_residues() -> None:
    """`hash & 0x7fffffff` of an unknown start: two thousand million residues were written down
    before they were counted."""
    text = "__global__ void k(int *p, int n) { p[(n * 7 + threadIdx.x) & 0x7fffffff] = 0; }"
    limit = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, limit[1]))
    try:
        file = engine.analyse_source(files.Source("k.cu", "cuda", text), Settings())
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limit)
    assert [access.op for kernel in file.kernels for access in kernel.accesses] == [
        "store"
    ] and not file.problems


def test_unknowns_that_share_operands_are_put_into_words_once_each() -> None:
    """A running maximum of sixty values that each name the one before twice: 2⁶⁰ words if they were
    followed as a tree."""
    atoms = Atoms()
    value = of_atom(Atom("n", "unknown-argument", 0, 100))
    for step in range(60):
        more, less = (
            atoms.derived("*", INT, (value, integer(step + 2))),
            atoms.derived("/", INT, (value, integer(3))),
        )
        value = atoms.derived("min", INT, (more, less))
    (atom,) = value.terms
    assert "(a value computed from n)" in spelling(atom) and len(spelling(atom)) <= LONGEST


def test_a_short_unknown_is_spelled_whole() -> None:
    atoms = Atoms()
    n = of_atom(Atom("n", "unknown-argument", 0, 100))
    (atom,) = atoms.derived("min", INT, (atoms.derived("/", INT, (n, integer(4))), n)).terms
    assert spelling(atom) == "min((n / 4), n)"
