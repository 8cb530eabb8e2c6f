"""Library containers as far as they are modelled: sizes are followed; contents are for `std::array`
and, in host code, for `std::vector`, whose elements lie on the heap.

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
from kernlint.lowering.expressions.contents import followed, make_room, own_contents
from kernlint.lowering.expressions.fold import binary, convert, integer, pointer_add, retype
from kernlint.lowering.expressions.places import (
    allocation,
    fresh,
    member,
    rvalue,
    scalar,
    unknown,
    void_value,
)
from kernlint.lowering.expressions.stores import assign
from kernlint.lowering.expressions.values import (
    PLACES,
    Aggregate,
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
    """`std::vector<T> v(n)`, `v(n, x)`, `v(w)`, `v(first, last)`: the size is followed, and in host
    code the contents."""
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
    first = values[0]
    if len(values) == 1 and (text := strings.from_literal(low, type_, first)) is not None:
        assign(low, place, text, nodes[0], nodes[0], True)
    elif isinstance(first, BracedList):
        construct_listed(low, place, type_, first.items, node)
    elif len(values) == 1 and complete(first.type) == type_:
        assign(low, place, first, nodes[0], nodes[0], True)
    elif len(values) == 1 and is_container(first.type):
        size = scalar(low, container_size(low, first, nodes[0]), nodes[0])
        set_size(low, place, size, nodes[0])
    else:
        found = [rvalue(low, value, one) for value, one in zip(values, nodes, strict=True)]
        _construct_counted(low, place, type_, found, nodes)


def _construct_counted(
    low: Lowerer, place: Place, type_: Record, values: list[Value], nodes: Sequence[tree.Node]
) -> None:
    """`v(n)`, `v(n, x)`, `v(first, last)`."""
    if not isinstance(values[0], Scalar):
        set_size(low, place, ir.Unknown(ULONG, "unsupported"), nodes[0])
        return
    first = scalar(low, values[0], nodes[0])
    if isinstance(first.type, Pointer):
        _construct_from_range(low, place, type_, values, nodes)
        return
    size = convert(first, ULONG)
    set_size(low, place, size, nodes[0])
    element = complete(element_type(type_))
    count = int(size.value) if isinstance(size, ir.Constant) else MOST_FILLED + 1
    if count <= MOST_FILLED and followed(low, type_) and isinstance(element, Integer):
        filled = values[1] if len(values) > 1 else Scalar(integer(0))
        for number in range(count):
            at = element_place(low, place, integer(number, ULONG), nodes[-1])
            assert at is not None
            assign(low, at, filled, nodes[-1], nodes[-1], True)


def _construct_from_range(
    low: Lowerer, place: Place, type_: Record, values: list[Value], nodes: Sequence[tree.Node]
) -> None:
    """`v(a, a + n)`."""
    width = size_of(complete(element_type(type_)))
    last = scalar(low, values[1], nodes[1]) if len(values) > 1 else None
    if last is None or width is None or not isinstance(last.type, Pointer):
        set_size(low, place, ir.Unknown(ULONG, "unsupported"), nodes[0])
        return
    first = scalar(low, values[0], nodes[0])
    apart = binary("-", convert(last, ULONG), convert(first, ULONG))
    size = binary("/", apart, integer(width, ULONG))
    given = Aggregate(type_, {0: size, 8: retype(first, Pointer(element_type(type_)))})
    assign(low, place, given, nodes[0], nodes[0], True)


MOST_FILLED = 64


def construct_listed(
    low: Lowerer, place: Place, type_: Record, items: Sequence[tree.Operand], node: tree.Node
) -> None:
    """`std::vector<T> v{…}` or `= {…}`, or an empty one."""
    set_size(low, place, integer(len(items), ULONG), node)
    if items and followed(low, type_):
        data = scalar(low, container_data(low, place, node), node)
        given = MemoryPlace(Array(complete(element_type(type_)), len(items)), data)
        assign(low, given, BracedList(tuple(items), node), node, node, True)


def listed(type_: Type, init: tree.Node | None) -> list[tree.Operand] | None:
    """The elements in `= {…}` or `{…}` of a container; None where it is made otherwise."""
    if not is_container(type_):
        return None
    if isinstance(init, tree.InitList):
        return list(init.exprs)
    if isinstance(init, tree.ConstructorInit) and init.braces:
        return list(init.args)
    return None


def set_size(low: Lowerer, place: Value, size: ir.Expression, node: tree.Node) -> None:
    """A container of so many elements, of which nothing else is known."""
    type_ = complete(place.type)
    element_size = size_of(complete(element_type(type_)))
    if low.host and _is_on_device(type_) and element_size is not None:
        bytes_ = binary("*", convert(size, ULONG), integer(element_size, ULONG))
        pointer = Pointer(element_type(type_))
        data: ir.Expression = allocation(low, pointer, str(type_), node, bytes_).expression
    elif isinstance(type_, Record) and followed(low, type_):
        data = make_room(low, type_, size, node)
    else:
        unfollowed = Pointer(element_type(type_))
        data = ir.Unknown(unfollowed, "unknown-pointer", (), False, "host memory")
    for name, value in (("#size", size), ("#data", data)):
        _set(low, place, name, value, node)


def _is_on_device(type_: Type) -> bool:
    return str(type_).split("<")[0].endswith("device_vector")


def _set(low: Lowerer, place: Value, name: str, value: ir.Expression, node: tree.Node) -> None:
    field = find_field(place.type, name)
    if field is not None:
        target = member(low, place, field, node)
        if isinstance(target, (VariablePlace, MemoryPlace)):
            assign(low, target, Scalar(convert(value, complete(field.type))), node, node, True)


def _followed_element(
    low: Lowerer, source: Value, index: ir.Expression, node: tree.Node
) -> MemoryPlace | None:
    """An element of a container whose contents are followed; None for others."""
    type_ = complete(source.type)
    if not isinstance(type_, Record):
        return None
    if not (followed(low, type_) or (low.host and _is_on_device(type_))):
        return None
    data = scalar(low, container_data(low, source, node), node)
    element = complete(element_type(type_))
    pointer = retype(data, Pointer(element))
    address = pointer_add(pointer, index, size_of(element), Pointer(element))
    return MemoryPlace(element, retype(address, Pointer(element)))


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
        found = _followed_element(low, source, index, node)
        return found or container_element(low, element_type(type_))
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
        lose_contents(low, first, node)
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


def lose_contents(low: Lowerer, place: Value, node: tree.Node) -> None:
    """A container may be changed."""
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
    if this is not None and isinstance(complete(this.type), Pointer) and callee.name == "get":
        return rvalue(low, this, node)  # of a `thrust::device_ptr`, which is followed as a pointer
    if this is None or not _is_modelled(this.type):
        return None
    if strings.is_string(this.type) and callee.name not in strings.READING:
        lose_contents(low, this, node)
    handler = _METHODS.get(callee.name)
    if handler is None:
        if callee.name not in _READING and is_container(this.type):
            lose_contents(low, this, node)
        return unknown("loaded-value")
    return handler(low, this, list(zip(values, nodes, strict=False)), node)


_Pairs = list[tuple[Value, tree.Node]]  # arguments: what they are, how they are written


def _size(low: Lowerer, this: Value, given: _Pairs, node: tree.Node) -> Value:
    return container_size(low, this, node)


def _data(low: Lowerer, this: Value, given: _Pairs, node: tree.Node) -> Value:
    """A pointer to the contents."""
    return container_data(low, this, node)


def _end(low: Lowerer, this: Value, given: _Pairs, node: tree.Node) -> Value:
    size = scalar(low, container_size(low, this, node), node)
    last = _followed_element(low, this, size, node)
    if last is not None:
        return Scalar(last.address)
    data, element = container_data(low, this, node), complete(element_type(complete(this.type)))
    width = size_of(element)
    if width is None or not isinstance(data, Scalar):
        return unknown("unknown-type", Pointer(VOID))
    pointer = retype(data.expression, Pointer(element))
    return Scalar(pointer_add(pointer, size, width, Pointer(element)))


def _empty(low: Lowerer, this: Value, given: _Pairs, node: tree.Node) -> Value:
    size = scalar(low, container_size(low, this, node), node)
    return Scalar(binary("==", size, integer(0, ULONG)))


def _resize(low: Lowerer, this: Value, given: _Pairs, node: tree.Node) -> Value:
    """The elements that were there stay; what is behind them is not followed."""
    if not given:
        return unknown("loaded-value")
    size = convert(scalar(low, *given[0]), ULONG)
    held, type_ = rvalue(low, this, node), complete(this.type)
    if _is_on_device(type_):
        set_size(low, this, size, node)
        return void_value()
    if not isinstance(held, Aggregate) or not isinstance(type_, Record) or not followed(low, type_):
        set_size(low, this, size, node)
        return void_value()
    kept = {**held.leaves, 0: binary("min", held.leaves[0], size)}
    data = own_contents(low, Aggregate(type_, kept), node, size).leaves[8]
    _set(low, this, "#size", size, node)
    _set(low, this, "#data", data, node)
    return void_value()


def _assign(low: Lowerer, this: Value, given: _Pairs, node: tree.Node) -> Value:
    type_, values = complete(this.type), [value for value, _ in given]
    if isinstance(type_, Record) and isinstance(this, PLACES) and given:
        construct_container(low, this, type_, values, [source for _, source in given], node)
    return void_value()


def _append(low: Lowerer, this: Value, given: _Pairs, node: tree.Node) -> Value:
    """One more element, at the end."""
    size = scalar(low, container_size(low, this, node), node)
    if _is_on_device(complete(this.type)):
        set_size(low, this, binary("+", size, integer(1, ULONG)), node)
        return void_value()
    place = _followed_element(low, this, size, node)
    if place is not None and given:
        values, nodes = [value for value, _ in given], [source for _, source in given]
        if len(given) == 1 and complete(values[0].type) != OpaqueType("?"):
            assign(low, place, values[0], node, nodes[0])
        else:
            made = low.handlers.construct(low, place.type, values, nodes, node, False)
            assign(low, place, made, node, node)
    if place is None:
        set_size(low, this, binary("+", size, integer(1, ULONG)), node)
    else:
        _set(low, this, "#size", binary("+", size, integer(1, ULONG)), node)
    return void_value()


def _remove_last(low: Lowerer, this: Value, given: _Pairs, node: tree.Node) -> Value:
    size = scalar(low, container_size(low, this, node), node)
    _set(low, this, "#size", binary("-", size, integer(1, ULONG)), node)
    return void_value()


def _clear(low: Lowerer, this: Value, given: _Pairs, node: tree.Node) -> Value:
    _set(low, this, "#size", integer(0, ULONG), node)
    return void_value()


def _swap(low: Lowerer, this: Value, given: _Pairs, node: tree.Node) -> Value:
    held = rvalue(low, this, node)
    if len(given) == 1:
        other, source = given[0]
        kept = fresh(low, complete(this.type), "(swap)")
        assign(low, kept, held, node, node, True)
        assign(low, this, other, node, source)
        assign(low, other, kept, source, node)
    return void_value()


def _reserve(low: Lowerer, this: Value, given: _Pairs, node: tree.Node) -> Value:
    return void_value()


def _at(low: Lowerer, this: Value, given: _Pairs, node: tree.Node) -> Value | None:
    index = scalar(low, *given[0]) if given else integer(0, ULONG)
    return element_place(low, this, index, node)


def _back(low: Lowerer, this: Value, given: _Pairs, node: tree.Node) -> Value | None:
    size = scalar(low, container_size(low, this, node), node)
    return element_place(low, this, binary("-", size, integer(1, ULONG)), node)


# other methods that leave a container as it is and give no way to change it
_READING = frozenset(("capacity", "max_size", "crbegin", "crend", *strings.READING))
_Method = Callable[[Lowerer, Value, _Pairs, Any], Value | None]
_METHODS: dict[str, _Method] = {
    **dict.fromkeys(("size", "length"), _size),
    **dict.fromkeys(("data", "begin", "cbegin", "c_str"), _data),
    **dict.fromkeys(("end", "cend"), _end),
    "empty": _empty,
    **{"resize": _resize, "assign": _assign, "pop_back": _remove_last},
    **{"clear": _clear, "swap": _swap, "reserve": _reserve, "shrink_to_fit": _reserve},
    **dict.fromkeys(("push_back", "emplace_back"), _append),
    **dict.fromkeys(("at", "front"), _at),
    "back": _back,
}
