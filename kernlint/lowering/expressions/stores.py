"""Writing places and converting values: assignment, initialisation, casts.

In: places, values, types. Out: values; Assign and Store statements through the Lowerer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kernlint.ir import nodes as ir
from kernlint.ir.traversal import reads
from kernlint.ir.types import LONG, Array, Float, Integer, OpaqueType, Pointer, Record, Type, Void
from kernlint.lowering.context import Lowerer, expression
from kernlint.lowering.declare import return_node
from kernlint.lowering.expressions import atomic_objects, strings
from kernlint.lowering.expressions.bits import reinterpret
from kernlint.lowering.expressions.contents import own_contents
from kernlint.lowering.expressions.designators import braced, elements, is_designated
from kernlint.lowering.expressions.fold import binary, convert, integer, retype
from kernlint.lowering.expressions.places import (
    fresh,
    is_aggregate,
    is_missing,
    load,
    materialise,
    operands_of,
    rvalue,
    scalar,
    unknown,
    unknown_value,
    view,
    void_value,
)
from kernlint.lowering.expressions.values import (
    STATIC_VALUES,
    Aggregate,
    AutoPlaceholder,
    BracedList,
    Closure,
    ConstantPlace,
    FunctionRef,
    FunctionType,
    MemoryPlace,
    PlacePointer,
    PunPlace,
    Qualified,
    Scalar,
    SplitPlace,
    StaticPlace,
    SwizzlePlace,
    Value,
    VariablePlace,
    is_volatile,
    qualified,
)
from kernlint.lowering.scopes import IncompleteRecord
from kernlint.lowering.sites import access_site, charged_line
from kernlint.lowering.templates.template_arguments import spread
from kernlint.lowering.types.classes import base_offset, class_info
from kernlint.lowering.types.layout import complete, is_vector, leaves, size_of
from kernlint.lowering.types.typenames import resolve
from kernlint.source.parser import tree

OBJECTS = (tree.ID, tree.ArrayRef, tree.StructRef, tree.QualifiedName)


# ------------------------------------------------------------------ conversions of values


def coerce(low: Lowerer, value: Value, target: Type, node: tree.Node) -> Value:
    """`value` (place or not) as an initialiser of something of type `target`; the result is no
    place."""
    target = complete(target)
    if isinstance(value, BracedList):
        return from_braces(low, value, target)
    if isinstance(target, (AutoPlaceholder,)):
        return rvalue(low, value, node)
    if isinstance(target, Record):
        return _to_record(low, value, target, node)
    if isinstance(value.type, (Record, IncompleteRecord)):
        return _from_record(low, value, target, node)
    found = rvalue(low, value, node)
    return _to_scalar(low, found, target, node)


def _to_scalar(low: Lowerer, value: Value, target: Type, node: tree.Node) -> Value:
    if isinstance(value, PlacePointer):
        if isinstance(target, Pointer):
            return PlacePointer(target, value.place)
        if isinstance(target, Integer) and target.is_bool:
            return Scalar(integer(1, target))
        return Scalar(convert(materialise(low, value, node), target))
    if isinstance(value, FunctionRef) and not value.overloads and isinstance(target, Integer):
        # a name that no declaration gives: some constant
        return Scalar(convert(scalar(low, value, node), target))
    if isinstance(value, (FunctionRef, Closure)):
        return value
    if isinstance(value, Scalar):
        if isinstance(target, OpaqueType) and not isinstance(value.type, OpaqueType):
            low.take((value.expression,), "open")  # its own constructor may do anything with it
        return (
            Scalar(convert(value.expression, target))
            if not isinstance(target, FunctionType)
            else value
        )
    if isinstance(value, Aggregate):
        return unknown("unsupported", target, operands_of(value), True)
    return unknown("unsupported", target)


def _to_record(low: Lowerer, value: Value, target: Record, node: tree.Node) -> Value:
    source = complete(value.type)
    if source == target:
        return rvalue(low, value, node)
    if (text := strings.from_literal(low, target, value)) is not None:
        return text
    base = (
        view(low, value, target, node)
        if class_info(source) is not None and class_info(target) is not None
        else None
    )
    if base is not None and not isinstance(base, PunPlace):
        return rvalue(low, base, node)
    if is_vector(target):
        return _to_vector(low, value, target, node)
    info = class_info(target)
    if info is not None and info.constructors:
        return rvalue(low, low.handlers.construct(low, target, [value], [node], node, False), node)
    if isinstance(source, Record) and class_info(source) is not None:
        converted = _conversion(low, value, target, node)
        if converted is not None:
            return rvalue(low, converted, node)
    return unknown_value(target, "unsupported", operands_of(rvalue(low, value, node)))


def _to_vector(low: Lowerer, value: Value, target: Record, node: tree.Node) -> Value:
    """A scalar to dim3 (y = z = 1), to an OpenCL vector (every component); one vector to another by
    components."""
    found = rvalue(low, value, node)
    parts = leaves(target)
    if isinstance(found, Scalar):
        if target.kind == "dim3":
            made = {
                o: convert(found.expression, t) if o == 0 else integer(1, t)
                for o, t, _ in parts
                if isinstance(t, Integer)
            }
            return Aggregate(target, dict(made))
        return Aggregate(target, {o: convert(found.expression, t) for o, t, _ in parts})
    if isinstance(found, Aggregate) and is_vector(found.type):
        given = [found.leaves[o] for o, _, _ in leaves(found.type)]
        filled = [*given, *[integer(1)] * (len(parts) - len(given))]
        return Aggregate(
            target, {o: convert(e, t) for (o, t, _), e in zip(parts, filled, strict=False)}
        )
    return unknown_value(target, "unsupported", operands_of(found))


def _conversion(low: Lowerer, value: Value, target: Type, node: tree.Node) -> Value | None:
    """The class's own `operator T`, if it has one that serves."""
    info = class_info(value.type)
    if info is None:
        return None
    found = [
        (f, complete(resolve(low.program, return_node(f), f.scope).type))
        for f in info.conversions
        if f.parameters is None
    ]
    exact = [f for f, t in found if t == complete(target)]
    near = [
        f
        for f, t in found
        if isinstance(t, (Integer, Float)) and isinstance(target, (Integer, Float))
    ]
    chosen = [f for f in exact or near if f.node.lazy_body is not None]
    return (
        low.handlers.inline(low, chosen[0], chosen[0].scope, [], [], node, value)
        if chosen
        else None
    )


