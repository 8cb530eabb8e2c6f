"""Elements of shared arrays that nothing loads, where every place is a constant.

In: the walk of a kernel. Out: risks by access site.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from kernlint.ir import nodes as ir
from kernlint.optimizer.compiler_facts import Risk
from kernlint.optimizer.compiler_state import Entry
from kernlint.optimizer.compiler_walk import Walker

UNREAD_ELEMENT = "an element beside it is never loaded, nor need it be stored"


def unread_elements(walker: Walker) -> Iterator[tuple[ir.AccessSite, Risk]]:
    """Stores to shared arrays that are accessed at constant places only, where one of these is
    never loaded: nvcc takes the elements for variables of their own, and drops that one (measured:
    of `s[0]` to `s[3]`, stored together, one store of 8 bytes and one of 4 are left)."""
    places: dict[ir.MemoryObject, list[Entry]] = defaultdict(list)
    for entry in walker.log:
        if entry.memory is not None and entry.memory.space == "shared":
            places[entry.memory].append(entry)
    for memory, entries in places.items():
        base = walker.atoms.atom(("object", memory)).terms
        if any(e.form.terms != base for e in entries):
            continue
        read = {byte for e in entries if e.site.op != "store" for byte in _bytes(e)}
        dead = {e.site for e in entries if e.site.op == "store" and read.isdisjoint(_bytes(e))}
        for site in {e.site for e in entries if e.site.op == "store"} if dead else ():
            kind = "eliminated" if site in dead else "undecided"
            yield site, Risk(kind, False, (0, 1), UNREAD_ELEMENT)


def _bytes(entry: Entry) -> range:
    start = entry.form.constant + entry.first
    return range(start, start + entry.size)
