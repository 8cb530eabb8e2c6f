"""IR expressions with C's conversions made explicit and constants folded as C++ computes them.

In: typed IR expressions. Out: typed IR expressions, constants where every operand is constant.
Never emits statements.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable

from kernlint.base.dataclass import replace
from kernlint.ir.nodes import (
    SAME_BITS,
    Address,
    Binary,
    Constant,
    Convert,
    Expression,
    Read,
    Select,
    Unary,
    Unknown,
)
from kernlint.ir.types import (
    BOOL,
    INT,
    LONG,
    Array,
    Float,
    Integer,
    OpaqueType,
    Pointer,
    Type,
    Void,
)
from kernlint.lowering.types.layout import missing, size_of

COMPARISONS = {"==", "!=", "<", "<=", ">", ">="}
_RANKS = {"bool": 0, "char": 1, "signed char": 1, "unsigned char": 1, "short": 2, "unsigned short": 2, "int": 3, "unsigned int": 3,
          "long": 4, "unsigned long": 4, "long long": 5, "unsigned long long": 5}  # fmt: skip
_UNSIGNED_OF = {"int": "unsigned int", "long": "unsigned long", "long long": "unsigned long long"}


def wrap(value: int, type_: Integer) -> int:
    """`value` reduced to what an integer of `type_` holds."""
    if type_.is_bool:
        return int(value != 0)
    value &= (1 << type_.bits) - 1
    return value - (1 << type_.bits) if type_.signed and value >> (type_.bits - 1) else value


def rank(type_: Integer) -> int:
    return _RANKS.get(type_.name, {8: 1, 16: 2, 32: 3}.get(type_.bits, 4))


def promote(type_: Type) -> Type:
    """Integer promotion (C++ [conv.prom]); enums promote to int, or to their own width when
    wider."""
    if isinstance(type_, Integer):
        if rank(type_) < 3:
            return INT
        if type_.name not in _RANKS:
            return (
                Integer(type_.bits, type_.signed, {32: "int", 64: "long"}.get(type_.bits, "int"))
                if type_.signed
                else _plain_unsigned(type_)
            )
    return type_


def _plain_unsigned(type_: Integer) -> Integer:
    return Integer(
        type_.bits, False, {32: "unsigned int", 64: "unsigned long"}.get(type_.bits, type_.name)
    )


def usual(left: Type, right: Type) -> Type:
    """The usual arithmetic conversions; an opaque or unknown operand makes the result opaque."""
    if isinstance(left, Float) or isinstance(right, Float):
        if isinstance(left, Float) and isinstance(right, Float):
            return left if left.bits >= right.bits else right
        other = right if isinstance(left, Float) else left
        return (left if isinstance(left, Float) else right) if isinstance(other, Integer) else other
    left, right = promote(left), promote(right)
    if not (isinstance(left, Integer) and isinstance(right, Integer)):
        return right if isinstance(left, Integer) else left
    if left.signed == right.signed:
        return left if rank(left) >= rank(right) else right
    signed, unsigned = (left, right) if left.signed else (right, left)
    if rank(unsigned) >= rank(signed):
        return unsigned
    return (
        signed
        if signed.bits > unsigned.bits
        else Integer(signed.bits, False, _UNSIGNED_OF[signed.name])
    )


def round_float(value: float, bits: int) -> float:
    """`value` rounded to a binary float of `bits` (16, 32 or 64)."""
    code = {16: "e", 32: "f"}.get(bits)
    if code is None or math.isinf(value) or math.isnan(value):
        return value
    try:
        return float(struct.unpack(code, struct.pack(code, value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def constant(value: int | float, type_: Type) -> Constant:
    if isinstance(type_, Integer):
        return Constant(type_, wrap(int(value), type_))
    if isinstance(type_, Float):
        return Constant(type_, round_float(float(value), type_.bits))
    return Constant(type_, value)


def integer(value: int, type_: Integer = INT) -> Constant:
    return Constant(type_, wrap(value, type_))


def convert(operand: Expression, target: Type) -> Expression:
    """`operand` converted to `target`; nothing is added when the type is already the same."""
    source = operand.type
    if source is target or source == target or isinstance(target, Void):
        return operand
    if isinstance(source, Pointer) and isinstance(target, Pointer):
        return retype(operand, target)
    if isinstance(operand, Constant):
        folded = _convert_constant(operand, target)
        if folded is not None:
            return folded
    if isinstance(operand, Unknown) and not (
        isinstance(target, Integer) and (operand.what == SAME_BITS or _cuts(source, target))
    ):
        return replace(operand, type=target)
    if isinstance(source, OpaqueType) or isinstance(target, OpaqueType):
        return Unknown(target, "unknown-type", (operand,), True)
    return Convert(target, operand)


def _cuts(source: Type, target: Integer) -> bool:
    """Whether a conversion leaves less than the value."""
    return isinstance(source, Integer) and (
        target.bits < source.bits or (target.is_bool and not source.is_bool)
    )


def retype(pointer: Expression, target: Pointer) -> Expression:
    """The same pointer with another pointee; a declared address space is kept."""
    source = pointer.type
    if isinstance(source, Pointer) and source.space and not target.space:
        target = replace(target, space=source.space)
    if isinstance(pointer, Binary):
        return Binary(target, pointer.op, pointer.left, pointer.right)
    if isinstance(pointer, Read):
        return Read(target, pointer.variable)
    if isinstance(pointer, (Address, Constant, Unknown, Select, Convert)):
        return replace(pointer, type=target)
    return Convert(target, pointer)


def _convert_constant(operand: Constant, target: Type) -> Constant | None:
    value = operand.value
    if isinstance(target, Integer):
        if isinstance(value, float):
            if math.isnan(value) or math.isinf(value):
                return None
            value = int(value != 0) if target.is_bool else int(value)
            if wrap(value, target) != value:
                return None  # undefined ([conv.fpint])
        return Constant(target, wrap(value, target))
    if isinstance(target, Float):
        return Constant(target, round_float(float(value), target.bits))
    if isinstance(target, Pointer) and value == 0:
        return Constant(target, 0)
    return None


def _divide(left: int, right: int) -> int:
    quotient = abs(left) // abs(right)
    return -quotient if (left < 0) != (right < 0) else quotient


_INTEGER_FOLDS: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": _divide,
    "%": lambda a, b: a - b * _divide(a, b), "&": lambda a, b: a & b, "|": lambda a, b: a | b, "^": lambda a, b: a ^ b,
    "<<": lambda a, b: a << b, ">>": lambda a, b: a >> b, "==": lambda a, b: int(a == b), "!=": lambda a, b: int(a != b),
    "<": lambda a, b: int(a < b), "<=": lambda a, b: int(a <= b), ">": lambda a, b: int(a > b), ">=": lambda a, b: int(a >= b),
    "&&": lambda a, b: int(bool(a) and bool(b)), "||": lambda a, b: int(bool(a) or bool(b)), "min": min, "max": max,
}  # fmt: skip
_FLOAT_FOLDS: dict[str, Callable[[float, float], float]] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b,
    "/": lambda a, b: a / b if b else (math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1, b)),
    "==": lambda a, b: int(a == b), "!=": lambda a, b: int(a != b), "<": lambda a, b: int(a < b), "<=": lambda a, b: int(a <= b),
    ">": lambda a, b: int(a > b), ">=": lambda a, b: int(a >= b), "min": min, "max": max,
}  # fmt: skip


def binary(
    op: str, left: Expression, right: Expression, type_: Type | None = None, kept: bool = False
) -> Expression:
    """`left op right` on operands already converted; `type_` defaults to bool for comparisons, else
    the left operand's type."""
    result = (
        type_
        if type_ is not None
        else (BOOL if op in COMPARISONS or op in ("&&", "||") else left.type)
    )
    if isinstance(left, Constant) and isinstance(right, Constant):
        folded = _fold(op, left, right, result)
        if folded is not None:
            return folded
    if op in ("&&", "||"):
        short = _fold_logical(op, left, right, result)
        if short is not None:
            return short
    if op == "+" and isinstance(left.type, Pointer) and isinstance(right, Constant):
        return _add_to_pointer(left, right, result)
    return Binary(result, op, left, right, kept)


