"""Calls lowered in place: arguments bound to parameters, the callee's body, what it returns.

In: a function with its template bound, and values. Out: the value returned; the body's statements
through the Lowerer. A call that cannot be followed (recursion, a limit, a body that cannot be read)
gives a problem and None, and its caller an unknown value.
"""

from __future__ import annotations

from pycparser import c_ast

from kernlint.base.span import Problem, SourceError
from kernlint.ir.nodes import Constant, Label, Leave, Read, Region
from kernlint.ir.types import Array, Pointer, Record, Void
from kernlint.lowering.calls import overloads, recursion
from kernlint.lowering.calls.unknown_calls import handed_over, unknown_call
from kernlint.lowering.context import (
    MAX_CALL_DEPTH,
    MAX_HOST_STATEMENTS,
    MAX_STATEMENTS,
    Frame,
    Lowerer,
    expression,
    statement,
)
from kernlint.lowering.declare import parameter_list
from kernlint.lowering.expressions import compile_time, construct
from kernlint.lowering.expressions.fold import retype
from kernlint.lowering.expressions.places import fresh, materialise, rvalue, void_value
from kernlint.lowering.expressions.stores import assign, bound_reference, coerce
from kernlint.lowering.expressions.values import (
    STATIC_VALUES,
    AutoPlaceholder,
    ConstantPlace,
    MemoryPlace,
    PlacePointer,
    Qualified,
    Scalar,
    StaticPlace,
    Value,
    VariablePlace,
    is_volatile,
    qualified,
)
from kernlint.lowering.scopes import (
    Binding,
    ClassInfo,
    FunctionEntity,
    PackEntity,
    Scope,
    TypeEntity,
)
from kernlint.lowering.syntax import Node
from kernlint.lowering.types import typenames
from kernlint.lowering.types.copying import copied_by_call
from kernlint.lowering.types.layout import complete
from kernlint.lowering.usage import (
    assigned_names,
    copy_lines,
    first_statement,
    handed_names,
    makes_shared,
)
from kernlint.model.reasons import refused
from kernlint.source.parser import tree


def inline(
    low: Lowerer, entity: FunctionEntity, scope: Scope, values: list[Value], nodes: list[Node], node: Node, this: Value | None,
    constructing: ClassInfo | None = None,
) -> Value:  # fmt: skip
    """The value of a call: what it is at compile time, else what its body gives, lowered in place
    of the call."""
    known = (
        compile_time.returned(low, entity, scope, values, nodes, node)
        if constructing is None
        else None
    )
    return (
        known
        if known is not None
        else inline_body(low, entity, scope, values, nodes, node, this, constructing)
    )


def operator(
    low: Lowerer,
    entity: FunctionEntity,
    scope: Scope,
    values: list[Value],
    nodes: list[Node],
    node: Node,
    this: Value | None,
) -> Value:
    """The value of a user-defined operator; unknown where no file seen defines it."""
    if entity.node.lazy_body is not None:
        return inline(low, entity, scope, values, nodes, node, this)
    low.unsupported(node, "definition", entity.name, name=entity.name)
    type_ = typenames.resolve(low.program, return_node(entity), scope)
    return unknown_call(
        low,
        entity.name,
        values,
        (),
        node,
        type_,
        changed=handed_over(low, entity, scope, this, values),
    )


