"""Integer built-in functions on arrays of lanes: what `ir.Call(name, …)` computes.

In: int64 arrays that hold C values (wrapped and sign-extended for their type; unsigned 64-bit
values as their bit patterns), and `bits`, `signed`: the type of the call's first argument. Out: an
int64 array; the caller wraps it to the call's type (`wrap`). Never sees floating point: a call with
a float argument, or one whose name is not in OPERATIONS, is unknown.

Sources: CUDA Math API (integer intrinsics), OpenCL C 3.0 section 6.15.3, PTX ISA chapter 9 (bfe,
bfi, lop3, prmt, shl, shr, bfind).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, reduce
from inspect import Parameter, signature
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

Lanes = npt.NDArray[np.int64]
Bits = npt.NDArray[np.uint64]


def wrap(values: Lanes, bits: int, signed: bool) -> Lanes:
    """Values modulo 2**bits in the representation described above."""
    if bits >= 64:
        return values
    low = values & np.int64((1 << bits) - 1)
    if not signed:
        return low
    sign = np.int64(1 << (bits - 1))
    return (low ^ sign) - sign


def _pattern(values: Lanes, bits: int) -> Bits:
    """The low `bits` bits, zero-extended."""
    found = np.asarray(values, dtype=np.int64).view(np.uint64)
    return found if bits >= 64 else found & np.uint64((1 << bits) - 1)


def _value(pattern: Bits, bits: int, signed: bool) -> Lanes:
    return wrap(np.asarray(pattern, dtype=np.uint64).view(np.int64), bits, signed)


def _count(pattern: Bits) -> Lanes:
    """Set bits of each word, summed in parallel fields of 2, 4 and 8 bits."""
    v = pattern - ((pattern >> np.uint64(1)) & np.uint64(0x5555555555555555))
    v = (v & np.uint64(0x3333333333333333)) + ((v >> np.uint64(2)) & np.uint64(0x3333333333333333))
    v = (v + (v >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    total: Bits = (v * np.uint64(0x0101010101010101)) >> np.uint64(56)
    return total.view(np.int64)


def _length(pattern: Bits) -> Lanes:
    """Position of the highest set bit plus one; 0 for 0."""
    v = pattern
    for shift in (1, 2, 4, 8, 16, 32):
        v = v | (v >> np.uint64(shift))
    return _count(v)


def _shift_left(pattern: Bits, amount: Lanes) -> Bits:
    """Left shift in 64 bits by any amount; 64 and more give 0."""
    clipped = np.clip(amount, 0, 63).astype(np.uint64)
    return np.where(amount >= 64, np.uint64(0), pattern << clipped)


def _shift_right(pattern: Bits, amount: Lanes) -> Bits:
    clipped = np.clip(amount, 0, 63).astype(np.uint64)
    return np.where(amount >= 64, np.uint64(0), pattern >> clipped)


def _mask(width: Lanes) -> Bits:
    """`width` ones, 0 ≤ width ≤ 64."""
    return ~_shift_left(np.full(np.shape(width), ~np.uint64(0)), width)


def _less(a: Lanes, b: Lanes, bits: int, signed: bool) -> npt.NDArray[np.bool_]:
    return a < b if signed or bits < 64 else a.view(np.uint64) < b.view(np.uint64)


# ------------------------------------------------------------------ comparing and counting


def _minimum(a: Lanes, b: Lanes, *, bits: int, signed: bool) -> Lanes:
    return np.where(_less(b, a, bits, signed), b, a)


def _maximum(a: Lanes, b: Lanes, *, bits: int, signed: bool) -> Lanes:
    return np.where(_less(a, b, bits, signed), b, a)


def _common_divisor(a: Lanes, b: Lanes, *, bits: int, signed: bool) -> Lanes:
    sides = (
        (np.where(x < 0, -x, x).astype(np.uint64) if signed else _pattern(x, bits)) for x in (a, b)
    )
    return np.gcd(*sides).astype(np.int64)


def _clamp(x: Lanes, low: Lanes, high: Lanes, *, bits: int, signed: bool) -> Lanes:
    return _minimum(_maximum(x, low, bits=bits, signed=signed), high, bits=bits, signed=signed)


def _absolute(x: Lanes, *, bits: int, signed: bool) -> Lanes:
    return np.where(x < 0, -x, x) if signed else x


def _difference(a: Lanes, b: Lanes, *, bits: int, signed: bool) -> Lanes:
    return np.where(_less(a, b, bits, signed), b - a, a - b)


def _leading(x: Lanes, *, bits: int, signed: bool) -> Lanes:
    return bits - _length(_pattern(x, bits))


def _trailing(x: Lanes, *, bits: int, signed: bool) -> Lanes:
    pattern = _pattern(x, bits)
    lowest = pattern & (~pattern + np.uint64(1))
    return np.where(pattern == 0, bits, _count(lowest - np.uint64(1)))


def _first_set(x: Lanes, *, bits: int, signed: bool) -> Lanes:
    return np.where(_pattern(x, bits) == 0, 0, _trailing(x, bits=bits, signed=signed) + 1)


def _popcount(x: Lanes, *, bits: int, signed: bool) -> Lanes:
    return _count(_pattern(x, bits))


def _find_highest(x: Lanes, *, bits: int, signed: bool) -> Lanes:
    """bfind: the highest set bit (of a negative number: the highest clear one), all ones when there
    is none."""
    magnitude = np.where(x < 0, ~x, x) if signed else x
    return wrap(_length(_pattern(magnitude, bits)) - 1, 32, False)


def _find_shift(x: Lanes, *, bits: int, signed: bool) -> Lanes:
    found = _find_highest(x, bits=bits, signed=signed)
    return np.where(found == 0xFFFFFFFF, found, bits - 1 - found)


# ------------------------------------------------------------------ multiplying and adding


def _high_unsigned(a: Bits, b: Bits) -> Bits:
    low = np.uint64(0xFFFFFFFF)
    half = np.uint64(32)
    a0, a1, b0, b1 = a & low, a >> half, b & low, b >> half
    middle = a1 * b0 + ((a0 * b0) >> half)
    other = a0 * b1 + (middle & low)
    high: Bits = a1 * b1 + (middle >> half) + (other >> half)
    return high


def _multiply_high(a: Lanes, b: Lanes, *, bits: int, signed: bool) -> Lanes:
    if bits <= 32 and signed:
        return (a * b) >> np.int64(bits)
    pa, pb = _pattern(a, bits), _pattern(b, bits)
    if bits <= 32:
        return _value((pa * pb) >> np.uint64(bits), bits, False)
    high = _high_unsigned(pa, pb).view(np.int64)
    return high - np.where(a < 0, b, 0) - np.where(b < 0, a, 0) if signed else high


def _multiply_24(a: Lanes, b: Lanes, *, bits: int, signed: bool) -> Lanes:
    return wrap(wrap(a, 24, signed) * wrap(b, 24, signed), 32, signed)


def _mad_24(a: Lanes, b: Lanes, c: Lanes, *, bits: int, signed: bool) -> Lanes:
    return wrap(_multiply_24(a, b, bits=bits, signed=signed) + c, 32, signed)


def _mad_high(a: Lanes, b: Lanes, c: Lanes, *, bits: int, signed: bool) -> Lanes:
    return wrap(_multiply_high(a, b, bits=bits, signed=signed) + c, bits, signed)


def _saturate(exact: npt.NDArray[np.object_], bits: int, signed: bool) -> Lanes:
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    clipped = np.asarray(np.minimum(np.maximum(exact, low), high), dtype=object)
    return np.asarray(clipped & ((1 << 64) - 1)).astype(np.uint64).view(np.int64)


def _exact(x: Lanes, signed: bool) -> npt.NDArray[np.object_]:
    """Python integers of any size."""
    return np.asarray(x if signed else x.view(np.uint64)).astype(object)


def _add_saturated(a: Lanes, b: Lanes, *, bits: int, signed: bool) -> Lanes:
    return _saturate(_exact(a, signed) + _exact(b, signed), bits, signed)


def _subtract_saturated(a: Lanes, b: Lanes, *, bits: int, signed: bool) -> Lanes:
    return _saturate(_exact(a, signed) - _exact(b, signed), bits, signed)


def _mad_saturated(a: Lanes, b: Lanes, c: Lanes, *, bits: int, signed: bool) -> Lanes:
    return _saturate(_exact(a, signed) * _exact(b, signed) + _exact(c, signed), bits, signed)


def _half_add(a: Lanes, b: Lanes, *, bits: int, signed: bool) -> Lanes:
    if signed or bits < 64:
        return (a & b) + ((a ^ b) >> np.int64(1))
    return (a & b) + ((a ^ b).view(np.uint64) >> np.uint64(1)).view(np.int64)


def _rounded_half_add(a: Lanes, b: Lanes, *, bits: int, signed: bool) -> Lanes:
    if signed or bits < 64:
        return (a | b) - ((a ^ b) >> np.int64(1))
    return (a | b) - ((a ^ b).view(np.uint64) >> np.uint64(1)).view(np.int64)


def _sum_of_differences(a: Lanes, b: Lanes, c: Lanes, *, bits: int, signed: bool) -> Lanes:
    return wrap(_difference(a, b, bits=bits, signed=signed) + c, bits, False)


def _dot_bytes(a: Lanes, b: Lanes, c: Lanes, *, bits: int, signed: bool) -> Lanes:
    total = c
    for shift in (0, 8, 16, 24):
        total = total + wrap(a >> np.int64(shift), 8, signed) * wrap(
            b >> np.int64(shift), 8, signed
        )
    return wrap(total, 32, signed)


# ------------------------------------------------------------------ bits


def _reverse(x: Lanes, *, bits: int, signed: bool) -> Lanes:
    v = _pattern(x, bits)
    for shift, mask in _REVERSAL:
        v = ((v >> np.uint64(shift)) & np.uint64(mask)) | (
            (v & np.uint64(mask)) << np.uint64(shift)
        )
    v = (v >> np.uint64(32)) | (v << np.uint64(32))
    return _value(v >> np.uint64(64 - bits), bits, signed)


_REVERSAL = (
    (1, 0x5555555555555555),
    (2, 0x3333333333333333),
    (4, 0x0F0F0F0F0F0F0F0F),
    (8, 0x00FF00FF00FF00FF),
    (16, 0x0000FFFF0000FFFF),
)


def _rotate(x: Lanes, amount: Lanes, *, bits: int, signed: bool) -> Lanes:
    pattern, left = _pattern(x, bits), amount % bits
    return _value(_shift_left(pattern, left) | _shift_right(pattern, bits - left), bits, signed)


def _funnel(low: Lanes, high: Lanes) -> Bits:
    return (_pattern(high, 32) << np.uint64(32)) | _pattern(low, 32)


def _funnel_left(low: Lanes, high: Lanes, amount: Lanes, *, bits: int, signed: bool) -> Lanes:
    return (_shift_left(_funnel(low, high), amount & 31) >> np.uint64(32)).view(np.int64)


def _funnel_right(low: Lanes, high: Lanes, amount: Lanes, *, bits: int, signed: bool) -> Lanes:
    return _value(_shift_right(_funnel(low, high), amount & 31), 32, False)


def _funnel_left_clamped(
    low: Lanes, high: Lanes, amount: Lanes, *, bits: int, signed: bool
) -> Lanes:
    limited = np.minimum(wrap(amount, 32, False), 32)
    return (_shift_left(_funnel(low, high), limited) >> np.uint64(32)).view(np.int64)


def _funnel_right_clamped(
    low: Lanes, high: Lanes, amount: Lanes, *, bits: int, signed: bool
) -> Lanes:
    return _value(
        _shift_right(_funnel(low, high), np.minimum(wrap(amount, 32, False), 32)), 32, False
    )


def _permute(a: Lanes, b: Lanes, selector: Lanes, replicate_sign: bool) -> Lanes:
    source = _funnel(a, b)
    result = np.zeros(np.broadcast(a, b, selector).shape, dtype=np.uint64)
    for i in range(4):
        nibble = (selector >> np.int64(4 * i)) & 15
        byte = _shift_right(source, 8 * (nibble & 7)) & np.uint64(0xFF)
        if replicate_sign:
            byte = np.where(
                nibble & 8, np.where(byte & np.uint64(0x80), np.uint64(0xFF), np.uint64(0)), byte
            )
        result = result | (byte << np.uint64(8 * i))
    return result.view(np.int64)


def _byte_permute(a: Lanes, b: Lanes, selector: Lanes, *, bits: int, signed: bool) -> Lanes:
    return _permute(a, b, selector, replicate_sign=False)


def _byte_permute_sign(a: Lanes, b: Lanes, selector: Lanes, *, bits: int, signed: bool) -> Lanes:
    return _permute(a, b, selector, replicate_sign=True)


def _shift_left_clamped(x: Lanes, amount: Lanes, *, bits: int, signed: bool) -> Lanes:
    return _value(_shift_left(_pattern(x, bits), wrap(amount, 32, False)), bits, signed)


def _shift_right_clamped(x: Lanes, amount: Lanes, *, bits: int, signed: bool) -> Lanes:
    limited = wrap(amount, 32, False)
    if signed:
        return x >> np.minimum(limited, 63)
    return _value(_shift_right(_pattern(x, bits), limited), bits, False)


def _extract(x: Lanes, position: Lanes, length: Lanes, *, bits: int, signed: bool) -> Lanes:
    start, wanted = position & 255, length & 255
    pattern = _pattern(x, bits)
    ones = _mask(np.clip(np.minimum(wanted, bits - start), 0, bits))
    field = _shift_right(pattern, start) & ones
    if signed:
        sign = (
            _shift_right(pattern, np.minimum(start + wanted - 1, bits - 1)) & np.uint64(1)
        ).astype(bool) & (wanted > 0)
        field = np.where(sign, field | ~ones, field)
    return _value(field, bits, signed)


def _insert(
    source: Lanes, base: Lanes, position: Lanes, length: Lanes, *, bits: int, signed: bool
) -> Lanes:
    start, wanted = position & 255, length & 255
    ones = _shift_left(_mask(np.clip(np.minimum(wanted, bits - start), 0, bits)), start)
    inserted = _shift_left(_pattern(source, bits), start)
    return _value((_pattern(base, bits) & ~ones) | (inserted & ones), bits, signed)


def _logic_three(a: Lanes, b: Lanes, c: Lanes, table: Lanes, *, bits: int, signed: bool) -> Lanes:
    result = np.zeros(np.broadcast(a, b, c, table).shape, dtype=np.int64)
    for row in range(8):
        term = (a if row & 4 else ~a) & (b if row & 2 else ~b) & (c if row & 1 else ~c)
        result = result | np.where((table >> np.int64(row)) & 1, term, 0)
    return wrap(result, bits, signed)


def _upsample(high: Lanes, low: Lanes, *, bits: int, signed: bool) -> Lanes:
    joined = (_pattern(high, bits) << np.uint64(bits)) | _pattern(low, bits)
    return _value(joined, 2 * bits, signed)


def _bit_select(a: Lanes, b: Lanes, c: Lanes, *, bits: int, signed: bool) -> Lanes:
    return (a & ~c) | (b & c)


def _select(a: Lanes, b: Lanes, c: Lanes, *, bits: int, signed: bool) -> Lanes:
    return np.where(c != 0, b, a)


def _top_bit(x: Lanes, bits: int) -> npt.NDArray[np.bool_]:
    return (_pattern(x, bits) >> np.uint64(bits - 1)).astype(bool)


def _select_by_top_bit(a: Lanes, b: Lanes, c: Lanes, *, bits: int, signed: bool) -> Lanes:
    return np.where(_top_bit(c, bits), b, a)


def _any_top_bit(*components: Lanes, bits: int, signed: bool) -> Lanes:
    return reduce(np.logical_or, (_top_bit(c, bits) for c in components)).astype(np.int64)


def _all_top_bits(*components: Lanes, bits: int, signed: bool) -> Lanes:
    return reduce(np.logical_and, (_top_bit(c, bits) for c in components)).astype(np.int64)


def _on_arrays(function: Callable[..., Lanes]) -> Callable[..., Lanes]:
    """numpy's scalars warn where arrays wrap, so a scalar is worked on as an array of one."""

    def run(*arrays: Lanes, bits: int, signed: bool) -> Lanes:
        result = function(
            *(np.atleast_1d(np.asarray(a, dtype=np.int64)) for a in arrays),
            bits=bits,
            signed=signed,
        )
        return result if any(np.ndim(a) for a in arrays) else result.reshape(())

    return run


