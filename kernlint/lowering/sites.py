"""Access sites: span, user's text, machine pieces and the line nvcc charges.

In: the syntax of an access and its type. Out: `ir.AccessSite`. The charging rules are those
measured on nvcc 13 with -lineinfo.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kernlint.ir import nodes as ir
from kernlint.ir.types import Array, Record, Type
from kernlint.lowering.context import Lowerer
from kernlint.lowering.declare import parameter_list, parameter_name
from kernlint.lowering.expressions.values import MemoryPlace
from kernlint.lowering.types.alignments import told
from kernlint.lowering.types.copying import has_copying_members
from kernlint.lowering.types.layout import (
    copied_by_member,
    copying,
    is_floating,
    is_packed,
    missing,
    pieces,
)
from kernlint.source.parser import tree


def charged_line(low: Lowerer, node: tree.Node) -> int:
    """The line of the last token of an access's index; of its name where it has no index."""
    handler = _CHARGED.get(type(node))
    return handler(low, node) if handler is not None else low.span(node).last_charged


def _charged_member(low: Lowerer, node: tree.StructRef) -> int:
    inner = node.name
    while isinstance(inner, tree.StructRef):
        inner = inner.name
    is_element = isinstance(inner, tree.ArrayRef)
    return charged_line(low, inner) if is_element else low.span(node).last_charged


def _charged_unary(low: Lowerer, node: tree.UnaryOp) -> int:
    return low.span(node.expr if node.op == "*" else node).last_charged


_CHARGED: dict[type, Callable[[Lowerer, Any], int]] = {
    tree.ArrayRef: lambda low, node: low.span(node.subscript).last_charged,
    tree.StructRef: _charged_member,
    tree.FuncCall: lambda low, node: low.span(node.name).last_charged,
    tree.Cast: lambda low, node: charged_line(low, node.expr),
    tree.NamedCast: lambda low, node: charged_line(low, node.expr),
    tree.UnaryOp: _charged_unary,
    tree.Construct: lambda low, node: low.span(node).first_charged,
}


def access_site(
    low: Lowerer, node: tree.Node, type_: Type, op: str, *, hardware_op: str = "", volatile: bool = False, used: bool = True,
    split: tuple[tuple[int, int], ...] | None = None, notes: tuple[str, ...] = (), charge: int | None = None,
    place: MemoryPlace | None = None, unsized: tuple[str, str] | None = None, chosen: int = 0,
) -> ir.AccessSite:  # fmt: skip
    """The site of an access of `type_` written as `node`. `charge` overrides the line it is charged
    to; `place`, where given, says how it is aligned and whether it is a bit-field; `unsized` why
    its machine accesses are not known, where they are not; `chosen`: see `ir.AccessSite`."""
    path, line = low.span(node).path, charge if charge is not None else low.charge
    if line is None:
        path, line = _entry(low, node, charged_line(low, node))
    if unsized is not None:
        split = ()
    else:
        unsized = "unknown-type", missing(type_) or "the size of the accessed type"
    by_member = (
        split is None and not (place is not None and place.align) and copied_by_member(type_)
    )
    packed, how = split is None and is_packed(type_), None
    if place is not None and place.bits is not None:
        split, unsized = (), ("compiler", "which bytes of the bit-field's storage it accesses")
    elif split is None:
        how = copying(type_)
        split = pieces(type_, place.align if place is not None else 0)
        apart = isinstance(type_, (Record, Array)) and has_copying_members(low.program, type_)
        if apart or (not split and by_member):
            split = ()
            unsized = (
                "compiler",
                "which members of the class, copied one by one, are accessed together",
            )
    return ir.AccessSite(
        low.span(node), low.text(node), op, hardware_op or op, split, line, volatile,
        isinstance(type_, (Record, Array)), used, low.calls, notes, is_floating(type_), unsized,
        "" if path == low.span(node).path else path, by_member, packed, how,
        told(place) if place is not None else None, chosen,
        subscripts=place.subscripts if place is not None else (),
        of_object=place is not None and place.atomic,
        in_header=place is not None and place.in_header,
    )  # fmt: skip


def _entry(low: Lowerer, node: tree.Node, line: int) -> tuple[str, int]:
    """The file and line of an access written as `node`: the call's where it is among the first
    instructions of an inlined body, that is in its first line, through a reference or pointer that
    is handed in and needs no address arithmetic there."""
    own, entity = (low.span(node).path, line), low.frames[-1].entity if low.frames else None
    if entity is None or not low.calls:
        return own
    while isinstance(node, (tree.StructRef, tree.UnaryOp, tree.ArrayRef)):
        if isinstance(node, tree.ArrayRef) and not isinstance(node.subscript, tree.Constant):
            return own
        node = node.expr if isinstance(node, tree.UnaryOp) else node.name
    names = set(map(parameter_name, parameter_list(entity.node)))
    return _called_from(low, *own) if isinstance(node, tree.ID) and node.name in names else own


def _called_from(low: Lowerer, path: str, line: int) -> tuple[str, int]:
    """Where the first instruction of inlined bodies is charged (nvcc's line table names the call
    and the body at one address, the call first): to the outermost call that hands on what is at
    hand and stands in the first line that needs an instruction."""
    for frame, call in zip(reversed(low.frames), reversed(low.calls), strict=False):
        if not _in_line(low, frame.entry, line):
            break
        path, line = call.path, call.first_charged
        if not frame.handed_on:
            break
    return path, line


def _in_line(low: Lowerer, statement: tree.Node | None, line: int) -> bool:
    return statement is not None and low.span(statement).first_charged == line


def assembly_place(low: Lowerer, node: tree.Asm, begins: bool) -> tuple[str, int]:
    """The file and line of an access of an asm statement. Its instructions are charged to the line
    of its last input that is no constant, without one to its own (nvcc 13's line tables). `begins`:
    the access is its first instruction and no input needs one before, so that it may be the first
    one of an inlined body."""
    lines = [
        charged_line(low, one.expr)
        for one in node.inputs
        if not isinstance(one.expr, tree.Constant)
    ]
    own = low.span(node).path, lines[-1] if lines else low.span(node).first_charged
    is_entry = bool(low.frames and low.calls) and low.frames[-1].entry is node
    if not begins or not is_entry:
        return own
    return _called_from(low, own[0], low.span(node).first_charged)
