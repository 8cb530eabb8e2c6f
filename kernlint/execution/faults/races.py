"""Accesses to one place of memory by different threads that nothing orders.

In: the events of all sets of blocks. Out: `RacingPair`s, each with two accesses and two threads.
Exact for what is looked at (`lanes`). Pairs are not enumerated to find out whether there is a race:
accesses are grouped by place and by barriers passed, and of a group the least and the greatest
thread are compared; a pair to show is looked for in groups that race alone. (Two-thread reasoning:
Betts, Chong, Donaldson, Qadeer, Thomson, GPUVerify, OOPSLA 2012.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from kernlint.base.dataclass import dataclass, replace
from kernlint.execution.faults.barrier_intervals import meeting
from kernlint.execution.faults.chosen_threads import ChosenThreads
from kernlint.execution.faults.common_branches import CommonBranches
from kernlint.execution.faults.elections import are_of_one_thread, keep_apart, may_hide_thread
from kernlint.execution.faults.handovers import Handovers
from kernlint.execution.faults.lanes import (
    EventSet,
    Lanes,
    NumberedEvents,
    lanes_of,
    unit_of,
)
from kernlint.execution.faults.opposite_sides import parted_events
from kernlint.execution.faults.order import (
    ATOMIC,
    READ,
    WRITE,
    Event,
    Passed,
    common_loops,
)
from kernlint.execution.faults.own_places import own_places
from kernlint.execution.faults.possible_waits import LIKELY, NOT_AT_ALL, PossibleWaits
from kernlint.execution.faults.same_values import SameValues
from kernlint.execution.values.booleans import Condition
from kernlint.execution.values.sums import (
    BLOCK,
    LANE,
    ZERO,
    Array,
    Sum,
    TooDense,
    add,
    along,
    constant,
    divisible,
    fits64,
    floor_divide,
    same,
    scale,
    sum_identity,
)
from kernlint.execution.values.values import Value, bounds, spelling
from kernlint.ir import nodes as ir
from kernlint.ir.types import Record

ENOUGH = 1 << 15  # entries looked at together: neighbouring iterations show what others do
MOST_PAIRS = 40  # pairs of accesses told of one object
Positions = Mapping[ir.AccessSite, int]  # of accesses in the program
NOWHERE = -1  # of a race whose place is not known
MOST_PLACES_CHOSEN = 1 << 14  # bytes that data may choose from, looked at one by one
LONGEST_ROW = (1 << 20) + 7  # elements, where the length is not known
MOST_MEMBERS = 256  # of a group that races, looked at for a pair
SPARSE = 16  # places for each entry from which on the entries are searched instead
MOST_NUMBERS = 1 << 20  # of places, counted without a search for those that are accessed
OF_BLOCK = "blockIdx"  # the name of a block's unknown number
DATA = ("loaded-value", "atomic-result")


@dataclass(frozen=True, slots=True)
class RacingPair:
    """`first` is executed before `second` where one thread makes both, or is it. `scope`: of the
    barrier that is missing between them. `threads`: of their blocks, whose numbers in the grid
    `blocks` are; `offset`: the byte in the object, or
    NOWHERE; `sure`: it happens whatever the data; `loop`: that in
    whose next iteration the second is executed, where it is; `events`: the two executions."""

    object: ir.MemoryObject
    scope: str
    first: ir.AccessSite
    second: ir.AccessSite
    kinds: tuple[int, int]
    threads: tuple[int, int]
    blocks: tuple[int, int]
    offset: int
    sure: bool
    loop: ir.Loop | None = None
    events: tuple[Event, Event] | None = None


Found = dict[tuple[ir.AccessSite, ir.AccessSite, str], RacingPair]


@dataclass(frozen=True, slots=True)
class _ObjectEvents:
    """Events of one object that are looked at together, by their sets; `events`: all of them; `whole`:
    the sets with the events of all objects; `parted`: see `parted_events`."""

    object: ir.MemoryObject
    whole: Sequence[EventSet]
    sets: Sequence[NumberedEvents]
    events: Sequence[Event]
    scopes: Sequence[str]
    handovers: Handovers | None
    waits: PossibleWaits
    across: int
    warp_lanes: int
    same_values: SameValues
    exchanges: bool
    ordered_alone: frozenset[str]
    positions: Positions
    branches: CommonBranches
    chosen: ChosenThreads
    parted: NDArray[np.bool_] | None

    def of(self, chosen: Sequence[Sequence[tuple[int, Event]]]) -> _ObjectEvents:
        kept = [
            NumberedEvents(own, some.shape, some.groups)
            for own, some in zip(chosen, self.sets, strict=True)
            if own
        ]
        return replace(self, sets=kept)


def races(
    sets: Sequence[EventSet],
    scopes: Sequence[str],
    handovers: Handovers | None,
    waits: PossibleWaits,
    across: int,
    same_values: SameValues,
    exchanges: bool,
    ordered_alone: frozenset[str],
    positions: Positions,
) -> list[RacingPair]:
    """The races of a launch. `scopes`: of the barriers that are looked for;
    `handovers`: what else orders threads; `waits`: what else may; `across`: blocks along x
    of its grid, 0 where it is not known; `exchanges`: whether lanes exchange values, so that
    different ones may become the same; `ordered_alone`: memories that some barrier orders alone; `positions`: of accesses in the program."""
    found: Found = {}
    for look in _objects(
        sets, scopes, handovers, waits, across, same_values, exchanges, ordered_alone, positions
    ):
        own: Found = {}
        for comparable in _comparable(look):
            surely = [[one for one in some.numbered if one[1].sure] for some in comparable.sets]
            _add(look, own, _races_among(comparable.of(surely), True))
            if any(not event.sure for some in comparable.sets for _, event in some.numbered):
                _add(look, own, _races_among(comparable, False))
            if len(own) >= MOST_PAIRS:
                break
        _add(look, own, _by_data(look))
        if not own:
            _add(look, own, _in_one_row(look))
        if not own:
            _add(look, own, _by_open_loop(look))
            _add(look, own, _by_block_scope(look))
        found |= own
    return list(found.values())


def _add(look: _ObjectEvents, found: Found, some: Iterator[RacingPair]) -> None:
    """Of two accesses, those of one iteration before those of two, unless they are less sure."""
    for race in some:
        race = replace(race, loop=race.loop or _loop_between(look, race))
        known = found.setdefault((race.first, race.second, race.scope), race)
        if known.loop is not None and race.loop is None and known.sure == race.sure:
            found[race.first, race.second, race.scope] = race


def _loop_between(look: _ObjectEvents, race: RacingPair) -> ir.Loop | None:
    """The outermost loop of which an iteration ends between two accesses to shared memory: a barrier
    there would order them."""
    if race.events is None or race.object.space != "shared" or race.first is race.second:
        return None
    common = common_loops(*race.events)
    ended = set(_iterations_between(look, *race.events)) if common else set()
    stepped = next((loop for loop in common if loop in ended), None)
    if stepped is not None or not common:
        return stepped
    return next((loop for loop in common if _is_parted_by(look, race, loop)), None)


def _iterations_between(look: _ObjectEvents, first: Event, second: Event) -> Iterator[ir.Loop]:
    for one in look.whole:
        if one.iterations and first in one.events and second in one.events:
            start, end = one.events.index(first), one.events.index(second)
            yield from (loop for at, loop in one.iterations if start < at <= end)


def _is_parted_by(look: _ObjectEvents, race: RacingPair, loop: ir.Loop) -> bool:
    """Whether no two accesses of one iteration race, of a loop whose iterations are run as one."""
    assert race.events is not None
    if any(len(event.axes) != len(event.loops) for event in race.events):
        return False
    parted: list[Event] = []
    for event in race.events:
        axis = [*event.axes][event.loops.index(loop)]
        iteration = along(axis, np.arange(event.axes[axis], dtype=np.int64))
        passed = event.passed.plus(Passed(block=iteration, warp=iteration))
        parted.append(replace(event, passed=passed))
    home = next(some for some in look.sets if any(e in race.events for _, e in some.numbered))
    both = replace(home, numbered=list(enumerate(parted)))
    found = _races_among(replace(look, sets=[both], events=parted, parted=None), race.sure)
    return all(other.scope != race.scope or other.first is other.second for other in found)


def _objects(
    sets: Sequence[EventSet],
    scopes: Sequence[str],
    handovers: Handovers | None,
    waits: PossibleWaits,
    across: int,
    same_values: SameValues,
    exchanges: bool,
    ordered_alone: frozenset[str],
    positions: Positions,
) -> Iterator[_ObjectEvents]:
    """The objects that are written, each with its events."""
    written = {e.target: None for one in sets for e in one.events if e.kind != READ}
    branches = CommonBranches(same_values.kernel, sets)
    chosen = ChosenThreads(same_values.kernel)
    for object_ in written:
        some, events = list[NumberedEvents](), list[Event]()
        for one in sets:
            own = [event for event in one.events if event.target is object_]
            numbered = list(enumerate(own, len(events)))
            some.append(NumberedEvents(numbered, one.shape, one.groups))
            events += own
        shared = object_.space == "shared"
        looked_for = [scope for scope in scopes if scope != "grid" or not shared]
        warp = sets[0].shape.warp_lanes
        yield _ObjectEvents(
            object_,
            sets,
            some,
            events,
            looked_for,
            handovers,
            waits,
            0 if shared else across,
            warp,
            same_values,
            exchanges,
            ordered_alone,
            positions,
            branches,
            chosen,
            parted_events(events, _is_common),
        )


def _comparable(look: _ObjectEvents) -> Iterator[_ObjectEvents]:
    """By what is not known of their offsets: those of equal unknowns differ by what is known."""
    by_terms: dict[object, list[list[tuple[int, Event]]]] = {}
    for i, some in enumerate(look.sets):
        for number, event in some.numbered:
            key = _unknown_part(event)
            if key is not None:
                rows = by_terms.setdefault(key, [[] for _ in look.sets])
                rows[i].append((number, event))
    for rows in by_terms.values():
        yield look.of(rows)


def _unknown_part(event: Event) -> object | None:
    """What is not known of the offset, where it is one for all threads; None where it is not."""
    if any(not times.is_constant for times in event.terms.values()):
        return None
    if any(by.parts for atom in event.terms for by in atom.determiners):
        return None
    return tuple(sorted((spelling(atom), times.const) for atom, times in event.terms.items()))


# ------------------------------------------------------------------ places that data chooses


def _by_data(look: _ObjectEvents) -> Iterator[RacingPair]:
    """What may race where loaded values choose the place: with what others write or read of the
    object between the same barriers; and a value that is read, changed and written back, by two
    that choose the same place. Two that only write are taken to choose places of their own."""
    for some in look.sets:
        for (number, one), (after, other) in _pairs_by_data(some):
            both = _in_stretches(one, other)
            numbered = [list(zip((number, after), both, strict=True))] if both else []
            looked = replace(look, sets=[replace(some, numbered=own) for own in numbered])
            for race in _races_among(looked, False):
                if race.first is not race.second:
                    sure = race.scope == "block" and _whatever_is_chosen(some, one, other)
                    yield replace(race, sure=sure)


Numbered = tuple[int, Event]


def _pairs_by_data(some: NumberedEvents) -> Iterator[tuple[Numbered, Numbered]]:
    """Each pair of accesses once, in the order of the program."""
    seen: set[tuple[ir.AccessSite, ir.AccessSite, int]] = set()
    chosen = [one for one in some.numbered if _by_loaded(one[1])][:MOST_MEMBERS]
    for one in chosen:
        for other in some.numbered[: MOST_MEMBERS * MOST_PAIRS]:
            first, second = sorted((one, other), key=itemgetter(0))
            pair = (first[1].site, second[1].site, first[1].kind)
            if pair not in seen and first is not second and _may_meet(first[1], second[1]):
                seen.add(pair)
                yield first, second
            if len(seen) > MOST_PAIRS:
                return


def _whatever_is_chosen(some: NumberedEvents, one: Event, other: Event) -> bool:
    """Whether others write every place that may be chosen, between the same barriers."""
    chosen = one if one.terms else other
    sure = [one for one in some.numbered if one[1].sure and not one[1].terms]
    writes = [one for one in sure if one[1].kind == WRITE]
    low, high = bounds(Value(chosen.offset, chosen.terms))
    if low is None or high is None or high - low > MOST_PLACES_CHOSEN:
        return False
    if chosen.offset.parts or not chosen.sure or not writes:
        return False
    unit = unit_of([chosen, *(event for _, event in writes)])
    at = replace(chosen, offset=ZERO, terms={})
    try:
        written = lanes_of([NumberedEvents(writes, some.shape)], True, unit, 0)
        choosing = lanes_of([NumberedEvents([(0, at)], some.shape)], True, unit, 0)
    except TooDense:
        return False
    if written is None or choosing is None:
        return False
    (stores, _), (choices, _) = written, choosing
    between = stores[stores.block == choices.block[0]]
    every = np.arange(low // unit, high // unit + 1)
    warps = np.unique(between.lane // some.shape.warp_lanes)
    apart = ~np.isin(choices.lane // some.shape.warp_lanes, warps)
    return bool(np.isin(every, between.unit).all() and apart.any())


def _may_meet(one: Event, other: Event) -> bool:
    """Not in a structure of several arrays, of which the data chooses within one."""
    if READ == one.kind == other.kind or ATOMIC == one.kind == other.kind:
        return False
    chosen = _by_loaded(one), _by_loaded(other)
    if all(chosen):
        return (one.kind, other.kind) == (READ, WRITE) and _same_offset(one, other)
    whole = one.target.space == "shared" and not isinstance(one.target.type, Record)
    return whole and any(chosen) and not (one.terms and other.terms)


def _in_stretches(one: Event, other: Event) -> list[Event]:
    """Both by the stretches of the object that the one whose place is chosen may reach: all of it,
    or where each lane has a stretch of its own, its number. Empty where lanes' stretches overlap."""
    chosen = one if one.terms else other
    if not chosen.offset.parts:
        return [_at(event, ZERO) for event in (one, other)]
    low, high = bounds(Value(ZERO, chosen.terms))
    if low is None or high is None:
        return []
    size = high - low + max(at + width for at, width in chosen.pieces)
    start = add(chosen.offset, constant(low))
    if not divisible(start, size):
        return []
    moved = (start if event.terms else event.offset for event in (one, other))
    return [
        _at(event, floor_divide(place, size))
        for event, place in zip((one, other), moved, strict=True)
    ]


