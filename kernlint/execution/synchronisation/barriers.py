"""Whether all live lanes of each block reach a barrier together.

In: the mask at the barrier, the mask of live lanes. Out: `BarrierTally`. A lane that has returned
is not live (on Volta and later a barrier counts only lanes that have not exited: PTX ISA,
`bar.sync`).
"""

from __future__ import annotations

from collections.abc import Container
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from kernlint.base.dataclass import dataclass, field
from kernlint.execution.counting.merge_rules import either, first, kept, merged
from kernlint.execution.counting.requests import Shape
from kernlint.execution.exchange import is_segment
from kernlint.execution.values.booleans import TRUE, both, dense_bool, inverse
from kernlint.execution.values.masks import Mask
from kernlint.execution.values.sums import LANE, Sum, TooDense, dense, union
from kernlint.execution.values.values import varies_in_warp
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import bodies, walk

Lanes = npt.NDArray[np.bool_]
Met = tuple[()] | tuple[tuple[int, ...], tuple[int, ...]]
NONE: Met = ()


def _least_uniform(mine: Any, other: Any, name: str) -> None:
    """Not uniform where one set of blocks is not; not known, with the detail, where one is not."""
    if other.uniform is False or mine.uniform is False:
        mine.uniform = False
    elif other.uniform is None:
        mine.uniform, mine.detail = None, mine.detail or other.detail


@dataclass(slots=True)
class BarrierTally:
    site: ir.BarrierSite = field(metadata=merged(kept))
    reached: bool = field(default=False, metadata=merged(kept))
    uniform: bool | None = field(default=True, metadata=merged(_least_uniform))
    after_exit: bool = field(default=False, metadata=merged(either))
    detail: str = field(default="", metadata=merged(kept))  # merged with `uniform`
    # of a warp's call, in one warp: who comes, and who is named and does not
    absent: Met = field(default=NONE, metadata=merged(first))
    # who comes, and who of these the mask does not name
    unnamed: Met = field(default=NONE, metadata=merged(first))
    # of a shuffle or vote in a block's last warp: who comes, and who is named and has no thread
    beyond: Met = field(default=NONE, metadata=merged(first))
    # of a shuffle, in one warp: who reads a lane that does not come, and those lanes
    vacant: Met = field(default=NONE, metadata=merged(first))
    # of a warp's call that all running lanes make: the vote that its mask is the result of
    voted: str = field(default="", metadata=merged(kept))
    # of a warp's call: lanes that it names may be missing, for all that is known
    open: bool = field(default=False, metadata=merged(either))


def last_ones(body: ir.Body) -> frozenset[ir.BarrierSite]:
    """Barriers of a block such that lanes which do not come to them come to no other one: in no
    loop, none on the other side of a branch around them, none after it."""
    found: set[ir.BarrierSite] = set()
    _last(body, True, found, _waiting(body))
    return frozenset(found)


def _last(
    body: ir.Body, last: bool, found: set[ir.BarrierSite], waiting: Container[ir.Statement]
) -> bool:
    """Adds those of `body`, after which nothing waits where it is `last`; whether it holds a
    barrier."""
    any_after = False
    for s in reversed(body):
        alone = last and not any_after
        if isinstance(s, ir.Barrier):
            here = s.site.scope in ("block", "grid")
            found |= {s.site} if here and alone else set()
        elif isinstance(s, ir.If):
            then, otherwise = (any(x in waiting for x in side) for side in (s.then, s.otherwise))
            _last(s.then, alone and not otherwise, found, waiting)
            _last(s.otherwise, alone and not then, found, waiting)
            here = then or otherwise
        elif isinstance(s, ir.Region):
            here = _last(s.body, alone, found, waiting)
        else:
            here = s in waiting
        any_after |= here
    return any_after


def _waiting(body: ir.Body) -> set[ir.Statement]:
    """The barriers of a block, and what they are in."""
    found: set[ir.Statement] = set()
    for s in reversed(tuple(walk(body))):  # what is inside a statement stands behind it
        own = isinstance(s, ir.Barrier) and s.site.scope in ("block", "grid")
        if own or any(x in found for inner in bodies(s) for x in inner):
            found.add(s)
    return found


@dataclass(frozen=True, slots=True)
class Party:
    """Who waits for whom: groups of `lanes` (the block's or a warp's), of which `named` are wanted
    (bits of a warp, each lane's own word; None: every lane); `sure`: whether it is known which
    are. `in_open_loop`: in a loop of unknown length."""

    lanes: int
    named: Sum | None = None
    sure: bool = True
    in_open_loop: bool = False


def observe(
    tally: BarrierTally,
    mask: Mask,
    live: Mask,
    initial: Mask,
    exited: list[Mask],
    shape: Shape,
    party: Party,
) -> None:
    tally.reached = True
    agree = partial(_agree, shape=shape, party=party)
    some_left = live is not initial and any(not m.empty for m in exited)
    if some_left and not tally.after_exit:
        tally.after_exit = agree(live, initial) is False and agree(mask, initial) is False
    if mask is live or tally.uniform is False:
        return
    if live.is_known and not mask.is_known:
        scattered = mask.must is not mask.may or (mask.scattered and party.lanes > shape.warp_lanes)
        if tally.uniform and (scattered or agree(mask, live) is False):
            tally.uniform, tally.detail = None, mask.detail
        return
    agrees = agree(mask, live)
    if agrees is False and party.sure:
        tally.uniform = False
    elif not agrees and tally.uniform:
        tally.uniform = None


