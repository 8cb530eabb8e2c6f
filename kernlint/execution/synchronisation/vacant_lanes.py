"""Shuffles that read lanes which do not take part: their value is undefined (CUDA C++ Programming
Guide, Warp Shuffle Functions).

In: a shuffle under its mask. Out: who reads whom, for its `BarrierTally`; which shuffles' results a
kernel uses whatever they are. A result that only a condition lets in may be that of other lanes.
"""

from __future__ import annotations

import numpy as np

from kernlint.execution.counting.requests import Shape
from kernlint.execution.exchange import sources
from kernlint.execution.synchronisation.barriers import BarrierTally
from kernlint.execution.values.booleans import dense_bool
from kernlint.execution.values.masks import Mask
from kernlint.execution.values.sums import LANE, Array, Sum, TooDense, union
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import bodies, expressions, reads, unconverted, walk, walk_expression

MOST = 1 << 22  # lanes in all iterations
JUDGED = ("idx", "xor", "down")


def note_vacant(
    tally: BarrierTally,
    s: ir.Shuffle,
    mask: Mask,
    threads: Mask,
    lane: Sum,
    width: int,
    shape: Shape,
) -> None:
    """Notes the first warp in which a lane reads one that has a thread and does not come. Of a shift
    down, which adds up to the first lane of a segment, the lanes that are read by that count."""
    if tally.vacant or s.kind not in JUDGED:
        return
    lanes, warp = shape.sizes[LANE], shape.warp_lanes
    key = union(mask.may.key, threads.may.key, lane.key, (LANE,))
    if int(np.prod([shape.sizes[axis] for axis in key])) > MOST:
        return
    try:
        source = sources(s.kind, lane, width, lanes, warp, key)
        active, there = (dense_bool(one.may, key)[1] for one in (mask, threads))
    except TooDense:
        return
    full = tuple(shape.sizes[axis] for axis in key)
    active, there, source = (np.broadcast_to(some, full) for some in (active, there, source))
    read = np.take_along_axis(active, source, axis=-1)
    wrong = active & ~read & np.take_along_axis(there, source, axis=-1)
    if s.kind == "down":
        wrong = wrong & (np.arange(lanes) % width == 0)
    rows = wrong.reshape(-1, warp)
    if not rows.any():
        return
    row = int(rows.any(axis=-1).argmax())
    readers = np.flatnonzero(rows[row])
    tally.vacant = (
        _numbers(readers),
        _numbers(np.unique(source.reshape(-1, warp)[row][readers] % warp)),
    )


def _numbers(lanes: Array) -> tuple[int, ...]:
    return tuple(int(lane) for lane in lanes)


def used_results(body: ir.Body) -> frozenset[ir.BarrierSite]:
    """The shuffles whose result goes into a value that is computed unconditionally, in the statements
    behind them."""
    found: set[ir.BarrierSite] = set()
    _collect(body, found)
    return frozenset(found)


def _collect(body: ir.Body, found: set[ir.BarrierSite]) -> None:
    for at, s in enumerate(body):
        if isinstance(s, ir.Shuffle) and s.site is not None and _is_used(s.target, body[at + 1 :]):
            found.add(s.site)
        for inner in bodies(s):
            _collect(inner, found)


def _is_used(target: ir.Variable, behind: ir.Body) -> bool:
    carrying = {target}
    for s in behind:
        if isinstance(s, ir.Assign) and _copies(s.value, carrying):
            carrying.add(s.variable)
        elif isinstance(s, ir.Assign | ir.Store | ir.Atomic | ir.Shuffle):
            written = [*s.values, *s.untracked] if isinstance(s, ir.Store) else []
            values = (*expressions(s), *(value for _, value in written))
            if any(_surely_reads(e, carrying) for e in values):
                return True
    return len(carrying) > 1 and not _is_read(carrying, behind)


def _is_read(variables: set[ir.Variable], behind: ir.Body) -> bool:
    """Whether statements read one of the variables, if only under a condition, but for copies. Where
    none does, the result is for what follows the body."""
    others = (
        s for s in walk(behind) if not (isinstance(s, ir.Assign) and _copies(s.value, variables))
    )
    values = (e for s in others for e in expressions(s))
    return any(not reads(e).isdisjoint(variables) for e in values)


def _copies(e: ir.Expression, variables: set[ir.Variable]) -> bool:
    e = unconverted(e)
    return isinstance(e, ir.Read) and e.variable in variables


def _surely_reads(e: ir.Expression, variables: set[ir.Variable]) -> bool:
    """Whether a value is made of one of the variables, whatever a condition in it says."""
    selects = any(isinstance(x, ir.Select) for x in walk_expression(e))
    return not selects and not reads(e).isdisjoint(variables)
