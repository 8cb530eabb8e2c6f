"""The backward slice: which variables and memory contents decide addresses, conditions and trip counts.

In: a body of the intermediate form. Out: `Slice`. Everything else (the arithmetic on data that a kernel exists for) is never computed.
Flow-insensitive on purpose: one pass to collect who feeds whom, one fixpoint.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from kernlint.lowering import ir
from kernlint.records import dataclass


def operands(e: ir.Expression) -> tuple[ir.Expression, ...]:
    match e:
        case ir.Unary() | ir.Convert():
            return (e.operand,)
        case ir.Binary():
            return (e.left, e.right)
        case ir.Select():
            return (e.condition, e.then, e.otherwise)
        case ir.Call():
            return e.arguments
        case ir.Unknown():
            return e.operands
    return ()


def walk_expression(e: ir.Expression) -> Iterator[ir.Expression]:
    stack = [e]
    while stack:
        current = stack.pop()
        yield current
        stack.extend(operands(current))


def reads(e: ir.Expression) -> set[ir.Variable]:
    return {x.variable for x in walk_expression(e) if isinstance(x, ir.Read)}


def bodies(s: ir.Statement) -> tuple[ir.Body, ...]:
    match s:
        case ir.If():
            return (s.then, s.otherwise)
        case ir.Region():
            return (s.body,)
        case ir.Loop():
            return (s.header, s.body, s.step)
    return ()


def walk(body: ir.Body) -> Iterator[ir.Statement]:
    pending = [iter(body)]
    while pending:
        statement = next(pending[-1], None)
        if statement is None:
            pending.pop()
            continue
        yield statement
        pending += [iter(inner) for inner in reversed(bodies(statement))]


def expressions(s: ir.Statement) -> tuple[ir.Expression, ...]:
    """The expressions a statement evaluates itself (not those of its bodies)."""
    match s:
        case ir.Assign():
            return (s.value,)
        case ir.Load() | ir.Matrix():
            return (s.address,)
        case ir.Store():
            return (s.address, *(value for _, value in s.values))
        case ir.Atomic():
            return (s.address, *s.operands)
        case ir.Copy():
            return (s.destination, s.source)
        case ir.Shuffle():
            return (s.value, s.lane, s.width)
        case ir.Vote():
            return () if s.operand is None else (s.operand,)
        case ir.Barrier():
            return () if s.lanes is None else (s.lanes,)
        case ir.If() | ir.Assume():
            return (s.condition,)
        case ir.Loop():
            return () if s.condition is None else (s.condition,)
        case ir.Clobber():
            return s.pointers or ()
        case ir.HostLaunch():
            return (*s.grid, *s.block, s.dynamic_shared, *(value for _, value in s.arguments))
    return ()


def targets(s: ir.Statement) -> tuple[ir.Variable, ...]:
    """The variables a statement itself assigns."""
    match s:
        case ir.Assign():
            return (s.variable,)
        case ir.Load():
            return tuple(variable for _, variable in s.targets)
        case ir.Atomic():
            return () if s.target is None else (s.target,)
        case ir.Matrix():
            return s.targets
        case ir.Shuffle() | ir.Vote():
            return (s.target,)
        case ir.Allocate():
            return (s.target,)
    return ()


@dataclass(frozen=True, slots=True)
class Slice:
    variables: frozenset[ir.Variable]
    objects: frozenset[ir.MemoryObject]  # whose contents matter


def _seeds(s: ir.Statement) -> Iterable[ir.Expression]:
    match s:
        case ir.Store() | ir.Atomic():
            return (s.address,)
        case ir.Assign() | ir.Shuffle() | ir.Vote():
            return ()
    return expressions(s)


def needed(body: ir.Body) -> Slice:
    feeds: dict[ir.Variable, set[ir.Variable]] = defaultdict(set)
    addressed: dict[ir.Variable, set[ir.MemoryObject]] = defaultdict(set)
    loads: dict[ir.Variable, list[ir.Expression]] = defaultdict(list)
    stores: list[tuple[ir.Expression, set[ir.Variable]]] = []
    wanted: set[ir.Variable] = set()
    for s in walk(body):
        for e in _seeds(s):
            wanted |= reads(e)
        sources = set().union(*(reads(e) for e in expressions(s))) if not isinstance(s, (ir.If, ir.Loop)) else set()
        for target in targets(s):
            feeds[target] |= sources
            addressed[target] |= {x.object for e in expressions(s) for x in walk_expression(e) if isinstance(x, ir.Address)}
            if isinstance(s, (ir.Load, ir.Atomic)):
                loads[target].append(s.address)
        if isinstance(s, ir.Store):
            stores.append((s.address, set().union(*(reads(v) for _, v in s.values)) if s.values else set()))
        elif isinstance(s, ir.Atomic):
            stores.append((s.address, set().union(*(reads(v) for v in s.operands)) if s.operands else set()))
    return _closure(wanted, feeds, _points_to(feeds, addressed), loads, stores)


def _points_to(
    feeds: dict[ir.Variable, set[ir.Variable]], direct: dict[ir.Variable, set[ir.MemoryObject]]
) -> dict[ir.Variable, set[ir.MemoryObject]]:
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


def _objects(e: ir.Expression, points_to: dict[ir.Variable, set[ir.MemoryObject]]) -> set[ir.MemoryObject]:
    found: set[ir.MemoryObject] = set()
    for x in walk_expression(e):
        if isinstance(x, ir.Address):
            found.add(x.object)
        elif isinstance(x, ir.Read):
            found |= points_to.get(x.variable, set())
    return found


def _closure(
    wanted: set[ir.Variable],
    feeds: dict[ir.Variable, set[ir.Variable]],
    points_to: dict[ir.Variable, set[ir.MemoryObject]],
    loads: dict[ir.Variable, list[ir.Expression]],
    stores: list[tuple[ir.Expression, set[ir.Variable]]],
) -> Slice:
    objects: set[ir.MemoryObject] = set()
    store_objects = [(_objects(address, points_to), values) for address, values in stores]
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
            for where, values in store_objects:
                if where & fresh:
                    frontier |= values - done
    return Slice(frozenset(done), frozenset(objects))
