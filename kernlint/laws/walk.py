"""A symbolic run of a kernel for one block: every access with its address, its threads and the
loops and conditions around it.

In: a lowered kernel, its launch (of which only the block is used). Out: records. Loops whose trip
counts are known are stepped; others run once with a counter as a symbol. What cannot be followed
becomes an `NoValue` with a reason, never a guess.

Arithmetic is done without wrap-around. Where C needs the value itself (it is widened, compared,
divided), the walk notes that it must lie in its type's range: the domain of all laws.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import sympy

from kernlint.algebra.index import Carried
from kernlint.algebra.loops import assigned, geometric, induction
from kernlint.base import deadline
from kernlint.base.dataclass import dataclass
from kernlint.execution.accesses import adds_one_unused
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import reads, targets, walk
from kernlint.ir.types import Integer, Pointer, Type
from kernlint.laws import functions as own
from kernlint.laws import quotients, whole_warps
from kernlint.laws.functions import Value, symbol
from kernlint.laws.lane_values import (
    Array,
    Coefficient,
    LaneSum,
    NoValue,
    add,
    merged,
    minus,
    multiply,
    number,
    scaled,
    uniform,
)
from kernlint.laws.last_tests import behind_the_last
from kernlint.laws.records import (
    AccessRecord,
    BranchRecord,
    LoopAxis,
    Obligation,
    Scalar,
    State,
    SymbolicRun,
)
from kernlint.laws.values import Guard, LaneEvaluator, Relation, base_named, bounds_of
from kernlint.model.facts import Launch

STEPPED = 512  # iterations of a loop that are stepped
STATEMENTS = 20_000  # of the whole walk

LOADED = "the index depends on a value that is loaded from memory"
CARRIED = "a loop carries a value of the index in a way that is no constant step"
AFTER = "the index depends on a value that a loop leaves behind"
JOINED = "the index depends on which of two paths was taken"
BY_DATA = "whether it executes depends on a condition without a closed form"
TRIPS = "the trip count of the loop around it has no closed form"
EARLY = "a loop around it or before it may end early"
PARTLY = "some threads leave before it in a way that has no closed form"
BUDGET = "the kernel takes too many steps to follow"


@dataclass(frozen=True, slots=True)
class _Arrival:
    """Who leaves for a label, and what variables hold there."""

    state: State
    env: Mapping[ir.Variable, Scalar]


class _TooLong(Exception):
    pass


class _NotStepped(Exception):
    """A loop that cannot be stepped after all."""


def walked(kernel: ir.Kernel, launch: Launch, any_block: bool = False) -> SymbolicRun:
    """`any_block`: for blocks of any number of whole warps, see `whole_warps`."""
    run = _Walk(kernel, launch, any_block)
    loops = (LoopAxis(whole_warps.WARP, whole_warps.WARPS, 0, ""),) if any_block else ()
    start = State(np.ones(run.threads, dtype=bool), loops=loops)
    try:
        run.body(kernel.body, start)
    except _TooLong:
        run.out.records = [
            replace(one, state=replace(one.state, reason=BUDGET)) for one in run.out.records
        ]
    return run.out


class _Walk:
    def __init__(self, kernel: ir.Kernel, launch: Launch, any_block: bool) -> None:
        self.out = SymbolicRun()
        self.threads = whole_warps.LANES if any_block else math.prod(launch.block)
        if any_block:
            self.out.symbols[whole_warps.WARP.name] = whole_warps.MEANING
            self.out.ranges[whole_warps.WARPS] = (1, whole_warps.MOST)
        self.state = State(np.ones(self.threads, dtype=bool))
        self.env: dict[ir.Variable, Scalar] = {}
        self.bases: dict[Value, ir.MemoryObject] = {}
        self.left: dict[ir.Label, list[_Arrival]] = {}
        self.steps = 0
        self.evaluator = LaneEvaluator(launch, self._read, self._base, self._oblige, any_block)
        for parameter in kernel.parameters:
            self.env[parameter.variable] = self._parameter(parameter, launch)

    def _parameter(self, parameter: ir.Parameter, launch: Launch) -> Scalar:
        if parameter.object is not None:
            return self._base(parameter.object)
        if not isinstance(parameter.variable.type, Integer):
            return NoValue("the index depends on an argument that is no integer")
        name = self._named(parameter.name, f"argument `{parameter.name}`")
        kind = parameter.variable.type
        self.evaluator.ranges[name] = kind
        self.out.ranges[name] = bounds_of(kind)
        return uniform(name)

    def _named(self, name: str, meaning: str) -> Value:
        while name in self.out.symbols or name in self.evaluator.reserved:
            name += "'"
        self.out.symbols[name] = meaning
        return symbol(name)

    def _base(self, target: ir.MemoryObject) -> LaneSum:
        base = base_named(target.name, target)
        self.bases[base] = target
        return uniform(base)

    def _read(self, variable: ir.Variable) -> Scalar:
        return self.env.get(variable, NoValue("the index depends on a value that is not known"))

    def _oblige(self, value: LaneSum, type_: Integer) -> None:
        if any(monomial in self.bases for monomial in value.terms):
            return  # addresses of shared memory fit into 32 bits
        bounds = bounds_of(type_)
        self.out.obligations.append(Obligation(value, *bounds, self.state.mask, self.state.loops))

    def _taken(self, begun: int) -> tuple[Obligation, ...]:
        """What was noted since, which concerns only what it was noted for."""
        found = tuple(self.out.obligations[begun:])
        del self.out.obligations[begun:]
        return found

    # -------------------------------------------------------------- control

    def body(self, body: ir.Body, state: State) -> State:
        for statement in body:
            if not state.mask.any():
                return state
            self.steps += 1
            deadline.check()
            if self.steps > STATEMENTS:
                raise _TooLong
            state = self._statement(statement, state)
        return state

    def _statement(self, statement: ir.Statement, state: State) -> State:
        self.state = state
        match statement:
            case ir.If():
                return self._if(statement, state)
            case ir.Loop():
                return self._loop(statement, state)
            case ir.Region(label=label, body=body):
                return self._region(label, body, state)
            case ir.Leave(label=label):
                arrival = _Arrival(state, dict(self.env))
                self.left[label] = [*self.left.get(label, ()), arrival]
                return replace(state, mask=np.zeros(self.threads, bool))
            case ir.Trap():
                return replace(state, mask=np.zeros(self.threads, bool))
            case ir.Assume():
                return state
        self._effect(statement, state)
        return state

    def _if(self, statement: ir.If, state: State) -> State:
        begun = len(self.out.obligations)
        condition = self.evaluator.condition(statement.condition)
        state = replace(state, needs=state.needs + self._taken(begun))
        self.out.branches.append(BranchRecord(statement.site, state, condition))
        if isinstance(condition, Guard) and condition.known:
            holds = condition.holds(self.threads)
            then = self.body(statement.then, replace(state, mask=state.mask & holds))
            other = self.body(statement.otherwise, replace(state, mask=state.mask & ~holds))
            return replace(state, mask=then.mask | other.mask, reason=then.reason or other.reason)
        before = dict(self.env)
        under = [self._under(state, condition)]
        under.append(self._under(state, self.evaluator.negated(condition)))
        sides, after = [], []
        for body, side in zip((statement.then, statement.otherwise), under, strict=True):
            self.env = dict(before)
            sides.append(self.body(body, side))
            after.append(self.env)
        gone = [bool(state.mask.any()) and not side.mask.any() for side in sides]
        self.env = after[gone.index(False)] if any(gone) and not all(gone) else before
        if not any(gone):
            self._join(assigned((statement,)), before, after, condition)
        return _rejoined(state, under, sides, gone)

    def _join(
        self,
        changed: Iterable[ir.Variable],
        before: dict[ir.Variable, Scalar],
        after: Sequence[dict[ir.Variable, Scalar]],
        condition: Guard | NoValue,
    ) -> None:
        """What variables hold behind two paths that both go on."""
        self.env = dict(before)
        for variable in changed:
            then, other = (env.get(variable, NoValue(JOINED)) for env in after)
            if then is other:
                self.env[variable] = then
            elif isinstance(condition, Guard):
                joined = self.evaluator.chosen(condition, then, other)
                self.env[variable] = joined if isinstance(joined, LaneSum) else NoValue(JOINED)
            else:
                self.env[variable] = NoValue(JOINED)

    def _under(self, state: State, condition: Guard | NoValue) -> State:
        if isinstance(condition, NoValue) or condition.negated:
            return replace(state, reason=state.reason or BY_DATA)
        mask = state.mask if condition.mask is None else state.mask & condition.mask
        return replace(state, mask=mask, atoms=state.atoms + condition.atoms)

    def _region(self, label: ir.Label, body: ir.Body, state: State) -> State:
        self.left.pop(label, None)
        end = self.body(body, state)
        left = self.left.pop(label, None)
        if left is None:
            return end
        paths = [*left, _Arrival(end, self.env)] if end.mask.any() else left
        if len(paths) == 1:
            self.env = dict(paths[0].env)
            return paths[0].state
        arrived = [path.state for path in paths]
        if all(one.atoms == state.atoms and one.reason == state.reason for one in arrived):
            return replace(end, mask=np.logical_or.reduce([one.mask for one in arrived]))
        more = [Guard(None, one.atoms[len(state.atoms) :]) for one in arrived]
        for variable in assigned(body):
            held = [path.env.get(variable, NoValue(JOINED)) for path in paths]
            if any(one is not held[0] for one in held):
                self.env[variable] = self._one_of(held, more)
        early = next((one.reason for one in arrived if one.reason in (EARLY, PARTLY)), "")
        if early or not _leaves(body, label):
            return replace(state, reason=early or state.reason)
        return self._any_of(arrived, more, state)

    def _one_of(self, held: Sequence[Scalar], more: Sequence[Guard]) -> Scalar:
        """What a variable holds where several paths meet, one of which each block takes."""
        found = held[-1]
        for guard, value in zip(more, held[:-1], strict=False):
            known = guard.atoms and guard.uniform
            found = self.evaluator.chosen(guard, value, found) if known else NoValue(JOINED)
        return found if isinstance(found, LaneSum) else NoValue(JOINED)

    def _any_of(self, arrived: Sequence[State], more: Sequence[Guard], state: State) -> State:
        """Where several paths arrive whose conditions all threads share."""
        alike = all(bool((one.mask == state.mask).all()) for one in arrived)
        known = all(one.atoms and one.uniform for one in more)
        if not alike or not known:
            return replace(state, reason=state.reason or PARTLY)
        flag = more[0].flag
        for one in more[1:]:
            flag = own.Either(flag, one.flag)
        return replace(state, atoms=(*state.atoms, Relation("!=", uniform(flag))))

    # -------------------------------------------------------------- loops

    def _loop(self, loop: ir.Loop, state: State) -> State:
        before, records, left = dict(self.env), len(self.out.records), dict(self.left)
        carried = dict(self.out.carried)
        branches = len(self.out.branches)
        obligations, steps = len(self.out.obligations), self.steps
        try:
            return self._stepped(loop, state)
        except (_NotStepped, _TooLong):
            self.env, self.left, self.steps = before, left, steps
            del self.out.records[records:], self.out.obligations[obligations:]
            del self.out.branches[branches:]
            self.out.carried = carried
            return self._symbolic(loop, state)

    def _stepped(self, loop: ir.Loop, state: State) -> State:
        running, first = state, loop.post_test
        begun = self.steps
        for _ in range(STEPPED):
            if self.steps - begun > STATEMENTS // 4:
                raise _TooLong
            if not first:
                running = self.body(loop.header, running)
                running = self._tested(loop, running)
            if not running.mask.any():
                break
            running = self.body(loop.body, running)
            running = self.body(loop.step, running)
            first = False
            if loop.label in self.left and running.atoms != state.atoms:
                raise _NotStepped
            if running.atoms != state.atoms or running.reason != state.reason:
                raise _NotStepped
        else:
            raise _NotStepped
        if any(path.state.atoms != state.atoms for path in self.left.pop(loop.label, ())):
            raise _NotStepped
        ended = state.mask & ~self._outside(loop)
        return replace(state, mask=ended, reason=running.reason)

    def _outside(self, loop: ir.Loop) -> Array:
        """Threads that left for a label around the loop."""
        gone = np.zeros(self.threads, bool)
        inner = {s.label for s in walk((loop,)) if isinstance(s, ir.Loop | ir.Region)}
        for s in walk(loop.body):
            if isinstance(s, ir.Leave) and s.label not in inner and s.label in self.left:
                masks = (path.state.mask for path in self.left[s.label])
                gone = np.logical_or.reduce([gone, *masks])
        return gone

    def _tested(self, loop: ir.Loop, state: State) -> State:
        if loop.condition is None:
            raise _NotStepped
        self.state = state
        condition = self.evaluator.condition(loop.condition)
        if isinstance(condition, NoValue) or not condition.known:
            raise _NotStepped
        self.out.branches.append(BranchRecord(loop.site, state, condition))
        return replace(state, mask=state.mask & condition.holds(self.threads))

    def _symbolic(self, loop: ir.Loop, state: State) -> State:
        before, changes = dict(self.env), assigned((loop,))
        steps, factors = induction(loop, changes), geometric(loop, changes)
        counter = self._counter(loop, [*steps, *factors])
        self.state = state
        amounts = {v: self.evaluator.value(step) for v, step in steps.items()}
        walks: dict[ir.Variable, Callable[[Value], Scalar]] = {}
        for variable in changes:
            start = self.env.get(variable, NoValue(CARRIED))
            if isinstance(start, LaneSum) and quotients.is_open(start):
                start = NoValue(quotients.REASON)
            walks[variable] = _walk_of(start, amounts.get(variable), factors.get(variable))
        for variable, walk_of in walks.items():
            self.env[variable] = value = walk_of(counter)
            if isinstance(value, LaneSum) and value.uniform:
                self._carry((loop.site, variable), value.expression)
        self._carry((loop.site, None), counter)
        inside = replace(state, loops=(*state.loops, self._axis(loop, counter, None)))
        if loop.post_test:
            inside = self._entered_first(loop, counter, inside, walks)
        else:
            inside = self._entered(loop, counter, self.body(loop.header, inside))
        inside = self._scaling(factors, before, inside)
        trips = inside.loops[-1].trips
        often = sympy.S.One if trips is None else trips + (0 if loop.post_test else 1)
        body = loop.body if _first_break(loop) is None else loop.body[1:]
        early = _leaves(body)
        if early:
            inside = replace(inside, reason=inside.reason or EARLY)
        # a condition that also asks something else than the count decides each test
        counts = trips is not None and inside.atoms == state.atoms
        why = inside.reason or ("" if counts and loop.condition is not None else TRIPS)
        known: Guard | NoValue = NoValue(why) if why else Guard()
        tested = replace(state, needs=inside.needs)
        self.out.branches.append(BranchRecord(loop.site, tested, known, often))
        if body is not loop.body and isinstance(first := loop.body[0], ir.If):
            last = replace(inside, reason=inside.reason or EARLY)  # passes as the loop ends
            self.out.branches.append(BranchRecord(first.site, last, NoValue(EARLY)))
        end = self.body(loop.step, self.body(body, inside))
        if loop.post_test:
            self.body(loop.header, end)
        self.left.pop(loop.label, None)
        counted = counts and not early and not loop.header
        for variable in changes:
            after = walks[variable](trips) if counted else NoValue(AFTER)
            self.env[variable] = after if isinstance(after, LaneSum) else NoValue(AFTER)
        hard = PARTLY if bool((self._outside(loop) & state.mask).any()) else ""
        carried = end.reason if end.reason in (PARTLY,) else ""
        return replace(state, reason=state.reason or hard or carried)

    def _carry(self, what: Carried, value: Value) -> None:
        """Of a loop that is walked more than once, as one inside others is, there is none."""
        known = self.out.carried.setdefault(what, value)
        self.out.carried[what] = value if known == value else None

    def _scaling(
        self,
        factors: Mapping[ir.Variable, tuple[str, int]],
        before: Mapping[ir.Variable, Scalar],
        state: State,
    ) -> State:
        """What `_walk_of` assumes of variables that are multiplied or divided: none becomes too
        large behind the last iteration, and truncation is the floor."""
        outer = state.loops[:-1]
        for variable, (op, by) in factors.items():
            start, type_ = before.get(variable), variable.type
            if not isinstance(start, LaneSum) or not isinstance(type_, Integer):
                continue
            if op == "/" and type_.signed:
                need = Obligation(start, 0, None, state.mask, outer)
                state = replace(state, needs=(*state.needs, need))
            if op == "*":
                state = self._growing(start, by, type_, state)
        return state

    def _growing(self, start: LaneSum, by: int, type_: Integer, state: State) -> State:
        trips, outer = state.loops[-1].trips, state.loops[:-1]
        first = start.constant()
        if trips is None or first is None or first <= 0:
            return replace(state, reason=state.reason or TRIPS)
        most = (1 << (type_.bits - type_.signed)) - 1
        value, end = uniform(trips), own.most_digits(most // first, by)
        if isinstance(trips, own.Digits) and trips.args[1] == by:
            # by**trips is at most `by` times the number whose digits are counted
            value, end = scaled(uniform(trips.args[0]), by), most // first
        self.out.obligations.append(Obligation(value, None, end, state.mask, outer))
        return state

    def _entered_first(
        self,
        loop: ir.Loop,
        counter: Value,
        state: State,
        walks: Mapping[ir.Variable, Callable[[Value], Scalar]],
    ) -> State:
        """Inside a loop that tests behind its body: what it tests is what the next iteration would
        begin with, so it runs once more than a loop that tests first would."""
        held = dict(self.env)
        self.env |= {variable: walk_of(counter + 1) for variable, walk_of in walks.items()}
        self.env |= {v: NoValue(CARRIED) for v in assigned(loop.header)}
        tested = self._entered(loop, counter, state)
        self.env = held
        axis = tested.loops[-1]
        if axis.trips is None:
            return replace(tested, atoms=state.atoms, reason=tested.reason or TRIPS)
        if tested.atoms != state.atoms:
            return replace(tested, reason=tested.reason or TRIPS)
        axis = replace(axis, trips=axis.trips + 1)
        return replace(tested, loops=(*state.loops[:-1], axis))

    def _axis(self, loop: ir.Loop, counter: Value, trips: Value | None) -> LoopAxis:
        return LoopAxis(counter, trips, loop.site.span.line, loop.site.condition)

    def _counter(self, loop: ir.Loop, steps: Sequence[ir.Variable]) -> Value:
        name = next((v.name for v in steps if "(" not in v.name), "iteration")
        meaning = f"iteration of the loop on line {loop.site.span.line}, from 0"
        counter = self._named(name, meaning)
        self.out.iterations.add(counter.name)
        return counter

    def _entered(self, loop: ir.Loop, counter: Value, state: State) -> State:
        """Inside the loop: its trips where one condition on the counter counts them."""
        self.state = state
        begun = len(self.out.obligations)
        found = self._goes_on(loop)
        tests = self._taken(begun)
        state = replace(state, needs=state.needs + _asked_first(tests, counter))
        if isinstance(found, Guard):
            ending = [*tests, *self._counters(loop, state)]
            last = behind_the_last(ending, found.atoms, counter, state.loops[:-1])
            open_ = (one for one in last if not self.evaluator.fits(one.value, one.low, one.high))
            state = replace(state, needs=(*state.needs, *open_))
        if isinstance(found, NoValue) or found.negated or found.mask is not None:
            return replace(state, reason=state.reason or TRIPS)
        on = [atom for atom in found.atoms if atom.value_has(counter)]
        rest = tuple(atom for atom in found.atoms if not atom.value_has(counter))
        if len(on) == 1 and on[0].relation == "!=":
            return self._until(on[0].value, counter, state, rest)
        if not on or any(atom.relation != ">=" for atom in on):
            return replace(state, reason=state.reason or TRIPS)
        if len(on) == 1 and not on[0].value.uniform:
            return replace(state, atoms=(*state.atoms, *rest, on[0]))
        ends = [_trips(atom.value, counter) if atom.value.uniform else None for atom in on]
        if None in ends:
            return replace(state, reason=state.reason or TRIPS)
        loops = (*state.loops[:-1], replace(state.loops[-1], trips=own.Min(*ends)))
        return replace(state, loops=loops, atoms=state.atoms + rest)

    def _counters(self, loop: ir.Loop, state: State) -> Iterator[Obligation]:
        """What the loop's test reads, which its type must hold."""
        first = _first_break(loop)
        tests = (loop.condition, None if first is None else first.condition)
        read = itertools.chain(*(reads(test) for test in tests if test is not None))
        for variable in dict.fromkeys(read):
            held, type_ = self.env.get(variable), variable.type
            if isinstance(held, LaneSum) and isinstance(type_, Integer) and type_.bits < 64:
                yield Obligation(held, *bounds_of(type_), state.mask, state.loops)

    def _goes_on(self, loop: ir.Loop) -> Guard | NoValue:
        """The condition for an iteration: what the loop tests, and not what its body first breaks
        on."""
        first = _first_break(loop)
        if loop.condition is None and first is None:
            return NoValue(TRIPS)
        found = Guard() if loop.condition is None else self.evaluator.condition(loop.condition)
        if first is None:
            return found
        goes_on = self.evaluator.negated(self.evaluator.condition(first.condition))
        return self.evaluator.conjunction(found, goes_on)

    def _until(
        self, value: LaneSum, counter: Value, state: State, rest: tuple[Relation, ...]
    ) -> State:
        """Inside a loop that runs until a value is 0, which it must come down or up to by ones."""
        halved = _halved_to_0(value, counter)
        if halved is not None:
            start, trips = halved
            self.out.obligations.append(
                Obligation(uniform(start), 0, None, state.mask, state.loops[:-1])
            )
            loops = (*state.loops[:-1], replace(state.loops[-1], trips=trips))
            return replace(state, loops=loops, atoms=state.atoms + rest)
        step = value.terms.get(counter)
        others = [m for m in value.terms if m != counter and m.has(counter)]
        if not value.uniform or others:
            return replace(state, reason=state.reason or TRIPS)
        if not isinstance(step, int) or abs(step) != 1:
            return replace(state, reason=state.reason or TRIPS)
        count = scaled(LaneSum({m: n for m, n in value.terms.items() if m != counter}), -step)
        outer = state.loops[:-1]
        need = Obligation(count, 0, None, state.mask, outer)
        self.out.obligations.append(need)
        loops = (*outer, replace(state.loops[-1], trips=own.Max(0, count.expression)))
        return replace(state, loops=loops, atoms=state.atoms + rest)

    # -------------------------------------------------------------- effects

    def _effect(self, statement: ir.Statement, state: State) -> None:
        match statement:
            case ir.Assign(variable=variable, value=value):
                self._assign(variable, self._value(value, variable.type), state)
            case ir.Load(address=address, site=site) | ir.Store(address=address, site=site):
                self._access(site, address, state)
            case ir.Matrix(address=address, site=site):
                self._access(site, address, state)
            case ir.Atomic(address=address, site=site):
                self._access(site, address, state, adds_one_unused(statement))
            case ir.Copy():
                self._access(statement.source_site, statement.source, state)
                self._access(statement.destination_site, statement.destination, state)
        if not isinstance(statement, ir.Assign):
            for variable in targets(statement):
                self.env[variable] = NoValue(LOADED)

    def _value(self, value: ir.Expression, type_: Type) -> Scalar:
        if isinstance(type_, Integer | Pointer):
            return self.evaluator.value(value)
        return NoValue("the index depends on a value that is no integer")

    def _assign(self, variable: ir.Variable, value: Scalar, state: State) -> None:
        old = self.env.get(variable)
        if old is not None and not state.mask.all():
            if isinstance(value, LaneSum) and isinstance(old, LaneSum):
                value = merged(state.mask, value, old)
            elif isinstance(old, NoValue):
                value = old
        self.env[variable] = value

    def _access(
        self, site: ir.AccessSite, address: ir.Expression, state: State, increments: bool = False
    ) -> None:
        before = len(self.out.obligations)
        value = self.evaluator.value(address)
        needs = state.needs + self._taken(before)
        target: ir.MemoryObject | None = None
        if isinstance(value, LaneSum):
            bases = [m for m in value.terms if m in self.bases]
            if len(bases) == 1 and _is_one(value.terms[bases[0]]):
                target = self.bases[bases[0]]
                value = minus(value, uniform(bases[0]))
            else:
                value = NoValue("the pointer's target is not known")
        if isinstance(value, LaneSum) and quotients.is_open(value):
            value = NoValue(quotients.REASON)
        for offset, width in site.pieces or ((0, 0),):
            moved = add(value, number(offset)) if isinstance(value, LaneSum) else value
            record = AccessRecord(site, target, width, moved, state, needs, increments)
            self.out.records.append(record)


