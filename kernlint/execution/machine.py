"""Structured SIMT execution of a lowered body over all lanes of a set of blocks at once.

In: an `ir` body, the launch's builtins, a device. Out: `Record`: tallies of accesses, branches and
barriers, launches reached (host). Control flow narrows masks; lanes that leave a region wait at its
end. What is unknown stays an atom; nothing is sampled.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from kernlint.base import deadline
from kernlint.execution import undecided_branches
from kernlint.execution import warp_collectives as together
from kernlint.execution.analysis import Analysis
from kernlint.execution.counting import evaluations
from kernlint.execution.counting.footprint import Footprint
from kernlint.execution.counting.requests import Shape, executions
from kernlint.execution.counting.tally import Counter, Tally
from kernlint.execution.counting.variants import Waiting, arrive, follow
from kernlint.execution.evaluate import Evaluator
from kernlint.execution.loops.iteration import run_loop
from kernlint.execution.loops.resuming import Learn
from kernlint.execution.loops.rewriting import Rewriting, Turning, tell_apart, turns
from kernlint.execution.loops.warp_uniform_carry import Parting, watched
from kernlint.execution.memory import Memory
from kernlint.execution.record import LaunchReached, Limits, OverBudget, Record, Scope, Stepped
from kernlint.execution.values import booleans, sums
from kernlint.execution.values.booleans import Bool
from kernlint.execution.values.masks import Mask, among, narrowed, truth, without
from kernlint.execution.values.sums import LANE
from kernlint.execution.values.values import (
    Atom,
    Atoms,
    Value,
    base_of,
    determiners,
    identity,
    of_atom,
)
from kernlint.hardware import Device
from kernlint.ir import nodes as ir
from kernlint.ir.types import Float, Integer, Pointer, Type, type_bounds

BETWEEN_LOOKS = 32  # statements between looks at the clock, which ask the system
ACCESS_WORK = 60  # counting one access costs about as much as this many other statements


class Machine:
    """Runs one body for one set of blocks. `open_loops` are run for one symbolic iteration,
    `stepped_loops` never as an axis; the lanes of a warp move what `apart` names on by different
    amounts."""

    def __init__(
        self,
        analysis: Analysis,
        builtins: Mapping[str, Value],
        sizes: dict[int, int],
        blocks: sums.Array,
        device: Device,
        initial: Mask,
        dynamic_bytes: int | None,
        limits: Limits,
        open_loops: frozenset[ir.Loop] = frozenset(),
        stepped_loops: frozenset[ir.Loop] = frozenset(),
        apart: frozenset[Parting] = frozenset(),
    ) -> None:
        self.analysis = analysis
        self.evaluator = Evaluator(builtins, Atoms(device.warp_lanes), device.warp_lanes)
        self.sizes = sizes
        self.shape = Shape(sizes, device.warp_lanes, blocks)
        self.device = device
        self.counter = Counter(device)
        self.memory = Memory(analysis.slice.objects, sizes, dynamic_bytes)
        self.record = Record()
        self.mask = initial
        self.initial = initial
        self.scopes: list[Scope] = [Scope(None, initial, None)]
        self.leaves: list[tuple[ir.Label, Mask]] = []
        self.exited: list[Mask] = []
        self.owners: dict[ir.Variable, Mask | None] = {}
        self.limits = limits
        self.open_loops, self.stepped_loops, self.apart = open_loops, stepped_loops, apart
        self.learn: Learn | None = (
            None  # takes in what turns out of a loop; None: the caller does, and begins again
        )
        self.open_depth = 0  # loops around whose number of iterations is unknown
        self.open_reason = ("unknown-trip-count", "")
        self.axis_loops: list[tuple[int, ir.Loop]] = []
        self.rewriting: Rewriting = ()
        self.loops: list[ir.Loop] = []
        self.dispatches: dict[
            ir.BranchSite, tuple[Mask, list[Bool]]
        ] = {}  # of branches being run: who came, who goes each way
        self.presumed = (
            0  # conditions around that hold only by assumption, and on which lanes may part
        )
        self.drifting: dict[
            ir.Variable, list[tuple[ir.Loop, Mask, int]]
        ] = {}  # by loops that move them on, by multiples of that
        self.partings: set[Parting] = set()
        self.arms: list[undecided_branches.Arm] = []  # of branches around that nobody can decide
        self.statements = 0
        self.looks_at_clock = 0  # from this many statements on
        self.waiting: dict[ir.If, list[Waiting]] = {}
        self.stepping: list[Stepped] = []  # loops run turn by turn
        self.uneven: set[ir.Loop] = set()  # axis loops that lanes leave at different iterations
        self.footprint = Footprint(self.record.touched, self.record.reached)
        self.skipped: frozenset[ir.Statement] = (
            frozenset()
        )  # updates of induction variables that an axis stands for

    # ------------------------------------------------------------ statements

    def run(self, body: ir.Body) -> None:
        for statement in body:
            if self.mask.empty:
                return
            self.statements += 1
            if self.statements >= self.looks_at_clock:
                deadline.check()
                self.looks_at_clock = self.statements + BETWEEN_LOOKS
            if self.statements > self.limits.statements:
                self.over_budget()
            if self.limits.measure:
                self._executed(statement)
            _STATEMENTS[type(statement)](self, statement)

    def over_budget(self) -> None:
        """Raises OverBudget for the outermost loop that is run turn by turn, if there is one."""
        if self.stepping:
            raise OverBudget(self.stepping[0].loop)

    def _executed(self, statement: ir.Statement) -> None:
        """Tallies the warps that execute a statement (for all iterations of the axes in scope)."""
        counts = self.record.executions
        counts[statement] = counts.get(statement, 0) + executions(self.mask.may, self.shape)[0]
        if self.mask.conditional or self.repeats is not None:
            self.record.doubtful.add(statement)

    @property
    def repeats(self) -> tuple[str, str] | None:
        """Why it is not known how often what a block executes now runs (reason, detail); None where
        it is known."""
        return self.open_reason if self.open_depth else None

    def assign(self, variable: ir.Variable, value: Value) -> None:
        environment = self.evaluator.environment
        if variable in self.drifting:
            together = watched(self, variable, value, self.mask)
            if together is not None:
                environment[variable], self.owners[variable] = together, None
                return
        old = environment.get(variable)
        in_arm = old is not None and undecided_branches.note(self, variable, old)
        if (
            old is None
            or in_arm
            or self.owners.get(variable) is self.mask
            or self._covers(variable)
        ):
            environment[variable] = value
            self.owners[variable] = self.mask
            return
        if old is value:
            return
        environment[variable] = self.evaluator.one_of(truth(self.mask), value, old, variable.type)
        self.owners[variable] = None

    def _covers(self, variable: ir.Variable) -> bool:
        return any(
            s.spine is self.mask and (s.locals is None or variable in s.locals) for s in self.scopes
        )

    def every_lane(self) -> tuple[sums.Sum, ...]:
        return self.evaluator.every_lane()

    def every_warp(self) -> tuple[sums.Sum, ...]:
        own = sums.along(LANE, np.arange(self.sizes[LANE]) // self.device.warp_lanes)
        return (*((own,) if own.parts else ()), *self.every_block())

    def every_block(self) -> tuple[sums.Sum, ...]:
        return tuple(d for d in self.every_lane() if LANE not in d.key)

    def _needed(self, variable: ir.Variable) -> bool:
        return variable in self.analysis.slice.variables

    def assign_statement(self, s: ir.Assign) -> None:
        if self._needed(s.variable) and s not in self.skipped:
            self.assign(s.variable, self.evaluator.value(s.value))

    def load(self, s: ir.Load) -> None:
        address = self.evaluator.number(s.address)
        self.count(s.site, s.address, address)
        for offset, variable in s.targets:
            if self._needed(variable):
                self.assign(variable, self.loaded(address, offset, variable.type, s.site))

    def loaded(self, address: Value, offset: int, type_: Type, site: ir.AccessSite) -> Value:
        """The value of a scalar of `type_` at `address` + `offset`: tracked contents, else an atom
        keyed by what is read."""
        base = base_of(address)
        object_ = base.base if base is not None else None
        at = sums.add(address.known, sums.constant(offset))
        if object_ is not None and len(address.terms) == 1 and isinstance(type_, Integer):
            found = self.memory.load(object_, at, self.mask.may, type_.size)
            if found is not None:
                return Value(sums.wrap(found, type_.bits, type_.signed))
        low, high = type_bounds(type_)
        space = object_.space if object_ is not None else ""
        owners = {"local": ("unique.lane", "unique.block"), "shared": ("unique.block",)}.get(
            space, ()
        )
        by = determiners(
            address,
            *(self.evaluator.builtins[name] for name in owners if name in self.evaluator.builtins),
        )
        if self.rewriting:
            by = sums.distinct((*by, *turns(self, object_)))
        atom = Atom(site.text, "loaded-value", low, high, determiners=by)
        key = ("load", identity(Value(at, address.terms)), self.memory.version(object_), str(type_))
        return of_atom(self.evaluator.atoms.intern(key, atom))

    def store(self, s: ir.Store) -> None:
        address = self.evaluator.number(s.address)
        self.count(s.site, s.address, address)
        base = base_of(address)
        object_ = base.base if base is not None else None
        if object_ is None or len(address.terms) > 1:
            self.memory.forget(object_)
            return
        if object_ not in self.memory.tracked:
            self.memory.touch(object_)
            return
        if not s.values:
            self.memory.forget(object_)
        for offset, expression in s.values:
            value = self.evaluator.number(expression)
            known = (
                value.known if value.is_known and not isinstance(expression.type, Float) else None
            )
            at = sums.add(address.known, sums.constant(offset))
            if known is not None and self.rewriting:
                raise Turning
            self.memory.store(
                object_,
                at,
                known,
                self.mask.may,
                self.mask.is_known and not self.open_depth,
                expression.type.size or 1,
            )

    def atomic(self, s: ir.Atomic) -> None:
        address = self.evaluator.number(s.address)
        self.count(
            s.site,
            s.address,
            address,
            hardware_op="increment" if self._increments(s, address) else None,
        )
        base = base_of(address)
        self.memory.forget(base.base if base is not None else None)
        if s.target is not None and self._needed(s.target):
            self.assign(
                s.target,
                self.evaluator.atoms.fresh(
                    s.site.text, "atomic-result", s.target.type, self.every_lane()
                ),
            )

    def _increments(self, s: ir.Atomic, address: Value) -> bool:
        """Whether the machine has one instruction that counts the lanes on each word: an integer 1
        added in shared memory, the old value unused (ATOMS.POPC.INC, seen in nvcc's code for sm_90;
        so is atomicInc without a limit)."""
        base = base_of(address)
        if (
            base is None
            or base.base is None
            or base.base.space != "shared"
            or not self.counter.has("increment", s.site)
        ):
            return False
        if s.site.result_used or s.site.floating or len(s.operands) != 1:
            return False
        operand = s.operands[0]
        while isinstance(operand, ir.Convert):
            operand = operand.operand
        wanted = {"add": 1, "inc": 0xFFFFFFFF}.get(s.operation)
        return isinstance(operand, ir.Constant) and operand.value == wanted

    def copy(self, s: ir.Copy) -> None:
        source, destination = self.evaluator.number(s.source), self.evaluator.number(s.destination)
        self.count(s.source_site, s.source, source)
        self.count(s.destination_site, s.destination, destination)
        base = base_of(destination)
        self.memory.forget(base.base if base is not None else None)

    def matrix(self, s: ir.Matrix) -> None:
        address = self.evaluator.number(s.address)
        lanes = np.arange(self.sizes[LANE]) % self.device.warp_lanes < 8 * s.count
        self.count(s.site, s.address, address, booleans.of_factor((LANE,), lanes))
        if s.site.op == "store":
            base = base_of(address)
            self.memory.forget(base.base if base is not None else None)
        for target in s.targets:
            if self._needed(target):
                self.assign(
                    target,
                    self.evaluator.atoms.fresh(
                        s.site.text, "loaded-value", target.type, self.every_lane()
                    ),
                )

    def _constant_once_unrolled(self, address: Value) -> bool:
        """Whether an address depends on nothing but counters of loops that count between constants,
        or between what is known."""
        counted = {
            axis for axis, loop in self.axis_loops if self.analysis.counts_constants(loop)
        } | {axis for axis, _ in self.rewriting}
        return len(address.terms) == 1 and set(address.known.key) <= counted

    def count(
        self,
        site: ir.AccessSite,
        pointer: ir.Expression,
        address: Value,
        lanes: Bool = booleans.TRUE,
        hardware_op: str | None = None,
    ) -> None:
        """Tallies one execution of an access (for all iterations of the axes in scope); none of
        host code, where launches count."""
        if self.analysis.is_host:
            tell_apart(self, address)
            self.statements += ACCESS_WORK
            return
        base = base_of(address)
        unplaced = (pointer.type.space if isinstance(pointer.type, Pointer) else "") or (
            "global" if address.terms else "local"
        )
        space = base.base.space if base is not None and base.base is not None else unplaced
        tally = self.record.accesses.get((site, space))
        if tally is None:
            tally = self.record.accesses[(site, space)] = Tally(
                site, space, hardware_op or site.hardware_op, loops=tuple(self.loops)
            )
        if base is not None and base.base is not None:
            tally.objects.setdefault(base.base)
            tally.assumptions |= self.evaluator.presumed_of(base.base)
        if space == "local" and tally.always_constant:
            tally.decided = self.analysis.decided_at_run(pointer)
            tally.always_constant = not tally.decided and (
                self._constant_once_unrolled(address) or self.analysis.is_folded(pointer)
            )
            tally.indexing |= self.analysis.counting(pointer, self.loops)
        mask = self.mask if lanes.is_true else among(self.mask, lanes, self.device.warp_lanes)
        if self.limits.measure and (base is None or base.base is None):
            self.footprint.reached[(site, None)] = None
        elif (
            self.limits.measure and space == "shared" and base is not None and base.base is not None
        ):
            self.footprint.reach(site, base.base, address, mask.may, self.shape)
        if self.limits.measure and space == "global" and base is not None and base.base is not None:
            if len(address.terms) > 1:
                self.footprint.forget(site, base.base)
            else:
                self.footprint.note(
                    site, base.base, address.known, mask.may, self.shape, self.device.sector_bytes
                )
        tell_apart(self, address)
        self.statements += ACCESS_WORK
        self.counter.record(tally, address, mask, self.shape, self.repeats)
        if self.analysis.outcomes:
            follow(self, tally, address, mask)

    # ------------------------------------------------------------ lanes together

    def shuffle(self, s: ir.Shuffle) -> None:
        together.meet(self, s)
        if self._needed(s.target):
            together.shuffle(self, s)

    def vote(self, s: ir.Vote) -> None:
        together.meet(self, s)
        if self._needed(s.target):
            together.vote(self, s)

    def barrier(self, s: ir.Barrier) -> None:
        together.barrier(self, s)

    # ------------------------------------------------------------ control

    def branch(self, s: ir.If) -> None:
        condition = self.evaluator.condition(s.condition)
        outermost = (
            s.site not in self.dispatches
        )  # a switch is a chain of branches that share one site
        first, ways = self.dispatches.setdefault(s.site, (self.mask, []))
        evaluations.count(self, s.site, self.mask, condition, first)
        entry, before = self.mask, len(self.leaves)
        results, assigned = [], []
        for body, holds in ((s.then, condition), (s.otherwise, booleans.negation(condition))):
            self.mask = narrowed(entry, holds, self.device.warp_lanes)
            if holds is condition:
                ways.append(self.mask.may)
            if s in self.waiting:
                arrive(self, s, holds is condition, self.mask)
            start = len(self.leaves)
            self.presumed += condition.presumed
            if condition.is_known:
                self.run(body)
            else:
                assigned.append(undecided_branches.run(self, body))
            self.presumed -= condition.presumed
            results.append((self.mask, len(self.leaves) - start))
        if assigned:
            undecided_branches.join(self, entry, *assigned)
        self.waiting.pop(s, None)
        if outermost:
            del self.dispatches[s.site]
            evaluations.note(self, s.site, first, ways)
        (then, then_left), (otherwise, otherwise_left) = results
        if len(self.leaves) == before:
            self.mask = entry
            return
        if then.empty and (otherwise.empty or not otherwise_left):
            self.mask = otherwise
        elif not then_left and otherwise.empty:
            self.mask = then
        else:
            self.mask = without(
                entry, [mask for _, mask in self.leaves[before:]], self.device.warp_lanes
            )
        self.move_spines(entry, before)

    def move_spines(self, entry: Mask, before: int) -> None:
        """After lanes left: scopes that they left for good go on with the others."""
        levels = {scope.label: i for i, scope in enumerate(self.scopes)}
        outermost = max((levels.get(label, 0) for label, _ in self.leaves[before:]), default=0)
        for i, scope in enumerate(self.scopes):
            if scope.spine is entry and outermost <= i:
                scope.spine = self.mask

    def region(self, s: ir.Region) -> None:
        entry, before = self.mask, len(self.leaves)
        self.scopes.append(Scope(s.label, entry, self.analysis.locals_of(s)))
        self.run(s.body)
        self.scopes.pop()
        self.rejoin(s.label, entry, before)

    def rejoin(self, label: ir.Label, entry: Mask, before: int) -> None:
        """Lanes that left to `label` since `before` come back; those that left further out do
        not."""
        others = [(at, mask) for at, mask in self.leaves[before:] if at is not label]
        returned = [mask for at, mask in self.leaves[before:] if at is label and not mask.empty]
        del self.leaves[before:]
        self.leaves += others
        if not others:
            self.mask = entry
        elif returned:
            alone = len(returned) == 1 and self.mask.empty
            self.mask = (
                returned[0]
                if alone
                else without(entry, [mask for _, mask in others], self.device.warp_lanes)
            )
            self.move_spines(entry, before)

    def leave(self, s: ir.Leave) -> None:
        self.leaves.append((s.label, self.mask))
        if s.label is self.analysis.exit_label:
            self.exited.append(self.mask)
        self.mask = Mask(booleans.FALSE, booleans.FALSE)

    def trap(self, s: ir.Trap) -> None:
        if self.analysis.is_host:
            return
        self.leaves.append((self.analysis.exit_label, self.mask))
        self.exited.append(self.mask)
        self.mask = Mask(booleans.FALSE, booleans.FALSE)

    def loop(self, s: ir.Loop) -> None:
        self.loops.append(s)
        run_loop(self, s)
        self.loops.pop()

    def clobber(self, s: ir.Clobber) -> None:
        if s.pointers is None:
            self.memory.forget(None)
            return
        for pointer in s.pointers:
            base = base_of(self.evaluator.number(pointer))
            self.memory.forget(base.base if base is not None else None)

    def nothing(self, s: ir.Assume | ir.Taken) -> None:
        pass

    # ------------------------------------------------------------ host

    def launch(self, s: ir.HostLaunch) -> None:
        value = self.evaluator.number
        self.record.launches.append(
            LaunchReached(
                s,
                tuple(value(e) for e in s.grid),
                tuple(value(e) for e in s.block),
                value(s.dynamic_shared),
                tuple((name, value(e)) for name, e in s.arguments),
            )
        )

    def allocate(self, s: ir.Allocate) -> None:
        object_ = ir.MemoryObject(s.target.name, "global", s.target.type, None, 256, s.span)
        self.assign(s.target, of_atom(self.evaluator.base(object_)))


_STATEMENTS: dict[type, Callable[[Machine, Any], None]] = {
    ir.Assign: Machine.assign_statement,
    ir.Load: Machine.load,
    ir.Store: Machine.store,
    ir.Atomic: Machine.atomic,
    ir.Copy: Machine.copy,
    ir.Matrix: Machine.matrix,
    ir.Shuffle: Machine.shuffle,
    ir.Vote: Machine.vote,
    ir.Barrier: Machine.barrier,
    ir.If: Machine.branch,
    ir.Region: Machine.region,
    ir.Leave: Machine.leave,
    ir.Loop: Machine.loop,
    ir.Clobber: Machine.clobber,
    ir.Trap: Machine.trap,
    ir.Assume: Machine.nothing,
    ir.Taken: Machine.nothing,
    ir.HostLaunch: Machine.launch,
    ir.Allocate: Machine.allocate,
}
