"""What the warps of a block count, as a function of one unknown: a stride or an alignment.

In: a record, a device. Out: `CountTable`. A stride s between lanes matters in two ways only: which
lanes share a word or sector, which no two lanes at different multiples of s do once |s| is beyond
a bound, and the residues of their addresses. So the count is a table of small s and, beyond, a
function of s modulo the banks (or a sector): complete, not sampled.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import sympy

from kernlint.base.dataclass import dataclass
from kernlint.hardware import Device, sector_rows, wavefront_rows
from kernlint.laws.functions import Value
from kernlint.laws.lane_values import ONE, Array, LaneSum
from kernlint.laws.records import AccessRecord

LANES = 32
TWO = "two unknown strides meet in one request"
BOTH = "an unknown stride and an unknown alignment meet in one request"
ALIGNMENTS = "two unknown alignments meet in one request"
MISALIGNED = "the address may be misaligned"
SPACES = {"shared": "wavefronts", "global": "sectors"}


class NoLaw(Exception):
    """Why there is no closed form."""


@dataclass(frozen=True, slots=True)
class CountTable:
    """Tabulated of each warp that has an active lane. `at`: of [points] of the unknown, the counts
    [points, warps]; beyond `bound` a function of the residue modulo `period`. `unknown` None: one
    count for all."""

    unknown: Value | None
    period: int
    bound: int
    warps: int
    at: Callable[[Array], Array]


@dataclass(frozen=True, slots=True)
class _Rows:
    """The address in each lane of each warp: `known` bytes from the first active lane, the uniform
    part by monomial, what is added per unit of each stride."""

    active: Array
    known: Array
    strides: dict[Value, Array]
    bases: dict[Value, Array]


def shape_of(record: AccessRecord, device: Device) -> object:
    """What records of one access have in common whose requests count the same: steps of a loop that
    move on by whole sectors do."""
    address = record.address
    if not isinstance(address, LaneSum):
        return id(record)
    number = np.asarray(address.number)
    first = int(number.flat[0])
    unit = math.lcm(record.width, device.sector_bytes, device.bank_bytes)
    rest = ((m, np.asarray(n).tobytes()) for m, n in address.terms.items() if m != ONE)
    space = record.object and record.object.space
    of_lanes = ((number - first).tobytes(), first % unit, record.state.mask.tobytes(), *rest)
    return (space, record.width, record.increments, *of_lanes)


def pattern(record: AccessRecord, device: Device, lanes: Array | None = None) -> CountTable:
    """Of a record, or of some lanes of its warps. NoLaw where two unknowns meet."""
    address = record.address
    if not isinstance(address, LaneSum):
        raise NoLaw(address.reason)
    if record.object is None or record.object.space not in SPACES:
        raise NoLaw("laws are for shared and global memory")
    shared = record.object.space == "shared"
    unit = max(record.width, device.bank_bytes) if shared else device.sector_bytes
    around = device.banks * device.bank_bytes if shared else device.sector_bytes
    if any(np.any(np.asarray(n) % record.width) for n in address.terms.values()):
        raise NoLaw(MISALIGNED)
    rows = _rows(address, record.state.mask, lanes)
    count = _counter(record, device)
    constant = _constants(address, record.state.mask, unit)
    stride, moved, k = _direction(rows.strides, 0, TWO)
    if stride is None and _anywhere_alike(rows, record.width, unit, count):
        rows.bases.clear()
    offset, shifted, h = _direction(rows.bases, unit, ALIGNMENTS)
    if stride is not None and offset is not None and stride != offset:
        raise NoLaw(BOTH)

    counted: dict[bytes, Array] = {}

    def at(points: Array) -> Array:
        key = points.tobytes()
        if key not in counted:
            counted[key] = fresh(points)
        return counted[key]

    def fresh(points: Array) -> Array:
        offsets = (
            rows.known[None]
            + constant[None, :, None]
            + points[:, None, None]
            * (
                (moved * k if stride is not None else 0)
                + (shifted[:, None] * h if offset is not None else 0)
            )
        )
        flat = np.broadcast_to(offsets, (len(points), *rows.active.shape)).reshape(-1, LANES)
        flags = np.broadcast_to(rows.active, (len(points), *rows.active.shape)).reshape(-1, LANES)
        return count(flat, flags).reshape(len(points), -1)

    unknown = stride if stride is not None else offset
    period, bound = 1, 0
    if stride is not None:
        step = k * int(np.gcd.reduce(moved, axis=None))
        period = around // math.gcd(around, step)
        bound = _bound(rows, moved * k, unit)
    if offset is not None:
        step = h * int(np.gcd.reduce(shifted, axis=None))
        period = math.lcm(period, unit // math.gcd(unit, step))
    return CountTable(unknown, period, bound, len(rows.active), at)


def by_groups(record: AccessRecord, device: Device) -> tuple[list[CountTable], list[Value]]:
    """Of wide shared requests whose lanes go in groups, one after the other: a pattern of each
    group, and expressions that are at least 0 where they do. NoLaw where two unknowns meet in one
    group."""
    address, mask = record.address, record.state.mask
    if not isinstance(address, LaneSum) or record.object is None:
        raise NoLaw(TWO)
    schedule = device.schedule(record.site.hardware_op, record.width)
    groups = LANES // schedule.lanes
    counts_words = schedule.mode == "words" and not schedule.order
    whole_warps = mask.all() and len(mask) % LANES == 0
    if record.object.space != "shared" or groups == 1:
        raise NoLaw(TWO)
    if not counts_words or not whole_warps:
        raise NoLaw(TWO)
    of_lane = np.arange(LANES) // schedule.lanes
    tables = [pattern(record, device, of_lane == group) for group in range(groups)]
    partners = schedule.partners if schedule.paired_lanes else ()
    return tables, [_apart(address, partner, len(mask)) for partner in partners]


def _apart(address: LaneSum, partner: int, threads: int) -> Value:
    """What is at least 0 where some lane and its partner, in each warp alike, have two addresses: if
    none have, larger groups go together."""
    lanes = np.arange(LANES)
    between: dict[Value, Array] = {}
    for monomial, n in address.terms.items():
        full = by_warp(n, threads)
        between[monomial] = full - full[:, lanes ^ partner]
        if (between[monomial] != between[monomial][:1]).any():
            raise NoLaw(TWO)
    table = np.array([n[0] for n in between.values()])
    parts = np.count_nonzero(table, axis=0)
    if not parts.any():
        raise NoLaw(TWO)
    shortest = int(np.where(parts > 0, parts, LANES).argmin())
    step = sympy.Add(*(m * int(n) for m, n in zip(between, table[:, shortest], strict=True)))
    _content, rest = step.as_content_primitive()
    return sympy.expand(rest**2) - 1


def _anywhere_alike(
    rows: _Rows, width: int, unit: int, count: Callable[[Array, Array], Array]
) -> bool:
    """Whether each warp counts the same at every alignment."""
    shifts = np.arange(0, unit, width)[:, None, None]
    moved = (rows.known[None] + shifts).reshape(-1, LANES)
    flags = np.broadcast_to(rows.active, (len(shifts), *rows.active.shape)).reshape(-1, LANES)
    counts = count(moved, flags).reshape(len(shifts), -1)
    return bool((counts == counts[:1]).all())


def by_warp(value: object, threads: int) -> Array:
    """The lanes of each warp of a block, [warps, 32]; those without a thread have 0."""
    flat = np.broadcast_to(np.asarray(value, dtype=np.int64), (threads,))
    return np.concatenate([flat, np.zeros(-threads % LANES, np.int64)]).reshape(-1, LANES)


def _rows(address: LaneSum, mask: Array, lanes: Array | None) -> _Rows:
    active = _active(mask, lanes)
    some = active.any(axis=1)
    active = active[some]
    first = active.argmax(axis=1)[:, None]
    strides, bases = {}, {}
    known = np.zeros(active.shape, np.int64)
    for monomial, value in address.terms.items():
        full = by_warp(value, len(mask))[some]
        base = np.take_along_axis(full, first, axis=1)
        apart = np.where(active, full - base, 0)
        if monomial == ONE:
            known = apart
            continue
        bases[monomial] = base[:, 0]
        if apart.any():
            strides[monomial] = apart
    return _Rows(active, known, strides, bases)


def _active(mask: Array, lanes: Array | None) -> Array:
    active = by_warp(mask, len(mask)).astype(bool)
    return active if lanes is None else active & lanes


def _constants(address: LaneSum, mask: Array, unit: int) -> Array:
    """The known part of the first active lane's address of each warp, modulo `unit`."""
    active = _active(mask, None)
    some = active.any(axis=1)
    full = by_warp(address.number, len(mask))[some]
    first = active[some].argmax(axis=1)[:, None]
    return np.asarray(np.take_along_axis(full, first, axis=1)[:, 0] % unit)


