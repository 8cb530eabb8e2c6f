"""What of earlier accesses is still known after a store, a load, a barrier, or where control joins.

In: entries and an access. Out: the entries after it. An entry stays a source of its value until
something may write its bytes, and a neighbour to join with as long as nothing keeps the later
access from moving up to it (loads) or it from moving down (stores). Pure functions.
"""

from __future__ import annotations

from dataclasses import replace

from kernlint.ir import nodes as ir
from kernlint.optimizer.compiler_alias import Aliases
from kernlint.optimizer.compiler_memory import HINTED, Memory
from kernlint.optimizer.compiler_state import Entries, Entry, State, distance, overlaps, relation

# nvcc takes its value not to change; that of other functions with a hint may with any store to
# global memory or barrier
CONSTANT = "__ldg"
MOST_SINCE = 8  # stores that may have written a load's bytes and are held against its neighbours


def after_store(entries: Entries, stored: Entry, aliases: Aliases) -> Entries:
    """What remains valid after a store (or an atomic)."""
    result = {}
    others: dict[int, bool] = {}  # of another object: whether nothing there is written
    for k, e in entries.items():  # hundreds in an unrolled loop
        if not e.near and not e.hint:
            if e.memory is stored.memory:
                apart = distance(e, stored)
                if apart is not None and not overlaps(e, stored, apart):
                    result[k] = e
                    continue
            else:
                passed = others.get(id(e.memory))
                if passed is None:
                    passed = others[id(e.memory)] = _passes(e, stored, aliases.memory)
                if passed:
                    result[k] = e
                    continue
        left = _written(e, stored, aliases)
        if left is not None:
            result[k] = left
    return result


def _passes(e: Entry, stored: Entry, memory: Memory) -> bool:
    """Whether a store leaves all accesses to another object as they are."""
    if e.memory is not None and stored.memory is not None and e.memory.space != stored.memory.space:
        return True
    told = _in_global(stored) and _broken(e, memory)
    return not told and not memory.overlap(e.memory, stored.memory)


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


def after_load(entries: Entries, loaded: Entry, aliases: Aliases) -> Entries:
    """Pending stores that the load, or a function of assembly that is handed its pointer, may read
    are needed from now on."""

    if loaded.hint == CONSTANT or not any(e.store for e in entries.values()):
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

    result = {}
    for k, e in entries.items():  # hundreds in an unrolled loop
        left = read(e) if e.store and (e.pending or e.near) else e
        if left.forward or left.pending or left.near:
            result[k] = left
    return result


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


def after_barrier(entries: Entries, memory: Memory) -> Entries:
    result = {}
    for k, e in entries.items():
        stays = e.hint == CONSTANT or (not e.hint and memory.passes_barriers(e.memory))
        if stays or (not e.hint and memory.promises.about(e.memory)):
            result[k] = e if stays and not _broken(e, memory) else _doubted(e)
    return result


def after_function(entries: Entries) -> Entries:
    """Pending stores that a later one may not replace, since a function with ways of its own stands
    between."""
    return {k: replace(e, served=True) if e.store and e.pending else e for k, e in entries.items()}


def _broken(e: Entry, memory: Memory) -> bool:
    """Whether a promise about its pointer holds no more: see `Memory.broken`."""
    return not e.hint and _in_global(e) and memory.broken(e.memory)


def _in_global(e: Entry) -> bool:
    return e.memory is None or e.memory.space == "global"


def still_near(entries: Entries, s: ir.Statement) -> Entries:
    """What is known when a statement begins that later accesses may be joined with neighbours
    across, or may not."""
    if not _bars_joining(s):
        return entries
    return {
        k: replace(e, near=False, since=()) if e.near and not e.hint and _in_global(e) else e
        for k, e in entries.items()
    }


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


def after_call(entries: Entries, memory: Memory) -> Entries:
    """A fence, or an atomic addition of floats, is a call for nvcc: a promise that other pointers
    do not write there does not hold for it (measured with `float *__restrict__ o, const float *q`:
    q[i] is loaded again behind these, not behind __syncthreads)."""
    return {k: _doubted(e) if _promised(e, memory) else e for k, e in entries.items()}


def _promised(e: Entry, memory: Memory) -> bool:
    return (
        _in_global(e)
        and not e.hint
        and e.memory not in memory.restricted
        and memory.immutable(e.memory)
        and bool(memory.written)
    )


def joined_entries(memory: Memory, before: Entries, *ends: Entries) -> Entries:
    """What was valid before and survives every way, or all but one (a load of it behind may be made
    at the end of that way alone: measured with `x = q[i]; if (n) o[i] = 1; y = q[i];`, and not
    where two ways or a loop write); what a way added is kept (a load on one way may serve a later
    one)."""
    result = {}
    for k, e in before.items():
        lost = sum(k not in end for end in ends)
        if not lost:
            result[k] = e
        elif lost == 1 and len(ends) > 1 and e.forward:
            result[k] = completed(e)
    for end in ends:
        for k, e in end.items():
            if k in result:
                result[k] = _met(e, result[k])
            elif k not in before:
                result[k] = e
    return past(result, memory)


def outlasting(before: Entries, first: State) -> Entries:
    """What every iteration of a loop finds of what was known before it. `first`: what is known
    after a first one: a value that it may overwrite is at hand in it alone (measured: `x = q[i];
    for (k = 0; k < n; k++) o[i + k] = q[i];` loads in every iteration), unless it leaves the
    place's new value (`q[i] = 0; for (k = 0; k < n; k++) q[i] += r[k];`)."""
    valid = [
        x for x in first.entries.values() if x.forward and not x.partial and x.path == first.path
    ]
    renewed = {(x.memory, x.form, x.first, x.size): x for x in valid}
    result = {}
    for k, e in before.items():
        left = first.entries.get(k)
        if left is None or not left.forward or left.partial:
            left = renewed.get((e.memory, e.form, e.first, e.size))
        if left is None:
            result[k] = replace(e, partial=True) if e.forward else e
        else:
            result[k] = replace(e, doubtful=True) if left.doubtful and not e.doubtful else e
    return result


def past(entries: Entries, memory: Memory) -> Entries:
    """In and behind a branch or loop: a load with a hint may be made again there (measured: in and
    behind loops, also those of `sinf`)."""
    return {k: _past(e, memory) for k, e in entries.items()}


def _past(e: Entry, memory: Memory) -> Entry:
    if e.store or e.doubtful:
        return e
    again = e.hint not in ("", CONSTANT) or _broken(e, memory)
    return replace(e, doubtful=True) if again else e


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
    if (forward, pending, served) == (one.forward, one.pending, one.served) and (
        near,
        doubtful,
        partial,
    ) == (one.near, one.doubtful, one.partial):
        return one
    return replace(
        one,
        forward=forward,
        pending=pending,
        served=served,
        near=near,
        doubtful=doubtful,
        partial=partial,
    )
