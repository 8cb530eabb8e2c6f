"""Pointers to members: `x.*p` and `x->*p`.

In: an object and `&Class::member`, followed as a name. Out: the data member's place, or the method
as it is called on the object. A pointer that is not followed to a name gives an unknown value.
"""

from __future__ import annotations

from kernlint.lowering.context import Lowerer, expression
from kernlint.lowering.declared_names import function_name
from kernlint.lowering.expressions.identifiers import named_member
from kernlint.lowering.expressions.places import (
    address_of,
    dereference,
    field_of,
    rvalue,
    static_value,
    unknown,
)
from kernlint.lowering.expressions.values import PLACES, FunctionRef, FunctionType, Value
from kernlint.lowering.types import typenames
from kernlint.lowering.types.layout import complete
from kernlint.source.parser import tree

THROUGH_MEMBERS = (".*", "->*")


def member_pointer(low: Lowerer, node: tree.QualifiedName) -> FunctionRef | None:
    """`&Class::member` of a data member, whose type names the class and what is pointed to; None
    where nothing of the kind is named."""
    path = tree.QualifiedName(node.parts[:-1], node.is_global, coord=node.coord)
    owner = typenames.named(low.program, path, low.scope) if node.parts[1:] else None
    name = function_name(node.parts[-1])
    field = field_of(complete(owner.type), name) if owner is not None else None
    if owner is None or field is None:
        return None
    full_name = f"{owner.type}::{name}"
    return FunctionRef((), full_name, type=FunctionType(full_name, (owner.type, field[0].type)))


def pointed_member(low: Lowerer, node: tree.BinaryOp) -> Value:
    """The member that the right-hand side points to, of the object on the left."""
    base = expression(low, node.left)
    if node.op == "->*":
        base = dereference(low, rvalue(low, base, node.left), node)
    held = static_value(expression(low, node.right))
    if isinstance(held, FunctionRef):
        if held.overloads:
            return FunctionRef(
                held.overloads, held.name, held.arguments, held.arguments_scope, base
            )
        name = held.name.rpartition("::")[2]
        if field_of(complete(base.type), name) is not None:
            return named_member(low, base, name, node)
    low.unsupported(node, "operator", operator=node.op)
    if isinstance(base, PLACES):  # any of its members, so that the object is not read as a whole
        base = address_of(low, base, node)
    return unknown("unsupported")