def observe_grid(tally: BarrierTally, mask: Mask, live: Mask, counted: bool) -> None:
    """All blocks have to come to a barrier of the grid, equally often: `counted` where no loop of
    unknown length is around."""
    if tally.uniform is False or (mask is live and counted):
        return
    if not (counted and mask.is_known and live.is_known):
        tally.uniform = None
    elif not both(live.may, inverse(mask.may)).empty:
        tally.uniform = False


def compare(
    tally: BarrierTally, mask: Mask, live: Mask, shape: Shape, party: Party, presumed: bool
) -> bool | None:
    """Holds the lanes that a call of the warp names against those that execute it: whether all of
    them do, and whom it meets in the first warp where that is not so. `presumed`: a guard around is
    only assumed to let all lanes pass, so that who is missing is not known."""
    all_known = party.sure and mask.is_known and live.is_known
    if presumed or not all_known:
        is_parted = mask is not live and mask.must is not mask.may
        tally.open |= party.sure and is_parted and (_all(party) or _parts_tiles(mask, party, shape))
        return True if mask is live and _all(party) else None
    if mask is live and _all(party):
        return True
    found = _met(mask, live, shape, party)
    if found is None:
        return None
    present, missing, unnamed = found
    tally.absent = tally.absent or _first(present, missing)
    tally.unnamed = tally.unnamed or _first(present, unnamed)
    return not bool(missing.any())


def note_beyond(tally: BarrierTally, mask: Mask, threads: Mask, shape: Shape, party: Party) -> None:
    """Which lanes a call names in a block's last warp that have no thread. `threads`: the lanes
    that have one."""
    if tally.beyond or not party.sure or threads.may.is_true:
        return
    both = Mask(threads.may, threads.may)
    every = Mask(TRUE, TRUE)
    came = _met(mask, both, shape, party)
    named = _met(mask, every, shape, party)
    if came is None or named is None:
        return
    there = np.broadcast_to(dense_bool(threads.may, (LANE,))[1], (shape.sizes[LANE],))
    rows = there.reshape(-1, party.lanes)
    missing = named[1] & ~np.tile(rows, (len(named[1]) // len(rows), 1))
    tally.beyond = _first(came[0], missing)


def note_presumed(tally: BarrierTally, party: Party) -> None:
    """A call under a condition that lanes of a warp only presumably pass together."""
    if party.sure and _all(party):
        tally.open, tally.uniform = True, None if tally.uniform else tally.uniform


def _all(party: Party) -> bool:
    """Whether every lane of the warp is named."""
    every = (1 << party.lanes) - 1
    return party.named is None or (
        party.sure and party.named.is_constant and party.named.const & every == every
    )


def _parts_tiles(mask: Mask, party: Party, shape: Shape) -> bool:
    """Whether what decides the mask differs between lanes of a tile that the call names. What is
    carried round a loop of unknown length may, for all that is known, but need not."""
    lanes = 0 if party.in_open_loop else tile_lanes(party, shape.sizes[LANE])
    return lanes > 0 and varies_in_warp(mask.determiners, lanes)


def tile_lanes(party: Party, threads: int) -> int:
    """The lanes of the tiles that a call names, one beside the other in a warp; 0 where it names
    others. `threads`: of a block, in whole warps."""
    if not party.sure or party.named is None or set(party.named.key) != {LANE}:
        return 0
    words = dense(party.named, (LANE,))[1] & ((1 << party.lanes) - 1)
    size = int(words.flat[0]).bit_count()
    if not is_segment(size, party.lanes) or words.size != threads:
        return 0
    first = np.arange(words.size) % party.lanes & ~(size - 1)
    return size if bool((words == ((1 << size) - 1) << first).all()) else 0


def _first(present: Lanes, others: Lanes) -> Met:
    """The lanes of the first warp that has any of the others."""
    if not others.any():
        return ()
    row = int(others.any(axis=-1).argmax())
    return _numbers(present[row]), _numbers(others[row])


def _numbers(lanes: Lanes) -> tuple[int, ...]:
    return tuple(int(lane) for lane in np.flatnonzero(lanes))


def _agree(mask: Mask, live: Mask, shape: Shape, party: Party) -> bool | None:
    """Whether in every group (and iteration) all live lanes that are wanted are in `mask`, or none;
    None when too large to say."""
    found = _met(mask, live, shape, party)
    return None if found is None else not bool(found[1].any())


def _met(mask: Mask, live: Mask, shape: Shape, party: Party) -> tuple[Lanes, Lanes, Lanes] | None:
    """By groups of lanes (and iterations): who comes; who is wanted by one that comes, lives and
    does not come; who comes and does not name itself. None when too large to say."""
    key = union(
        mask.may.key, live.may.key, party.named.key if party.named is not None else (), (LANE,)
    )
    full = tuple(shape.sizes[a] for a in key)
    if int(np.prod(full)) > 1 << 24:
        return None
    try:
        here, alive = (
            np.broadcast_to(dense_bool(b, key)[1], full).reshape(-1, party.lanes)
            for b in (mask.may, live.may)
        )
        words = (
            None
            if party.named is None
            else np.broadcast_to(dense(party.named, key)[1], full).reshape(-1, party.lanes)
        )
    except TooDense:
        return None
    present = alive & here
    missing = alive & ~here & present.any(axis=-1, keepdims=True)
    if words is None:
        return present, missing, np.zeros_like(present)
    wanted = np.bitwise_or.reduce(np.where(present, words, 0), axis=-1, keepdims=True)
    missing &= (wanted >> np.arange(party.lanes) & 1).astype(bool)
    return present, missing, present & ~(words >> np.arange(party.lanes) & 1).astype(bool)
