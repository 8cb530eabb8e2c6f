"""Fold expressions, elements of packs in lists, type traits: the rarer C++ expressions.

In: FoldExpr, Expanded, TypeTrait nodes. Out: values.
"""

from __future__ import annotations

from kernlint.ir import nodes as ir
from kernlint.ir.types import BOOL
from kernlint.lowering.context import ExpressionHandler, Lowerer, expression
from kernlint.lowering.expressions.expressions import operate, truth_value
from kernlint.lowering.expressions.fold import binary, integer
from kernlint.lowering.expressions.operators import overloaded
from kernlint.lowering.expressions.places import rvalue, void_value
from kernlint.lowering.expressions.stores import assign
from kernlint.lowering.expressions.values import Scalar, Value
from kernlint.lowering.scopes import PackEntity
from kernlint.lowering.templates.template_arguments import (
    Expanded,
    names_in,
    pack_pattern,
    pack_scopes,
)
from kernlint.lowering.types import library
from kernlint.source.parser import tree

_EMPTY = {"&&": 1, "||": 0}


def _is_pack(low: Lowerer, node: tree.Expr | None) -> bool:
    if node is None:
        return False
    if pack_pattern(node) is not None:
        return True
    return any(isinstance(low.scope.find(name), PackEntity) for name in names_in(node))


def fold(low: Lowerer, node: tree.FoldExpr) -> Value:
    """`(pack op …)`, `(… op pack)` and the forms with an initial value, element by element."""
    pack_left = node.right is None or _is_pack(low, node.left)
    pack, start = (node.left, node.right) if pack_left else (node.right, node.left)
    assert pack is not None
    pattern = pack_pattern(pack) or pack
    scopes = pack_scopes(pattern, low.scope)
    held: Value | None = expression(low, start) if start is not None else None
    # of a comma the left operand runs first ([expr.comma]), whichever side is folded first
    order = list(reversed(scopes)) if pack_left and node.op != "," else scopes
    for scope in order:
        with low.scoped(scope):
            value = expression(low, pattern)
            held = (
                value
                if held is None
                else value
                if node.op == ","
                else _combine(low, node, value if pack_left else held, held if pack_left else value)
            )
    if held is not None:
        return held
    return Scalar(integer(_EMPTY[node.op], BOOL)) if node.op in _EMPTY else void_value()


def _combine(low: Lowerer, node: tree.FoldExpr, left: Value, right: Value) -> Value:
    if node.op == "=" or (node.op.endswith("=") and node.op not in ("==", "!=", "<=", ">=")):
        value = (
            right
            if node.op == "="
            else operate(low, node.op[:-1], rvalue(low, left, node), rvalue(low, right, node), node)
        )
        assign(low, left, value, node, node)
        return left
    if node.op in _EMPTY:
        return Scalar(binary(node.op, truth_value(low, left, node), truth_value(low, right, node)))
    found = overloaded(low, node.op, [left, right], [node, node], node)
    return (
        found
        if found is not None
        else operate(low, node.op, rvalue(low, left, node), rvalue(low, right, node), node)
    )


def element(low: Lowerer, node: Expanded) -> Value:
    """One element of a pack in a list."""
    with low.scoped(node.scope):
        return expression(low, node.pattern)


def type_trait(low: Lowerer, node: tree.TypeTrait) -> Value:
    """`__is_same(T, U)`, `noexcept(e)`: known ones as bool."""
    found = library.trait(low.program, node.name, node.args, low.scope)
    return (
        Scalar(integer(int(found), BOOL))
        if found is not None
        else Scalar(ir.Unknown(BOOL, "unknown-type", (), True, named=node.name))
    )


EXPRESSIONS: dict[type, ExpressionHandler] = {
    tree.FoldExpr: fold,
    Expanded: element,
    tree.TypeTrait: type_trait,
}
