"""C's integer operators and the number theory of banks as sympy functions.

In: sympy expressions. Out: sympy expressions; a function whose arguments are all integers folds to
the integer that C computes, and nothing else is ever simplified. `sympy.Mod` and `floor` are not
used: `Mod` is wrong for nested cases since 1.13, and both are slow.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import sympy

from kernlint.algebra.expression import quotient, remainder

Value = Any  # of sympy's own classes, which have no types


class Folding(sympy.Function):  # type: ignore[misc]
    """A function of integers that is computed once all of them are known. `fold` gives None where
    C defines no result."""

    @staticmethod
    def fold(*values: int) -> int | None:
        raise NotImplementedError

    @classmethod
    def eval(cls, *arguments: Value) -> Value:
        if not all(isinstance(one, sympy.Integer) for one in arguments):
            return None
        found = cls.fold(*(int(one) for one in arguments))
        return None if found is None else sympy.Integer(found)


def _function(name: str, fold: Callable[..., int | None], arity: int | None = 2) -> type[Folding]:
    body = {"fold": staticmethod(fold), "is_integer": True}
    if arity is not None:
        body["nargs"] = arity
    return type(name, (Folding,), body)


def _shifted(by: Callable[[int, int], int]) -> Callable[[int, int], int | None]:
    return lambda value, bits: by(value, bits) if 0 <= bits < 64 else None


def _defined(by: Callable[[int, int], int]) -> Callable[[int, int], int | None]:
    return lambda value, divisor: by(value, divisor) if divisor else None


def wrapped(value: int, bits: int, signed: bool) -> int:
    """`value` as a C integer of so many bits holds it."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> (bits - 1) else value


def _wrap(bits: int, signed: bool) -> Callable[[int], int]:
    return lambda value: wrapped(value, bits, signed)


def _chosen(condition: int, then: int, otherwise: int) -> int:
    return then if condition else otherwise


def _digits(value: int, base: int) -> int | None:
    """How many digits a number has in a base; none for what is not positive."""
    if base < 2:
        return None
    count = 0
    while value > 0:
        value, count = value // base, count + 1
    return count


def most_digits(value: int, base: int) -> int:
    """The greatest k with base**k <= value."""
    return (_digits(value, base) or 0) - 1


def _power(base: int, exponent: int) -> int | None:
    return base**exponent if 0 <= exponent < 64 else None


def _listed(position: int, *values: int) -> int | None:
    return values[position] if 0 <= position < len(values) else None


