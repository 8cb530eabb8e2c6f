"""Literals typed by the rules of C and C++.

In: Constant nodes. Out: values.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from kernlint.base import python_text
from kernlint.ir import nodes as ir
from kernlint.ir.types import (
    BOOL,
    CHAR,
    DOUBLE,
    FLOAT,
    HALF,
    INT,
    LONG,
    LONGLONG,
    UINT,
    ULONG,
    ULONGLONG,
    VOID,
    Array,
    Integer,
    Pointer,
)
from kernlint.lowering.context import Lowerer, expression
from kernlint.lowering.expressions.fold import constant, integer
from kernlint.lowering.expressions.places import unknown
from kernlint.lowering.expressions.strings import LITERAL
from kernlint.lowering.expressions.values import MemoryPlace, Scalar, Value
from kernlint.lowering.scopes import FunctionSet
from kernlint.source.parser import tree

MOST_SHOWN = 40  # characters of a literal in a message


def literal(low: Lowerer, node: tree.Constant) -> Value:
    """The value of a literal; strings are constant arrays nobody follows."""
    handler = _KINDS.get(node.type, _number)
    return handler(low, node)


def _bool(low: Lowerer, node: tree.Constant) -> Value:
    return Scalar(integer(int(node.value in ("true", "1")), BOOL))


def _null(low: Lowerer, node: tree.Constant) -> Value:
    return Scalar(ir.Constant(Pointer(VOID), 0))


def _char(low: Lowerer, node: tree.Constant) -> Value:
    return Scalar(integer(_character(node.value), CHAR if low.language == "cuda" else INT))


def _number(low: Lowerer, node: tree.Constant) -> Value:
    text = node.value
    if "_" in text:
        return expression(low, _operator_call(low, node))
    try:
        return Scalar(
            floating(text)
            if node.type == "float" or _is_floating(text)
            else ir.Constant(*_integer(text))
        )
    except ValueError:
        shown = text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…"
        low.unsupported(node, "number", number=shown)
        return unknown("unsupported")


def _operator_call(low: Lowerer, node: tree.Constant) -> tree.FuncCall:
    """C++ [lex.ext]: `12_x` calls `operator""_x` with the number, or with its characters where that
    is a template."""
    digits, _, suffix = node.value.partition("_")
    name, coord = f'operator""_{suffix}', node.coord
    found = low.scope.find(name)
    if isinstance(found, FunctionSet) and all(
        function.parameters is not None for function in found.overloads
    ):
        characters: list[tree.Operand] = [
            tree.Constant("char", f"'{character}'", coord) for character in digits.replace("'", "")
        ]
        return tree.FuncCall(tree.TemplateId(characters, name, coord=coord), None, coord)
    kind, type_ = ("float", "l") if _is_floating(digits) else ("int", "ull")
    return tree.FuncCall(
        tree.ID(name, coord),
        tree.ExprList([tree.Constant(kind, digits + type_, coord)], coord),
        coord,
    )


def _is_floating(text: str) -> bool:
    lowered = text.lower()
    return not lowered.startswith(("0x", "0b")) and any(c in lowered for c in ".e")


@lru_cache(4096)
def _integer(text: str) -> tuple[Integer, int]:
    """C++ [lex.icon]: the first type that holds the value, of those the suffix and base allow."""
    lowered = text.replace("'", "").lower()
    digits = lowered.rstrip("ulz")
    suffix = lowered[len(digits) :]
    value = int(digits, 0) if not (digits.startswith("0") and digits.isdigit()) else int(digits, 8)
    decimal = not digits.startswith("0") or digits == "0"
    unsigned, longs = "u" in suffix, suffix.count("l")
    ladder: list[Integer] = [INT, UINT, LONG, ULONG, LONGLONG, ULONGLONG]
    start = {0: INT, 1: LONG, 2: LONGLONG}[min(longs, 2)]
    candidates = ladder[ladder.index(start) :]
    for type_ in candidates:
        fits_suffix = not type_.signed if unsigned else type_.signed or not decimal
        if fits_suffix and value < 1 << (type_.bits - type_.signed):
            return type_, value
    raise ValueError("too large for every integer type")


def floating(text: str) -> ir.Constant:
    lowered = text.replace("'", "").lower()
    type_ = DOUBLE
    if lowered.startswith("0x"):
        body = lowered[:-1] if lowered.endswith("f") and "p" in lowered else lowered
        return constant(
            float.fromhex(body.rstrip("l")),
            FLOAT if lowered.endswith("f") and "p" in lowered else DOUBLE,
        )
    if lowered.endswith("f16") or lowered.endswith("h"):
        type_, lowered = HALF, lowered.removesuffix("f16").rstrip("h")
    elif lowered.endswith("f"):
        type_, lowered = FLOAT, lowered[:-1]
    return constant(float(lowered.rstrip("l")), type_)


def _unescape(text: str) -> str:
    body = text[text.index(text[-1]) :]
    try:
        return python_text.literal(body)
    except (SyntaxError, ValueError):
        return body[1:-1]


def _character(text: str) -> int:
    found = _unescape(text)
    return ord(found[0]) if found else 0


def _string(low: Lowerer, node: tree.Constant) -> Value:
    text = node.value
    length = len(_unescape(text)) + 1 if text.endswith('"') and "R" not in text[:3] else len(text)
    address = ir.Unknown(Pointer(CHAR, "", True), "unknown-pointer", (), True, LITERAL, apart=text)
    return MemoryPlace(Array(CHAR, length), address)


_KINDS: dict[str, Callable[[Lowerer, Any], Value]] = {  # others are numbers
    "bool": _bool,
    "nullptr": _null,
    "char": _char,
    "string": _string,
}
