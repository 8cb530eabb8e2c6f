"""Floating-point numbers that are known, as in `(int)ceil(n / 4.0f)` and `(int)(threadIdx.x *
0.5f)`: what functions, operators and conversions make of them.

In: numbers, one for all lanes or one each, and types. Out: such numbers, or integers, rounded as
the type is. None where the machine's result is not certain: nvcc contracts a product and a sum to
one operation that rounds once, and its library is not always correctly rounded.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from kernlint.execution.values import sums
from kernlint.execution.values.booleans import COMPARE, Bool, dense_bool, of_factor
from kernlint.execution.values.sums import DENSE_LIMIT, Array, Key, TooDense, aligned, union
from kernlint.execution.values.values import RealLanes, Value, identity, integer
from kernlint.ir.functions import functions
from kernlint.ir.types import Float, Type, type_bounds

EXACT_INTEGERS = 1 << 53  # up to here a double holds every integer
Real = float | RealLanes

OWN: dict[str, Callable[..., float]] = {
    "min": min,
    "max": max,
    "half_away": lambda x: math.floor(abs(x) + 0.5) * (1 if x >= 0 else -1),
    "power_of_two": lambda x: 2.0**x,
}
FUNCTIONS: dict[str, Callable[..., float]] = {
    row.name: OWN.get(row.value) or getattr(math, row.value)
    for row in functions().values()
    if row.value
}


def _half_away(x: Array) -> Array:
    return np.copysign(np.floor(np.abs(x) + 0.5), x)


# correctly rounded in double precision; from there to single precision rounding is innocuous, since
# 53 bits are more than twice 24 and two (Figueroa, When is double rounding innocuous?)
EXACT: dict[str, Callable[..., Array]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "min": np.fmin,
    "max": np.fmax,
    "fmin": np.fmin,
    "fmax": np.fmax,
    "fabs": np.abs,
    "abs": np.abs,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "rint": np.rint,
    "nearbyint": np.rint,
    "round": _half_away,
    "sqrt": np.sqrt,
    "fmod": np.fmod,
    "copysign": np.copysign,
    "add_rn": np.add,
    "sub_rn": np.subtract,
    "mul_rn": np.multiply,
    "div_rn": np.divide,
    "sqrt_rn": np.sqrt,
}
CONTRACTED = ("+", "-")  # with a product: nvcc makes one operation of them
INEXACT_IN_OPENCL = ("/", "sqrt")  # in single precision: 2.5 and 3 units in the last place


def _is_power(x: Array) -> Array:
    return np.asarray((np.frexp(x)[0] == 0.5) & np.isfinite(x))


def _is_whole(x: Array) -> Array:
    return np.asarray((x == np.rint(x)) & np.isfinite(x))


# powers of two, which the library and the instructions lg2.approx and ex2.approx give exactly
POWERS: dict[str, tuple[Callable[..., Array], Callable[..., Array]]] = {
    "log2": (np.log2, _is_power),
    "exp2": (np.exp2, _is_whole),
    "pow": (np.power, lambda x, y: _is_power(x) & _is_whole(y)),
}
TO_INTEGER: dict[str, Callable[[Array], Array]] = {
    "to_integer_rn": np.rint,
    "to_integer_rz": np.trunc,
    "to_integer_rd": np.floor,
    "to_integer_ru": np.ceil,
    "to_integer_ra": _half_away,
}


def rounded(value: float, type_: Float) -> Value:
    return Value(sums.ZERO, real=float(np.float32(value)) if type_.bits == 32 else value)


def of_numbers(name: str, numbers: Sequence[float], type_: Type) -> Value:
    """A function of numbers that are one for all lanes."""
    try:
        result = float(FUNCTIONS[name](*numbers))
    except (ValueError, OverflowError):
        result = math.nan
    if isinstance(type_, Float):
        return rounded(result, type_)
    return integer(math.trunc(result) if math.isfinite(result) else 0)


def converted_to(value: Value, type_: Float) -> Value | None:
    """A known number as one of that type."""
    known = value.known
    if isinstance(value.real, RealLanes):
        made = _value(value.real.key, value.real.array, type_) if type_.bits >= 32 else None
        return None if made is None else _keeping(made, value.real.inexact)
    if value.real is not None:
        return rounded(value.real, type_)
    if value.is_known and known.is_constant:
        return rounded(float(known.const), type_)
    is_exact = max(-known.low, known.high) <= EXACT_INTEGERS and type_.bits >= 32
    if not value.is_known or not is_exact:
        return None
    key, array = sums.dense(known)
    return _value(key, array.astype(np.float64), type_)


def applied(
    name: str, operands: Sequence[Real | None], type_: Type, opencl: bool = False
) -> Value | None:
    """An operator or a function of known numbers; None where the result is not certain."""
    known = [operand for operand in operands if operand is not None]
    if len(known) < len(operands) or not isinstance(type_, Float) or type_.bits < 32:
        return None
    key, arrays = _together(known)
    if name in POWERS:
        function, is_certain = POWERS[name]
        result = _calculated(function, arrays, type_)
        certain = result is not None and bool(np.all(is_certain(*arrays)))
        return _value(key, result, type_) if result is not None and certain else None
    if name not in EXACT or (opencl and name in INEXACT_IN_OPENCL):
        return None
    if name in CONTRACTED and any(map(_is_rounded_product, known)):
        return None
    result = _calculated(EXACT[name], arrays, type_)
    if result is None:
        return None
    made = _value(key, result, type_)
    if name != "*":
        return made
    error = _product_error(*arrays)
    return _keeping(made, bool(((error != 0) | (result != arrays[0] * arrays[1])).any()))


def _is_rounded_product(real: Real) -> bool:
    return isinstance(real, RealLanes) and real.inexact


def _keeping(made: Value, inexact: bool) -> Value:
    """The value as what is left of a product."""
    if not isinstance(made.real, RealLanes):
        return made
    return Value(sums.ZERO, real=RealLanes(made.real.key, made.real.array, inexact))


def _product_error(x: Array, y: Array) -> Array:
    """What rounding takes from a product in double precision (Dekker, A floating-point technique
    for extending the available precision)."""
    (a, b), (c, d) = _halves(x), _halves(y)
    return np.asarray(((a * c - x * y) + a * d + b * c) + b * d)


def _halves(x: Array) -> tuple[Array, Array]:
    """Two numbers of 26 bits that add up to it."""
    high = x * 134217729.0  # 2**27 + 1
    high = high - (high - x)
    return high, x - high


def _calculated(
    function: Callable[..., Array], arrays: Sequence[Array], type_: Float
) -> Array | None:
    """None where the function does not take so many operands."""
    with np.errstate(all="ignore"):
        try:
            found = np.asarray(function(*arrays), dtype=np.float64)
        except (TypeError, ValueError):
            return None
        return found.astype(np.float32).astype(np.float64) if type_.bits == 32 else found


def _together(operands: Sequence[Real]) -> tuple[Key, list[Array]]:
    key = union(*(one.key for one in operands if isinstance(one, RealLanes)))
    arrays = [
        aligned(one.array, one.key, key)
        if isinstance(one, RealLanes)
        else np.full((1,) * len(key), one)
        for one in operands
    ]
    if math.prod(np.broadcast_shapes(*(array.shape for array in arrays))) > DENSE_LIMIT:
        raise TooDense
    return key, arrays


def _value(key: Key, array: Array, type_: Float) -> Value:
    if type_.bits == 32:
        array = array.astype(np.float32).astype(np.float64)
    first = float(array.reshape(-1)[0])
    if not key or bool((array == first).all()):
        return Value(sums.ZERO, real=first)
    return Value(sums.ZERO, real=RealLanes(key, np.ascontiguousarray(array)))


def truncated(value: float, target: Type) -> Value:
    """The machine's conversion toward zero: to the nearest value of the type, NaN to 0 (PTX ISA,
    cvt.rzi)."""
    low, high = type_bounds(target)
    if math.isnan(value) or low is None or high is None:
        return integer(0)
    nearest = low if value <= low else high if value >= high else math.trunc(value)
    return Value(sums.wrap(sums.constant(nearest), 64, True))


def converted(real: Real, target: Type, how: str = "to_integer_rz") -> Value | None:
    """To an integer; None where a lane's number is beyond what an int64 holds."""
    rounding = TO_INTEGER[how]
    if not isinstance(real, RealLanes):
        return truncated(float(rounding(np.array(real))), target)
    low, high = type_bounds(target)
    array = np.nan_to_num(rounding(real.array), nan=0.0, posinf=np.inf, neginf=-np.inf)
    if low is None or high is None or bool((np.abs(array) > EXACT_INTEGERS).any()):
        return None
    whole = np.clip(array.astype(np.int64), max(low, -EXACT_INTEGERS), min(high, EXACT_INTEGERS))
    return Value(sums.of_array(real.key, whole))


