"""The little that is known of host and std library: containers' sizes, std::min, allocation, and
the CUDA runtime's allocators.

In: calls and operators nobody defines. Out: values; None for what is not known.
"""

from __future__ import annotations

from collections.abc import Callable

from kernlint.ir import nodes as ir
from kernlint.ir.types import BOOL, ULONG, VOID, Array, OpaqueType, Pointer, Record, Type
from kernlint.lowering.context import Lowerer
from kernlint.lowering.expressions import accessors
from kernlint.lowering.expressions.fold import binary, convert, integer, pointer_add, retype, usual
from kernlint.lowering.expressions.places import (
    fresh,
    is_aggregate,
    member,
    rvalue,
    scalar,
    unknown,
    unknown_value,
    void_value,
)
from kernlint.lowering.expressions.stores import assign
from kernlint.lowering.expressions.values import (
    Aggregate,
    BracedList,
    FunctionRef,
    MemoryPlace,
    OpaquePlace,
    Place,
    PlacePointer,
    Scalar,
    SplitPlace,
    Value,
    VariablePlace,
)
from kernlint.lowering.syntax import Node
from kernlint.lowering.types import typenames
from kernlint.lowering.types.layout import complete, find_field, size_of

_ALLOCATORS = frozenset(
    {
        "cudaMalloc",
        "cudaMallocManaged",
        "cudaMallocAsync",
        "hipMalloc",
        "hipMallocManaged",
        "cuMemAlloc",
        "cudaMallocHost",
        "hipHostMalloc",
        "cudaHostAlloc",
    }
)
_RUNTIME = ("cuda", "hip", "cublas", "curand", "cufft", "nvtx")
_SIZES = {"size", "length"}
_POINTERS = {"data", "begin", "end", "cbegin", "cend", "get", "c_str"}


def is_container(type_: Type) -> bool:
    type_ = complete(type_)
    return isinstance(type_, Record) and type_.kind == "container"


def element_type(type_: Type) -> Type:
    type_ = complete(type_)
    return (
        type_.definition[1]
        if isinstance(type_, Record) and isinstance(type_.definition, tuple)
        else OpaqueType("?")
    )


def _size(low: Lowerer, value: Value, node: Node) -> Value:
    type_ = complete(value.type)
    field = find_field(type_, "#size")
    if field is not None:
        return member(low, value, field, node)
    held = find_field(type_, "_M_elems")
    if held is not None and isinstance(held.type, Array) and held.type.count is not None:
        return Scalar(integer(held.type.count, ULONG))
    return unknown("unknown-type", ULONG)


def _data(low: Lowerer, value: Value, node: Node) -> Value:
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
    low: Lowerer, place: Place, type_: Record, values: list[Value], nodes: list[Node]
) -> None:
    """`std::vector<T> v(n)`, `v(n, x)`, `v{…}`: the size is followed, the contents are not."""
    if type_.kind != "container":
        if len(values) == 1 and complete(values[0].type) == type_:
            assign(low, place, values[0], nodes[0], nodes[0], True)
            return
        for field, value, source in zip(type_.fields, values, nodes, strict=False):
            assign(low, member(low, place, field, source), value, source, source, True)
        return
    size: ir.Expression = integer(0, ULONG)
    if len(values) == 1 and is_container(values[0].type):
        size = scalar(low, _size(low, values[0], nodes[0]), nodes[0])
    elif values and not isinstance(values[0], BracedList):
        found = rvalue(low, values[0], nodes[0])
        size = (
            convert(scalar(low, found, nodes[0]), ULONG)
            if isinstance(found, Scalar) and not isinstance(found.type, Pointer)
            else ir.Unknown(ULONG, "unsupported")
        )
    elif values and isinstance(values[0], BracedList):
        size = integer(len(values[0].items), ULONG)
    set_size(low, place, size, nodes[0] if nodes else None)


def set_size(low: Lowerer, place: Value, size: ir.Expression, node: Node | None) -> None:
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


def element_place(low: Lowerer, source: Value, index: ir.Expression, node: Node) -> Value | None:
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
        return container_element(low, element_type(type_))
    return None


def container_element(low: Lowerer, element: Type) -> Value:
    """An element whose contents nobody follows: host data."""
    return OpaquePlace(element, "loaded-value", "host data")


