"""Loops that rewrite local arrays of which nothing is known, such as the bins of a histogram kept
in registers.

Contents that an iteration leaves to the next stand in the way of an axis only where some are known.
In: the machine and a plan. Out: whether an axis does, and what distinguishes its iterations. Where
that turns out otherwise `IterationsDiffer` asks to begin again and step the loops.
"""

from __future__ import annotations

import numpy as np

from kernlint.execution.loops.plan import Plan
from kernlint.execution.restarts import IterationsDiffer
from kernlint.execution.state import MachineState
from kernlint.execution.values.sums import Sum, along
from kernlint.execution.values.values import Value, varies_in_warp
from kernlint.ir import nodes as ir


def rewrites_unknowns(state: MachineState, plan: Plan) -> bool:
    """Whether contents alone stand in the way of an axis, those of local arrays, none of which is
    known when the loop begins."""
    if not plan.rewrites or state.analysis.is_host:
        return False
    own = all(object_.space in ("local", "constant") for object_ in state.memory.tracked)
    return own and not state.memory.knows(plan.rewrites)


def rewriting_iterations(state: MachineState, object_: ir.MemoryObject | None) -> tuple[Sum, ...]:
    """The iterations around that may each find other contents in `object_`."""
    axes = [
        axis
        for axis, spaces in state.rewriting_axes
        if object_ is None or not spaces.isdisjoint(("", object_.space))
    ]
    return tuple(along(axis, np.arange(state.sizes[axis])) for axis in axes)


def require_alike_iterations(state: MachineState, address: Value) -> None:
    """Raises Turning where an unknown moves all lanes of a warp alike, but otherwise in each
    iteration."""
    axes = {axis for axis, _ in state.rewriting_axes}
    for atom in address.terms if axes else ():
        by_turn = any(not axes.isdisjoint(key) for by in atom.determiners for key in by.parts)
        if by_turn and not varies_in_warp(atom.determiners, state.device.warp_lanes):
            raise IterationsDiffer
