"""Loads that several iterations of an outer loop make at one address: `for (j …) for (k = j; k < 4;
k++) r += q[k];`.

In: a walk. Out: (site, risk) pairs. Where a constant bounds the inner loop's count nvcc may unroll
both loops, and then loads each address once. Where something in the outer loop may write what is
loaded, it does not.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.ir import nodes as ir
from kernlint.optimizer.compiler_facts import Risk
from kernlint.optimizer.compiler_state import Entry
from kernlint.optimizer.compiler_walk import Walker

TEXT = "several iterations of an outer loop load this address: unrolled, they may load it once"


def revisited(walker: Walker) -> Iterator[tuple[ir.AccessSite, Risk]]:
    for entry in walker.log:
        loops = [s.statement for s in entry.path if isinstance(s.statement, ir.Loop)]
        for place, inner in enumerate(loops) if not entry.store else ():
            most = walker.most_trips_of(inner)
            moved = _stride(walker, entry, inner)
            for outer in loops[:place] if most is not None and moved else ():
                apart = _stride(walker, entry, outer)
                again = apart % moved == 0 and 0 < abs(apart // moved) < (most or 0)
                if again and _is_unwritten(walker, entry, outer):
                    yield entry.site, Risk("forwarded", False, (0, 1), TEXT)


def _stride(walker: Walker, entry: Entry, loop: ir.Loop) -> int:
    """Bytes that an iteration of a loop moves an address on by; 0 where that is no constant."""
    counter = walker.atoms.numbers.get((("iteration", loop), None), -1)
    return dict(entry.form.terms).get((counter,), 0)


def _is_unwritten(walker: Walker, entry: Entry, loop: ir.Loop) -> bool:
    """Whether nothing in a loop writes where an access reads, as far as nvcc can tell."""
    span = walker.spans.get(loop)
    if span is None:
        return False
    inside = walker.log[span.start : span.end]
    fenced = span.fences != span.fenced and not walker.memory.passes_barriers(entry.memory)
    return not fenced and not any(
        e.store and walker.memory.overlap(e.memory, entry.memory) for e in inside
    )
