"""Fold expressions, elements of packs in lists, type traits and allocation: the rarer C++ expressions.

In: FoldExpr, Expanded, TypeTrait, NewExpr nodes. Out: values.
"""

from __future__ import annotations

from kernlint.lowering import ir, library
from kernlint.lowering.construct import argument_values
from kernlint.lowering.context import EXPRESSIONS, Lowerer, expression
from kernlint.lowering.expressions import operate, truth_value
from kernlint.lowering.fold import binary, integer
from kernlint.lowering.operators import overloaded
from kernlint.lowering.places import rvalue, void_value
from kernlint.lowering.stores import assign
from kernlint.lowering.syntax import Node
from kernlint.lowering.templates import Expanded, names_in, pack_pattern, pack_scopes
from kernlint.lowering.typenames import resolve
from kernlint.lowering.types import BOOL, Pointer
from kernlint.lowering.values import Scalar, Value
from kernlint.source import tree

_EMPTY = {"&&": 1, "||": 0}


def _is_pack(low: Lowerer, node: Node | None) -> bool:
    from kernlint.lowering.scopes import PackEntity

    if node is None:
        return False
    if pack_pattern(node) is not None:
        return True
    return any(isinstance(low.scope.find(name), PackEntity) for name in names_in(node))


def fold(low: Lowerer, node: Node) -> Value:
    """`(pack op …)`, `(… op pack)` and the forms with an initial value, element by element."""
    pack_left = node.right is None or _is_pack(low, node.left)
    pack, start = (node.left, node.right) if pack_left else (node.right, node.left)
    pattern = pack_pattern(pack) or pack
    scopes = pack_scopes(pattern, low.scope)
    held: Value | None = expression(low, start) if start is not None else None
    order = list(reversed(scopes)) if pack_left else scopes
    for scope in order:
        with low.scoped(scope):
            value = expression(low, pattern)
            held = value if held is None else _combine(low, node, value if pack_left else held, held if pack_left else value)
    if held is not None:
        return held
    return Scalar(integer(_EMPTY[node.op], BOOL)) if node.op in _EMPTY else void_value()


def _combine(low: Lowerer, node: Node, left: Value, right: Value) -> Value:
    if node.op == ",":
        return right
    if node.op == "=" or (node.op.endswith("=") and node.op not in ("==", "!=", "<=", ">=")):
        value = right if node.op == "=" else operate(low, node.op[:-1], rvalue(low, left, node), rvalue(low, right, node), node)
        assign(low, left, value, node, node)
        return left
    if node.op in _EMPTY:
        return Scalar(binary(node.op, truth_value(low, left, node), truth_value(low, right, node)))
    found = overloaded(low, node.op, [left, right], [node, node], node)
    return found if found is not None else operate(low, node.op, rvalue(low, left, node), rvalue(low, right, node), node)


def element(low: Lowerer, node: Expanded) -> Value:
    """One element of a pack in a list."""
    with low.scoped(node.scope):
        return expression(low, node.pattern)


def type_trait(low: Lowerer, node: Node) -> Value:
    """`__is_same(T, U)`, `noexcept(e)`: known ones as bool."""
    found = library.trait(low.program, node.name, list(node.args or []), low.scope)
    return Scalar(integer(int(found), BOOL)) if found is not None else Scalar(ir.Unknown(BOOL, "unknown-type", (), True, named=node.name))


def new(low: Lowerer, node: Node) -> Value:
    """`new T(args)`, `new T[n]`: fresh memory whose contents are not followed."""
    type_ = resolve(low.program, node.type, low.scope).type
    for value, one in zip(*argument_values(low, [*(node.args or []), *([node.size] if node.size is not None else [])]), strict=True):
        rvalue(low, value, one)
    made = low.temporary(Pointer(type_), "(allocation)")
    if low.host:
        low.emit(ir.Allocate(made, low.span(node)))
    else:
        low.assign(made, ir.Unknown(made.type, "unknown-pointer", (), False, "new"))
    return Scalar(ir.Read(made.type, made))


EXPRESSIONS.update({tree.FoldExpr: fold, Expanded: element, tree.TypeTrait: type_trait, tree.NewExpr: new})
