"""Which memory objects may overlap, and which are never written: the rules by which nvcc keeps or
drops loaded values.

In: a kernel. Out: `Memory`. No type-based rules: nvcc does not use them (measured: an int store
blocks a float load).
"""

from __future__ import annotations

import re

from kernlint.base.dataclass import dataclass
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import expressions, walk, walk_expression
from kernlint.ir.types import Pointer
from kernlint.optimizer.compiler_promises import Promises, promises_of, restricts
from kernlint.optimizer.compiler_unread import stored_by_functions

HINTED = re.compile(
    r"__(st(cs|cg|wt|wb)|ld(g|ca|cg|cs|lu|cv))\b"
)  # functions of the toolkit's headers that make one access


def _written(body: ir.Body) -> tuple[ir.Expression, ...]:
    found: list[ir.Expression] = []
    for s in walk(body):
        if isinstance(s, (ir.Store, ir.Atomic)) or (
            isinstance(s, ir.Matrix) and s.site.hardware_op == "stmatrix"
        ):
            found.append(s.address)
        elif isinstance(s, ir.Copy):
            found.append(s.destination)
    return tuple(found)


def _read(body: ir.Body) -> frozenset[ir.MemoryObject]:
    """Objects whose address occurs anywhere but in a store to them that may be dropped: they may be
    read."""
    found: set[ir.MemoryObject] = set()
    for s in walk(body):
        stored = [v for _, v in (*s.values, *s.untracked)] if isinstance(s, ir.Store) else []
        some = (
            stored
            if isinstance(s, ir.Store) and not s.site.volatile
            else [*expressions(s), *stored]
        )
        found |= {x.object for e in some for x in walk_expression(e) if isinstance(x, ir.Address)}
    return frozenset(found)


def _syntactic_base(
    address: ir.Expression, pointers: dict[ir.Variable, ir.MemoryObject]
) -> ir.MemoryObject | None:
    found: set[ir.MemoryObject] = set()
    for e in walk_expression(address):
        if isinstance(e, ir.Address):
            found.add(e.object)
        elif isinstance(e, ir.Read) and isinstance(e.variable.type, Pointer):
            if e.variable not in pointers:
                return None
            found.add(pointers[e.variable])
    return found.pop() if len(found) == 1 else None


@dataclass(frozen=True, slots=True)
class Memory:
    restricted: frozenset[ir.MemoryObject]
    written: frozenset[ir.MemoryObject | None]  # None: somewhere unknown
    clobbered: bool  # an unknown call may write anything
    read: frozenset[ir.MemoryObject]
    handed: frozenset[ir.MemoryObject | None]  # to functions with a hint
    hinted: bool  # whether there are such
    constants: frozenset[ir.MemoryObject]  # of `const __restrict__` pointers
    promises: Promises  # of pointers inside the kernel

    def broken(self, a: ir.MemoryObject | None) -> bool:
        """Whether nvcc no longer trusts that only its own pointer leads there, since a function of
        assembly takes it, or, where the pointer is not `const __restrict__`, any: a barrier,
        another store or a loop may then change what was loaded (machine code of 378 kernels)."""
        return a in self.handed if a in self.constants else self.hinted

    def overlap(self, a: ir.MemoryObject | None, b: ir.MemoryObject | None) -> bool:
        """Whether two objects may share bytes, for all that the kernel's parameters promise."""
        if a is b:
            return True
        if a is None or b is None:
            known = a or b
            return known is None or (known.space == "global" and known not in self.restricted)
        return a.space == b.space == "global" and not {a, b} & self.restricted

    def surely_meet(self, a: ir.MemoryObject | None, b: ir.MemoryObject | None) -> bool:
        """Whether nvcc surely takes two objects to share bytes, for all that it may be promised."""
        return self.overlap(a, b) and not self.promises.doubt(a, b)

    def needed(self, a: ir.MemoryObject | None) -> bool:
        """Whether what is stored there can matter: shared and local arrays that are never read do
        not, unless they are `extern`."""
        own = a is not None and a.space in ("shared", "local") and not a.parameter and not a.dynamic
        return not own or self.clobbered or a in self.read

    def immutable(self, a: ir.MemoryObject | None) -> bool:
        """Whether nothing in the kernel can write it: loads of it pass barriers."""
        if a is not None and a.space == "constant":
            return True
        if a is None or a.space != "global" or self.clobbered:
            return False
        return not any(self.overlap(a, b) for b in self.written)

    def passes_barriers(self, a: ir.MemoryObject | None) -> bool:
        """Whether a barrier says nothing about it: private memory, what is never written, and
        `__restrict__` pointers' targets, which no other thread may write by promise (measured: a
        store is forwarded to a load across __syncthreads)."""
        return self.immutable(a) or (a is not None and (a.space == "local" or a in self.restricted))

    def may_pass_barriers(self, a: ir.MemoryObject | None) -> bool:
        return self.passes_barriers(a) or self.promises.about(a)


def memory_of(
    kernel: ir.Kernel,
    unread: frozenset[ir.MemoryObject] = frozenset(),
    filled: frozenset[ir.MemoryObject] = frozenset(),
) -> Memory:
    """`unread`: objects of which no loaded value is needed; `filled`: those taken to be read.
    Pointers assigned in the body count as unknown here; the walk itself follows them more
    closely."""
    pointers = {p.variable: p.object for p in kernel.parameters if p.object is not None}
    assigned: dict[ir.Variable, list[ir.Expression]] = {}
    for s in walk(kernel.body):
        if isinstance(s, ir.Assign) and isinstance(s.variable.type, Pointer):
            assigned.setdefault(s.variable, []).append(s.value)
    for _ in range(4):
        for variable, values in assigned.items():
            bases = {
                _syntactic_base(
                    v,
                    {
                        **pointers,
                        **({variable: pointers[variable]} if variable in pointers else {}),
                    },
                )
                for v in values
            }
            if len(bases) == 1 and (only := bases.pop()) is not None:
                pointers.setdefault(variable, only)
    restricted = frozenset(
        p.object for p in kernel.parameters if p.object is not None and _is_promised(p, kernel)
    )
    clobbered = any(isinstance(s, ir.Clobber) for s in walk(kernel.body))
    written = frozenset(_syntactic_base(e, pointers) for e in _written(kernel.body))
    read = _read(kernel.body) | stored_by_functions(kernel.body)
    accesses = (s for s in walk(kernel.body) if isinstance(s, (ir.Load, ir.Store)))
    hints = [s.address for s in accesses if HINTED.match(s.site.text)]
    handed = frozenset(_syntactic_base(e, pointers) for e in hints)
    constants = frozenset(
        p.object for p in kernel.parameters if p.object in restricted and _const(p.variable)
    )
    promises = promises_of(kernel.body, lambda address: _syntactic_base(address, pointers))
    return Memory(
        restricted,
        written,
        clobbered,
        (read - unread) | filled,
        handed,
        bool(hints),
        constants,
        promises,
    )


def _is_promised(p: ir.Parameter, kernel: ir.Kernel) -> bool:
    """Whether nobody but a parameter leads to its object: nvcc does not trust `__restrict__` at a
    member of a struct (measured)."""
    return "." not in p.name and (
        restricts(p.variable) or (kernel.promised and isinstance(p.variable.type, Pointer))
    )


def _const(v: ir.Variable) -> bool:
    return isinstance(v.type, Pointer) and v.type.const
