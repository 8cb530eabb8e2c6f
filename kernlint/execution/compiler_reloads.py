"""Loads that nvcc makes again only because a store to another pointer may have changed what was loaded.

In: a kernel and its walk. Out: by site of such a load the store before it. The kernel is walked once more as if its pointers were
`__restrict__`: a load whose value is then surely still in a register is one that the missing promise costs (CUDA C++ Programming Guide,
`__restrict__`: "the compiler can reorder and do common sub-expression elimination at will").
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from kernlint.execution.compiler_facts import Risk
from kernlint.execution.compiler_state import Entry
from kernlint.execution.compiler_walk import Walker
from kernlint.lowering import ir


def reloaded(kernel: ir.Kernel, walker: Walker) -> dict[ir.AccessSite, ir.AccessSite]:
    """`walker`: of the kernel as it is."""
    places = _candidates(walker)
    if walker.blind or kernel.keeps_calls or not places:
        return {}
    promised = Walker(replace(kernel, promised=True), unread=walker.unread, gone=walker.gone)
    sure = (site for site in places if _is_kept(promised.found.get(site, {})) and "forwarded" not in walker.found.get(site, {}))
    found = ((site, _between(walker, *places[site])) for site in sure)
    return {site: store for site, store in found if store is not None}


def _candidates(walker: Walker) -> dict[ir.AccessSite, tuple[int, int]]:
    """Loads of an address that was accessed before, with the places of both in the log; of loads in loops that are run out, the last."""
    earlier: dict[tuple[object, ...], int] = {}
    found: dict[ir.AccessSite, tuple[int, int]] = {}
    for place, entry in enumerate(walker.log):
        key = (entry.memory, entry.form, entry.first, entry.size)
        if not entry.store and not entry.site.volatile and not entry.hint and _is_open(entry, walker) and key in earlier:
            found[entry.site] = (earlier[key], place)
        earlier[key] = place
    return found


def _is_open(entry: Entry, walker: Walker) -> bool:
    """Whether a store through another pointer may change it."""
    memory = entry.memory
    return memory is not None and memory.space == "global" and bool(memory.parameter) and memory not in walker.memory.restricted


def _is_kept(kinds: Mapping[str, Risk]) -> bool:
    return "forwarded" in kinds and kinds["forwarded"].certain


def _between(walker: Walker, first: int, last: int) -> ir.AccessSite | None:
    """The last store through another parameter that may write what is loaded."""
    own = walker.log[last].memory
    for entry in reversed(walker.log[first + 1 : last]):
        other = entry.memory
        if entry.store and other is not own and other is not None and other.parameter and walker.memory.overlap(other, own):
            return entry.site
    return None
