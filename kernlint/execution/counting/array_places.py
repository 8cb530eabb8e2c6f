"""Where the arrays of a thread lie that are indexed by no constant, and what that makes of their
accesses.

In: the tallies of a launch's accesses with their facts as written, the branches. Out: of each
access to such an array the place, and the change that follows. The table of places is
`local_arrays`; what it was not measured for (structs, several dimensions, vectors or parts of
elements, arrays of which several share a name) is never sure. Arrays all of whose indices are
constants never get here: they have no accesses.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from math import prod

from kernlint.base.dataclass import dataclass, replace
from kernlint.base.span import Span
from kernlint.execution.analysis import Analysis
from kernlint.execution.counting.tally import Tally
from kernlint.execution.record import RunRecord
from kernlint.ir import nodes as ir
from kernlint.ir.types import Array, Float, Integer, Pointer
from kernlint.model import facts
from kernlint.model.facts import LOCAL, REGISTERS
from kernlint.optimizer import local_arrays
from kernlint.optimizer.compiler_facts import Risk
from kernlint.optimizer.compiler_unrolling import held
from kernlint.optimizer.local_arrays import WHOLE, WORD, Use

# reasons for which an index is no constant of the compiler's
BY_VALUE = (
    "loaded-value",
    "unknown-argument",
)
KEPT = Risk("in-registers", True, (0, 0), "nvcc keeps this array in registers")
OPEN = Risk(
    "in-registers",
    False,
    (0, 1),
    "nvcc may keep this array in registers: what else the kernel does decides",
)
Found = tuple[Tally, facts.Access]
Key = tuple[str, Span | None]


@dataclass(frozen=True, slots=True)
class Placement:
    """`place`: by the table, "" where it says nothing; `decided`: see `facts.Access`; `change`:
    what it makes of the access."""

    place: str
    decided: str
    change: Risk | None


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What decides beside the accesses. `rolled`: see there; `warps`: of the launch, one block's
    without a grid."""

    kernel: ir.Kernel
    analysis: Analysis
    branches: Sequence[facts.Branch]
    rolled: Set[ir.Loop]
    warps: int


def rolled(record: RunRecord) -> frozenset[ir.Loop]:
    """The loops that are not surely unrolled whole, of those whose counters are in indices of a
    thread's arrays."""
    trips = {loop: n for loop, n in record.longest.items() if n is not None}
    loops = frozenset[ir.Loop]().union(
        *(tally.indexing for (_, space), tally in record.accesses.items() if space == "local")
    )
    return frozenset(loop for loop in loops if not held(loop, trips))


def indexed(record: RunRecord, staying: Set[ir.Loop]) -> set[ir.MemoryObject]:
    """The arrays of a thread with an index that is not surely a constant once loops are unrolled,
    but those that may stay: the others are in registers."""
    local = [tally for (_, space), tally in record.accesses.items() if space == "local"]
    return {
        o
        for tally in local
        if not tally.always_constant or tally.indexing & staying
        for o in tally.objects
    }


def placements(found: Sequence[Found], around: Surroundings) -> dict[int, Placement]:
    """By the access's place in `found`: where its array lies. Only of accesses to arrays of a
    thread."""
    arrays: dict[Key, list[int]] = {}
    for i, (_, access) in enumerate(found):
        if access.space == "local":
            arrays.setdefault((access.object, access.object_span), []).append(i)
    decided = {i: _decided(*found[i]) for own in arrays.values() for i in own}
    indexed = {
        key: some
        for key, own in arrays.items()
        if (some := [found[i][1] for i in own if decided[i] and found[i][1].requests != 0])
    }
    words = {key: sum(a.element_bytes == WORD for a in some) for key, some in indexed.items()}
    result: dict[int, Placement] = {}
    for key, own in arrays.items():
        place = ""
        if key in indexed:
            beside = sum(words.values()) - words[key]
            place = local_arrays.place(replace(_use(indexed[key], around), beside=beside))
        change = _change(place, [(*found[i], decided[i]) for i in own], around)
        result |= {i: Placement(place, decided[i], change) for i in own}
    return result


