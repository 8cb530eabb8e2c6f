"""Steps of control flow: branches, calls, ends, and the barriers that hold lanes.

In: an instruction of the table `STEPS`. Out: its step (see `steps`). What is not understood ends
the execution: nothing of the launch is exact then.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kernlint.machine_code.control_flow import ControlFlow
from kernlint.machine_code.instructions import (
    BYTES,
    Barrier,
    Immediate,
    MachineInstruction,
    Operand,
    Predicate,
    Register,
)
from kernlint.machine_code.operands import guarded, reader
from kernlint.machine_code.tally import BY_DATA
from kernlint.machine_code.values import Array, LaneValue, uncertain, worst

Step = Callable[[Any, int, Any, bool], Any]
_STOP = (0, None)


def _condition(machine: Any, ins: MachineInstruction) -> LaneValue:
    """The guard, and the predicate that a branch may name as an operand."""
    parts = [machine.predicate(ins.guard)]
    parts += [machine.predicate(part) for part in ins.operands if isinstance(part, Predicate)]
    bits = parts[0].bits
    for part in parts[1:]:
        bits = bits & part.bits
    return LaneValue(bits, worst([part.state for part in parts]))


def _taken(machine: Any, index: int, ins: MachineInstruction, mask: Array) -> Array:
    """The lanes that branch. Where data decides they go on at first, and branch when they come
    back without having met the others."""
    condition = _condition(machine, ins)
    unsure = uncertain(condition, mask)
    if unsure is None:
        return np.asarray(mask & condition.bits)
    again = machine.open.get(index)
    taken = mask & condition.bits & ~unsure
    if again is not None:
        taken = taken | (unsure & again)
    machine.undecided(index, mask, unsure)
    return np.asarray(taken)


def _branch(flow: ControlFlow, ins: MachineInstruction) -> Step:
    target = flow.target(ins)
    if target is None:
        return _unsupported(flow, ins)
    if "DIV" in ins.modifiers:
        return _branch_if_divergent(ins, target)
    if not flow.conditional(ins):
        return lambda machine, index, mask, whole: (target, mask)

    def step(machine: Any, index: int, mask: Array, whole: bool) -> Any:
        taken = _taken(machine, index, ins, mask)
        if not taken.any():
            return None
        rest = mask & ~taken
        if not rest.any():
            return target, mask
        machine.resume(target, taken)
        return index + 1, rest

    return step


def _branch_if_divergent(ins: MachineInstruction, target: int) -> Step:
    """BRA.DIV branches in warps of which lanes that the mask names are elsewhere."""
    read = reader(ins.operands[0], ins)

    def step(machine: Any, index: int, mask: Array, whole: bool) -> Any:
        if whole:
            return None
        missing = machine.live & ~mask
        named = None if read is None else read(machine)
        if named is not None and uncertain(named, mask) is None:
            lane = machine.special["SR_LANEID"].bits
            missing = missing & (machine.over_warp(named.bits, mask) >> lane & 1 == 1)
        taken = mask & machine.warps(missing)
        machine.resume(target, taken)
        rest = mask & ~taken
        return (index + 1, rest) if rest.any() else _STOP

    return step


def _exit(flow: ControlFlow, ins: MachineInstruction) -> Step:
    def step(machine: Any, index: int, mask: Array, whole: bool) -> Any:
        taken = _taken(machine, index, ins, mask)
        if not taken.any():
            return None
        machine.end(taken)
        rest = mask & ~taken
        return (index + 1, rest) if rest.any() else _STOP

    return step


def _call(flow: ControlFlow, ins: MachineInstruction) -> Step:
    target = flow.target(ins)
    if target is None or ins.guard is not None:
        return _unsupported(flow, ins)
    return lambda machine, index, mask, whole: (target, mask)


def _return(flow: ControlFlow, ins: MachineInstruction) -> Step:
    """RET goes to the address that the caller left in a register."""
    return _jump(flow, ins, 0)


def _indexed(flow: ControlFlow, ins: MachineInstruction) -> Step:
    """BRX goes to a register's value, relative to the next instruction, plus a number."""
    number = next((part.value for part in ins.operands if isinstance(part, Immediate)), None)
    if number is None or ins.address not in flow.jumps:
        return _unsupported(flow, ins)
    return _jump(flow, ins, ins.address + BYTES + number)


