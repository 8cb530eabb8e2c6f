"""How long one warp's program takes when nothing but its own dependences holds it up.

In: the items of a kernel, the latency of each operation, how often loops turn and branches are
taken. Out: cycles from the first instruction to the last. The machine is taken to issue in order;
within straight code between barriers, jumps and loop ends the compiler is taken to have put loads
as early as their addresses and the stores before them allow. Iterations beyond a few are not run:
they take as long as the last one run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from kernlint.base.dataclass import dataclass, field
from kernlint.estimate.costs import STEP
from kernlint.estimate.graph import ANY, Cycle, Fork, Item, Node, Op, Phi, Place, Sync, walk
from kernlint.ir import nodes as ir

# cycles from a comparison to the jump that it decides: the stall counts in nvcc 13.0's machine code
# for sm_90
PREDICATE = 13.0
# cycles from a jump to the first instruction behind it; assumed: twice the five of the machine
# code's stall counts
JUMP = 10.0
# loads that the machine code has ahead of their first use, as far as registers go (15 to 18 in
# loops of one to three loads)
FLYING = 16
GROUPS = 3  # of iterations run before they are taken to repeat
COPIES = 64  # of a loop unrolled whole


@dataclass(frozen=True, slots=True)
class Pace:
    """What timing needs to know. `latency` of operations whose cost does not say it, `trips` of a
    loop, the `taken` share of warps' paths that go into each side of a branch, cycles of one
    `barrier`."""

    latency: Mapping[Op, float]
    trips: Callable[[ir.Loop], float]
    taken: Callable[[ir.If], tuple[float, float]]
    barrier: float


@dataclass(slots=True)
class PathClock:
    """`start`: nothing issues before it; `issued`: instructions since then; `horizon`: the latest
    issue; `arriving`: when all asynchronous copies are there; `stored`: by place, the issue of the
    last store: loads behind it that may meet it come after."""

    start: float = 0.0
    issued: float = 0.0
    horizon: float = 0.0
    arriving: float = 0.0
    flying: list[float] = field(default_factory=list)  # when the loads since `start` arrive
    ready: dict[Node, float] = field(default_factory=dict)
    stored: dict[Place, float] = field(default_factory=dict)

    @property
    def now(self) -> float:
        return max(self.horizon, self.start + self.issued)

    def segment(self, start: float) -> None:
        """Nothing behind this point issues before `start`."""
        self.start, self.issued, self.horizon = start, 0.0, start
        self.flying.clear()

    def available(self, node: Node) -> float:
        return self.ready.get(node, 0.0)


def duration(items: Iterable[Item], pace: Pace) -> float:
    clock = PathClock()
    _run(items, clock, pace)
    return max(clock.now, clock.arriving)


def _run(items: Iterable[Item], clock: PathClock, pace: Pace) -> None:
    for item in items:
        if isinstance(item, Op):
            _issue(item, clock, pace)
        elif isinstance(item, Sync):
            clock.segment(max(clock.now, clock.arriving) + pace.barrier)
        elif isinstance(item, Fork):
            _fork(item, clock, pace)
        else:
            _cycle(item, clock, pace)


def _issue(op: Op, clock: PathClock, pace: Pace) -> None:
    at, ready, kind = clock.start, clock.ready, op.kind
    for operand in op.deps:
        there = ready.get(operand)
        if there is not None and there > at:
            at = there
    if kind in ("store", "atomic", "copy") and op.place is not None:
        clock.stored[op.place] = max(at, clock.stored.get(op.place, 0.0))
    elif kind == "load" and op.place is not None:
        ahead = clock.flying[-FLYING] if len(clock.flying) >= FLYING else 0.0
        at = max(
            [at, ahead, *(time for place, time in clock.stored.items() if place.meets(op.place))]
        )
    time = pace.latency.get(op)
    ready[op] = done = at + (op.cost.latency if time is None else time)
    if kind == "load":
        clock.flying.append(done)
    elif kind == "copy":
        clock.arriving = max(clock.arriving, done)
    if op.cost.count:
        clock.horizon = max(clock.horizon, at)
        clock.issued += op.cost.count
    if kind == "test":
        clock.segment(max(clock.now, done + PREDICATE) + JUMP)


def _fork(fork: Fork, clock: PathClock, pace: Pace) -> None:
    if fork.predicated:
        _run((*fork.then, *fork.otherwise), clock, pace)
        return
    decided = (
        clock.available(fork.condition) - STEP + PREDICATE if fork.condition is not None else 0.0
    )
    begin, before = max(clock.now, decided), dict(clock.stored)
    spent, stored = [], []
    for items, share in zip((fork.then, fork.otherwise), pace.taken(fork.statement), strict=True):
        clock.segment(begin)
        clock.stored = dict(before)
        if share > 0:
            _run(items, clock, pace)
        spent.append(share * (clock.now - begin))
        stored.append(clock.stored)
    clock.segment(begin + JUMP + max(spent))
    clock.stored = {
        place: min(clock.start, max(s.get(place, 0.0) for s in stored))
        for place in {*stored[0], *stored[1]}
    }


def _cycle(cycle: Cycle, clock: PathClock, pace: Pace) -> None:
    _run(cycle.before, clock, pace)
    trips = pace.trips(cycle.statement)
    if trips <= 0:
        return
    side_by_side = min(trips, COPIES) if cycle.unroll == 0 else min(cycle.unroll, trips)
    groups = trips / side_by_side
    for phi in cycle.phis:
        clock.ready[phi] = max((clock.available(d) for d in phi.deps), default=0.0)
    ends = [clock.now]
    while len(ends) <= min(groups, GROUPS):
        _group(cycle, max(1, round(side_by_side)), clock, pace)
        ends.append(clock.now)
    rest = groups - (len(ends) - 1)
    if rest > 0 and len(ends) > 1:
        _later(cycle, clock, rest * (ends[-1] - ends[-2]))


def _group(cycle: Cycle, copies: int, clock: PathClock, pace: Pace) -> None:
    """Iterations in one stretch of straight code, and the jump back."""
    for _ in range(copies):
        for phi in cycle.phis:
            if phi.moves != ANY:
                clock.ready[phi] = clock.start
        _run(cycle.body, clock, pace)
        for phi, end in [
            (phi, clock.available(phi.back)) for phi in cycle.phis if phi.back is not None
        ]:
            clock.ready[phi] = end
    if cycle.unroll and not any(
        isinstance(item, Op) and item.kind == "test" for item in cycle.body
    ):
        clock.segment(
            max(clock.now, clock.start + STEP + PREDICATE) + JUMP
        )  # count, compare, jump back


def _later(cycle: Cycle, clock: PathClock, by: float) -> None:
    """Iterations not run: everything the loop has made is there so much later."""
    inside = set(_nodes(cycle.body)) | set(cycle.phis)
    for node in inside:
        if node in clock.ready:
            clock.ready[node] += by
    clock.start += by
    clock.horizon += by
    clock.arriving += by if clock.arriving else 0.0


def _nodes(items: Iterable[Item]) -> Iterator[Op | Phi]:
    for item in walk(items):
        if isinstance(item, Op):
            yield item
        elif isinstance(item, Cycle):
            yield from item.phis
