"""Known integers over lanes, blocks and iterations, kept as sums of per-axis arrays.

In: numpy int64 arrays along named axes. Out: `Sum`s, whose parts stay separate as long as
operations are linear, so that a grid of a million threads costs one array per axis; a nonlinear
operation on several parts makes them one dense array. Never looks at atoms, memory or masks.

Axes are integers; keys are sorted tuples of axes and an array has one dimension per axis of its
key. Loop axes are small numbers, then comes BLOCK, and LANE is last, so rows of a dense array are
lanes of one block.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import reduce
from typing import Any

import numpy as np
import xxhash

from kernlint.base.dataclass import dataclass, field
from kernlint.base.per_object import PerObject

Array = np.ndarray[Any, np.dtype[Any]]
Key = tuple[int, ...]

BLOCK = 1 << 20
LANE = (1 << 20) + 1
DENSE_LIMIT = 1 << 23
INT64_MIN, INT64_MAX = -(1 << 63), (1 << 63) - 1


class TooDense(Exception):
    """A dense array would exceed DENSE_LIMIT elements; the caller analyses fewer blocks at once."""


def union(*keys: Key) -> Key:
    return tuple(sorted(set().union(*keys)))


def aligned(array: Array, key: Key, target: Key) -> Array:
    """`array` over `key` reshaped to broadcast over `target` (a superset of `key`)."""
    if key == target:
        return array
    sizes = dict(zip(key, array.shape, strict=True))
    return array.reshape(tuple(sizes.get(axis, 1) for axis in target))


@dataclass(frozen=True, slots=True, eq=False)
class Sum:
    """const + the sum of `parts`; `low` and `high` bound it (exact when there is at most one
    part)."""

    const: int
    parts: Mapping[Key, Array] = field(default_factory=dict)
    low: int = 0
    high: int = 0

    @property
    def key(self) -> Key:
        return union(*self.parts) if self.parts else ()

    @property
    def is_constant(self) -> bool:
        return not self.parts


def make(const: int, parts: Mapping[Key, Array]) -> Sum:
    low = high = const
    kept: dict[Key, Array] = {}
    for key, array in parts.items():
        small, large = int(array.min()), int(array.max())
        if small == large:
            const += small
        else:
            kept[key] = array
        low += small
        high += large
    return Sum(const, kept, low, high)


def constant(value: int) -> Sum:
    return Sum(value, {}, value, value)


ZERO = constant(0)
ONE = constant(1)


def along(axis: int, values: Array) -> Sum:
    return make(0, {(axis,): values.astype(np.int64, copy=False)})


def of_array(key: Key, array: Array) -> Sum:
    return make(0, {key: array}) if key else constant(int(array))


def dense(value: Sum, key: Key | None = None) -> tuple[Key, Array]:
    """The value as one array over `key` (default: its own axes). Raises TooDense."""
    target = value.key if key is None else key
    if not value.parts:
        return target, np.full((1,) * len(target), value.const, dtype=np.int64)
    if len(value.parts) > 1:
        sizes = {
            axis: n for k, a in value.parts.items() for axis, n in zip(k, a.shape, strict=True)
        }
        if math.prod(sizes.values()) > DENSE_LIMIT:
            raise TooDense
    arrays = [aligned(array, k, target) for k, array in value.parts.items()]
    total = reduce(np.add, arrays)
    return target, total + wrapped64(value.const) if value.const else total


def add(a: Sum, b: Sum) -> Sum:
    if not b.parts:
        return Sum(a.const + b.const, a.parts, a.low + b.const, a.high + b.const)
    if not a.parts:
        return Sum(a.const + b.const, b.parts, b.low + a.const, b.high + a.const)
    shared = a.parts.keys() & b.parts.keys()
    if not shared:
        return Sum(a.const + b.const, {**a.parts, **b.parts}, a.low + b.low, a.high + b.high)
    parts = dict(a.parts)
    for key, array in b.parts.items():
        parts[key] = parts[key] + array if key in parts else array
    return make(a.const + b.const, parts)


def scale(a: Sum, factor: int) -> Sum:
    if factor == 1:
        return a
    if factor == 0:
        return ZERO
    low, high = sorted((a.low * factor, a.high * factor))
    if not fits64(low, high):
        key, array = dense(a)
        return of_array(key, array * wrapped64(factor))
    return Sum(a.const * factor, {k: v * factor for k, v in a.parts.items()}, low, high)


def negate(a: Sum) -> Sum:
    return scale(a, -1)


def fits64(low: int, high: int) -> bool:
    return low >= INT64_MIN and high <= INT64_MAX


def wrapped64(value: int) -> int:
    """The signed 64-bit integer with the same bits, as which values from 2**63 on are held."""
    return (value + (1 << 63)) % (1 << 64) - (1 << 63)


def multiply(a: Sum, b: Sum) -> Sum:
    if not a.parts:
        return scale(b, a.const)
    if not b.parts:
        return scale(a, b.const)
    corners = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    if not fits64(min(corners), max(corners)) or len(a.parts) * len(b.parts) > 4:
        return elementwise(lambda x, y: x * y, a, b)
    total = add(
        scale(Sum(0, a.parts, a.low - a.const, a.high - a.const), b.const),
        scale(Sum(0, b.parts, b.low - b.const, b.high - b.const), a.const),
    )
    total = add(total, constant(a.const * b.const))
    for ka, va in a.parts.items():
        for kb, vb in b.parts.items():
            key = union(ka, kb)
            left, right = aligned(va, ka, key), aligned(vb, kb, key)
            if math.prod(np.broadcast_shapes(left.shape, right.shape)) > DENSE_LIMIT:
                raise TooDense
            total = add(total, make(0, {key: left * right}))
    return total


def elementwise(function: Callable[..., Array], *operands: Sum) -> Sum:
    """A nonlinear function over the dense operands. Raises TooDense."""
    key = union(*(o.key for o in operands))
    arrays = [dense(o, key)[1] for o in operands]
    if math.prod(np.broadcast_shapes(*(a.shape for a in arrays))) > DENSE_LIMIT:
        raise TooDense
    with np.errstate(all="ignore"):
        result = np.asarray(function(*arrays), dtype=np.int64)
    if not key:
        return constant(int(result))
    return make(0, {key: np.ascontiguousarray(result)})


def fold(a: Sum) -> Sum:
    """The same value with parts on subsets of another part's axes folded into it."""
    keys = sorted(a.parts, key=len, reverse=True)
    parts: dict[Key, Array] = {}
    for key in keys:
        host = next((k for k in parts if set(key) <= set(k)), None)
        if host is None:
            parts[key] = a.parts[key]
        else:
            parts[host] = parts[host] + aligned(a.parts[key], key, host)
    return make(a.const, parts) if len(parts) < len(a.parts) else a


