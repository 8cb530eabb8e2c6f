"""The little that is known of host and std library: containers' sizes, std::min, allocation, and
the CUDA runtime's allocators.

In: calls and operators nobody defines. Out: values; None for what is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, reduce
from importlib import resources

from kernlint.base.tables import parsed
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import unconverted
from kernlint.ir.types import BOOL, ULONG, VOID, Array, Float, OpaqueType, Pointer, Record
from kernlint.lowering.context import Lowerer
from kernlint.lowering.expressions import containers, heap
from kernlint.lowering.expressions.bits import reinterpret
from kernlint.lowering.expressions.fold import binary, convert, integer, usual
from kernlint.lowering.expressions.places import (
    allocation,
    fresh,
    is_aggregate,
    member,
    on_heap,
    rvalue,
    scalar,
    unknown_value,
    void_value,
)
from kernlint.lowering.expressions.stores import assign
from kernlint.lowering.expressions.values import (
    FunctionRef,
    MemoryPlace,
    PlacePointer,
    Scalar,
    SplitPlace,
    Value,
    VariablePlace,
)
from kernlint.lowering.types import library, typenames
from kernlint.lowering.types.layout import complete
from kernlint.source.parser import tree

# in names of functions that copy, and of the directions that they are given
_TO_DEVICE = (
    *("ToSymbol", "ToArray", "HtoD", "DtoD", "AtoD", "HtoA", "DtoA", "AtoA", "Peer"),
    *("HostToDevice", "DeviceToDevice"),
)
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


# ------------------------------------------------------------------ functions


def plain_name(callee: FunctionRef) -> str:
    return callee.name.removeprefix("::").removeprefix("cuda::std::").removeprefix("std::")


def call(
    low: Lowerer,
    callee: FunctionRef,
    values: list[Value],
    nodes: Sequence[tree.Node],
    node: tree.Node,
) -> Value | None:
    """A library function by name; None when it is not known."""
    if callee.name.startswith(library.CONSTANT) and callee.this is not None:
        return callee.this
    name = plain_name(callee)
    handler = _FUNCTIONS.get(name)
    if handler is not None:
        return handler(low, callee, values, nodes, node)
    return allocate(low, values, nodes, node) if name in _ALLOCATORS else None


@cache
def runtime_functions() -> frozenset[str]:
    """The names of all functions of the runtimes and of CUDA's driver (`runtime_functions.toml`)."""
    [data] = parsed(
        "runtime-functions",
        [resources.files(__package__).joinpath("runtime_functions.toml").read_text("utf-8")],
    )
    prefixed = {"cuda": "runtime", "hip": "runtime hip", "cu": "driver"}
    return frozenset(
        f"{prefix}{name}"
        for prefix, tables in prefixed.items()
        for table in tables.split()
        for name in data[table].split()
    )


def runtime_call(
    low: Lowerer, name: str, values: list[Value], nodes: Sequence[tree.Node]
) -> Value | None:
    """Any other function of the CUDA or HIP runtime: it succeeds, and what it is given pointers to
    is forgotten; None for other names."""
    if name not in runtime_functions():
        return None
    is_attribute = name.endswith("DeviceGetAttribute") and len(nodes) > 1
    what = low.text(nodes[1]) if is_attribute else name
    for value, source in zip(values, nodes, strict=False):
        held = rvalue(low, value, source)
        if isinstance(held, PlacePointer):
            _forget(low, held.place, what, source)
    if values and "Memcpy" in name and _copies_to_host(low, name, nodes):
        target = rvalue(low, values[0], nodes[0])
        if isinstance(target, Scalar) and _may_decide(target.expression):
            low.emit(ir.Clobber(name, (target.expression,), low.span(nodes[0])))
    return Scalar(integer(0))  # success


def _copies_to_host(low: Lowerer, name: str, nodes: Sequence[tree.Node]) -> bool:
    """Whether a function that copies may write memory of the host: neither its name nor a direction
    that it is given says otherwise."""
    said = " ".join((name, *map(low.text, nodes[3:])))
    return not any(way in said for way in _TO_DEVICE)


def _may_decide(pointer: ir.Expression) -> bool:
    """Whether what a pointer points to may decide a launch: real numbers do not."""
    type_ = unconverted(pointer).type
    return isinstance(type_, Pointer) and not isinstance(complete(type_.pointee), Float)


def _forget(low: Lowerer, place: Value, name: str, node: tree.Node) -> None:
    if isinstance(place, (VariablePlace, SplitPlace)):
        assign(low, place, unknown_value(place.type, "unknown-function", (), name), node, node)


