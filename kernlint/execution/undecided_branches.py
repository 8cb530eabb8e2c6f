"""Values assigned in the arms of a branch that nobody can decide.

In an arm a variable is what was assigned there: only lanes that took it are there. Behind the
branch it is one of two values. Goes in: the machine, its mask at the start of an arm. Comes out:
the variables' values in the machine. Nothing is counted here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernlint.base.dataclass import dataclass, field
from kernlint.execution.values.masks import Mask
from kernlint.execution.values.values import Value
from kernlint.ir import nodes as ir

if TYPE_CHECKING:
    from kernlint.execution.machine import Machine


@dataclass(slots=True)
class Arm:
    """`before`: the values that variables had, and the masks that these were assigned under, of
    those assigned in the arm."""

    mask: Mask
    before: dict[ir.Variable, tuple[Value, Mask | None]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Left:
    """An arm that was run: its mask at the start and what was assigned in it."""

    mask: Mask
    values: dict[ir.Variable, Value]


def note(machine: Machine, variable: ir.Variable, old: Value) -> bool:
    """Told before an assignment over `old`; gives whether all lanes that are in the arm make it."""
    if not machine.arms:
        return False
    arm = machine.arms[-1]
    arm.before.setdefault(variable, (old, machine.owners.get(variable)))
    return arm.mask is machine.mask


def run(machine: Machine, body: ir.Body) -> Left:
    """Runs an arm under the machine's mask and puts the values of before it back."""
    arm = Arm(machine.mask)
    machine.arms.append(arm)
    machine.run(body)
    machine.arms.pop()
    environment = machine.evaluator.environment
    values = {variable: environment[variable] for variable in arm.before if variable in environment}
    for variable, (old, owner) in arm.before.items():
        environment[variable], machine.owners[variable] = old, owner
    return Left(arm.mask, values)


def join(machine: Machine, entry: Mask, then: Left, otherwise: Left) -> None:
    """What the arms assigned, each for its lanes; under `entry`, the mask of the branch, a variable
    of both is never what it was."""
    for variable in {**then.values, **otherwise.values}:
        first = entry if variable in then.values else otherwise.mask
        if variable in otherwise.values:
            machine.mask = first
            machine.assign(variable, otherwise.values[variable])
        if variable in then.values:
            machine.mask = then.mask
            machine.assign(variable, then.values[variable])