def _decided(tally: Tally, access: facts.Access) -> str:
    """What makes the index certainly no constant: see `facts.Access.decided`."""
    if tally.decided:
        return tally.decided
    if (
        access.example is not None
        and len({offset for offset in access.example.lanes if offset is not None}) > 1
    ):
        return "lane"
    read = access.reason == "unknown-argument" or "[" in access.detail
    return "value" if access.status == "unknown" and access.reason in BY_VALUE and read else ""


def _use(accesses: Sequence[facts.Access], around: Surroundings) -> Use:
    """How the kernel accesses an array with indices that are no constants."""
    runs = [
        float(around.warps) if a.in_loop is None else facts.body_runs(a.in_loop, around.branches)
        for a in accesses
    ]
    iterations = [None if run is None else run / around.warps for run in runs]
    known = [max(1.0, t) for t in iterations if t is not None]
    distinct = {
        (a.index, a.op, a.in_loop): max(1.0, t)
        for a, t in zip(accesses, iterations, strict=True)
        if t is not None
    }
    loops = [
        a.in_loop
        for a, t in zip(accesses, iterations, strict=True)
        if a.in_loop is not None and t is not None
    ]
    first = accesses[0]
    return Use(
        elements=prod(first.object_shape),
        bytes=first.element_bytes,
        scalar=first.scalar,
        fewest=sum(distinct.values()),
        most=sum(known),
        stored=any(a.op != "load" for a in accesses),
        loaded=any(a.op != "store" for a in accesses),
        looped=bool(loops),
        open=len(known) < len(accesses) or any(_ended_by_argument(loop, around) for loop in loops),
        counters=all(a.decided == "counter" for a in accesses),
        shifted=any(a.decided == "shift" for a in accesses),
    )


def _ended_by_argument(loop: Span, around: Surroundings) -> bool:
    """Whether the loop's condition names an argument: its number of iterations is no constant,
    though the launch gives it."""
    conditions = [b.condition for b in around.branches if b.span == loop]
    return any(
        re.search(rf"\b{re.escape(p.name)}\b", text)
        for p in around.kernel.parameters
        for text in conditions
    )


def _change(
    place: str, own: Sequence[tuple[Tally, facts.Access, str]], around: Surroundings
) -> Risk | None:
    """What surely or perhaps becomes of the array's accesses; None where they happen."""
    objects = {object_ for tally, _, _ in own for object_ in tally.objects}
    if any(tally.site.volatile for tally, _, _ in own):
        return None
    staying = {loop for tally, _, _ in own for loop in tally.indexing & around.rolled}
    if staying and all(tally.always_constant for tally, _, _ in own):
        line = min(loop.site.span.line for loop in staying)
        return replace(
            OPEN,
            text=f"nvcc keeps this array in registers where it unrolls the loop of line {line} in full",
        )
    if len(objects) == 1 and all(len(tally.objects) == 1 for tally, _, _ in own):
        (object_,) = objects
        if place == LOCAL or (object_.size or 0) >= WHOLE * WORD:
            return None
        if place == REGISTERS and _measured(object_, own, around):
            return KEPT
    return OPEN


def _measured(
    object_: ir.MemoryObject, own: Sequence[tuple[Tally, facts.Access, str]], around: Surroundings
) -> bool:
    """Whether the table holds for the array: numbers in one dimension, loaded and stored one by one
    and in no other way, with indices that only a run decides or that are constants once loops are
    unrolled which surely are."""
    element = object_.type.element if isinstance(object_.type, Array) else None
    if not isinstance(element, Integer | Float | Pointer) or around.kernel.keeps_calls:
        return False
    if around.analysis.escapes(object_):
        return False
    return all(
        tally.site.op in ("load", "store")
        and [width for _, width in tally.site.pieces] == [element.size]
        and (decided or (tally.always_constant and not tally.indexing & around.rolled))
        for tally, _, decided in own
    )
