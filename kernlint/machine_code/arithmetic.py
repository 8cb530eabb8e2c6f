"""What integer instructions compute: pure functions over lanes.

In: the opcode's modifiers and the sources, numpy arrays of uint32 (uint64 where the table says that
a source is a pair of registers or carries), bool for predicates. Out: one array per destination, a
uint64 for a pair of registers. Never: memory, other lanes, or what is known.

Names and modifiers are those of nvdisasm; the semantics were found by executing the machine code
of 76 programs and comparing with an H100's counters.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Lanes = npt.NDArray[Any]
Modifiers = frozenset[str]

WORD = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)


def low(values: Lanes) -> Lanes:
    """The low 32 bits of 64-bit values."""
    return (values & WORD).astype(np.uint32)


def high(values: Lanes) -> Lanes:
    return (values >> HALF).astype(np.uint32)


def extended(values: Lanes, signed: bool) -> Lanes:
    """32-bit values as uint64, sign-extended where `signed`."""
    if values.dtype == np.uint64:
        values = low(values)
    if signed:
        return values.view(np.int32).astype(np.int64).view(np.uint64)
    return values.astype(np.uint64)


def _sum(terms: tuple[Lanes, ...]) -> Lanes:
    total = terms[0].astype(np.uint64)
    for term in terms[1:]:
        total = total + term.astype(np.uint64)
    return total


def move(modifiers: Modifiers, value: Lanes, *_: Lanes) -> tuple[Lanes, ...]:
    return (value,)


def add3(modifiers: Modifiers, *terms: Lanes) -> tuple[Lanes, ...]:
    """a + b + c (+ carries): the sum, and its carries out, of which there are up to two."""
    total = _sum(terms if "X" in modifiers else terms[:3])
    carry = total >> HALF
    return low(total), carry >= 1, carry >= 2


def add(modifiers: Modifiers, a: Lanes, b: Lanes, *_: Lanes) -> tuple[Lanes, ...]:
    return (a + b,)


def multiply_add(
    modifiers: Modifiers, a: Lanes, b: Lanes, c: Lanes, *more: Lanes
) -> tuple[Lanes, ...]:
    """a * b + c (+ carry): its low half; WIDE all 64 bits, c being a pair; HI the high half."""
    signed = "U32" not in modifiers
    wide = bool(modifiers & {"WIDE", "HI"})
    product = extended(a, signed and wide) * extended(b, signed and wide)
    total = product + c.astype(np.uint64)
    carry = total < product
    if "X" in modifiers and more:
        total = total + more[0].astype(np.uint64)
    if "HI" in modifiers:
        return (high(total),)
    return (total, carry) if wide else (low(total),)


def scaled_add(modifiers: Modifiers, a: Lanes, b: Lanes, *rest: Lanes) -> tuple[Lanes, ...]:
    """LEA: (a << n) + b; HI: the high half of ({c, a} << n), plus b; SX32: c is a's sign. X adds a
    carry."""
    a = low(a)
    if "HI" in modifiers:
        if "SX32" in modifiers:
            wide, rest = extended(a, True), rest
        else:
            wide, rest = extended(a, False) | extended(rest[0], False) << HALF, rest[1:]
        shifted = (wide << (rest[0].astype(np.uint64) & np.uint64(63))) >> HALF
    else:
        shifted = extended(a << (rest[0].astype(np.uint32) & np.uint32(31)), False)
    total = shifted + b
    if "X" in modifiers and len(rest) > 1:
        total = total + rest[1].astype(np.uint64)
    return low(total), (total >> HALF) >= 1


def shift(modifiers: Modifiers, below: Lanes, amount: Lanes, above: Lanes) -> tuple[Lanes, ...]:
    """SHF: {above, below} shifted; HI takes the high half of the result, else the low one. The
    amount is clamped to the width, or with W wrapped around it."""
    width = 64 if modifiers & {"U64", "S64"} else 32
    distance = amount.astype(np.uint64)
    distance = (
        distance % np.uint64(width) if "W" in modifiers else np.minimum(distance, np.uint64(width))
    )
    pair = extended(below, False) | extended(above, False) << HALF
    far = distance >= 64
    distance = np.where(far, np.uint64(63), distance)
    if "L" in modifiers:
        result = np.where(far, np.uint64(0), pair << distance)
    elif modifiers & {"S32", "S64"}:
        result = (pair.view(np.int64) >> distance.astype(np.int64)).view(np.uint64)
    else:
        result = np.where(far, np.uint64(0), pair >> distance)
    return (high(result) if "HI" in modifiers else low(result),)


def logic(
    modifiers: Modifiers, a: Lanes, b: Lanes, c: Lanes, table: Lanes, *_: Lanes
) -> tuple[Lanes, ...]:
    """LOP3: bit i of the result is bit (4 a_i + 2 b_i + c_i) of `table`; and whether it is not 0."""
    result = lookup(int(table.flat[0]), a, b, c)
    return result, result != 0


def lookup(table: int, a: Lanes, b: Lanes, c: Lanes) -> Lanes:
    result = a & np.uint32(0)
    for entry in range(8):
        if table >> entry & 1:
            term = a if entry & 4 else ~a
            term = term & (b if entry & 2 else ~b)
            result = result | (term & (c if entry & 1 else ~c))
    return result


def predicate_logic(
    modifiers: Modifiers, a: Lanes, b: Lanes, c: Lanes, first: Lanes, second: Lanes
) -> tuple[Lanes, ...]:
    """PLOP3: two predicates, each by its own table."""
    return tuple(_truth(int(table.flat[0]), a, b, c) for table in (first, second))


def _truth(table: int, a: Lanes, b: Lanes, c: Lanes) -> Lanes:
    index = a.astype(np.uint8) * 4 + b.astype(np.uint8) * 2 + c.astype(np.uint8)
    return np.asarray((table >> index) & 1 == 1)


_COMPARE = {
    "EQ": np.equal,
    "NE": np.not_equal,
    "LT": np.less,
    "LE": np.less_equal,
    "GT": np.greater,
    "GE": np.greater_equal,
}
_STRICT = {"LE": "LT", "GE": "GT"}
_COMBINE = {"AND": np.logical_and, "OR": np.logical_or, "XOR": np.logical_xor}


def compare(
    modifiers: Modifiers, a: Lanes, b: Lanes, given: Lanes, *lower: Lanes
) -> tuple[Lanes, ...]:
    """ISETP: the comparison, and its negation, each combined with a predicate. EX compares high
    halves, `lower` being the comparison of the low ones."""
    which = next(name for name in _COMPARE if name in modifiers)
    if "U32" not in modifiers:
        a, b = a.view(np.int32), b.view(np.int32)
    if "EX" in modifiers and lower:
        if which == "NE":
            result = (a != b) | lower[0]
        else:
            strict = np.False_ if which == "EQ" else _COMPARE[_STRICT.get(which, which)](a, b)
            result = strict | ((a == b) & lower[0])
    else:
        result = _COMPARE[which](a, b)
    combine = next(_COMBINE[name] for name in _COMBINE if name in modifiers)
    return combine(result, given), combine(~result, given)


def extreme(modifiers: Modifiers, *sources: Lanes) -> tuple[Lanes, ...]:
    """VIMNMX, VIMNMX3: the least where the last source is true, else the greatest."""
    *values, least = sources
    if not modifiers & {"U32"}:
        values = [value.view(np.int32) for value in values]
    result = values[0]
    for value in values[1:]:
        result = np.where(least, np.minimum(result, value), np.maximum(result, value))
    if "RELU" in modifiers:
        result = np.maximum(result, result.dtype.type(0))
    return (result.view(np.uint32),)


def add_extreme(
    modifiers: Modifiers, a: Lanes, b: Lanes, c: Lanes, least: Lanes, *_: Lanes
) -> tuple[Lanes, ...]:
    return extreme(modifiers, a + b, c, least)


def absolute(modifiers: Modifiers, a: Lanes) -> tuple[Lanes, ...]:
    return (np.where(a >> np.uint32(31), -a, a),)


def permute(modifiers: Modifiers, a: Lanes, selector: Lanes, b: Lanes) -> tuple[Lanes, ...]:
    """PRMT: four bytes of {b, a} by the selector's digits; digit 8 and above repeat the sign."""
    pair = extended(a, False) | extended(b, False) << HALF
    result = extended(a, False) & np.uint64(0)
    for index in range(4):
        digit = (selector >> np.uint32(4 * index)) & np.uint32(15)
        byte = (pair >> ((digit & np.uint32(7)).astype(np.uint64) * np.uint64(8))) & np.uint64(255)
        signs = np.where(byte >> np.uint64(7), np.uint64(255), np.uint64(0))
        result = result | np.where(digit >= 8, signs, byte) << np.uint64(8 * index)
    return (low(result),)


