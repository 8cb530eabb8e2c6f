"""Calls of functions whose bodies are not there or cannot be followed.

In: the values handed over. Out: an unknown result; whatever the function may have written is forgotten.
"""

from __future__ import annotations

from kernlint.lowering.context import Lowerer
from kernlint.lowering.ir import Clobber, Expression
from kernlint.lowering.places import (
    unknown_value,
    void_value,
)  # fmt: skip
from kernlint.lowering.stores import assign
from kernlint.lowering.syntax import Node
from kernlint.lowering.types import OpaqueType, Pointer, Void
from kernlint.lowering.values import (
    MemoryPlace,
    PlacePointer,
    Qualified,
    SplitPlace,
    StaticPlace,
    Value,
    VariablePlace,
)  # fmt: skip


def unknown_call(
    low: Lowerer, name: str, values: list[Value], operands: tuple[Expression, ...], node: Node, type_: Qualified | None = None,
    reason: str = "unknown-function",
) -> Value:  # fmt: skip
    """A function nobody defines: its result is unknown, what its pointer and reference arguments reach changes."""
    pointers = [o for o in operands if isinstance(o.type, Pointer) and not o.type.const]
    for value in values:
        target = value.value if isinstance(value, StaticPlace) else value
        if isinstance(target, PlacePointer):
            forget(low, target.place, name, node)
    if not low.host or pointers:
        low.emit(Clobber(name, tuple(pointers), low.span(node)))
    result = type_.type if type_ is not None else OpaqueType("?")
    if isinstance(result, Void):
        return void_value()
    return unknown_value(result, reason, operands, name)


def forget(low: Lowerer, place: Value, what: str, node: Node) -> None:
    """A place that an unknown function may have written."""
    if isinstance(place, (VariablePlace, SplitPlace)):
        assign(low, place, unknown_value(place.type, "unknown-function", (), what), node, node)
    elif isinstance(place, MemoryPlace):
        low.emit(Clobber(what, (place.address,), low.span(node)))