def _at(event: Event, number: Sum) -> Event:
    """As if it touched one unit."""
    return replace(event, offset=number, terms={}, stored=None, pieces=((0, 1),))


def _same_offset(one: Event, other: Event) -> bool:
    if one.terms.keys() != other.terms.keys():
        return False
    return same(one.offset, other.offset) and all(
        same(times, other.terms[atom]) for atom, times in one.terms.items()
    )


def _by_loaded(event: Event) -> bool:
    return bool(event.terms) and all(
        atom.reason in DATA and any(by.parts for by in atom.determiners) for atom in event.terms
    )


# ------------------------------------------------------------------ rows of unknown length


def _in_one_row(look: _ObjectEvents) -> Iterator[RacingPair]:
    """What may race in a row that the thread chooses, of a length that is not known (`u[y * w + x]`
    and `u[y * w + x - 1]`): the unknowns are multiplied by the same numbers in both. Rows are taken
    to be longer than what is added to their beginning."""
    by_terms: dict[object, list[list[tuple[int, Event]]]] = {}
    placed = list(look.events)
    for i, some in enumerate(look.sets):
        for number, event in some.numbered:
            start = _start_of_row(event)
            if start is not None:
                placed[number] = replace(event, offset=add(event.offset, start), terms={})
                rows = by_terms.setdefault(_row(event), [[] for _ in look.sets])
                rows[i].append((number, placed[number]))
    for chosen in by_terms.values():
        found = _races_among(replace(look.of(chosen), events=placed), False)
        yield from (replace(race, offset=NOWHERE) for race in found if race.scope != "grid")


