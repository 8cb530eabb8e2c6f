"""What machine code asks for, in a kernel's facts: registers, stack, shared memory, instructions.

In: a kernel's facts and its machine code, of any launch. Out: the facts with `machine_code`, the
static shared memory that was allocated, and where the thread's arrays lie. Never: counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from math import prod
from typing import TYPE_CHECKING

from kernlint.model import facts

if TYPE_CHECKING:
    from kernlint.machine_code.elf import MachineKernel
    from kernlint.machine_code.instructions import MachineInstruction

_LOCAL = ("LDL", "STL")
_STACK_POINTER = 1  # R1


def with_resources(
    kernel: facts.Kernel,
    code: MachineKernel,
    instructions: Sequence[MachineInstruction],
    origin: str,
    spilled: int | None = None,
) -> facts.Kernel:
    from kernlint.machine_code.instruction_mix import mix

    local = [each for each in instructions if each.family in _LOCAL]
    counts: Mapping[str, int] = mix(instructions)
    asked = facts.MachineCode(
        read_from=origin,
        registers=code.registers,
        stack_bytes=max(code.frame_bytes, code.stack_bytes),
        spilled_bytes=spilled,
        stack_instructions=len(local),
        instructions=facts.InstructionMix(
            **{each.name: counts.get(each.name, 0) for each in fields(facts.InstructionMix)}
        ),
    )
    return replace(
        kernel,
        machine_code=asked,
        static_shared_bytes=code.static_shared_bytes,
        accesses=tuple(_placed(kernel.accesses, code, local, origin)),
    )


def _placed(
    accesses: Sequence[facts.Access],
    code: MachineKernel,
    local: Sequence[MachineInstruction],
    origin: str,
) -> list[facts.Access]:
    """Arrays of a thread lie in registers where no instruction accesses local memory, and in local
    memory where its frame has room for all of them and some address is computed."""
    if not local:
        return [_in_registers(access, origin) for access in accesses]
    sizes = {
        (access.object, access.object_span): prod(access.object_shape) * access.element_bytes
        for access in accesses
        if access.space == "local"
    }
    known = all(sizes.values())
    if not (known and any(map(_indexed, local)) and sum(sizes.values()) <= code.frame_bytes):
        return list(accesses)
    return [
        replace(access, place=facts.LOCAL, read_from=origin)
        if access.space == "local" and access.decided
        else access
        for access in accesses
    ]


def _in_registers(access: facts.Access, origin: str) -> facts.Access:
    if access.space != "local" or access.requests == 0:
        return access
    place = facts.REGISTERS if access.decided else access.place
    return replace(unexecuted(access, "in-registers", origin), place=place)


def unexecuted(access: facts.Access, reason: str, origin: str) -> facts.Access:
    """The access of which the machine code executes nothing, for a kind of change (`reason`)."""
    if access.requests == 0:
        return access
    compiled = facts.Compiled(
        bytes=access.bytes,
        requests=0,
        active_lanes=None,
        wavefronts=None,
        sectors=None,
        status="exact",
        charged_line=access.charged_line,
        reason=reason,
        space=access.space,
    )
    return replace(access, as_compiled=compiled, read_from=origin)


def _indexed(instruction: MachineInstruction) -> bool:
    """Whether its address is more than a fixed place of the frame."""
    from kernlint.machine_code.accesses import addressed

    registers = [place.base for place in addressed(instruction) if place.base is not None]
    return any(register.number != _STACK_POINTER for register in registers)
