"""Loops, in three tiers: as an axis evaluated once, stepped one iteration at a time, or once for
any iteration.

In: the machine and a loop. A regular loop with a known trip count becomes an axis of all its
values. Otherwise it is stepped under the mask within the budget. Where the trip count depends on
data or unknown arguments, the body runs once with carried values unknown.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from kernlint.base.dataclass import dataclass, replace
from kernlint.execution.assignment import assign
from kernlint.execution.counting import evaluations
from kernlint.execution.loops import iteration_counts, resuming
from kernlint.execution.loops.capped_steps import capped
from kernlint.execution.loops.cycles import Phase, State, cycle, phases
from kernlint.execution.loops.plan import Induction, Plan
from kernlint.execution.loops.rewriting import rewrites_unknowns
from kernlint.execution.loops.warp_uniform_carry import (
    SHARED,
    carried_on,
    carried_variables,
    carry,
    in_any_iteration,
    left_together,
    note_exits,
    raise_divergences,
    shared_variables,
)
from kernlint.execution.loops.wrapping import PastEnd, moved, past_end, typed
from kernlint.execution.reconvergence import move_spines, rejoin
from kernlint.execution.restarts import OverBudget
from kernlint.execution.state import LiveScope, MachineState, Rewriting, SteppedLoop
from kernlint.execution.values import booleans, sums
from kernlint.execution.values.arithmetic import product
from kernlint.execution.values.booleans import COMPARE, Condition, both, dense_bool, positive
from kernlint.execution.values.masks import Mask, narrowed, without
from kernlint.execution.values.sums import Sum, TooDense, union
from kernlint.execution.values.values import (
    Atom,
    Value,
    add,
    divisor,
    identity,
    integer,
    negate,
    of_atom,
    subtract,
    times,
    varies_in_warp,
)
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import reads, unconverted
from kernlint.ir.types import Integer

ROUNDS = 4  # from which on a loop whose states come round is an axis
ALIKE: tuple[State, ...] = ({},)  # turns of a loop whose iterations differ by its counters alone
WATCHED = 2  # iterations of a stepped loop that show what the others will take
EARLY = 0.05  # of the budget: loops within it are not asked about
# iterations of `while (true)` after which nobody is known to have left: what ends it is unknown
UNDECIDED = 64
WRAPS = "wraps"  # why a loop is open: values wrap around at its end, and its test holds again
MARGIN = 1.1  # how far over the budget the loops must be foreseen to be


def run_loop(state: MachineState, loop: ir.Loop) -> None:
    state.loops.append(loop)
    resuming.run(state, loop, _run_once)
    state.loops.pop()


def _run_once(state: MachineState, loop: ir.Loop) -> None:
    plan = state.analysis.plan_of(loop)
    if plan.writes_memory:
        # what an iteration loads need not be what was there before the loop
        state.memory.touch(None)
    if loop in state.open_loops:
        _run_open(state, loop, plan, "budget")
    elif loop not in state.stepped_loops and _run_whole(state, loop, plan):
        pass
    elif (
        state.statements > state.limits.statements
    ):  # nothing of it has run yet: no need to begin again
        _run_open(state, loop, plan, "budget")
    else:
        _run_stepped(state, loop, plan)


# ------------------------------------------------------------ as an axis


def _linear_in(e: ir.Expression, own: frozenset[ir.Variable]) -> bool:
    """Whether `e` depends on the variables in `own` through additions, subtractions, conversions
    and invariant factors alone."""
    if not reads(e) & own:
        return True
    match e:
        case ir.Read():
            return True
        case ir.Convert():
            return _keeps_values(e) and _linear_in(e.operand, own)
        case ir.Unary():
            return e.op == "-" and _linear_in(e.operand, own)
        case ir.Binary():
            if e.op in ("+", "-"):
                return _linear_in(e.left, own) and _linear_in(e.right, own)
            return (
                e.op == "*"
                and (not reads(e.left) & own or not reads(e.right) & own)
                and _linear_in(e.left, own)
                and _linear_in(e.right, own)
            )
    return False


def _keeps_values(e: ir.Convert) -> bool:
    """Whether the conversion drops no bits."""
    return not (
        isinstance(e.type, Integer)
        and isinstance(e.operand.type, Integer)
        and e.type.bits < e.operand.type.bits
    )


def _step(state: MachineState, induction: Induction) -> Value | None:
    """What an iteration adds to the variable; None for a real number."""
    step = state.evaluator.number(induction.step)
    if step.real is not None:
        return None
    return negate(step) if induction.descending else step


def _slope(state: MachineState, induction: Induction) -> int | None:
    step = _step(state, induction)
    return (
        step.known.const if step is not None and not step.terms and step.known.is_constant else None
    )


def _linear_test(loop: ir.Loop, own: frozenset[ir.Variable]) -> ir.Binary | None:
    """The loop's condition where it compares values that are linear in `own`."""
    if loop.condition is None:
        return None
    condition = unconverted(loop.condition)
    if not isinstance(condition, ir.Binary) or condition.op not in COMPARE or condition.op == "==":
        return None
    linear = _linear_in(condition.left, own) and _linear_in(condition.right, own)
    return condition if linear else None