def _row(event: Event) -> object:
    """The unknowns, those of one name each: `h * pitch` of two heads is twice as far as of one."""
    named = ((atom.name, sum_identity(times)) for atom, times in event.terms.items())
    return frozenset(Counter(named).items())


def _start_of_row(event: Event) -> Sum | None:
    """A number that differs where the row does; None where data chooses it, or all threads have one."""
    if all(times.is_constant for times in event.terms.values()):
        return None
    if any(by.parts for atom in event.terms for by in atom.determiners):
        return None
    # of several atoms of one name, by what they are multiplied by: as in other accesses to the row
    named = [(atom.name, repr(sum_identity(times)), times) for atom, times in event.terms.items()]
    start, length = ZERO, LONGEST_ROW
    try:
        for _, _, times in sorted(named, key=itemgetter(0, 1)):
            if not fits64(times.low * length, times.high * length):
                return None
            start = add(start, scale(times, length))
            length *= times.high - times.low + 1  # rows of a plane, planes of a volume: each apart
        return start
    except TooDense:
        return None


# ------------------------------------------------------------------ loops without a known end


def _by_open_loop(look: _ObjectEvents) -> Iterator[RacingPair]:
    """What all blocks read in a loop whose end is not known, from one begin on, may reach what each
    block writes at a place of its own."""
    if "grid" not in look.scopes or look.object.space == "shared":
        return
    for some in look.sets:
        reads = [event for _, event in some.numbered if _reads_on(event)]
        writes = [event for _, event in some.numbered if _at_block(event)]
        for one, other in product(reads[:MOST_PAIRS], writes[:MOST_PAIRS]):
            together = same(one.passed.grid, other.passed.grid) and one.site is not other.site
            if together and not _handed_over(look, one, other):
                places = one.site, other.site, (READ, WRITE), (0, 0), (0, 1)
                yield RacingPair(look.object, "grid", *places, NOWHERE, False)


