"""Values assigned on the paths of a branch that nobody can decide.

On a path a variable is what was assigned there: only lanes that took it are there. Behind the
branch it is one of two values. Goes in: the machine, its mask at the start of a path. Comes out:
the variables' values in the machine. Nothing is counted here.
"""

from __future__ import annotations

from kernlint.base.dataclass import dataclass
from kernlint.execution.assignment import assign, is_all_that_use
from kernlint.execution.state import MachineState, UndecidedPath
from kernlint.execution.values.booleans import Condition
from kernlint.execution.values.masks import Mask
from kernlint.execution.values.values import Value, integer
from kernlint.ir import nodes as ir


@dataclass(frozen=True, slots=True)
class TakenPath:
    """A path that was run: its mask at the start and what was assigned in it."""

    mask: Mask
    values: dict[ir.Variable, Value]


def run(state: MachineState, body: ir.Body, condition: Condition, holds: bool) -> TakenPath:
    """Runs the path where `condition` holds, or that where it does not, under the machine's mask
    and puts the values of before it back."""
    path = UndecidedPath(state.mask, condition, holds)
    state.undecided.append(path)
    state.run(body)
    state.undecided.pop()
    environment = state.evaluator.environment
    values = {
        variable: environment[variable] for variable in path.before if variable in environment
    }
    for variable, (old, owner) in path.before.items():
        environment[variable], state.owners[variable] = old, owner
    return TakenPath(path.mask, values)


def join(
    state: MachineState,
    entry: Mask,
    condition: Condition,
    then: TakenPath,
    otherwise: TakenPath,
) -> None:
    """What the paths assigned, each for its lanes; under `entry`, the mask of the branch, a
    variable of both is never what it was."""
    for variable in {**then.values, **otherwise.values}:
        _settle(state, entry, condition, variable, variable in otherwise.values)
        is_of_all = is_all_that_use(state, variable, entry)
        first = entry if variable in then.values else otherwise.mask
        if variable in otherwise.values:
            state.mask = first
            kept = condition.implies if is_of_all and first is not entry else ()
            assign(state, variable, otherwise.values[variable], kept)
        if variable in then.values:
            state.mask = then.mask
            kept = condition.denies if is_of_all else ()
            assign(state, variable, then.values[variable], kept)


def _settle(
    state: MachineState, entry: Mask, condition: Condition, variable: ir.Variable, holds: bool
) -> None:
    """A variable that is the condition itself is known where a path keeps it: `t = a; if (t) t = b`
    of `a && b`."""
    old = state.evaluator.environment.get(variable)
    if old is not None and old.condition is condition and state.owners.get(variable) is entry:
        state.evaluator.environment[variable] = integer(int(holds))