def first_of_groups(a: Sum, lanes: int) -> tuple[Sum, int]:
    """The least value in each group of `lanes` neighbouring lanes, for all of them, and the most by
    which a lane exceeds it."""
    parts, reach = {}, 0
    for key, array in a.parts.items():
        if LANE not in key or array.shape[-1] % lanes:
            parts[key] = array
            continue
        groups = array.reshape(*array.shape[:-1], -1, lanes)
        least = groups.min(axis=-1, keepdims=True)
        reach += int((groups - least).max())
        parts[key] = np.broadcast_to(least, groups.shape).reshape(array.shape)
    return make(a.const, parts), reach


def wrap(a: Sum, bits: int, signed: bool) -> Sum:
    """C's conversion to an integer type of `bits`: the value modulo 2**bits in the type's range
    (64-bit unsigned: as int64 patterns)."""
    if bits >= 64:
        if fits64(a.low, a.high):
            return a
        if not a.parts:
            return constant(wrapped64(a.const))
        key, array = dense(Sum(wrapped64(a.const), a.parts))
        return of_array(key, array)
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    if low <= a.low and a.high <= high:
        return a
    if not a.parts:
        return constant((a.const - low) % (1 << bits) + low)
    modulus = 1 << bits
    return elementwise(lambda x: ((x - low) & (modulus - 1)) + low, a)


def _split_multiples(a: Sum, divisor: int) -> tuple[Sum, Sum]:
    """a = multiple + rest, where `multiple` is divisible by `divisor` everywhere and `rest` holds
    the other parts."""
    even: dict[Key, Array] = {}
    rest: dict[Key, Array] = {}
    for key, array in a.parts.items():
        (rest if np.any(array % divisor) else even)[key] = array
    remainder = a.const % divisor
    return make(a.const - remainder, even), make(remainder, rest)


def divisible(a: Sum, divisor: int) -> bool:
    """Whether the value is a multiple of `divisor` everywhere."""
    return a.const % divisor == 0 and not any(np.any(array % divisor) for array in a.parts.values())


def floor_divide(a: Sum, divisor: int) -> Sum:
    """Floor of a / divisor for divisor > 0, linear where parts are divisible."""
    if a.low >= 0 and a.high < divisor:
        return ZERO
    if divisor > INT64_MAX:
        return elementwise(lambda x: x >> 63, a)
    multiple, rest = _split_multiples(a, divisor)
    quotient = Sum(
        multiple.const // divisor,
        {k: v // divisor for k, v in multiple.parts.items()},
        multiple.low // divisor,
        multiple.high // divisor,
    )
    if rest.low >= 0 and rest.high < divisor:
        return quotient
    return add(quotient, elementwise(lambda x: x // divisor, rest))


def floor_modulo(a: Sum, divisor: int) -> Sum:
    """a mod divisor in [0, divisor) for divisor > 0, linear where parts are divisible."""
    if divisor > INT64_MAX:
        wide = np.uint64(divisor % (1 << 64))
        return (
            a
            if a.low >= 0
            else elementwise(
                lambda x: np.where(x < 0, (x.astype(np.uint64) + wide).astype(np.int64), x), a
            )
        )
    _, rest = _split_multiples(a, divisor)
    if rest.low >= 0 and rest.high < divisor:
        return rest
    return elementwise(lambda x: x % divisor, rest)


def _digest(array: Array) -> bytes:
    return xxhash.xxh3_128_digest(np.ascontiguousarray(array))  # type: ignore[arg-type]


_digest_of = PerObject(_digest)


def same(a: Sum, b: Sum) -> bool:
    """Whether two values are equal everywhere, as they are written: `sum_identity` for two that are
    compared once."""
    if a is b:
        return True
    if a.const != b.const or a.parts.keys() != b.parts.keys():
        return False
    return all(
        array is b.parts[key] or np.array_equal(array, b.parts[key])
        for key, array in a.parts.items()
    )


def sum_identity(value: Sum) -> Hashable:
    return (value.const, _parts_identity(value)) if value.parts else value.const


def _parts_identity(value: Sum) -> Hashable:
    parts = value.parts
    if len(parts) == 1:
        ((key, array),) = parts.items()
        return key, _digest_of(array)
    return tuple(sorted((key, _digest_of(array)) for key, array in parts.items()))


def distinct(some: Iterable[Sum]) -> tuple[Sum, ...]:
    """Those that tell lanes, blocks or iterations apart in different ways, each once: a constant
    tells nobody apart."""
    varying = {
        tuple((key, id(array)) for key, array in one.parts.items()): one
        for one in some
        if one.parts
    }
    if len(varying) < 2:
        return tuple(varying.values())
    return tuple({_parts_identity(one): one for one in varying.values()}.values())