def _trips(
    state: MachineState, loop: ir.Loop, slopes: dict[ir.Variable, int]
) -> tuple[Sum, int] | None:
    """(d, s) such that iteration k runs exactly while d + k*s < 0, with s > 0; None when the
    condition is not of that kind. The first iteration of a do-while runs whatever its test, which
    comes after the step, says of the start."""
    condition = _linear_test(loop, frozenset(slopes))
    if condition is None or _is_beyond_63_bits(state, condition):
        return None
    evaluator = state.evaluator

    def difference() -> Value:
        return subtract(evaluator.number(condition.left), evaluator.number(condition.right))

    first = difference()
    saved = {v: evaluator.environment[v] for v in slopes}
    for variable, slope in slopes.items():
        evaluator.environment[variable] = Value(
            sums.add(saved[variable].known, sums.constant(slope)), saved[variable].terms
        )
    second = difference()
    evaluator.environment.update(saved)
    change = subtract(second, first)
    if first.terms or first.real is not None:
        return None
    if change.terms or not change.known.is_constant:
        return None
    d, s, op = first.known, change.known.const, condition.op
    if op == "!=":
        if not _ends_at_zero(d, s):
            return None
        if loop.post_test and not both(state.mask.may, booleans.compare_zero("==", d)).empty:
            return None  # steps over the end at once
        op = "<" if s > 0 else ">"
    if op in (">", ">="):
        d, s, op = sums.negate(d), -s, {">": "<", ">=": "<="}[op]
    if op == "<=":
        d = sums.add(d, sums.constant(-1))
    if loop.post_test and d.high >= 0 < s:
        d = sums.elementwise(lambda x: np.minimum(x, -1), d)
    return (d, s) if s > 0 or (d.low >= 0 and not loop.post_test) else None


def _is_beyond_63_bits(state: MachineState, test: ir.Binary) -> bool:
    """Whether it may compare unsigned numbers of which a difference says nothing."""
    type_ = test.left.type
    if not isinstance(type_, Integer) or type_.signed or type_.bits < 64:
        return False
    sides = (state.evaluator.number(side) for side in (test.left, test.right))
    return any(not side.terms and side.known.low < 0 for side in sides)


def _ends_at_zero(d: Sum, s: int) -> bool:
    """Whether d, d + s, d + 2s, … come to 0 for every lane."""
    towards = d.high <= 0 if s > 0 else d.low >= 0
    return s != 0 and towards and sums.divisible(d, abs(s))


def _run_whole(state: MachineState, loop: ir.Loop, plan: Plan) -> bool:
    """Runs the loop with an axis; False when it cannot."""
    if plan.regular or rewrites_unknowns(state, plan):
        return _run_axis(state, loop, plan)
    return bool(plan.turning) and _run_turns(state, loop, plan)


