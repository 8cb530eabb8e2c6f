"""C's integer operators on `Value`s: exact where known, linear in unknowns where possible, a
derived atom otherwise.

In: operands already converted to one type, and that type. Out: a Value of the type. Pure but for
the atom table it is given. Division and remainder truncate toward zero, shifts of negative numbers
are arithmetic, unsigned types wrap (C17 6.5.5–6.5.12).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from kernlint.execution.values import sums
from kernlint.execution.values.cancelling import cancelled
from kernlint.execution.values.selection import by_residue
from kernlint.execution.values.sums import Array, Sum, elementwise
from kernlint.execution.values.values import (
    Atom,
    Atoms,
    Limits,
    Value,
    add,
    bounds,
    determiners,
    granularity,
    integer,
    negate,
    subtract,
    times,
    varies_in_warp,
)
from kernlint.ir.types import Integer, Type, type_bounds
from kernlint.model.facts import IN_ONE_ROW

U64 = np.uint64
# unknowns of a sum that are kept apart: rounds of a hash add to what they added before, thousands
# of times
MOST_TERMS = 32
# elements per lane over which neighbouring lanes are taken to stay in one row of an unknown length
REACH = 4


def _bits(type_: Type) -> tuple[int, bool]:
    return (type_.bits, type_.signed) if isinstance(type_, Integer) else (64, True)


def _is_pattern(type_: Type, *operands: Sum) -> bool:
    """Whether unsigned 64-bit operands may stand for values of 2**63 and more (held as negative
    int64 patterns)."""
    return _bits(type_) == (64, False) and any(o.low < 0 for o in operands)


def _wrapped(value: Value, type_: Type) -> Value:
    if value.terms:
        return value
    bits, signed = _bits(type_)
    known = sums.wrap(value.known, bits, signed)
    return value if known is value.known else Value(known)


def plus(a: Value, b: Value, type_: Type, atoms: Atoms) -> Value:
    return _summed("+", add(a, b), a, b, type_, atoms)


def minus(a: Value, b: Value, type_: Type, atoms: Atoms) -> Value:
    return _summed("-", subtract(a, b), a, b, type_, atoms)


def _summed(operator: str, total: Value, a: Value, b: Value, type_: Type, atoms: Atoms) -> Value:
    """The sum, as one unknown where it has very many: each further step would look at all of them
    again."""
    total = cancelled(total, type_, MOST_TERMS)
    if len(total.terms) <= MOST_TERMS or any(atom.base is not None for atom in total.terms):
        return _wrapped(total, type_)
    multiple = known_multiple(total)
    return atoms.derived(
        operator, type_, (a, b), multiple=min(multiple & -multiple, 1 << (_bits(type_)[0] - 1))
    )  # also where it wraps


def product(a: Value, b: Value, type_: Type, atoms: Atoms) -> Value:
    if not a.terms:
        return _wrapped(times(b, a.known), type_)
    if not b.terms:
        return _wrapped(times(a, b.known), type_)
    if len(a.terms) * len(b.terms) > 6 or any(t.base is not None for t in (*a.terms, *b.terms)):
        return atoms.derived("*", type_, (a, b))
    total = add(
        times(Value(sums.ZERO, b.terms), a.known), times(Value(sums.ZERO, a.terms), b.known)
    )
    total = add(total, Value(sums.multiply(a.known, b.known)))
    for x, cx in a.terms.items():
        for y, cy in b.terms.items():
            first, second = sorted(
                (x, y),
                key=lambda atom: (atom.reason != "unknown-trip-count", atom.name, atoms.rank(atom)),
            )
            low, high = _product_limits(x, y)
            atom = atoms.derived(
                "*",
                type_,
                (Value(sums.ZERO, {first: sums.ONE}), Value(sums.ZERO, {second: sums.ONE})),
                (low, high),
                x.multiple * y.multiple,
            )
            total = add(total, times(atom, sums.multiply(cx, cy)))
    return total


def _product_limits(x: Atom, y: Atom) -> Limits:
    """Of unknowns that are not negative."""
    if x.low is None or y.low is None or x.low < 0 or y.low < 0:
        return None, None
    return x.low * y.low, None if x.high is None or y.high is None else x.high * y.high


def _truncated(quotient: bool) -> Callable[[Array, Array], Array]:
    def compute(a: Array, b: Array) -> Array:
        divisor = np.where(b == 0, 1, b)
        q = a // divisor
        q = q + ((a % divisor != 0) & ((a < 0) != (divisor < 0)))
        return np.asarray(q if quotient else a - q * divisor)

    return compute


def _unsigned(function: Callable[[Array, Array], Array]) -> Callable[[Array, Array], Array]:
    def compute(a: Array, b: Array) -> Array:
        return np.asarray(
            function(a.astype(U64), np.where(b == 0, 1, b).astype(U64)).astype(np.int64)
        )

    return compute


def quotient(a: Value, b: Value, type_: Type, atoms: Atoms) -> Value:
    divisor = b.known.const if not b.terms and b.known.is_constant else None
    if divisor == 0:
        return atoms.derived("/", type_, (a, b))
    if not a.terms and not b.terms:
        if _is_pattern(type_, a.known, b.known):
            return Value(elementwise(_unsigned(np.floor_divide), a.known, b.known))
        if divisor is not None and divisor > 0 and a.known.low >= 0:
            return Value(sums.floor_divide(a.known, divisor))
        return _wrapped(Value(elementwise(_truncated(True), a.known, b.known)), type_)
    by_size = quotient_by_size(a, b, type_, atoms)
    if by_size is not None:
        return by_size
    low, high = bounds(a)
    if _wraps(a, type_, atoms):
        return atoms.derived("/", type_, (a, b))
    chosen = by_residue("/", a, divisor, type_, atoms) if low is not None and low >= 0 else None
    if chosen is not None:
        return chosen
    if divisor is not None and divisor > 0 and low is not None and low >= 0:
        if all(_divisible(c, divisor) for c in a.terms.values()) and a.known.low >= 0:
            return Value(
                sums.floor_divide(a.known, divisor),
                {atom: sums.floor_divide(c, divisor) for atom, c in a.terms.items()},
            )
        whole = _whole(a, divisor, type_, atoms)
        return whole or atoms.derived(
            "/", type_, (a, b), (low // divisor, None if high is None else high // divisor)
        )
    return atoms.derived("/", type_, (a, b), (0, None) if low is not None and low >= 0 else None)


def _whole(a: Value, divisor: int, type_: Type, atoms: Atoms) -> Value | None:
    """a / divisor, not negative, where the unknown part is a multiple of the divisor: the known
    part alone is rounded."""
    step = granularity(a)
    if divisor < 2 or step % divisor:
        return None
    unknown = Value(sums.ZERO, a.terms)
    limits = tuple(None if end is None else end // divisor for end in bounds(unknown))
    part = atoms.derived(
        "/", type_, (unknown, integer(divisor)), (limits[0], limits[1]), step // divisor
    )
    return add(Value(sums.floor_divide(a.known, divisor)), part)


def quotient_by_size(a: Value, b: Value, type_: Type, atoms: Atoms) -> Value | None:
    """a / b for an unknown size b and lanes that lie close together: the same for all lanes of a
    warp, if rows of b elements are taken to be longer than a warp reaches (`atoms.assumptions` says
    so). None where that is not the situation."""
    warp = atoms.warp_lanes
    if (
        not b.terms
        or not all(atom.is_size for atom in b.terms)
        or varies_in_warp(determiners(b), warp)
    ):
        return None
    if varies_in_warp(
        (*a.terms.values(), *(d for atom in a.terms for d in atom.determiners)), warp
    ):
        return None
    low, _ = bounds(a)
    first, reach = sums.first_of_groups(a.known, warp)
    if low is None or low < 0:
        return None
    if may_wrap(a, type_) or reach > REACH * warp:
        return None
    if reach:
        names = frozenset(name for atom in b.terms for name in (atom.sources or {atom.name}))
        atoms.assumptions[f"{', '.join(sorted(names))}{IN_ONE_ROW}"] = names
    return atoms.derived("/", type_, (Value(first, a.terms), b), (0, None))


def _divisible(coefficient: Sum, divisor: int) -> bool:
    return coefficient.const % divisor == 0 and all(
        not np.any(array % divisor) for array in coefficient.parts.values()
    )


def remainder(a: Value, b: Value, type_: Type, atoms: Atoms) -> Value:
    divisor = b.known.const if not b.terms and b.known.is_constant else None
    if divisor == 0:
        return atoms.derived("%", type_, (a, b))
    if not a.terms and not b.terms:
        if _is_pattern(type_, a.known, b.known):
            return Value(elementwise(_unsigned(np.remainder), a.known, b.known))
        if divisor is not None and divisor > 0 and a.known.low >= 0:
            return Value(sums.floor_modulo(a.known, divisor))
        return Value(elementwise(_truncated(False), a.known, b.known))
    by_size = quotient_by_size(a, b, type_, atoms)
    if by_size is not None:
        rest = subtract(a, product(b, by_size, type_, atoms))
        most = bounds(b)[1]
        return Value(rest.known, rest.terms, limits=(0, None if most is None else most - 1))
    low, _ = bounds(a)
    positive = low is not None and low >= 0
    if (divisor is None or divisor & (divisor - 1)) and _wraps(a, type_, atoms):
        return atoms.derived("%", type_, (a, b), (0, None if divisor is None else divisor - 1))
    if divisor is not None and divisor > 0 and positive:
        if granularity(a) % divisor == 0 and a.known.low >= 0:
            return Value(sums.floor_modulo(a.known, divisor))
        return by_residue("%", a, divisor, type_, atoms) or atoms.derived(
            "%",
            type_,
            (a, b),
            (0, divisor - 1),
            math.gcd(granularity(a), divisor) if not a.known.parts and a.known.const == 0 else 1,
        )
    limit = bounds(b)[1]
    low_result = 0 if positive else None if limit is None else 1 - limit
    return atoms.derived("%", type_, (a, b), (low_result, None if limit is None else limit - 1))


def may_wrap(a: Value, type_: Type) -> bool:
    """Whether the unknown part may carry `a`, kept unreduced, out of an unsigned type (sizes,
    launches and counts are taken not to)."""
    bits, signed = _bits(type_)
    if signed or bits >= 64 or all(map(_taken_to_fit, a.terms)):
        return False
    return _may_leave(a, bits)


def may_wrap_64(a: Value) -> bool:
    """Whether data may carry `a`, kept unreduced, out of 64 bits without a sign. What arguments take
    part in is taken not to."""
    if not a.terms or any(map(_taken_to_fit, a.terms)):
        return False
    is_one_atom = sums.same(a.known, sums.ZERO) and [
        c.key or c.const for c in a.terms.values()
    ] == [1]
    return not is_one_atom and _may_leave(a, 64)


def _may_leave(a: Value, bits: int) -> bool:
    """Whether a value may lie outside of what so many bits hold."""
    low, high = bounds(a)
    return low is None or low < 0 or high is None or high >= 1 << bits


def _wraps(a: Value, type_: Type, atoms: Atoms) -> bool:
    """As `may_wrap`; that arithmetic with arguments does not where it could is stated
    (`atoms.assumptions`)."""
    if may_wrap(a, type_):
        return True
    bits, signed = _bits(type_)
    arguments = [atom for atom in a.terms if atom.reason == "unknown-argument"]
    if signed or bits >= 64 or not arguments:
        return False
    if _may_leave(a, bits):
        names = frozenset(name for atom in arguments for name in (atom.sources or {atom.name}))
        atoms.assumptions[
            f"unsigned arithmetic with {', '.join(sorted(names))} does not wrap around"
        ] = names
    return False


def _taken_to_fit(atom: Atom) -> bool:
    counts = atom.reason == "unknown-trip-count" and atom.high is None
    return atom.base is not None or counts or atom.reason in ("unknown-argument", "unknown-launch")


def known_multiple(a: Value) -> int:
    """A number that divides every value of `a` (0: it is always zero)."""
    result = math.gcd(a.known.const, granularity(a))
    for array in a.known.parts.values():
        result = math.gcd(result, int(np.gcd.reduce(array, axis=None)))
    return result


def bit_and(a: Value, b: Value, type_: Type, atoms: Atoms) -> Value:
    if not a.terms and a.known.is_constant:
        a, b = b, a
    mask = b.known.const if not b.terms and b.known.is_constant else None
    if mask is not None:
        if mask >= 0 and mask & (mask + 1) == 0 and granularity(a) % (mask + 1) == 0:
            return Value(sums.floor_modulo(a.known, mask + 1))
        inverse = _low_ones_complement(mask, type_)
        if inverse is not None and granularity(a) % (inverse + 1) == 0:
            return subtract(a, Value(sums.floor_modulo(a.known, inverse + 1)))
        chosen = (
            by_residue("%", a, mask + 1, type_, atoms)
            if mask > 0 and mask & (mask + 1) == 0
            else None
        )
        if chosen is not None:
            return chosen
    if not a.terms and not b.terms:
        return Value(elementwise(np.bitwise_and, a.known, b.known))
    highs = [
        h for low, h in (bounds(a), bounds(b)) if h is not None and low is not None and low >= 0
    ]
    multiple = mask & -mask if mask else 1
    return atoms.derived(
        "&", type_, (a, b), (0, min(highs)) if highs else None, multiple if multiple > 0 else 1
    )


def _low_ones_complement(mask: int, type_: Type) -> int | None:
    """m = 2**k - 1 when `mask` is ~m in the type, else None."""
    bits, _ = _bits(type_)
    inverse = ~mask & ((1 << bits) - 1)
    return inverse if inverse & (inverse + 1) == 0 and inverse < (1 << (bits - 1)) else None


def _disjoint(a: Value, b: Value) -> bool:
    """Whether no bit can be set in both: one is a multiple of 2**k and the other in [0, 2**k)."""
    for x, y in ((a, b), (b, a)):
        low, high = bounds(y)
        multiple = known_multiple(x)
        if (
            low is not None
            and low >= 0
            and high is not None
            and (multiple == 0 or high < (multiple & -multiple))
        ):
            return True
    return False


def bit_or(a: Value, b: Value, type_: Type, atoms: Atoms) -> Value:
    if _disjoint(a, b):
        return add(a, b)
    if not a.terms and not b.terms:
        return Value(elementwise(np.bitwise_or, a.known, b.known))
    return atoms.derived("|", type_, (a, b), _bitwise_limits(a, b))


def bit_xor(a: Value, b: Value, type_: Type, atoms: Atoms) -> Value:
    if _disjoint(a, b):
        return add(a, b)
    if not a.terms and not b.terms:
        return Value(elementwise(np.bitwise_xor, a.known, b.known))
    return atoms.derived("^", type_, (a, b), _bitwise_limits(a, b))


def _bitwise_limits(a: Value, b: Value) -> Limits | None:
    """Of numbers that are not negative: no bit is set above their highest."""
    ends = (*bounds(a), *bounds(b))
    known = [end for end in ends if end is not None]
    if len(known) < len(ends) or min(known) < 0:
        return None
    return 0, (1 << max(known).bit_length()) - 1


def shift_left(a: Value, b: Value, type_: Type, atoms: Atoms) -> Value:
    bits, _ = _bits(type_)
    if not b.terms and b.known.is_constant and 0 <= b.known.const < bits:
        return _wrapped(times(a, sums.constant(1 << b.known.const)), type_)
    if not a.terms and not b.terms:
        return _wrapped(
            Value(
                elementwise(
                    lambda x, y: np.where(y >= bits, 0, x << (y & (bits - 1))), a.known, b.known
                )
            ),
            type_,
        )
    return atoms.derived("<<", type_, (a, b))


def shift_right(a: Value, b: Value, type_: Type, atoms: Atoms) -> Value:
    bits, _ = _bits(type_)
    count = (
        b.known.const if not b.terms and b.known.is_constant and 0 <= b.known.const < bits else None
    )
    if not a.terms and not b.terms:
        if _is_pattern(type_, a.known):
            return Value(
                elementwise(
                    lambda x, y: (x.astype(U64) >> (y & 63).astype(U64)).astype(np.int64),
                    a.known,
                    b.known,
                )
            )
        if count is not None:
            return Value(sums.floor_divide(a.known, 1 << count))
        return Value(
            elementwise(
                lambda x, y: np.where(y >= bits, np.where(x < 0, -1, 0), x >> (y & 63)),
                a.known,
                b.known,
            )
        )
    if may_wrap(a, type_):
        return atoms.derived(
            ">>", type_, (a, b), None if count is None else (0, (1 << (bits - count)) - 1)
        )
    if count is not None and all(_divisible(c, 1 << count) for c in a.terms.values()):
        return Value(
            sums.floor_divide(a.known, 1 << count),
            {atom: sums.floor_divide(c, 1 << count) for atom, c in a.terms.items()},
        )
    chosen = by_residue("/", a, 1 << count, type_, atoms) if count is not None else None
    if chosen is not None:
        return chosen
    low, high = bounds(a)
    whole = (
        _whole(a, 1 << count, type_, atoms)
        if count is not None and low is not None and low >= 0
        else None
    )
    if whole is not None:
        return whole
    limits = None if count is None or low is None or high is None else (low >> count, high >> count)
    return atoms.derived(
        ">>", type_, (a, b), limits or ((0, None) if low is not None and low >= 0 else None)
    )


def _unsigned_extreme(name: str) -> Callable[[Array, Array], Array]:
    function = np.minimum if name == "min" else np.maximum
    return lambda a, b: np.asarray(function(a.astype(U64), b.astype(U64)).astype(np.int64))


def _extreme(name: str) -> Callable[[Value, Value, Type, Atoms], Value]:
    def compute(a: Value, b: Value, type_: Type, atoms: Atoms) -> Value:
        if not a.terms and not b.terms and _is_pattern(type_, a.known, b.known):
            return Value(elementwise(_unsigned_extreme(name), a.known, b.known))
        low, high = bounds(subtract(a, b))
        if low is not None and low >= 0:
            return b if name == "min" else a
        if high is not None and high <= 0:
            return a if name == "min" else b
        if not a.terms and not b.terms:
            return Value(elementwise(np.minimum if name == "min" else np.maximum, a.known, b.known))
        (la, ha), (lb, hb) = bounds(a), bounds(b)
        if name == "min":
            limits = (
                None if la is None or lb is None else min(la, lb),
                min((h for h in (ha, hb) if h is not None), default=None),
            )
        else:
            limits = (
                max((v for v in (la, lb) if v is not None), default=None),
                None if ha is None or hb is None else max(ha, hb),
            )
        return atoms.derived(name, type_, (a, b), limits)

    return compute


Operator = Callable[[Value, Value, Type, Atoms], Value]
OPERATORS: dict[str, Operator] = {
    "+": plus,
    "-": minus,
    "*": product,
    "/": quotient,
    "%": remainder,
    "&": bit_and,
    "|": bit_or,
    "^": bit_xor,
    "<<": shift_left,
    ">>": shift_right,
    "min": _extreme("min"),
    "max": _extreme("max"),
}


def complement(a: Value, type_: Type) -> Value:
    """~a."""
    bits, signed = _bits(type_)
    if signed or bits == 64:
        return subtract(negate(a), integer(1))
    return subtract(integer((1 << bits) - 1), a)


def opposite(a: Value, type_: Type) -> Value:
    return _wrapped(negate(a), type_)


def converted(a: Value, type_: Integer, atoms: Atoms) -> Value:
    """Conversion between integer types, or between an integer and an address."""
    if not a.terms:
        return _wrapped(a, type_)
    if any(atom.base is not None for atom in a.terms) and type_.bits >= 32:
        return a
    low, high = bounds(a)
    smallest, largest = type_bounds(type_)
    assert smallest is not None and largest is not None
    fits = low is not None and high is not None and smallest <= low and high <= largest
    # to 32 bits and more: an index that wraps leaves its array, and differs by a multiple of every
    # period that is counted; what is loaded may be anything, and its sign decides conditions
    if fits or (type_.bits >= 32 and not _is_loaded(a)):
        return a
    return atoms.derived("convert", type_, (a,))


def _is_loaded(a: Value) -> bool:
    """Whether a value is a number as it was loaded."""
    is_alone = len(a.terms) == 1 and a.known.is_constant and a.known.const == 0
    plain = is_alone and all(not c.parts and c.const == 1 for c in a.terms.values())
    return plain and all(x.reason == "loaded-value" and x.made is None for x in a.terms)
