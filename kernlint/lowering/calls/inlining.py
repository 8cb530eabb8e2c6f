"""Calls lowered in place: arguments bound to parameters, the callee's body, what it returns.

In: a function with its template bound, and values. Out: the value returned; the body's statements
through the Lowerer. A call that cannot be followed (recursion, a limit, a body that cannot be read)
gives a problem and None, and its caller an unknown value.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.base.span import Problem, SourceError
from kernlint.ir.nodes import Constant, Label
from kernlint.ir.types import Array, Pointer, Record, Type
from kernlint.lowering import host_variables
from kernlint.lowering.calls import recursion
from kernlint.lowering.calls.frames import called, not_followed, run_body, scope_key
from kernlint.lowering.calls.unknown_calls import handed_over, unknown_call
from kernlint.lowering.context import (
    Frame,
    Lowerer,
    expression,
)
from kernlint.lowering.declare import (
    default_argument,
    parameter_list,
    parameter_name,
    parameter_type,
    return_node,
    type_spelling,
)
from kernlint.lowering.expressions import compile_time, construct, containers
from kernlint.lowering.expressions.fold import retype
from kernlint.lowering.expressions.places import fresh, materialise
from kernlint.lowering.expressions.stores import assign, bound_reference, coerce
from kernlint.lowering.expressions.values import (
    PLACES,
    STATIC_VALUES,
    AutoPlaceholder,
    BracedList,
    ConstantPlace,
    MemoryPlace,
    PlacePointer,
    Qualified,
    Scalar,
    StaticPlace,
    Value,
    is_volatile,
    qualified,
)
from kernlint.lowering.scopes import (
    Binding,
    ClassInfo,
    FunctionEntity,
    PackEntity,
    Scope,
)
from kernlint.lowering.templates import overloads
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

# Why a call that leads back to itself is not followed.
RECURSIVE = frozenset({"recursion", "call-depth"})


def inline_body(
    low: Lowerer, entity: FunctionEntity, scope: Scope, values: list[Value], nodes: Sequence[tree.Node], node: tree.Node, this: Value | None,
    constructing: ClassInfo | None = None,
) -> Value:  # fmt: skip
    """Lower the function's body in place of the call and give its value."""
    key = (id(entity.node), scope_key(scope))
    refusal = not_followed(low, key, entity.name)
    try:
        if refusal:
            raise refused(refusal[0], low.span(node), **refusal[1])
        body = entity.body()
    except SourceError as error:
        message = error.message if error.reason else f"{entity.name}: {error.message}"
        is_recursive = refusal is not None and refusal[0] in RECURSIVE
        if not (is_recursive and _launches_nothing(low, entity)):
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
        host_variables.lose(low, every=True)
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
        this = qualified(this, is_volatile(this) or "volatile" in entity.node.quals)
    frame = Frame(entity, Label(f"return from {entity.name}"), returned, low.depth, this, key=key)
    low.keeps_calls |= "__noinline__" in entity.node.specifiers
    # of device code alone lines are asked for
    frame.copied_once = {} if low.host else copy_lines(body)
    frame.entry = _entry(low, entity, nodes, body)
    frame.makes_shared, frame.fetched = makes_shared(body), _fetched(low, entity, nodes)
    frame.handed_on = all(isinstance(n, (tree.ID, tree.Constant)) for n in nodes)
    with called(low, node, inner, frame):
        if constructing is not None and this is not None:
            construct.run_initialisers(low, entity, this, constructing)
        result = (
            recursion.run_body(low, frame, body, node)
            if id(entity.node) in low.learnt.recursive
            else run_body(low, frame, body)
        )
    return result


def _launches_nothing(low: Lowerer, entity: FunctionEntity) -> bool:
    """Whether a host function leads to no launch, so that nothing is lost where it is not
    followed."""
    return low.host and not low.constant and entity.name not in low.program.launching


def _changing(
    low: Lowerer, entity: FunctionEntity, values: list[Value], body: tree.Node
) -> frozenset[str] | None:
    """The names that may change in the body, where values known at compile time stand for the
    others: in what the compiler decides, and in host code, of which only the launches matter."""
    if low.constant or compile_time.arguments(entity, values) is not None:
        return assigned_names(body)
    return assigned_names(body) | handed_names(body) if low.host else None


def _entry(
    low: Lowerer, entity: FunctionEntity, nodes: Sequence[tree.Node], body: tree.Node
) -> tree.Node | None:
    """The first statement that needs instructions, None when they begin with fetching a parameter
    of the kernel."""
    entry, mentioned = first_statement(body)
    if entry is None:
        return None
    kernel = low.frames[0].entity if low.frames else None
    fetched = set(map(parameter_name, parameter_list(kernel.node))) if kernel is not None else set()
    pairs = zip(parameter_list(entity.node), nodes, strict=False)
    handed = {
        parameter_name(p)
        for p, n in pairs
        if isinstance(n, tree.ID)
        and n.name in fetched
        and isinstance(parameter_type(p), tree.TypeDecl)
    }
    return None if handed & mentioned else entry


