"""What is known at compile time: constants, and template arguments that nobody gives.

In: values, and the function that they are handed to. Out: their expressions; None for what the
compiler does not know. Evaluates nothing (`calls.constant_calls`).
"""

from __future__ import annotations

from kernlint.ir.nodes import Constant, Expression, Unknown
from kernlint.ir.traversal import operands, walk_expression
from kernlint.lowering.expressions.values import ConstantPlace, Scalar, Value
from kernlint.lowering.scopes import FunctionEntity

CONSTANT_FUNCTIONS = frozenset({"constexpr", "consteval"})


def arguments(entity: FunctionEntity, values: list[Value]) -> tuple[Expression, ...] | None:
    """The arguments of a call that the compiler may make; None where it may not, or does not know
    them all."""
    specifiers = entity.node.specifiers
    if not CONSTANT_FUNCTIONS.intersection(specifiers) or (
        entity.owner is not None and "static" not in specifiers
    ):
        return None
    given = tuple(one for one in map(known_expression, values) if one is not None)
    return given if len(given) == len(values) else None


def known_expression(value: Value) -> Expression | None:
    """An argument that is known at compile time."""
    found = (
        value.expression
        if isinstance(value, Scalar)
        else value.value
        if isinstance(value, ConstantPlace)
        else None
    )
    return found if found is not None and at_compile_time(found) else None


def at_compile_time(expression: Expression) -> bool:
    """Whether an expression is made of constants and of template arguments that nobody gives
    alone."""
    return all(
        isinstance(e, Constant)
        or (isinstance(e, Unknown) and e.pure and e.reason == "unknown-argument")
        or operands(e)
        for e in walk_expression(expression)
    )