def _by_block_scope(look: _ObjectEvents) -> Iterator[RacingPair]:
    """What data lets blocks update at the same places, by operations that are atomic for threads of
    one block alone. A place that data gives to the whole block is taken for its own."""
    if "grid" not in look.scopes or look.object.space == "shared":
        return
    for some in look.sets:
        for _, event in some.numbered:
            if _is_for_its_block(event) and _is_anywhere(event):
                places = event.site, event.site, (ATOMIC, ATOMIC), (0, 0), (0, 1)
                yield RacingPair(look.object, "grid", *places, NOWHERE, False)


def _is_for_its_block(event: Event) -> bool:
    return event.kind == ATOMIC and event.site.of_block


def _is_anywhere(event: Event) -> bool:
    """Whether what each thread loads chooses the place, in all blocks alike."""
    alike = not any(BLOCK in key for key in event.offset.parts)
    return alike and _by_loaded(event) and all(atom.varies_by_lane for atom in event.terms)


def _handed_over(look: _ObjectEvents, one: Event, other: Event) -> bool:
    """Whether a flag, a counter or a wait that is not followed puts two accesses in an order."""
    ordered = look.handovers is not None and look.handovers.order(one, other, "grid")
    return ordered or look.waits.between(one, other) == LIKELY


def _reads_on(event: Event) -> bool:
    """Whether a read goes on from iteration to iteration alike in all blocks."""
    goes_on = all(a.reason == "unknown-trip-count" and not a.determiners for a in event.terms)
    alike = not any(BLOCK in key for key in event.offset.parts)
    return event.kind == READ and bool(event.terms) and goes_on and alike


