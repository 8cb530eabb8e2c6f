"""Loops that rewrite local arrays of which nothing is known, such as the bins of a histogram kept
in registers.

Contents that an iteration leaves to the next stand in the way of an axis only where some are known.
In: the machine and a plan. Out: whether an axis does, and what tells its iterations apart. Where
that turns out otherwise `Turning` asks to begin again and step the loops.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kernlint.execution.loops.plan import Plan
from kernlint.execution.values.sums import Sum, along
from kernlint.execution.values.values import Value, varies_in_warp
from kernlint.ir import nodes as ir

if TYPE_CHECKING:
    from kernlint.execution.machine import Machine


Rewriting = tuple[
    tuple[int, frozenset[str]], ...
]  # axes of such loops, and the memory spaces that these write


class Turning(Exception):
    """Iterations run as one must be told apart: they store known contents, or each moves a whole
    request by another unknown."""


def rewrites_unknowns(machine: Machine, plan: Plan) -> bool:
    """Whether contents alone stand in the way of an axis, those of local arrays, none of which is
    known when the loop begins."""
    if not plan.rewrites or machine.analysis.is_host:
        return False
    own = all(object_.space in ("local", "constant") for object_ in machine.memory.tracked)
    return own and not machine.memory.knows(plan.rewrites)


def turns(machine: Machine, object_: ir.MemoryObject | None) -> tuple[Sum, ...]:
    """The iterations around that may each find other contents in `object_`."""
    axes = [
        axis
        for axis, spaces in machine.rewriting
        if object_ is None or not spaces.isdisjoint(("", object_.space))
    ]
    return tuple(along(axis, np.arange(machine.sizes[axis])) for axis in axes)


def tell_apart(machine: Machine, address: Value) -> None:
    """Raises Turning where an unknown moves all lanes of a warp alike, but otherwise in each
    iteration."""
    axes = {axis for axis, _ in machine.rewriting}
    for atom in address.terms if axes else ():
        by_turn = any(not axes.isdisjoint(key) for by in atom.determiners for key in by.parts)
        if by_turn and not varies_in_warp(atom.determiners, machine.device.warp_lanes):
            raise Turning