def allocate(
    low: Lowerer, values: list[Value], nodes: Sequence[tree.Node], node: tree.Node
) -> Value:
    """cudaMalloc(&p, n): p points to a fresh allocation of n bytes."""
    size = scalar(low, values[1], nodes[1]) if len(values) > 1 else None
    if values:
        allocate_bytes(low, values[0], nodes[0], size, node)
    return Scalar(integer(0))


def allocate_bytes(
    low: Lowerer, target: Value, source: tree.Node, size: ir.Expression | None, node: tree.Node
) -> None:
    """The pointer that `target` points to gets a fresh allocation of `size` bytes."""
    pointer = rvalue(low, target, source)
    place: Value | None = pointer.place if isinstance(pointer, PlacePointer) else None
    if isinstance(pointer, Scalar) and isinstance(pointer.type, Pointer):
        place = MemoryPlace(complete(pointer.type.pointee), pointer.expression)
    if place is not None:
        type_ = place.type if isinstance(place.type, Pointer) else Pointer(VOID)
        assign(low, place, allocation(low, type_, "cudaMalloc", node, size), source, source)


def _fresh_pointer(
    low: Lowerer,
    callee: FunctionRef,
    values: list[Value],
    nodes: Sequence[tree.Node],
    node: tree.Node,
) -> Value:
    """malloc and friends: host memory, of as many bytes as the arguments' product, the last alone
    beside an alignment."""
    wanted = values[-1:] if plain_name(callee) == "aligned_alloc" else values
    sizes = [
        convert(scalar(low, v, n), ULONG)
        for v, n in zip(wanted, nodes[-len(wanted) :], strict=True)
    ]
    size = reduce(lambda one, other: binary("*", one, other), sizes) if sizes else None
    return on_heap(low, Pointer(VOID), callee.name, size, node)


def _bit_cast(
    low: Lowerer,
    callee: FunctionRef,
    values: list[Value],
    nodes: Sequence[tree.Node],
    node: tree.Node,
) -> Value | None:
    if not callee.arguments or len(values) != 1:
        return None
    where = callee.arguments_scope or low.scope
    type_ = complete(typenames.resolve(low.program, callee.arguments[0], where).type)
    return reinterpret(rvalue(low, values[0], nodes[0]), type_)


def _pipeline(
    low: Lowerer,
    callee: FunctionRef,
    values: list[Value],
    nodes: Sequence[tree.Node],
    node: tree.Node,
) -> Value:
    """cuda::make_pipeline: an object of nothing but methods."""
    return Scalar(ir.Constant(OpaqueType("cuda::pipeline"), 0))


def _extreme(
    op: str,
) -> Callable[[Lowerer, FunctionRef, list[Value], Sequence[tree.Node], tree.Node], Value | None]:
    def made(
        low: Lowerer,
        callee: FunctionRef,
        values: list[Value],
        nodes: Sequence[tree.Node],
        node: tree.Node,
    ) -> Value | None:
        if len(values) < 2 or any(is_aggregate(v.type) for v in values[:2]):
            return None
        left, right = (scalar(low, v, n) for v, n in zip(values[:2], nodes[:2], strict=False))
        common = usual(left.type, right.type)
        return Scalar(binary(op, convert(left, common), convert(right, common)))

    return made


def _gcd(
    low: Lowerer,
    callee: FunctionRef,
    values: list[Value],
    nodes: Sequence[tree.Node],
    node: tree.Node,
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
    low: Lowerer,
    callee: FunctionRef,
    values: list[Value],
    nodes: Sequence[tree.Node],
    node: tree.Node,
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
    low: Lowerer,
    callee: FunctionRef,
    values: list[Value],
    nodes: Sequence[tree.Node],
    node: tree.Node,
) -> Value | None:
    if values and isinstance(complete(values[0].type), Array):
        type_ = complete(values[0].type)
        assert isinstance(type_, Array)
        return Scalar(integer(type_.count, ULONG)) if type_.count is not None else None
    return containers.container_size(low, values[0], node) if values else None


def _move(
    low: Lowerer,
    callee: FunctionRef,
    values: list[Value],
    nodes: Sequence[tree.Node],
    node: tree.Node,
) -> Value | None:
    return values[0] if values else None


def _reference_wrapper(
    low: Lowerer,
    callee: FunctionRef,
    values: list[Value],
    nodes: Sequence[tree.Node],
    node: tree.Node,
) -> Value | None:
    return values[0] if values else None


def _declval(
    low: Lowerer,
    callee: FunctionRef,
    values: list[Value],
    nodes: Sequence[tree.Node],
    node: tree.Node,
) -> Value | None:
    if not callee.arguments:
        return None
    type_ = typenames.resolve(
        low.program, callee.arguments[0], callee.arguments_scope or low.scope
    ).type
    return unknown_value(type_, "unknown-argument")