def _fetched(low: Lowerer, entity: FunctionEntity, nodes: Sequence[tree.Node]) -> frozenset[str]:
    """Parameters that are handed one of the kernel's as it is: whoever needs it first fetches
    it."""
    outer = low.frames[-1].fetched if low.frames else frozenset[str]()
    pairs = zip(parameter_list(entity.node), nodes, strict=False)
    return frozenset(
        parameter_name(p) for p, n in pairs if isinstance(n, tree.ID) and n.name in outer
    )


def bind_parameters(
    low: Lowerer,
    entity: FunctionEntity,
    scope: Scope,
    values: list[Value],
    nodes: Sequence[tree.Node],
    assigned: frozenset[str] | None,
) -> None:
    """Names of parameters to fresh variables, aliased places or followed values; defaults for the
    rest. What is known at compile time stands for the parameters that are not among the names
    `assigned`; None: all are variables."""
    parameters = [p for p in parameter_list(entity.node) if not isinstance(p, tree.EllipsisParam)]
    remaining = list(zip(values, nodes, strict=False))
    for parameter in parameters:
        name, default = parameter_name(parameter), default_argument(parameter)
        if overloads.is_pack(parameter):
            items = tuple(_pack_item(low, parameter, v, n, scope) for v, n in remaining)
            remaining = []
            scope.names[name] = PackEntity(items)
            continue
        if remaining:
            value, node = remaining.pop(0)
        elif default is not None:
            with low.scoped(scope):
                value, node = expression(low, default), default
        else:
            continue
        declared = typenames.resolve(low.program, parameter.type, scope)
        bound = bind_value(low, declared, value, node, name, parameter, assigned)
        if name:
            scope.names[name] = Binding(bound, low.span(parameter), parameter)


def unchanged(low: Lowerer) -> frozenset[str] | None:
    """For `bind_value`: at compile time, values that are handed over stand for their names."""
    return frozenset() if low.constant else None


def _pack_item(
    low: Lowerer, parameter: tree.Decl | tree.Typename, value: Value, node: tree.Node, scope: Scope
) -> Binding:
    reference = "RefDecl" in str(type_spelling(parameter.type))
    declared = Qualified(AutoPlaceholder(), reference="&" if reference else "")
    return Binding(
        bind_value(low, declared, value, node, parameter.name or "", parameter, unchanged(low))
    )


def _followed_contents(low: Lowerer, type_: Type, value: Value) -> Value | None:
    """A container's parameter that is given `{…}`, or one of the class that refers to a list;
    None for others."""
    if not isinstance(type_, Record) or not containers.is_container(type_):
        return None
    if isinstance(value, BracedList):
        return construct.construct_nodes(low, type_, list(value.items), value.node, True)
    is_same = containers.is_initializer_list(type_) and isinstance(value, PLACES)
    return value if is_same else None


def _copied(
    low: Lowerer, type_: Type, value: Value, node: tree.Node, name: str, parameter: tree.Node
) -> Value | None:
    """The copy that a copy constructor makes for a parameter of class type; None where none runs,
    and of containers what stands for the parameter itself (`_followed_contents`)."""
    if (followed := _followed_contents(low, type_, value)) is not None:
        return followed
    own = isinstance(value, MemoryPlace) and complete(value.type) == type_
    if not own or not isinstance(type_, Record) or not copied_by_call(low.program, type_):
        return None
    copy = fresh(low, type_, name, id(parameter), parameter)
    construct.construct_into(low, copy, type_, [value], [node], node)
    return copy


def bind_value(
    low: Lowerer,
    declared: Qualified,
    value: Value,
    node: tree.Node,
    name: str,
    parameter: tree.Node,
    assigned: frozenset[str] | None,
) -> Value:
    """What a parameter of type `declared` stands for when given `value`."""
    key = id(parameter)
    if declared.reference:
        group = construct.given_group(complete(declared.type), value)
        bound = group or bound_reference(low, value, declared, node)
        return StaticPlace(bound, key) if isinstance(bound, STATIC_VALUES) else bound
    type_ = complete(declared.type)
    if isinstance(type_, Array):
        type_ = Pointer(type_.element, declared.space, declared.const, volatile=declared.volatile)
    if (referred := construct.referred(type_, value)) is not None:
        return referred
    if (copy := _copied(low, type_, value, node, name, parameter)) is not None:
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
    is_followed = assigned is not None and (stays or name not in assigned)
    if is_followed and isinstance(converted, Scalar):
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
