"""The sectors of rows of lanes whose stride, pitch or offset is unknown.

In: a record of global memory, how often it runs. Out: the sum over the launch, what a full warp
counts, and relations without which it does not hold. Lanes a stride s apart touch L sectors if s is
at least a sector, and every sector between the first and the last if it is less, whatever the
alignment: the lesser of the two counts is right in both cases.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import sympy

from kernlint.base.dataclass import dataclass
from kernlint.hardware import Device
from kernlint.laws.functions import Ceiling, Floor, Max, Min, Residue, Value, count_of, symbol
from kernlint.laws.lane_values import Array, Coefficient, LaneSum
from kernlint.laws.nonnegative import Nonnegative
from kernlint.laws.patterns import LANES, NoLaw
from kernlint.laws.records import AccessRecord
from kernlint.laws.summation import summed
from kernlint.laws.totals import Prefix, Times

SHAPE = "its lanes lie in no rows of one stride"
OVERLAP = "rows of one request share sectors in no closed form"


@dataclass(frozen=True, slots=True)
class SpanLaw:
    """`per_request` None: requests count differently. `domain`: expressions that are at least 0
    where it holds."""

    per_request: Value | None
    total: Value
    domain: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class _Rows:
    """Rows of lanes, in elements: the place of column q in row r is `start + stride*q + pitch*r`,
    in each layer."""

    columns: Value  # over the launch
    rows: Value
    width: int  # columns of one warp
    height: int  # rows of one warp
    stride: Value
    pitch: Value
    start: Value
    layers: int = 1
    layer: Value = sympy.S.Zero  # from one to the next
    first_column: int = 0  # those before are left out
    first_row: int = 0


def span_law(
    record: AccessRecord,
    how: Times,
    block: tuple[int, int, int],
    device: Device,
    nonnegative: Nonnegative,
) -> SpanLaw:
    """NoLaw where lanes lie otherwise."""
    if record.object is None or record.object.space != "global" or not record.state.mask.all():
        raise NoLaw(SHAPE)
    if not record.width or device.sector_bytes % record.width:
        raise NoLaw(SHAPE)
    found = _turned(_laid_out(record, how, block))
    unit = device.sector_bytes // record.width
    domain: list[Value] = []
    rows, row = found.rows, sympy.Dummy("row", integer=True)
    layer = sympy.Dummy("layer", integer=True)
    if found.first_row:
        rows = Max(0, rows - found.first_row)
    if found.height > 1 and found.pitch == 0:
        if found.first_row:
            raise NoLaw(OVERLAP)
        rows = Ceiling(rows, found.height)
    elif found.height > 1:
        domain = _apart(found, unit)
    signed = _signed(found.stride, nonnegative)

    def sectors(lanes: Value, start: Value) -> Value:
        return _touched(found.stride, lanes, start, unit, signed)

    start = found.start + found.pitch * (row + found.first_row) + found.layer * layer
    of_row = _of_row(found, sympy.expand(start), unit, sectors)
    of_layer = _named(summed(of_row, row, rows), row, "row")
    of_block = _named(summed(of_layer, layer, sympy.Integer(found.layers)), layer, "layer")
    total = how.total(of_block)
    lanes = sympy.Integer(found.width)
    one = None
    if found.layers == 1 and found.pitch == 0:
        one = sectors(lanes, found.start)
    elif found.layers == 1 and found.rows == found.height:
        starts = [found.start + found.pitch * r for r in range(found.height)]
        one = sympy.Add(*(sectors(lanes, start) for start in starts))
    return SpanLaw(one, total, tuple(domain))


def _of_row(
    found: _Rows, start: Value, unit: int, sectors: Callable[[Value, Value], Value]
) -> Value:
    """What the requests of one row count together."""
    if found.first_column:
        return _behind_first(found, start, unit, sectors)
    width = sympy.Integer(found.width)
    full, rest = _quotient(found.columns, found.width)
    apart = width * found.stride  # of two requests
    if found.width % unit == 0 or (apart.is_Integer and apart % unit == 0):
        of_row = full * sectors(width, start)
    else:
        piece = sympy.Dummy("piece", integer=True)
        each = sectors(width, start + apart * piece)
        of_row = _named(summed(each, piece, full), piece, "piece")
        start = start + apart * full
    if rest == 0:
        return of_row
    some = sectors(rest, start)
    return of_row + sympy.Piecewise((sympy.S.Zero, sympy.Eq(rest, 0)), (some, True))


def _behind_first(
    found: _Rows, start: Value, unit: int, sectors: Callable[[Value, Value], Value]
) -> Value:
    """What a row counts without its first columns: the warp that they belong to, and the rest."""
    first = found.first_column
    end = (first // found.width + 1) * found.width
    head = sectors(Min(found.columns, end) - first, start + found.stride * first)
    others = replace(found, columns=Max(0, found.columns - end), first_column=0)
    tail = _of_row(others, sympy.expand(start + found.stride * end), unit, sectors)
    some = sympy.Gt(found.columns, first)
    return sympy.Piecewise((head + tail, some), (sympy.S.Zero, True))


def _named(e: Value, dummy: Value, name: str) -> Value:
    """A sum's own counter under a name that nothing else has."""
    while symbol(name) in e.free_symbols:
        name += "'"
    return e.xreplace({dummy: symbol(name)})