def compared(operator: str, a: Real, b: Real) -> Bool:
    """Where `a operator b` holds; nowhere but for != where one is no number."""
    key, (x, y) = _together([a, b])
    test = COMPARE[operator]
    with np.errstate(all="ignore"):
        sign = (x > y).astype(np.int64) - (x < y).astype(np.int64)
    unordered = np.isnan(x) | np.isnan(y)
    return of_factor(key, np.where(unordered, operator == "!=", test(sign)))


def chosen(truth: Bool, then: Real, otherwise: Real) -> Real:
    """`then` in lanes for which the truth holds, `otherwise` in the others."""
    by, flags = dense_bool(truth)
    key, arrays = _together([then, otherwise])
    every = union(by, key)
    first, second = (aligned(array, key, every) for array in arrays)
    found = np.where(aligned(flags, by, every), first, second)
    if found.size > DENSE_LIMIT:
        raise TooDense
    inexact = any(map(_is_rounded_product, (then, otherwise)))
    return RealLanes(every, np.ascontiguousarray(found), inexact)


def opposite(real: Real) -> Real:
    if isinstance(real, RealLanes):
        return RealLanes(real.key, -real.array, real.inexact)
    return -real


def opaque(value: Value) -> Value:
    """Another integer for each real: its bit pattern."""
    if value.real is None:
        return value
    if isinstance(value.real, RealLanes):
        return Value(value.real.pattern)
    return integer(int(np.float64(value.real).view(np.int64)))


def identified(value: Value) -> Any:
    return value.real if isinstance(value.real, float) else identity(opaque(value))