def _is_one(coefficient: Coefficient) -> bool:
    return isinstance(coefficient, int) and coefficient == 1


def _trips(value: LaneSum, counter: Value) -> Value | None:
    """How many k from 0 on have `value` >= 0: of a - b*k with a positive integer b, or of what a
    loop multiplies or divides each time."""
    with_counter = [m for m in value.terms if m.has(counter)]
    if len(with_counter) != 1:
        return None
    (moving,) = with_counter
    step = value.terms[moving]
    if not isinstance(step, int):
        return None
    rest = LaneSum({m: n for m, n in value.terms.items() if m != moving}).expression
    if moving != counter:
        return _scaled_trips(moving, step, rest, counter)
    if step >= 0:
        return None
    return own.Max(0, own.count_of(rest, -step))


def _scaled_trips(moving: Value, step: int, rest: Value, counter: Value) -> Value | None:
    """Of `rest + step*moving` >= 0, moving a power of the counter or what one divides."""
    if isinstance(moving, own.Power) and moving.args[1] == counter and step < 0:
        return own.Digits(own.floor_of(rest, -step), moving.args[0])
    if not isinstance(moving, own.Floor) or step != 1:
        return None
    if not rest.is_Integer or rest >= 0:
        return None
    start, divisor = moving.args
    if not isinstance(divisor, own.Power) or divisor.args[1] != counter:
        return None
    return own.Digits(own.floor_of(start, int(-rest)), divisor.args[0])