def _from_record(low: Lowerer, value: Value, target: Type, node: tree.Node) -> Value:
    if isinstance(target, (OpaqueType, Void)):
        return rvalue(low, value, node)
    converted = _conversion(low, value, target, node)
    if converted is not None:
        return coerce(low, converted, target, node)
    return unknown("unsupported", target, operands_of(rvalue(low, value, node)))


def from_braces(low: Lowerer, value: BracedList, target: Type) -> Value:
    """`{…}` as a value of a scalar, vector or class type."""
    if isinstance(target, Record):
        return rvalue(
            low,
            low.handlers.construct_nodes(low, target, list(value.items), value.node, True),
            value.node,
        )
    if not value.items:
        return Scalar(convert(integer(0), target))
    return coerce(low, expression(low, value.items[0]), target, value.items[0])


def cast(low: Lowerer, value: Value, target: Qualified, node: tree.Node) -> Value:
    """An explicit conversion; to a reference it gives a place."""
    type_ = complete(target.type)
    if isinstance(type_, Void):
        return void_value()
    if target.reference:
        return qualified(view(low, value, type_, node), target.volatile)
    if isinstance(type_, Record):
        return _to_record(low, value, type_, node)
    if isinstance(type_, AutoPlaceholder):
        return rvalue(low, value, node)
    return coerce(low, value, type_, node)


# ------------------------------------------------------------------ assignment


def assign(
    low: Lowerer,
    place: Value,
    value: Value,
    node: tree.Node,
    source: tree.Node,
    initial: bool = False,
) -> None:
    """`place = value` with `value` converted already or convertible. `node` is the place as
    written, `source` the right-hand side."""
    if isinstance(place, MemoryPlace):
        place = atomic_objects.held(place)
    charge, chosen = None, 0
    if (
        isinstance(place, MemoryPlace)
        and source is not node
        and isinstance(complete(place.type), Record)
    ):
        charge, chosen = (
            _copy_line(low, place, value, node, source),
            _objects(low, value, source, place.type),
        )
    if isinstance(place, (MemoryPlace, SplitPlace, SwizzlePlace)) and not isinstance(
        place.type, Array
    ):
        value = coerce(low, value, place.type, source)
        if isinstance(value, Aggregate):
            value = own_contents(low, value, source)
    if isinstance(place, VariablePlace):
        found = coerce(low, value, place.type, source)
        low.assign(place.variable, scalar(low, found, source))
    elif isinstance(place, SplitPlace):
        _assign_split(low, place, value, source, initial)
    elif isinstance(place, MemoryPlace):
        store(low, place, value, node, source, charge, chosen)
    elif isinstance(place, StaticPlace):
        if place.key:
            low.reassigned.add(place.key)
    elif isinstance(place, SwizzlePlace):
        _assign_swizzle(low, place, value, node, source)
    elif isinstance(place, PunPlace):
        _assign_pun(low, place, rvalue(low, value, source), node, source)
    else:
        low.take((*operands_of(rvalue(low, place, node)), *evaluated(low, value, source)), "open")


