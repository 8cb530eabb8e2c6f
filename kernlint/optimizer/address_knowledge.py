"""What is known of an integer wherever it is computed: a range, a congruence, bits.

In: what is known of operands. Out: `Knowledge` of the result: every value that the operation may have lies
in it. One lattice: `join` is what holds on either of two ways, `meet` where both hold. Values are
integers that do not wrap, as indices are for nvcc. Never: which of it nvcc uses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from math import gcd, prod

from kernlint.base.dataclass import dataclass

Bound = int | None  # None: there is none


@dataclass(frozen=True, slots=True)
class Knowledge:
    """All values v with low <= v <= high, v = start modulo step (v = start where step is 0), no bit of
    `zeros` and every bit of `ones`. Bits are those of a two's complement without end: a mask below
    0 has all high ones."""

    low: Bound = None
    high: Bound = None
    step: int = 1
    start: int = 0
    zeros: int = 0
    ones: int = 0

    @property
    def value(self) -> Bound:
        return self.start if self.step == 0 else None

    @property
    def alignment(self) -> int:
        """The greatest power of two that surely divides it, 0 of a value that is 0."""
        both = gcd(self.step, self.start)
        return both & -both

    def contains(self, value: int) -> bool:
        ranged = _least(self.low, value) == self.low and _most(self.high, value) == self.high
        steps = value == self.start if self.step == 0 else (value - self.start) % self.step == 0
        return ranged and steps and not value & self.zeros and value & self.ones == self.ones


ANY = Knowledge()


def constant(value: int) -> Knowledge:
    return Knowledge(value, value, 0, value, ~value, value)


@lru_cache(maxsize=4096)
def multiple(step: int) -> Knowledge:
    """Any multiple of a number."""
    return constant(0) if step == 0 else refined(Knowledge(step=abs(step)))


def between(low: Bound, high: Bound) -> Knowledge:
    return refined(Knowledge(low, high))


def refined(some: Knowledge) -> Knowledge:
    """What ranges, congruences and bits say of each other."""
    low, high, step, start = some.low, some.high, some.step, some.start
    if step == 0 or (low is not None and low == high):
        return constant(start if step == 0 or low is None else low)
    zeros, ones = some.zeros, some.ones
    even = step & -step
    zeros, ones = zeros | ~start & even - 1, ones | start & even - 1
    if low is not None and high is not None and low >= 0:
        zeros |= -1 << high.bit_length()
    known = _trailing(zeros | ones)
    if known is not None and step & step - 1 == 0 and 1 << known > step:
        step, start = 1 << known, ones & (1 << known) - 1
    if zeros < 0:  # no sign
        low, high = _greatest(low, ones), _smallest(high, ~zeros)
    return Knowledge(low, high, step, start % step, zeros, ones)


def join(a: Knowledge, b: Knowledge) -> Knowledge:
    """What holds of a value that is one of both."""
    step = gcd(a.step, b.step, a.start - b.start)
    if step == 0:
        return a
    low, high = _least(a.low, b.low), _most(a.high, b.high)
    return Knowledge(low, high, step, a.start % step, a.zeros & b.zeros, a.ones & b.ones)


def meet(a: Knowledge, b: Knowledge) -> Knowledge | None:
    """What holds of a value of which both are known; None where there is none such."""
    low, high = _greatest(a.low, b.low), _smallest(a.high, b.high)
    zeros, ones = a.zeros | b.zeros, a.ones | b.ones
    fits = (a.start - b.start) % gcd(a.step, b.step) == 0 if a.step or b.step else a == b
    if not fits or zeros & ones or (low is not None and high is not None and low > high):
        return None
    closer = b if a.step and b.step % a.step == 0 else a
    fixed = closer.value
    if fixed is not None:
        return constant(fixed) if a.contains(fixed) and b.contains(fixed) else None
    return refined(Knowledge(low, high, closer.step, closer.start, zeros, ones))


def plus(a: Knowledge, b: Knowledge) -> Knowledge:
    if a.value == 0:
        return b
    low = None if a.low is None or b.low is None else a.low + b.low
    high = None if a.high is None or b.high is None else a.high + b.high
    return _congruent(low, high, gcd(a.step, b.step), a.start + b.start)


def negated(a: Knowledge) -> Knowledge:
    low, high = (None if bound is None else -bound for bound in (a.high, a.low))
    return _congruent(low, high, a.step, -a.start)


def times(a: Knowledge, b: Knowledge) -> Knowledge:
    if a.step == 0 and b is ANY:
        return multiple(a.start)
    step = gcd(a.step * b.step, a.step * b.start, b.step * a.start)
    return _congruent(*_corners(a, b), step, a.start * b.start)


def _corners(a: Knowledge, b: Knowledge) -> tuple[Bound, Bound]:
    """The range of a product."""
    ends = [end for end in (a.low, a.high, b.low, b.high) if end is not None]
    if len(ends) == 4:
        products = [prod((x, y)) for x in ends[:2] for y in ends[2:]]
        return min(products), max(products)
    if a.low is not None and b.low is not None and min(a.low, b.low) >= 0:
        return a.low * b.low, None
    return None, None


def _congruent(low: Bound, high: Bound, step: int, start: int) -> Knowledge:
    return refined(Knowledge(low, high, step, start % step if step else start))


def both_bits(a: Knowledge, b: Knowledge) -> Knowledge:
    """a & b: not above either that has no sign."""
    highs = [x.high for x in (a, b) if x.low is not None and x.low >= 0]
    found = [high for high in highs if high is not None]
    low = 0 if highs else None
    bits = a.zeros | b.zeros, a.ones & b.ones
    return refined(Knowledge(low, min(found) if found else None, 1, 0, *bits))


def either_bit(a: Knowledge, b: Knowledge) -> Knowledge:
    return refined(Knowledge(None, None, 1, 0, a.zeros & b.zeros, a.ones | b.ones))


def one_bit(a: Knowledge, b: Knowledge) -> Knowledge:
    """a ^ b."""
    zeros = a.zeros & b.zeros | a.ones & b.ones
    return refined(Knowledge(None, None, 1, 0, zeros, a.ones & b.zeros | a.zeros & b.ones))


def shifted_left(a: Knowledge, b: Knowledge) -> Knowledge:
    amount = b.value
    return ANY if amount is None or amount < 0 else times(a, constant(1 << amount))


def shifted_right(a: Knowledge, b: Knowledge) -> Knowledge:
    amount = b.value
    if amount is None or amount < 0:
        return ANY
    low, high = (None if end is None else end >> amount for end in (a.low, a.high))
    whole = a.step % (1 << amount) == 0
    step, start = (a.step >> amount, a.start >> amount) if whole else (1, 0)
    if step == 0:
        return constant(start)
    return refined(Knowledge(low, high, step, start % step, a.zeros >> amount, a.ones >> amount))


def remainder(a: Knowledge, b: Knowledge) -> Knowledge:
    """a % b as in C: with the sign of a."""
    divisor = b.value
    if not divisor:
        return ANY
    most = abs(divisor) - 1
    sure = a.low is not None and a.low >= 0
    low = 0 if sure else -most
    high = most if a.high is None else max(0, min(most, a.high))
    if sure and a.high is not None and a.high <= most:
        return a
    return _congruent(low, high, gcd(a.step, divisor), a.start)


def quotient(a: Knowledge, b: Knowledge) -> Knowledge:
    """a / b of what has no sign."""
    divisor = b.value
    if divisor is None or divisor <= 0 or a.low is None or a.low < 0:
        return ANY
    high = None if a.high is None else a.high // divisor
    whole = a.step % divisor == 0
    step, start = (a.step // divisor, a.start // divisor) if whole else (1, 0)
    return _congruent(a.low // divisor, high, step, start)


def smaller(a: Knowledge, b: Knowledge) -> Knowledge:
    one = join(a, b)
    return refined(_bounded(one, _least(a.low, b.low), _smallest(a.high, b.high)))


def larger(a: Knowledge, b: Knowledge) -> Knowledge:
    one = join(a, b)
    return refined(_bounded(one, _greatest(a.low, b.low), _most(a.high, b.high)))


def _bounded(some: Knowledge, low: Bound, high: Bound) -> Knowledge:
    return Knowledge(low, high, some.step, some.start, some.zeros, some.ones)


OPERATIONS: Mapping[str, Callable[[Knowledge, Knowledge], Knowledge]] = {
    "+": plus,
    "-": lambda a, b: plus(a, negated(b)),
    "*": times,
    "&": both_bits,
    "|": either_bit,
    "^": one_bit,
    "<<": shifted_left,
    ">>": shifted_right,
    "%": remainder,
    "/": quotient,
    "min": smaller,
    "max": larger,
}


def _trailing(bits: int) -> int | None:
    """How many of the lowest bits are set; None: all."""
    return None if bits == -1 else (~bits & bits + 1).bit_length() - 1


def _least(a: Bound, b: Bound) -> Bound:
    return None if a is None or b is None else min(a, b)


def _most(a: Bound, b: Bound) -> Bound:
    return None if a is None or b is None else max(a, b)


def _greatest(a: Bound, b: Bound) -> Bound:
    return max((x for x in (a, b) if x is not None), default=None)


def _smallest(a: Bound, b: Bound) -> Bound:
    return min((x for x in (a, b) if x is not None), default=None)
