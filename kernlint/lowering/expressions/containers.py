"""Library containers as far as they are modelled: sizes are followed; contents are for `std::array`
and, in host code, for a `std::vector` that is made from a list.

In: values of container types, operators and methods applied to them. Out: values and places; None
for what is not modelled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from kernlint.ir import nodes as ir
from kernlint.ir.types import BOOL, ULONG, VOID, Array, Integer, OpaqueType, Pointer, Record, Type
from kernlint.lowering.context import Lowerer
from kernlint.lowering.expressions import accessors, strings
from kernlint.lowering.expressions.fold import binary, convert, integer, pointer_add, retype
from kernlint.lowering.expressions.places import (
    local_memory,
    member,
    rvalue,
    scalar,
    unknown,
    void_value,
)
from kernlint.lowering.expressions.stores import assign
from kernlint.lowering.expressions.values import (
    BracedList,
    FunctionRef,
    MemoryPlace,
    OpaquePlace,
    Place,
    Scalar,
    Value,
    VariablePlace,
)
from kernlint.lowering.types.layout import complete, find_field, size_of
from kernlint.source.parser import tree


def is_container(type_: Type) -> bool:
    type_ = complete(type_)
    return isinstance(type_, Record) and type_.kind == "container"


_FOLLOWED = ("std::vector", "std::initializer_list", "std::deque")


def is_initializer_list(type_: Type) -> bool:
    return is_container(type_) and str(type_).startswith("std::initializer_list")


def element_type(type_: Type) -> Type:
    type_ = complete(type_)
    return (
        type_.definition[1]
        if isinstance(type_, Record) and isinstance(type_.definition, tuple)
        else OpaqueType("?")
    )


def container_size(low: Lowerer, value: Value, node: tree.Node) -> Value:
    type_ = complete(value.type)
    field = find_field(type_, "#size")
    if field is not None:
        return member(low, value, field, node)
    held = find_field(type_, "_M_elems")
    if held is not None and isinstance(held.type, Array) and held.type.count is not None:
        return Scalar(integer(held.type.count, ULONG))
    return unknown("unknown-type", ULONG)


def container_data(low: Lowerer, value: Value, node: tree.Node) -> Value:
    type_ = complete(value.type)
    held = find_field(type_, "_M_elems")
    if held is not None:
        return rvalue(low, member(low, value, held, node), node)
    field = find_field(type_, "#data")
    return (
        rvalue(low, member(low, value, field, node), node)
        if field is not None
        else unknown("unknown-type", Pointer(VOID))
    )


def construct_container(
    low: Lowerer,
    place: Place,
    type_: Record,
    values: list[Value],
    nodes: Sequence[tree.Node],
    node: tree.Node,
) -> None:
    """`std::vector<T> v(n)`, `v(n, x)`, `v{…}`: the size is followed, and in host code the contents."""
    if type_.kind != "container":
        if len(values) == 1 and complete(values[0].type) == type_:
            assign(low, place, values[0], nodes[0], nodes[0], True)
            return
        for field, value, source in zip(type_.fields, values, nodes, strict=False):
            assign(low, member(low, place, field, source), value, source, source, True)
        return
    if not values:
        construct_listed(low, place, type_, [], node)
        return
    if len(values) == 1 and (text := strings.from_literal(low, type_, values[0])) is not None:
        assign(low, place, text, nodes[0], nodes[0], True)
        return
    size: ir.Expression = integer(0, ULONG)
    if len(values) == 1 and is_container(values[0].type):
        size = scalar(low, container_size(low, values[0], nodes[0]), nodes[0])
    elif values and not isinstance(values[0], BracedList):
        found = rvalue(low, values[0], nodes[0])
        size = (
            convert(scalar(low, found, nodes[0]), ULONG)
            if isinstance(found, Scalar) and not isinstance(found.type, Pointer)
            else ir.Unknown(ULONG, "unsupported")
        )
    elif values and isinstance(values[0], BracedList):
        size = integer(len(values[0].items), ULONG)
    set_size(low, place, size, nodes[0] if nodes else node)
    is_counted = not is_container(values[0].type) and not isinstance(values[0], BracedList)
    if is_counted and isinstance(size, ir.Constant):
        filled = values[1] if len(values) > 1 else Scalar(integer(0))
        _fill(low, place, type_, int(size.value), filled, nodes[-1])


def _fill(
    low: Lowerer, place: Place, type_: Record, count: int, value: Value, node: tree.Node
) -> None:
    """`std::vector<T> v(n)` and `v(n, x)`: n times zero, or x."""
    element = complete(element_type(type_))
    held = _room(low, place, type_, count, node) if isinstance(element, Integer) else None
    if held is None or count > MOST_FILLED:
        return
    for number in range(count):
        at = _element_at(held, integer(number, ULONG), element)
        assign(low, at, value, node, node, True)


MOST_FILLED = 64
ROOM = 32  # elements that may be appended to a list whose contents are followed
MOST_LISTED = 256


def construct_listed(
    low: Lowerer, place: Place, type_: Record, items: Sequence[tree.Operand], node: tree.Node
) -> None:
    """`std::vector<T> v{…}` or `= {…}`, or an empty one: in host code its contents are followed as
    those of an array, in which room is left for more."""
    set_size(low, place, integer(len(items), ULONG), node)
    held = _room(low, place, type_, len(items), node)
    if held is not None and items:
        given = MemoryPlace(Array(complete(element_type(type_)), len(items)), held.address)
        assign(low, given, BracedList(tuple(items), node), node, node, True)


def _room(
    low: Lowerer, place: Place, type_: Record, count: int, node: tree.Node
) -> MemoryPlace | None:
    """Memory for the contents of a container and for ROOM more elements; None where they are not
    followed."""
    element, size = complete(element_type(type_)), _size_variable(low, place, node)
    is_followed = low.host and not low.constant and type_.name.startswith(_FOLLOWED)
    if not is_followed or size is None:
        return None
    if count > MOST_LISTED or size_of(element) is None:
        return None
    low.contents[size] = local_memory(low, Array(element, count + ROOM), "(contents)", node)
    return low.contents[size]


def _element_at(held: MemoryPlace, index: ir.Expression, element: Type) -> MemoryPlace:
    pointer = retype(held.address, Pointer(element))
    address = pointer_add(pointer, index, size_of(element), Pointer(element))
    return MemoryPlace(element, retype(address, Pointer(element)))


def listed(type_: Type, init: tree.Node | None) -> list[tree.Operand] | None:
    """The elements in `= {…}` or `{…}` of a container; None where it is made otherwise."""
    if not is_container(type_):
        return None
    if isinstance(init, tree.InitList):
        return list(init.exprs)
    if isinstance(init, tree.ConstructorInit) and init.braces:
        return list(init.args)
    return None


def _size_variable(low: Lowerer, place: Value, node: tree.Node) -> ir.Variable | None:
    field = find_field(complete(place.type), "#size")
    target = member(low, place, field, node) if field is not None else None
    return target.variable if isinstance(target, VariablePlace) else None


def _listed_element(
    low: Lowerer, source: Value, index: ir.Expression, node: tree.Node
) -> MemoryPlace | None:
    """An element of a container whose contents are followed; None for others."""
    size = _size_variable(low, source, node) if low.contents else None
    held = low.contents.get(size) if size is not None else None
    if held is None:
        return None
    return _element_at(held, index, complete(element_type(source.type)))


def set_size(low: Lowerer, place: Value, size: ir.Expression, node: tree.Node) -> None:
    if (known := _size_variable(low, place, node)) is not None:
        low.contents.pop(known, None)
    for name, value in (
        ("#size", size),
        (
            "#data",
            ir.Unknown(
                Pointer(element_type(place.type)), "unknown-pointer", (), False, "host memory"
            ),
        ),
    ):
        field = find_field(place.type, name)
        if field is not None:
            target = member(low, place, field, node)
            if isinstance(target, (VariablePlace, MemoryPlace)):
                assign(low, target, Scalar(convert(value, complete(field.type))), node, node, True)


def element_place(
    low: Lowerer, source: Value, index: ir.Expression, node: tree.Node
) -> Value | None:
    """An element of a container (opaque), or of a std::array (real)."""
    type_ = complete(source.type)
    held = find_field(type_, "_M_elems")
    if held is not None and isinstance(held.type, Array):
        base = scalar(low, rvalue(low, member(low, source, held, node), node), node)
        element = complete(held.type.element)
        if isinstance(base.type, Pointer):
            return MemoryPlace(
                element,
                retype(
                    pointer_add(base, index, size_of(element), Pointer(element)), Pointer(element)
                ),
            )
    if is_container(type_):
        listed = _listed_element(low, source, index, node)
        return listed or container_element(low, element_type(type_))
    return None


def container_element(low: Lowerer, element: Type) -> Value:
    """An element whose contents nobody follows: host data."""
    return OpaquePlace(element, "loaded-value", "host data")


def operator(
    low: Lowerer, op: str, operands: list[Value], nodes: Sequence[tree.Node], node: tree.Node
) -> Value | None:
    """Operators of library classes."""
    first = operands[0]
    if op == "[]" and accessors.is_accessor(first.type):
        return accessors.subscript(low, first, scalar(low, operands[1], nodes[1]), node)
    if strings.is_string(first.type) and op not in ("==", "!=", "<", ">"):
        lose_text(low, first, node)
    if op == "[]" and _is_modelled(first.type):
        return element_place(low, first, scalar(low, operands[1], nodes[1]), node)
    if strings.is_string(first.type) and op in ("==", "!="):
        sides = [
            _text_at(low, operand, source) for operand, source in zip(operands, nodes, strict=True)
        ]
        if sides[0] is not None and sides[1] is not None:
            return Scalar(binary(op, sides[0], sides[1]))
    if not is_container(first.type):
        return None
    if op in ("*", "->"):
        return container_element(low, element_type(first.type))
    return unknown("loaded-value", BOOL) if op in ("==", "!=", "<", ">") else None


def lose_text(low: Lowerer, place: Value, node: tree.Node) -> None:
    """A string may be changed."""
    set_size(low, place, ir.Unknown(ULONG, "loaded-value"), node)


def _text_at(low: Lowerer, value: Value, node: tree.Node) -> ir.Expression | None:
    """The number that stands for a string's text, or a literal's; None for other values."""
    text = strings.literal_text(value)
    if text is not None:
        return convert(strings.number(low, text), ULONG)
    if not strings.is_string(value.type):
        return None
    return convert(scalar(low, container_data(low, value, node), node), ULONG)


def _is_modelled(type_: Type) -> bool:
    return is_container(type_) or find_field(type_, "_M_elems") is not None


def method(
    low: Lowerer,
    callee: FunctionRef,
    values: list[Value],
    nodes: Sequence[tree.Node],
    node: tree.Node,
) -> Value | None:
    """A method of a modelled container; None for others."""
    this = callee.this
    if this is not None and accessors.is_accessor(this.type):
        return accessors.method(low, this, callee.name, values, nodes, node)
    if this is None or not _is_modelled(this.type):
        return None
    if strings.is_string(this.type) and callee.name not in strings.READING:
        lose_text(low, this, node)
    handler = _METHODS.get(callee.name)
    if handler is None:
        return unknown("loaded-value")
    return handler(low, this, list(zip(values, nodes, strict=False)), node)


_Pairs = list[tuple[Value, tree.Node]]  # arguments: what they are, how they are written


def _size(low: Lowerer, this: Value, given: _Pairs, node: tree.Node) -> Value:
    return container_size(low, this, node)


def _data(low: Lowerer, this: Value, given: _Pairs, node: tree.Node) -> Value:
    """A pointer to the contents."""
    first = _listed_element(low, this, integer(0, ULONG), node)
    return Scalar(first.address) if first is not None else container_data(low, this, node)


def _end(low: Lowerer, this: Value, given: _Pairs, node: tree.Node) -> Value:
    size = scalar(low, container_size(low, this, node), node)
    last = _listed_element(low, this, size, node)
    return Scalar(last.address) if last is not None else container_data(low, this, node)


def _empty(low: Lowerer, this: Value, given: _Pairs, node: tree.Node) -> Value:
    size = scalar(low, container_size(low, this, node), node)
    return Scalar(binary("==", size, integer(0, ULONG)))


def _resize(low: Lowerer, this: Value, given: _Pairs, node: tree.Node) -> Value:
    if not given:
        return unknown("loaded-value")
    set_size(low, this, convert(scalar(low, *given[0]), ULONG), node)
    return void_value()


def _append(low: Lowerer, this: Value, given: _Pairs, node: tree.Node) -> Value:
    """One more element, at the end of contents that are followed."""
    size = scalar(low, container_size(low, this, node), node)
    variable, held = _size_variable(low, this, node), None
    place = _listed_element(low, this, size, node)
    if place is not None and variable is not None and given:
        held = low.contents[variable]
        values, nodes = [value for value, _ in given], [source for _, source in given]
        if len(given) == 1 and complete(values[0].type) != OpaqueType("?"):
            assign(low, place, values[0], node, nodes[0])
        else:
            made = low.handlers.construct(low, place.type, values, nodes, node, False)
            assign(low, place, made, node, node)
    set_size(low, this, binary("+", size, integer(1, ULONG)), node)
    if held is not None and variable is not None:
        low.contents[variable] = held
    return void_value()


def _at(low: Lowerer, this: Value, given: _Pairs, node: tree.Node) -> Value | None:
    index = scalar(low, *given[0]) if given else integer(0, ULONG)
    return element_place(low, this, index, node)


def _back(low: Lowerer, this: Value, given: _Pairs, node: tree.Node) -> Value | None:
    size = scalar(low, container_size(low, this, node), node)
    return element_place(low, this, binary("-", size, integer(1, ULONG)), node)


_Method = Callable[[Lowerer, Value, _Pairs, Any], Value | None]
_METHODS: dict[str, _Method] = {
    **dict.fromkeys(("size", "length"), _size),
    **dict.fromkeys(("data", "begin", "cbegin", "c_str"), _data),
    **dict.fromkeys(("end", "cend"), _end),
    "empty": _empty,
    **dict.fromkeys(("resize", "assign"), _resize),
    **dict.fromkeys(("push_back", "emplace_back"), _append),
    **dict.fromkeys(("at", "front"), _at),
    "back": _back,
}
