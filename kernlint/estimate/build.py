"""A lowered kernel as instructions: what is computed once, what nvcc takes out of loops, what an
address costs.

In: an `ir.Kernel` and the trip counts that the execution saw. Out: the items of one warp's program (`graph`). The rules, found by compiling
kernels with nvcc 13.0 and reading the machine code (docs/estimate.md lists them):
- equal expressions on equal values are computed once, where the first of them stands, or before the outermost loop they do not change in;
- integers are sums of products: a constant offset is free, each further term costs one instruction (IMAD, LEA), and a product taken in by a
  sum none of its own; so floating point (FFMA);
- an address that moves by a constant per iteration costs one addition per unrolled iteration group (two for 64 bits), none where the loop
  is unrolled whole;
- short branches are predicated, others cost a jump.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kernlint.base.dataclass import dataclass, field
from kernlint.estimate import costs
from kernlint.estimate.costs import Cost
from kernlint.estimate.expressions import Expressions, Form
from kernlint.estimate.graph import (
    ANY,
    CONSTANT,
    COPY,
    STEADY,
    Cycle,
    Fork,
    Item,
    Node,
    Op,
    Place,
    Sync,
)
from kernlint.estimate.unrolling import BY_FOUR, FULLY, SHORT, operations
from kernlint.execution.analysis import Analysis
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import reads, targets, walk
from kernlint.ir.types import Pointer

# instructions of a branch that nvcc predicates instead of jumping (its limit for sm_90, seen in the
# machine code)
PREDICATED = 7
LADDER = Cost(
    15, costs.NONE, 0.0
)  # choosing between 16, 4 and 1 iterations at a time, counted in the machine code of such loops
JUMP = Cost(3, costs.NONE, 0.0)  # BSSY, BRA, BSYNC around a divergent branch


@dataclass(slots=True)
class TimedProgram:
    """`items`: in program order; `loops`: how each loop is unrolled."""

    items: list[Item]
    loops: dict[ir.Loop, Cycle] = field(default_factory=dict)


Memory = Mapping[ir.AccessSite, tuple[str, frozenset[ir.MemoryObject]]]


def build(
    kernel: ir.Kernel, analysis: Analysis, trips: Mapping[ir.Loop, float], memory: Memory
) -> TimedProgram:
    """`trips`: iterations of each loop where known; `memory`: the space and the objects that each
    access was seen to use."""
    builder = Builder(kernel, analysis, trips, memory)
    builder.body(kernel.body)
    roots: list[Item] = list(builder.values.roots.values())
    return TimedProgram(roots + builder.values.start, builder.loops)


class Builder:
    def __init__(
        self, kernel: ir.Kernel, analysis: Analysis, trips: Mapping[ir.Loop, float], memory: Memory
    ) -> None:
        self.analysis, self.trips, self.memory = analysis, trips, memory
        parameters = [
            p
            for p in kernel.parameters
            if isinstance(p.variable.type, Pointer) and p.variable.type.restrict
        ]
        self.restricted = {p.object for p in parameters}
        self.values = Expressions(kernel)
        self.loops: dict[ir.Loop, Cycle] = {}

    def body(self, body: ir.Body) -> None:
        for statement in body:
            self.values.owner = statement
            _STATEMENTS[type(statement)](self, statement)

    # ------------------------------------------------------------ straight code

    def assign(self, s: ir.Assign) -> None:
        self.values.environment[s.variable] = self.values.settled(self.values.form(s.value))

    def load(self, s: ir.Load) -> None:
        found = self._access(s.site, s.address, "load", ())
        for _, variable in s.targets:
            self.values.environment[variable] = Form.of(found)

    def store(self, s: ir.Store) -> None:
        given = [value for _, value in (*s.values, *s.untracked)]
        self._access(s.site, s.address, "store", tuple(self.values.value(e) for e in given))

    def atomic(self, s: ir.Atomic) -> None:
        found = self._access(
            s.site, s.address, "atomic", tuple(self.values.value(e) for e in s.operands)
        )
        if s.target is not None:
            self.values.environment[s.target] = Form.of(found)

    def copy(self, s: ir.Copy) -> None:
        destination, _ = self.values.address(s.destination, False)
        self._access(s.source_site, s.source, "copy", (destination,))

    def matrix(self, s: ir.Matrix) -> None:
        found = self._access(s.site, s.address, "store" if s.site.op == "store" else "load", ())
        for target in s.targets:
            self.values.environment[target] = Form.of(found)

    def _access(
        self, site: ir.AccessSite, address: ir.Expression, kind: str, given: tuple[Node | None, ...]
    ) -> Op:
        if site not in self.memory:  # an array that lives in registers, or never executed
            return self.values.effect(given, costs.FREE, "merge")
        space, objects = self.memory[site]
        node, constant = self.values.address(address, space not in ("shared", "local"))
        alone = bool(objects) and all(o in self.restricted for o in objects)
        place = Place(space, objects, alone, node, constant)
        return self.values.effect(
            (node, *given), Cost(max(1, len(site.pieces)), costs.LSU, 0.0), kind, site, place
        )

    def exchange(self, s: ir.Shuffle | ir.Vote) -> None:
        given = (s.value, s.lane) if isinstance(s, ir.Shuffle) else (s.operand,)
        deps = tuple(self.values.value(e) for e in given if e is not None)
        self.values.environment[s.target] = Form.of(
            self.values.effect(deps, Cost(1, costs.LSU, 0.0), "shuffle")
        )

    def barrier(self, s: ir.Barrier) -> None:
        if s.site.scope in ("block", "grid"):
            self.values.items.append(Sync(s))
        else:
            self.values.effect((), costs.FEW, "arithmetic")

    def clobber(self, s: ir.Clobber) -> None:
        self.values.effect((), Cost(20, costs.NONE, 20 * costs.STEP), "arithmetic")

    def nothing(self, s: ir.Statement) -> None:
        pass

    # ------------------------------------------------------------ control

    def region(self, s: ir.Region) -> None:
        self.body(s.body)

    def leave(self, s: ir.Leave) -> None:
        self.values.effect((), Cost(1, costs.NONE, 0.0), "arithmetic")

    def branch(self, s: ir.If) -> None:
        condition = self.values.value(s.condition)
        fork = Fork(s, condition)
        before = dict(self.values.environment)
        ends = []
        for body, items in ((s.then, fork.then), (s.otherwise, fork.otherwise)):
            self.values.environment = dict(before)
            with self.values.scope(items):
                self.body(body)
            ends.append(self.values.environment)
        self.values.owner = s
        fork.predicated = _short(fork)
        if fork.predicated:
            for op in (*fork.then, *fork.otherwise):
                assert isinstance(op, Op)
                op.owner, op.deps = s, (*op.deps, *((condition,) if condition is not None else ()))
        else:
            self.values.effect((condition,), JUMP, "arithmetic")
        self.values.items.append(fork)
        self._merge(before, ends, condition)

    def _merge(
        self,
        before: dict[ir.Variable, Form],
        ends: list[dict[ir.Variable, Form]],
        condition: Node | None,
    ) -> None:
        after = dict(before)
        for variable in {v for end in ends for v, form in end.items() if before.get(v) is not form}:
            nodes = [self.values.node(end[variable]) for end in ends if variable in end]
            after[variable] = Form.of(self.values.effect((*nodes, condition), costs.FREE, "merge"))
        self.values.environment = after

    def loop(self, s: ir.Loop) -> None:
        cycle = Cycle(s, unroll=self._unroll(s))
        self.loops[s] = cycle
        inductions = {i.variable: i for i in self.analysis.plan_of(s).inductions}
        assigned = {t for inner in walk((*s.header, *s.body, *s.step)) for t in targets(inner)}
        starts = {v: f for v, f in self.values.environment.items() if v in assigned}
        self.values.enter(cycle)
        phis = {}
        for variable, start in starts.items():
            step = self.values.form(inductions[variable].step) if variable in inductions else None
            moves = (
                ANY
                if step is None
                else STEADY
                if step.terms
                else COPY
                if cycle.unroll == 0 and not start.terms
                else CONSTANT
            )
            phis[variable] = self.values.phi(cycle, start, moves)
            self.values.environment[variable] = Form.of(phis[variable])
        self.body(s.header)
        self._test(s, cycle)
        self.body(s.body)
        updates = {i.statement for i in inductions.values()}
        self.body(tuple(x for x in s.step if x not in updates))
        for variable, phi in phis.items():
            if variable not in inductions:
                phi.back = self.values.node(self.values.environment[variable])
        self.values.leave()
        self.values.owner = s
        for variable in assigned & self.values.environment.keys():
            last = [n for n, _ in self.values.environment[variable].terms]
            if last:
                self.values.environment[variable] = Form.of(
                    self.values.effect((*last, phis.get(variable)), costs.FREE, "merge")
                )

    def _test(self, s: ir.Loop, cycle: Cycle) -> None:
        """Counting, comparing and jumping back: once for each group of iterations side by side."""
        if s.condition is None or cycle.unroll == 0:
            return
        self.values.owner = s.body[0] if s.body else s
        counted = reads(s.condition) & {i.variable for i in self.analysis.plan_of(s).inductions}
        if counted:
            if cycle.unroll > 1 and s.unroll is None:
                cycle.before.append(Op(self.values.level - 1, cost=LADDER, owner=s))
            self.values.effect((), Cost(3 / cycle.unroll, costs.ALU, 0.0), "arithmetic")
        else:
            self.values.effect((self.values.value(s.condition),), costs.FEW, "test")

    def _unroll(self, s: ir.Loop) -> int:
        """Iterations that nvcc lays side by side; 0 for all."""
        inside = list(walk((*s.header, *s.body)))
        inner = [x for x in inside if isinstance(x, ir.Loop)]
        count = self.trips.get(s)
        size = operations(
            (*s.header, *s.body), {x: max(1, int(self.trips.get(x, 1))) for x in inner}
        )
        if s.unroll is not None and s.unroll > 0:
            return s.unroll
        if (
            self._counts_between_constants(s)
            and count is not None
            and (s.unroll == 0 or size * count <= FULLY)
        ):
            return 0
        closed = any(
            isinstance(x, (ir.Trap, ir.Clobber, ir.Barrier, ir.Atomic)) or _leaves(x, inside)
            for x in inside
        )
        if (
            closed
            or s.post_test
            or not self._steps_by_constants(s)
            or not all(self._whole(x) for x in inner)
        ):
            return 1
        staged = any(
            isinstance(x, ir.Load) and self._space(x) == "shared" for x in inside
        ) and self._loads_global(inside)
        most = (
            16
            if size <= SHORT and not staged
            else 4
            if size <= BY_FOUR
            else 2
            if size <= 2 * BY_FOUR
            else 1
        )
        return most if count is None or count >= most else 4 if count >= 4 and most > 4 else 1

    def _space(self, s: ir.Load) -> str:
        return self.memory[s.site][0] if s.site in self.memory else ""

    def _loads_global(self, inside: list[ir.Statement]) -> bool:
        """Beside shared memory: then the machine code keeps the loads of four iterations together,
        seen in such loops."""
        return any(isinstance(x, ir.Load) and self._space(x) == "global" for x in inside)

    def _whole(self, s: ir.Loop) -> bool:
        return self._counts_between_constants(s) and self._unroll(s) == 0

    def _counts_between_constants(self, s: ir.Loop) -> bool:
        if (
            not self.analysis.counts_constants(s)
            or not self._steps_by_constants(s)
            or s.condition is None
        ):
            return False
        counters = [
            i.variable
            for i in self.analysis.plan_of(s).inductions
            if i.variable in reads(s.condition)
        ]
        known = self.values.environment
        return all(v not in known or not known[v].terms for v in counters)

    def _steps_by_constants(self, s: ir.Loop) -> bool:
        """Whether the loop's counters move by constants."""
        inductions = self.analysis.plan_of(s).inductions
        return bool(inductions) and all(isinstance(_plain(i.step), ir.Constant) for i in inductions)