_FUNCTIONS: Mapping[str, Callable[..., Lanes]] = MappingProxyType(
    {
        "min": _minimum,
        "max": _maximum,
        "gcd": _common_divisor,
        "clamp": _clamp,
        "abs": _absolute,
        "abs_diff": _difference,
        "clz": _leading,
        "ctz": _trailing,
        "ffs": _first_set,
        "popcount": _popcount,
        "bfind": _find_highest,
        "bfind_shift": _find_shift,
        "mul_hi": _multiply_high,
        "mul24": _multiply_24,
        "mad24": _mad_24,
        "mad_hi": _mad_high,
        "mad_sat": _mad_saturated,
        "add_sat": _add_saturated,
        "sub_sat": _subtract_saturated,
        "hadd": _half_add,
        "rhadd": _rounded_half_add,
        "sad": _sum_of_differences,
        "dp4a": _dot_bytes,
        "brev": _reverse,
        "rotate": _rotate,
        "funnelshift_l": _funnel_left,
        "funnelshift_r": _funnel_right,
        "funnelshift_lc": _funnel_left_clamped,
        "funnelshift_rc": _funnel_right_clamped,
        "byte_perm": _byte_permute,
        "byte_perm_sign": _byte_permute_sign,
        "shl_clamp": _shift_left_clamped,
        "shr_clamp": _shift_right_clamped,
        "bfe": _extract,
        "bfi": _insert,
        "lop3": _logic_three,
        "upsample": _upsample,
        "bitselect": _bit_select,
        "select": _select,
        "select_msb": _select_by_top_bit,
        "any_msb": _any_top_bit,
        "all_msb": _all_top_bits,
    }
)

OPERATIONS: Mapping[str, Callable[..., Lanes]] = MappingProxyType(
    {name: _on_arrays(function) for name, function in _FUNCTIONS.items()}
)


@cache
def accepts(name: str, count: int) -> bool:
    """Whether the operation takes `count` operands."""
    taken = [
        p.kind
        for p in signature(_FUNCTIONS[name]).parameters.values()
        if p.kind is not p.KEYWORD_ONLY
    ]
    return count >= 1 if Parameter.VAR_POSITIONAL in taken else count == len(taken)