def _add_to_pointer(left: Expression, right: Constant, result: Type) -> Expression:
    if right.value == 0:
        return retype(left, result) if isinstance(result, Pointer) else left
    if (
        isinstance(left, Binary)
        and left.op == "+"
        and isinstance(left.right, Constant)
        and isinstance(left.left.type, Pointer)
    ):
        return Binary(
            result, "+", left.left, integer(int(left.right.value) + int(right.value), LONG)
        )
    return Binary(result, "+", left, right)


def _fold(op: str, left: Constant, right: Constant, result: Type) -> Constant | None:
    a, b = left.value, right.value
    if isinstance(a, int) and isinstance(b, int):
        if (op in ("/", "%") and b == 0) or (
            op in ("<<", ">>") and not 0 <= b < (getattr(left.type, "bits", 64))
        ):
            return None
        if op not in _INTEGER_FOLDS:
            return None
        return constant(_INTEGER_FOLDS[op](a, b), result)
    if op in _FLOAT_FOLDS:
        return constant(_FLOAT_FOLDS[op](float(a), float(b)), result)
    if op in ("&&", "||"):
        return constant(_INTEGER_FOLDS[op](int(bool(a)), int(bool(b))), result)
    return None


def _fold_logical(op: str, left: Expression, right: Expression, result: Type) -> Expression | None:
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Constant):
            if bool(one.value) == (op == "||"):
                return constant(int(op == "||"), result) if one is left else None
            return other
    return None


