"""The printed index means what the IR says: read back as C and evaluated, against direct evaluation of the IR."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernlint.facts import Launch
from kernlint.hardware import wavefronts
from kernlint.lowering import ir
from kernlint.lowering.types import INT, LONG
from kernlint.symbolic.display import Display
from kernlint.symbolic.expression import Nodes
from kernlint.symbolic.residue import deciding_modulus, residue_cases, residue_condition
from kernlint.symbolic.values import Values

Names = dict[str, int]
LAUNCH = Launch((4, 1, 1), (64, 8, 1), 0, {}, "command line")


def truncated(left: int, right: int) -> int:
    return int(abs(left) // abs(right)) * (1 if (left < 0) == (right < 0) else -1)


C: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": truncated, "%": lambda a, b: a - b * truncated(a, b),
    "&": lambda a, b: a & b, "|": lambda a, b: a | b, "^": lambda a, b: a ^ b, "<<": lambda a, b: a << b, ">>": lambda a, b: a >> b,
    "<": lambda a, b: int(a < b), "<=": lambda a, b: int(a <= b), ">": lambda a, b: int(a > b), ">=": lambda a, b: int(a >= b),
    "==": lambda a, b: int(a == b), "!=": lambda a, b: int(a != b), "min": min, "max": max,
    "&&": lambda a, b: int(bool(a) and bool(b)), "||": lambda a, b: int(bool(a) or bool(b)),
}  # fmt: skip
LEVELS = [["||"], ["&&"], ["|"], ["^"], ["&"], ["==", "!="], ["<=", ">=", "<", ">"], ["<<", ">>"], ["+", "-"], ["*", "/", "%"]]


class Reader:
    """A reader of C expressions by recursive descent; shares nothing with the printer."""

    def __init__(self, text: str, names: Names) -> None:
        self.tokens = re.findall(r"[A-Za-z_][\w.]*|\d+|<<|>>|<=|>=|==|!=|&&|\|\||\S", text)
        self.names, self.place = names, 0

    def take(self, *expected: str) -> str | None:
        if self.place < len(self.tokens) and self.tokens[self.place] in expected:
            self.place += 1
            return self.tokens[self.place - 1]
        return None

    def whole(self) -> int:
        value = self.choice()
        assert self.place == len(self.tokens), self.tokens[self.place :]
        return value

    def choice(self) -> int:
        test = self.level(0)
        if not self.take("?"):
            return test
        then = self.choice()
        assert self.take(":")
        otherwise = self.choice()
        return then if test else otherwise

    def level(self, depth: int) -> int:
        if depth == len(LEVELS):
            return self.unary()
        value = self.level(depth + 1)
        while op := self.take(*LEVELS[depth]):
            value = C[op](value, self.level(depth + 1))
        return value

    def unary(self) -> int:
        if op := self.take("-", "~", "!"):
            value = self.unary()
            return {"-": -value, "~": ~value, "!": int(not value)}[op]
        if self.take("("):
            value = self.choice()
            assert self.take(")")
            return value
        word = self.tokens[self.place]
        self.place += 1
        if word in ("min", "max"):
            assert self.take("(")
            left = self.choice()
            assert self.take(",")
            right = self.choice()
            assert self.take(")")
            return C[word](left, right)
        return int(word) if word.isdigit() else self.names[word]


def evaluate(expression: ir.Expression, names: Names) -> int:
    match expression:
        case ir.Constant(value=value):
            return int(value)
        case ir.Builtin(name=name):
            return names[name]
        case ir.Read(variable=variable):
            return names[variable.name]
        case ir.Convert(operand=operand):
            return evaluate(operand, names)
        case ir.Unary(op=op, operand=operand):
            value = evaluate(operand, names)
            return {"-": -value, "~": ~value, "!": int(not value)}[op]
        case ir.Select(condition=condition, then=then, otherwise=otherwise):
            return evaluate(then if evaluate(condition, names) else otherwise, names)
        case ir.Binary(op=op, left=left, right=right):
            return C[op](evaluate(left, names), evaluate(right, names))
    raise AssertionError(expression)


PARAMETER = ir.Variable("n", INT)
LEAVES = st.one_of(
    st.sampled_from([ir.Builtin(INT, name) for name in ("tid.x", "tid.y", "ctaid.x")] + [ir.Read(INT, PARAMETER)]),
    st.integers(-40, 40).map(lambda value: ir.Constant(INT, value)),
)


def constants(low: int, high: int) -> st.SearchStrategy[ir.Expression]:
    return st.integers(low, high).map(lambda value: ir.Constant(INT, value))


def wider(inner: st.SearchStrategy[ir.Expression]) -> st.SearchStrategy[ir.Expression]:
    def binary(op: str, left: ir.Expression, right: ir.Expression) -> ir.Expression:
        return ir.Binary(INT, op, left, right)

    operators = ["+", "-", "+", "-", "&", "|", "^", "min", "max", "<", "<=", "==", "!=", ">", ">="]
    plain = st.builds(binary, st.sampled_from(operators), inner, inner)
    scaled = st.builds(binary, st.just("*"), inner, st.one_of(constants(-9, 9), LEAVES))
    divided = st.builds(binary, st.sampled_from(["/", "%"]), inner, st.one_of(constants(1, 40), constants(-9, -1)))
    shifted = st.builds(binary, st.sampled_from(["<<", ">>"]), inner, constants(0, 4))
    unary = st.builds(lambda op, operand: ir.Unary(INT, op, operand), st.sampled_from(["-", "~", "!"]), inner)
    chosen = st.builds(lambda *parts: ir.Select(INT, *parts), inner, inner, inner)
    return st.one_of(plain, scaled, divided, shifted, unary, chosen, inner.map(lambda operand: ir.Convert(LONG, operand)))


EXPRESSIONS = st.recursive(LEAVES, wider, max_leaves=9)


PLACES = st.tuples(st.integers(0, 63), st.integers(0, 7), st.integers(0, 3), st.integers(0, 50))


@given(EXPRESSIONS, st.lists(PLACES, min_size=6, max_size=6))
@settings(max_examples=300, deadline=None)
def test_printed_text_means_the_expression(expression: ir.Expression, places: list[tuple[int, int, int, int]]) -> None:
    nodes = Nodes()
    values = Values(nodes, "cuda", LAUNCH)
    node = values.node(expression, {PARAMETER: nodes.symbol("n", "parameter")})
    text = Display().text(node)
    for x, y, block, n in places:
        truth = evaluate(expression, {"tid.x": x, "tid.y": y, "ctaid.x": block, "n": n})
        if abs(truth) < 2**31:
            found = Reader(text, {"threadIdx.x": x, "threadIdx.y": y, "blockIdx.x": block, "n": n}).whole()
            assert found == truth, text


@given(EXPRESSIONS)
@settings(max_examples=100, deadline=None)
def test_equal_expressions_are_one_node(expression: ir.Expression) -> None:
    nodes = Nodes()
    values = Values(nodes, "cuda", LAUNCH)
    environment = {PARAMETER: nodes.symbol("n", "parameter")}
    assert values.node(expression, environment) is values.node(expression, environment)


# ------------------------------------------------------------------ residues


LANES = np.arange(32)
ALL = np.ones(32, np.bool_)


def holds(condition: str, value: int) -> bool:
    listed = re.fullmatch(r"pitch % (\d+) is (.*)", condition)
    if listed:
        return value % int(listed[1]) in [int(number) for number in re.findall(r"\d+", listed[2])]
    return bool(Reader(condition, {"pitch": value}).whole())


def test_a_column_of_an_unknown_pitch() -> None:
    cases = residue_cases("pitch", 0 * LANES, 4 * LANES, ALL, 4)
    assert [(case.condition, case.wavefronts) for case in cases] == [
        ("pitch % 32 == 0", 32),
        ("pitch % 32 == 16", 16),
        ("pitch % 16 == 8", 8),
        ("pitch % 8 == 4", 4),
        ("pitch % 4 == 2", 2),
        ("pitch % 2 != 0", 1),
    ]


def test_a_row_of_an_unknown_pitch_does_not_depend_on_it() -> None:
    assert deciding_modulus(4 + 0 * LANES, ALL) == 1
    assert residue_cases("pitch", 4 * LANES, 4 + 0 * LANES, ALL, 4) == ()


def test_conditions() -> None:
    assert residue_condition("n", 32, 32) == "n % 32 == 0"
    assert residue_condition("n", 32, 4) == "n % 8 == 4"
    assert residue_condition("n", 32, 1) == "n % 2 != 0"


@pytest.mark.parametrize("columns", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("width", [4, 8])
@given(pitch=st.integers(1000, 2000))
@settings(max_examples=40, deadline=None)
def test_cases_are_what_the_hardware_counts(columns: int, width: int, pitch: int) -> None:
    """A tile of 32/columns rows: for each pitch exactly one case holds, and states its wavefronts; no case: all pitches are one."""
    known, multipliers = width * (LANES % columns), width * (LANES // columns)
    truth = wavefronts([int(offset) for offset in known + multipliers * pitch], width)
    cases = residue_cases("pitch", known, multipliers, ALL, width)
    if not cases:
        assert truth == wavefronts([int(offset) for offset in known + multipliers * 1024], width)
        return
    stated = [case for case in cases if case.condition != "otherwise" and holds(case.condition, pitch)]
    stated = stated or [case for case in cases if case.condition == "otherwise"]
    assert [case.wavefronts for case in stated] == [truth]
