"""Loops of which nvcc surely leaves no branch: all of their turns stand one behind the other.

In: the walk of a kernel. Out: the sites of such loops' tests. Read in the machine code of 480
generated kernels (nvcc 13.0 for sm_90): of loops that are small enough
(`compiler_unrolling.in_full`) some kept their branch that hold a loop of unknown length, or code
with a slow way behind a branch; of the others none did.
"""

from __future__ import annotations

from collections.abc import Iterator

from kernlint.ir import nodes as ir
from kernlint.ir.traversal import walk
from kernlint.optimizer.compiler_unrolling import in_full, multiple
from kernlint.optimizer.compiler_walk import Walker

MEASURED = (ir.Assign, ir.Load, ir.Store, ir.Atomic, ir.Barrier, ir.Shuffle, ir.Leave)


def run_out(kernel: ir.Kernel, walker: Walker) -> Iterator[ir.BranchSite]:
    """The loops that nvcc surely unrolls in full."""
    for s in walk(kernel.body if not kernel.keeps_calls else ()):
        if (
            isinstance(s, ir.Loop)
            and all(_counted(inner, walker) for inner in walk((s,)))
            and _is_small(s, walker)
        ):
            yield s.site


def _counted(s: ir.Statement, walker: Walker) -> bool:
    """Whether a statement of a loop does not keep it from being unrolled."""
    if isinstance(s, ir.Loop):
        return s in walker.counts and s not in walker.kept and s not in walker.copies
    return isinstance(s, (ir.If, ir.Region)) or (isinstance(s, MEASURED) and not walker.splits(s))


def _is_small(s: ir.Loop, walker: Walker) -> bool:
    return (
        in_full(s, walker.counts)
        or multiple(s, walker.counts[s], walker.counts) == walker.counts[s]
    )
