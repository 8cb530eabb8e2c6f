"""Calls of functions whose bodies are not there or cannot be followed.

In: the values handed over. Out: an unknown result; whatever the function may have written is
forgotten.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kernlint.ir.nodes import Clobber, Expression
from kernlint.ir.types import Array, OpaqueType, Pointer, Void
from kernlint.lowering.context import Lowerer
from kernlint.lowering.declare import parameter_list
from kernlint.lowering.expressions.places import operands_of, rvalue, unknown_value, void_value
from kernlint.lowering.expressions.stores import assign
from kernlint.lowering.expressions.values import (
    Aggregate,
    MemoryPlace,
    PlacePointer,
    Qualified,
    Scalar,
    SplitPlace,
    StaticPlace,
    Value,
    VariablePlace,
)
from kernlint.lowering.scopes import FunctionEntity, Scope
from kernlint.lowering.templates.overloads import is_pack
from kernlint.lowering.types import typenames
from kernlint.source.parser import tree


def unknown_call(
    low: Lowerer, name: str, values: list[Value], operands: tuple[Expression, ...], node: tree.Node, type_: Qualified | None = None,
    reason: str = "unknown-function", changed: Sequence[Value] = (), of: Value | None = None,
    full_name: str = "", copied: int | None = None,
) -> Value:  # fmt: skip
    """A function nobody defines: its result is unknown, what its pointer arguments reach and the
    `changed` places are another. `of`: the object whose method it is, or what is called itself;
    `full_name`: with the namespace, where that is known; `copied`: bytes that it copies beside the thread."""
    pointers = [o for o in operands if isinstance(o.type, Pointer) and not o.type.const]
    full_name = full_name or name
    hand_over(low, name, values, operands)
    for value in values:
        target = value.value if isinstance(value, StaticPlace) else value
        if isinstance(target, PlacePointer):
            forget(low, target.place, full_name, node)
    for place in changed:
        forget(low, place, full_name, node)
    if isinstance(of, MemoryPlace) and full_name.startswith("cuda::barrier::"):
        pointers.append(of.address)
    if not low.host or pointers:
        low.emit(Clobber(full_name, tuple(pointers), low.span(node), copied))
    if isinstance(of, (Scalar, Aggregate, VariablePlace, SplitPlace, MemoryPlace)):
        operands += (
            (of.address,) if isinstance(of, MemoryPlace) else operands_of(rvalue(low, of, node))
        )
    low.take(operands, "open")
    result = type_.type if type_ is not None else OpaqueType("?")
    if isinstance(result, Void):
        return void_value()
    return unknown_value(result, reason, operands, name)


def hand_over(
    low: Lowerer, name: str, values: Iterable[Value], operands: Iterable[Expression] = ()
) -> None:
    """Notes the numbers and pointers that go to what is not followed."""
    given = list(operands)
    for value in values:
        match value:
            case Scalar():
                given.append(value.expression)
            case Aggregate():
                given += value.leaves.values()
            case MemoryPlace() if isinstance(value.type, Array):
                given.append(value.address)
    low.unfollowed += [(f"`{name}`, which is not followed", e) for e in dict.fromkeys(given)]


def handed_over(
    low: Lowerer, entity: FunctionEntity, scope: Scope, this: Value | None, values: list[Value]
) -> list[Value]:
    """What a function whose body is not followed may change: its object, and what its parameters
    refer to."""
    changed = [this] if this is not None and "const" not in entity.node.quals else []
    parameters = parameter_list(entity.node)
    if parameters and is_pack(parameters[-1]):
        parameters = [*parameters, *[parameters[-1]] * (len(values) - len(parameters))]
    for value, parameter in zip(values, parameters, strict=False):
        declared = (
            typenames.resolve(low.program, parameter.type, scope)
            if hasattr(parameter, "type")
            else None
        )
        if declared is not None and declared.reference and not declared.const:
            changed.append(value)
    return changed


def forget(low: Lowerer, place: Value, what: str, node: tree.Node) -> None:
    """A place that an unknown function may have written."""
    if isinstance(place, (VariablePlace, SplitPlace)):
        assign(low, place, unknown_value(place.type, "unknown-function", (), what), node, node)
    elif isinstance(place, MemoryPlace):
        low.emit(Clobber(what, (place.address,), low.span(node)))