def _at_block(event: Event) -> bool:
    """Whether a write's place moves with the number of the block, and with nothing else unknown."""
    unknown = all(a.reason == "unknown-launch" and a.name.startswith(OF_BLOCK) for a in event.terms)
    by_block = bool(event.terms) or any(BLOCK in key for key in event.offset.parts)
    return event.kind == WRITE and unknown and by_block


# ------------------------------------------------------------------ groups


def _races_among(look: _ObjectEvents, sure: bool) -> Iterator[RacingPair]:
    laid_out: dict[tuple[int, ...], Lanes | None] = {}
    unit = unit_of(event for some in look.sets for _, event in some.numbered)
    for scope in look.scopes:
        for sets in meeting(look.sets, scope):
            if own_places(sets, scope == "grid" and bool(look.across)):
                continue
            numbers = tuple(number for some in sets for number, _ in some.numbered)
            if numbers not in laid_out:
                laid_out[numbers] = _lanes(look, sets, sure, unit)
            lanes = laid_out[numbers]
            if lanes is not None:
                yield from _races_in(lanes, look, scope, sure, unit)


def _lanes(
    look: _ObjectEvents, sets: Sequence[NumberedEvents], sure: bool, unit: int
) -> Lanes | None:
    """None: nothing is accessed, or it is not decided."""
    try:
        found = lanes_of(sets, sure, unit, look.across, ENOUGH)
    except TooDense:
        return None
    return None if found is None else found[0]


def _races_in(
    lanes: Lanes, look: _ObjectEvents, scope: str, sure: bool, unit: int
) -> Iterator[RacingPair]:
    lanes = _as_seen(lanes, look, scope)
    for who, groups in _parties(lanes, look, scope):
        for one, other in _conflicts(lanes, look, scope, who, groups):
            race = _race(look, lanes, (one, other), scope, unit, sure)
            if scope != "warp" or not _changed_by_one(look, lanes, race):
                yield race


def _as_seen(lanes: Lanes, look: _ObjectEvents, scope: str) -> Lanes:
    """For threads of other blocks, an update that is atomic for those of its own block alone is a
    write (PTX ISA, Memory Consistency Model, scope)."""
    numbers = np.unique(lanes.event).tolist() if scope == "grid" else ()
    narrow = [number for number in numbers if look.events[number].site.of_block]
    if not narrow:
        return lanes
    return replace(lanes, kind=np.where(np.isin(lanes.event, narrow), WRITE, lanes.kind))


def _parties(lanes: Lanes, look: _ObjectEvents, scope: str) -> Iterator[tuple[Array, list[Array]]]:
    """Whose accesses are in no order: of each entry who makes it, and what entries must have in
    common. Groups whose barriers order no others are looked at each alone and against each other."""
    warps = lanes.lane // look.warp_lanes
    if scope == "grid":
        yield lanes.home, [lanes.unit, lanes.grid]
    elif scope == "block":
        own = [lanes.unit, lanes.block, lanes.home]
        yield warps, [*own, lanes.named, lanes.party]
        yield from [(lanes.party, own)] if any("named" in s.groups for s in look.sets) else []
    else:
        own = [lanes.unit, lanes.warp, lanes.home, warps]
        yield lanes.lane, [*own, lanes.tile, lanes.part]
        yield from [(lanes.part, own)] if any("tile" in s.groups for s in look.sets) else []


def _conflicts(
    lanes: Lanes, look: _ObjectEvents, scope: str, who: Array, groups: list[Array]
) -> Iterator[tuple[int, int]]:
    """Pairs of entries that race, one of each pair of events."""
    place = _place_numbers(groups)
    some = _contended(place, who, lanes.kind)
    if not len(some):
        return
    order = some[np.argsort(place[some], kind="stable")]
    starts = np.flatnonzero(np.diff(place[order], prepend=-1))
    ends = np.append(starts[1:], len(order))
    wrong = _wrong(lanes[order], who[order], starts, ends - starts)
    seen: set[tuple[int, int]] = set()
    unordered: dict[tuple[int, int], bool] = {}
    for at in np.flatnonzero(wrong)[: 4 * MOST_PAIRS].tolist():
        members = order[int(starts[at]) : int(ends[at])]
        for pair in _pairs(lanes[members], who[members], look, scope, unordered, seen):
            one, other = (int(members[i]) for i in pair)
            named = (int(lanes.event[one]), int(lanes.event[other]))
            seen.add(named)
            yield one, other
            if len(seen) == MOST_PAIRS:
                return


