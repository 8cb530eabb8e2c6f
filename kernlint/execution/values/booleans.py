"""Truth values over lanes, blocks and iterations, kept as products of per-axis factors.

In: comparisons of `Sum`s. Out: `Bool`s (known truth) and `Condition`s (what must and what may be
true). A guard such as `i < n` is decided per block by intervals; where only some blocks are
undecided, `Split` asks the caller to analyse those apart.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

import numpy as np

from kernlint.base.dataclass import dataclass, field, replace
from kernlint.execution.values.sums import (
    BLOCK,
    DENSE_LIMIT,
    LANE,
    Array,
    Key,
    Sum,
    TooDense,
    aligned,
    dense,
    distinct,
    fold,
    make,
    union,
)
from kernlint.ir.types import Type


class Split(Exception):
    """Some blocks of the cohort are decided and others not: run the marked blocks on their own."""

    def __init__(self, undecided: Array) -> None:
        super().__init__()
        self.undecided = undecided


@dataclass(frozen=True, slots=True, eq=False)
class Bool:
    """The conjunction of `factors` (all true when empty), negated if `negated`. Keys are non-empty;
    `empty` means: false everywhere."""

    factors: Mapping[Key, Array] = field(default_factory=dict)
    negated: bool = False
    empty: bool = False

    @property
    def key(self) -> Key:
        return union(*self.factors) if self.factors else ()

    @property
    def is_true(self) -> bool:
        return not self.empty and not self.factors and not self.negated


TRUE = Bool()
FALSE = Bool(empty=True)


def of_factor(key: Key, array: Array) -> Bool:
    if not key:
        return TRUE if bool(array) else FALSE
    if array.all():
        return TRUE
    return Bool({key: array}) if array.any() else FALSE


def both(a: Bool, b: Bool) -> Bool:
    """Conjunction. Raises TooDense where a negated product must be multiplied out."""
    if a.empty or b.empty:
        return FALSE
    if a.is_true or a is b:
        return b
    if b.is_true:
        return a
    a, b = positive(a), positive(b)
    if a.empty or b.empty:
        return FALSE
    factors = dict(a.factors)
    for key, array in b.factors.items():
        merged = factors[key] & array if key in factors else array
        if not merged.any():
            return FALSE
        factors[key] = merged
    return _folded(factors)


def _folded(factors: dict[Key, Array]) -> Bool:
    """The product with factors on subsets of another factor's axes multiplied into it, so that an
    empty product is seen."""
    if len(factors) < 2:
        return Bool(factors)
    kept: dict[Key, Array] = {}
    for key in sorted(factors, key=len, reverse=True):
        host = next((k for k in kept if set(key) < set(k)), None)
        if host is None:
            kept[key] = factors[key]
        else:
            kept[host] = kept[host] & aligned(factors[key], key, host)
            if not kept[host].any():
                return FALSE
    return Bool(kept)


def inverse(a: Bool) -> Bool:
    if a.empty:
        return TRUE
    if a.is_true:
        return FALSE
    if len(a.factors) == 1:
        ((key, array),) = a.factors.items()
        return of_factor(key, array if a.negated else ~array)
    return Bool(a.factors, not a.negated)


def dense_bool(a: Bool, key: Key | None = None) -> tuple[Key, Array]:
    """The truth as one array over `key` (default: its own axes), with size 1 along axes it does not
    depend on. Raises TooDense."""
    target = a.key if key is None else key
    if a.empty or not a.factors:
        return target, np.full((1,) * len(target), not a.empty, dtype=bool)
    arrays = [aligned(array, k, target) for k, array in a.factors.items()]
    if math.prod(np.broadcast_shapes(*(x.shape for x in arrays))) > DENSE_LIMIT:
        raise TooDense
    product = reduce(np.logical_and, arrays)
    return target, ~product if a.negated else product


def positive(a: Bool) -> Bool:
    """The same truth as a plain product (multiplied out when a product of several factors is
    negated)."""
    if not a.negated:
        return a
    return of_factor(*dense_bool(a))


def as_sum(a: Bool) -> Sum:
    """0 and 1. Raises TooDense."""
    if a.empty:
        return make(0, {})
    key, array = dense_bool(a)
    if not key:
        return make(int(array), {})
    return make(0, {key: array.astype(np.int64)})


COMPARE: dict[str, Callable[[Any], Any]] = {
    "<": lambda d: d < 0,
    "<=": lambda d: d <= 0,
    ">": lambda d: d > 0,
    ">=": lambda d: d >= 0,
    "==": lambda d: d == 0,
    "!=": lambda d: d != 0,
}


def compare_zero(operator: str, difference: Sum) -> Bool:
    """Where `difference operator 0` holds. Raises Split when only some blocks are undecided,
    TooDense when too large."""
    test = COMPARE[operator]
    everywhere = decided(operator, difference.low, difference.high)
    if everywhere is not None:
        return TRUE if everywhere else FALSE
    difference = fold(difference)
    if len(difference.parts) == 1:
        key, array = dense(difference)
        return of_factor(key, test(array))
    lanes = {key: array for key, array in difference.parts.items() if LANE in key}
    if set(lanes) != {(LANE,)}:
        key, array = dense(difference)
        return of_factor(key, test(array))
    lane = lanes[(LANE,)]
    outer = Sum(difference.const, {k: v for k, v in difference.parts.items() if LANE not in k})
    key, base = dense(outer)
    low, high = base + lane.min(), base + lane.max()
    always, never = test_range(operator, low, high)
    undecided = ~(always | never)
    if not undecided.any():
        return of_factor(key, always)
    if BLOCK in key:
        blocks = np.asarray(
            undecided.any(axis=tuple(i for i, axis in enumerate(key) if axis != BLOCK))
        )
        if not blocks.all():
            raise Split(blocks)
    key, array = dense(difference)
    return of_factor(key, test(array))


def test_range(operator: str, low: Array, high: Array) -> tuple[Array, Array]:
    """Where every value of [low, high] passes, and where none does."""
    match operator:
        case "<":
            return high < 0, low >= 0
        case "<=":
            return high <= 0, low > 0
        case ">":
            return low > 0, high <= 0
        case ">=":
            return low >= 0, high < 0
        case "==":
            return (low == 0) & (high == 0), (low > 0) | (high < 0)
    return (low > 0) | (high < 0), (low == 0) & (high == 0)


def decided(operator: str, low: float, high: float) -> bool | None:
    """What the comparison says of every value of [low, high]; None where they differ."""
    match operator:
        case "<":
            return True if high < 0 else False if low >= 0 else None
        case "<=":
            return True if high <= 0 else False if low > 0 else None
        case ">":
            return True if low > 0 else False if high <= 0 else None
        case ">=":
            return True if low >= 0 else False if high < 0 else None
    apart, same = low > 0 or high < 0, low == 0 == high
    return (operator == "==") == same if apart or same else None


@dataclass(frozen=True, slots=True, eq=False)
class Threshold:
    """What decides a comparison of known numbers with an unknown that all lanes of a block share:
    `known operator t` for some t, which differs from block to block if `by_block`. `unknowns`: the
    atoms whose sum t is, with their factors, or one for a sum that may wrap around; none where the
    factors differ. `of_iteration`: iterations of a loop around compare with another t, or let
    another thread pass. `reduced_to`: the type of the comparison, where a side may lie outside of
    it, so that t is not what the atoms make."""

    operator: str
    known: Sum
    by_block: bool
    unknowns: frozenset[tuple[object, int]] = frozenset()
    of_iteration: bool = False
    reduced_to: Type | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Condition:
    """What must be true and what may be. Equal objects: known. `uniform`: where unknown, all lanes
    of a warp agree. `reason` is a key of REASONS, `detail` names the deciding value. `presumed`:
    known only because a size is taken to be large; lanes of a block that differ in the determiners
    may part over it. `thresholds`: lanes part only where one of them parts them; None: not known.
    `implies`, `denies`: thresholds that hold where the condition holds, and where it does not."""

    must: Bool
    may: Bool
    uniform: bool = True
    reason: str = ""
    detail: str = ""
    determiners: tuple[Sum, ...] = ()
    presumed: bool = False
    thresholds: tuple[Threshold, ...] | None = None
    implies: tuple[Threshold, ...] = ()
    denies: tuple[Threshold, ...] = ()

    @property
    def is_known(self) -> bool:
        return self.must is self.may

    @property
    def parting(self) -> tuple[Threshold, ...] | None:
        """The thresholds: none of what is known to be the same for all lanes of a block."""
        whole = self.is_known and not self.presumed and LANE not in self.must.key
        return () if whole else self.thresholds

    @property
    def by_lane(self) -> bool:
        """Whether what is known of it may differ between the lanes of a block."""
        return LANE in self.must.key or LANE in self.may.key


def known(truth: Bool, presumed: bool = False, by: tuple[Sum, ...] = ()) -> Condition:
    return Condition(truth, truth, determiners=by, presumed=presumed)


def negation(a: Condition) -> Condition:
    if a.is_known:
        truth = inverse(a.must)
        return replace(a, must=truth, may=truth, implies=a.denies, denies=a.implies)
    must, may = inverse(a.may), inverse(a.must)
    return replace(a, must=must, may=may, implies=a.denies, denies=a.implies)


def _combine(a: Condition, b: Condition, must: Bool, may: Bool) -> Condition:
    source = b if a.is_known else a
    uniform = (a.is_known or a.uniform) and (b.is_known or b.uniform)
    if not (a.is_known or b.is_known) and (a.by_lane or b.by_lane):
        # lanes that one of them decides need not agree with lanes that the other does
        uniform = False
    return Condition(
        must,
        may,
        uniform,
        source.reason,
        source.detail,
        distinct((*a.determiners, *b.determiners)),
        a.presumed or b.presumed,
        _thresholds(a, b),
        (*a.implies, *b.implies),
    )


def _thresholds(a: Condition, b: Condition) -> tuple[Threshold, ...] | None:
    one, other = a.parting, b.parting
    return None if one is None or other is None else (*one, *other)


def conjunction(a: Condition, b: Condition) -> Condition:
    for one, other in ((a, b), (b, a)):
        is_sure = one.is_known and not one.presumed
        if is_sure and one.must.is_true:
            return other
        if is_sure and one.must.empty:
            return one
    if a.is_known and b.is_known:
        truth = both(a.must, b.must)
        presumed = b if b.presumed and not a.presumed else a
        by = distinct((*a.determiners, *b.determiners))
        joined = a.presumed or b.presumed
        return replace(
            presumed,
            must=truth,
            may=truth,
            determiners=by,
            presumed=joined,
            thresholds=_thresholds(a, b),
            implies=(*a.implies, *b.implies),
            denies=(),
        )
    return _combine(a, b, both(a.must, b.must), both(a.may, b.may))


def disjunction(a: Condition, b: Condition) -> Condition:
    return negation(conjunction(negation(a), negation(b)))


def choice(selector: Condition, then: Condition, otherwise: Condition) -> Condition:
    """`then` in lanes for which the selector holds, `otherwise` in the others. Raises TooDense."""
    return disjunction(conjunction(selector, then), conjunction(negation(selector), otherwise))