def inline_body(
    low: Lowerer, entity: FunctionEntity, scope: Scope, values: list[Value], nodes: list[Node], node: Node, this: Value | None,
    constructing: ClassInfo | None = None,
) -> Value:  # fmt: skip
    """Lower the function's body in place of the call and give its value."""
    key = (id(entity.node), scope_key(scope))
    refusal = not_followed(low, key, entity.name)
    try:
        if refusal:
            raise refused(refusal[0], low.span(node), **refusal[1])
        body = entity.node.lazy_body.parse()
    except SourceError as error:
        message = error.message if error.reason else f"{entity.name}: {error.message}"
        low.report(
            Problem(
                error.code,
                error.span,
                message,
                subject=entity.name if refusal else "",
                reason=error.reason,
            )
        )
        type_ = typenames.resolve(low.program, return_node(entity), scope)
        return unknown_call(
            low,
            entity.name,
            values,
            (),
            node,
            type_,
            "unsupported",
            handed_over(low, entity, scope, this, values),
        )
    inner = Scope(scope)
    bind_parameters(low, entity, inner, values, nodes, _changing(low, entity, values, body))
    returned = (
        None
        if constructing is not None
        else typenames.resolve(low.program, return_node(entity), inner)
    )
    if this is not None:
        this = qualified(this, is_volatile(this) or "volatile" in (entity.node.quals or ()))
    frame = Frame(entity, Label(f"return from {entity.name}"), returned, low.depth, this, key=key)
    low.keeps_calls |= "__noinline__" in (entity.node.specifiers or [])
    frame.copied_once, frame.entry = copy_lines(body), _entry(low, entity, nodes, body)
    frame.makes_shared, frame.fetched = makes_shared(body), _fetched(low, entity, nodes)
    frame.handed_on = all(isinstance(n, (c_ast.ID, c_ast.Constant)) for n in nodes)
    with called(low, node, inner, frame):
        if constructing is not None and this is not None:
            construct.run_initialisers(low, entity, this, constructing)
        result = (
            recursion.run_body(low, frame, body, node)
            if id(entity.node) in low.learnt.recursive
            else run_body(low, frame, body)
        )
    return result


def _changing(
    low: Lowerer, entity: FunctionEntity, values: list[Value], body: Node
) -> frozenset[str] | None:
    """The names that may change in the body, where values known at compile time stand for the
    others: in what the compiler decides, and in host code, of which only the launches matter."""
    if low.constant or compile_time.arguments(entity, values) is not None:
        return assigned_names(body)
    return assigned_names(body) | handed_names(body) if low.host else None


def return_node(entity: FunctionEntity) -> Node:
    """The type that a function gives: `-> T`, a conversion's own name, or what stands before it."""
    if isinstance(entity.node.trailing, c_ast.Node):
        return entity.node.trailing
    name = entity.node.name
    return (
        name.type
        if isinstance(name, tree.OperatorName) and name.type is not None
        else entity.node.type.type
    )


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


def _entry(low: Lowerer, entity: FunctionEntity, nodes: list[Node], body: Node) -> Node | None:
    """The first statement that needs instructions, None when they begin with fetching a parameter
    of the kernel."""
    entry, mentioned = first_statement(body)
    if entry is None:
        return None
    kernel = low.frames[0].entity if low.frames else None
    fetched = {p.name for p in parameter_list(kernel.node)} if kernel is not None else set()
    pairs = zip(parameter_list(entity.node), nodes, strict=False)
    handed = {
        p.name
        for p, n in pairs
        if isinstance(n, c_ast.ID) and n.name in fetched and isinstance(p.type, c_ast.TypeDecl)
    }
    return None if handed & mentioned else entry


def _fetched(low: Lowerer, entity: FunctionEntity, nodes: list[Node]) -> frozenset[str]:
    """Parameters that are handed one of the kernel's as it is: whoever needs it first fetches
    it."""
    outer = low.frames[-1].fetched if low.frames else frozenset[str]()
    pairs = zip(parameter_list(entity.node), nodes, strict=False)
    return frozenset(p.name for p, n in pairs if isinstance(n, c_ast.ID) and n.name in outer)


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

    def __init__(self, low: Lowerer, node: Node, scope: Scope, frame: Frame) -> None:
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


def run_body(low: Lowerer, frame: Frame, body: Node) -> Value:
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
        return rvalue(low, frame.result, frame.entity.node if frame.entity is not None else None)
    return void_value()


def bind_parameters(
    low: Lowerer,
    entity: FunctionEntity,
    scope: Scope,
    values: list[Value],
    nodes: list[Node],
    assigned: frozenset[str] | None,
) -> None:
    """Names of parameters to fresh variables, aliased places or followed values; defaults for the
    rest. What is known at compile time stands for the parameters that are not among the names
    `assigned`; None: all are variables."""
    parameters = [p for p in parameter_list(entity.node) if not isinstance(p, c_ast.EllipsisParam)]
    remaining = list(zip(values, nodes, strict=False))
    for parameter in parameters:
        name = getattr(parameter, "name", None) or ""
        if overloads.is_pack(parameter):
            items = tuple(_pack_item(low, parameter, v, n, scope) for v, n in remaining)
            remaining = []
            scope.names[name] = PackEntity(items)
            continue
        if remaining:
            value, node = remaining.pop(0)
        elif getattr(parameter, "init", None) is not None:
            with low.scoped(scope):
                value, node = expression(low, parameter.init), parameter.init
        else:
            continue
        declared = typenames.resolve(low.program, parameter.type, scope)
        bound = bind_value(low, declared, value, node, name, parameter, assigned)
        if name:
            scope.names[name] = Binding(bound, low.span(parameter), parameter)


