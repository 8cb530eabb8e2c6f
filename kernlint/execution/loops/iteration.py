"""Loops, in three tiers: as an axis evaluated once, stepped one iteration at a time, or once for
any iteration.

In: the machine and a loop. A regular loop with a known trip count becomes an axis of all its
values. Otherwise it is stepped under the mask within the budget. Where the trip count depends on
data or unknown arguments, the body runs once with carried values unknown.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from kernlint.execution.counting import evaluations
from kernlint.execution.loops import resuming, turns
from kernlint.execution.loops.plan import Induction, Plan
from kernlint.execution.loops.rewriting import Rewriting, rewrites_unknowns
from kernlint.execution.loops.warp_uniform_carry import (
    drifting,
    in_any_iteration,
    left_together,
    moved,
    note_exits,
    settle,
    watched,
)
from kernlint.execution.record import OverBudget, Scope, Stepped
from kernlint.execution.values import booleans, sums
from kernlint.execution.values.arithmetic import product
from kernlint.execution.values.booleans import COMPARE, Condition, both, dense_bool, positive
from kernlint.execution.values.masks import Mask, narrowed, without
from kernlint.execution.values.sums import Sum, TooDense, union
from kernlint.execution.values.values import Atom, Value, add, negate, of_atom, subtract
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import reads
from kernlint.ir.types import Integer

if TYPE_CHECKING:
    from kernlint.execution.machine import Machine

WATCHED = 2  # turns of a stepped loop that tell what the others will take
EARLY = 0.05  # of the budget: loops within it are not asked about
UNDECIDED = (
    64  # turns of `while (true)` after which nobody is known to have left: what ends it is unknown
)
MARGIN = 1.1  # how far over the budget the loops must be foreseen to be


def run_loop(machine: Machine, loop: ir.Loop) -> None:
    resuming.run(machine, loop, _run_once)


def _run_once(machine: Machine, loop: ir.Loop) -> None:
    plan = machine.analysis.plan_of(loop)
    if plan.writes_memory:
        machine.memory.touch(
            None
        )  # what an iteration loads need not be what was there before the loop
    if loop in machine.open_loops:
        _run_open(machine, loop, plan, "budget")
    elif (
        loop not in machine.stepped_loops
        and (plan.regular or rewrites_unknowns(machine, plan))
        and _run_axis(machine, loop, plan)
    ):
        pass
    elif (
        machine.statements > machine.limits.statements
    ):  # nothing of it has run yet: no need to begin again
        _run_open(machine, loop, plan, "budget")
    else:
        _run_stepped(machine, loop, plan)


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


def _step(machine: Machine, induction: Induction) -> Value | None:
    """What an iteration adds to the variable; None for a real number."""
    step = machine.evaluator.number(induction.step)
    if step.real is not None:
        return None
    return negate(step) if induction.descending else step


def _slope(machine: Machine, induction: Induction) -> int | None:
    step = _step(machine, induction)
    return (
        step.known.const if step is not None and not step.terms and step.known.is_constant else None
    )


def _trips(
    machine: Machine, loop: ir.Loop, slopes: dict[ir.Variable, int]
) -> tuple[Sum, int] | None:
    """(d, s) such that iteration k runs exactly while d + k*s < 0, with s > 0; None when the
    condition is not of that kind. The first iteration of a do-while runs whatever its test, which
    comes after the step, says of the start."""
    condition = loop.condition
    while isinstance(condition, ir.Convert):
        condition = condition.operand
    own = frozenset(slopes)
    if not isinstance(condition, ir.Binary) or condition.op not in COMPARE or condition.op == "==":
        return None
    if not (_linear_in(condition.left, own) and _linear_in(condition.right, own)):
        return None
    evaluator = machine.evaluator

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
    if first.terms or change.terms or not change.known.is_constant or first.real is not None:
        return None
    d, s, op = first.known, change.known.const, condition.op
    if op == "!=":
        op = "<" if s > 0 else ">"
        if not s or not sums.divisible(d, abs(s)) or (d.high > 0 if s > 0 else d.low < 0):
            return None
        if loop.post_test and not both(machine.mask.may, booleans.compare_zero("==", d)).empty:
            return None  # steps over the end at once
    if op in (">", ">="):
        d, s, op = sums.negate(d), -s, {">": "<", ">=": "<="}[op]
    if op == "<=":
        d = sums.add(d, sums.constant(-1))
    if loop.post_test and d.high >= 0 < s:
        d = sums.elementwise(lambda x: np.minimum(x, -1), d)
    return (d, s) if s > 0 or (d.low >= 0 and not loop.post_test) else None


def _run_axis(machine: Machine, loop: ir.Loop, plan: Plan) -> bool:
    """Runs the loop with one axis for all its iterations; False when it cannot."""
    evaluator = machine.evaluator
    if machine.analysis.has_launch(loop):
        return False
    slopes: dict[ir.Variable, int] = {}
    for induction in plan.inductions:
        slope = _slope(machine, induction)
        start = evaluator.environment.get(induction.variable)
        if slope is None or start is None or start.real is not None or start.condition is not None:
            return False
        slopes[induction.variable] = slope
    machine.run(loop.header)
    trips = _trips(machine, loop, slopes)
    if trips is None:
        return False
    d, s = trips
    count = max(0, -(d.low // s)) if d.low < 0 else 0
    if count > machine.limits.axis:
        return False
    machine.record.ran(
        loop, count, d.high < 0 or both(machine.mask.may, booleans.compare_zero(">=", d)).empty
    )
    (machine.uneven.add if d.parts else machine.uneven.discard)(loop)
    entry = machine.mask
    turns.count_entry(machine, loop)
    if count == 0:
        assert loop.condition is not None
        evaluations.count(machine, loop.site, entry, booleans.known(booleans.FALSE))
        return True
    axis = 1 + len(machine.axis_loops)
    starts = {v: evaluator.environment[v] for v in slopes}
    machine.sizes[axis] = count
    machine.axis_loops.append((axis, loop))
    for induction in plan.inductions:
        start, slope = starts[induction.variable], slopes[induction.variable]
        moving = sums.along(axis, np.arange(count, dtype=np.int64) * slope)
        value = Value(sums.add(start.known, moving), start.terms)
        evaluator.environment[induction.variable] = _typed(value, induction.variable)
    condition = booleans.known(
        booleans.compare_zero(
            "<", sums.add(d, sums.along(axis, np.arange(count, dtype=np.int64) * s))
        )
    )
    inner = narrowed(entry, condition, machine.device.warp_lanes)
    evaluations.count_checks(machine, loop, entry, inner, axis)
    turns.count_turns(machine, loop, entry, inner)
    ran, again = (
        booleans.known(booleans.compare_zero("<", sums.add(d, sums.constant(n)))) for n in (0, s)
    )
    turns.count_parted(machine, loop, narrowed(entry, ran, machine.device.warp_lanes), again)
    updates = frozenset(i.statement for i in plan.inductions)
    _run_body(machine, loop, inner, updates, ((axis, plan.rewrites),) if plan.rewrites else ())
    machine.axis_loops.pop()
    del machine.sizes[axis]
    machine.mask = entry
    _settle(machine, loop, plan, starts, slopes, d, s, count)
    return True


def _typed(value: Value, variable: ir.Variable) -> Value:
    if value.terms or not isinstance(variable.type, Integer):
        return value
    return Value(sums.wrap(value.known, variable.type.bits, variable.type.signed))


def _settle(
    machine: Machine,
    loop: ir.Loop,
    plan: Plan,
    starts: dict[ir.Variable, Value],
    slopes: dict[ir.Variable, int],
    d: Sum,
    s: int,
    count: int,
) -> None:
    """Values after the loop: induction variables have made as many steps as their lane made trips;
    temporaries are gone."""
    environment = machine.evaluator.environment
    for variable in plan.assigned:
        if variable not in slopes:
            environment.pop(variable, None)
        elif machine.analysis.read_outside(variable, loop):
            trips = (
                sums.constant(count)
                if not d.parts
                else sums.elementwise(lambda x: np.maximum(0, -(x // s)), d)
            )
            start = starts[variable]
            environment[variable] = start
            machine.assign(
                variable,
                _typed(
                    Value(sums.add(start.known, sums.scale(trips, slopes[variable])), start.terms),
                    variable,
                ),
            )
        else:
            environment[variable] = starts[variable]


def _run_body(
    machine: Machine,
    loop: ir.Loop,
    mask: Mask,
    skipped: frozenset[ir.Statement] = frozenset(),
    own: Rewriting = (),
) -> None:
    """Body and step once, under `mask`."""
    machine.mask = mask
    machine.scopes.append(Scope(loop.label, mask, machine.analysis.locals_of(loop)))
    saved = machine.skipped, machine.rewriting
    machine.skipped, machine.rewriting = saved[0] | skipped, saved[1] + own
    machine.run((*loop.body, *loop.step))
    machine.skipped, machine.rewriting = saved
    machine.scopes.pop()


# ------------------------------------------------------------ stepped


def _foresee(machine: Machine) -> None:
    """Raises OverBudget where the loops being stepped are about to take more statements than the
    budget leaves, as the first turns of the innermost tell: the machine would run into that all the
    same, later. Where lanes may leave a loop early, but at a known turn, it is waited for."""
    stepping, limit = machine.stepping, machine.limits.statements
    begun = stepping[-1].begun
    if len(begun) != WATCHED + 1 or machine.statements < EARLY * limit:
        return
    most = begun[-1] + min(after - before for before, after in pairwise(begun)) * _turns_left(
        machine, stepping[-1]
    )
    for outer in reversed(stepping[:-1]):
        most = outer.begun[-1] + (most - outer.begun[-1]) * max(1, _turns_left(machine, outer))
    if most > MARGIN * limit:
        machine.over_budget()


def _turns_left(machine: Machine, stepped: Stepped) -> int:
    """How often the loop surely still turns for the lane that stays in it longest."""
    loop, plan = stepped.loop, stepped.plan
    environment, slopes = machine.evaluator.environment, dict[ir.Variable, int]()
    for induction in plan.inductions:
        slope, start = _slope(machine, induction), environment.get(induction.variable)
        if (
            slope is not None
            and start is not None
            and start.real is None
            and start.condition is None
        ):
            slopes[induction.variable] = slope
    if plan.left_early and machine.mask.is_known:
        return 0
    if (
        loop.condition is None
        or loop.header
        or (reads(loop.condition) & {*plan.assigned}) - slopes.keys()
    ):
        return 0
    try:
        trips = _trips(machine, loop, slopes)
        if trips is None or trips[1] <= 0:
            return 0
        d, step = trips
        key = union(d.key, machine.mask.may.key)
        known, active = np.broadcast_arrays(
            sums.dense(d, key)[1], dense_bool(positive(machine.mask.may), key)[1]
        )
    except TooDense:
        return 0
    return max(0, -(int(known[active].min()) // step)) if active.any() else 0


def _run_stepped(machine: Machine, loop: ir.Loop, plan: Plan) -> None:
    entry, before = machine.mask, len(machine.leaves)
    steps = 0
    first = loop.post_test
    mask = entry
    turns.count_entry(machine, loop)
    machine.stepping.append(Stepped(loop, plan))
    machine.scopes.append(Scope(loop.label, entry, machine.analysis.locals_of(loop)))
    while not mask.empty:
        steps += 1
        if steps > machine.limits.steps:
            raise OverBudget(loop)
        machine.mask = mask
        machine.stepping[-1].begun.append(machine.statements)
        _foresee(machine)
        if not first:
            machine.scopes[-1].spine = mask
            machine.run(loop.header)
            machine.evaluator.took_assumption()
            condition = (
                booleans.known(booleans.TRUE)
                if loop.condition is None
                else machine.evaluator.condition(loop.condition)
            )
            if turns.is_open(machine, condition):
                machine.scopes.pop()
                machine.stepping.pop()
                machine.mask = mask
                _run_open(machine, loop, plan, condition.reason or "unknown-trip-count")
                machine.rejoin(loop.label, entry, before)
                return
            if loop.condition is not None:
                evaluations.count(machine, loop.site, mask, condition)
            if steps == 2:
                turns.count_parted(machine, loop, mask, condition)
            machine.mask = narrowed(mask, condition, machine.device.warp_lanes)
            if loop.condition is not None:
                evaluations.note(machine, loop.site, mask, [machine.mask.may])
            machine.record.began(loop, steps > 1 or machine.mask is mask)
        first = False
        if machine.mask.empty:
            break
        machine.scopes[-1].spine = machine.mask
        turns.count_turns(machine, loop, entry, machine.mask)
        machine.run(loop.body)
        machine.run(loop.step)
        mask = machine.mask
        if (
            loop.condition is None
            and steps >= UNDECIDED
            and not mask.is_known
            and mask.may is entry.may
        ):
            raise OverBudget(loop)
    machine.scopes.pop()
    machine.stepping.pop()
    machine.record.ran(loop, steps)
    machine.mask = Mask(booleans.FALSE, booleans.FALSE)
    machine.rejoin(loop.label, entry, before)
    if machine.mask.empty and not machine.leaves[before:]:
        machine.mask = entry
    elif machine.leaves[before:]:
        machine.mask = without(
            entry, [m for _, m in machine.leaves[before:]], machine.device.warp_lanes
        )
        machine.move_spines(entry, before)


# ------------------------------------------------------------ once, for any iteration


def _check_once(machine: Machine, loop: ir.Loop) -> Condition:
    """Evaluates and counts the condition."""
    machine.run(loop.header)
    if loop.condition is None:
        return booleans.known(booleans.TRUE)
    condition = machine.evaluator.condition(loop.condition)
    evaluations.count(machine, loop.site, machine.mask, condition)
    return condition


def _begin_any(
    machine: Machine,
    loop: ir.Loop,
    plan: Plan,
    reason: str,
    starts: dict[ir.Variable, Value],
    drifts: frozenset[ir.Variable],
) -> None:
    """Gives the variables that the loop assigns the values that they have when any iteration
    begins."""
    evaluator = machine.evaluator
    by_position = Atom(
        f"the iteration of `{loop.site.condition}`" if loop.site.condition else "the iteration",
        "unknown-trip-count",
        0,
        None,
    )
    inductions = {i.variable: i for i in plan.inductions}
    for variable in plan.assigned:
        start = starts.get(variable)
        step = _step(machine, inductions[variable]) if variable in inductions else None
        if start is None:
            continue
        if step is not None and start.real is None and start.condition is None:
            evaluator.environment[variable] = add(
                start, product(of_atom(by_position), step, variable.type, evaluator.atoms)
            )
        elif variable in drifts:
            evaluator.environment[variable] = moved(
                machine, variable, start, plan.advances[variable]
            )
        else:
            evaluator.environment[variable] = evaluator.atoms.fresh(
                variable.name, reason, variable.type, machine.every_lane()
            )


def _run_open(machine: Machine, loop: ir.Loop, plan: Plan, reason: str) -> None:
    evaluator = machine.evaluator
    entry, before = machine.mask, len(machine.leaves)
    machine.record.ran(loop, None)
    turns.leave_open(machine, loop)
    starts = {v: evaluator.environment[v] for v in plan.assigned if v in evaluator.environment}
    owners = {v: machine.owners.get(v) for v in starts}
    drifts = drifting(machine, loop, plan.advances, starts)
    _begin_any(machine, loop, plan, reason, starts, drifts)
    if plan.writes_memory:
        machine.memory.forget(None)
    machine.open_depth += 1
    saved = machine.open_reason
    if machine.open_depth == 1:
        machine.open_reason = (
            reason if reason == "budget" else "unknown-trip-count",
            f"iterations of `{loop.site.condition}`",
        )
    condition = booleans.known(booleans.TRUE) if loop.post_test else _check_once(machine, loop)
    inner = in_any_iteration(
        machine, loop, narrowed(machine.mask, condition, machine.device.warp_lanes)
    )
    machine.presumed += condition.presumed
    for variable in drifts:
        machine.drifting.setdefault(variable, []).append((loop, inner, plan.advances[variable]))
    _run_body(machine, loop, inner)
    if not machine.mask.empty:  # what follows may be another iteration
        test = _check_once(machine, loop) if loop.post_test else None
        note_exits(machine, loop, inner, [mask for _, mask in machine.leaves[before:]], test)
    for variable in drifts:
        machine.drifting[variable].pop()
    machine.presumed -= condition.presumed
    machine.open_depth -= 1
    machine.open_reason = saved
    leaves_together = left_together(loop, condition, machine.device.warp_lanes)
    machine.mask = entry
    for variable in [v for v in plan.assigned if v in evaluator.environment]:
        after = evaluator.atoms.fresh(variable.name, reason, variable.type, machine.every_lane())
        evaluator.environment[variable] = starts.get(variable, after)
        if variable in drifts and leaves_together:  # only of the lanes that came here
            machine.owners[variable] = owners[variable]
            machine.assign(
                variable, moved(machine, variable, starts[variable], plan.advances[variable])
            )
            continue
        if variable in machine.drifting:
            watched(machine, variable, after, entry)
        evaluator.environment[variable] = after
        machine.owners[variable] = None
    if machine.open_depth == 0:
        settle(machine)
    machine.memory.forget(None)
    machine.mask = Mask(booleans.FALSE, booleans.FALSE)
    outer = [(label, mask) for label, mask in machine.leaves[before:] if label is not loop.label]
    del machine.leaves[before:]
    machine.leaves += outer
    machine.mask = (
        without(entry, [mask for _, mask in outer], machine.device.warp_lanes) if outer else entry
    )