def population(modifiers: Modifiers, a: Lanes) -> tuple[Lanes, ...]:
    return (np.bitwise_count(a).astype(np.uint32) if hasattr(np, "bitwise_count") else _ones(a),)


def _ones(values: Lanes) -> Lanes:
    result = values & np.uint32(0)
    for bit in range(32):
        result = result + (values >> np.uint32(bit) & np.uint32(1))
    return result


def reverse(modifiers: Modifiers, a: Lanes) -> tuple[Lanes, ...]:
    result = a & np.uint32(0)
    for bit in range(32):
        result = result | (a >> np.uint32(bit) & np.uint32(1)) << np.uint32(31 - bit)
    return (result,)


def leading(modifiers: Modifiers, a: Lanes) -> tuple[Lanes, ...]:
    """FLO: where the highest set bit is, of a signed number the highest that differs from the sign;
    SH counts from above; all ones where there is none."""
    if "U32" not in modifiers:
        a = np.where(a >> np.uint32(31), ~a, a)
    place = np.frexp(a.astype(np.float64))[1].astype(np.int64) - 1
    found = 31 - place if "SH" in modifiers else place
    return (low(np.where(a == 0, -1, found).view(np.uint64)),)


def sign_extend(modifiers: Modifiers, a: Lanes, bits: Lanes) -> tuple[Lanes, ...]:
    """SGXT: the low `bits` bits, with their sign, or U32 without."""
    kept = np.uint32(32) - np.minimum(bits, np.uint32(32))
    wide = extended(a, False) << (kept.astype(np.uint64) + HALF)
    if "U32" in modifiers:
        return (low(wide >> (kept.astype(np.uint64) + HALF)),)
    return (low((wide.view(np.int64) >> (kept.astype(np.int64) + 32)).view(np.uint64)),)


