"""Strings of host code: those made from a literal have a number that stands for their text, by which
maps find them.

In: literals and `std::string`s. Out: numbers, kept where a string keeps its address. Whatever may
change a string makes it unknown.
"""

from __future__ import annotations

from kernlint.ir import nodes as ir
from kernlint.ir.types import CHAR, ULONG, Pointer, Record, Type
from kernlint.lowering.context import Lowerer
from kernlint.lowering.expressions.fold import integer, retype
from kernlint.lowering.expressions.values import Aggregate, MemoryPlace, Scalar, Value
from kernlint.lowering.types.layout import complete, find_field

LITERAL = "string literal"  # what the address of one is called
START, APART = 1 << 52, 1 << 8  # addresses that nothing else has
NAMES = ("std::string", "std::basic_string<char>", "std::string_view")
# methods that leave a string as it is and give no way to change it
READING = frozenset(
    [
        *("size", "length", "empty", "c_str", "substr", "compare", "starts_with", "ends_with"),
        *("find", "rfind", "find_first_of", "find_last_of"),
    ]
)


def is_string(type_: Type) -> bool:
    type_ = complete(type_)
    return isinstance(type_, Record) and type_.name in NAMES


def literal_text(value: Value) -> str | None:
    """The spelling of a literal."""
    address = value.address if isinstance(value, MemoryPlace) else None
    if isinstance(value, Scalar):
        address = value.expression
    while isinstance(address, ir.Convert):
        address = address.operand
    is_literal = isinstance(address, ir.Unknown) and address.what == LITERAL
    return address.apart if isinstance(address, ir.Unknown) and is_literal else None


def number(low: Lowerer, text: str) -> ir.Expression:
    """The address that stands for a text."""
    kept = low.program.kept_strings
    found = kept.setdefault(text, len(kept))
    return retype(integer(START + found * APART, ULONG), Pointer(CHAR))


def from_literal(low: Lowerer, type_: Type, value: Value) -> Aggregate | None:
    """A string made from a literal; None for other values and types."""
    text = literal_text(value) if low.host and is_string(type_) else None
    if text is None:
        return None
    size, data = find_field(complete(type_), "#size"), find_field(complete(type_), "#data")
    if size is None or data is None:
        return None
    if "\\" in text or not text.startswith('"'):  # escapes, raw and wide strings
        return None
    length = integer(len(text) - 2, ULONG)
    return Aggregate(type_, {size.offset: length, data.offset: number(low, text)})
