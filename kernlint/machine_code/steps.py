"""The step of each instruction: what running it does to a machine.

In: an instruction. Out: a function of (machine, index, lanes, whether these are all lanes alive)
that returns None to go on behind it, or where to go with which lanes (None: with none). Never: an
instruction without a row in a table: it makes what it writes unknown.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kernlint.machine_code import branching, memory_steps, warp_operations
from kernlint.machine_code.control_flow import ControlFlow
from kernlint.machine_code.effects import destinations, sources, width
from kernlint.machine_code.instructions import MachineInstruction, Predicate, Register
from kernlint.machine_code.operands import guarded, reader, wide_reader
from kernlint.machine_code.operations import OPERATIONS, SELECTIONS, OpcodeRow
from kernlint.machine_code.predicate_registers import bits_of, predicates_of, register_of
from kernlint.machine_code.values import (
    ASSUMED,
    NEITHER,
    NOTHING,
    Array,
    LaneValue,
    State,
    settled,
    worst,
)

Step = Callable[[Any, int, Any, bool], Any]
Compute = Callable[[Any, Any], "list[LaneValue] | None"]
PREDICATE_REGISTERS = {"R2P": predicates_of, "P2R": register_of}


def step_of(flow: ControlFlow, ins: MachineInstruction, tracked: bool) -> Step | None:
    """`tracked`: whether what shared and local memory hold is followed."""
    family = ins.family
    if family in branching.STEPS:
        return branching.STEPS[family](flow, ins)
    if family in memory_steps.FAMILIES:
        return memory_steps.step(ins, tracked)
    if family in SELECTIONS:
        return _writing(ins, _selection(ins))
    if family in PREDICATE_REGISTERS:
        return _writing(ins, PREDICATE_REGISTERS[family](ins))
    if family in warp_operations.OPERATIONS:
        return _writing(ins, warp_operations.OPERATIONS[family](ins))
    if family in OPERATIONS:
        return _writing(ins, _operation(ins, OPERATIONS[family]))
    return _writing(ins, None)


def _writing(ins: MachineInstruction, compute: Compute | None) -> Step:
    """Run `compute` under the guard and write what it gives, in the order of the destinations."""
    targets = _targets(ins)

    def step(machine: Any, index: int, mask: Array, whole: bool) -> None:
        active, all_alive, unsure = guarded(machine, ins, mask, whole)
        if active is None:
            return
        results = compute(machine, active) if compute is not None else None
        for position, key in enumerate(targets):
            if key:
                unknown = NEITHER if "P" in key else NOTHING
                known = results is not None and position < len(results)
                value = results[position] if results is not None and known else unknown
                if unsure is not None:
                    value = machine.lower(value, unsure, ASSUMED)
                machine.write(key, value, active, all_alive)

    return step


def _targets(ins: MachineInstruction) -> list[str]:
    """Keys in the order in which results are written, a register's words one after the other; ""
    for a register that is not kept."""
    keys: list[str] = []
    for operand in destinations(ins):
        if isinstance(operand, Predicate):
            keys.append("" if operand.always else operand.key)
        elif isinstance(operand, Register):
            prefix = "UR" if operand.uniform else "R"
            numbers = range(operand.number, operand.number + width(ins))
            keys.extend("" if operand.zero else f"{prefix}{number}" for number in numbers)
    if ins.family == "R2P":
        keys.extend(f"P{number}" for number in bits_of(ins))
    return keys


def _operation(ins: MachineInstruction, operation: OpcodeRow) -> Compute | None:
    readers = []
    for position, operand in enumerate(sources(ins)):
        if operation.reads_pair(ins, position):
            readers.append(wide_reader(operand))
        else:
            readers.append(reader(operand, ins, operation.carries))
    if any(read is None for read in readers):
        return None
    leading = [isinstance(operand, Predicate) for operand in destinations(ins)]

    def compute(machine: Any, active: Array) -> list[LaneValue] | None:
        values = [read(machine) for read in readers if read is not None]
        results = operation.function(ins.modifiers, *(value.bits for value in values))
        return _ordered(results, worst([value.state for value in values]), leading)

    return compute


def _ordered(results: tuple[Array, ...], state: State, leading: list[bool]) -> list[LaneValue]:
    """Results as values, a 64-bit one as two, and a register's result behind the predicate that is
    written before it."""
    values: list[LaneValue] = []
    order = list(results)
    if leading[:2] == [True, False] and len(order) > 1:
        order[0], order[1] = order[1], order[0]
    for bits in order:
        if bits.dtype == np.uint64:
            values.append(LaneValue((bits & np.uint64(0xFFFFFFFF)).astype(np.uint32), state))
            values.append(LaneValue((bits >> np.uint64(32)).astype(np.uint32), state))
        else:
            values.append(LaneValue(bits, state))
    return values


def _selection(ins: MachineInstruction) -> Compute | None:
    """SEL: what is known follows the source that the predicate takes."""
    found = [reader(operand, ins) for operand in sources(ins)[:3]]
    if len(found) != 3 or any(read is None for read in found):
        return None

    def compute(machine: Any, active: Array) -> list[LaneValue]:
        yes, no, condition = (read(machine) for read in found if read is not None)
        bits = np.where(condition.bits, yes.bits, no.bits)
        if yes.state is None and no.state is None:
            return [LaneValue(bits, condition.state)]
        zero = np.zeros((1, 1), np.uint8)
        chosen = np.where(
            condition.bits,
            zero if yes.state is None else yes.state,
            zero if no.state is None else no.state,
        )
        return [LaneValue(bits, worst([settled(chosen), condition.state]))]

    return compute
