"""Lanes that leave a region, a loop or the kernel, and those that come back at its end.

In: the state, a statement that lanes leave or one that they leave to. Out: the mask and the spines
of the scopes around. Lanes that leave wait at the end of what they leave.
"""

from __future__ import annotations

from kernlint.execution.state import LiveScope, MachineState
from kernlint.execution.values import booleans
from kernlint.execution.values.masks import Mask, without
from kernlint.ir import nodes as ir


def region(state: MachineState, s: ir.Region) -> None:
    entry, before = state.mask, len(state.leaves)
    state.scopes.append(LiveScope(s.label, entry, state.analysis.locals_of(s)))
    state.run(s.body)
    state.scopes.pop()
    rejoin(state, s.label, entry, before)


def rejoin(state: MachineState, label: ir.Label, entry: Mask, before: int) -> None:
    """Lanes that left to `label` since `before` come back; those that left further out do
    not."""
    others = [(at, mask) for at, mask in state.leaves[before:] if at is not label]
    returned = [mask for at, mask in state.leaves[before:] if at is label and not mask.empty]
    del state.leaves[before:]
    state.leaves += others
    if not others:
        state.mask = entry
    elif returned:
        alone = len(returned) == 1 and state.mask.empty
        state.mask = (
            returned[0]
            if alone
            else without(entry, [mask for _, mask in others], state.device.warp_lanes)
        )
        move_spines(state, entry, before)


def move_spines(state: MachineState, entry: Mask, before: int) -> None:
    """After lanes left: scopes that they left for good go on with the others."""
    levels = {scope.label: i for i, scope in enumerate(state.scopes)}
    outermost = max((levels.get(label, 0) for label, _ in state.leaves[before:]), default=0)
    for i, scope in enumerate(state.scopes):
        if scope.spine is entry and outermost <= i:
            scope.spine = state.mask


def leave(state: MachineState, s: ir.Leave) -> None:
    state.leaves.append((s.label, state.mask))
    if s.label is state.analysis.exit_label:
        state.exited.append(state.mask)
    state.mask = Mask(booleans.FALSE, booleans.FALSE)


def trap(state: MachineState, s: ir.Trap) -> None:
    if state.analysis.is_host:
        return
    state.leaves.append((state.analysis.exit_label, state.mask))
    state.exited.append(state.mask)
    state.mask = Mask(booleans.FALSE, booleans.FALSE)
