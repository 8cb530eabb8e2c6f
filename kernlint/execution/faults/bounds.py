"""Accesses outside of their object, or of a row of it, and accesses that are not aligned.

In: the state, a site, its address and mask. Out: entries of `record.faults`. An access is looked at
closely only where the bounds of its address leave its object: what stays inside costs two
comparisons.
"""

from __future__ import annotations

from dataclasses import replace

from kernlint.base.dataclass import dataclass
from kernlint.execution.counting.merge_rules import grow
from kernlint.execution.faults.addresses import Executions, Place, executions_of
from kernlint.execution.faults.tally import ALIGNMENT, OUTSIDE, ROW, WRAP, FaultTally
from kernlint.execution.state import MachineState
from kernlint.execution.values import sums
from kernlint.execution.values.masks import Mask
from kernlint.execution.values.sums import BLOCK, LANE, Array, Sum, TooDense
from kernlint.execution.values.values import Atom, Value, base_of
from kernlint.ir import nodes as ir

# values of a loaded byte, a remainder or a masked index; what has more bounds nothing in practice
MOST_VALUES = 1 << 16
FAR = (
    1 << 30
)  # bytes below its start that a pointer into the middle of an array is taken not to reach
UNSIGNED = 1 << 32  # where unsigned numbers end
BELOW = 1 << 16  # how near to that -1 and the like lie


BY_MEMBERS = "members that are read or written together become one access"


@dataclass(frozen=True, slots=True)
class _Wrong:
    """Executions at fault: the least and the greatest value, the first of them, whether the thread
    or the block decides, whether some are at fault whatever the data."""

    low: int
    high: int
    where: tuple[int, int]
    by_thread: bool
    sure: bool


def note(state: MachineState, site: ir.AccessSite, address: Value, mask: Mask) -> None:
    """Notes what is wrong with one execution of an access (for all iterations of the axes in
    scope). Nothing where a guard around holds only by assumption."""
    base = base_of(address)
    if base is None or base.base is None or _is_open(base.base):
        return
    if not site.pieces or state.presumed:
        return
    terms = {atom: times for atom, times in address.terms.items() if atom is not base}
    try:
        if terms:
            _perhaps_outside(state, site, base.base, address.known, terms, mask)
        else:
            _outside(state, site, base.base, address.known, mask)
        _rows(state, site, base.base, mask)
        _unaligned(state, site, base, address.known, terms, mask)
    except TooDense:  # not decided
        return


def _is_open(object_: ir.MemoryObject) -> bool:
    """Whether an array has no elements, as none has in C++: a parameter pack that no launch gives
    was taken as empty."""
    return object_.size == 0 and not object_.dynamic


def _width(site: ir.AccessSite) -> int:
    return max(at + bytes_ for at, bytes_ in site.pieces)


def _outside(
    state: MachineState, site: ir.AccessSite, object_: ir.MemoryObject, at: Sum, mask: Mask
) -> None:
    size, width = state.extents.get(object_, object_.size), _width(site)
    if size is None:
        _wrapped(state, site, object_, at, mask)
        return
    if at.low >= 0 and at.high <= size - width:
        return
    found = _wrong(state, at, mask, size - width)
    if found is not None:
        tally = _tally(OUTSIDE, object_, size, found)
        tally.high += width - 1
        _add(state, site, tally, mask)


def _wrapped(
    state: MachineState, site: ir.AccessSite, object_: ir.MemoryObject, at: Sum, mask: Mask
) -> None:
    """Of an object of unknown size, an index that is far below 0, or just below 2^32 as a negative
    one without a sign: arithmetic in 32 bits has wrapped around."""
    width = _width(site)
    last = (UNSIGNED - BELOW) * width - 1
    beyond = at.high if at.high < UNSIGNED * width else 0
    if object_.space != "global" or (at.low > -FAR and beyond <= last):
        return
    found = _wrong(state, at, mask, last if beyond > last else at.high)
    if found is not None:
        tally = _tally(WRAP, object_, 0, found)
        tally.high += width - 1
        _add(state, site, tally, mask)


def _perhaps_outside(
    state: MachineState,
    site: ir.AccessSite,
    object_: ir.MemoryObject,
    known: Sum,
    terms: dict[Atom, Sum],
    mask: Mask,
) -> None:
    """An index of few values that data decides, such as a byte of it, some of which lie outside. A
    guard may keep those away, so only where none is around that is not known."""
    size, width = state.extents.get(object_, object_.size), _width(site)
    ((atom, times), *others) = terms.items()
    if size is None or others or not times.is_constant:
        return
    drawn = state.tickets.get(atom)
    if drawn is not None and drawn[1] is state.mask:  # no guard since then
        lowest, highest = 0, drawn[0] - 1
    elif atom.low is None or atom.high is None or not mask.is_known:
        return
    else:
        lowest, highest = atom.low, atom.high
    if highest - lowest >= MOST_VALUES or state.repeats is not None:
        return
    least, most = sorted((lowest * times.const, highest * times.const))
    reached = executions_of(known, mask.may, state.shape)
    if reached is None:
        return
    low, high, last = reached.low + least, reached.high + most, size - width
    if atom.made is not None and atom.made[0] == "%":
        low = max(low, 0)  # of a remainder: that what is divided may be negative is no evidence
    if low < 0 or high > last:
        place = reached.first_above(last - most) if high > last else reached.first_below(-least)
        where = _where(state, place)
        found = _Wrong(low, high + width - 1, where, True, False)
        _merge(state, site, _tally(OUTSIDE, object_, size, found, atom.reason, atom.name))


