"""What is derived from a body once and used by every run of it: slice, loop plans, which variables
are local to which region.

In: a body. Out: `Analysis`, memoised per loop and region. Never runs anything.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial

from kernlint.execution.escapes import escaping
from kernlint.execution.extents import Extents
from kernlint.execution.faults.needed_lanes import Uses, conditional_uses
from kernlint.execution.faults.waiting_calls import tests_a_wait
from kernlint.execution.host.pointers import Pointers, Targets, pointers
from kernlint.execution.loops.folded import folded, is_folded
from kernlint.execution.loops.plan import Plan, assigned_anew, carried, plan
from kernlint.execution.loops.recurrences import Recurrence, recurrence
from kernlint.execution.loops.runtime_values import Kinds, decided_at_run, runtime_values
from kernlint.execution.slicing import Slice, needed
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import expressions, reads, targets, walk, walk_expression
from kernlint.launches.lower_bounds import lower_bounds
from kernlint.optimizer.compiler_facts import Outcome

BARRIER_BYTES = 8  # of an mbarrier (PTX ISA, mbarrier)


class Analysis:
    """`exit_label`: where `return` of the kernel goes; `outcomes`: what nvcc surely makes of
    accesses."""

    def __init__(
        self,
        body: ir.Body,
        exit_label: ir.Label,
        is_host: bool = False,
        outcomes: Mapping[ir.AccessSite, Outcome] | None = None,
    ) -> None:
        self.body, self.exit_label, self.is_host = body, exit_label, is_host
        self.outcomes = outcomes or {}
        self.slice: Slice = needed(body, is_host)
        self._known_reads: dict[ir.Statement, frozenset[ir.Variable]] = {}
        self._extents = Extents(body, self.reads_by)
        self._plans: dict[ir.Loop, Plan] = {}
        self._recurrences: dict[tuple[ir.Loop, frozenset[ir.Variable]], Recurrence | None] = {}
        self._pointers: Pointers | None = None
        self._anew: Mapping[ir.Loop, frozenset[ir.Variable]] | None = None
        self._folded: frozenset[ir.Variable] | None = None
        self._runtime: Kinds | None = None
        self._made_of: defaultdict[ir.Variable, frozenset[ir.Variable]] | None = None
        self._escaping: tuple[frozenset[ir.MemoryObject] | None] | None = None
        self._addressed: dict[ir.Loop, frozenset[ir.MemoryObject]] = {}
        self._locals: dict[ir.Statement, frozenset[ir.Variable]] = {}
        self._lower_bounds: frozenset[ir.Variable] | None = None
        self._uses: Mapping[ir.AccessSite, Uses] | None = None
        self._definitions: defaultdict[ir.Variable, list[ir.Statement]] | None = None
        self._waits: frozenset[ir.Statement] | None = None
        self._barrier_sites: dict[ir.Statement, ir.AccessSite] = {}

    def plan_of(self, loop: ir.Loop) -> Plan:
        if loop not in self._plans:
            self._plans[loop] = plan(
                loop, self.slice, partial(self._read_beside, loop), self.reads_by
            )
        return self._plans[loop]

    @property
    def definitions(self) -> Mapping[ir.Variable, Sequence[ir.Statement]]:
        """The statements that give a variable its value; parameters have none."""
        if self._definitions is None:
            self._definitions = defaultdict(list)
            for s in walk(self.body):
                for variable in targets(s):
                    self._definitions[variable].append(s)
        return self._definitions

    @property
    def waits(self) -> frozenset[ir.Statement]:
        """Statements that ask whether something is complete."""
        if self._waits is None:
            self._waits = frozenset(s for s in walk(self.body) if tests_a_wait(s))
        return self._waits

    def barrier_site(self, s: ir.Clobber) -> ir.AccessSite:
        """What sets up or uses a barrier in memory as an access to it."""
        if s not in self._barrier_sites:
            pieces = ((0, BARRIER_BYTES),)
            site = ir.AccessSite(s.span, s.what, "load", "load", pieces, s.span.line)
            self._barrier_sites[s] = site
        return self._barrier_sites[s]

    def lower_bounds_of(self, parameters: Iterable[ir.Variable]) -> frozenset[ir.Variable]:
        """Those of the kernel's parameters that indices have to exceed."""
        if self._lower_bounds is None:
            self._lower_bounds = lower_bounds(self.body, parameters)
        return self._lower_bounds

    def recurrence_of(self, loop: ir.Loop, excluded: frozenset[ir.Variable]) -> Recurrence | None:
        """The states that the loop moves on; `excluded`: variables that cannot be followed."""
        key = loop, excluded
        if key not in self._recurrences:
            counters = [i.variable for i in self.plan_of(loop).inductions]
            self._recurrences[key] = recurrence(
                loop, counters, partial(self._carried_of, loop), excluded
            )
        return self._recurrences[key]

    def _carried_of(
        self, loop: ir.Loop, variables: Collection[ir.Variable]
    ) -> frozenset[ir.Variable]:
        """Those that matter and of which an iteration may read what the one before left."""
        return carried(loop, self.slice.variables.intersection(variables), self.reads_by)

    def read_outside(self, variable: ir.Variable, loop: ir.Loop) -> bool:
        """Whether what the loop leaves in the variable is read by what follows, the loop's own next
        execution included."""
        return self._read_beside(loop, variable) or self._carried_round(variable, loop)

    def _read_beside(self, loop: ir.Loop, variable: ir.Variable) -> bool:
        """Whether statements outside the loop read the variable."""
        return not self._extents.reads_inside(loop, variable)

    def _carried_round(self, variable: ir.Variable, loop: ir.Loop) -> bool:
        """Whether the variable comes to the loop from an earlier iteration of the loop around
        it."""
        if self._anew is None:
            self._anew = assigned_anew(self.body)
        return loop in self._anew and variable not in self._anew[loop]

    def has_launch(self, loop: ir.Loop) -> bool:
        """Or an allocation whose contents matter: each iteration makes one of its own."""
        made = self.slice.allocations
        return self.is_host and any(
            isinstance(s, ir.HostLaunch) or s in made for s in walk((loop,))
        )

    def written(self, loop: ir.Loop) -> Targets | None:
        """The objects of host code that a loop may write; None: any."""
        if self._pointers is None:
            self._pointers = pointers(self.body)
        return self._pointers.written(loop)

    def leaves_alone(self, loop: ir.Loop, object_: ir.MemoryObject) -> bool:
        """Whether nothing in the loop writes to an object: no pointer leads to it, and no address in
        it is stored to."""
        if loop not in self._addressed:
            self._addressed[loop] = frozenset(
                x.object
                for s in walk((loop,))
                for e in _written_addresses(s)
                for x in walk_expression(e)
                if isinstance(x, ir.Address)
            )
        return object_ not in self._addressed[loop] and not self.escapes(object_)

    def counts_constants(self, loop: ir.Loop) -> bool:
        """Whether the loop may be unrolled whole: its condition compares its own counters with
        constants."""
        counters = {i.variable for i in self.plan_of(loop).inductions}
        return loop.unroll != 1 and loop.condition is not None and reads(loop.condition) <= counters

    def is_folded(self, e: ir.Expression) -> bool:
        """Whether the compiler knows the value as a constant, once it has unrolled the loops that
        count between constants."""
        if self._folded is None:
            self._folded = folded(self.body, self.plan_of)
        return is_folded(e, self._folded)

    def decided_at_run(self, e: ir.Expression) -> str:
        """How only a run decides the value: by a `value`, as a loop's `counter`; "" where the
        compiler may know it."""
        if self._runtime is None:
            self._runtime = runtime_values(self.body, self.plan_of, self.reads_by)
        return decided_at_run(e, self._runtime)

    def counting(self, e: ir.Expression, loops: Iterable[ir.Loop]) -> frozenset[ir.Loop]:
        """Those of the loops whose counters an expression is made of."""
        if self._made_of is None:
            self._made_of = defaultdict(frozenset)
            for s in walk(self.body):
                for variable in targets(s):
                    self._made_of[variable] |= self.reads_by(s)
        found, pending = set[ir.Variable](), set(reads(e))
        while pending:
            found |= pending
            pending = set().union(*(self._made_of[v] for v in pending)) - found
        return frozenset(
            loop
            for loop in loops
            if any(i.variable in found for i in self.plan_of(loop).inductions)
        )

    def escapes(self, object_: ir.MemoryObject) -> bool:
        """Whether an object's address is used for anything but loads and stores at an index from
        it."""
        if self._escaping is None:
            self._escaping = (escaping(self.body),)
        (found,) = self._escaping
        return found is None or object_ in found

    @property
    def conditional_uses(self) -> Mapping[ir.AccessSite, Uses]:
        """The loads whose values are used only under conditions that are tested behind them."""
        if self._uses is None:
            self._uses = conditional_uses(self.body)
        return self._uses

    def reads_by(self, s: ir.Statement) -> frozenset[ir.Variable]:
        """The variables that the statement itself reads, its bodies left out."""
        found = self._known_reads.get(s)
        if found is None:
            found = self._known_reads[s] = frozenset().union(*map(reads, expressions(s)))
        return found

    def locals_of(self, statement: ir.Region | ir.Loop) -> frozenset[ir.Variable]:
        """Variables whose reads all lie inside the statement, and that are assigned only inside it
        or, of a loop, come to it anew each time: outside it their values do not matter to lanes
        that have left it."""
        if statement not in self._locals:
            found = self._extents.within(statement)
            if isinstance(statement, ir.Loop):
                assigned = {v for s in walk((statement,)) for v in targets(s)} - found
                found |= {
                    v
                    for v in assigned
                    if self._extents.reads_inside(statement, v)
                    and not self._carried_round(v, statement)
                }
            self._locals[statement] = frozenset(found)
        return self._locals[statement]


def _written_addresses(s: ir.Statement) -> Iterable[ir.Expression]:
    """What a statement is made of, unless it only reads memory."""
    return () if isinstance(s, ir.Load) else expressions(s)
