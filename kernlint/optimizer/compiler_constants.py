"""Places in shared variables to which only one constant is ever stored: nvcc takes it for what is
there, and drops stores and loads.

In: the walk of a kernel. Out: (site, risk) pairs. Read in nvcc 13's machine code for sm_90 (34
kernels): of `__shared__ int v; if (t == 0) v = 3; __syncthreads(); o[i] = v;` nothing is left but a
store of 3, also with `s[2]` of an array of which every index is a constant. With another value
stored there, an atomic, or an index that is no constant, all stay.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from kernlint.ir import nodes as ir
from kernlint.optimizer.compiler_facts import Risk
from kernlint.optimizer.compiler_fixed import is_constant
from kernlint.optimizer.compiler_forms import Form
from kernlint.optimizer.compiler_state import Entry
from kernlint.optimizer.compiler_walk import Walker

LOADED = "only one constant is ever stored there: it may be put in its place"
STORED = "only one constant is ever stored there: it may replace the load"


def of_one_constant(walker: Walker) -> Iterator[tuple[ir.AccessSite, Risk]]:
    every: dict[ir.MemoryObject, list[tuple[Entry, int]]] = defaultdict(list)
    for place, entry in enumerate(walker.log):
        if (
            entry.memory is not None
            and entry.memory.space == "shared"
            and not entry.memory.dynamic
            and not entry.memory.parameter
        ):
            every[entry.memory].append((entry, place))
    for memory, entries in every.items():
        if all(_is_plain(e, memory, walker) for e, _ in entries):
            stored: dict[int, set[Form]] = defaultdict(set)
            for e, place in entries:
                stored[e.form.constant + e.first] |= (
                    set(walker.stored.get(place, ())) if e.store else set()
                )
            for e, _ in entries:
                values = stored[e.form.constant + e.first]
                if len(values) == 1 and all(is_constant(value, walker) for value in values):
                    yield (
                        e.site,
                        Risk("eliminated", False, (0, 1), STORED)
                        if e.store
                        else Risk("forwarded", False, (0, 1), LOADED),
                    )


def _is_plain(e: Entry, memory: ir.MemoryObject, walker: Walker) -> bool:
    """Whether it is a load or store at a fixed place."""
    plain = e.site.op in ("load", "store") and not e.site.volatile
    return plain and e.form.terms == walker.atoms.atom(("object", memory)).terms
