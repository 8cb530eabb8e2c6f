"""Shared memory of other blocks of a cluster that is accessed with no barrier of the cluster between.

In: a lowered body, the events of all sets of blocks. Out: `RacingPair`s. Each access to the array of
another block is held against what that block itself does with the array, by where both and the
barriers stand in the program. Nothing is said where threads may wait for others in another way.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kernlint.base.dataclass import dataclass, replace
from kernlint.execution.faults.handovers import hands_over
from kernlint.execution.faults.order import ATOMIC, READ, WRITE, ByteReach, Event, reach_of
from kernlint.execution.faults.possible_waits import is_of_cluster
from kernlint.execution.faults.races import NOWHERE, RacingPair
from kernlint.execution.faults.waiting_calls import tests_a_wait
from kernlint.execution.values.values import REMOTE
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import bodies, expressions, walk, walk_expression

PASSES = 2  # over a body, so that what a loop carries is seen
KINDS = {"load": READ, "store": WRITE, "atomic": ATOMIC}


@dataclass(frozen=True, slots=True)
class _Use:
    """An access at a place of the program. `reach`: of the array; `sure`: no branch keeps threads
    from it."""

    at: int
    site: ir.AccessSite
    object: ir.MemoryObject
    kind: int
    reach: ByteReach
    sure: bool


def remote_races(
    body: ir.Body, events: Sequence[Event], reached: Mapping[ir.AccessSite, ByteReach], blocks: int
) -> list[RacingPair]:
    """`reached`: by access to other blocks, what it may touch there."""
    statements = list(walk(body))
    if blocks == 1 or not _reaches_others(statements) or _may_wait(body, statements):
        return []
    barriers = _barriers(statements)
    remote = list(_remote(body, statements, reached))
    found: dict[tuple[ir.AccessSite, ir.AccessSite], RacingPair] = {}
    for one in remote:
        for own in _own(events, statements, one.object):
            first, second = sorted((one, own), key=lambda use: use.at)
            is_parted = any(first.at < at < second.at for at in barriers)
            if not is_parted and _conflict(first, second):
                kinds = first.kind, second.kind
                sure = first.sure and second.sure
                pair = RacingPair(
                    one.object,
                    "cluster",
                    first.site,
                    second.site,
                    kinds,
                    (0, 0),
                    (0, 1),
                    NOWHERE,
                    sure,
                )
                found.setdefault((first.site, second.site), pair)
    return list(found.values())


def _barriers(statements: Sequence[ir.Statement]) -> list[int]:
    """The places of barriers that blocks of a cluster share."""
    return [
        number
        for number, s in enumerate(statements)
        if isinstance(s, ir.Barrier) and (is_of_cluster(s) or s.site.scope == "grid")
    ]


def _conflict(first: _Use, second: _Use) -> bool:
    """Whether one changes what the other accesses; atomic operations are in an order."""
    kinds = {first.kind, second.kind}
    return kinds not in ({READ}, {ATOMIC}) and _meet(first.reach, second.reach)


def _meet(one: ByteReach, other: ByteReach) -> bool:
    """Whether two accesses may touch one byte. Of what moves on in a loop around both, as where two
    halves are taken in turns, it is not known."""
    is_repeated = any(loop in other.loops for loop in one.loops)
    if is_repeated and not (one.steady and other.steady):
        return False
    return one.low < other.high and other.low < one.high


def _reaches_others(statements: Sequence[ir.Statement]) -> bool:
    return any(_is_remote(e) for s in statements for e in _parts(s))


def _may_wait(body: ir.Body, statements: Sequence[ir.Statement]) -> bool:
    """Whether threads may wait for others but at barriers."""
    calls = any(isinstance(s, ir.Clobber) or tests_a_wait(s) for s in statements)
    return calls or hands_over(body)


def _remote(
    body: ir.Body, statements: Sequence[ir.Statement], reached: Mapping[ir.AccessSite, ByteReach]
) -> Iterator[_Use]:
    """Accesses to arrays of other blocks."""
    always = _reached_by_all(body)
    held: dict[ir.Variable, ir.MemoryObject] = {}
    for number, s in enumerate(statements):
        if isinstance(s, ir.Assign):
            objects = _objects(s.value, held)
            if len(objects) == 1:
                held[s.variable] = objects.pop()
        elif isinstance(s, ir.Load | ir.Store | ir.Atomic):
            objects = _objects(s.address, held)
            if len(objects) == 1 and s.site in reached:
                kind = KINDS[s.site.op]
                yield _Use(number, s.site, objects.pop(), kind, reached[s.site], s in always)


def _objects(e: ir.Expression, held: dict[ir.Variable, ir.MemoryObject]) -> set[ir.MemoryObject]:
    """The arrays that an address in another block belongs to."""
    found: set[ir.MemoryObject] = set()
    for part in walk_expression(e):
        if _is_remote(part):
            found |= {x.object for x in walk_expression(part) if isinstance(x, ir.Address)}
        elif isinstance(part, ir.Read) and part.variable in held:
            found.add(held[part.variable])
    return found


def _own(
    events: Sequence[Event], statements: Sequence[ir.Statement], object_: ir.MemoryObject
) -> Iterator[_Use]:
    """What blocks do with an array of their own."""
    at: dict[ir.AccessSite, int] = {}
    for number, s in enumerate(statements):
        if isinstance(s, ir.Load | ir.Store | ir.Atomic):
            at.setdefault(s.site, number)
    found: dict[ir.AccessSite, _Use] = {}
    for event in events:
        if event.target is not object_ or event.site not in at:
            continue
        reach = reach_of(event.offset, event.may, bool(event.terms), event.site, event.loops)
        known = found.get(event.site)
        if known is None:
            kind, sure = event.kind, event.sure
            found[event.site] = _Use(at[event.site], event.site, object_, kind, reach, sure)
        else:
            found[event.site] = replace(known, reach=known.reach.joined(reach))
    yield from found.values()


@dataclass(frozen=True, slots=True)
class Ended:
    """An access to an array of another block, which may have ended: no barrier of the cluster follows."""

    object: ir.MemoryObject
    site: ir.AccessSite
    thread: int
    block: int
    offset: int
    sure: bool


def ended(body: ir.Body, reached: Mapping[ir.AccessSite, ByteReach], blocks: int) -> list[Ended]:
    """Accesses to shared memory of blocks that may have ended (CUDA C++ Programming Guide, Distributed
    Shared Memory: it must exist as long as others access it)."""
    statements = list(walk(body))
    if blocks == 1 or not reached or _may_wait(body, statements):
        return []
    last = max(_barriers(statements), default=-1)
    late = [use for use in _remote(body, statements, reached) if use.at > last]
    return [Ended(use.object, use.site, 0, 0, 0, use.reach.sure) for use in late]


def filled_by_others(
    body: ir.Body, reached: Mapping[ir.AccessSite, ByteReach]
) -> frozenset[ir.MemoryObject] | None:
    """The arrays that other blocks may write; None where they may write every one."""
    found: set[ir.MemoryObject] = set()
    statements, held = list(walk(body)), _held(body)
    for s in statements:
        for e in _handed_on(s, reached):
            objects = _pointed_into(e, held)
            if objects is not None and not objects:
                return None
            found |= objects or set()
    return frozenset(found)


def _handed_on(
    s: ir.Statement, reached: Mapping[ir.AccessSite, ByteReach]
) -> Iterator[ir.Expression]:
    """Expressions of a statement through which memory of other blocks may be written."""
    match s:
        case ir.Assign() | ir.Load():
            return
        case ir.Store() | ir.Atomic():
            yield from (e for e in expressions(s) if e is not s.address or s.site in reached)
        case _:
            yield from expressions(s)


def _held(body: ir.Body) -> dict[ir.Variable, set[ir.MemoryObject]]:
    """By variable that may point into memory of other blocks, the arrays; empty where that is any."""
    held: dict[ir.Variable, set[ir.MemoryObject]] = {}
    for _ in range(PASSES):
        for s in walk(body):
            objects = _pointed_into(s.value, held) if isinstance(s, ir.Assign) else None
            if isinstance(s, ir.Assign) and objects is not None:
                held.setdefault(s.variable, set()).update(objects)
    return held


def _pointed_into(
    e: ir.Expression, held: Mapping[ir.Variable, set[ir.MemoryObject]]
) -> set[ir.MemoryObject] | None:
    """The arrays of other blocks that an address made of an expression belongs to; None: of none."""
    found: set[ir.MemoryObject] | None = None
    for part in walk_expression(e):
        if _is_remote(part):
            objects = {x.object for x in walk_expression(part) if isinstance(x, ir.Address)}
            found = (found or set()) | objects
        elif isinstance(part, ir.Read) and part.variable in held:
            found = (found or set()) | held[part.variable]
    return found


def _is_remote(e: ir.Expression) -> bool:
    return isinstance(e, ir.Unknown) and e.reason == REMOTE


def _parts(s: ir.Statement) -> Iterator[ir.Expression]:
    for e in expressions(s):
        yield from walk_expression(e)


def _reached_by_all(body: ir.Body) -> set[ir.Statement]:
    """The statements that no branch keeps a thread from, unless it has left."""
    found = set(body)
    for s in body:
        if isinstance(s, ir.Loop | ir.Region):
            for inner in bodies(s):
                found |= _reached_by_all(inner)
    return found
