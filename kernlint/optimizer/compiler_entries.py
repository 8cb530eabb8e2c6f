"""What of earlier accesses is still known after a store, a load, a barrier, or where control joins.

In: entries and an access. Out: the entries after it. An entry stays a source of its value until
something may write its bytes, and a neighbour to join with as long as nothing keeps the later
access from moving up to it (loads) or it from moving down (stores). Pure functions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kernlint.base.dataclass import replace
from kernlint.ir import nodes as ir
from kernlint.optimizer.compiler_alias import Aliases
from kernlint.optimizer.compiler_live import Live, Registry, State, in_order
from kernlint.optimizer.compiler_memory import HINTED, Memory
from kernlint.optimizer.compiler_state import Entry, distance, relation

# nvcc takes its value not to change; that of other functions with a hint may with any store to
# global memory or barrier
CONSTANT = "__ldg"
MOST_LOST = 4  # branches that overwrite a value on one way, behind which it is of no use any more
MOST_SINCE = 8  # stores that may have written a load's bytes and are held against its neighbours


def after_store(entries: Live, stored: Entry, aliases: Aliases) -> Live:
    """What remains valid after a store (or an atomic)."""
    entries = entries.own()
    met = entries.neighbours(None if stored.memory is None else stored.memory.space)
    beside = False
    for family in tuple(entries.members.by):
        reach = _reach(entries.register, family, stored, aliases)
        beside |= reach == LINE
        if reach >= OPEN:
            index = entries.members if reach == ALL else entries.open
            met += entries.of(index.get(family))
    if beside:
        met += [e for e in entries.beside(stored) if not e.hint]
    for e in {e.number: e for e in met}.values():
        entries.change(e, _written(e, stored, aliases))
    return entries


# which accesses of a family a store may change: none, those whose bytes it writes, those with a
# value to overwrite, all
NOTHING, LINE, OPEN, ALL = range(4)


def _reach(register: Registry, family: int, stored: Entry, aliases: Aliases) -> int:
    key = family, stored.family, stored.size
    found = register.reach.get(key)
    if found is None:
        found = register.reach[key] = _reached(register.first[family], stored, aliases)
    return found


def _reached(e: Entry, stored: Entry, aliases: Aliases) -> int:
    if e.hint:
        return NOTHING if e.hint == CONSTANT else ALL
    if e.memory is not None and stored.memory is not None and e.memory.space != stored.memory.space:
        return NOTHING
    if e.line == stored.line:
        return LINE
    if e.memory is not stored.memory and _in_global(stored) and _broken(e, aliases.memory):
        return ALL
    return OTHERS[aliases.apart(e, stored)]


OTHERS = {"none": NOTHING, "may": OPEN, "perhaps none": ALL, "some": ALL}


def _written(e: Entry, stored: Entry, aliases: Aliases) -> Entry | None:
    if (
        not e.hint
        and e.memory is not None
        and stored.memory is not None
        and e.memory.space != stored.memory.space
    ):
        return e
    if e.hint == CONSTANT:
        return e
    if e.hint and not e.store:
        inside = stored.memory is not None and stored.memory.space in ("shared", "local")
        return _doubted(e) if inside else None
    how = aliases.between(e, stored)
    e = _followed(e, stored)
    if how == "none":
        return (
            _doubted(e)
            if _broken(e, aliases.memory) and _in_global(stored) and e.memory is not stored.memory
            else e
        )
    if how == "perhaps none":
        return _doubted(e)
    if e.store and how == "some":
        return None
    if not (e.pending or e.near):
        return None
    return replace(e, forward=False) if e.forward else e


def _doubted(e: Entry) -> Entry:
    return e if e.doubtful else replace(e, doubtful=True)


def _followed(e: Entry, later: Entry) -> Entry:
    """With an access that may keep it from being joined with a neighbour."""
    if not e.near or (
        e.memory is not None and later.memory is not None and e.memory.space != later.memory.space
    ):
        return e
    room = e.align > e.width and len(e.since) < MOST_SINCE
    return replace(e, since=(*e.since, later)) if room else replace(e, near=False, since=())


def after_load(
    entries: Live, loaded: Entry, aliases: Aliases, beside: Sequence[Entry] | None = None
) -> Live:
    """Pending stores that the load, or a function of assembly that is handed its pointer, may read
    are needed from now on. `beside`: what lies beside it."""

    if loaded.hint == CONSTANT or not entries.stores:
        return entries

    def read(e: Entry) -> Entry:
        how = (
            "may"
            if loaded.hint and aliases.memory.overlap(e.memory, loaded.memory)
            else aliases.between(e, loaded)
        )
        e = _followed(e, loaded)
        if how == "some" and _serves(e, loaded):
            return replace(e, served=True)
        if (
            how == "perhaps none"
        ):  # then a later store may make it unnecessary (measured: 5 of 8 ways to write such addresses)
            return _doubted(e)
        return e if how == "none" or not e.pending else replace(e, pending=False)

    entries = entries.own()
    met = entries.neighbours(None if loaded.memory is None else loaded.memory.space, (True,))
    for family in tuple(entries.pending.by):
        first = entries.register.first[family]
        if not aliases.memory.overlap(first.memory, loaded.memory):
            continue
        if first.line != loaded.line or loaded.hint:
            met += entries.of(entries.pending.get(family))
    met += entries.beside(loaded) if beside is None else beside
    for e in {e.number: e for e in met if e.store and (e.pending or e.near)}.values():
        entries.change(e, read(e))
    for number in tuple(entries.spent.get(0)):
        entries.drop(number)
    return entries


def _serves(stored: Entry, loaded: Entry) -> bool:
    """Whether the load may take all its bytes from the register that was stored, and so need not
    keep the store."""
    apart = distance(stored, loaded)
    inside = apart is not None and apart >= 0 and apart + loaded.size <= stored.size
    return (
        inside
        and stored.forward
        and not loaded.site.volatile
        and relation(stored.path, loaded.path) in ("always", "same")
    )


def is_fence(s: ir.Statement) -> bool:
    """Whether other threads' writes may be seen behind a statement, or nvcc knows no better
    (machine code of 63 kernels with `printf`, `assert`, `__nanosleep` and the like between loads,
    stores and neighbours)."""
    return isinstance(s, ir.Barrier) or (isinstance(s, ir.Taken) and s.how == "called")


def after_barrier(entries: Live, memory: Memory) -> Live:
    entries = entries.own()
    for family, numbers in tuple(entries.members.by.items()):
        first = entries.register.first[family]
        stays = first.hint == CONSTANT or (not first.hint and memory.passes_barriers(first.memory))
        if stays and not _broken(first, memory):
            continue
        known = stays or (not first.hint and memory.promises.about(first.memory))
        for e in entries.of(numbers):
            entries.change(e, _doubted(e) if known else None)
    return entries


def after_function(entries: Live) -> Live:
    """Pending stores that a later one may not replace, since a function with ways of its own stands
    between."""
    entries = entries.own()
    for numbers in tuple(entries.pending.by.values()):
        for e in entries.of(numbers):
            entries.change(e, e if e.served or not e.store else replace(e, served=True))
    return entries


def _broken(e: Entry, memory: Memory) -> bool:
    """Whether a promise about its pointer holds no more: see `Memory.broken`."""
    return not e.hint and _in_global(e) and memory.broken(e.memory)


def _in_global(e: Entry) -> bool:
    return e.memory is None or e.memory.space == "global"


def still_near(entries: Live, s: ir.Statement) -> Live:
    """What is known when a statement begins that later accesses may be joined with neighbours
    across, or may not."""
    if not _bars_joining(s):
        return entries
    entries = entries.own()
    for e in entries.neighbours("global"):
        if not e.hint:
            entries.put(replace(e, near=False, since=()))
    return entries


def _bars_joining(s: ir.Statement) -> bool:
    """Whether nvcc moves no access to global memory across a statement to join it with a neighbour,
    whatever is promised: exchanges of lanes, atomics, assembly, the clock, functions with a hint
    (measured: 14 of them, each between loads and between stores; shared memory is joined later and
    across them)."""
    if isinstance(s, (ir.Load, ir.Store)):
        return HINTED.match(s.site.text) is not None and not s.site.text.startswith(CONSTANT)
    if isinstance(s, ir.Assign):
        return s.variable.name == ir.ASSEMBLY or (
            isinstance(s.value, ir.Unknown) and s.value.reason == "clock"
        )
    return isinstance(s, (ir.Shuffle, ir.Vote, ir.Atomic, ir.Taken))


def after_call(entries: Live, memory: Memory) -> Live:
    """A fence, or an atomic addition of floats, is a call for nvcc: a promise that other pointers
    do not write there does not hold for it (measured with `float *__restrict__ o, const float *q`:
    q[i] is loaded again behind these, not behind __syncthreads)."""
    return _all_doubted(entries, lambda first: _promised(first, memory))


def after_exchange(entries: Live, memory: Memory) -> Live:
    """What is known after lanes have exchanged values in a loop: nvcc takes it for a call that may
    write what is not constant (measured with shuffles and votes; in straight code it does not)."""
    return _all_doubted(entries, lambda first: not memory.immutable(first.memory))


def _all_doubted(entries: Live, which: Callable[[Entry], bool]) -> Live:
    """Families of which `which` holds are in doubt."""
    entries = entries.own()
    for family, numbers in tuple(entries.members.by.items()):
        if which(entries.register.first[family]):
            for e in entries.of(numbers):
                entries.change(e, _doubted(e))
    return entries


def _promised(e: Entry, memory: Memory) -> bool:
    return (
        _in_global(e)
        and not e.hint
        and e.memory not in memory.restricted
        and memory.immutable(e.memory)
        and bool(memory.written)
    )


def joined_entries(memory: Memory, before: Live, *ends: Live) -> Live:
    """What was valid before and survives every way, or all but one (a load of it behind may be made
    at the end of that way alone: measured with `x = q[i]; if (n) o[i] = 1; y = q[i];`, and not
    where two ways or a loop write); what a way added is kept (a load on one way may serve a later
    one)."""
    before.freeze()
    touched = [end.since(before) for end in ends]
    made = [
        in_order(end.all[n] for n in some if n in end.all and n not in before.all)
        for end, some in zip(ends, touched, strict=True)
    ]
    most = _longest(made)
    result = before.own() if most is None else ends[most].freeze().own()
    for number in dict.fromkeys(number for some in touched for number in some):
        e = before.all.get(number)
        if e is not None:
            result.become(e, _survivor(e, [end.all.get(number) for end in ends]))
    for way, some in enumerate(made):
        if way == most:
            continue
        is_earlier = most is not None and way < most
        for e in some:
            other = result.all.get(e.number)
            if is_earlier:
                result.insert(e if other is None else _met(other, e), e)
            else:
                result.put(e if other is None else _met(e, other))
    return past(result, memory)


def _longest(made: Sequence[Sequence[Entry]]) -> int | None:
    """The way that makes most, of which the accesses stand in order behind those of the ways before
    it: only what the others make is added. So the arms of a long chain are not added again by each
    of the branches around them."""
    most = max(range(len(made)), key=lambda way: len(made[way]), default=None)
    if most is None:
        return None
    earlier = [some[-1].placed for some in made[:most] if some]
    in_order = not earlier or (earlier == sorted(earlier) and earlier[-1] < made[most][0].placed)
    return most if made[most] and in_order else None


def _survivor(e: Entry, ends: list[Entry | None]) -> Entry | None:
    lost = ends.count(None)
    if lost and not (lost == 1 and len(ends) > 1 and e.forward and e.lost < MOST_LOST):
        return None
    left = replace(completed(e), lost=e.lost + 1) if lost else e
    for end in ends:
        left = left if end is None else _met(end, left)
    return left


def outlasting(s: ir.Loop, before: Live, first: State) -> Live:
    """What every iteration of a loop finds of what was known before it. `first`: what is known
    after a first one: a value that it may overwrite is at hand in it alone (measured: `x = q[i];
    for (k = 0; k < n; k++) o[i + k] = q[i];` loads in every iteration), unless it leaves the
    place's new value (`q[i] = 0; for (k = 0; k < n; k++) q[i] += r[k];`)."""
    touched = first.entries.since(before)
    inside = before.register.inside.get(s, {})
    made = in_order(first.entries.all[n] for n in inside if n in first.entries.all)
    valid = [x for x in made if x.forward and not x.partial and x.path == first.path]
    renewed = {_bytes(x): x for x in valid}
    result = before.own()
    met = {n: before.all[n] for n in touched if n in before.all}
    for x in renewed.values():
        met |= {e.number: e for e in before.beside(x) if _bytes(e) == _bytes(x)}
    for number, e in met.items():
        left = first.entries.all.get(number)
        if left is None or not left.forward or left.partial:
            left = renewed.get(_bytes(e))
        if left is not None:
            result.change(e, _doubted(e) if left.doubtful else e)
        elif e.forward:
            result.put(replace(e, partial=True))
    return result


