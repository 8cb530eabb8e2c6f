"""Assignments to variables under the mask of the lanes that make them.

In: the state, a variable, its value. Out: the variable's value for all lanes in the environment,
and the mask that it was assigned under among the owners.
"""

from __future__ import annotations

from kernlint.base.dataclass import replace
from kernlint.execution.loops.warp_uniform_carry import carry
from kernlint.execution.state import MachineState
from kernlint.execution.values.booleans import Threshold
from kernlint.execution.values.masks import Mask, truth
from kernlint.execution.values.values import Value
from kernlint.ir import nodes as ir


def is_needed(state: MachineState, variable: ir.Variable) -> bool:
    """Whether the variable decides anything that is counted."""
    return variable in state.analysis.slice.variables


def assign(
    state: MachineState,
    variable: ir.Variable,
    value: Value,
    denies: tuple[Threshold, ...] = (),
) -> None:
    """`denies`: what holds in the lanes that keep the variable's value."""
    environment = state.evaluator.environment
    if variable in state.carried:
        together = carry(state, variable, value, state.mask)
        if together is not None:
            environment[variable], state.owners[variable] = together, None
            return
    old = environment.get(variable)
    by_all = old is not None and _note(state, variable, old)
    if (
        old is None
        or by_all
        or state.owners.get(variable) is state.mask
        or _covers(state, variable, state.mask)
    ):
        environment[variable] = value
        state.owners[variable] = state.mask
        return
    if old is value:
        return
    where = truth(state.mask)
    if denies:
        where = replace(where, denies=denies)
    environment[variable] = state.evaluator.one_of(where, value, old, variable.type)
    state.owners[variable] = None


def is_all_that_use(state: MachineState, variable: ir.Variable, mask: Mask) -> bool:
    """Whether no other lanes use what the variable has under `mask`: they are gone, or have the
    value that it had before the undecided path."""
    path = state.undecided[-1] if state.undecided else None
    return (path is not None and path.mask is mask) or _covers(state, variable, mask)


def _covers(state: MachineState, variable: ir.Variable, mask: Mask) -> bool:
    return any(s.spine is mask and (s.locals is None or variable in s.locals) for s in state.scopes)


def _note(state: MachineState, variable: ir.Variable, old: Value) -> bool:
    """Keeps `old` for the end of an undecided branch; whether all lanes that are in it assign."""
    if not state.undecided:
        return False
    path = state.undecided[-1]
    path.before.setdefault(variable, (old, state.owners.get(variable)))
    return path.mask is state.mask