def operator(
    low: Lowerer, op: str, operands: list[Value], nodes: list[Node], node: Node
) -> Value | None:
    """Operators of library classes."""
    if op == "[]" and accessors.is_accessor(operands[0].type):
        return accessors.subscript(low, operands[0], scalar(low, operands[1], nodes[1]), node)
    if op == "[]" and (
        is_container(operands[0].type) or find_field(operands[0].type, "_M_elems") is not None
    ):
        return element_place(low, operands[0], scalar(low, operands[1], nodes[1]), node)
    if op in ("*", "->") and is_container(operands[0].type):
        return container_element(low, element_type(operands[0].type))
    if op in ("==", "!=", "<", ">") and is_container(operands[0].type):
        return unknown("loaded-value", BOOL)
    return None


def method(
    low: Lowerer, callee: FunctionRef, values: list[Value], nodes: list[Node], node: Node
) -> Value | None:
    """A method of a modelled container; None for others."""
    this = callee.this
    if this is not None and accessors.is_accessor(this.type):
        return accessors.method(low, this, callee.name, values, nodes, node)
    if this is None or not (
        is_container(this.type) or find_field(this.type, "_M_elems") is not None
    ):
        return None
    name = callee.name
    if name in _SIZES:
        return _size(low, this, node)
    if name in _POINTERS:
        return _data(low, this, node)
    if name == "empty":
        return Scalar(binary("==", scalar(low, _size(low, this, node), node), integer(0, ULONG)))
    if name in ("resize", "assign") and values:
        set_size(low, this, convert(scalar(low, values[0], nodes[0]), ULONG), node)
        return void_value()
    if name in ("push_back", "emplace_back"):
        set_size(
            low,
            this,
            binary("+", scalar(low, _size(low, this, node), node), integer(1, ULONG)),
            node,
        )
        return void_value()
    if name in ("at", "front", "back"):
        index = scalar(low, values[0], nodes[0]) if values else integer(0, ULONG)
        return element_place(low, this, index, node)
    return unknown("loaded-value")


def static_member(low: Lowerer, type_: Type, name: str) -> Value:
    return unknown("unsupported")


def constant_function(name: str, value: Value) -> Value:
    """`std::numeric_limits<T>::max` before its call: a function that gives `value`."""
    return FunctionRef((), f"#constant {name}", this=value)


# ------------------------------------------------------------------ functions


def call(
    low: Lowerer, callee: FunctionRef, values: list[Value], nodes: list[Node], node: Node
) -> Value | None:
    """A library function by name; None when it is not known."""
    if callee.name.startswith("#constant ") and callee.this is not None:
        return callee.this
    name = callee.name.removeprefix("::").removeprefix("std::")
    handler = _FUNCTIONS.get(name)
    if handler is not None:
        return handler(low, callee, values, nodes, node)
    if name in _ALLOCATORS:
        return allocate(low, values, nodes, node)
    if low.host:
        from kernlint.lowering.launches import runtime_call

        found = runtime_call(low, name, callee, values, nodes, node)
        if found is not None:
            return found
    if low.host and name.startswith(_RUNTIME):
        for value, source in zip(values, nodes, strict=False):
            held = rvalue(low, value, source)
            if isinstance(held, PlacePointer):
                _forget(low, held.place, name, source)
        return Scalar(integer(0))  # success
    return None


def _forget(low: Lowerer, place: Value, name: str, node: Node) -> None:
    if isinstance(place, (VariablePlace, SplitPlace)):
        assign(low, place, unknown_value(place.type, "unknown-function", (), name), node, node)


def allocate(low: Lowerer, values: list[Value], nodes: list[Node], node: Node) -> Value:
    """cudaMalloc(&p, n): p points to a fresh allocation."""
    if values:
        pointer = rvalue(low, values[0], nodes[0])
        place: Value | None = pointer.place if isinstance(pointer, PlacePointer) else None
        if isinstance(pointer, Scalar) and isinstance(pointer.type, Pointer):
            place = MemoryPlace(complete(pointer.type.pointee), pointer.expression)
        if place is not None:
            type_ = place.type if isinstance(place.type, Pointer) else Pointer(VOID)
            made = low.temporary(type_, "(allocation)")
            low.emit(ir.Allocate(made, low.span(node)))
            assign(low, place, Scalar(ir.Read(type_, made)), nodes[0], nodes[0])
    return Scalar(integer(0))


def _fresh_pointer(
    low: Lowerer, callee: FunctionRef, values: list[Value], nodes: list[Node], node: Node
) -> Value:
    """malloc and friends: host memory."""
    made = low.temporary(Pointer(VOID), "(allocation)")
    low.emit(ir.Allocate(made, low.span(node)))
    return Scalar(ir.Read(made.type, made))


