"""The bytes of values read as another type: `*(int2 *)&d`, `__float_as_int(x)`, `memcpy` between
variables.

In: a value and a type. Out: a value of that type: the very scalars where they agree, integers of
one size converted, parts of a scalar as its lowest byte first; what lies over several scalars is an
unknown function of them. Never emits statements.
"""

from __future__ import annotations

from collections.abc import Mapping

from kernlint.ir import nodes as ir
from kernlint.ir.types import Float, Integer, Pointer, Record, Type
from kernlint.lowering.expressions.fold import binary, convert, integer
from kernlint.lowering.expressions.values import Aggregate, Scalar, Value
from kernlint.lowering.types.layout import complete, leaves, size_of

WORDS = {8: "unsigned char", 16: "unsigned short", 32: "unsigned int", 64: "unsigned long"}


def reinterpret(value: Value, type_: Type) -> Value:
    given = (
        dict(value.leaves)
        if isinstance(value, Aggregate)
        else {0: value.expression}
        if isinstance(value, Scalar)
        else {}
    )
    made = {offset: _at(given, offset, leaf) for offset, leaf, _ in leaves(type_)}
    if isinstance(complete(type_), Record):
        return Aggregate(complete(type_), made)
    return Scalar(made[0] if made else ir.Unknown(type_, "unsupported"))


def _at(given: Mapping[int, ir.Expression], offset: int, type_: Type) -> ir.Expression:
    width = size_of(type_) or 0
    for start, e in given.items():
        if start == offset and e.type.size == width:
            return _same(e, type_)
        if (
            start <= offset
            and offset + width <= start + (e.type.size or 0)
            and _has_bits(e.type)
            and _has_bits(type_)
        ):
            word = _same(e, _word(e.type))
            shifted = binary(">>", word, integer(8 * (offset - start))) if offset > start else word
            return _same(convert(shifted, _word(type_)), type_)
    over = {
        start: e
        for start, e in sorted(given.items())
        if start < offset + width and offset < start + (e.type.size or width)
    }
    if not over:
        return ir.Unknown(type_, "uninitialised")
    lie = ", ".join(f"{e.type.size} at {start - offset}" for start, e in over.items())
    return ir.Unknown(
        type_, "float-value", tuple(over.values()), True, ir.SAME_BITS, apart=f"{width} of {lie}"
    )


def _has_bits(type_: Type) -> bool:
    return (
        isinstance(type_, (Integer, Float))
        and 8 * type_.size in WORDS
        and not (isinstance(type_, Integer) and type_.is_bool)
    )


def _word(type_: Type) -> Integer:
    bits = 8 * (type_.size or 0)
    return Integer(bits, False, WORDS[bits])


def _same(e: ir.Expression, type_: Type) -> ir.Expression:
    """A scalar as another of its size."""
    if (
        isinstance(e.type, (Integer, Pointer)) and isinstance(type_, (Integer, Pointer))
    ) or e.type == type_:
        return convert(e, type_)
    return ir.Unknown(type_, "float-value", (e,), True, ir.SAME_BITS)
