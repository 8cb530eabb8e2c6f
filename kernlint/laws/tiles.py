"""Warps as tiles of a block of two dimensions: those of whole rows, or of 32 consecutive threads of
one row.

In: the conditions on threads that remain of an access. Out: warps with an active lane.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import sympy

from kernlint.laws.functions import Ceiling, Value
from kernlint.laws.lane_values import Array
from kernlint.laws.patterns import LANES, NoLaw, by_warp
from kernlint.laws.totals import GUARD, Prefix

SEVERAL = "several conditions on the thread bound it"
RECTANGLE = "what it counts under a condition on rows and columns has no closed form"


def along_of(prefixes: Sequence[Prefix]) -> dict[str, Value]:
    """How many threads remain by dimension, where these are the first ones."""
    if any(prefix.first for prefix in prefixes):
        raise NoLaw(RECTANGLE)
    return {dimension: prefix.count for dimension, prefix in _by_dimension(prefixes).items()}


def _by_dimension(prefixes: Sequence[Prefix]) -> dict[str, Prefix]:
    found = {prefix.dimension: prefix for prefix in prefixes}
    if len(found) != len(prefixes):
        raise NoLaw(SEVERAL)
    return found


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
    along = _by_dimension(prefixes)
    first = {dimension: prefix.first for dimension, prefix in along.items()}
    if "threads" in along:
        if len(along) > 1:
            raise NoLaw(RECTANGLE)
        return _parts(along["threads"].count, LANES, first["threads"])
    counts = {dimension: prefix.count for dimension, prefix in along.items()}
    across, down, columns, rows = lanes_of(counts, block)
    of_rows = _parts(down, rows, first.get("y", 0))
    if mask.all():
        return _parts(across, columns, first.get("x", 0)) * of_rows
    return int(mask[: block[0]].reshape(-1, columns).any(axis=1).sum()) * of_rows


def _parts(end: Value, size: int, first: int) -> Value:
    """Parts of so many threads that hold one from `first` to before `end`."""
    count = end if size == 1 else Ceiling(end, size)
    if not first:
        return count
    return sympy.Piecewise((count - first // size, sympy.Gt(end, first)), (sympy.S.Zero, True))


def _warps(mask: Array) -> int:
    return int(by_warp(mask, len(mask)).any(axis=1).sum())