def unary(op: str, operand: Expression, type_: Type | None = None) -> Expression:
    result = type_ if type_ is not None else (BOOL if op == "!" else operand.type)
    if isinstance(operand, Constant):
        value = operand.value
        if op == "-":
            return constant(-value, result)
        if op == "!":
            return constant(int(not value), result)
        if op == "~" and isinstance(value, int):
            return constant(~value, result)
    return Unary(result, op, operand)


def select(
    condition: Expression, then: Expression, otherwise: Expression, kept: int = 0
) -> Expression:
    if isinstance(condition, Constant):
        return then if condition.value else otherwise
    return Select(then.type, condition, then, otherwise, kept)


def truth(operand: Expression) -> Expression:
    """`operand` as a condition: compared with zero unless it is already 0 or 1."""
    if isinstance(operand.type, Integer) and operand.type.is_bool:
        return operand
    if isinstance(operand, Binary) and (operand.op in COMPARISONS or operand.op in ("&&", "||")):
        return operand
    return convert(operand, BOOL)


def pointer_add(
    pointer: Expression,
    index: Expression,
    element: int | None,
    result: Pointer,
    negative: bool = False,
) -> Expression:
    """`pointer + index` elements of `element` bytes; the offset is unknown when the element's size
    or the index is, the object is not."""
    if element is None or not isinstance(index.type, Integer):
        reason = (
            "unknown-type"
            if element is None
            else index.reason
            if isinstance(index, Unknown)
            else "unsupported"
        )
        step = stride(result.pointee) if element is None else None
        if step is None or not isinstance(index.type, Integer):
            return binary(
                "+",
                retype(pointer, result),
                Unknown(LONG, reason, (index,), True, named=missing(result.pointee)),
                result,
            )
        scaled = binary("*", convert(index, LONG), unary("-", step) if negative else step)
        return binary("+", retype(pointer, result), scaled, result)
    scaled = binary("*", convert(index, LONG), integer(-element if negative else element, LONG))
    return binary("+", retype(pointer, result), scaled, result)


def stride(type_: Type) -> Expression | None:
    """The size of an array in bytes by what stands in its extents; None where a size is missing
    otherwise."""
    size = size_of(type_)
    if size is not None or not isinstance(type_, Array):
        return None if size is None else integer(size, LONG)
    inner, count = (
        stride(type_.element),
        type_.extent if type_.count is None else integer(type_.count, LONG),
    )
    return (
        binary("*", convert(count, LONG), inner)
        if inner is not None and isinstance(count, Expression)
        else None
    )


def arithmetic(language: str, op: str, left: Expression, right: Expression) -> Expression:
    """A built-in binary operator with C's conversions; pointer arithmetic in bytes."""
    if isinstance(left.type, Pointer) or isinstance(right.type, Pointer):
        return _pointer_arithmetic(op, left, right)
    if isinstance(left.type, OpaqueType) or isinstance(right.type, OpaqueType):
        result: Type = (
            BOOL
            if op in COMPARISONS
            else left.type
            if isinstance(left.type, OpaqueType)
            else right.type
        )
        opaque = left if isinstance(left.type, OpaqueType) else right
        reason = opaque.reason if isinstance(opaque, Unknown) else "unknown-type"
        return Unknown(result, reason, (left, right), True)
    if op in ("<<", ">>"):
        value, count = convert(left, promote(left.type)), convert(right, promote(right.type))
        if (
            language == "opencl"
            and isinstance(value.type, Integer)
            and isinstance(count.type, Integer)
        ):
            # OpenCL C 6.3.j: the count is taken modulo the width
            count = binary("&", count, integer(value.type.bits - 1, count.type))
        return binary(op, value, count)
    common = usual(left.type, right.type)
    comparison = (BOOL if language == "cuda" else INT) if op in COMPARISONS else None
    if isinstance(common, Float) and op in ("%", "&", "|", "^"):
        return Unknown(common, "unsupported", (left, right), True)
    return binary(op, convert(left, common), convert(right, common), comparison)


def _pointer_arithmetic(op: str, left: Expression, right: Expression) -> Expression:
    if op in COMPARISONS:
        target = left.type if isinstance(left.type, Pointer) else right.type
        return binary(op, convert(left, target), convert(right, target), BOOL)
    if op == "+" and isinstance(right.type, Pointer):
        left, right = right, left
    if op == "+" and isinstance(left.type, Pointer):
        return pointer_add(left, right, size_of(left.type.pointee), left.type)
    if op == "-" and isinstance(right.type, Pointer) and isinstance(left.type, Pointer):
        size = size_of(left.type.pointee)
        if size is None:
            return Unknown(LONG, "unknown-type", (left, right), True)
        return binary("/", binary("-", left, right, LONG), integer(size, LONG))
    if op == "-" and isinstance(left.type, Pointer):
        return pointer_add(left, right, size_of(left.type.pointee), left.type, True)
    return Unknown(left.type, "unsupported", (left, right), True)
