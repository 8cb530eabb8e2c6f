"""Whether all live lanes of each block reach a barrier together.

In: the mask at the barrier, the mask of live lanes. Out: `BarrierTally`. A lane that has returned is not live (on Volta and later a
barrier counts only lanes that have not exited: PTX ISA, `bar.sync`).
"""

from __future__ import annotations

from functools import partial

import numpy as np

from kernlint.execution.booleans import dense_bool
from kernlint.execution.masks import Mask
from kernlint.execution.requests import Shape
from kernlint.execution.sums import LANE, Sum, TooDense, dense, union
from kernlint.lowering import ir
from kernlint.lowering.traversal import walk
from kernlint.records import dataclass


@dataclass(slots=True)
class BarrierTally:
    site: ir.BarrierSite
    reached: bool = False
    uniform: bool | None = True
    after_exit: bool = False
    detail: str = ""


def last_ones(body: ir.Body) -> frozenset[ir.BarrierSite]:
    """Barriers of a block such that lanes which do not come to them come to no other one: in no loop, none in the other arm of a branch
    around them, none after it."""
    found: set[ir.BarrierSite] = set()
    _last(body, True, found)
    return frozenset(found)


def _last(body: ir.Body, last: bool, found: set[ir.BarrierSite]) -> bool:
    """Adds those of `body`, after which nothing waits where it is `last`; whether it holds a barrier."""
    any_after = False
    for s in reversed(body):
        alone = last and not any_after
        if isinstance(s, ir.Barrier):
            here = s.site.scope in ("block", "grid")
            found |= {s.site} if here and alone else set()
        elif isinstance(s, ir.If):
            then, otherwise = (any(_waits(x) for x in arm) for arm in (s.then, s.otherwise))
            _last(s.then, alone and not otherwise, found)
            _last(s.otherwise, alone and not then, found)
            here = then or otherwise
        elif isinstance(s, ir.Region):
            here = _last(s.body, alone, found)
        else:
            here = _waits(s)
        any_after |= here
    return any_after


def _waits(s: ir.Statement) -> bool:
    return any(isinstance(x, ir.Barrier) and x.site.scope in ("block", "grid") for x in walk((s,)))


@dataclass(frozen=True, slots=True)
class Party:
    """Who waits for whom: groups of `lanes` (the block's or a warp's), of which `named` are wanted (bits of a warp, each lane's own
    word; None: every lane); `sure`: whether it is known which are."""

    lanes: int
    named: Sum | None = None
    sure: bool = True


def observe(tally: BarrierTally, mask: Mask, live: Mask, initial: Mask, exited: list[Mask], shape: Shape, party: Party) -> None:
    tally.reached = True
    agree = partial(_agree, shape=shape, party=party)
    if not tally.after_exit and live is not initial and any(not m.empty for m in exited):
        tally.after_exit = agree(live, initial) is False and agree(mask, initial) is False
    if mask is live or tally.uniform is False:
        return
    if mask.conditional and not live.conditional:
        scattered = mask.must is not mask.may or (mask.scattered and party.lanes > shape.warp_lanes)
        if (scattered and tally.uniform) or (tally.uniform and agree(mask, live) is False):
            tally.uniform, tally.detail = None, mask.detail
        return
    agrees = agree(mask, live)
    if agrees is False and party.sure:
        tally.uniform = False
    elif not agrees and tally.uniform:
        tally.uniform = None


def _agree(mask: Mask, live: Mask, shape: Shape, party: Party) -> bool | None:
    """Whether in every group (and iteration) all live lanes that are wanted are in `mask`, or none; None when too large to say."""
    key = union(mask.may.key, live.may.key, party.named.key if party.named is not None else (), (LANE,))
    full = tuple(shape.sizes[a] for a in key)
    if int(np.prod(full)) > 1 << 24:
        return None
    try:
        here, alive = (np.broadcast_to(dense_bool(b, key)[1], full).reshape(-1, party.lanes) for b in (mask.may, live.may))
        words = None if party.named is None else np.broadcast_to(dense(party.named, key)[1], full).reshape(-1, party.lanes)
    except TooDense:
        return None
    present = alive & here
    missing = alive & ~here
    if words is not None:
        wanted = np.bitwise_or.reduce(np.where(present, words, 0), axis=-1, keepdims=True)
        missing &= (wanted >> np.arange(party.lanes) & 1).astype(bool)
    return not bool((missing.any(axis=-1) & present.any(axis=-1)).any())
