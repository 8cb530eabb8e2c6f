"""Kernels of a few lines of machine code, written by hand as nvdisasm prints them.

Each line is `[@guard] opcode operands`; a name with a colon stands for the next instruction's
address and may be an operand.
"""

from __future__ import annotations

import re

from kernlint.hardware.devices import device
from kernlint.machine_code.accesses import kind
from kernlint.machine_code.elf import KernelParameter, MachineKernel
from kernlint.machine_code.execute import run
from kernlint.machine_code.instructions import BYTES, MachineInstruction, instruction
from kernlint.machine_code.launch import DevicePointer, MachineLaunch
from kernlint.machine_code.program import MachineProgram
from kernlint.machine_code.tally import Count

BASE = 0x210  # of the parameters, sm_90


def assembled(text: str) -> tuple[MachineInstruction, ...]:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    labels: dict[str, int] = {}
    code: list[str] = []
    for line in lines:
        if line.endswith(":"):
            labels[line[:-1]] = BYTES * len(code)
        else:
            code.append(line)
    return tuple(_instruction(index, line, labels) for index, line in enumerate(code))


def _instruction(index: int, line: str, labels: dict[str, int]) -> MachineInstruction:
    match = re.fullmatch(r"(?:(@!?\w+)\s+)?(\S+)\s*(.*)", line)
    assert match is not None
    operands = ",".join(
        hex(labels[part]) if (part := word.strip()) in labels else part
        for word in re.split(r",(?![^\[]*\])", match[3])
    )
    return instruction(BYTES * index, match[2], operands, match[1] or "")


def kernel(shared: int = 0) -> MachineKernel:
    """One pointer and one integer."""
    parameters = (KernelParameter(0, 0, 8), KernelParameter(1, 8, 4))
    return MachineKernel("k", parameters, BASE, 16, shared, 0, 0, {}, {})


def counts(
    text: str, block: int = 64, blocks: int = 1, n: int | None = None, shared: int = 0
) -> dict[str, Count]:
    """What each memory instruction counts, by its opcode (with its address where it occurs
    twice)."""
    program = MachineProgram(kernel(shared), assembled(text), 90)
    launch = MachineLaunch((blocks, 1, 1), (block, 1, 1), 0, {0: DevicePointer(), 1: n})
    found: dict[str, Count] = {}
    for (index, _), count in sorted(run(program, launch, device("h100")).items()):
        ins = program.code[index]
        assert kind(ins)
        found[ins.opcode if ins.opcode not in found else f"{ins.opcode} {ins.address:#x}"] = count
    return found
