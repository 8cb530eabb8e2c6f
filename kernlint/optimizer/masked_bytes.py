"""Bytes that are loaded, masked and scaled into an index: `v = a[t] & 63; … s[v * 32 + t]`.

In: a walk. Out: (site, risk) pairs. nvcc may make the mask and the scale one instruction with the
load's extension, and charges the load to the line of the index (line tables of 17 kernels: with a
scale that is a power of two always, else not; loads of 2 and 4 bytes keep their line).
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.ir import nodes as ir
from kernlint.optimizer.compiler_facts import Risk
from kernlint.optimizer.compiler_forms import Form
from kernlint.optimizer.compiler_pairs import space
from kernlint.optimizer.compiler_state import Entry
from kernlint.optimizer.compiler_walk import Walker

MASKS = ("&", "%")
MOVED = "a byte that is masked into an index may be counted on the line of the index"
ARRIVING = "a load of a byte that is masked into this index may be counted on this line"


def masked_bytes(walker: Walker) -> Iterator[tuple[ir.AccessSite, Risk]]:
    loads = {a: walker.log[place] for a, (place, _) in walker.makers.items()}
    bytes_ = {a for a, load in loads.items() if load.size == 1}
    for entry in walker.log if bytes_ else ():
        for load in {loads[a].site: loads[a] for a in _masked(walker, entry.form, bytes_)}.values():
            if load.site.charged_line != entry.site.charged_line:
                yield load.site, Risk("recharged", False, (0, 1), MOVED)
                yield from _beside(walker, load, entry)


def _beside(walker: Walker, load: Entry, index: Entry) -> Iterator[tuple[ir.AccessSite, Risk]]:
    for site, entry in walker.sites.items():
        on_line = site.charged_line == index.site.charged_line and site.op == "load"
        if on_line and space(entry) == space(load):
            yield site, Risk("recharged", False, (1, 2), ARRIVING)


def _masked(walker: Walker, form: Form, bytes_: set[int]) -> set[int]:
    """Loaded bytes of which a mask is in what an address is made of."""
    keys, found = walker.atoms.keys, set[int]()
    pending, met = list(walker.atoms.inside(form)), set[int]()
    while pending:
        a = pending.pop()
        if a not in met:
            met.add(a)
            parts = {b for p in keys[a] if isinstance(p, Form) for b in walker.atoms.inside(p)}
            found |= parts & bytes_ if keys[a][0] in MASKS else set()
            pending += parts - bytes_
    return found