def mask(modifiers: Modifiers, start: Lanes, count: Lanes) -> tuple[Lanes, ...]:
    """BMSK: `count` ones from bit `start` on."""
    ones = (np.uint64(1) << np.minimum(count, np.uint32(32)).astype(np.uint64)) - np.uint64(1)
    return (low(ones << np.minimum(start, np.uint32(32)).astype(np.uint64)),)


def packed(modifiers: Modifiers, *sources: Lanes) -> tuple[Lanes, ...]:
    """IDP.4A: the sum of four products of bytes, plus c."""
    a, b, c = sources[:3]
    words = [
        word for word in ("U8.U8", "S8.S8", "U8.S8", "S8.U8") if set(word.split(".")) <= modifiers
    ]
    if "4A" not in modifiers or len(modifiers & {"U8", "S8"}) != 1 or not words:
        return ()
    signed = "S8" in modifiers
    total = c
    for index in range(0, 32, 8):
        parts = [(v >> np.uint32(index)).astype(np.uint8) for v in (a, b)]
        x, y = ((p.view(np.int8) if signed else p).astype(np.int32) for p in parts)
        total = total + (x * y).view(np.uint32)
    return (total,)


def to_float(modifiers: Modifiers, a: Lanes) -> tuple[Lanes, ...]:
    """I2F: 32-bit integers to single precision; RP rounds up. Other widths are not computed."""
    if modifiers & {"F64", "F16", "U64", "S64", "U8", "S8", "U16", "S16", "RM", "RZ"}:
        return ()
    exact = (a if "U32" in modifiers else a.view(np.int32)).astype(np.float64)
    nearest = exact.astype(np.float32)
    if "RP" in modifiers:
        above = np.nextafter(nearest, np.float32(np.inf))
        nearest = np.where(nearest.astype(np.float64) < exact, above, nearest)
    return (nearest.view(np.uint32),)


def to_integer(modifiers: Modifiers, a: Lanes) -> tuple[Lanes, ...]:
    """F2I.TRUNC: single precision to 32-bit integers, saturating."""
    if "TRUNC" not in modifiers or modifiers & {"F64", "S64", "U64", "F16"}:
        return ()
    value = np.nan_to_num(np.trunc(a.view(np.float32).astype(np.float64)))
    if "U32" in modifiers:
        return (np.clip(value, 0, 2**32 - 1).astype(np.uint32),)
    return (np.clip(value, -(2**31), 2**31 - 1).astype(np.int32).view(np.uint32),)


def special_function(modifiers: Modifiers, a: Lanes) -> tuple[Lanes, ...]:
    """MUFU.RCP as divisions of integers use it, whose result does not depend on its last bit."""
    if "RCP" not in modifiers:
        return ()
    with np.errstate(all="ignore"):
        return ((1.0 / a.view(np.float32).astype(np.float64)).astype(np.float32).view(np.uint32),)
