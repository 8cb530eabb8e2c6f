"""Loads that nvcc makes again only because a store to another pointer may have changed what was
loaded.

In: a kernel and its walk. Out: by site of such a load the store before it. The kernel is walked
once more as if its pointers were `__restrict__`: a load whose value is then surely still in a
register is one that the missing promise costs (CUDA C++ Programming Guide, `__restrict__`: "the
compiler can reorder and do common sub-expression elimination at will").
"""

from __future__ import annotations

from collections.abc import Mapping

from kernlint.base.dataclass import replace
from kernlint.ir import nodes as ir
from kernlint.optimizer.compiler_facts import Risk
from kernlint.optimizer.compiler_state import Entry
from kernlint.optimizer.compiler_walk import Walker


def reloaded(kernel: ir.Kernel, walker: Walker) -> dict[ir.AccessSite, ir.AccessSite]:
    """`walker`: of the kernel as it is."""
    between = {} if walker.blind or kernel.keeps_calls else _stores_between(walker)
    if not between:
        return {}
    promised = Walker(replace(kernel, promised=True), unread=walker.unread, gone=walker.gone)
    return {
        site: store for site, store in between.items() if _is_kept(promised.found.get(site, {}))
    }


def _stores_between(walker: Walker) -> dict[ir.AccessSite, ir.AccessSite]:
    """Of loads of an address that was accessed before, and of which nvcc does not have the value:
    the last store in between that may have written there through another pointer."""
    accessed: dict[tuple[object, ...], int] = {}
    stored: dict[ir.MemoryObject, int] = {}  # the last store through each pointer
    found: dict[ir.AccessSite, ir.AccessSite] = {}
    for place, entry in enumerate(walker.log):
        key = (entry.memory, entry.form, entry.first, entry.size)
        if (
            key in accessed
            and _is_open(entry, walker)
            and "forwarded" not in walker.found.get(entry.site, {})
        ):
            others = (
                at
                for memory, at in stored.items()
                if memory is not entry.memory and walker.memory.surely_meet(memory, entry.memory)
            )
            last = max(others, default=-1)
            if last > accessed[key]:
                found[entry.site] = walker.log[last].site
        accessed[key] = place
        if entry.store and entry.memory is not None and entry.memory.parameter:
            stored[entry.memory] = place
    return found


def _is_open(entry: Entry, walker: Walker) -> bool:
    """Whether it is a plain load that a store through another pointer may change."""
    memory = entry.memory
    plain = not entry.store and not entry.site.volatile and not entry.hint
    return (
        plain
        and memory is not None
        and memory.space == "global"
        and bool(memory.parameter)
        and memory not in walker.memory.restricted
    )


def _is_kept(kinds: Mapping[str, Risk]) -> bool:
    return "forwarded" in kinds and kinds["forwarded"].certain