def _place_numbers(groups: Sequence[Array]) -> Array:
    """A number from 0 on for each entry, equal where all of `groups` are, ascending by the last of
    them first."""
    numbers, size = np.zeros(len(groups[0]), np.int64), 1
    for group in groups:
        if group.strides == (0,):  # one value for all entries (`lanes`)
            continue
        own, count = _from_zero(group)
        numbers = own if size == 1 else numbers + own * size
        size *= count
        if size >= min(MOST_NUMBERS, SPARSE * len(numbers)):
            numbers, size = _from_zero(numbers)
    return numbers


def _from_zero(values: Array) -> tuple[Array, int]:
    """In the same order, and how many there may be."""
    low, high = int(values.min()), int(values.max())
    if high - low >= min(MOST_NUMBERS, SPARSE * len(values)):
        values = np.unique(values, return_inverse=True)[1]
        low, high = 0, int(values.max())
    return values - low, high - low + 1


def _contended(place: Array, who: Array, kind: Array) -> Array:
    """The entries of places that several access and that not all of them read."""
    someone = np.empty(int(place.max()) + 1, np.int64)
    someone[place] = who
    of_several = np.zeros(len(someone), bool)
    of_several[place[someone[place] != who]] = True
    if not of_several.any():
        return place[:0]
    is_changed = np.zeros(len(someone), bool)
    is_changed[place[kind != READ]] = True
    return np.flatnonzero((of_several & is_changed)[place])


def _wrong(lanes: Lanes, who: Array, starts: Array, sizes: Array) -> Array:
    """The groups in which several access and one writes, or one is atomic and another is not; not
    those that only write, and all the same."""
    kind, value = lanes.kind, lanes.value
    several = np.minimum.reduceat(who, starts) != np.maximum.reduceat(who, starts)
    writes = np.add.reduceat((kind == WRITE).astype(np.int64), starts)
    atomics = np.add.reduceat((kind == ATOMIC).astype(np.int64), starts)
    equal = np.minimum.reduceat(value, starts) == np.maximum.reduceat(value, starts)
    equal &= np.logical_and.reduceat(lanes.known, starts)
    mixed = (atomics > 0) & (atomics < sizes)
    found: Array = several & ((writes > 0) | mixed) & ~((writes == sizes) & equal)
    return found


def _pairs(
    lanes: Lanes,
    who: Array,
    look: _ObjectEvents,
    scope: str,
    unordered: dict[tuple[int, int], bool],
    seen: Collection[tuple[int, int]],
) -> Iterator[tuple[int, int]]:
    """Two entries of a group that race, for each pair of events: a write and another access, or an
    atomic and a plain one, by others; two writes where their values differ. `unordered`: what is
    known of events; `seen`: those that need no other pair."""
    some = _told_apart(who, lanes)[:MOST_MEMBERS]
    own = lanes[some]
    wrong = _wrong_pairs(own, who[some], look, scope)
    told: set[tuple[int, int]] = set()
    for one, other in _events_of(own, wrong):
        if (one, other) not in unordered:
            unordered[one, other] = _unordered(look, one, other, scope)
        if not unordered[one, other] or (other, one) in told or (one, other) in seen:
            continue
        firsts, seconds = np.flatnonzero(own.event == one), np.flatnonzero(own.event == other)
        pairs = wrong[np.ix_(firsts, seconds)]
        both = look.events[one], look.events[other]
        apart = keep_apart(*both, own.lane[firsts], own.lane[seconds], scope)
        if apart is not None:
            pairs &= ~apart
        if one == other or look.events[one].site is look.events[other].site:
            same_value = _store_one_value(look, one, other, scope, own.lane)
            # values that are followed may differ by iteration and have been compared
            same_value &= ~np.logical_and.outer(own.known, own.known)
            pairs &= ~same_value[np.ix_(firsts, seconds)]
        if pairs.any():
            told.add((one, other))
            first, second = divmod(int(pairs.argmax()), len(seconds))
            yield int(some[firsts[first]]), int(some[seconds[second]])


def _told_apart(who: Array, lanes: Lanes) -> Array:
    """The first entry of each accessor, kind, value and event."""
    columns = (who, lanes.kind, lanes.value, lanes.event)
    order = np.lexsort(columns)
    begins = np.ones(len(order), bool)
    ordered = [column[order] for column in columns]
    begins[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in ordered])
    return np.sort(order[begins])