def _extreme(
    op: str,
) -> Callable[[Lowerer, FunctionRef, list[Value], list[Node], Node], Value | None]:
    def made(
        low: Lowerer, callee: FunctionRef, values: list[Value], nodes: list[Node], node: Node
    ) -> Value | None:
        if len(values) < 2 or any(is_aggregate(v.type) for v in values[:2]):
            return None
        left, right = (scalar(low, v, n) for v, n in zip(values[:2], nodes[:2], strict=False))
        common = usual(left.type, right.type)
        return Scalar(binary(op, convert(left, common), convert(right, common)))

    return made


def _gcd(
    low: Lowerer, callee: FunctionRef, values: list[Value], nodes: list[Node], node: Node
) -> Value | None:
    """`std::gcd(16 / sizeof(T), n)`: it divides each of the two, so it is no more than one that is
    known."""
    if len(values) != 2 or any(is_aggregate(v.type) for v in values):
        return None
    sides = [scalar(low, v, n) for v, n in zip(values, nodes, strict=True)]
    common = usual(sides[0].type, sides[1].type)
    sides = [convert(side, common) for side in sides]
    known = [side for side in sides if isinstance(side, ir.Constant) and side.value]
    found: ir.Expression = ir.Call(common, "gcd", tuple(sides))
    for side in known:
        found = binary("min", found, side)
    return Scalar(found)


def _swap(
    low: Lowerer, callee: FunctionRef, values: list[Value], nodes: list[Node], node: Node
) -> Value | None:
    if len(values) != 2:
        return None
    first = rvalue(low, values[0], nodes[0])
    held = fresh(low, complete(first.type), "(swap)")
    assign(low, held, first, nodes[0], nodes[0], True)
    assign(low, values[0], rvalue(low, values[1], nodes[1]), nodes[0], nodes[1])
    assign(low, values[1], rvalue(low, held, nodes[0]), nodes[1], nodes[0])
    return void_value()


def _container_size(
    low: Lowerer, callee: FunctionRef, values: list[Value], nodes: list[Node], node: Node
) -> Value | None:
    if values and isinstance(complete(values[0].type), Array):
        type_ = complete(values[0].type)
        assert isinstance(type_, Array)
        return Scalar(integer(type_.count, ULONG)) if type_.count is not None else None
    return _size(low, values[0], node) if values else None


def _move(
    low: Lowerer, callee: FunctionRef, values: list[Value], nodes: list[Node], node: Node
) -> Value | None:
    return values[0] if values else None


def _reference_wrapper(
    low: Lowerer, callee: FunctionRef, values: list[Value], nodes: list[Node], node: Node
) -> Value | None:
    return values[0] if values else None


def _declval(
    low: Lowerer, callee: FunctionRef, values: list[Value], nodes: list[Node], node: Node
) -> Value | None:
    if not callee.arguments:
        return None
    type_ = typenames.resolve(
        low.program, callee.arguments[0], callee.arguments_scope or low.scope
    ).type
    return unknown_value(type_, "unknown-argument")


def _make_pair(
    low: Lowerer, callee: FunctionRef, values: list[Value], nodes: list[Node], node: Node
) -> Value | None:
    from kernlint.lowering.calls import library

    if len(values) != 2:
        return None
    held = [rvalue(low, v, n) for v, n in zip(values, nodes, strict=True)]
    type_ = library.pair(complete(held[0].type), complete(held[1].type))
    leaves_: dict[int, ir.Expression] = {}
    for field, value in zip(type_.fields, held, strict=True):
        if isinstance(value, Scalar):
            leaves_[field.offset] = value.expression
        elif isinstance(value, Aggregate):
            leaves_.update({field.offset + o: e for o, e in value.leaves.items()})
    return Aggregate(type_, leaves_)


def _is_constant_evaluated(
    low: Lowerer, callee: FunctionRef, values: list[Value], nodes: list[Node], node: Node
) -> Value | None:
    return Scalar(integer(int(low.constant), BOOL))


_FUNCTIONS: dict[str, Callable[[Lowerer, FunctionRef, list[Value], list[Node], Node], Value | None]] = {
    "min": _extreme("min"), "max": _extreme("max"), "gcd": _gcd,
    "swap": _swap, "size": _container_size, "ssize": _container_size, "move": _move,
    "forward": _move,
    "ref": _reference_wrapper, "cref": _reference_wrapper, "declval": _declval, "make_pair": _make_pair, "malloc": _fresh_pointer,
    "calloc": _fresh_pointer,
    "is_constant_evaluated": _is_constant_evaluated, "aligned_alloc": _fresh_pointer,
}  # fmt: skip