def _make_pair(
    low: Lowerer,
    callee: FunctionRef,
    values: list[Value],
    nodes: Sequence[tree.Node],
    node: tree.Node,
) -> Value | None:
    if len(values) != 2:
        return None
    held = [rvalue(low, v, n) for v, n in zip(values, nodes, strict=True)]
    return _filled(low, library.pair(*(complete(one.type) for one in held)), held, nodes)


def _make_tuple(
    low: Lowerer,
    callee: FunctionRef,
    values: list[Value],
    nodes: Sequence[tree.Node],
    node: tree.Node,
) -> Value | None:
    held = [rvalue(low, v, n) for v, n in zip(values, nodes, strict=True)]
    return _filled(low, library.tuple_of([complete(one.type) for one in held]), held, nodes)


def _filled(low: Lowerer, type_: Record, parts: list[Value], nodes: Sequence[tree.Node]) -> Value:
    place = fresh(low, type_, "(tuple)")
    for field, one, source in zip(type_.fields, parts, nodes, strict=True):
        assign(low, member(low, place, field, source), one, source, source, True)
    return place


def parts_of(low: Lowerer, value: Value, node: tree.Node) -> list[Value] | None:
    """The elements of a tuple or pair; None of other values."""
    type_ = complete(value.type)
    if not isinstance(type_, Record) or not type_.name.startswith(("std::tuple<", "std::pair<")):
        return None
    return [member(low, value, field, node) for field in type_.fields]


def _tuple_cat(
    low: Lowerer,
    callee: FunctionRef,
    values: list[Value],
    nodes: Sequence[tree.Node],
    node: tree.Node,
) -> Value | None:
    held: list[Value] = []
    for value, written in zip(values, nodes, strict=True):
        parts = parts_of(low, value, written)
        if parts is None:
            return None
        held += [rvalue(low, part, written) for part in parts]
    type_ = library.tuple_of([complete(one.type) for one in held])
    return _filled(low, type_, held, [node] * len(held))


def _get(
    low: Lowerer,
    callee: FunctionRef,
    values: list[Value],
    nodes: Sequence[tree.Node],
    node: tree.Node,
) -> Value | None:
    """`std::get<i>(t)` of a tuple, pair or array."""
    where = callee.arguments_scope or low.scope
    found = low.program.constant(callee.arguments[0], where) if callee.arguments else None
    if found is None or len(values) != 1:
        return None
    type_, number = complete(values[0].type), int(found.value)
    if not isinstance(type_, Record) or type_.definition is not None:
        return containers.element_place(low, values[0], integer(number, ULONG), node)
    if not 0 <= number < len(type_.fields):
        return None
    return member(low, values[0], type_.fields[number], node)


def _make_owner(
    low: Lowerer,
    callee: FunctionRef,
    values: list[Value],
    nodes: Sequence[tree.Node],
    node: tree.Node,
) -> Value | None:
    """`std::make_unique<T>(args)`, `std::make_unique<T[]>(n)` and those of shared pointers."""
    if not low.host or low.constant or not callee.arguments:
        return None
    where = callee.arguments_scope or low.scope
    type_ = typenames.resolve(low.program, callee.arguments[0], where).type
    name = plain_name(callee).removeprefix("make_") + "_ptr"
    if isinstance(type_, Array):
        count = scalar(low, values[0], nodes[0]) if values else integer(type_.count or 1, ULONG)
        pointer = heap.new_array(low, type_.element, count, [], node)
    else:
        pointer = heap.new_object(low, type_, values, nodes, node)
    owner = library.owner(low.program, name, type_)
    return low.handlers.construct(low, owner, [pointer], [node], node, False)


def _is_constant_evaluated(
    low: Lowerer,
    callee: FunctionRef,
    values: list[Value],
    nodes: Sequence[tree.Node],
    node: tree.Node,
) -> Value | None:
    return Scalar(integer(int(low.constant), BOOL))


_FUNCTIONS: dict[str, Callable[[Lowerer, FunctionRef, list[Value], Sequence[tree.Node], tree.Node], Value | None]] = {
    "min": _extreme("min"), "max": _extreme("max"), "gcd": _gcd,
    "swap": _swap, "size": _container_size, "ssize": _container_size, "move": _move,
    "forward": _move,
    "make_tuple": _make_tuple, "tuple": _make_tuple, "tuple_cat": _tuple_cat, "pair": _make_pair, "get": _get, "make_unique": _make_owner, "make_shared": _make_owner,
    "ref": _reference_wrapper, "cref": _reference_wrapper, "declval": _declval, "make_pair": _make_pair, "malloc": _fresh_pointer,
    "calloc": _fresh_pointer,
    "cuda::make_pipeline": _pipeline, "bit_cast": _bit_cast,
    "is_constant_evaluated": _is_constant_evaluated, "aligned_alloc": _fresh_pointer,
}  # fmt: skip
