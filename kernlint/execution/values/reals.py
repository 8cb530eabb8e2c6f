"""Floating-point numbers that are known, as in `(int)ceil(n / 4.0f)`: what functions, operators and
conversions make of them.

In: numbers and types. Out: numbers, or `Value`s.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from kernlint.execution.values import sums
from kernlint.execution.values.values import Value, identity, integer
from kernlint.ir.functions import functions
from kernlint.ir.types import Float, Type, type_bounds

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
OPERATORS: dict[str, Callable[[float, float], float]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b if b else math.nan,
    "min": min,
    "max": max,
}


def rounded(value: float, type_: Float) -> Value:
    return Value(sums.ZERO, real=float(np.float32(value)) if type_.bits == 32 else value)


def truncated(value: float, target: Type) -> Value:
    """The machine's conversion toward zero: to the nearest value of the type, NaN to 0 (PTX ISA,
    cvt.rzi)."""
    low, high = type_bounds(target)
    if math.isnan(value) or low is None or high is None:
        return integer(0)
    nearest = low if value <= low else high if value >= high else math.trunc(value)
    return Value(sums.wrap(sums.constant(nearest), 64, True))


def opaque(value: Value) -> Value:
    """Another integer for each real: its bit pattern."""
    return value if value.real is None else integer(int(np.float64(value.real).view(np.int64)))


def identified(value: Value) -> Any:
    return value.real if value.real is not None else identity(value)
