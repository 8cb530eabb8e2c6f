"""A symbolic run of a kernel for one block: every access with its address, its threads and the
loops and conditions around it.

In: a lowered kernel, its launch (of which only the block is used). Out: records. Loops whose trip
counts are known are stepped; others run once with a counter as a symbol. What cannot be followed
becomes an `NoValue` with a reason, never a guess.

Arithmetic is done without wrap-around. Where C needs the value itself (it is widened, compared,
divided), the walk notes that it must lie in its type's range: the domain of all laws.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import sympy

from kernlint.algebra.loops import assigned, induction
from kernlint.base import deadline
from kernlint.base.dataclass import dataclass, field
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import targets, walk
from kernlint.ir.types import Integer, Pointer, Type
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
    uniform,
)
from kernlint.laws.values import Guard, LaneEvaluator, Relation
from kernlint.model.facts import Launch

STEPPED = 512  # iterations of a loop that are stepped
STATEMENTS = 20_000  # of the whole walk
Scalar = LaneSum | NoValue

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
class LoopAxis:
    """A loop that runs as often for each thread. `trips` None: until a condition among the
    record's atoms ends it."""

    counter: Value
    trips: Value | None
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Obligation:
    """A value that must lie in a range wherever the loops take it."""

    value: LaneSum
    low: int
    high: int
    mask: Array
    loops: tuple[LoopAxis, ...]


@dataclass(frozen=True, slots=True)
class State:
    """Where control is: the threads, the conditions that are not decided, the loops around, and
    why nothing can be said of who arrives."""

    mask: Array
    atoms: tuple[Relation, ...] = ()
    loops: tuple[LoopAxis, ...] = ()
    reason: str = ""
    needs: tuple[Obligation, ...] = ()  # of the conditions and trip counts around


@dataclass(frozen=True, slots=True)
class AccessRecord:
    """One access as one path executes it. `address`: from the object's start, in bytes."""

    site: ir.AccessSite
    object: ir.MemoryObject | None
    width: int
    address: LaneSum | NoValue
    state: State
    needs: tuple[Obligation, ...] = ()


@dataclass(slots=True)
class SymbolicRun:
    records: list[AccessRecord] = field(default_factory=list)
    obligations: list[Obligation] = field(default_factory=list)
    symbols: dict[str, str] = field(default_factory=dict)
    ranges: dict[Value, tuple[int, int]] = field(default_factory=dict)  # of arguments


class _TooLong(Exception):
    pass


class _NotStepped(Exception):
    """A loop that cannot be stepped after all."""


def walked(kernel: ir.Kernel, launch: Launch) -> SymbolicRun:
    run = _Walk(kernel, launch)
    start = State(np.ones(run.threads, dtype=bool))
    try:
        run.body(kernel.body, start)
    except _TooLong:
        run.out.records = [
            replace(one, state=replace(one.state, reason=BUDGET)) for one in run.out.records
        ]
    return run.out


