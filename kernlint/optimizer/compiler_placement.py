"""Shared variables that lie beside each other: nvcc joins accesses to them, as it joins those to
elements of one array.

In: the walk of a kernel. Out: the accesses that may be joined so. Read in nvcc 13's machine code
for sm_90 (66 kernels): of `__shared__ float mean, scale;` both are stored by one STS.64 where
straight code stores both, and loaded by one LDS.64; so are `s[31]` and a scalar behind `float
s[32]`, and two `double`. What the order of the variables is in memory, and which are left, kernlint
does not know. What keeps elements of one array apart keeps these apart, too: a barrier, another
width, an index that is no constant; of stores also a division between them, or what else branches
for rare operands.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator

from kernlint.ir import nodes as ir
from kernlint.optimizer.compiler_facts import WIDEST, Risk
from kernlint.optimizer.compiler_forms import Atoms
from kernlint.optimizer.compiler_state import Entry, relation
from kernlint.optimizer.compiler_walk import Walker

BESIDE = (
    "shared variables that lie beside each other may be accessed together, {} or more bytes at once"
)


def placed_together(walker: Walker) -> Iterator[tuple[ir.AccessSite, Risk]]:
    atoms = walker.atoms
    indexed = {
        e.memory
        for e in walker.log
        if e.memory is not None and not _at_fixed_place(e, e.memory, atoms)
    }
    near = [
        i
        for i in walker.instances
        if not i.forwarded and _may_have_neighbours(i.entry, indexed, atoms)
    ]
    places = {id(e): place for place, e in enumerate(walker.log)} if len(near) > 1 else {}
    alike: dict[tuple[object, ...], list[Entry]] = defaultdict(list)
    for i in near:
        blocks = bisect_right(walker.parted, places.get(id(i.entry), 0)) if i.entry.store else 0
        alike[i.entry.store, i.entry.width, i.fences, blocks].append(i.entry)
    for entries in (some for some in alike.values() if len({e.memory for e in some}) > 1):
        for e in entries:
            if any(other.memory is not e.memory and _meet(e, other) for other in entries):
                yield e.site, Risk("merged", False, (0, 1), BESIDE.format(2 * e.width))


def _at_fixed_place(e: Entry, memory: ir.MemoryObject, atoms: Atoms) -> bool:
    return e.form.terms == atoms.atom(("object", memory)).terms


def _may_have_neighbours(e: Entry, indexed: set[ir.MemoryObject], atoms: Atoms) -> bool:
    """Whether an access is one at a fixed place, so near to an end of its variable that another one
    may lie in the same 16 bytes. Of an array that no index changes (not `indexed`) only what is
    accessed is left."""
    memory = e.memory
    if (
        memory is None
        or memory.space != "shared"
        or memory.dynamic
        or e.site.volatile
        or e.site.op not in ("load", "store")
    ):
        return False
    if not _at_fixed_place(e, memory, atoms) or e.width >= WIDEST:
        return False
    start = e.form.constant + e.first
    near = start < WIDEST - e.width or (memory.size or WIDEST) - start - e.size < WIDEST - e.width
    return near or memory not in indexed


def _meet(one: Entry, other: Entry) -> bool:
    """Whether both are made on one way: of stores under the same conditions."""
    there, back = relation(one.path, other.path), relation(other.path, one.path)
    return bool(there and back) if one.store else bool(there or back)
