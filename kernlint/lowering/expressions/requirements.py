"""C++20 requires expressions: whether what they ask for is there, decided where the types are known.

In: a requires expression and the scope that names its types. Out: true, false, or a value that
nobody knows. An expression counts as valid if every part that is understood is ([expr.prim.req]):
members, methods and operators of classes that are seen, what numbers and pointers can do. Code is
lowered in a scratch place and thrown away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from kernlint.base.span import SourceError
from kernlint.ir import nodes as ir
from kernlint.ir.types import BOOL, Array, Float, Integer, Pointer, Record, Type
from kernlint.lowering.context import ExpressionHandler, Lowerer, expression
from kernlint.lowering.declare import parameter_name, parameter_type
from kernlint.lowering.declared_names import function_name
from kernlint.lowering.expressions.fold import integer
from kernlint.lowering.expressions.operators import free_operators
from kernlint.lowering.expressions.places import field_of, fresh, is_missing
from kernlint.lowering.expressions.values import (
    PLACES,
    AutoPlaceholder,
    FunctionType,
    Qualified,
    Scalar,
    Value,
)
from kernlint.lowering.scopes import Binding, FunctionSet, Scope
from kernlint.lowering.templates import overloads
from kernlint.lowering.templates.enabling import is_satisfied
from kernlint.lowering.types import classes, typenames
from kernlint.lowering.types.layout import complete, is_vector
from kernlint.source.parser import tree

Known = bool | None  # None: it is not known


def requires(low: Lowerer, node: tree.RequiresExpr) -> Value:
    """`requires (T x) { x.size(); typename T::type; { x[0] } -> C; requires N > 0; }`."""
    inner = low.program.scratch(Scope(low.scope))
    for parameter in node.params.params if node.params is not None else ():
        if isinstance(parameter, tree.EllipsisParam):
            continue
        type_ = typenames.resolve(low.program, parameter_type(parameter), inner.scope).type
        place = fresh(inner, complete(type_), parameter_name(parameter), id(parameter), parameter)
        inner.scope.names[parameter_name(parameter)] = Binding(place)
    found = _every(_requirement(inner, one) for one in node.requirements)
    if found is None:
        return Scalar(ir.Unknown(BOOL, "unknown-type", (), True, "requires"))
    return Scalar(integer(int(found), BOOL))


def _every(found: Iterable[Known]) -> Known:
    """One that is known to be false decides."""
    seen = list(found)
    return False if False in seen else None if None in seen else True


def _requirement(low: Lowerer, one: tree.Requirement) -> Known:
    if one.what is None:
        return None
    if one.kind == "nested":
        value = low.program.constant(one.what, low.scope)
        return None if value is None else bool(value.value)
    try:
        if one.kind == "type":
            return _names_a_type(low, one.what)
        is_valid = _valid(low, one.what)
        if one.result is None or not is_valid:
            return is_valid
        made = expression(low, one.what)
        reference = "&" if isinstance(made, PLACES) else ""
        told = Qualified(complete(made.type), reference=reference)
        return is_satisfied(low.program, one.result, told, low.scope)
    except SourceError:
        return None


def _names_a_type(low: Lowerer, node: tree.Node) -> Known:
    """`typename T::type`."""
    while isinstance(node, (tree.Typename, tree.TypeDecl)) and node.type is not None:
        node = node.type
    if not isinstance(node, tree.NameType) or not isinstance(node.name, tree.QualifiedName):
        return True if typenames.named(low.program, _name_of(node), low.scope) else None
    found = _member_of_named(low, node.name)
    if found is not True:
        return found
    return typenames.named(low.program, node.name, low.scope) is not None


def _name_of(node: tree.Node) -> tree.Name:
    if isinstance(node, tree.NameType):
        return node.name
    return tree.ID(getattr(node, "names", [""])[0], node.coord)


def _member_of_named(low: Lowerer, name: tree.QualifiedName) -> Known:
    """Whether `T::member` is there."""
    owner = tree.QualifiedName(name.parts[:-1], name.is_global, name.coord)
    found = typenames.named(low.program, owner, low.scope)
    return None if found is None else _has_member(found.type, function_name(name.parts[-1]))


def _has_member(type_: Type, name: str) -> Known:
    type_ = complete(type_)
    if isinstance(type_, (Integer, Float, Pointer, Array)):
        return False
    scope = classes.member_scope(type_)
    if not isinstance(type_, Record) or scope is None:
        return True if is_vector(type_) and field_of(type_, name) is not None else None
    if field_of(type_, name) is not None or classes.methods(type_, name):
        return True
    if scope.member(name) is not None:
        return True
    return None if _inherits_from_missing(type_) else False


def _inherits_from_missing(type_: Type) -> bool:
    info = classes.class_info(type_)
    return info is None or any(
        is_missing(base) or _inherits_from_missing(complete(base)) for base, _ in info.bases
    )


# ------------------------------------------------------------------ expressions


def _valid(low: Lowerer, node: tree.Node) -> Known:
    handler = _HANDLERS.get(type(node))
    return None if handler is None else handler(low, node)


def _type(low: Lowerer, node: tree.Node) -> Type:
    return complete(expression(low, node).type)


def _name(low: Lowerer, node: tree.ID | tree.TemplateId) -> Known:
    return None if low.scope.find(node.name) is None else True


def _member(low: Lowerer, node: tree.StructRef) -> Known:
    of = _valid(low, node.name)
    if of is not True:
        return of
    type_ = _type(low, node.name)
    if node.type == "->":
        if not isinstance(type_, Pointer):
            return False if isinstance(type_, (Integer, Float)) else None
        type_ = complete(type_.pointee)
    return _has_member(type_, function_name(node.field))


def _call(low: Lowerer, node: tree.FuncCall) -> Known:
    written = list(node.args.exprs) if node.args is not None else []
    found = _every([_valid(low, node.name), *(_valid(low, one) for one in written)])
    if found is not True:
        return found
    callee = expression(low, node.name)
    candidates = getattr(callee, "overloads", ()) or classes.methods(callee.type, "operator()")
    if not candidates:
        return None
    values = [expression(low, one) for one in written]
    if any(is_missing(value.type) for value in values):
        return None
    given = getattr(callee, "arguments", None), getattr(callee, "arguments_scope", None)
    return overloads.choose(low, candidates, values, *given) is not None


def _binary(low: Lowerer, node: tree.BinaryOp) -> Known:
    return _operator(low, node.op, [node.left, node.right])


def _assignment(low: Lowerer, node: tree.Assignment) -> Known:
    if node.op == "=":
        return _every([_valid(low, node.lvalue), _valid(low, node.rvalue), None])
    return _operator(low, node.op, [node.lvalue, node.rvalue])


def _unary(low: Lowerer, node: tree.UnaryOp) -> Known:
    if node.op == "sizeof":
        return None
    if node.op == "&":
        return _valid(low, node.expr)
    return _operator(low, node.op.removeprefix("p"), [node.expr])


def _subscript(low: Lowerer, node: tree.ArrayRef) -> Known:
    found = _every([_valid(low, node.name), _valid(low, node.subscript)])
    if found is not True:
        return found
    type_ = _type(low, node.name)
    if isinstance(type_, (Pointer, Array)):
        return isinstance(_type(low, node.subscript), Integer) or None
    if isinstance(type_, (Integer, Float)):
        return False
    return _has_member(type_, "operator[]")


_OF_INTEGERS = frozenset(
    ["%", "<<", ">>", "&", "|", "^", "~", "%=", "<<=", ">>=", "&=", "|=", "^="]
)


def _operator(low: Lowerer, op: str, nodes: list[Any]) -> Known:
    found = _every(_valid(low, one) for one in nodes)
    if found is not True:
        return found
    values = [expression(low, one) for one in nodes]
    types = [complete(value.type) for value in values]
    if any(is_missing(t) or isinstance(t, (AutoPlaceholder, FunctionType)) for t in types):
        return None
    if all(isinstance(t, (Integer, Float)) for t in types):
        if op == "*" and len(types) == 1:
            return False
        return op not in _OF_INTEGERS or all(isinstance(t, Integer) for t in types)
    if any(isinstance(t, (Pointer, Array)) for t in types):
        return True if op == "*" and len(types) == 1 else None
    member = classes.methods(types[0], f"operator{op}")
    if member and overloads.choose(low, member, values[1:], None, None) is not None:
        return True
    free = free_operators(low, f"operator{op}", values)
    if free and overloads.choose(low, free, values, None, None) is not None:
        return True
    converts = any(
        info is not None and (info.conversions or _inherits_from_missing(t))
        for t in types
        for info in [classes.class_info(t)]
    )
    return None if converts or any(isinstance(t, FunctionSet) for t in types) else False


def _true(low: Lowerer, node: tree.Node) -> Known:
    return True


_HANDLERS: dict[type[tree.Node], Callable[[Lowerer, Any], Known]] = {
    tree.ID: _name,
    tree.TemplateId: _name,
    tree.QualifiedName: _member_of_named,
    tree.StructRef: _member,
    tree.FuncCall: _call,
    tree.BinaryOp: _binary,
    tree.Assignment: _assignment,
    tree.UnaryOp: _unary,
    tree.ArrayRef: _subscript,
    tree.Constant: _true,
}
EXPRESSIONS: dict[type, ExpressionHandler] = {tree.RequiresExpr: requires}
