"""Assignments to variables under the mask of the lanes that make them.

In: the state, a variable, its value. Out: the variable's value for all lanes in the environment,
and the mask that it was assigned under among the owners.
"""

from __future__ import annotations

from kernlint.execution.loops.warp_uniform_carry import carry
from kernlint.execution.state import MachineState
from kernlint.execution.values.masks import truth
from kernlint.execution.values.values import Value
from kernlint.ir import nodes as ir


def is_needed(state: MachineState, variable: ir.Variable) -> bool:
    """Whether the variable decides anything that is counted."""
    return variable in state.analysis.slice.variables


def assign(state: MachineState, variable: ir.Variable, value: Value) -> None:
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
        or _covers(state, variable)
    ):
        environment[variable] = value
        state.owners[variable] = state.mask
        return
    if old is value:
        return
    environment[variable] = state.evaluator.one_of(truth(state.mask), value, old, variable.type)
    state.owners[variable] = None


def _covers(state: MachineState, variable: ir.Variable) -> bool:
    return any(
        s.spine is state.mask and (s.locals is None or variable in s.locals) for s in state.scopes
    )


def _note(state: MachineState, variable: ir.Variable, old: Value) -> bool:
    """Keeps `old` for the end of an undecided branch; whether all lanes that are in it assign."""
    if not state.undecided:
        return False
    path = state.undecided[-1]
    path.before.setdefault(variable, (old, state.owners.get(variable)))
    return path.mask is state.mask
