"""Alignments with which the source names members and elements.

In: places in memory. Out: `SourceAlignment`s. Never looks at values.
"""

from __future__ import annotations

from kernlint.ir import nodes as ir
from kernlint.ir.types import Array, Field, Record, SourceAlignment, Type
from kernlint.lowering.expressions.values import MemoryPlace
from kernlint.lowering.types.layout import complete, overlaps, size_of


def told(place: MemoryPlace) -> SourceAlignment | None:
    """What the source tells of a place: of a whole class what its type does."""
    type_ = complete(place.type)
    return place.told or (
        SourceAlignment(type_.align, type_.align, 0, (0, type_.name))
        if isinstance(type_, Record)
        else None
    )


def told_member(place: MemoryPlace, field: Field) -> SourceAlignment | None:
    known, whole = told(place), complete(place.type)
    if known is None or not isinstance(whole, Record):
        return None
    return known.at(
        field.offset, _parts(complete(field.type)), whole.kind == "union" or overlaps(whole)
    )


def told_element(place: MemoryPlace, index: ir.Expression, type_: Type) -> SourceAlignment | None:
    """Of an element of a member array, at a constant index."""
    if place.told is None or not isinstance(index, ir.Constant) or not isinstance(index.value, int):
        return None
    return place.told.at(
        index.value * (size_of(type_) or 1), _parts(type_) if isinstance(type_, Record) else ""
    )


def _parts(type_: Type) -> str:
    """The name of a type that has parts."""
    return str(type_) if isinstance(type_, Record | Array) else ""