class _Walk:
    def __init__(self, kernel: ir.Kernel, launch: Launch) -> None:
        self.out = SymbolicRun()
        x, y, z = launch.block
        self.threads = x * y * z
        self.state = State(np.ones(self.threads, dtype=bool))
        self.env: dict[ir.Variable, Scalar] = {}
        self.bases: dict[Value, ir.MemoryObject] = {}
        self.left: dict[ir.Label, Array] = {}
        self.steps = 0
        self.evaluator = LaneEvaluator(launch, self._read, self._base, self._oblige)
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
        low = -(1 << (kind.bits - 1)) if kind.signed else 0
        self.out.ranges[name] = (low, low + (1 << kind.bits) - 1)
        return uniform(name)

    def _named(self, name: str, meaning: str) -> Value:
        while name in self.out.symbols or name in self.evaluator.reserved:
            name += "'"
        self.out.symbols[name] = meaning
        return symbol(name)

    def _base(self, target: ir.MemoryObject) -> LaneSum:
        base = symbol(f"&{target.name}#{id(target)}")
        self.bases[base] = target
        return uniform(base)

    def _read(self, variable: ir.Variable) -> Scalar:
        return self.env.get(variable, NoValue("the index depends on a value that is not known"))

    def _oblige(self, value: LaneSum, type_: Integer) -> None:
        if any(monomial in self.bases for monomial in value.terms):
            return  # addresses of shared memory fit into 32 bits
        low = -(1 << (type_.bits - 1)) if type_.signed else 0
        high = (1 << (type_.bits - type_.signed)) - 1
        self.out.obligations.append(Obligation(value, low, high, self.state.mask, self.state.loops))

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
                self.left[label] = self.left.get(label, np.zeros(self.threads, bool)) | state.mask
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
        if isinstance(condition, Guard) and condition.known:
            holds = condition.holds(self.threads)
            then = self.body(statement.then, replace(state, mask=state.mask & holds))
            other = self.body(statement.otherwise, replace(state, mask=state.mask & ~holds))
            return replace(state, mask=then.mask | other.mask, reason=then.reason or other.reason)
        before = dict(self.env)
        under = [self._under(state, condition)]
        under.append(self._under(state, self.evaluator.negated(condition)))
        bodies = (statement.then, statement.otherwise)
        sides = []
        for body, side in zip(bodies, under, strict=True):
            self.env = dict(before)
            sides.append(self.body(body, side))
        self._forget(assigned((statement,)), before, JOINED)
        self.env |= {v: NoValue(JOINED) for v in assigned((statement,)) if v not in before}
        gone = [bool(state.mask.any()) and not side.mask.any() for side in sides]
        kept = [bool((s.mask == state.mask).all()) for s in sides]
        reason = state.reason or next(
            (one.reason for one in sides if one.reason in (EARLY, PARTLY)), ""
        )
        if gone[0] and kept[1]:
            return sides[1]
        if gone[1] and kept[0]:
            return sides[0]
        if all(
            bool((side.mask == begun.mask).all()) and side.atoms == begun.atoms
            for side, begun in zip(sides, under, strict=True)
        ):
            return replace(state, reason=reason)
        return replace(state, reason=reason or PARTLY)

    def _under(self, state: State, condition: Guard | NoValue) -> State:
        if isinstance(condition, NoValue) or condition.negated:
            return replace(state, reason=state.reason or BY_DATA)
        mask = state.mask if condition.mask is None else state.mask & condition.mask
        return replace(state, mask=mask, atoms=state.atoms + condition.atoms)

    def _region(self, label: ir.Label, body: ir.Body, state: State) -> State:
        before = dict(self.env)
        self.left.pop(label, None)
        end = self.body(body, state)
        left = self.left.pop(label, None)
        if left is None:
            return end
        if end.atoms != state.atoms or end.reason != state.reason:
            self._forget(assigned(body), before, JOINED)
            early = end.reason if end.reason in (EARLY, PARTLY) else state.reason
            return replace(state, reason=early)
        return replace(end, mask=end.mask | (left & state.mask))

    def _forget(self, changed: object, before: dict[ir.Variable, Scalar], reason: str) -> None:
        for variable in changed:  # type: ignore[attr-defined]
            old, new = before.get(variable), self.env.get(variable)
            if old is not None and new is not old:
                self.env[variable] = NoValue(reason)

    # -------------------------------------------------------------- loops

    def _loop(self, loop: ir.Loop, state: State) -> State:
        before, records, left = dict(self.env), len(self.out.records), dict(self.left)
        obligations, steps = len(self.out.obligations), self.steps
        try:
            return self._stepped(loop, state)
        except (_NotStepped, _TooLong):
            self.env, self.left, self.steps = before, left, steps
            del self.out.records[records:], self.out.obligations[obligations:]
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
        left = self.left.pop(loop.label, None)
        ended = state.mask & ~self._outside(loop, state.mask) if left is None else state.mask
        return replace(state, mask=ended, reason=running.reason)

    def _outside(self, loop: ir.Loop, mask: Array) -> Array:
        """Threads that left for a label around the loop."""
        gone = np.zeros(self.threads, bool)
        inner = {s.label for s in walk((loop,)) if isinstance(s, ir.Loop | ir.Region)}
        for s in walk(loop.body):
            if isinstance(s, ir.Leave) and s.label not in inner and s.label in self.left:
                gone |= self.left[s.label]
        return gone

    def _tested(self, loop: ir.Loop, state: State) -> State:
        if loop.condition is None:
            raise _NotStepped
        self.state = state
        condition = self.evaluator.condition(loop.condition)
        if isinstance(condition, NoValue) or not condition.known:
            raise _NotStepped
        return replace(state, mask=state.mask & condition.holds(self.threads))

    def _symbolic(self, loop: ir.Loop, state: State) -> State:
        before, changes = dict(self.env), assigned((loop,))
        steps = induction(loop, changes)
        counter = self._counter(loop, steps)
        self.state = state
        amounts = {v: self.evaluator.value(step) for v, step in steps.items()}
        for variable in changes:
            start, amount = self.env.get(variable), amounts.get(variable)
            walks = isinstance(start, LaneSum) and isinstance(amount, LaneSum)
            if walks and isinstance(start, LaneSum) and isinstance(amount, LaneSum):
                self.env[variable] = add(start, multiply(amount, uniform(counter)))
            else:
                self.env[variable] = NoValue(CARRIED)
        inside = replace(state, loops=(*state.loops, self._axis(loop, counter, None)))
        after = self.body(loop.header, inside)
        early = any(isinstance(s, ir.Leave) and s.label is loop.label for s in walk(loop.body))
        inside = self._entered(loop, counter, after)
        if early:
            inside = replace(inside, reason=inside.reason or EARLY)
        end = self.body(loop.step, self.body(loop.body, inside))
        self.left.pop(loop.label, None)
        for variable in changes:
            if variable in before:
                self.env[variable] = NoValue(AFTER)
        gone = self._outside(loop, state.mask)
        hard = PARTLY if bool((gone & state.mask).any()) else ""
        carried = end.reason if end.reason in (PARTLY,) else ""
        return replace(state, reason=state.reason or hard or carried)

    def _axis(self, loop: ir.Loop, counter: Value, trips: Value | None) -> LoopAxis:
        return LoopAxis(counter, trips, loop.site.span.line, loop.site.condition)

    def _counter(self, loop: ir.Loop, steps: dict[ir.Variable, ir.Expression]) -> Value:
        name = next((v.name for v in steps if "(" not in v.name), "iteration")
        return self._named(name, f"iteration of the loop in line {loop.site.span.line}, from 0")

    def _entered(self, loop: ir.Loop, counter: Value, state: State) -> State:
        """Inside the loop: its trips where one condition on the counter counts them."""
        self.state = state
        begun = len(self.out.obligations)
        found: Guard | NoValue = (
            NoValue(TRIPS)
            if loop.condition is None or loop.post_test
            else self.evaluator.condition(loop.condition)
        )
        state = replace(state, needs=state.needs + self._taken(begun))
        if isinstance(found, NoValue) or found.negated or found.mask is not None:
            return replace(state, reason=state.reason or TRIPS)
        on = [atom for atom in found.atoms if atom.value_has(counter)]
        rest = tuple(atom for atom in found.atoms if not atom.value_has(counter))
        if len(on) != 1 or on[0].relation != ">=":
            return replace(state, reason=state.reason or TRIPS)
        axis = state.loops[-1]
        if on[0].value.uniform:
            trips = _trips(on[0].value, counter)
            if trips is None:
                return replace(state, reason=state.reason or TRIPS)
            loops = (*state.loops[:-1], replace(axis, trips=trips))
            return replace(state, loops=loops, atoms=state.atoms + rest)
        return replace(state, atoms=(*state.atoms, *rest, on[0]))

    # -------------------------------------------------------------- effects

    def _effect(self, statement: ir.Statement, state: State) -> None:
        match statement:
            case ir.Assign(variable=variable, value=value):
                self._assign(variable, self._value(value, variable.type), state)
            case ir.Load(address=address, site=site) | ir.Store(address=address, site=site):
                self._access(site, address, state)
            case ir.Matrix(address=address, site=site) | ir.Atomic(address=address, site=site):
                self._access(site, address, state)
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
            both = isinstance(value, LaneSum) and isinstance(old, LaneSum)
            if both and isinstance(value, LaneSum) and isinstance(old, LaneSum):
                value = merged(state.mask, value, old)
        self.env[variable] = value

    def _access(self, site: ir.AccessSite, address: ir.Expression, state: State) -> None:
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
        for offset, width in site.pieces or ((0, 0),):
            moved = add(value, number(offset)) if isinstance(value, LaneSum) else value
            self.out.records.append(AccessRecord(site, target, width, moved, state, needs))


def _is_one(coefficient: Coefficient) -> bool:
    return isinstance(coefficient, int) and coefficient == 1


def _trips(value: LaneSum, counter: Value) -> Value | None:
    """How many k from 0 on have `value` >= 0: of a - b*k with a positive integer b."""
    from kernlint.laws.functions import Floor

    step = value.terms.get(counter)
    others = [m for m in value.terms if m != counter and m.has(counter)]
    if not isinstance(step, int) or step >= 0 or others:
        return None
    rest = LaneSum({m: n for m, n in value.terms.items() if m != counter}).expression
    count = rest + 1 if step == -1 else Floor(rest - step, -step)
    return sympy.Max(0, count)