def evaluated(low: Lowerer, value: Value, node: tree.Node) -> tuple[ir.Expression, ...]:
    """The numbers that a value is made of, those in braces too, for whoever follows no more of
    it."""
    if isinstance(value, BracedList):
        items = [
            item.expr if isinstance(item, tree.NamedInitializer) else item for item in value.items
        ]
        return tuple(o for item in items for o in evaluated(low, expression(low, item), item))
    if isinstance(value, MemoryPlace) and is_missing(value.type):
        return (value.address,)  # goes by reference, or through its own constructor
    return operands_of(rvalue(low, value, node))


def _assign_split(
    low: Lowerer, place: SplitPlace, value: Value, source: tree.Node, initial: bool
) -> None:
    if not isinstance(value, Aggregate):
        value = unknown_value(place.type, "unsupported", operands_of(value))
    assert isinstance(value, Aggregate)
    pairs = [
        (place.leaves[place.base + o], e)
        for o, e in value.leaves.items()
        if place.base + o in place.leaves
    ]
    read: set[ir.Variable] = set()
    for i, (variable, written) in enumerate(pairs):
        read |= reads(written) - ({variable} if i == len(pairs) - 1 else set())
    if any(variable in read and not _is_self(variable, written) for variable, written in pairs):
        held = [low.temporary(variable.type) for variable, _ in pairs]
        for temporary, (_, written) in zip(held, pairs, strict=True):
            low.assign(temporary, written)
        pairs = [
            (variable, ir.Read(t.type, t)) for t, (variable, _) in zip(held, pairs, strict=True)
        ]
    for variable, written in pairs:
        if not _is_self(variable, written):
            is_function = isinstance(variable.type, FunctionType)
            low.assign(variable, written if is_function else convert(written, variable.type))
    for offset, static in value.statics.items():
        known = place.statics.get(place.base + offset)
        is_new = known is None or known is static or initial
        if not is_new and place.key:
            low.reassigned.add(place.key)
        place.statics[place.base + offset] = static


def _is_self(variable: ir.Variable, expression: ir.Expression) -> bool:
    return isinstance(expression, ir.Read) and expression.variable is variable


def tracked(value: Value) -> tuple[tuple[int, ir.Expression], ...]:
    """The leaves of a stored value that are worth following: integers and pointers."""
    if isinstance(value, Scalar):
        return ((0, value.expression),) if isinstance(value.type, (Integer, Pointer)) else ()
    if isinstance(value, Aggregate):
        return tuple(
            (o, e) for o, e in value.leaves.items() if isinstance(e.type, (Integer, Pointer))
        )
    return ()


def untracked(value: Value) -> tuple[tuple[int | None, ir.Expression], ...]:
    """What `tracked` leaves out."""
    leaves = (
        {0: value.expression}
        if isinstance(value, Scalar)
        else value.leaves
        if isinstance(value, Aggregate)
        else {}
    )
    return tuple((o, e) for o, e in leaves.items() if not isinstance(e.type, (Integer, Pointer)))


def _copy_line(
    low: Lowerer, place: MemoryPlace, value: Value, node: tree.Node, source: tree.Node
) -> int | None:
    """The line that a store of class type is charged to: of a copy the object's that is copied; of
    a new object, which a call or a list makes, the place's, as a number's (nvcc's line tables of
    286 kernels)."""
    if low.charge is not None:
        return None
    own, other = charged_line(low, node), charged_line(low, source)
    return other if own == other or _is_object(low, value, source, place.type) else own


def _is_object(low: Lowerer, value: Value, node: tree.Node, type_: Type) -> bool:
    """Whether an expression is an object, or one of several (`c ? a : b[i]`), not a new one that is
    made of some."""
    handler = _OBJECT_OF.get(type(node))
    if handler is None:
        return isinstance(node, OBJECTS) or isinstance(value, MemoryPlace)
    return handler(low, value, node, type_)


def _chosen_object(low: Lowerer, value: Value, node: tree.TernaryOp, type_: Type) -> bool:
    return all(_is_object(low, value, arm, type_) for arm in (node.iftrue, node.iffalse))