def _halved_to_0(value: LaneSum, counter: Value) -> tuple[Value, Value] | None:
    """Of what a loop divides until nothing is left: what it begins with, and the trips."""
    if len(value.terms) != 1:
        return None
    ((moving, n),) = value.terms.items()
    if not isinstance(n, int) or not isinstance(moving, own.Floor):
        return None
    trips = _scaled_trips(moving, 1, sympy.S.NegativeOne, counter)
    return None if trips is None else (moving.args[0], trips)


def _walk_of(
    start: Scalar, amount: Scalar | None, factor: tuple[str, int] | None
) -> Callable[[Value], Scalar]:
    """What a variable of a loop holds as an iteration begins, by the iteration."""
    if isinstance(start, LaneSum) and isinstance(amount, LaneSum):
        return lambda k: add(start, multiply(amount, uniform(k)))
    if isinstance(start, LaneSum) and factor is not None:
        op, by = factor
        first = start.constant()
        if op == "*" and first is not None and first > 0:
            return lambda k: multiply(start, uniform(_powered(by, k)))
        if op in ("/", ">>") and start.uniform:
            return lambda k: uniform(_divided(start.expression, by, k))
    return lambda k: NoValue(CARRIED)


def _powered(by: int, k: Value) -> Value:
    """by**k, so that the iteration behind k is a multiple of it."""
    return by * own.Power(by, k - 1) if (k - 1).is_Symbol else own.Power(by, k)


