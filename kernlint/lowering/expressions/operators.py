"""Operators on class and vector types: user-defined overloads, OpenCL's component-wise operators.

In: operator, operand values. Out: values; inlined calls through the Lowerer.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.ir import nodes as ir
from kernlint.ir.types import (
    BOOL,
    CHAR,
    INT,
    LONG,
    SHORT,
    Float,
    Integer,
    OpaqueType,
    Pointer,
    Record,
    Type,
)
from kernlint.lowering.context import Lowerer
from kernlint.lowering.declare import is_defaulted, return_node
from kernlint.lowering.expressions import atomic_objects, containers
from kernlint.lowering.expressions.fold import (
    COMPARISONS,
    arithmetic,
    binary,
    convert,
    integer,
    promote,
    unary,
)
from kernlint.lowering.expressions.places import (
    is_missing,
    operands_of,
    rvalue,
    scalar,
    unknown,
    unknown_value,
)
from kernlint.lowering.expressions.stores import assign, coerce
from kernlint.lowering.expressions.values import (
    Aggregate,
    Closure,
    FunctionRef,
    MemoryPlace,
    Scalar,
    SplitPlace,
    Value,
    VariablePlace,
)
from kernlint.lowering.scopes import FunctionEntity, FunctionSet, IncompleteRecord, Scope
from kernlint.lowering.templates import overloads
from kernlint.lowering.types.classes import class_info, methods
from kernlint.lowering.types.layout import complete, is_vector, leaves, opencl_vector
from kernlint.lowering.types.typenames import resolve
from kernlint.source.parser import tree


def overloaded(
    low: Lowerer,
    op: str,
    operands: list[Value],
    nodes: Sequence[tree.Node],
    node: tree.Node,
    postfix: bool = False,
) -> Value | None:
    """The result of a user-defined (or modelled library) operator; None where the built-in one
    applies."""
    changed = atomic_objects.operator(low, op, operands, node, postfix)
    if changed is not None:
        return changed
    for operand in operands:
        if _may_be_class(complete(operand.type)) or isinstance(operand, Closure):
            break
    else:
        return None
    name = f"operator{op}"
    arguments, written = (operands, nodes)
    extra: list[Value] = [Scalar(integer(0))] if postfix else []
    member = methods(operands[0].type, name)
    if member:
        chosen = _chosen(low, member, [*arguments[1:], *extra])
        if chosen is not None and not is_defaulted(chosen[0].node):
            return low.handlers.inline(
                low,
                *chosen,
                [*arguments[1:], *extra],
                [*written[1:], *written[:1]],
                node,
                operands[0],
            )
    candidates = free_operators(low, name, operands)
    if candidates:
        chosen = _chosen(low, candidates, [*arguments, *extra])
        if chosen is not None:
            return low.handlers.inline(
                low, *chosen, [*arguments, *extra], [*written, *written[:1]], node, None
            )
    found = containers.operator(low, op, operands, nodes, node)
    if found is None and any(is_missing(operand.type) for operand in operands):
        _note_accessor(low, op, operands, node)
        for operand in operands:  # its own operator may do anything with them
            low.take(
                (operand.address,)
                if isinstance(operand, MemoryPlace)
                else _held(low, operand, node),
                "open",
            )
    return found


def _note_accessor(low: Lowerer, op: str, operands: list[Value], node: tree.Node) -> None:
    """An operator of a class that no file seen defines, of those that lead to memory."""
    leads = op in ("[]", "->") or (op == "*" and len(operands) == 1)
    listed = op == "[]" and isinstance(operands[0], MemoryPlace)  # as an access of unknown place
    followed = not (listed or low.host or low.constant)
    if leads and followed and is_missing(operands[0].type):
        name, type_ = f"operator{op}", str(complete(operands[0].type))
        low.leave_uncounted(node, "subscript", f"{name} of {type_}", name=name, type=type_)


def _chosen(
    low: Lowerer, candidates: tuple[FunctionEntity, ...], values: list[Value]
) -> tuple[FunctionEntity, Scope] | None:
    """The operator that is meant; none where it would have to convert what no file seen defines."""
    chosen = overloads.choose(low, candidates, values, None, None)
    if chosen is not None and overloads.converts_missing(low, *chosen, values):
        return None
    return chosen


def extracted(low: Lowerer, stream: Value, place: Value, node: tree.Node) -> bool:
    """`std::cin >> n` in host code: what is read from a stream may have any value. A stream is
    whatever no file defines."""
    is_stream = is_missing(stream.type) or (
        isinstance(stream, FunctionRef) and not stream.overloads
    )
    if not low.host or low.constant or not is_stream:
        return False
    if isinstance(place, (VariablePlace, SplitPlace)):
        assign(low, place, unknown_value(place.type, "unknown-function", (), ">>"), node, node)
    elif isinstance(place, MemoryPlace):
        low.emit(ir.Clobber(">>", (place.address,), low.span(node)))
    return True


def _held(low: Lowerer, value: Value, node: tree.Node) -> tuple[ir.Expression, ...]:
    return (
        operands_of(rvalue(low, value, node))
        if isinstance(value, (Scalar, Aggregate, VariablePlace, SplitPlace))
        else ()
    )


def _may_be_class(type_: Type) -> bool:
    """Whether operators may be defined for a type; the result of an unknown function says nothing
    about that."""
    return isinstance(type_, (Record, IncompleteRecord)) or (
        isinstance(type_, OpaqueType) and type_.name != "?"
    )


def free_operators(low: Lowerer, name: str, operands: list[Value]) -> tuple[FunctionEntity, ...]:
    """Operator functions in scope and in the operands' namespaces."""
    entity = low.scope.find(name)
    return with_associated(
        entity.overloads if isinstance(entity, FunctionSet) else (), name, operands
    )