def _cast_object(low: Lowerer, value: Value, node: tree.Cast | tree.NamedCast, type_: Type) -> bool:
    return _is_object(low, value, node.expr, type_)


def _copied_object(low: Lowerer, value: Value, node: tree.Construct, type_: Type) -> bool:
    if len(node.args) != 1:
        return False
    only = node.args[0]
    is_copy = low.program.type_of(only, low.scope).type == type_
    return is_copy and _is_object(low, value, only, type_)


def _dereferenced_object(low: Lowerer, value: Value, node: tree.UnaryOp, type_: Type) -> bool:
    return node.op == "*" or isinstance(value, MemoryPlace)


_OBJECT_OF: dict[type[tree.Node], Callable[[Lowerer, Value, Any, Type], bool]] = {
    tree.TernaryOp: _chosen_object,
    tree.Cast: _cast_object,
    tree.NamedCast: _cast_object,
    tree.Construct: _copied_object,
    tree.UnaryOp: _dereferenced_object,
}


def _objects(low: Lowerer, value: Value, node: tree.Node, type_: Type) -> int:
    """How many objects an expression chooses among; 0 where it is one alone, or makes a new one."""
    if not isinstance(node, tree.TernaryOp) or not _is_object(low, value, node, type_):
        return 0
    return sum(_objects(low, value, arm, type_) or 1 for arm in (node.iftrue, node.iffalse))


def store(
    low: Lowerer, place: MemoryPlace, value: Value, node: tree.Node, source: tree.Node, charge: int | None = None, chosen: int = 0
) -> None:  # fmt: skip
    """One Store. `charge`, `chosen`: see `access_site`."""
    type_ = complete(place.type)
    if isinstance(type_, Array):
        store_array(low, place, value, node)
        return
    value = coerce(low, value, type_, source)
    if isinstance(value, PlacePointer):
        value = _stored_pointer(low, value, type_, source)
    if low.host and not low.constant:
        value = _with_functions(low, value, source)
    if place.bits is not None:
        kept = load(low, place, node)
        value = unknown("unsupported", type_, (*operands_of(value), *operands_of(kept)))
    site = access_site(
        low,
        node,
        type_,
        "store",
        volatile=place.volatile,
        charge=charge,
        place=place,
        chosen=chosen,
    )
    low.emit(ir.Store(place.address, tracked(value), site, untracked(value)))


def _with_functions(low: Lowerer, value: Value, source: tree.Node) -> Value:
    """Functions and lambdas that are put into memory as numbers that stand for them."""
    if isinstance(value, (FunctionRef, Closure)):
        return Scalar(scalar(low, value, source))
    if not isinstance(value, Aggregate):
        return value
    functions = {
        offset: scalar(low, static, source)
        for offset, static in value.statics.items()
        if isinstance(static, (FunctionRef, Closure))
    }
    return Aggregate(value.type, {**value.leaves, **functions}) if functions else value


def _stored_pointer(low: Lowerer, value: PlacePointer, type_: Type, source: tree.Node) -> Value:
    """A followed pointer put into memory. The `void *args[]` of cudaLaunchKernel are read from
    their declaration, so nothing escapes."""
    if low.host and isinstance(type_, Pointer) and isinstance(type_.pointee, Void):
        return unknown("unknown-pointer", type_)
    return Scalar(materialise(low, value, source))


def store_array(low: Lowerer, place: MemoryPlace, value: Value, node: tree.Node) -> None:
    """Initialise an array in memory: `= {…}`, or a copy leaf by leaf."""
    type_ = complete(place.type)
    assert isinstance(type_, Array)
    if isinstance(value, BracedList):
        store_list(low, place, type_, value)
    elif isinstance(value, Aggregate):
        site = access_site(low, node, type_, "store", volatile=place.volatile)
        low.emit(ir.Store(place.address, tracked(value), site, untracked(value)))


