"""What host code leaves in a variable that a loop moves up to a bound: `while (b < n && b < 1024) b *= 2;`.

In: the machine behind a loop whose length is not known, and what its variables held before. Out: the
value with its bounds. Only loops that do nothing else are looked at: the variable is stepped until
the condition surely fails, whatever the unknowns in it.
"""

from __future__ import annotations

from collections.abc import Mapping

from kernlint.base.dataclass import replace
from kernlint.execution.state import MachineState
from kernlint.execution.values.masks import narrowed
from kernlint.execution.values.undo_log import refill
from kernlint.execution.values.values import Value, constant_of, integer, of_atom
from kernlint.ir import nodes as ir
from kernlint.ir.traversal import reads

MOST_STEPS = 64  # a doubling of 64 bits


def capped(
    state: MachineState,
    loop: ir.Loop,
    starts: Mapping[ir.Variable, Value],
    after: Value,
) -> Value:
    """`after`, an unknown that the loop leaves in its one variable, within what the steps reach."""
    alone = (*loop.header, *loop.body, *loop.step)
    if not state.analysis.is_host or loop.post_test or len(alone) != 1:
        return after
    [step] = alone
    if not isinstance(step, ir.Assign) or reads(step.value) != {step.variable}:
        return after
    start = constant_of(starts[step.variable]) if step.variable in starts else None
    last = None if start is None else _last(state, loop, step, start)
    if start is None or last is None:
        return after
    [(atom, _)] = after.terms.items()
    return of_atom(replace(atom, low=min(start, last), high=max(start, last)))


def _last(state: MachineState, loop: ir.Loop, step: ir.Assign, start: int) -> int | None:
    """The value at which the condition surely fails; None where it is not come to, or steps turn
    back."""
    evaluator, value = state.evaluator, start
    before, way = evaluator.environment[step.variable], 0
    assumptions = dict(evaluator.assumptions)
    if loop.condition is None:
        return None
    try:
        for _ in range(MOST_STEPS):
            evaluator.environment[step.variable] = integer(value)
            condition = evaluator.condition(loop.condition)
            if narrowed(state.mask, condition, state.device.warp_lanes).empty:
                return value
            following = constant_of(evaluator.value(step.value))
            if following is None or following == value or (following - value) * way < 0:
                return None
            value, way = following, following - value
    finally:
        evaluator.environment[step.variable] = before
        refill(evaluator.assumptions, assumptions)
        evaluator.took_assumption()
    return None