def unchanged(low: Lowerer) -> frozenset[str] | None:
    """For `bind_value`: at compile time, values that are handed over stand for their names."""
    return frozenset() if low.constant else None


def _pack_item(low: Lowerer, parameter: Node, value: Value, node: Node, scope: Scope) -> Binding:
    from kernlint.lowering.declare import type_spelling

    reference = "RefDecl" in str(type_spelling(parameter.type))
    declared = Qualified(AutoPlaceholder(), reference="&" if reference else "")
    return Binding(
        bind_value(low, declared, value, node, parameter.name or "", parameter, unchanged(low))
    )


def bind_value(
    low: Lowerer,
    declared: Qualified,
    value: Value,
    node: Node,
    name: str,
    parameter: Node,
    assigned: frozenset[str] | None,
) -> Value:
    """What a parameter of type `declared` stands for when given `value`."""
    key = id(parameter)
    if declared.reference:
        bound = bound_reference(low, value, declared, node)
        return StaticPlace(bound, key) if isinstance(bound, STATIC_VALUES) else bound
    type_ = complete(declared.type)
    if isinstance(type_, Array):
        type_ = Pointer(type_.element, declared.space, declared.const, volatile=declared.volatile)
    if (referred := construct.atomic_reference(type_, value)) is not None:
        return referred
    own = isinstance(value, MemoryPlace) and complete(value.type) == type_
    if own and isinstance(type_, Record) and copied_by_call(low.program, type_):
        copy = fresh(low, type_, name, key, parameter)
        construct.construct_into(low, copy, type_, [value], [node], node)
        return copy
    converted = coerce(low, value, type_, node)
    if isinstance(type_, AutoPlaceholder):
        type_ = complete(converted.type)
    if isinstance(converted, STATIC_VALUES):
        if key not in low.learnt.not_static:
            return StaticPlace(converted, key)
        converted = (
            Scalar(materialise(low, converted, node))
            if isinstance(converted, PlacePointer)
            else converted
        )
    stays = declared.const and not isinstance(type_, Pointer)
    if assigned is not None and isinstance(converted, Scalar) and (stays or name not in assigned):
        if isinstance(converted.expression, Constant):
            return ConstantPlace(converted.expression)
        if compile_time.at_compile_time(converted.expression):
            return converted
    if (
        isinstance(converted, Scalar)
        and isinstance(converted.type, Pointer)
        and isinstance(type_, Pointer)
    ):
        type_ = retype(converted.expression, type_).type
    place = fresh(low, type_, name, key, parameter)
    assign(low, place, converted, node, node, True)
    return place


# ------------------------------------------------------------------ return


def return_value(low: Lowerer, node: Node) -> None:
    """`return e;`: the value of the call when nothing else can follow, else an assignment and a
    leave."""
    frame = low.frame
    value = expression(low, node.expr) if node.expr is not None else None
    conditional = low.depth > frame.depth
    if value is not None and not (
        frame.return_type is not None and isinstance(frame.return_type.type, Void)
    ):
        value = _converted_return(low, frame, value, node.expr)
        if not conditional and frame.result is None:
            frame.direct = value
        else:
            _keep_return(low, frame, value, node.expr)
    if conditional:
        low.emit(Leave(frame.label))
        frame.left = True
    low.terminated = True


def _converted_return(low: Lowerer, frame: Frame, value: Value, node: Node) -> Value:
    declared = frame.return_type
    if declared is None:
        return void_value()
    if declared.reference:
        return bound_reference(low, value, declared, node)
    return coerce(low, value, declared.type, node)


def _keep_return(low: Lowerer, frame: Frame, value: Value, node: Node) -> None:
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
    if isinstance(value, STATIC_VALUES) and not isinstance(value, PlacePointer):
        frame.direct = value
        return
    if frame.result is None:
        frame.result = fresh(low, value.type, "(returned)")
    assign(low, frame.result, value, node, node, True)