def _rows(state: MachineState, site: ir.AccessSite, object_: ir.MemoryObject, mask: Mask) -> None:
    for subscript in site.subscripts:
        index, last = state.evaluator.number(subscript.index), subscript.extent - 1
        if index.is_known and (index.known.low < 0 or index.known.high > last):
            found = _wrong(state, index.known, mask, last)
            if found is not None:
                _add(state, site, _tally(ROW, object_, subscript.extent, found), mask)


def _unaligned(
    state: MachineState,
    site: ir.AccessSite,
    base: Atom,
    known: Sum,
    terms: dict[Atom, Sum],
    mask: Mask,
) -> None:
    """An address that is no multiple of what the access needs. Where it is a member of a vector or
    class, nvcc may access several members as one, which needs the alignment of the whole."""
    named, unit = site.told, max(width for _, width in site.pieces)
    found = _misaligned(state, base, known, terms, mask, unit, site.pieces[0][0])
    if found is not None and base.base is not None:
        _add(state, site, _tally(ALIGNMENT, base.base, unit, found), mask)
    if named is None or named.align <= unit or named.unsure:
        return
    found = _misaligned(state, base, known, terms, mask, named.align, -named.offset)
    if found is not None and base.base is not None:
        found = replace(found, sure=False)
        tally = _tally(ALIGNMENT, base.base, named.align, found, "compiler", BY_MEMBERS)
        _merge(state, site, tally)


def _misaligned(
    state: MachineState,
    base: Atom,
    known: Sum,
    terms: dict[Atom, Sum],
    mask: Mask,
    unit: int,
    offset: int,
) -> _Wrong | None:
    """The executions whose address and `offset` are together no multiple of `unit` bytes; None where
    there are none, or that is not known."""
    if base.multiple % unit or not _multiples(terms, unit):
        return None
    at = sums.add(known, sums.constant(offset))
    if sums.divisible(at, unit):
        return None
    reached = executions_of(at, mask.may, state.shape)
    place = reached.first_unaligned(unit) if reached is not None else None
    if place is None:
        return None
    sure = mask.must is mask.may
    if not sure:
        surely = executions_of(at, mask.must, state.shape)
        sure = surely is not None and surely.first_unaligned(unit) is not None
    return _Wrong(0, 0, _where(state, place), _by_thread(at, mask), sure)


def _multiples(terms: dict[Atom, Sum], unit: int) -> bool:
    """Whether all that is not known of an address is a multiple of `unit` bytes."""
    return all(
        sums.divisible(sums.scale(times, atom.multiple), unit) for atom, times in terms.items()
    )


def _wrong(state: MachineState, value: Sum, mask: Mask, last: int) -> _Wrong | None:
    """The executions whose value is not in [0, last]; None where there are none."""
    reached = executions_of(value, mask.may, state.shape)
    if reached is None or (reached.low >= 0 and reached.high <= last):
        return None
    sure = mask.must is mask.may
    if not sure:
        surely = executions_of(value, mask.must, state.shape)
        sure = surely is not None and (surely.low < 0 or surely.high > last)
    where = _first(state, reached, last)
    return _Wrong(reached.low, reached.high, where, _by_thread(value, mask), sure)


def _first(state: MachineState, reached: Executions, last: int) -> tuple[int, int]:
    found = []
    if reached.high > last:
        found.append(_where(state, reached.first_above(last)))
    if reached.low < 0:
        found.append(_where(state, reached.first_below(0)))
    return min(found)


def _by_thread(value: Sum, mask: Mask) -> bool:
    """Whether the index differs between threads or blocks, or a guard lets only some of them pass.
    The threads that a block does not fill up its last warp with are no guard."""
    axes = {axis for key in value.parts for axis in key}
    guards = [key for key in mask.may.factors if key != (LANE,)]
    narrow = mask.may.factors.get((LANE,))
    axes |= {axis for key in guards for axis in key}
    return bool(axes & {BLOCK, LANE}) or (narrow is not None and not _leading(narrow))


def _leading(lanes: Array) -> bool:
    """Whether it is the first so many lanes."""
    return bool(lanes[: int(lanes.sum())].all())


def _where(state: MachineState, place: Place) -> tuple[int, int]:
    return int(state.shape.blocks[place.get(BLOCK, 0)]), place.get(LANE, 0)


def _tally(
    kind: str,
    object_: ir.MemoryObject,
    limit: int,
    found: _Wrong,
    reason: str = "",
    detail: str = "",
) -> FaultTally:
    return FaultTally(
        kind,
        object_,
        limit,
        found.low,
        found.high,
        found.where,
        found.by_thread,
        found.sure,
        reason,
        detail,
    )


def _add(state: MachineState, site: ir.AccessSite, tally: FaultTally, mask: Mask) -> None:
    """Where data decides for single lanes, it may well keep those at fault away: nothing is said.
    Where it decides for whole warps, it is told what does."""
    if not tally.sure and mask.may is not mask.must:
        return
    why = (mask.reason, mask.detail) if mask.conditional else state.repeats
    if why is not None:
        tally.sure, tally.reason, tally.detail = False, *why
    _merge(state, site, tally)


def _merge(state: MachineState, site: ir.AccessSite, tally: FaultTally) -> None:
    key = site, tally.object, tally.kind
    if key in state.record.faults:
        grow(state.record.faults[key], tally)
    else:
        state.record.faults[key] = tally