def with_associated(
    visible: Sequence[FunctionEntity], name: str, operands: list[Value]
) -> tuple[FunctionEntity, ...]:
    """Functions in scope, and those of that name in the namespaces of the operands' classes
    (argument-dependent look-up)."""
    found = list(visible)
    for operand in operands:
        info = class_info(operand.type)
        scope = info.scope.parent if info is not None else None
        while scope is not None:
            inner = scope.names.get(name)
            if isinstance(inner, FunctionSet):
                found += [f for f in inner.overloads if f not in found]
            scope = scope.parent
    return tuple(f for f in found if f.owner is None)


def plain_value(low: Lowerer, value: Value, node: tree.Node) -> Value:
    """A class object with a conversion to a number or a pointer, converted (C++ [over.built]);
    other values unchanged."""
    info = class_info(value.type) if isinstance(value, Aggregate) else None
    if info is None:
        return value
    for one in info.conversions:
        target = complete(resolve(low.program, return_node(one), one.scope).type)
        if isinstance(target, (Integer, Float, Pointer)) and one.parameters is None:
            return coerce(low, value, target, node)
    return value


def _truth_element(type_: Type) -> Integer:
    """The element of an OpenCL comparison's result: a signed integer as wide as the operands'
    (6.3.d)."""
    return {1: CHAR, 2: SHORT, 4: INT, 8: LONG}.get(type_.size or 4, INT)


def vector_binary(low: Lowerer, op: str, left: Value, right: Value, node: tree.Node) -> Value:
    """Component-wise on vectors of one length, scalars widened (OpenCL 6.4); other classes have no
    built-in operator."""

    model = left if isinstance(left, Aggregate) and is_vector(left.type) else right
    if (
        not isinstance(model, Aggregate)
        or not is_vector(model.type)
        or not isinstance(model.type, Record)
    ):
        operands = (*operands_of(left), *operands_of(right))
        if op in COMPARISONS:
            return unknown("unsupported", BOOL, operands, True)
        return unknown_value(
            left.type if isinstance(left, Aggregate) else right.type, "unsupported", operands
        )
    parts = leaves(model.type)
    element = parts[0][1]

    def component(value: Value, position: int) -> ir.Expression:
        if isinstance(value, Aggregate):
            mine = leaves(value.type)
            return value.leaves[mine[min(position, len(mine) - 1)][0]]
        return convert(scalar(low, value, node), element)

    def operand(position: int) -> ir.Expression:
        found = component(right, position)
        if (
            op not in ("<<", ">>")
            or not isinstance(element, Integer)
            or not isinstance(found.type, Integer)
        ):
            return found
        # OpenCL C 6.3.j: a vector's counts are taken modulo the bits of its component, which is not
        # promoted
        return binary("&", found, integer(element.bits - 1, found.type), found.type)

    made = [arithmetic(low.language, op, component(left, i), operand(i)) for i in range(len(parts))]
    if op in COMPARISONS:
        truth_type = _truth_element(element)
        result = opencl_vector(truth_type, len(parts)) or model.type
        return Aggregate(
            result,
            {
                o: unary("-", convert(e, truth_type))
                for (o, _, _), e in zip(leaves(result), made, strict=True)
            },
        )
    return Aggregate(
        model.type, {o: convert(e, t) for (o, t, _), e in zip(parts, made, strict=True)}
    )


def vector_unary(low: Lowerer, op: str, value: Aggregate) -> Value:
    if not is_vector(value.type) or op not in ("-", "~", "+"):
        return unknown_value(value.type, "unsupported", operands_of(value))
    made: dict[int, ir.Expression] = {}
    for offset, type_, _ in leaves(value.type):
        operand = convert(value.leaves[offset], promote(type_))
        made[offset] = convert(operand if op == "+" else unary(op, operand), type_)
    return Aggregate(value.type, made)
