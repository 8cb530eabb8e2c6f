"""Accesses that other ones of the same object keep from being joined: what their addresses are
computed from, and in which order.

In: the walk of a kernel and neighbours of it. Out: whether nvcc joins them otherwise than their
places alone say. Read in its machine code.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from kernlint.ir import nodes as ir
from kernlint.ir.types import Array
from kernlint.optimizer.compiler_forms import Form, evaluated
from kernlint.optimizer.compiler_state import Entry, Instance
from kernlint.optimizer.compiler_walk import Walker

PAIR = 8  # bytes
MOST_INDICES = 200  # of one array, of which each two are held against a third


def in_steps(instances: Iterable[Instance]) -> set[ir.AccessSite]:
    """Accesses of shared arrays whose address lies a step behind that of an earlier access, and a
    step before that of a later one: nvcc adds the step, and no longer sees how the sum is aligned
    (read in machine code, 640 kernels: with `s[t]` before and `s[3 * t]` behind them, `s[2 * t]`
    and `s[2 * t + 1]` are two loads; not in an array that is declared aligned)."""
    known: dict[ir.MemoryObject, dict[Form, tuple[int, int, set[ir.AccessSite]]]] = defaultdict(
        dict
    )
    for n, i in enumerate(instances):
        memory = i.entry.memory
        if memory is not None and memory.space == "shared" and memory.align < PAIR:
            terms = Form(i.entry.form.terms)
            first, _, sites = known[memory].get(terms, (n, n, set()))
            known[memory][terms] = first, n, sites | {i.entry.site}
    found: set[ir.AccessSite] = set()
    for every in known.values():
        for terms, (first, last, sites) in every.items() if 2 < len(every) <= MOST_INDICES else ():
            steps = (
                (terms - before, begun) for before, (begun, _, _) in every.items() if begun < first
            )
            if any(
                (behind := every.get(terms + step)) is not None and behind[1] > last
                for step, _ in steps
            ):
                found |= sites
    return found


def from_sums(walker: Walker) -> set[ir.AccessSite]:
    """Accesses of shared arrays whose index is an earlier one, also of another array, plus a
    multiple of one value in both: nvcc adds that multiple to the sum that it has, and no longer
    sees how what comes of it is aligned (machine code of 19 kernels: with `s[y * 64 + t]` before
    them, `s[y * 64 + 2 * t]` and `s[y * 64 + 2 * t + 1]` are two loads, and so they are with `s[t +
    256]` and `s[2 * t + 256]`; not in arrays of arrays, whose indices are no sum, but for the same
    constant)."""
    begun: dict[Form, dict[int, int]] = defaultdict(
        dict
    )  # indices in no unrolled loop: terms → constant → the first
    ended: dict[tuple[ir.MemoryObject, Form], dict[int, int]] = defaultdict(
        dict
    )  # of those to shared memory: the last
    sites: dict[tuple[ir.MemoryObject, Form], set[ir.AccessSite]] = defaultdict(set)
    for n, i in enumerate(walker.instances):
        memory, index = i.entry.memory, _index(i.entry, walker)
        if memory is not None and index is not None:
            terms = Form(index.terms)
            if not i.turns:  # what only unrolling makes constant is no part of a sum (measured)
                begun[terms].setdefault(index.constant, n)
            if memory.space == "shared":
                ended[memory, terms][index.constant] = n
                sites[memory, terms].add(i.entry.site)
    found: set[ir.AccessSite] = set()
    for (memory, terms), last in ended.items() if len(begun) <= MOST_INDICES else ():
        nested = isinstance(memory.type, Array) and isinstance(memory.type.element, Array)
        for other, first in begun.items():
            same = any(c and c in last and n < last[c] for c, n in first.items())
            before = min(first.values()) < max(last.values())
            if (same or (before and not nested)) and _is_made_of(terms, other, same):
                found |= sites[memory, terms]
    return found


def _index(entry: Entry, walker: Walker) -> Form | None:
    """The index of an access, in elements from the start of its array."""
    atoms = walker.atoms
    width, terms = (
        entry.width,
        [
            (m, c)
            for m, c in entry.form.terms
            if not (len(m) == 1 and atoms.keys[m[0]][0] == "object")
        ],
    )
    if (
        any(c % width for _, c in terms)
        or entry.form.constant % width
        or len(terms) == len(entry.form.terms)
    ):
        return None
    return Form(tuple((m, c // width) for m, c in terms), entry.form.constant // width)


def _is_made_of(terms: Form, before: Form, same: bool) -> bool:
    """Whether nvcc may make an index of one before. `same`: their constants are, and not zero."""
    apart = (terms - before).terms
    if len(apart) != 1 or not (same or set(terms.terms) & set(before.terms)):
        return False
    (monomial, step) = apart[0]
    own = evaluated(Form(terms.terms)).alignment
    return any(m == monomial for m, _ in terms.terms) and step & -step < own


def is_interrupted(walker: Walker, group: list[Instance], slots: list[int]) -> bool:
    """Whether a load a constant distance away stands where a member is left out, of members in
    their order: then the gap is not bridged (read in machine code: `f(q[i].x, q[i].y, q[i + 32].z,
    q[i].w)` loads `q[i]` by 8 and by 4 bytes, without the third by 16)."""
    own, gap = (
        group[0].entry,
        next((n for n in range(len(slots) - 1) if slots[n + 1] == slots[n] + 2), None),
    )
    if gap is None or own.store or slots != sorted(slots):
        return False
    first, last = (
        next(n for n, i in enumerate(walker.instances) if i is group[at]) for at in (gap, gap + 1)
    )
    between = (i.entry for i in walker.instances[first + 1 : last] if not i.entry.store)
    return any(e.memory is own.memory and e.form.terms == own.form.terms for e in between)


def is_shifted(walker: Walker, entry: Entry, size: int) -> bool:
    """Whether an address is a difference with a constant that shifts it within aligned blocks: the
    register holds both, and nvcc sees the neighbours apart from the first one's (read in machine
    code: `s[127 - 2 * t] + s[126 - 2 * t]` are two loads)."""
    if all(coefficient >= 0 for _, coefficient in entry.form.terms):
        return False
    every = (
        i.entry
        for i in walker.instances
        if i.entry.memory is entry.memory and i.entry.form.terms == entry.form.terms
    )
    return any((first.form.constant + first.first) % size for first in (next(every),))
