"""Which lanes execute: what may be active, what must be, and whether a whole warp may be absent for
reasons of data.

In: masks and `Condition`s. Out: masks. Never counts and never touches values.
"""

from __future__ import annotations

import numpy as np

from kernlint.base.dataclass import dataclass, replace
from kernlint.execution.values import booleans
from kernlint.execution.values.booleans import (
    FALSE,
    TRUE,
    Bool,
    Condition,
    Threshold,
    both,
    dense_bool,
    inverse,
)
from kernlint.execution.values.sums import LANE, Array, Sum, TooDense, distinct, union


@dataclass(frozen=True, slots=True, eq=False)
class Mask:
    """`may`: lanes that may be active; `must`: lanes active whenever the warp executes at all. The
    same object when known. `conditional`: whether every warp with a lane in `may` executes is not
    known. `reason` and `detail` say why lanes or warps are not known. `scattered`: it may differ
    between the warps of a block. `determiners`: what the unknown part hangs on, as a condition's.
    `parted`: how many conditions took lanes out of warps that nobody knows; masks with equal `may`
    and `parted` that follow from one another are the same lanes. `implies`: what holds where a lane
    is active, of the conditions around."""

    may: Bool = TRUE
    must: Bool = TRUE
    conditional: bool = False
    reason: str = ""
    detail: str = ""
    scattered: bool = False
    determiners: tuple[Sum, ...] = ()
    parted: int = 0
    implies: tuple[Threshold, ...] = ()

    @property
    def empty(self) -> bool:
        return self.may.empty

    @property
    def is_known(self) -> bool:
        return self.may is self.must and not self.conditional


def narrowed(mask: Mask, condition: Condition, warp_lanes: int) -> Mask:
    """The lanes of `mask` for which `condition` holds."""
    if condition.is_known:
        return mask if condition.must.is_true else among(mask, condition.must, warp_lanes)
    may, sure = _pair(both(mask.may, condition.may), both(mask.must, condition.must))
    # a warp goes with all of these lanes or not at all
    whole = condition.uniform and not _parts_warps(condition.must, may, warp_lanes)
    must = sure if not whole else may if mask.must is mask.may else both(mask.must, condition.may)
    conditional = mask.conditional or not _in_every_warp(sure, may, warp_lanes)
    scattered = mask.scattered or any(
        LANE in key for by in condition.determiners for key in by.parts
    )
    reason, detail = mask.reason or condition.reason, mask.detail or condition.detail
    by = distinct((*mask.determiners, *condition.determiners))
    parted, implies = mask.parted + (not whole), (*mask.implies, *condition.implies)
    return Mask(may, must, conditional, reason, detail, scattered, by, parted, implies)


def by_nearest(mask: Mask, condition: Condition) -> Mask:
    """The same lanes, by the reason of the condition that was tested last: in host code, what the
    values hang on that are assigned behind it."""
    if condition.is_known or mask.is_known:
        return mask
    return replace(mask, reason=condition.reason, detail=condition.detail)


def among(mask: Mask, lanes: Bool, warp_lanes: int) -> Mask:
    """The lanes of the mask that are among some which are known."""
    may = both(mask.may, lanes)
    if mask.must is mask.may:
        return replace(mask, may=may, must=may)
    may, must = _pair(may, both(mask.must, lanes))
    return replace(
        mask,
        may=may,
        must=must,
        conditional=mask.conditional or not _in_every_warp(must, may, warp_lanes),
    )


def without(mask: Mask, gone: list[Mask], warp_lanes: int) -> Mask:
    """The lanes of `mask` that are in none of `gone` (all of them subsets of `mask`)."""
    result = mask
    for left in gone:
        together = left.conditional and left.may is left.must
        parts = together and _parts_warps(left.may, mask.may, warp_lanes)
        known = result.may is result.must and left.is_known
        may = result.may if left.conditional else both(result.may, inverse(left.must))
        may, sure = (may, may) if known else _pair(may, both(result.must, inverse(left.may)))
        must = sure
        if together and not parts:  # a whole warp left or stayed
            must = may if result.may is result.must else result.must
        reason, detail = result.reason or left.reason, result.detail or left.detail
        by = distinct((*result.determiners, *left.determiners))
        conditional = result.conditional or not (known or _in_every_warp(sure, may, warp_lanes))
        parted = result.parted + (left.parted != mask.parted or parts)
        scattered = result.scattered or left.scattered
        result = Mask(may, must, conditional, reason, detail, scattered, by, parted, mask.implies)
    return result


def _parts_warps(left: Bool, mask: Bool, warp_lanes: int) -> bool:
    """Whether some warp may have lanes of `mask` both in `left` and out of it."""
    key = union(left.key, mask.key)
    if left is mask or LANE not in left.key:
        return False
    try:
        gone, all_ = np.broadcast_arrays(dense_bool(left, key)[1], dense_bool(mask, key)[1])
    except TooDense:
        return True
    gone, all_ = _by_warp(gone, warp_lanes), _by_warp(all_, warp_lanes)
    return bool(((gone & all_).any(axis=1) & (all_ & ~gone).any(axis=1)).any())


def _pair(may: Bool, must: Bool) -> tuple[Bool, Bool]:
    """The same object twice where they are seen to be the same lanes."""
    if (
        may.negated
        or must.negated
        or may.empty != must.empty
        or may.factors.keys() != must.factors.keys()
    ):
        return may, must
    same = all(np.array_equal(factor, must.factors[key]) for key, factor in may.factors.items())
    return (may, may) if same else (may, must)


def _in_every_warp(must: Bool, may: Bool, warp_lanes: int) -> bool:
    """Whether every warp that has lanes of `may` has some of `must`, as far as that can be told."""
    if must is may or may.empty or must.empty:
        return not must.empty or may.empty
    key = union(must.key, may.key)
    try:
        sure, all_ = np.broadcast_arrays(dense_bool(must, key)[1], dense_bool(may, key)[1])
    except TooDense:
        return False
    if LANE not in key:
        return bool((sure | ~all_).all())
    return bool(
        (_by_warp(sure, warp_lanes).any(axis=1) | ~_by_warp(all_, warp_lanes).any(axis=1)).all()
    )


def _by_warp(lanes: Array, warp_lanes: int) -> Array:
    """Rows of the lanes of a warp each; LANE is the last axis."""
    spare = -lanes.shape[-1] % warp_lanes
    return np.pad(lanes, [(0, 0)] * (lanes.ndim - 1) + [(0, spare)]).reshape(-1, warp_lanes)


def truth(mask: Mask) -> Condition:
    """The mask as a condition on lanes."""
    if mask.is_known:
        return booleans.known(mask.may)
    must = FALSE if mask.conditional else mask.must
    by = mask.determiners
    if mask.may is not mask.must:  # it hangs on the lanes as well
        by = distinct((*by, booleans.as_sum(mask.may), booleans.as_sum(mask.must)))
    is_whole = mask.may is mask.must
    return Condition(must, mask.may, is_whole, mask.reason, mask.detail, by, implies=mask.implies)
