"""The backward slice: which variables and memory contents decide addresses, conditions and trip
counts.

In: a body of the intermediate form. Out: `Slice`. Everything else (the arithmetic on data that a
kernel exists for) is never computed. Flow-insensitive on purpose: one pass to collect who feeds
whom, one fixpoint.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from kernlint.base.dataclass import dataclass
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import expressions, reads, targets, walk, walk_expression
from kernlint.ir.types import Integer, Pointer


@dataclass(frozen=True, slots=True)
class Slice:
    """`objects`, `allocations`: those whose contents matter; of host code what `new` and malloc
    make."""

    variables: frozenset[ir.Variable]
    objects: frozenset[ir.MemoryObject]
    allocations: frozenset[ir.Allocate] = frozenset()


_Objects = set[ir.MemoryObject | ir.Allocate]


def _seeds(s: ir.Statement) -> Iterable[ir.Expression]:
    match s:
        case ir.Store() | ir.Atomic():
            return (s.address,)
        case ir.Shuffle() | ir.Vote():
            return () if s.lanes is None else (s.lanes,)
        case ir.Assign():
            return ()
    return expressions(s)


def needed(body: ir.Body, is_host: bool = False) -> Slice:
    """The machine follows integers and pointers in memory."""
    feeds: dict[ir.Variable, set[ir.Variable]] = defaultdict(set)
    addressed: dict[ir.Variable, _Objects] = defaultdict(set)
    loads: dict[ir.Variable, list[ir.Expression]] = defaultdict(list)
    stores: list[tuple[ir.Expression, set[ir.Variable]]] = []
    wanted: set[ir.Variable] = set()
    heap = {s for s in walk(body) if isinstance(s, ir.Allocate) and s.on_heap}
    kept = _kept_pointers(body)
    followed = (Integer, Pointer) if is_host or kept is not None else (Integer,)
    for s in walk(body):
        for e in _seeds(s):
            wanted |= reads(e)
        sources = (
            set().union(*(reads(e) for e in expressions(s)))
            if not isinstance(s, (ir.If, ir.Loop))
            else set()
        )
        for target in targets(s):
            feeds[target] |= sources
            addressed[target] |= {
                x.object
                for e in expressions(s)
                for x in walk_expression(e)
                if isinstance(x, ir.Address)
            }
            if isinstance(s, ir.Allocate):
                addressed[target] |= {s} & heap
            if isinstance(s, (ir.Load, ir.Atomic)) and isinstance(target.type, followed):
                loads[target].append(s.address)
                if isinstance(target.type, Pointer):  # to anything whose address is kept
                    addressed[target] |= heap if kept is None else heap | kept
        if isinstance(s, ir.Store):
            stores.append(
                (s.address, set().union(*(reads(v) for _, v in s.values)) if s.values else set())
            )
        elif isinstance(s, ir.Atomic):
            stores.append(
                (s.address, set().union(*(reads(v) for v in s.operands)) if s.operands else set())
            )
    return _closure(wanted, feeds, _points_to(feeds, addressed), loads, stores)


def _kept_pointers(body: ir.Body) -> _Objects | None:
    """The objects of which a pointer that is kept in memory may hold the address: all whose address
    is taken. None where no pointer is kept."""
    if not any(
        isinstance(s, ir.Store) and any(isinstance(v.type, Pointer) for _, v in s.values)
        for s in walk(body)
    ):
        return None
    return {
        x.object
        for s in walk(body)
        for e in expressions(s)
        for x in walk_expression(e)
        if isinstance(x, ir.Address)
    }


def _points_to(
    feeds: dict[ir.Variable, set[ir.Variable]], direct: dict[ir.Variable, _Objects]
) -> dict[ir.Variable, _Objects]:
    found = {variable: set(objects) for variable, objects in direct.items()}
    changed = True
    while changed:
        changed = False
        for variable, sources in feeds.items():
            own = found.setdefault(variable, set())
            size = len(own)
            for source in sources:
                own |= found.get(source, set())
            changed |= len(own) != size
    return found


def _objects(e: ir.Expression, points_to: dict[ir.Variable, _Objects]) -> _Objects:
    found: _Objects = set()
    for x in walk_expression(e):
        if isinstance(x, ir.Address):
            found.add(x.object)
        elif isinstance(x, ir.Read):
            found |= points_to.get(x.variable, set())
    return found


def _closure(
    wanted: set[ir.Variable],
    feeds: dict[ir.Variable, set[ir.Variable]],
    points_to: dict[ir.Variable, _Objects],
    loads: dict[ir.Variable, list[ir.Expression]],
    stores: list[tuple[ir.Expression, set[ir.Variable]]],
) -> Slice:
    objects: _Objects = set()
    stored: dict[ir.MemoryObject | ir.Allocate, list[set[ir.Variable]]] = defaultdict(list)
    for address, values in stores:
        for object_ in _objects(address, points_to) if values else ():
            stored[object_].append(values)
    done: set[ir.Variable] = set()
    frontier = set(wanted)
    while frontier:
        variable = frontier.pop()
        if variable in done:
            continue
        done.add(variable)
        frontier |= feeds[variable] - done if variable in feeds else set()
        for address in loads.get(variable, ()):
            fresh = _objects(address, points_to) - objects
            objects |= fresh
            for object_ in fresh:
                frontier |= set().union(*stored.get(object_, ())) - done
    return Slice(
        frozenset(done),
        frozenset(o for o in objects if isinstance(o, ir.MemoryObject)),
        frozenset(o for o in objects if isinstance(o, ir.Allocate)),
    )
