"""Where nvcc may place the arrays of static shared memory.

In: a kernel and the arrays that stay. Out: layouts, each a mapping from array to byte offset from a
base that is aligned to 1,024; one where the order is known. The kernel's own arrays follow each
other as they are declared, naturally aligned. Those of the file and of functions come before or
behind them, depending on which kernels of the file use them (read in machine code for sm_90).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations, product

from kernlint.ir import nodes as ir

Layout = Mapping[ir.MemoryObject, int]
MOST_OTHERS = 2  # arrays of the file and of functions whose order is enumerated
DYNAMIC = 16  # bytes to which `extern __shared__` arrays are aligned behind the static ones


def layouts(kernel: ir.Kernel, kept: Sequence[ir.MemoryObject]) -> tuple[Layout, ...]:
    """The possible layouts of the shared arrays `kept`; none where their order is not followed."""
    fixed = [o for o in kept if not o.dynamic]
    own = sorted((o for o in fixed if _is_within(o, kernel)), key=_place)
    others = [o for o in fixed if o not in own]
    if len(others) > MOST_OTHERS or (len(kept) > 1 and any(o.size is None for o in fixed)):
        return ()
    dynamic = [o for o in kept if o.dynamic]
    return tuple({tuple(x.items()): x for x in _orders(own, others, dynamic)}.values())


def _orders(
    own: list[ir.MemoryObject], others: list[ir.MemoryObject], dynamic: list[ir.MemoryObject]
) -> Iterator[Layout]:
    for order in permutations(others):
        for sides in product((True, False), repeat=len(order)):
            before = [o for o, side in zip(order, sides, strict=True) if side]
            behind = [o for o, side in zip(order, sides, strict=True) if not side]
            yield _placed([*before, *own, *behind], dynamic)


def _placed(order: list[ir.MemoryObject], dynamic: list[ir.MemoryObject]) -> Layout:
    found, end = dict[ir.MemoryObject, int](), 0
    for o in order:
        found[o] = -(-end // o.align) * o.align
        end = found[o] + (o.size or 0)
    for o in dynamic:
        found[o] = -(-end // max(o.align, DYNAMIC)) * max(o.align, DYNAMIC)
    return found


def _is_within(o: ir.MemoryObject, kernel: ir.Kernel) -> bool:
    a, b = o.span, kernel.span
    return a is None or (
        a.path == b.path and (b.line, b.column) <= (a.line, a.column) <= (b.end_line, b.end_column)
    )


def _place(o: ir.MemoryObject) -> tuple[int, int]:
    return (o.span.line, o.span.column) if o.span is not None else (0, 0)
