"""Loads that a loop carries to its next iteration, where the loop is unrolled in full.

In: a kernel's body and its walk. Out: risks by access site. As in loops that stay (see
`compiler_carried`), LLVM makes one load of the selected address of two that are all that a variable
may be, before it unrolls: `x = p[0]; for (k = 0; k < 8; k++) { o[k] = x; x = p[k + 1]; }` has eight
loads on the loop's line (measured on nvcc 13's machine code for sm_90: 7 of 11 forms; the loads
stay where something waits between one of them and the end of its straight code, or where the second
one has another use).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from kernlint.base.dataclass import dataclass
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import bodies, read_by, reads, targets, walk
from kernlint.optimizer.compiler_carried import CARRIED
from kernlint.optimizer.compiler_entries import is_fence
from kernlint.optimizer.compiler_facts import Risk
from kernlint.optimizer.compiler_walk import Walker

WRITES = (ir.Store, ir.Atomic, ir.Copy, ir.Clobber, ir.Matrix)


@dataclass(frozen=True, slots=True)
class Origin:
    """The only load that a value is made of; None for what the iteration before left. `fences`: what
    was written or waited for before it."""

    site: ir.AccessSite | None
    fences: int


Origins = dict[ir.Variable, Origin]


def carried_whole(body: ir.Body, walker: Walker) -> Iterator[tuple[ir.AccessSite, Risk]]:
    readers = Counter(v for s in walk(body) for v in read_by(s))
    for site in _Search(walker, readers).along(body, {}):
        yield site, Risk("speculated", False, (0, 2), CARRIED)


class _Search:
    def __init__(self, walker: Walker, readers: Counter[ir.Variable]) -> None:
        self.walker, self.readers = walker, readers
        self.fences = 0

    def along(self, body: ir.Body, held: Origins) -> Iterator[ir.AccessSite]:
        """Both loads of each variable; `held` becomes what variables are made of at the end."""
        for s in body:
            self.fences += isinstance(s, WRITES) or is_fence(s)
            if isinstance(s, ir.Loop):
                yield from self.loop(s, held)
            elif isinstance(s, ir.Region):
                yield from self.along(s.body, held)
            else:
                for inner in bodies(s):
                    yield from self.along(inner, dict(held))
                self.take(s, held)

    def take(self, s: ir.Statement, held: Origins) -> None:
        made: Origin | None = None
        if isinstance(s, ir.Load):
            made = Origin(s.site, self.fences)
        elif isinstance(s, ir.Assign):
            parts = {held[v] for v in reads(s.value) if v in held}
            made = parts.pop() if len(parts) == 1 else None
        for v in self.walker.changing.of(s):
            held.pop(v, None)
            if made is not None:
                held[v] = made

    def loop(self, s: ir.Loop, held: Origins) -> Iterator[ir.AccessSite]:
        assigned = {v for x in walk((s,)) for v in targets(x)}
        entering, began = held, self.fences
        inner = {v: Origin(None, 0) for v in assigned}
        yield from self.along((*s.header, *s.body, *s.step), inner)
        used_once = {
            x.site
            for x in walk((s,))
            if isinstance(x, ir.Load) and all(self.readers[v] <= 1 for _, v in x.targets)
        }
        for v in assigned if s not in self.walker.kept else ():
            first, next_ = entering.get(v), inner.get(v)
            if first is None or next_ is None or first.site is None or next_.site is None:
                continue
            straight = first.fences == began and next_.fences == self.fences
            if straight and (next_.site in used_once or self.loads(s, v)):
                yield from (first.site, next_.site)
        for v in assigned:
            held.pop(v, None)

    def loads(self, s: ir.Loop, v: ir.Variable) -> bool:
        """Whether a load of the loop writes the variable itself."""
        return any(isinstance(x, ir.Load) and v in targets(x) for x in walk((s,)))