def _plain(e: ir.Expression) -> ir.Expression:
    while isinstance(e, ir.Convert):
        e = e.operand
    return e


def _leaves(s: ir.Statement, inside: list[ir.Statement]) -> bool:
    labels = {x.label for x in inside if isinstance(x, (ir.Region, ir.Loop))}
    return isinstance(s, ir.Leave) and s.label not in labels


def _short(fork: Fork) -> bool:
    ops = [*fork.then, *fork.otherwise]
    return (
        all(isinstance(x, Op) for x in ops)
        and sum(x.cost.count for x in ops if isinstance(x, Op)) <= PREDICATED
    )


_STATEMENTS: dict[type, Callable[..., None]] = {
    ir.Assign: Builder.assign,
    ir.Load: Builder.load,
    ir.Store: Builder.store,
    ir.Atomic: Builder.atomic,
    ir.Copy: Builder.copy,
    ir.Matrix: Builder.matrix,
    ir.Shuffle: Builder.exchange,
    ir.Vote: Builder.exchange,
    ir.Barrier: Builder.barrier,
    ir.Clobber: Builder.clobber,
    ir.Region: Builder.region,
    ir.Leave: Builder.leave,
    ir.If: Builder.branch,
    ir.Loop: Builder.loop,
    ir.Trap: Builder.nothing,
    ir.Assume: Builder.nothing,
    ir.CopyGroup: Builder.nothing,
    ir.Taken: Builder.nothing,
}
