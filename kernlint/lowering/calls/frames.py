"""Frames of calls that are lowered in place: entering and leaving a body, and what it returns.

In: the Lowerer and a Frame. Out: the body's statements; the value returned. Binds no parameters
(`inlining`).
"""

from __future__ import annotations

from kernlint.ir.nodes import Leave, Read, Region
from kernlint.ir.types import Pointer, Type, Void
from kernlint.lowering.context import (
    MAX_CALL_DEPTH,
    MAX_HOST_STATEMENTS,
    MAX_STATEMENTS,
    Frame,
    Lowerer,
    expression,
    statement,
)
from kernlint.lowering.expressions import atomic_objects
from kernlint.lowering.expressions.fold import retype
from kernlint.lowering.expressions.places import fresh, rvalue, scalar, void_value
from kernlint.lowering.expressions.stores import assign, bound_reference, coerce
from kernlint.lowering.expressions.values import (
    PLACES,
    STATIC_VALUES,
    AutoPlaceholder,
    ConstantPlace,
    FunctionRef,
    MemoryPlace,
    PlacePointer,
    Qualified,
    Scalar,
    Value,
    VariablePlace,
)
from kernlint.lowering.scopes import Binding, Scope, TypeEntity
from kernlint.lowering.types.layout import complete
from kernlint.source.parser import tree


def not_followed(low: Lowerer, key: object, name: str) -> tuple[str, dict[str, object]] | None:
    """Why a call is not lowered in place, as a reason and its words; None where it is. At compile
    time a recursion ends, since its conditions are decided."""
    if (
        not low.constant
        and (again := next((f for f in low.frames if f.key == key), None)) is not None
    ):
        if again.entity is not None:
            low.called_again.add(id(again.entity.node))
        return "recursion", {"name": name}
    if len(low.frames) >= MAX_CALL_DEPTH:
        return "call-depth", {"name": name, "most": MAX_CALL_DEPTH}
    most = MAX_HOST_STATEMENTS if low.host and not low.constant else MAX_STATEMENTS
    if low.emitted > most:
        return "size", {"name": name, "most": most}
    return None


def scope_key(scope: Scope) -> tuple[object, ...]:
    """What tells instances of one template apart: the template scopes' bindings."""
    found: list[object] = []
    where: Scope | None = scope
    while where is not None:
        if where.kind == "template" and where.names:
            for name, entity in where.names.items():
                value = (
                    entity.value
                    if isinstance(entity, Binding)
                    else entity.resolved
                    if isinstance(entity, TypeEntity)
                    else entity
                )
                found.append(
                    (name, value.value.value if isinstance(value, ConstantPlace) else value)
                )
        where = where.parent
    return tuple(found)


class called:
    """Enter and leave an inlined call: the call chain, frame and names."""

    def __init__(self, low: Lowerer, node: tree.Node, scope: Scope, frame: Frame) -> None:
        self.low, self.node, self.scope, self.frame = low, node, scope, frame

    def __enter__(self) -> None:
        low = self.low
        self.saved = (
            low.scope,
            low.calls,
            low.terminated,
            low.break_label,
            low.continue_label,
            low.gotos,
            low.charge,
        )
        low.calls = (*low.calls, low.span(self.node)) if low.frames else low.calls
        low.scope, low.terminated, low.break_label, low.continue_label, low.gotos, low.charge = (
            self.scope,
            False,
            None,
            None,
            {},
            None,
        )
        low.inlined += 1
        low.frames.append(self.frame)
        self.frame.scope = self.scope

    def __exit__(self, *_: object) -> None:
        low = self.low
        low.frames.pop()
        (
            low.scope,
            low.calls,
            low.terminated,
            low.break_label,
            low.continue_label,
            low.gotos,
            low.charge,
        ) = self.saved


def run_body(low: Lowerer, frame: Frame, body: tree.Node) -> Value:
    """Lower a body in its frame; a Region only where a return leaves early."""
    outer, low.out = low.out, []
    statement(low, body)
    inner, low.out = low.out, outer
    if frame.left:
        low.out.append(Region(frame.label, tuple(inner)))
    else:
        low.out.extend(inner)
    return frame_value(low, frame)


def frame_value(low: Lowerer, frame: Frame) -> Value:
    if frame.direct is not None:
        return frame.direct
    if frame.result is not None:
        if frame.result_is_reference and isinstance(frame.result, VariablePlace):
            type_ = frame.result.type
            assert isinstance(type_, Pointer)
            return MemoryPlace(
                complete(type_.pointee), Read(type_, frame.result.variable), type_.volatile
            )
        assert frame.entity is not None
        return rvalue(low, frame.result, frame.entity.node)
    return void_value()


# ------------------------------------------------------------------ return


def return_value(low: Lowerer, node: tree.Return) -> None:
    """`return e;`: the value of the call when nothing else can follow, else an assignment and a
    leave."""
    frame = low.frame
    conditional = low.depth > frame.depth
    returns_void = frame.return_type is not None and isinstance(frame.return_type.type, Void)
    value = expression(low, node.expr) if node.expr is not None else None
    if node.expr is not None and value is not None and not returns_void:
        value = _converted_return(low, frame, value, node.expr)
        if not conditional and frame.result is None:
            frame.direct = value
        else:
            _keep_return(low, frame, value, node.expr)
    if conditional:
        low.emit(Leave(frame.label))
        frame.left = True
    low.terminated = True


def _converted_return(low: Lowerer, frame: Frame, value: Value, node: tree.Node) -> Value:
    declared = frame.return_type
    if declared is None:
        return void_value()
    made = value.type if isinstance(declared.type, AutoPlaceholder) else declared.type
    if (referred := atomic_objects.reference_to(made, value)) is not None:
        return referred
    if _names_place(declared.type, value, node):
        declared = frame.return_type = Qualified(AutoPlaceholder(), reference="&")
    if declared.reference:
        return bound_reference(low, value, declared, node)
    return coerce(low, value, declared.type, node)


def _names_place(type_: Type, value: Value, node: tree.Node) -> bool:
    """Whether `decltype(auto)` makes a reference of it: an lvalue, but no object's or member's bare
    name, whose own type counts ([dcl.type.decltype])."""
    keeps = isinstance(type_, AutoPlaceholder) and type_.keeps_reference
    return keeps and isinstance(value, PLACES) and not isinstance(node, _BARE_NAMES)


_BARE_NAMES = (tree.ID, tree.QualifiedName, tree.StructRef)


def _keep_return(low: Lowerer, frame: Frame, value: Value, node: tree.Node) -> None:
    if (
        frame.return_type is not None
        and frame.return_type.reference
        and isinstance(value, MemoryPlace)
    ):
        pointer = Pointer(value.type, volatile=value.volatile)
        if frame.result is None:
            frame.result, frame.result_is_reference = (
                VariablePlace(low.temporary(pointer, "(returned)")),
                True,
            )
        if isinstance(frame.result, VariablePlace):
            low.assign(frame.result.variable, retype(value.address, pointer))
        return
    if isinstance(value, FunctionRef) and low.host and not low.constant:
        # one of several functions (`if (n == 1) return kernel<1>; …`): a number says which
        value = Scalar(scalar(low, value, node))
    elif isinstance(value, STATIC_VALUES) and not isinstance(value, PlacePointer):
        frame.direct = value
        return
    if frame.result is None:
        frame.result = fresh(low, value.type, "(returned)")
    assign(low, frame.result, value, node, node, True)
