"""Range-based for loops as counting loops.

In: RangeFor nodes. Out: a Loop; the element's name bound in its body.
"""

from __future__ import annotations

from collections.abc import Callable

from kernlint.ir import nodes as ir
from kernlint.ir.types import ULONG, Array, Pointer, Record
from kernlint.lowering.context import Lowerer, expression, statement
from kernlint.lowering.expressions.containers import element_place, lose_contents
from kernlint.lowering.expressions.fold import binary, integer, pointer_add, retype
from kernlint.lowering.expressions.places import fresh, member, rvalue, scalar, unknown
from kernlint.lowering.expressions.stores import assign, bound_reference, coerce
from kernlint.lowering.expressions.strings import is_string
from kernlint.lowering.expressions.values import (
    AutoPlaceholder,
    BracedList,
    MemoryPlace,
    Value,
    is_volatile,
)
from kernlint.lowering.scopes import Binding
from kernlint.lowering.statements.local_variables import structured_binding
from kernlint.lowering.types.classes import methods
from kernlint.lowering.types.layout import complete, find_field, size_of
from kernlint.lowering.types.typenames import resolve
from kernlint.source.parser import tree


def range_loop(low: Lowerer, node: tree.RangeFor) -> None:
    """Count over the range; brace lists are unrolled; a class of the program gives its
    iterators."""
    source = expression(low, node.range)
    if methods(source.type, "begin") and methods(source.type, "end"):
        _iterate(low, source, node)
        return
    if isinstance(source, BracedList):
        for item in source.items:
            with low.scoped():
                _declare(low, node.decl, expression(low, item), item)
                statement(low, node.stmt)
        return
    if is_string(source.type):
        lose_contents(low, source, node)  # through references to its characters
    count = _count(low, source, node)
    if isinstance(count, ir.Unknown) and not low.host:
        name = low.text(node.range)
        low.leave_uncounted(node.range, "range", name, name=name)
    index = ir.Variable("(index)", ULONG)
    low.assign(index, integer(0, ULONG))
    read = ir.Read(ULONG, index)
    step = (ir.Assign(index, binary("+", read, integer(1, ULONG))),)
    _loop(low, node, (), binary("<", read, count), lambda: _element(low, source, read, node), step)


def _iterate(low: Lowerer, source: Value, node: tree.RangeFor) -> None:
    """`for (auto it = begin(), last = end(); it != last; ++it)` ([stmt.ranged])."""
    coord = node.range.coord
    at, last = tree.ID("(iterator)", coord), tree.ID("(last)", coord)
    for name, method in ((at, "begin"), (last, "end")):
        asked = tree.StructRef(tree.ID("(range)", coord), ".", tree.ID(method, coord), coord)
        low.scope.names["(range)"] = Binding(source)
        value = rvalue(low, expression(low, tree.FuncCall(asked, None, coord)), node.range)
        place = fresh(low, complete(value.type), name.name, 0, node)
        assign(low, place, value, node, node, True)
        low.scope.names[name.name] = Binding(place)
    with low.block() as header:
        found = expression(low, tree.BinaryOp("!=", at, last, coord))
        condition = scalar(low, found, node.range)
    with low.block() as step:
        expression(low, tree.UnaryOp("++", at, coord))
    _loop(
        low,
        node,
        tuple(header),
        condition,
        lambda: expression(low, tree.UnaryOp("*", at, coord)),
        tuple(step),
    )


def _loop(
    low: Lowerer,
    node: tree.RangeFor,
    header: ir.Body,
    condition: ir.Expression,
    element: Callable[[], Value],
    step: ir.Body,
) -> None:
    unroll, low.unroll = low.unroll, None
    label, again = ir.Label("for loop"), ir.Label("continue")
    saved = (low.break_label, low.continue_label)
    low.break_label, low.continue_label = label, again
    low.loop_depth += 1
    with low.block() as body, low.scoped():
        _declare(low, node.decl, element(), node.range)
        statement(low, node.stmt)
    low.loop_depth -= 1
    low.break_label, low.continue_label = saved
    inner: tuple[ir.Statement, ...] = tuple(body)
    if again in low.used_labels:
        inner = (ir.Region(again, inner),)
    site = low.branch_site(node, "for", node.range)
    low.emit(ir.Loop(label, header, condition, inner, step, site, False, unroll))


def _count(low: Lowerer, source: Value, node: tree.Node) -> ir.Expression:
    type_ = complete(source.type)
    if isinstance(type_, Array) and type_.count is not None:
        return integer(type_.count, ULONG)
    if isinstance(type_, Record):
        size = find_field(type_, "#size")
        if size is not None:
            return scalar(low, member(low, source, size, node), node)
        held = find_field(type_, "_M_elems")
        if held is not None and isinstance(held.type, Array) and held.type.count is not None:
            return integer(held.type.count, ULONG)
    return ir.Unknown(ULONG, "unknown-type")


def _element(low: Lowerer, source: Value, index: ir.Expression, node: tree.RangeFor) -> Value:
    type_ = complete(source.type)
    if isinstance(type_, Array):
        pointer = scalar(low, rvalue(low, source, node.range), node.range)
        element = complete(type_.element)
        address = pointer_add(pointer, index, size_of(element), Pointer(element))
        return MemoryPlace(element, retype(address, Pointer(element)), is_volatile(source))
    return element_place(low, source, index, node) or unknown("unknown-type")


def _declare(low: Lowerer, declaration: tree.Declaration, value: Value, node: tree.Node) -> None:
    if isinstance(declaration, tree.StructuredBinding):
        low.scope.names["(element)"] = Binding(value)
        element, coord = tree.ID("(element)", declaration.coord), declaration.coord
        structured_binding(
            low,
            tree.StructuredBinding(element, declaration.names, declaration.quals, "&", coord),
        )
        return
    if not isinstance(declaration, tree.Decl):
        return
    declared = resolve(low.program, declaration.type, low.scope)
    if declared.reference:
        bound = bound_reference(low, value, declared, node)
    else:
        type_ = complete(declared.type)
        converted = (
            rvalue(low, value, node)
            if isinstance(type_, AutoPlaceholder)
            else coerce(low, value, type_, node)
        )
        # `for (float : a)` names none
        bound = fresh(low, complete(converted.type), declaration.name or "", 0, declaration)
        assign(low, bound, converted, node, node, True)
    if declaration.name is not None:
        low.scope.names[declaration.name] = Binding(bound, low.span(declaration), declaration)
