"""How many iterations of a loop with a constant count nvcc lays one behind the other.

In: a loop whose inner loops are run out, and their counts. Out: the number of which the copies are
surely a multiple. LLVM unrolls by the greatest power of two with which the body stays within some
hundred operations, in full what is short; ptxas then unrolls what is left, by four, two, in full or
not at all, which cannot be told from the source. Measured with 400 register-tiled products
(tests/data/unrolled, nvcc 13.0 for sm_90): bodies of up to 22 instructions are always unrolled by a
multiple of four, those of up to 52 by a multiple of two, or in full where they run eight times.
What is surely unrolled in full was measured with 336 other loops (tests/data/claims, `bodies`). Of
large ones nothing is said: what is left of a body once it is simplified cannot be counted here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kernlint.ir import nodes as ir
from kernlint.ir.functions import find, functions
from kernlint.ir.traversal import expressions, targets, walk, walk_expression
from kernlint.ir.types import Float, Integer
from kernlint.optimizer.compiler_exits import may_join_exits
from kernlint.optimizer.compiler_size import instructions, requests

FOURFOLD, TWOFOLD = 22, 52  # instructions of a body (measured: 24 and 58)
# instructions of a loop, run out, that is surely unrolled in full (measured: 240 are not, of one
# that stores to global memory)
FULLY = 230
# where its counter is in the index of a thread's array: nvcc would have that in registers
# (measured: 1,584 are not)
ARRAY_FULLY = 1400
ARRAY_TOLD = 16_000  # the same where `#pragma unroll` says so (measured: 16,384 are)
PLACED = 4  # instructions that make the address of an access elsewhere, in that measure
# where it accesses nothing but shared memory, whose addresses cost nothing (measured: 384 are not)
SHARED_FULLY = 370
# instructions of a body with one access that is unrolled by four (measured: 41 are, 81 by two)
BY_FOUR = 40
EIGHT = 8  # iterations in which a loop of up to `TWOFOLD` instructions is unrolled in full
MOST_TOLD = 4_000  # operations up to which `#pragma unroll` is followed (measured: 8,192 still are)


def multiple(s: ir.Loop, count: int, trips: Mapping[ir.Loop, int]) -> int:
    """A number of which nvcc's copies of a loop's body are surely a multiple: `count` where it is
    unrolled in full, 1 where nothing is known."""
    if not _is_straight(s):
        return 1
    size = instructions((*s.header, *s.body), trips)
    if s.unroll == 0:
        return count if size * count <= MOST_TOLD else 1
    if not is_shared(s) or not counts_places(s):
        return 1
    if s.unroll:
        return s.unroll if not count % s.unroll else 1
    if size <= FOURFOLD:
        return 4 if not count % 4 else 1
    if size <= TWOFOLD:
        return count if count == EIGHT else 2 if not count % 2 else 1
    return 1


def in_full(s: ir.Loop, trips: Mapping[ir.Loop, int]) -> bool:
    """Whether a loop is surely unrolled in full."""
    size = instructions((s,), trips)
    return size <= (SHARED_FULLY if is_shared(s) else FULLY) and not any(
        map(may_join_exits, _loops(s))
    )


def held(s: ir.Loop, trips: Mapping[ir.Loop, int]) -> bool:
    """Whether a loop whose counter indexes an array of the thread is surely unrolled in full. Where
    `#pragma unroll` says so the count is a constant of the compiler's, if not of ours."""
    size = instructions((s,), trips) + PLACED * requests((s,), trips)
    if s.unroll == 0:
        return size <= ARRAY_TOLD
    return size <= ARRAY_FULLY and all(x in trips and not may_join_exits(x) for x in _loops(s))


def _loops(s: ir.Loop) -> Iterable[ir.Loop]:
    """A loop and those in it."""
    return (x for x in walk((s,)) if isinstance(x, ir.Loop))


def by_four(s: ir.Loop, trips: Mapping[ir.Loop, int]) -> bool:
    """Whether a loop is surely unrolled by four at least, where its count allows it."""
    accesses = sum(isinstance(x, (ir.Load, ir.Store)) for x in walk((*s.header, *s.body)))
    return instructions((*s.header, *s.body), trips) <= (BY_FOUR if accesses == 1 else FOURFOLD)


def _is_straight(s: ir.Loop) -> bool:
    """Whether a loop does no more than load, compute without branches and store, in loops of its
    kind."""
    inside = list(walk((*s.header, *s.body, *s.step)))
    return all(isinstance(x, (ir.Load, ir.Store, ir.Assign, ir.Loop)) for x in inside) and not any(
        map(splits, inside)
    )


def is_shared(s: ir.Loop) -> bool:
    """Whether a loop accesses nothing but shared memory and arrays of the thread. Where its counter
    is in other addresses, too, the machine's pointer into the shared array points somewhere into
    the unrolled body, which leaves it less alignment (measured)."""
    addresses = [
        x.address for x in walk((*s.header, *s.body, *s.step)) if isinstance(x, (ir.Load, ir.Store))
    ]
    objects = [
        [x.object for x in walk_expression(address) if isinstance(x, ir.Address)]
        for address in addresses
    ]
    return all(found and all(o.space in ("shared", "local") for o in found) for found in objects)


def splits(s: ir.Statement) -> bool:
    """Whether what a statement computes has a slow way behind a branch, so that accesses before and
    after it are not joined: division of floats and of 64 bits, roots and most functions of the
    mathematical library (read in machine code; `-use_fast_math` has fewer)."""
    return any(map(_has_slow_way, (x for e in _computed(s) for x in walk_expression(e))))


def _computed(s: ir.Statement) -> Iterable[ir.Expression]:
    """Of a store the values, not the address."""
    return (e for _, e in (*s.values, *s.untracked)) if isinstance(s, ir.Store) else expressions(s)


def may_split(s: ir.Statement) -> bool:
    """Whether it may have one: functions of doubles that are no instruction or two have branches
    (cbrt, tanh) or calls (rsqrt)."""
    return splits(s) or any(
        isinstance(x, ir.Call) and _is_long_double(x)
        for e in _computed(s)
        for x in walk_expression(e)
    )


def _is_long_double(x: ir.Call) -> bool:
    found = functions().get(x.name.removeprefix("std::"))
    return isinstance(x.type, Float) and x.type.bits > 32 and not (found and found.direct)


def _has_slow_way(x: ir.Expression) -> bool:
    if isinstance(x, ir.Binary) and x.op in ("/", "%"):
        wide = (
            isinstance(x.type, Integer)
            and x.type.bits > 32
            and not isinstance(x.right, ir.Constant)
        )
        return wide or isinstance(x.type, Float)
    name = x.what if isinstance(x, ir.Unknown) else x.name if isinstance(x, ir.Call) else ""
    found = find(name)
    return found is not None and found.slow


def counts_places(s: ir.Loop) -> bool:
    """Whether the counter of a loop is in nothing but addresses, of one array each: else the same
    holds of the machine's pointers."""
    counters = {v for x in s.step for v in targets(x)}
    inside = list(walk(s.body))
    values = [e for x in inside if not isinstance(x, ir.Load) for e in _computed(x)]
    if any(
        isinstance(x, ir.Read) and x.variable in counters
        for e in values
        for x in walk_expression(e)
    ):
        return False
    addresses = [x.address for x in inside if isinstance(x, (ir.Load, ir.Store))]
    objects = [
        x.object
        for address in addresses
        for x in walk_expression(address)
        if isinstance(x, ir.Address)
    ]
    shared = [o for o in objects if o.space == "shared"]
    return len(shared) == len(set(shared))