def _run_turns(state: MachineState, loop: ir.Loop, plan: Plan) -> bool:
    """Runs a loop whose carried variables come round (pointers that are swapped, stages of a ring)
    with one axis for all its rounds; False when it cannot."""
    found = None if state.analysis.is_host else cycle(state, loop, plan)
    if found is None or found.back or not plan.turning <= found.variables:
        return False
    return _run_axis(state, loop, plan, found.states)


def _run_axis(
    state: MachineState, loop: ir.Loop, plan: Plan, turns: tuple[State, ...] = ALIKE
) -> bool:
    """Runs the loop with one axis for all its iterations; False when it cannot. `turns`: what
    iterations begin with, one after the other and then over again."""
    evaluator = state.evaluator
    if state.analysis.has_launch(loop):
        return False
    slopes: dict[ir.Variable, int] = {}
    for induction in plan.inductions:
        slope = _slope(state, induction)
        start = evaluator.environment.get(induction.variable)
        if slope is None or start is None or not start.is_integer:
            return False
        slopes[induction.variable] = slope
    state.run(loop.header)
    trips = _trips(state, loop, slopes)
    if trips is None:
        return False
    d, s = trips
    count = max(0, -(d.low // s)) if d.low < 0 else 0
    if count > state.limits.axis:
        return False
    if len(turns) > 1 and (d.parts or count < ROUNDS * len(turns)):
        return False
    starts = {v: evaluator.environment[v] for v in slopes}
    made = _trips_made(d, s, count)
    past = past_end(state, loop, starts, slopes, made)
    if past is not None:
        if len(turns) > 1:
            return False
        _run_without_end(state, loop, plan, starts, past)
        return True
    state.record.ran(
        loop, count, d.high < 0 or both(state.mask.may, booleans.compare_zero(">=", d)).empty
    )
    (state.uneven_loops.add if d.parts else state.uneven_loops.discard)(loop)
    entry = state.mask
    iteration_counts.count_entry(state, loop)
    if count == 0:
        assert loop.condition is not None
        evaluations.count(state, loop.site, entry, booleans.known(booleans.FALSE))
        return True
    ran, again = (
        booleans.known(booleans.compare_zero("<", sums.add(d, sums.constant(n)))) for n in (0, s)
    )
    iteration_counts.count_uneven_exits(
        state, loop, narrowed(entry, ran, state.device.warp_lanes), again
    )
    whole, rest = divmod(count, len(turns))
    _run_rounds(state, loop, plan, _Rounds(starts, slopes, trips, turns, 0, whole))
    if rest:
        last = _Rounds(starts, slopes, trips, turns[:rest], count - rest, 1)
        _run_rounds(state, loop, plan, last)
    state.mask = entry
    _settle(state, loop, plan, starts, slopes, made)
    evaluator.environment.update(turns[count % len(turns)])
    return True


@dataclass(frozen=True, slots=True)
class _Rounds:
    """`count` rounds of a loop from the iteration `first` on, in each of which its body runs once for
    each of `turns`; iteration k takes place where `trips` = (d, s) have d + k * s < 0."""

    starts: dict[ir.Variable, Value]
    slopes: dict[ir.Variable, int]
    trips: tuple[Sum, int]
    turns: tuple[State, ...]
    first: int
    count: int

    def moving(self, axis: int, turn: int, step: int) -> Sum:
        """By how much something has moved on when iterations of a turn begin."""
        rounds = np.arange(self.count, dtype=np.int64)
        return sums.along(axis, (self.first + turn + rounds * len(self.turns)) * step)


def _run_rounds(state: MachineState, loop: ir.Loop, plan: Plan, rounds: _Rounds) -> None:
    """Runs the body along an axis of rounds, in each of which it runs once for each turn."""
    entry, environment = state.mask, state.evaluator.environment
    axis, (d, s) = 1 + len(state.axis_loops), rounds.trips
    state.sizes[axis] = rounds.count
    state.axis_loops.append((axis, loop))
    since = state.order.checkpoint()
    state.order.mark("begin", axis=axis, count=rounds.count)
    for turn, begins in enumerate(rounds.turns):
        for variable, slope in rounds.slopes.items():
            start = rounds.starts[variable]
            moved_on = Value(sums.add(start.known, rounds.moving(axis, turn, slope)), start.terms)
            environment[variable] = typed(moved_on, variable)
        environment.update(begins)
        if turn:
            state.mask = entry
            state.run(loop.header)
        runs = booleans.known(booleans.compare_zero("<", sums.add(d, rounds.moving(axis, turn, s))))
        inner = narrowed(entry, runs, state.device.warp_lanes)
        evaluations.count_checks(state, loop, entry, inner, axis, turn + rounds.first == 0)
        iteration_counts.count_iterations(state, loop, entry, inner)
        if rounds.turns is not ALIKE:
            state.order.begin_iteration(loop)
        own = ((axis, plan.rewrites),) if plan.rewrites else ()
        _run_body(state, loop, inner, plan.ends, own)
    state.order.repeat(since, axis, rounds.count)
    state.axis_loops.pop()
    del state.sizes[axis]


def _trips_made(d: Sum, s: int, count: int) -> Sum:
    """How many trips each lane makes of those that `_trips` describes."""
    if not d.parts:
        return sums.constant(count)
    return sums.elementwise(lambda x: np.maximum(0, -(x // s)), d)


def _run_without_end(
    state: MachineState,
    loop: ir.Loop,
    plan: Plan,
    starts: dict[ir.Variable, Value],
    past: PastEnd,
) -> None:
    """Runs the iteration that begins with what wrapped around, which surely takes place, and then
    any."""
    entry, environment = state.mask, state.evaluator.environment
    environment.update(past.counters)
    state.run(loop.header)
    _run_body(state, loop, past.mask, plan.ends)
    state.mask = entry
    environment.update(starts)
    _run_open(state, loop, plan, WRAPS)


def _settle(
    state: MachineState,
    loop: ir.Loop,
    plan: Plan,
    starts: dict[ir.Variable, Value],
    slopes: dict[ir.Variable, int],
    trips: Sum,
) -> None:
    """Values after the loop: induction variables have made as many steps as their lane made trips;
    temporaries are gone."""
    environment = state.evaluator.environment
    for variable in plan.assigned:
        if variable not in slopes:
            environment.pop(variable, None)
        elif state.analysis.read_outside(variable, loop):
            start = starts[variable]
            environment[variable] = start
            assign(
                state,
                variable,
                typed(moved(start, trips, slopes[variable]), variable),
            )
        else:
            environment[variable] = starts[variable]


def _run_body(
    state: MachineState,
    loop: ir.Loop,
    mask: Mask,
    skipped: frozenset[ir.Statement] = frozenset(),
    own: Rewriting = (),
) -> None:
    """Body and step once, under `mask`."""
    state.mask = mask
    state.scopes.append(LiveScope(loop.label, mask, state.analysis.locals_of(loop)))
    saved = state.skipped, state.rewriting_axes
    state.skipped, state.rewriting_axes = saved[0] | skipped, saved[1] + own
    state.run((*loop.body, *loop.step))
    state.skipped, state.rewriting_axes = saved
    state.scopes.pop()


# ------------------------------------------------------------ stepped


def _foresee(state: MachineState) -> None:
    """Raises OverBudget where the loops being stepped are about to take more statements than the
    budget leaves, as the first iterations of the innermost show: the machine would run into that
    all the same, later. Where lanes may leave a loop early, but at a known iteration, it is waited
    for."""
    stepping, limit = state.stepping, state.limits.statements
    begun = stepping[-1].begun
    if len(begun) != WATCHED + 1 or state.statements < EARLY * limit:
        return
    most = begun[-1] + min(after - before for before, after in pairwise(begun)) * _iterations_left(
        state, stepping[-1]
    )
    for outer in reversed(stepping[:-1]):
        most = outer.begun[-1] + (most - outer.begun[-1]) * max(1, _iterations_left(state, outer))
    if most > MARGIN * limit:
        state.over_budget()


def _iterations_left(state: MachineState, stepped: SteppedLoop) -> int:
    """How many iterations the loop surely still runs for the lane that stays in it longest."""
    loop, plan = stepped.loop, stepped.plan
    environment, slopes = state.evaluator.environment, dict[ir.Variable, int]()
    for induction in plan.inductions:
        slope, start = _slope(state, induction), environment.get(induction.variable)
        if slope is not None and start is not None and start.is_integer:
            slopes[induction.variable] = slope
    if plan.left_early and state.mask.is_known:
        return 0
    if (
        loop.condition is None
        or loop.header
        or (reads(loop.condition) & {*plan.assigned}) - slopes.keys()
    ):
        return 0
    try:
        trips = _trips(state, loop, slopes)
        if trips is None or trips[1] <= 0:
            return 0
        d, step = trips
        key = union(d.key, state.mask.may.key)
        known, active = np.broadcast_arrays(
            sums.dense(d, key)[1], dense_bool(positive(state.mask.may), key)[1]
        )
    except TooDense:
        return 0
    return max(0, -(int(known[active].min()) // step)) if active.any() else 0


def _run_stepped(state: MachineState, loop: ir.Loop, plan: Plan) -> None:
    entry, before = state.mask, len(state.leaves)
    steps = 0
    first = loop.post_test
    mask = entry
    iteration_counts.count_entry(state, loop)
    state.stepping.append(SteppedLoop(loop, plan))
    state.scopes.append(LiveScope(loop.label, entry, state.analysis.locals_of(loop)))
    while not mask.empty:
        steps += 1
        if steps > state.limits.steps:
            raise OverBudget(loop)
        state.mask = mask
        state.stepping[-1].begun.append(state.statements)
        _foresee(state)
        if not first:
            state.scopes[-1].spine = mask
            state.run(loop.header)
            state.evaluator.took_assumption()
            condition = (
                booleans.known(booleans.TRUE)
                if loop.condition is None
                else state.evaluator.condition(loop.condition)
            )
            if iteration_counts.is_open(state, condition):
                state.scopes.pop()
                state.stepping.pop()
                state.mask = mask
                why = "" if condition.is_known else condition.reason
                _run_open(state, loop, plan, why or "unknown-trip-count")
                rejoin(state, loop.label, entry, before)
                return
            if loop.condition is not None:
                evaluations.count(state, loop.site, mask, condition)
            if steps == 2:
                iteration_counts.count_uneven_exits(state, loop, mask, condition)
            state.mask = narrowed(mask, condition, state.device.warp_lanes)
            if loop.condition is not None:
                evaluations.note(state, loop.site, mask, [state.mask.may])
            state.record.began(loop, steps > 1 or state.mask is mask)
        first = False
        if state.mask.empty:
            break
        state.scopes[-1].spine = state.mask
        iteration_counts.count_iterations(state, loop, entry, state.mask)
        state.order.begin_iteration(loop)
        state.run(loop.body)
        state.run(loop.step)
        mask = state.mask
        if (
            loop.condition is None
            and steps >= UNDECIDED
            and not mask.is_known
            and mask.may is entry.may
        ):
            raise OverBudget(loop)
    state.scopes.pop()
    state.stepping.pop()
    state.record.ran(loop, steps)
    state.mask = Mask(booleans.FALSE, booleans.FALSE)
    rejoin(state, loop.label, entry, before)
    if state.mask.empty and not state.leaves[before:]:
        state.mask = entry
    elif state.leaves[before:]:
        state.mask = without(entry, [m for _, m in state.leaves[before:]], state.device.warp_lanes)
        move_spines(state, entry, before)


# ------------------------------------------------------------ once, for any iteration


def _check_once(state: MachineState, loop: ir.Loop) -> Condition:
    """Evaluates and counts the condition."""
    state.run(loop.header)
    if loop.condition is None:
        return booleans.known(booleans.TRUE)
    condition = state.evaluator.condition(loop.condition)
    evaluations.count(state, loop.site, state.mask, condition)
    return condition


def _begin_any(
    state: MachineState,
    loop: ir.Loop,
    plan: Plan,
    reason: str,
    starts: dict[ir.Variable, Value],
    carried: frozenset[ir.Variable],
    phase: Phase,
) -> None:
    """Gives the variables that the loop assigns the values that they have when any iteration of the
    phase begins."""
    evaluator = state.evaluator
    condition = loop.site.condition
    name = f"the iteration of `{condition}`" if condition else "the iteration"
    by_position = of_atom(Atom(name, "unknown-trip-count", 0, None))
    iteration = add(integer(phase.first), times(by_position, sums.constant(phase.every)))
    inductions = {i.variable: i for i in plan.inductions}
    for variable in plan.assigned:
        start = starts.get(variable)
        if start is None:
            continue
        step = _step(state, inductions[variable]) if variable in inductions else None
        if variable in phase.known:
            evaluator.environment[variable] = phase.known[variable]
        elif step is not None and start.is_integer:
            evaluator.environment[variable] = add(
                start, product(iteration, step, variable.type, evaluator.atoms)
            )
        elif variable in carried:
            multiple = plan.advances.get(variable, SHARED)
            evaluator.environment[variable] = carried_on(state, variable, start, multiple, reason)
        else:
            evaluator.environment[variable] = evaluator.atoms.fresh(
                variable.name, reason, variable.type, state.every_lane()
            )


def _on_grids(
    state: MachineState, plan: Plan, starts: dict[ir.Variable, Value]
) -> dict[ir.Variable, int]:
    """The variables that the loop sets to places on a grid on which they begin, with its pitch: so
    they only move on by multiples of it."""
    return {
        variable: placed.multiple
        for variable, placed in plan.placements.items()
        if variable in starts
        and starts[variable].is_integer
        and divisor(subtract(starts[variable], state.evaluator.number(placed.base)))
        % placed.multiple
        == 0
    }


def _steady(
    state: MachineState, plan: Plan, starts: dict[ir.Variable, Value]
) -> frozenset[ir.Variable]:
    """The variables that have when the loop begins what every iteration leaves in them."""
    return frozenset(
        variable
        for variable, value in plan.resets.items()
        if variable in starts
        and starts[variable].is_integer
        and identity(state.evaluator.number(value)) == identity(starts[variable])
    )


def _forget_written(state: MachineState, loop: ir.Loop) -> None:
    """What any number of iterations may change."""
    analysis = state.analysis
    written = analysis.written(loop) if analysis.is_host else None
    if written is None:
        tracked = () if analysis.is_host else state.memory.tracked
        kept = frozenset(o for o in tracked if analysis.leaves_alone(loop, o))
        state.memory.forget(None, kept)
        return
    for object_ in state.memory.tracked:
        if object_ in written or state.heap.made_by(object_) in written:
            state.memory.forget(object_)


def _run_open(state: MachineState, loop: ir.Loop, plan: Plan, reason: str) -> None:
    evaluator = state.evaluator
    entry, before = state.mask, len(state.leaves)
    state.record.ran(loop, None)
    iteration_counts.leave_open(state, loop)
    starts = {v: evaluator.environment[v] for v in plan.assigned if v in evaluator.environment}
    owners = {v: state.owners.get(v) for v in starts}
    plan = replace(plan, advances={**plan.advances, **_on_grids(state, plan, starts)})
    steady = _steady(state, plan, starts)
    found = None if state.analysis.is_host else cycle(state, loop, plan)
    carried = carried_variables(state, loop, plan.advances, starts)
    carried |= shared_variables(state, loop, plan, starts).difference(plan.advances)
    if found is not None:
        steady |= found.restored
        carried -= found.variables
    state.open_depth += 1
    saved = state.open_reason
    if state.open_depth == 1:
        state.open_reason = (
            reason if reason == "budget" else "unknown-trip-count",
            f"iterations of `{loop.site.condition}`"
            + (", whose values wrap around" if reason == WRAPS else ""),
        )
    leaves_together = True
    state.order.mark("open")
    since = state.order.checkpoint()
    for phase in phases(state, found):
        known = {**phase.known, **{v: starts[v] for v in steady}}
        state.mask = entry
        _begin_any(
            state, loop, plan, reason, starts, carried, Phase(known, phase.first, phase.every)
        )
        if plan.writes_memory:
            _forget_written(state, loop)
        leaves_together &= _run_any(state, loop, plan, carried)
    state.order.repeat_open(since)
    state.order.mark("open")
    state.open_depth -= 1
    state.open_reason = saved
    state.mask = entry
    # lanes that leave by the condition leave where an iteration begins
    kept = frozenset() if plan.left_early else steady
    evaluator.environment.update((v, starts[v]) for v in kept)
    state.owners.update((v, owners[v]) for v in kept)
    for variable in [v for v in plan.assigned if v in evaluator.environment.keys() - kept]:
        after = evaluator.atoms.fresh(variable.name, reason, variable.type, state.every_lane())
        after = capped(state, loop, starts, after)
        evaluator.environment[variable] = starts.get(variable, after)
        passed = None  # what the lanes that came here have: the others keep what they had
        if variable in carried and leaves_together:
            multiple = plan.advances.get(variable, SHARED)
            passed = carried_on(state, variable, starts[variable], multiple, reason)
        elif found is not None and variable in found.variables and not plan.left_early:
            passed = found.any_of(variable)
        if passed is not None:
            state.owners[variable] = owners[variable]
            assign(state, variable, passed)
            continue
        if variable in state.carried:
            carry(state, variable, after, entry)
        evaluator.environment[variable] = after
        state.owners[variable] = None
    if state.open_depth == 0:
        raise_divergences(state)
    _forget_written(state, loop)
    state.mask = Mask(booleans.FALSE, booleans.FALSE)
    outer = [(label, mask) for label, mask in state.leaves[before:] if label is not loop.label]
    del state.leaves[before:]
    state.leaves += outer
    state.mask = (
        without(entry, [mask for _, mask in outer], state.device.warp_lanes) if outer else entry
    )


def _run_any(
    state: MachineState, loop: ir.Loop, plan: Plan, carried: frozenset[ir.Variable]
) -> bool:
    """Runs one iteration for any of its phase; whether all lanes of a warp leave the loop
    together."""
    before = len(state.leaves)
    condition = booleans.known(booleans.TRUE) if loop.post_test else _check_once(state, loop)
    inner = in_any_iteration(state, loop, narrowed(state.mask, condition, state.device.warp_lanes))
    presumed_in_warp = condition.presumed and varies_in_warp(
        condition.determiners, state.device.warp_lanes
    )
    state.presumed += condition.presumed
    state.presumed_in_warp += presumed_in_warp
    for variable in carried:
        state.carried.setdefault(variable, []).append(
            (loop, inner, plan.advances.get(variable, SHARED))
        )
    _run_body(state, loop, inner)
    if not state.mask.empty:  # what follows may be another iteration
        test = _check_once(state, loop) if loop.post_test else None
        note_exits(state, loop, inner, [mask for _, mask in state.leaves[before:]], test)
    for variable in carried:
        state.carried[variable].pop()
    state.presumed -= condition.presumed
    state.presumed_in_warp -= presumed_in_warp
    return left_together(loop, condition, state.device.warp_lanes)
