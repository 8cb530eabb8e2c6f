"""Tensor accessors of PyTorch's headers, which kernels index and kernlint never sees: `x[i][j]` of
a `PackedTensorAccessor32<float, 2>`.

In: subscripts and methods of such values (`torch_types.accessor`). Out: places and values. Source:
ATen/core/TensorAccessor.h of PyTorch 2: a pointer, then the sizes, then the strides; a subscript
adds index times the first stride, the last one is the element. Sizes and strides are the tensor's
own: unknown, unless the user gives them (`--arg x.stride1=1`).
"""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.ir import nodes as ir
from kernlint.ir.types import LONG, Pointer, Record, Type
from kernlint.lowering.context import Lowerer
from kernlint.lowering.expressions.fold import binary, convert, pointer_add, retype
from kernlint.lowering.expressions.places import fresh, member, rvalue, scalar, unknown
from kernlint.lowering.expressions.stores import assign
from kernlint.lowering.expressions.values import MemoryPlace, Place, Scalar, Value
from kernlint.lowering.types.layout import complete, find_field, size_of
from kernlint.lowering.types.torch_types import ACCESSOR, DATA, accessor
from kernlint.source.parser import tree


def is_accessor(type_: Type) -> bool:
    type_ = complete(type_)
    return isinstance(type_, Record) and type_.kind == ACCESSOR


def _part(low: Lowerer, value: Value, name: str, node: tree.Node) -> ir.Expression | None:
    field = find_field(complete(value.type), name)
    return (
        scalar(low, rvalue(low, member(low, value, field, node), node), node)
        if field is not None
        else None
    )


def subscript(low: Lowerer, value: Value, index: ir.Expression, node: tree.Node) -> Value:
    """`x[i]`: the element, or the accessor of one dimension less."""
    type_ = complete(value.type)
    assert isinstance(type_, Record)
    pointer = type_.fields[0].type
    assert isinstance(pointer, Pointer)
    element, rank = complete(pointer.pointee), len(type_.fields) // 2
    data, stride = _part(low, value, DATA, node), _part(low, value, "stride0", node)
    if data is None or stride is None:
        return unknown("unsupported")
    step = binary("*", convert(index, LONG), convert(stride, LONG))
    address = retype(pointer_add(data, step, size_of(element), Pointer(element)), Pointer(element))
    if rank == 1:
        return MemoryPlace(element, address)
    rest = fresh(low, accessor(element, rank - 1, complete(type_.fields[1].type)), "", 0, node)
    _set(low, rest, DATA, address, node)
    for what in ("size", "stride"):
        for dimension in range(rank - 1):
            given = _part(low, value, f"{what}{dimension + 1}", node)
            if given is not None:
                _set(low, rest, f"{what}{dimension}", given, node)
    return rest


def _set(low: Lowerer, place: Place, name: str, value: ir.Expression, node: tree.Node) -> None:
    field = find_field(complete(place.type), name)
    if field is not None:
        assign(low, member(low, place, field, node), Scalar(value), node, node, True)


def method(
    low: Lowerer,
    this: Value,
    name: str,
    values: list[Value],
    nodes: Sequence[tree.Node],
    node: tree.Node,
) -> Value:
    """`x.size(0)`, `x.stride(1)`, `x.data()`."""
    if name == "data":
        data = _part(low, this, DATA, node)
        return Scalar(data) if data is not None else unknown("unsupported")
    dimension = scalar(low, values[0], nodes[0]) if name in ("size", "stride") and values else None
    if isinstance(dimension, ir.Constant):
        found = _part(low, this, f"{name}{int(dimension.value)}", node)
        if found is not None:
            return Scalar(found)
    return unknown("unsupported")