# C's operators
Div = _function("div", _defined(quotient))
Rem = _function("rem", _defined(remainder))
Shl = _function("shl", _shifted(operator.lshift))
Shr = _function("shr", _shifted(operator.rshift))
And = _function("band", operator.and_)
Or = _function("bor", operator.or_)
Xor = _function("bxor", operator.xor)
Not = _function("bnot", operator.invert, 1)
Choice = _function("choice", _chosen, 3)
# comparisons as values, 0 or 1
RELATIONS: dict[str, type[Folding]] = {
    "==": _function("eq", lambda a, b: int(a == b)),
    "!=": _function("ne", lambda a, b: int(a != b)),
    "<": _function("lt", lambda a, b: int(a < b)),
    "<=": _function("le", lambda a, b: int(a <= b)),
    ">": _function("gt", lambda a, b: int(a > b)),
    ">=": _function("ge", lambda a, b: int(a >= b)),
}
Both = _function("both", lambda a, b: int(bool(a) and bool(b)))
Either = _function("either", lambda a, b: int(bool(a) or bool(b)))
Negated = _function("negated", lambda a: int(not a), 1)
# what is 1 where a condition holds and else 0
FLAGS = (*RELATIONS.values(), Both, Either, Negated)
# conversions that wrap
WRAPS: dict[tuple[int, bool], type[Folding]] = {
    (bits, signed): _function(f"{'i' if signed else 'u'}{bits}", _wrap(bits, signed), 1)
    for bits in (8, 16, 32, 64)
    for signed in (False, True)
}
# number theory: floors towards minus infinity, residues from 0 on
Gcd = _function("gcd", math.gcd)
Residue = _function("mod", _defined(operator.mod))
Floor = _function("floordiv", _defined(operator.floordiv))
Ceiling = _function("ceildiv", _defined(lambda value, divisor: -(-value // divisor)))
Digits = _function("digits", _digits)
Power = _function("power", _power)
Table = _function("table", _listed, None)  # table(i, v0, v1, …) is the i-th value


class _Extreme(Folding):
    """The greatest or the least of some integers: flat, without what a number tells apart from
    another part. sympy's own Max and Min look for more, which takes most of the time of a law."""

    is_integer = True

    @classmethod
    def eval(cls, *arguments: Value) -> Value:
        parts = [sympy.sympify(one) for one in arguments]
        flat: list[Value] = []
        for one in parts:
            flat += one.args if isinstance(one, cls) else (one,)
        kept = cls._factored([_lean(part, flat, cls) for part in cls._tightest(flat)])
        if len(kept) == 1:
            return kept[0]
        kept.sort(key=sympy.default_sort_key)
        return None if tuple(kept) == arguments else cls(*kept)

    @classmethod
    def _tightest(cls, flat: Sequence[Value]) -> list[Value]:
        """Of those that differ by a number one."""
        found: dict[Value, Value] = {}
        for number, rest in (part.as_coeff_Add() for part in flat):
            found[rest] = cls.fold(number, found.get(rest, number))
        return cls._without_needless([rest + number for rest, number in found.items()])

    @classmethod
    def _without_needless(cls, parts: list[Value]) -> list[Value]:
        """Without what a number among them, or a bound, decides."""
        raise NotImplementedError

    @classmethod
    def _factored(cls, parts: list[Value]) -> list[Value]:
        """min(max(a, b), max(a, c)) as max(a, min(b, c)), and the other way round."""
        other = Min if cls is Max else Max
        nested = [part for part in parts if isinstance(part, other)]
        common = set.intersection(*(set(part.args) for part in nested)) if len(nested) > 1 else None
        if not common:
            return parts
        rests = [[one for one in part.args if one not in common] for part in nested]
        inner = [cls(*(other(*rest) for rest in rests))] if all(rests) else []
        factored = other(*sorted(common, key=sympy.default_sort_key), *inner)
        return [*(part for part in parts if part not in nested), factored]


def _lean(part: Value, around: Sequence[Value], cls: type[_Extreme]) -> Value:
    """A part of max(…) without those of the maxima in it that stand beside it, too."""
    if not isinstance(part, _Extreme):
        return part
    if isinstance(part, cls):
        rest = [one for one in part.args if one not in around]
        return cls(*(_lean(one, around, cls) for one in rest)) if rest else part
    return type(part)(*(_lean(one, around, cls) for one in part.args))


class Max(_Extreme):
    """The greatest."""

    @staticmethod
    def fold(*values: int) -> int:
        return max(values)

    @classmethod
    def _without_needless(cls, parts: list[Value]) -> list[Value]:
        least = (_least(part) for part in parts if not part.is_Integer)
        low = max((one for one in least if one is not None), default=-sympy.oo)
        return [part for part in parts if not part.is_Integer or part > low]

    def _eval_is_nonnegative(self) -> bool | None:
        return any(one.is_nonnegative for one in self.args) or None


class Min(_Extreme):
    """The least."""

    @staticmethod
    def fold(*values: int) -> int:
        return min(values)

    @classmethod
    def _without_needless(cls, parts: list[Value]) -> list[Value]:
        most = next((part for part in parts if part.is_Integer), None)
        least = [None if part is most or most is None else _least(part) for part in parts]
        return [part for part, low in zip(parts, least, strict=True) if low is None or low < most]

    def _eval_is_nonnegative(self) -> bool | None:
        return all(one.is_nonnegative for one in self.args) or None


def _is_positive(divisor: Value) -> bool:
    return all(
        isinstance(part, Power) or (part.is_Integer and part > 0)
        for part in sympy.Mul.make_args(divisor)
    )


def _least(e: Value) -> Value | None:
    """A number that an expression is at least, if one is plain to see."""
    number, rest = e.as_coeff_Add()
    if rest == 0:
        return number
    if isinstance(rest, (Floor, Ceiling)) and _is_positive(rest.args[1]):
        low = _least(rest.args[0])
        return number if low is not None and low >= 0 else None
    if isinstance(rest, (Max, Min)):
        known = [low for low in map(_least, rest.args) if low is not None]
        enough = known if isinstance(rest, Max) else len(known) == len(rest.args)
        return number + type(rest).fold(*known) if enough else None
    return number if rest.is_nonnegative else None


Max.__name__, Min.__name__ = "max", "min"


def is_clipped(e: Value) -> bool:
    """Whether it is max(0, …)."""
    return isinstance(e, Max) and sympy.S.Zero in e.args


def unclipped(e: Value) -> Value:
    """What is clipped at 0, without that."""
    return Max(*(part for part in e.args if part != 0)) if is_clipped(e) else e


LONGEST = 4096  # terms of a sum that are added one by one


class Summation(sympy.Function):  # type: ignore[misc]
    """sum(k, n, e): the sum of e over 0 <= k < n, added once all but k is known."""

    nargs = 3
    is_integer = True

    @property
    def free_symbols(self) -> set[Value]:
        counter, count, term = self.args
        return set(count.free_symbols | (term.free_symbols - {counter}))

    @classmethod
    def eval(cls, counter: Value, count: Value, term: Value) -> Value:
        if isinstance(count, sympy.Integer) and count <= 0:
            return sympy.S.Zero
        if not term.has(counter):
            return count * term if _is_never_negative(count) else None
        if not isinstance(count, sympy.Integer) or term.free_symbols != {counter}:
            return None
        if count > LONGEST:
            return None
        terms = [term.xreplace({counter: sympy.Integer(k)}) for k in range(int(count))]
        return sympy.Add(*terms) if all(one.is_Integer for one in terms) else None


Summation.__name__ = "sum"


def _is_never_negative(count: Value) -> bool:
    return is_clipped(count) or bool(count.is_Integer)  # what is below 0 is taken out before


def floor_of(value: Value, divisor: int) -> Value:
    """The floor of a quotient, what the divisor divides taken out."""
    parts = sympy.Add.make_args(sympy.expand(value))
    whole = sympy.Add(*(part for part in parts if part.as_coeff_Mul()[0] % divisor == 0))
    rest = sympy.expand(value - whole)
    out = sympy.expand(whole / divisor)
    if isinstance(rest, Floor) and isinstance(rest.args[1], Power):
        return out + Floor(rest.args[0], divisor * rest.args[1])  # by a power of a positive number
    return out if rest == 0 else out + Floor(rest, divisor)


def count_of(last: Value, step: int) -> Value:
    """How many multiples of a step from 0 on are at most `last`, where that is not below 0."""
    found = floor_of(last, step)
    quotients = [part for part in sympy.Add.make_args(found) if isinstance(part, Floor)]
    for floor in quotients:
        number, rest = floor.args[0].as_coeff_Add()
        if number == -1 or (floor.args[1] == step and (number + 1) % step == 0):
            return found - floor + Ceiling(rest, floor.args[1]) + (number + 1) / step
        if number != 0 and floor.args[1] == step:
            return found - floor + Ceiling(rest + number + 1, step)
    return found + 1


def by_common_factors(total: Value) -> Value:
    """What all terms are multiplied by, the blocks mostly, once."""
    terms = sympy.Add.make_args(total)
    factors = [set(sympy.Mul.make_args(term)) for term in terms]
    common = {one for one in set.intersection(*factors) if not one.is_Number}
    if len(terms) == 1 or not common:
        return total
    rests = (
        sympy.Mul(*(f for f in sympy.Mul.make_args(term) if f not in common)) for term in terms
    )
    return sympy.Mul(*common, sympy.Add(*rests))


FUNCTIONS: dict[str, type[Folding]] = {
    one.__name__: one
    for one in (
        Div, Rem, Shl, Shr, And, Or, Xor, Not, Choice, Both, Either, Negated,
        *RELATIONS.values(), *WRAPS.values(), Gcd, Residue, Floor, Ceiling, Digits, Power, Table,
        Max, Min,
    )
}  # fmt: skip


@cache
def symbol(name: str) -> Value:
    """The one integer symbol of this name."""
    return sympy.Symbol(name, integer=True)