def _jump(flow: ControlFlow, ins: MachineInstruction, base: int) -> Step:
    """To the address in a register, from `base` on."""
    read = reader(ins.operands[0], ins) if ins.operands else None
    if read is None or ins.guard is not None:
        return _unsupported(flow, ins)

    def step(machine: Any, index: int, mask: Array, whole: bool) -> Any:
        address = read(machine)
        if uncertain(address, mask) is not None:
            machine.give_up(BY_DATA)
            return _STOP
        lanes = np.broadcast_to(address.bits, mask.shape)
        for value in np.unique(lanes[mask]):
            target = flow.index.get(int(value) + base & 0xFFFFFFFF)
            if target is None:
                machine.give_up()
                return _STOP
            machine.resume(target, mask & (lanes == value))
        return _STOP

    return step


def _barrier(ins: MachineInstruction) -> int:
    return next(part.number for part in ins.operands if isinstance(part, Barrier))


def _enter(flow: ControlFlow, ins: MachineInstruction) -> Step:
    barrier = _barrier(ins)

    def step(machine: Any, index: int, mask: Array, whole: bool) -> None:
        machine.waiting.register(barrier, mask)

    return step


def _leave(flow: ControlFlow, ins: MachineInstruction) -> Step:
    barrier = _barrier(ins)

    def step(machine: Any, index: int, mask: Array, whole: bool) -> None:
        active, _, _ = guarded(machine, ins, mask, whole)
        if active is not None:
            machine.waiting.leave(barrier, active)

    return step


def _converge(flow: ControlFlow, ins: MachineInstruction) -> Step:
    barrier = _barrier(ins)

    def step(machine: Any, index: int, mask: Array, whole: bool) -> Any:
        if whole or not machine.waiting.missing(barrier, mask).any():
            machine.waiting.leave(barrier, mask)
            return None
        machine.waiting.hold(("convergence", barrier, 0), index + 1, mask)
        return _STOP

    return step


def _block_barrier(flow: ControlFlow, ins: MachineInstruction) -> Step:
    """BAR.SYNC, BAR.RED and BAR.ARV, of the whole block or of a number of threads."""
    numbers = [part for part in ins.operands if isinstance(part, Immediate | Register)]
    reads = [reader(part, ins) for part in numbers]

    def step(machine: Any, index: int, mask: Array, whole: bool) -> Any:
        found = [_one(read(machine), mask) for read in reads if read is not None]
        if None in found:
            machine.give_up(BY_DATA)
            return _STOP
        number, count = (*found, 0, 0)[:2]
        key = ("block", number, count)
        if "ARV" in ins.modifiers:
            machine.waiting.arrive(key, mask)
            return None
        if whole and not count:
            return None
        machine.waiting.hold(key, index + 1, mask)
        return _STOP

    return step


def _one(value: LaneValue, mask: Array) -> int | None:
    """The number that all lanes have, None where they differ or it is not known."""
    if uncertain(value, mask) is not None:
        return None
    lanes = np.broadcast_to(value.bits, mask.shape)[mask]
    return int(lanes[0]) if (lanes == lanes[0]).all() else None


def _warp_barrier(flow: ControlFlow, ins: MachineInstruction) -> Step:
    """WARPSYNC waits for the lanes of the warp; which of them a mask names is not looked at where
    all are there."""
    if "COLLECTIVE" in ins.modifiers:
        return _unsupported(flow, ins)
    read: Callable[[Any], LaneValue] | None = None
    for operand in ins.operands:
        read = reader(operand, ins)

    def step(machine: Any, index: int, mask: Array, whole: bool) -> Any:
        if whole:
            return None
        if read is None or _all_lanes(machine, read, mask):
            machine.waiting.hold(("warp", index, 0), index + 1, mask)
            return _STOP
        return None

    return step


def _all_lanes(machine: Any, read: Callable[[Any], LaneValue], mask: Array) -> bool:
    return _one(read(machine), mask) == 0xFFFFFFFF


def _unsupported(flow: ControlFlow, ins: Operand | MachineInstruction) -> Step:
    def step(machine: Any, index: int, mask: Array, whole: bool) -> Any:
        machine.give_up()
        return _STOP

    return step


STEPS: dict[str, Callable[[Any, MachineInstruction], Step]] = {
    "BRA": _branch,
    "JMP": _branch,
    "BRX": _indexed,
    "JMX": _unsupported,
    "EXIT": _exit,
    "KILL": _exit,
    "CALL": _call,
    "RET": _return,
    "BSSY": _enter,
    "BREAK": _leave,
    "BSYNC": _converge,
    "BAR": _block_barrier,
    "WARPSYNC": _warp_barrier,
    "ENDCOLLECTIVE": _unsupported,
    "BPT": _unsupported,
    "BMOV": _unsupported,
}
