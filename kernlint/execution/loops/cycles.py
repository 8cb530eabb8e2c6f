"""The states that a loop of unknown length goes through, where they come round: stage 0, 1, 2, 0, …

In: the machine where a loop begins, and its `Recurrence`. Out: `StateCycle`: the values of the carried
variables when each iteration begins, until they repeat. Only assignments are run, none of which
reads memory; what cannot be decided ends the search.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping

from kernlint.base.dataclass import dataclass
from kernlint.execution.loops.plan import Plan
from kernlint.execution.loops.recurrences import Recurrence, Variables, targets_in
from kernlint.execution.state import MachineState
from kernlint.execution.values import sums
from kernlint.execution.values.booleans import Condition
from kernlint.execution.values.undo_log import refill
from kernlint.execution.values.values import (
    Atom,
    Value,
    add,
    bounds,
    identity,
    of_atom,
    subtract,
    times,
)
from kernlint.ir import nodes as ir

MOST = 32  # states that are told apart
WORK = 20_000  # statements run to find them
SHARE = 0.2  # of the budget that the phases of one loop may take

State = Mapping[ir.Variable, Value]


@dataclass(frozen=True, slots=True)
class StateCycle:
    """`states[i]`: what the variables hold when iteration i begins; behind the last one, that of
    `back` comes again."""

    states: tuple[State, ...]
    back: int

    @property
    def length(self) -> int:
        return len(self.states) - self.back

    @property
    def variables(self) -> Variables:
        return frozenset(self.states[0])

    @property
    def restored(self) -> Variables:
        """Those that every iteration leaves as it found them."""
        first = self.states[0]
        return frozenset(v for v in first if len({identity(one[v]) for one in self.states}) == 1)

    def any_of(self, variable: ir.Variable) -> Value | None:
        """The value in any of the states, where these differ by a number; None for others."""
        values = [one[variable] for one in self.states]
        first = values[0]
        if not all(value.is_integer for value in values):
            return None
        apart = [subtract(value, first) for value in values]
        if any(one.terms or not one.known.is_constant for one in apart):
            return None
        numbers = [one.known.const for one in apart]
        step = math.gcd(*numbers)
        if not step:
            return first
        low, high = min(numbers) // step, max(numbers) // step
        atom = Atom(variable.name, "unknown-trip-count", low, high)
        return add(first, times(of_atom(atom), sums.constant(step)))


class _Undecided(Exception):
    """Raised at a statement whose outcome is not known."""

    def __init__(self, statement: ir.Statement) -> None:
        super().__init__()
        self.statement = statement


def cycle(state: MachineState, loop: ir.Loop, plan: Plan) -> StateCycle | None:
    """The states of the loop's carried variables; None where there are none, or they do not come
    round soon."""
    excluded: Variables = frozenset()
    while True:
        found = state.analysis.recurrence_of(loop, excluded)
        if found is None or not _rise(state, plan, found):
            return None
        try:
            states = _followed(state, found)
        except _Undecided as undecided:
            more = targets_in(undecided.statement)
        else:
            if isinstance(states, StateCycle):
                return states
            more = _ever_new(states)
        if more <= excluded:
            return None
        excluded |= more


def _rise(state: MachineState, plan: Plan, found: Recurrence) -> bool:
    """Whether counters that the recurrence uses rise from zero or more, by known steps."""
    if found.period == 1:
        return True
    environment = state.evaluator.environment
    for induction in plan.inductions:
        start, step = environment.get(induction.variable), state.evaluator.number(induction.step)
        if start is None or induction.descending or not step.is_known:
            return False
        low, rise = bounds(start)[0], step.known
        if low is None or not rise.is_constant or min(low, rise.const) < 0:
            return False
    return True


def _followed(state: MachineState, found: Recurrence) -> StateCycle | list[State]:
    """The cycle, or the first states where none is found. The machine is left as it was."""
    evaluator = state.evaluator
    environment, assumptions = dict(evaluator.environment), dict(evaluator.assumptions)
    try:
        return _states(state, found)
    finally:
        refill(evaluator.environment, environment)
        refill(evaluator.assumptions, assumptions)
        evaluator.took_assumption()


def _states(state: MachineState, found: Recurrence) -> StateCycle | list[State]:
    evaluator = state.evaluator
    seen: dict[Hashable, int] = {}
    states: list[State] = []
    run = _Run(state)
    while len(states) <= MOST:
        now = {
            v: evaluator.numeric(evaluator.environment[v])
            for v in found.carried
            if v in evaluator.environment
        }
        values = tuple(identity(value) for value in now.values())
        key = (values, len(states) % found.period)
        if key in seen:
            return StateCycle(tuple(states), seen[key])
        seen[key] = len(states)
        states.append(now)
        run.body(found.body)
    return states


def _ever_new(states: list[State]) -> Variables:
    """The variables that have another value in each state."""
    values = {v: {identity(one[v]) for one in states} for v in states[0]}
    return frozenset(v for v, different in values.items() if len(different) == len(states))


class _Run:
    """Runs assignments for all lanes alike, whatever lanes there are."""

    def __init__(self, state: MachineState) -> None:
        self.evaluator = state.evaluator
        self.work = 0

    def body(self, body: ir.Body) -> ir.Label | None:
        """The label that all lanes leave for; None where they come to the end."""
        for s in body:
            self.work += 1
            if self.work > WORK:
                raise _Undecided(s)
            left = self._statement(s)
            if left is not None:
                return left
        return None

    def _statement(self, s: ir.Statement) -> ir.Label | None:
        if isinstance(s, ir.Assign):
            self.evaluator.environment[s.variable] = self.evaluator.value(s.value)
        elif isinstance(s, ir.Leave):
            return s.label
        elif isinstance(s, ir.Region):
            left = self.body(s.body)
            return None if left is s.label else left
        elif isinstance(s, ir.If):
            return self._branch(s)
        elif isinstance(s, ir.Loop):
            return self._loop(s)
        return None

    def _branch(self, s: ir.If) -> ir.Label | None:
        condition = self.evaluator.condition(s.condition)
        if not condition.is_known or condition.presumed:
            raise _Undecided(s)
        if condition.must.is_true:
            return self.body(s.then)
        if condition.must.empty:
            return self.body(s.otherwise)
        self._both(s, condition)
        return None

    def _both(self, s: ir.If, condition: Condition) -> None:
        """Lanes part: each variable gets one of two values."""
        environment = self.evaluator.environment
        before = dict(environment)
        ends = []
        for path in (s.then, s.otherwise):
            if self.body(path) is not None:
                raise _Undecided(s)
            ends.append({v: environment[v] for v in targets_in(s) if v in environment})
            environment.clear()
            environment.update(before)
        then, otherwise = ends
        for v in then.keys() & otherwise.keys():
            environment[v] = self.evaluator.one_of(condition, then[v], otherwise[v], v.type)

    def _loop(self, s: ir.Loop) -> ir.Label | None:
        first = s.post_test
        while True:
            if not first:
                self.body(s.header)
                condition = (
                    self.evaluator.condition(s.condition) if s.condition is not None else None
                )
                if condition is not None:
                    if not condition.is_known or condition.presumed:
                        raise _Undecided(s)
                    if condition.must.empty:
                        return None
                    if not condition.must.is_true:
                        raise _Undecided(s)
            first = False
            left = self.body(s.body)
            if left is not None:
                return None if left is s.label else left
            self.body(s.step)


# ------------------------------------------------------------ phases


@dataclass(frozen=True, slots=True)
class Phase:
    """Iterations that begin with the same values in some variables: `first`, and each `every`
    iterations later (0: that one alone)."""

    known: State
    first: int
    every: int


def phases(state: MachineState, found: StateCycle | None) -> Iterator[Phase]:
    """The phases of a loop, to be run one after the other; once their work would take too much, one
    for all that are left."""
    if found is None or len(found.states) == 1:
        yield Phase({}, 0, 1)
        return
    for i, one in enumerate(found.states):
        spent = state.statements
        yield Phase(one, i, found.length if i >= found.back else 0)
        left = len(found.states) - 1 - i
        if left and (state.statements - spent) * left > SHARE * state.limits.statements:
            anything = {v: found.any_of(v) for v in found.variables}
            yield Phase({v: x for v, x in anything.items() if x is not None}, 0, 1)
            return
