"""Objects that code allocates: `new`, and in host code what stands for it in the library.

In: NewExpr nodes, types and sizes. Out: pointers. Host code's objects are made on its heap, where
the execution follows their contents; a kernel's are not followed.
"""

from __future__ import annotations

from collections.abc import Sequence

from kernlint.ir import nodes as ir
from kernlint.ir.types import ULONG, Array, Pointer, Record, Type
from kernlint.lowering.context import ExpressionHandler, Lowerer, expression
from kernlint.lowering.expressions.construct import argument_values, construct, construct_into
from kernlint.lowering.expressions.fold import binary, convert, integer
from kernlint.lowering.expressions.places import dereference, on_heap, scalar
from kernlint.lowering.expressions.stores import assign, cast, evaluated
from kernlint.lowering.expressions.values import (
    BracedList,
    MemoryPlace,
    Qualified,
    Scalar,
    SplitPlace,
    Value,
)
from kernlint.lowering.types.layout import complete, is_vector, size_of
from kernlint.lowering.types.typenames import resolve
from kernlint.source.parser import tree


def new(low: Lowerer, node: tree.NewExpr) -> Value:
    """`new T(args)`, `new T[n]`: fresh memory, followed in host code. `new (p) T(args)` makes the
    object there."""
    type_ = resolve(low.program, node.type, low.scope).type
    where, written = argument_values(low, node.placement or [])
    if len(where) == 1 and node.size is None:
        return _at(low, type_, where[0], written[0], node)
    low.take(
        (o for value, one in zip(where, written, strict=True) for o in evaluated(low, value, one)),
        "open",
    )
    if low.host and not low.constant:
        if node.size is None:
            return new_object(low, type_, *argument_values(low, node.args or []), node)
        count = scalar(low, expression(low, node.size), node.size)
        return new_array(low, type_, count, node.args or [], node)
    size = [] if node.size is None else [node.size]
    for value, one in zip(*argument_values(low, [*(node.args or []), *size]), strict=True):
        low.take(evaluated(low, value, one), "open")
    return on_heap(low, Pointer(type_), "new", None, node)


def new_object(
    low: Lowerer, type_: Type, values: list[Value], nodes: Sequence[tree.Node], node: tree.Node
) -> Scalar:
    """A pointer to an object on the heap of host code, made from values; one without values holds
    what its constructor gives it."""
    type_ = complete(type_)
    pointer = on_heap(low, Pointer(type_), "new", _bytes(type_, integer(1, ULONG)), node)
    if values or isinstance(type_, Record):
        _make_in(low, MemoryPlace(type_, pointer.expression), type_, values, nodes, node)
    return pointer


def new_array(
    low: Lowerer, type_: Type, count: ir.Expression, items: Sequence[tree.Operand], node: tree.Node
) -> Scalar:
    """A pointer to the first of `count` elements on the heap of host code; `items` are the first
    ones' values."""
    type_ = complete(type_)
    pointer = on_heap(low, Pointer(type_), "new", _bytes(type_, convert(count, ULONG)), node)
    if items:
        place = MemoryPlace(Array(type_, len(items)), pointer.expression)
        assign(low, place, BracedList(tuple(items), node), node, node, True)
    return pointer


def _bytes(type_: Type, count: ir.Expression) -> ir.Expression | None:
    width = size_of(type_)
    return None if width is None else binary("*", count, integer(width, ULONG))


def _at(low: Lowerer, type_: Type, where: Value, written: tree.Node, node: tree.NewExpr) -> Value:
    """An object made where a pointer points to; nothing is stored for one without an
    initialiser."""
    pointer = cast(low, where, Qualified(Pointer(type_)), written)
    place = dereference(low, pointer, written)
    if node.args is None and not isinstance(complete(type_), Record):
        return pointer
    values, nodes = argument_values(low, node.args or [])
    _make_in(low, place, type_, values, nodes, node)
    return pointer


def _make_in(
    low: Lowerer,
    place: Value,
    type_: Type,
    values: list[Value],
    nodes: Sequence[tree.Node],
    node: tree.Node,
) -> None:
    made = complete(type_)
    if (
        isinstance(made, Record)
        and isinstance(place, (SplitPlace, MemoryPlace))
        and not is_vector(made)
    ):
        construct_into(low, place, made, values, nodes, node)
    else:
        assign(low, place, construct(low, type_, values, nodes, node, False), node, node, True)


EXPRESSIONS: dict[type, ExpressionHandler] = {tree.NewExpr: new}
