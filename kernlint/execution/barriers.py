"""Whether all live lanes of each block reach a barrier together.

In: the mask at the barrier, the mask of live lanes. Out: `BarrierTally`. A lane that has returned is not live (on Volta and later a
barrier counts only lanes that have not exited: PTX ISA, `bar.sync`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernlint.execution.booleans import dense_bool
from kernlint.execution.masks import Mask
from kernlint.execution.requests import Shape
from kernlint.execution.sums import LANE, TooDense, union
from kernlint.lowering import ir


@dataclass(slots=True)
class BarrierTally:
    site: ir.BarrierSite
    reached: bool = False
    uniform: bool | None = True
    after_exit: bool = False
    detail: str = ""


def observe(tally: BarrierTally, mask: Mask, live: Mask, initial: Mask, exited: list[Mask], shape: Shape) -> None:
    tally.reached = True
    if not tally.after_exit and live is not initial and any(not m.empty for m in exited):
        tally.after_exit = _agree(live, initial, shape) is False and _agree(mask, initial, shape) is False
    if mask is live or tally.uniform is False:
        return
    if mask.conditional and not live.conditional:
        if (mask.must is not mask.may and tally.uniform) or (tally.uniform and _agree(mask, live, shape) is False):
            tally.uniform, tally.detail = None, mask.detail
        return
    agrees = _agree(mask, live, shape)
    if agrees is None and tally.uniform:
        tally.uniform = None
    elif agrees is False:
        tally.uniform = False


def _agree(mask: Mask, live: Mask, shape: Shape) -> bool | None:
    """Whether in every block (and iteration) all live lanes are in `mask`, or none; None when too large to say."""
    key = union(mask.may.key, live.may.key, (LANE,))
    full = tuple(shape.sizes[a] for a in key)
    if int(np.prod(full)) > 1 << 24:
        return None
    try:
        here = np.broadcast_to(dense_bool(mask.may, key)[1], full)
        alive = np.broadcast_to(dense_bool(live.may, key)[1], full)
    except TooDense:
        return None
    missing = (alive & ~here).any(axis=-1)
    present = (alive & here).any(axis=-1)
    return not bool((missing & present).any())
