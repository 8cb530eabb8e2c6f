"""What the compiler may know at a point: values of variables, and which accesses' results are still in registers.

In: accesses in program order. Out: `State`s that join where control joins. An entry survives until something may write its bytes.
Pure functions; a state is never changed in place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from kernlint.execution.compiler_forms import Form
from kernlint.execution.compiler_memory import Memory
from kernlint.lowering import ir
from kernlint.records import dataclass


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the way to a statement: an arm of a branch, or a loop's body (`condition` None)."""

    condition: Form | None
    side: bool
    statement: ir.If | ir.Loop


Path = tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """An access that a later one may reuse. `first`, `size`: bytes from `form`. `forward`: its value is still valid in a register;
    `pending`: a store that nothing may have read yet; `back`: the counter (an atom) of the loop of whose earlier iterations it stems."""

    site: ir.AccessSite
    form: Form
    first: int
    size: int
    memory: ir.MemoryObject | None
    store: bool
    path: Path
    width: int
    align: int
    forward: bool = True
    pending: bool = False
    back: int | None = None

    @property
    def key(self) -> tuple[object, ...]:
        return (self.site, self.form, self.store, self.back)


Entries = Mapping[tuple[object, ...], Entry]


@dataclass(frozen=True, slots=True)
class Instance:
    """One copy of an access in unrolled code. `turns`: iterations of the unrolled loops around it; `block`: accesses with the same one
    lie in one stretch of straight code; `fences`: barriers and unknown calls before it."""

    entry: Entry
    turns: tuple[tuple[ir.Loop, int], ...]
    block: tuple[int, ...]
    fences: int
    forwarded: bool = False


@dataclass(frozen=True, slots=True)
class State:
    held: Mapping[ir.Variable, Form]
    entries: Entries
    path: Path


def relation(earlier: Path, later: Path) -> str:
    """How the ways to two accesses relate: "always" (the earlier one has run whenever the later runs), "same" (its conditions are
    among the later one's), "part" (the later one's are among its), "" (unrelated)."""
    common = 0
    while common < min(len(earlier), len(later)) and earlier[common] == later[common]:
        common += 1
    own = {(s.condition, s.side) for s in earlier[common:] if s.condition is not None}
    other = {(s.condition, s.side) for s in later[common:] if s.condition is not None}
    return "always" if not own else "same" if own <= other else "part" if other <= own else ""


def distance(a: Entry, b: Entry) -> int | None:
    """Bytes from the start of `a` to the start of `b`, where it is a constant."""
    apart = b.form.distance(a.form)
    return None if apart is None else apart + b.first - a.first


def overlaps(a: Entry, b: Entry, apart: int) -> bool:
    return -b.size < apart < a.size


def after_store(entries: Entries, stored: Entry, memory: Memory) -> Entries:
    """What remains valid after a store (or an atomic)."""
    result = {}
    for k, e in entries.items():
        left = _written(e, stored, memory)
        if left is not None:
            result[k] = left
    return result


def _written(e: Entry, stored: Entry, memory: Memory) -> Entry | None:
    if not memory.overlap(e.memory, stored.memory):
        return e
    apart = distance(e, stored)
    if apart is not None and e.memory is stored.memory:
        return None if overlaps(e, stored, apart) else e
    return replace(e, forward=False) if e.pending else None


def after_load(entries: Entries, loaded: Entry, memory: Memory) -> Entries:
    """Pending stores that the load may read are needed from now on."""
    def read(e: Entry) -> Entry:
        if not e.pending or not memory.overlap(e.memory, loaded.memory):
            return e
        apart = distance(e, loaded)
        return e if apart is not None and e.memory is loaded.memory and not overlaps(e, loaded, apart) else replace(e, pending=False)

    if not any(e.pending for e in entries.values()):
        return entries
    return {k: r for k, r in ((k, read(e)) for k, e in entries.items()) if r.forward or r.pending}


def after_barrier(entries: Entries, memory: Memory) -> Entries:
    return {k: e for k, e in entries.items() if memory.passes_barriers(e.memory)}


def joined_entries(before: Entries, *ends: Entries) -> Entries:
    """What was valid before must survive every way (nvcc does not complete what a barrier or store on one way killed); what a way
    added is kept (a load on one way may serve a later one)."""
    result = {k: e for k, e in before.items() if all(k in end for end in ends)}
    for end in ends:
        for k, e in end.items():
            if k in result:
                other = result[k]
                result[k] = replace(e, forward=e.forward and other.forward, pending=e.pending and other.pending)
            elif k not in before:
                result[k] = e
    return result