def _bytes(e: Entry) -> tuple[object, ...]:
    return e.memory, e.form, e.first, e.size


def past(entries: Live, memory: Memory) -> Live:
    """In and behind a branch or loop: a load with a hint may be made again there (measured: in and
    behind loops, also those of `sinf`)."""
    if not memory.hinted:
        return entries
    entries = entries.own()
    for family, numbers in tuple(entries.members.by.items()):
        if _made_again(entries.register.first[family], memory):
            for e in entries.of(numbers):
                entries.change(e, e if e.store else _doubted(e))
    return entries


def _made_again(e: Entry, memory: Memory) -> bool:
    return e.hint not in ("", CONSTANT) or _broken(e, memory)


def completed(e: Entry) -> Entry:
    """An access of which the value is at hand on some ways, where others may have overwritten
    it."""
    if e.partial and not (e.pending or e.near):
        return e
    return replace(e, pending=False, near=False, partial=True)


def _met(one: Entry, other: Entry) -> Entry:
    """An access as two ways leave it."""
    if one is other:
        return one
    forward, pending = one.forward and other.forward, one.pending and other.pending
    served, near = one.served or other.served, one.near and other.near
    doubtful, partial = one.doubtful or other.doubtful, one.partial or other.partial
    lost = max(one.lost, other.lost)
    if (forward, pending, served) == (one.forward, one.pending, one.served) and (
        near,
        doubtful,
        partial,
        lost,
    ) == (one.near, one.doubtful, one.partial, one.lost):
        return one
    return replace(
        one,
        forward=forward,
        pending=pending,
        served=served,
        near=near,
        doubtful=doubtful,
        partial=partial,
        lost=lost,
    )


def after_clobber(entries: Live) -> Live:
    """Nothing is known behind a call that may write anything."""
    return without(entries, lambda first: True)


def without(entries: Live, which: Callable[[Entry], bool]) -> Live:
    """Without the families of which `which` holds."""
    entries = entries.freeze().own()
    for family, numbers in tuple(entries.members.by.items()):
        if which(entries.register.first[family]):
            for number in tuple(numbers):
                entries.drop(number)
    return entries


def with_earlier(entries: Live, shifted: list[Entry]) -> Live:
    """What an iteration finds, `shifted` before all that was known before the loop."""
    entries = entries.own()
    first = entries.register.before(len(shifted))
    for place, e in enumerate(shifted, first):
        known = entries.all.get(e.number, e)
        entries.set(replace(known, placed=place))
    return entries