def _wrong_pairs(own: Lanes, who: Array, look: _ObjectEvents, scope: str) -> Array:
    """For each two entries whether the first is no read and they are in conflict."""
    writes, atomic = own.kind == WRITE, own.kind == ATOMIC
    equal = np.logical_and.outer(own.known, own.known) & np.equal.outer(own.value, own.value)
    if scope == "grid":
        events = {number: look.events[number] for number in set(own.event.tolist())}
        stores = [(n, event.site) for n, event in events.items() if event.kind == WRITE]
        alike = [n for n, site in stores if look.same_values.in_scope(site, "lane")]
        one_event = np.equal.outer(own.event, own.event) & np.isin(own.event, alike)
        equal |= one_event & np.equal.outer(own.lane, own.lane)
    harmless = np.logical_and.outer(atomic, atomic)
    harmless |= np.logical_and.outer(writes, writes) & equal
    conflicts: Array = np.not_equal.outer(who, who) & ~harmless
    conflicts &= (own.kind != READ)[:, np.newaxis]
    if look.parted is not None:
        conflicts &= ~look.parted[np.ix_(own.event, own.event)]
    return conflicts


def _events_of(own: Lanes, pairs: Array) -> list[tuple[int, int]]:
    """The events that pairs are of, each two once."""
    if not pairs.any():
        return []
    numbers, event = np.unique(own.event, return_inverse=True)
    one, other = np.nonzero(pairs)
    # without the indices, np.unique loads numpy's masked arrays, for which nothing here has a use
    found, _ = np.unique(event[one] * len(numbers) + event[other], return_index=True)
    return [
        (int(numbers[both // len(numbers)]), int(numbers[both % len(numbers)]))
        for both in found.tolist()
    ]


def _unordered(look: _ObjectEvents, first: int, second: int, scope: str) -> bool:
    """Not two on opposite sides of a branch, nor of one thread, nor flags that threads of other
    warps poll or that data sets, nor what is read for a comparison and swap, nor what is atomic."""
    one, other = look.events[first], look.events[second]
    if {one.kind, other.kind} == {READ, ATOMIC} and (
        "cas" in (one.site.hardware_op, other.site.hardware_op)
        or _polls(look, one if one.kind == READ else other)
    ):
        return False
    if look.object.space == "global" and all(map(_is_atomic, (one, other))):
        return False
    if {one.kind, other.kind} == {READ, WRITE} and _is_flag(
        look, one if one.kind == WRITE else other
    ):
        return False
    sides = dict(one.path)
    across = [condition for condition, holds in other.path if sides.get(condition, holds) != holds]
    if any(map(_is_common, across)):
        return False
    if look.branches.part(one.site, other.site, scope):
        return False
    if scope == "grid" and _is_handed_out(look, one, other):
        return False
    if scope != "grid" and _are_of_one_thread(look, one, other, scope):
        return False
    if may_hide_thread(one) or may_hide_thread(other):
        return False
    if scope != "warp" and look.waits.between(one, other) == LIKELY:
        return False
    if scope == "warp" and look.handovers is None:
        return True
    if look.handovers is not None:
        elected = scope == "grid" and all(map(look.handovers.is_of_one_block, (one, other)))
        return not (elected or look.handovers.order(one, other, scope))
    both = one.site.volatile and other.site.volatile
    return not both or one.kind == ATOMIC == other.kind


def _are_of_one_thread(look: _ObjectEvents, one: Event, other: Event, scope: str) -> bool:
    """Whether one thread comes to both, or data may leave one store to one thread."""
    is_one_store = one.site is other.site and one.kind == other.kind == WRITE
    if is_one_store and not one.sure and look.chosen.may_be_one(one.site):
        return True
    return are_of_one_thread(one, other, scope)


def _is_atomic(event: Event) -> bool:
    """Whether it is one access of an atomic object, or updates memory atomically for all blocks."""
    site = event.site
    return site.of_object or (event.kind == ATOMIC and not site.of_block)


def _is_handed_out(look: _ObjectEvents, one: Event, other: Event) -> bool:
    """Whether one store of several blocks may write what blocks of a cluster have handed to each
    other."""
    is_one_store = one.site is other.site and one.kind == WRITE and not one.is_value
    return is_one_store and look.same_values.reach_other_blocks


def _is_common(condition: Condition) -> bool:
    """Not where lanes take sides by values that each of them loads: some one side, some the other."""
    by_lane = any(LANE in key for by in condition.determiners for key in by.parts)
    return condition.reason != "loaded-value" or not by_lane or bool(condition.thresholds)


def _polls(look: _ObjectEvents, read: Event) -> bool:
    """Whether a load looks at what others update atomically, as a whole and anew each time: PTX takes
    `volatile` for relaxed (PTX ISA, Memory Consistency Model)."""
    return look.object.space == "global" and read.site.volatile


def _store_one_value(
    look: _ObjectEvents, first: int, second: int, scope: str, lanes: Array
) -> Array:
    """For each two threads whether these events store the same."""
    one, other = look.events[first], look.events[second]
    shape = (len(lanes), len(lanes))
    if one.site is not other.site or not one.kind == other.kind == WRITE:
        return np.zeros(shape, bool)
    if one.site.op == "copy" or look.same_values.in_scope(one.site, scope):
        return np.ones(shape, bool)
    if scope == "grid":
        return np.zeros(shape, bool)
    return look.same_values.between(one.site, lanes[:, np.newaxis], lanes)


def _changed_by_one(look: _ObjectEvents, lanes: Lanes, race: RacingPair) -> bool:
    """Whether all lanes of a warp load one element of global memory together before one of them
    changes it: `v = *p; if (lane == 0) *p = v + 1`."""
    if look.object.space != "global" or race.kinds != (READ, WRITE) or race.loop is not None:
        return False
    both = {look.events[number].site: number for number in np.unique(lanes.event).tolist()}
    at_once = (look.events[both[site]].offset.parts for site in (race.first, race.second))
    if any(LANE in key for parts in at_once for key in parts):
        return False
    writers = np.unique(lanes.lane[lanes.event == both[race.second]])
    return len(np.unique(writers // look.warp_lanes)) == len(writers)


def _is_flag(look: _ObjectEvents, write: Event) -> bool:
    """Whether data decides that a mark is set in global memory, the same whoever sets it: who reads
    the old one is as right. A sum is no mark: `*count += 1` of two threads may count one."""
    marks = look.object.space == "global" and look.same_values.in_scope(write.site, "grid")
    return marks and not write.sure and write.site not in look.same_values.sums


def _race(
    look: _ObjectEvents, lanes: Lanes, pair: tuple[int, int], scope: str, unit: int, sure: bool
) -> RacingPair:
    one, other = sorted(pair, key=lambda i: int(lanes.event[i]))
    if _in_later_iteration(*(look.events[int(lanes.event[i])] for i in (one, other))):
        one, other = other, one
    first, second = (look.events[int(lanes.event[i])] for i in (one, other))
    return RacingPair(
        look.object,
        scope,
        first.site,
        second.site,
        (first.kind, second.kind),
        (int(lanes.lane[one]), int(lanes.lane[other])),
        (int(lanes.home[one]), int(lanes.home[other])),
        int(lanes.unit[one]) * unit,
        sure and _is_sure(look, lanes, (one, other), (first, second), scope),
        _around(first, second, look.positions),
        (first, second),
    )


def _is_sure(
    look: _ObjectEvents,
    lanes: Lanes,
    pair: tuple[int, int],
    events: tuple[Event, Event],
    scope: str,
) -> bool:
    """Not where what is not modelled may put them in an order, nor where a barrier between them
    orders other memory alone: on most devices it orders all."""
    first, second = events
    if scope != "warp" and look.waits.between(first, second) != NOT_AT_ALL:
        return False
    if scope == "block" and _may_be_parted(look, first, second):
        return False
    if first.kind != second.kind or ATOMIC in (first.kind, second.kind):
        return True
    return _differ(look, lanes, *pair)


def _may_be_parted(look: _ObjectEvents, one: Event, other: Event) -> bool:
    """Whether a barrier of the block that names other memory alone may stand between them."""
    own, beside = "shared", "global"
    if one.target.space != "shared":
        own, beside = beside, own
    if not look.ordered_alone - {own}:
        return False
    passed, then = (event.passed.of_memory(beside)[0] for event in (one, other))
    return bool(common_loops(one, other)) or not same(passed, then)


def _differ(look: _ObjectEvents, lanes: Lanes, one: int, other: int) -> bool:
    """Whether two stores surely write different values: what tells them apart is known, no lanes
    exchange them and no call that is not followed makes them."""
    events = [look.events[int(lanes.event[at])] for at in (one, other)]
    if all(event.is_value for event in events):
        return True
    is_known = all(event.value is not None for event in events)
    return (
        is_known
        and not look.exchanges
        and all(map(look.same_values.are_followed, (e.site for e in events)))
    )


def _in_later_iteration(one: Event, other: Event) -> bool:
    """Of two events of one loop that threads make between the same barriers, whether the first is
    of the later iteration: it has fewer barriers before it in its own."""
    before, after = (e.passed.of_memory(e.target.space)[0].const for e in (one, other))
    return bool(common_loops(one, other)) and before < after


def _around(first: Event, second: Event, positions: Positions) -> ir.Loop | None:
    """The loop in whose next iteration the second is executed: it does not stand behind the first."""
    common = common_loops(first, second)
    in_order = first.site is not second.site and positions[second.site] >= positions[first.site]
    if not common or in_order:
        return None
    return None if second.site is first.site and second.kind == WRITE else common[-1]
