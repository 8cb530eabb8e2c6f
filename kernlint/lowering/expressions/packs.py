"""Fold expressions, elements of packs in lists, type traits and allocation: the rarer C++
expressions.

In: FoldExpr, Expanded, TypeTrait, NewExpr nodes. Out: values.
"""

from __future__ import annotations

from kernlint.ir import nodes as ir
from kernlint.ir.types import BOOL, Pointer, Record, Type
from kernlint.lowering.context import ExpressionHandler, Lowerer, expression
from kernlint.lowering.expressions.construct import argument_values, construct, construct_into
from kernlint.lowering.expressions.expressions import operate, truth_value
from kernlint.lowering.expressions.fold import binary, integer
from kernlint.lowering.expressions.operators import overloaded
from kernlint.lowering.expressions.places import allocation, dereference, rvalue, void_value
from kernlint.lowering.expressions.stores import assign, cast, evaluated
from kernlint.lowering.expressions.values import MemoryPlace, Qualified, Scalar, SplitPlace, Value
from kernlint.lowering.scopes import PackEntity
from kernlint.lowering.templates.template_arguments import (
    Expanded,
    names_in,
    pack_pattern,
    pack_scopes,
)
from kernlint.lowering.types import library
from kernlint.lowering.types.layout import complete, is_vector
from kernlint.lowering.types.typenames import resolve
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


def new(low: Lowerer, node: tree.NewExpr) -> Value:
    """`new T(args)`, `new T[n]`: fresh memory whose contents are not followed. `new (p) T(args)`
    makes the object there."""
    type_ = resolve(low.program, node.type, low.scope).type
    where, written = argument_values(low, node.placement or [])
    if len(where) == 1 and node.size is None:
        return _at(low, type_, where[0], written[0], node)
    low.take(
        (o for value, one in zip(where, written, strict=True) for o in evaluated(low, value, one)),
        "open",
    )
    for value, one in zip(
        *argument_values(
            low, [*(node.args or []), *([node.size] if node.size is not None else [])]
        ),
        strict=True,
    ):
        low.take(evaluated(low, value, one), "open")
    return allocation(low, Pointer(type_), "new", node)


def _at(low: Lowerer, type_: Type, where: Value, written: tree.Node, node: tree.NewExpr) -> Value:
    """An object made where a pointer points to; nothing is stored for one without an
    initialiser."""
    pointer = cast(low, where, Qualified(Pointer(type_)), written)
    place = dereference(low, pointer, written)
    made = complete(type_)
    if node.args is None and not isinstance(made, Record):
        return pointer
    values, nodes = argument_values(low, node.args or [])
    if (
        isinstance(made, Record)
        and isinstance(place, (SplitPlace, MemoryPlace))
        and not is_vector(made)
    ):
        construct_into(low, place, made, values, nodes, node)
    else:
        assign(low, place, construct(low, type_, values, nodes, node, False), node, node, True)
    return pointer


EXPRESSIONS: dict[type, ExpressionHandler] = {
    tree.FoldExpr: fold,
    Expanded: element,
    tree.TypeTrait: type_trait,
    tree.NewExpr: new,
}
