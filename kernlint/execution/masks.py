"""Which lanes execute: what may be active, what must be, and whether a whole warp may be absent for reasons of data.

In: masks and `Condition`s. Out: masks. Never counts and never touches values.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kernlint.execution import booleans
from kernlint.execution.booleans import FALSE, TRUE, Bool, Condition, both, dense_bool, inverse
from kernlint.execution.sums import LANE, Sum, TooDense, distinct, union
from kernlint.records import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Mask:
    """`may`: lanes that may be active; `must`: lanes active whenever the warp executes at all. The same object when known.
    `conditional`: whether a warp executes is not known; `reason` and `detail` then say why. `scattered`: it may differ between the
    warps of a block. `determiners`: what the unknown part hangs on, as a condition's. `parted`: how many conditions took lanes out of
    warps that nobody knows; masks with equal `may` and `parted` that follow from one another are the same lanes."""

    may: Bool = TRUE
    must: Bool = TRUE
    conditional: bool = False
    reason: str = ""
    detail: str = ""
    scattered: bool = False
    determiners: tuple[Sum, ...] = ()
    parted: int = 0

    @property
    def empty(self) -> bool:
        return self.may.empty

    @property
    def is_known(self) -> bool:
        return self.may is self.must and not self.conditional


def narrowed(mask: Mask, condition: Condition) -> Mask:
    """The lanes of `mask` for which `condition` holds."""
    if condition.is_known:
        if condition.must.is_true:
            return mask
        may = both(mask.may, condition.must)
        must = may if mask.must is mask.may else both(mask.must, condition.must)
        return replace(mask, may=may, must=must)
    may = both(mask.may, condition.may)
    must = both(mask.must, condition.may if condition.uniform else condition.must)
    if condition.uniform and mask.must is mask.may:
        must = may
    scattered = mask.scattered or any(LANE in key for by in condition.determiners for key in by.parts)
    reason, detail = mask.reason or condition.reason, mask.detail or condition.detail
    by = distinct((*mask.determiners, *condition.determiners))
    return Mask(may, must, True, reason, detail, scattered, by, mask.parted + (not condition.uniform))


def among(mask: Mask, lanes: Bool) -> Mask:
    """The lanes of the mask that are among some, which every warp has."""
    may = both(mask.may, lanes)
    return replace(mask, may=may, must=may if mask.must is mask.may else both(mask.must, lanes))


def without(mask: Mask, gone: list[Mask], warp_lanes: int) -> Mask:
    """The lanes of `mask` that are in none of `gone` (all of them subsets of `mask`)."""
    result = mask
    for left in gone:
        together = left.conditional and left.may is left.must
        parts = together and _parts_warps(left.may, mask.may, warp_lanes)
        may = result.may if left.conditional else both(result.may, inverse(left.must))
        must = may if result.may is result.must and left.is_known else both(result.must, inverse(left.may))
        if together and not parts:  # a whole warp left or stayed
            must = may if result.may is result.must else result.must
        reason, detail = result.reason or left.reason, result.detail or left.detail
        by = distinct((*result.determiners, *left.determiners))
        parted = result.parted + (left.parted != mask.parted or parts)
        result = Mask(may, must, result.conditional or left.conditional, reason, detail, result.scattered or left.scattered, by, parted)
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
    spare = -gone.shape[-1] % warp_lanes
    gone, all_ = (np.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, spare)]).reshape(-1, warp_lanes) for x in (gone, all_))
    return bool(((gone & all_).any(axis=1) & (all_ & ~gone).any(axis=1)).any())


def truth(mask: Mask) -> Condition:
    """The mask as a condition on lanes."""
    if mask.is_known:
        return booleans.known(mask.may)
    must = FALSE if mask.conditional else mask.must
    by = mask.determiners
    if mask.may is not mask.must:  # it hangs on the lanes as well
        by = distinct((*by, booleans.as_sum(mask.may), booleans.as_sum(mask.must)))
    return Condition(must, mask.may, mask.may is mask.must, mask.reason, mask.detail, by)