def store_list(low: Lowerer, place: MemoryPlace, type_: Array, value: BracedList) -> None:
    """Store the elements that are written, zeros behind them (C++ [dcl.init.aggr])."""
    element, width = complete(type_.element), size_of(type_.element)
    if width is None:
        return
    given = (
        value.items
        if is_designated(value.items)
        else braced(low.program, spread(value.items, low.scope), element, low.scope)
    )
    items = elements(low.program, given, low.scope)
    if items is None:
        low.unsupported(value.node, "designators")
        low.emit(ir.Clobber("{…}", (place.address,), low.span(value.node)))
        return
    for i, item in items:
        at = MemoryPlace(
            element,
            retype(binary("+", place.address, integer(i * width, LONG)), Pointer(element)),
            place.volatile,
        )
        inner = expression(low, item)
        if isinstance(element, Array) and isinstance(inner, BracedList):
            store_list(low, at, element, inner)
        else:
            store(low, at, coerce(low, inner, element, item), item, item)
    rest = (
        sorted(set(range(type_.count or 0)) - {i for i, _ in items})
        if (type_.count or 0) <= len(items) + 64
        else []
    )
    for i in rest if not isinstance(element, (Array, Record)) else ():
        at = MemoryPlace(
            element,
            retype(binary("+", place.address, integer(i * width, LONG)), Pointer(element)),
            place.volatile,
        )
        store(low, at, Scalar(convert(integer(0), element)), value.node, value.node)


def _assign_swizzle(
    low: Lowerer, place: SwizzlePlace, value: Value, node: tree.Node, source: tree.Node
) -> None:
    value = coerce(low, value, place.type, source)
    if not isinstance(value, Aggregate):
        return
    given = [value.leaves[o] for o, _, _ in leaves(place.type)]
    base = place.base
    if isinstance(base, SplitPlace):
        inner = Aggregate(base.type, dict(zip(place.offsets, given, strict=True)))
        _assign_split(low, base, inner, source, False)
    elif isinstance(base, MemoryPlace):
        for offset, one in zip(place.offsets, given, strict=True):
            address = binary("+", base.address, integer(offset, LONG))
            store(low, MemoryPlace(one.type, address, base.volatile), Scalar(one), node, source)


def _assign_pun(
    low: Lowerer, place: PunPlace, value: Value, node: tree.Node, source: tree.Node
) -> None:
    """Writing through a converted pointer to a variable: its leaves become functions of what is
    written."""
    under = place.place
    if size_of(under.type) == size_of(place.type) and not isinstance(under, PunPlace):
        assign(low, under, reinterpret(value, under.type), node, source)
    elif is_aggregate(under.type):
        assign(
            low, under, unknown_value(under.type, "unsupported", operands_of(value)), node, source
        )
    else:
        assign(low, under, unknown("unsupported", under.type, operands_of(value)), node, source)


def bound_reference(low: Lowerer, value: Value, target: Qualified, node: tree.Node) -> Value:
    """What a reference of type `target` is bound to: the place itself, or a temporary holding a
    converted value."""
    type_ = complete(target.type)
    if isinstance(value, BracedList):
        value = from_braces(low, value, type_)
    if isinstance(value, STATIC_VALUES):
        return value
    if isinstance(
        value,
        (
            MemoryPlace,
            VariablePlace,
            SplitPlace,
            StaticPlace,
            SwizzlePlace,
            PunPlace,
            ConstantPlace,
        ),
    ):
        if (
            isinstance(type_, AutoPlaceholder)
            or complete(value.type) == type_
            or _compatible(value.type, type_)
        ):
            if isinstance(value, MemoryPlace) and isinstance(complete(value.type), Array):
                low.unfollowed.append(
                    ("a reference, whose type says how long the array is", value.address)
                )
            bound = (
                view(low, value, type_, node) if not isinstance(type_, AutoPlaceholder) else value
            )
            return qualified(bound, target.volatile or is_volatile(value))
    elif not isinstance(value, (Scalar, Aggregate)):
        return value
    wanted = value.type if isinstance(type_, AutoPlaceholder) else type_
    given = (
        _conversion(low, value, type_, node)
        if isinstance(type_, Record) and class_info(complete(value.type)) is not None
        else None
    )
    if isinstance(given, (MemoryPlace, VariablePlace, SplitPlace, PunPlace)):
        return given
    converted = coerce(low, value, wanted, node) if given is None else given
    if isinstance(converted, STATIC_VALUES):
        return converted
    if isinstance(converted, Scalar) and isinstance(converted.expression, ir.Constant):
        return ConstantPlace(converted.expression)
    temporary = fresh(low, wanted, "(temporary)")
    assign(low, temporary, converted, node, node, True)
    return temporary


def _compatible(source: Type, target: Type) -> bool:
    """Whether a reference binds directly: the same type, a base class, arrays alike, pointers that
    differ in qualifiers."""
    source = complete(source)
    if isinstance(source, Pointer) and isinstance(target, Pointer):
        return complete(source.pointee) == complete(target.pointee)
    if isinstance(source, Array) and isinstance(target, Array):
        return source.element == target.element
    wanted = class_info(target)
    return wanted is not None and base_offset(source, wanted) is not None