def _direction(
    parts: dict[Value, Array], modulus: int, reason: str
) -> tuple[Value | None, Array, int]:
    """The sum of monomials that all parts are multiples of, what multiplies it, and a factor of
    that; parts that the modulus divides do not count."""
    left = {m: p for m, p in parts.items() if (p % modulus if modulus else p).any()}
    if not left:
        return None, np.zeros(1, np.int64), 1
    first = next(iter(left.values()))
    content = int(np.gcd.reduce(first, axis=None))
    shape = first // content
    factors: dict[Value, int] = {}
    where = np.flatnonzero(shape)[0]
    for monomial, part in left.items():
        k = int(part.flat[where] // shape.flat[where])
        if (part != k * shape).any():
            raise NoLaw(reason)
        factors[monomial] = k
    common = math.gcd(*factors.values())
    if factors[next(iter(factors))] < 0:
        common = -common
    unknown = sympy.Add(*(m * (k // common) for m, k in factors.items()))
    return unknown, shape, common


def _bound(rows: _Rows, moved: Array, unit: int) -> int:
    """From which |s| on lanes at different multiples of s lie apart by at least `unit`."""
    least, most = 0, 0
    for shape, known, active in zip(moved, rows.known, rows.active, strict=True):
        places = np.unique(shape[active])
        if len(places) > 1:
            step = int(np.diff(places).min())
            least = step if not least else min(least, step)
        most = max(most, int(np.ptp(known[active])))
    return -(-(most + unit) // least) if least else 0


def _counter(record: AccessRecord, device: Device) -> Callable[[Array, Array], Array]:
    width = record.width
    if record.object is not None and record.object.space == "shared":
        counted = record.increments and ("increment", width) in device.schedules
        op = "increment" if counted else record.site.hardware_op
        return lambda rows, active: wavefront_rows(rows, active, width, op, device)
    return lambda rows, active: sector_rows(rows, active, width, "load", device)


def are_apart(records: Iterable[AccessRecord], unknown: Value, x: int) -> bool:
    """Whether a stride or pitch of `x` leaves threads in the order of larger ones: rows that overlap
    share sectors, but hold no matrix."""
    for record in records:
        address, mask = record.address, record.state.mask
        if isinstance(address, LaneSum) and unknown in address.terms:
            parts = (address.terms[unknown], address.number)
            moved = np.stack([np.broadcast_to(n, mask.shape)[mask] for n in parts])
            rows, columns = np.unique(moved, axis=1)
            if (np.diff(rows * x + columns) <= 0).any():
                return False
    return True


def summed(patterns: Sequence[CountTable]) -> CountTable:
    """Several patterns of one unknown as one warp that counts what all do; NoLaw where their
    unknowns differ."""
    unknowns = {one.unknown for one in patterns if one.unknown is not None}
    if len(unknowns) > 1:
        raise NoLaw("requests of it depend on different unknowns")
    unknown = next(iter(unknowns), None)

    often = Counter(map(id, patterns))
    distinct = {id(one): one for one in patterns}

    def at(points: Array) -> Array:
        totals = [
            often[of] * np.broadcast_to(one.at(points).sum(axis=1), (len(points),))
            for of, one in distinct.items()
        ]
        return np.asarray(sum(totals))[:, None]

    period = math.lcm(*(one.period for one in patterns))
    return CountTable(unknown, period, max(one.bound for one in patterns), 1, at)
