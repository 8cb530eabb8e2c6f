"""Objects whose address is used for anything but loads and stores at an index from it: kept in a
pointer, selected, handed on.

In: a body. Out: the objects, found once for all arrays of a kernel.
"""

from __future__ import annotations

from kernlint.ir import nodes as ir
from kernlint.ir.traversal import expressions, walk, walk_expression


def escaping(body: ir.Body) -> frozenset[ir.MemoryObject] | None:
    """None where every object may: some pointer that is not known is written through elsewhere."""
    found: set[ir.MemoryObject] = set()
    for s in walk(body):
        if isinstance(s, ir.Clobber) and s.pointers is None:
            return None
        address = s.address if isinstance(s, (ir.Load, ir.Store)) else None
        for e in expressions(s):
            objects, chosen = set[ir.MemoryObject](), False
            for x in walk_expression(e):
                if isinstance(x, ir.Address):
                    objects.add(x.object)
                elif isinstance(x, ir.Select):
                    chosen = True
            found |= objects if chosen or e is not address else set()
    return frozenset(found)