def _divided(start: Value, by: int, k: Value) -> Value:
    if (k - 1).is_Symbol:
        return own.Floor(own.floor_of(start, by), own.Power(by, k - 1))
    return own.Floor(start, own.Power(by, k))


def _asked_first(tests: Sequence[Obligation], counter: Value) -> tuple[Obligation, ...]:
    """What a loop's condition needs before the first iteration, whatever ends the loop."""
    found = []
    for one in tests:
        if not one.loops or one.loops[-1].counter != counter:
            found.append(one)
        elif all(m == counter or not m.has(counter) for m in one.value.terms):
            at_first = LaneSum({m: n for m, n in one.value.terms.items() if m != counter})
            found.append(replace(one, value=at_first, loops=one.loops[:-1]))
    return tuple(found)


def _first_break(loop: ir.Loop) -> ir.If | None:
    """What a loop that tests before its body begins that with: `if (…) break;`."""
    match loop.body:
        case (ir.If(then=(ir.Leave(label=label),), otherwise=()) as first, *_):
            pure = not loop.header and not loop.post_test
            return first if pure and label is loop.label else None
    return None


def _leaves(body: ir.Body, *own: ir.Label) -> bool:
    """Whether some path in it goes on behind something around it, or not at all. `own`: labels that
    are not around it."""
    inside = {s.label for s in walk(body) if isinstance(s, ir.Loop | ir.Region)} | {*own}
    return any(
        isinstance(s, ir.Trap) or (isinstance(s, ir.Leave) and s.label not in inside)
        for s in walk(body)
    )


def _rejoined(
    state: State, under: Sequence[State], sides: Sequence[State], gone: Sequence[bool]
) -> State:
    """Behind two paths, of which some may not go on."""
    if all(gone):
        return sides[0]
    kept = [bool((s.mask == state.mask).all()) for s in sides]
    if gone[0] and kept[1]:
        return sides[1]
    if gone[1] and kept[0]:
        return sides[0]
    early = (one.reason for one in sides if one.reason in (EARLY, PARTLY))
    reason = state.reason or next(early, "")
    if all(
        bool((side.mask == begun.mask).all()) and side.atoms == begun.atoms
        for side, begun in zip(sides, under, strict=True)
    ):
        return replace(state, reason=reason)
    return replace(state, reason=reason or PARTLY)
