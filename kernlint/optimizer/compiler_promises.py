"""Promises inside a kernel: `__restrict__` at a variable, or at a parameter of a function that is
inlined.

In: a kernel and what its pointers lead to. Out: of which objects such a pointer says that nobody
else leads there. nvcc trusts these promises as it does those of a kernel's parameters, but how far
they reach depends on how each pointer was made (machine code of 30 kernels: behind `const float
*__restrict__ q = x;` what was loaded by `q` is kept, what was loaded by `x` is not; behind a call
of `f(float *__restrict__ y)` that stores, what the kernel loaded through its own pointers is kept
too). So they make nothing sure.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator

from kernlint.base.dataclass import dataclass
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import targets, walk, walk_expression
from kernlint.ir.types import Pointer

Object = ir.MemoryObject | None
Base = Callable[[ir.Expression], ir.MemoryObject | None]


@dataclass(frozen=True, slots=True)
class Promises:
    """`objects`: those that a promise is about (None: one is about something unknown); `several`:
    those of them that are accessed by more than one pointer."""

    objects: frozenset[Object] = frozenset()
    several: frozenset[Object] = frozenset()

    def doubt(self, a: Object, b: Object) -> bool:
        """Whether nvcc may hold two accesses apart whose objects are these, and which may meet
        otherwise."""
        if not self.objects:
            return False
        if a is b and a is not None:
            return a in self.several
        spaces = {o.space for o in (a, b) if o is not None}
        return len(spaces) < 2 and bool({a, b, None} & self.objects or None in (a, b))

    def about(self, a: Object) -> bool:
        """Whether a promise is about it, if it lies in global memory: a barrier, too, may then
        leave it as it is (in shared memory no promise passes a barrier)."""
        return bool({a, None} & self.objects) and (a is None or a.space == "global")


def restricts(v: ir.Variable) -> bool:
    return isinstance(v.type, Pointer) and v.type.restrict


def promises_of(body: ir.Body, base: Base) -> Promises:
    objects = frozenset(_promised(body, base))
    if not objects:
        return Promises()
    pointers: dict[Object, set[ir.Variable | ir.MemoryObject]] = defaultdict(set)
    for address in _addresses(body):
        pointers[base(address)] |= set(_roots(address))
    return Promises(
        objects,
        frozenset(o for o, some in pointers.items() if len(some) > 1 and {o, None} & objects),
    )


def _promised(body: ir.Body, base: Base) -> Iterator[Object]:
    for s in walk(body):
        if any(restricts(v) for v in targets(s)):
            yield base(s.value) if isinstance(s, ir.Assign) else None


def _addresses(body: ir.Body) -> Iterator[ir.Expression]:
    for s in walk(body):
        if isinstance(s, (ir.Load, ir.Store, ir.Atomic, ir.Matrix)):
            yield s.address
        elif isinstance(s, ir.Copy):
            yield from (s.source, s.destination)


def _roots(address: ir.Expression) -> Iterator[ir.Variable | ir.MemoryObject]:
    for e in walk_expression(address):
        if isinstance(e, ir.Address):
            yield e.object
        elif isinstance(e, ir.Read) and isinstance(e.variable.type, Pointer):
            yield e.variable
