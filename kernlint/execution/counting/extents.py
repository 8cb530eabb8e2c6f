"""Extents of accessed objects, for people and for layouts. Goes in: types, a measured request.
Comes out: facts."""

from __future__ import annotations

from kernlint.ir.types import Array, Float, Integer, Pointer, Record, Type
from kernlint.model import facts


def shape_of(type_: Type) -> tuple[tuple[int, ...], int]:
    """The extents of an array, outermost first, and the bytes of an innermost element; () and those
    of what a pointer points to."""
    extents: list[int] = []
    while isinstance(type_, Array):
        if type_.count is not None:
            extents.append(type_.count)
        type_ = type_.element
    if isinstance(type_, Pointer) and not extents:
        return (), type_.pointee.size or 0
    return tuple(extents), type_.size or 0


def is_scalar(type_: Type) -> bool:
    """Whether the innermost elements are numbers or pointers, no vectors or structs."""
    while isinstance(type_, Array):
        type_ = type_.element
    return isinstance(type_, Integer | Float | Pointer)


def member_of(type_: Type, example: facts.Example) -> facts.Member | None:
    """The array in a structure that all lanes of a request lie in."""
    offsets = [offset for offset in example.lanes if offset is not None]
    name, start = "", 0
    while isinstance(type_, Record) and type_.kind != "vector" and offsets:
        first, last = min(offsets) - start, max(offsets) - start
        inside = [
            one
            for one in type_.fields
            if one.offset <= first and last < one.offset + (one.type.size or 0)
        ]
        if len(inside) != 1:
            return None
        name, start, type_ = f"{name}.{inside[0].name}", start + inside[0].offset, inside[0].type
    return (
        facts.Member(name, start, *shape_of(type_)) if name and isinstance(type_, Array) else None
    )
