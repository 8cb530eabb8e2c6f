"""The printed index means what the IR says: read back as C and evaluated, against direct evaluation
of the IR."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernlint.algebra.display import Display
from kernlint.algebra.expression import Nodes
from kernlint.algebra.values import Values
from kernlint.ir import nodes as ir
from kernlint.ir.types import INT, LONG
from kernlint.model.facts import Launch
from tests.algebra.c_reader import C, Names, Reader

LAUNCH = Launch((4, 1, 1), (64, 8, 1), 0, {}, "command line")


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
    st.sampled_from(
        [ir.Builtin(INT, name) for name in ("tid.x", "tid.y", "ctaid.x")]
        + [ir.Read(INT, PARAMETER)]
    ),
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
    divided = st.builds(
        binary, st.sampled_from(["/", "%"]), inner, st.one_of(constants(1, 40), constants(-9, -1))
    )
    shifted = st.builds(binary, st.sampled_from(["<<", ">>"]), inner, constants(0, 4))
    unary = st.builds(
        lambda op, operand: ir.Unary(INT, op, operand), st.sampled_from(["-", "~", "!"]), inner
    )
    chosen = st.builds(lambda *parts: ir.Select(INT, *parts), inner, inner, inner)
    return st.one_of(
        plain,
        scaled,
        divided,
        shifted,
        unary,
        chosen,
        inner.map(lambda operand: ir.Convert(LONG, operand)),
    )


EXPRESSIONS = st.recursive(LEAVES, wider, max_leaves=9)


PLACES = st.tuples(st.integers(0, 63), st.integers(0, 7), st.integers(0, 3), st.integers(0, 50))


@pytest.mark.slow
@given(EXPRESSIONS, st.lists(PLACES, min_size=6, max_size=6))
@settings(max_examples=300, deadline=None)
def test_printed_text_means_the_expression(
    expression: ir.Expression, places: list[tuple[int, int, int, int]]
) -> None:
    nodes = Nodes()
    values = Values(nodes, "cuda", LAUNCH)
    node = values.node(expression, {PARAMETER: nodes.symbol("n", "parameter")})
    text = Display().text(node)
    for x, y, block, n in places:
        truth = evaluate(expression, {"tid.x": x, "tid.y": y, "ctaid.x": block, "n": n})
        if abs(truth) < 2**31:
            found = Reader(
                text, {"threadIdx.x": x, "threadIdx.y": y, "blockIdx.x": block, "n": n}
            ).whole()
            assert found == truth, text


@pytest.mark.slow
@given(EXPRESSIONS)
@settings(max_examples=100, deadline=None)
def test_equal_expressions_are_one_node(expression: ir.Expression) -> None:
    nodes = Nodes()
    values = Values(nodes, "cuda", LAUNCH)
    environment = {PARAMETER: nodes.symbol("n", "parameter")}
    assert values.node(expression, environment) is values.node(expression, environment)
