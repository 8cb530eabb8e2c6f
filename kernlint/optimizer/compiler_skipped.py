"""Loads whose values only a loop needs: nvcc makes them behind the loop's first test, for the lanes
that run an iteration.

In: the walk of a kernel, and of which loops some lanes may run no iteration. Out: risks by access
site. Measured on nvcc 13's machine code for sm_90: with `float y = b[i]; for (int k = 0; k < n;
k++) x = x * y + 1;` the load of `b` stands behind the branch that leaves for `n <= 0`, also where
the loop stores `x * y`. What the first test reads, or the code after the loop, stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kernlint.ir import nodes as ir
from kernlint.optimizer.compiler_facts import LoopFacts, Risk
from kernlint.optimizer.compiler_state import Path
from kernlint.optimizer.compiler_uses import turning
from kernlint.optimizer.compiler_walk import Walker

TEXT = "the value is needed in a loop only, of which some lanes may run no iteration: the load may move behind the loop's first test"


def skipped(
    walker: Walker, facts: Mapping[ir.Loop, LoopFacts]
) -> Iterator[tuple[ir.AccessSite, Risk]]:
    loops = {
        s
        for s in walker.kept
        if s in facts and facts[s].skipped and s.condition is not None and not s.post_test
    }
    if not loops or walker.blind:
        return
    needs = turning(walker)
    for site, executions in walker.loaded.items():
        for path, numbers in executions:
            uses = set[Path]().union(*(needs.get(a, set()) for a in numbers))
            if _entered(walker, site, path, uses) in loops:
                yield site, Risk("sunk", False, (0, 1), TEXT)
                break


def _entered(
    walker: Walker, site: ir.AccessSite, path: Path, uses: set[Path]
) -> ir.Statement | ir.Expression | None:
    """The loop that all uses lie in, where it comes after the load with nothing in between."""
    inner = {
        use[len(path)].statement if len(use) > len(path) and use[: len(path)] == path else None
        for use in uses
    }
    found = inner.pop() if len(inner) == 1 else None
    return found if found is not None and site in walker.alive.get(found, ()) else None