def _quotient(count: Value, width: int) -> tuple[Value, Value]:
    if count.is_Integer:
        return sympy.Integer(int(count) // width), sympy.Integer(int(count) % width)
    return Floor(count, width), Residue(count, width)


def _signed(stride: Value, nonnegative: Nonnegative) -> bool:
    """Whether the stride may be negative."""
    if stride.is_Integer:
        return bool(stride < 0)
    return stride.as_coeff_Mul()[1] not in nonnegative or bool(stride.as_coeff_Mul()[0] < 0)


def _touched(stride: Value, lanes: Value, start: Value, unit: int, signed: bool) -> Value:
    """Sectors of so many lanes, at least one."""
    if stride == 0:
        return sympy.S.One
    if stride.is_Integer and abs(stride) >= unit:
        return lanes
    reach = sympy.expand(stride * (lanes - 1))
    up = count_of(Residue(start, unit) + reach, unit)
    down = count_of(Residue(start + reach, unit) - reach, unit)
    if stride.is_Integer:
        return up if stride > 0 else down
    up, down = Min(up, lanes), Min(down, lanes)
    return sympy.Piecewise((up, sympy.Ge(stride, 0)), (down, True)) if signed else up


def _turned(found: _Rows) -> _Rows:
    """With rows for columns, where the rows of one warp follow each other at a known distance and
    its columns do not."""
    if found.height == 1 or found.stride.is_Integer or not found.pitch.is_Integer:
        return found
    if found.pitch == 0 or found.first_column or found.first_row:
        raise NoLaw(OVERLAP)
    return replace(
        found, columns=found.rows, rows=found.columns, width=found.height, height=found.width,
        stride=found.pitch, pitch=found.stride,
    )  # fmt: skip


def _apart(found: _Rows, unit: int) -> list[Value]:
    """What keeps the rows of one warp from sharing sectors."""
    room = sympy.expand(found.pitch - found.stride * (found.width - 1) - unit)
    needed = [e for e in (room, found.stride) if not (e.is_Integer and e >= 0)]
    if any(e.is_Integer for e in needed):
        raise NoLaw(OVERLAP)
    return needed


def _laid_out(record: AccessRecord, how: Times, block: tuple[int, int, int]) -> _Rows:
    along = {prefix.dimension: prefix for prefix in how.prefixes}
    if len(along) != len(how.prefixes):
        raise NoLaw(SHAPE)
    x, y, z = block
    if "threads" in along or y * z == 1:
        if len(along) > 1:
            raise NoLaw(SHAPE)
        whole = Prefix(sympy.Integer(x * y * z), "threads")
        across = along.get("threads", along.get("x", whole))
        if across is whole and (x * y * z) % LANES:
            raise NoLaw(SHAPE)
        return _placed(record, how, (x * y * z, 1, 1), (across, Prefix(sympy.S.One, "y")))
    width = min(x, LANES)
    height = max(1, LANES // x)
    if z != 1 and along:
        raise NoLaw(SHAPE)
    if x % width or LANES % width or y % height:
        raise NoLaw(SHAPE)
    across = along.get("x", Prefix(sympy.Integer(x), "x"))
    down = along.get("y", Prefix(sympy.Integer(y), "y"))
    return _placed(record, how, block, (across, down))


def _placed(
    record: AccessRecord, how: Times, shape: tuple[int, int, int], prefixes: tuple[Prefix, Prefix]
) -> _Rows:
    address = record.address
    if not isinstance(address, LaneSum):
        raise NoLaw(address.reason)
    terms = dict(address.terms)
    consumed = [axis.counter for axis in how.axes if axis.consumed]
    plain = [m for m in terms if not any(m.has(c) for c in consumed)]
    parts = {m: _linear(np.asarray(terms.pop(m)), shape) for m in plain}
    slopes = [{m: part[place] for m, part in parts.items()} for place in range(2)]
    for prefix, slope in zip(prefixes, slopes, strict=True):
        _follows(terms, slope, prefix.along)
    if terms:
        raise NoLaw(SHAPE)
    width = min(shape[0], LANES)
    values = [
        sympy.expand(sympy.Add(*(m * part[place] for m, part in parts.items())) / record.width)
        for place in range(4)
    ]
    if any(n % record.width for part in parts.values() for n in part):
        raise NoLaw(SHAPE)
    across, down = prefixes
    stride, pitch, layer, start = values
    return _Rows(
        across.count, down.count, width, LANES // width, stride, pitch, start, shape[2], layer,
        across.first, down.first,
    )  # fmt: skip


def _linear(vector: Array, shape: tuple[int, int, int]) -> tuple[int, int, int, int]:
    """a, b, c, d of a*column + b*row + c*layer + d."""
    grid = np.broadcast_to(vector, (int(np.prod(shape)),)).reshape(shape[::-1])
    first = int(grid[0, 0, 0])
    a = int(grid[0, 0, 1]) - first if shape[0] > 1 else 0
    b = int(grid[0, 1, 0]) - first if shape[1] > 1 else 0
    c = int(grid[1, 0, 0]) - first if shape[2] > 1 else 0
    layers, rows, columns = np.indices(grid.shape)
    if (grid != first + a * columns + b * rows + c * layers).any():
        raise NoLaw(SHAPE)
    return a, b, c, first


def _follows(
    terms: dict[Value, Coefficient],
    slope: Mapping[Value, int],
    along: Sequence[tuple[Value, Value]],
) -> None:
    """Takes out of the terms what moves on by whole rows or columns of blocks."""
    for counter, size in along:
        for monomial, n in slope.items():
            if n and terms.pop(monomial * counter, None) != n * int(size):
                raise NoLaw(SHAPE)
