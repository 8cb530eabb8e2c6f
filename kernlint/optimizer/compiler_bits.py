"""Vector loads whose floats are only copied and taken as integers: `float4 v = p[i]; v.x =
__shfl_sync(m, v.x, 0); o[i] = v;`.

In: a kernel's body and its walk. Out: (site, risk) pairs. LLVM makes integers of floats that are
only stored, or reinterpreted, and the vector of several such loads is charged to the line that
reinterprets one (read in nvcc 13's line tables, for shared and global memory; what is loaded as
never written, of `const __restrict__` or by `__ldg`, keeps its line, and so does a vector of which
one float is added).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from kernlint.ir import nodes as ir
from kernlint.ir.traversal import expressions, operands, walk, walk_expression
from kernlint.ir.types import Float
from kernlint.optimizer.compiler_facts import Risk
from kernlint.optimizer.compiler_memory import HINTED
from kernlint.optimizer.compiler_walk import Walker

Place = ir.Variable | ir.MemoryObject
TAKEN = "its floats are only copied and taken as integers: it may be charged to the line that takes them"


class _Uses:
    """Where values go: `into` other places as they are; what is `reinterpreted`, or needed
    `otherwise`."""

    def __init__(self, body: ir.Body) -> None:
        self.into: defaultdict[Place, set[Place]] = defaultdict(set)
        self.reinterpreted: set[Place] = set()
        self.otherwise: set[Place] = set()
        for s in walk(body):
            self._follow(s)

    def _follow(self, s: ir.Statement) -> None:
        rest = expressions(s)
        match s:
            case ir.Assign():
                return self._flow(s.value, (s.variable,))
            case ir.Load() if (own := _own(s.address)) is not None:
                self.into[own] |= {variable for _, variable in s.targets}
            case ir.Store():
                own, rest = _own(s.address), (s.address,)
                for _, value in (*s.values, *s.untracked):
                    self._flow(value, () if own is None else (own,))
            case ir.Shuffle():
                self._flow(s.value, (), bits=True)
                rest = (s.lane, s.width)
        for e in rest:
            self._flow(e, None)

    def _flow(self, e: ir.Expression, to: tuple[Place, ...] | None, bits: bool = False) -> None:
        """`to`: the places that take the value as it is, none where it is stored; None where more
        is done with it."""
        if isinstance(e, ir.Read):
            if bits:
                self.reinterpreted.add(e.variable)
            elif to is None:
                self.otherwise.add(e.variable)
            for place in to or ():
                self.into[e.variable].add(place)
        elif isinstance(e, ir.Select):
            self._flow(e.condition, None)
            self._flow(e.then, to, bits)
            self._flow(e.otherwise, to, bits)
        else:
            same = isinstance(e, ir.Unknown) and e.what == ir.SAME_BITS
            for operand in operands(e):
                self._flow(operand, () if same else None, same)

    def reached(self, start: Place) -> set[Place]:
        found, left = {start}, [start]
        while left:
            more = self.into.get(left.pop(), set()) - found
            found |= more
            left += more
        return found


def _own(address: ir.Expression) -> ir.MemoryObject | None:
    """The thread's own object that an address lies in."""
    found = [x.object for x in walk_expression(address) if isinstance(x, ir.Address)]
    return found[0] if len(found) == 1 and found[0].space == "local" else None


def taken_as_integers(body: ir.Body, walker: Walker) -> Iterator[tuple[ir.AccessSite, Risk]]:
    uses: _Uses | None = None
    for s in walk(body):
        if not (
            isinstance(s, ir.Load)
            and len(s.site.pieces) < len(s.targets)
            and all(isinstance(v.type, Float) for _, v in s.targets)
        ):
            continue  # what is not loaded as a vector keeps its line
        memory = walker.sites[s.site].memory if s.site in walker.sites else None
        constant = (
            memory in walker.memory.restricted
            or walker.memory.immutable(memory)
            or HINTED.match(s.site.text) is not None
        )
        if constant or _own(s.address) is not None:
            continue
        uses = uses or _Uses(body)
        reached = {place for _, variable in s.targets for place in uses.reached(variable)}
        if reached & uses.reinterpreted and not reached & uses.otherwise:
            yield s.site, Risk("recharged", False, (1, 1), TAKEN)
