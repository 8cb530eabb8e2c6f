"""Warps as tiles of a block of two dimensions: those of whole rows, or of 32 consecutive threads of
one row.

In: the conditions on threads that remain of an access. Out: warps with an active lane.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import sympy

from kernlint.laws.functions import Ceiling, Value
from kernlint.laws.lane_values import Array
from kernlint.laws.patterns import LANES, NoLaw
from kernlint.laws.totals import GUARD, Prefix

SEVERAL = "several conditions on the thread bound it"
RECTANGLE = "what it counts under a condition on rows and columns has no closed form"


def along_of(prefixes: Sequence[Prefix]) -> dict[str, Value]:
    """How many threads remain by dimension."""
    along = {prefix.dimension: prefix.count for prefix in prefixes}
    if len(along) != len(prefixes):
        raise NoLaw(SEVERAL)
    return along


def lanes_of(
    along: Mapping[str, Value], block: tuple[int, int, int]
) -> tuple[Value, Value, int, int]:
    """Columns and rows over the launch, and those of a warp."""
    x, y, _ = block
    columns, rows = min(x, LANES), max(1, LANES // x)
    if x % columns or LANES % columns or y % rows:
        raise NoLaw(GUARD)
    across, down = along.get("x", sympy.Integer(x)), along.get("y", sympy.Integer(y))
    return across, down, columns, rows


def warps_of(prefixes: Sequence[Prefix], mask: Array, block: tuple[int, int, int]) -> Value:
    """Warps with an active lane: of a block where nothing counts along blocks."""
    if not prefixes:
        return sympy.Integer(_warps(mask))
    along = along_of(prefixes)
    if "threads" in along:
        if len(along) > 1:
            raise NoLaw(RECTANGLE)
        return Ceiling(along["threads"], LANES)
    across, down, columns, rows = lanes_of(along, block)
    of_rows = down if rows == 1 else Ceiling(down, rows)
    if mask.all():
        return Ceiling(across, columns) * of_rows
    return int(mask[: block[0]].reshape(-1, columns).any(axis=1).sum()) * of_rows


def _warps(mask: Array) -> int:
    padded = np.concatenate([mask, np.zeros(-len(mask) % LANES, bool)])
    return int(padded.reshape(-1, LANES).any(axis=1).sum())
