"""A kernel's code made ready to run: one step per instruction that matters.

In: a cubin's kernel and its instructions. Out: a `MachineProgram`, for any launch. Instructions whose
results decide no address, condition or branch have no step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kernlint.base.dataclass import dataclass
from kernlint.machine_code.control_flow import CONTROL, MEMORY, ControlFlow
from kernlint.machine_code.elf import MachineKernel
from kernlint.machine_code.instructions import MachineInstruction
from kernlint.machine_code.launch import Bank, literal_bank
from kernlint.machine_code.steps import step_of

_MARGIN = 64  # bytes above the stack pointer's first value
_LITERALS = (2,)  # banks that the host cannot change
_STORES = frozenset({"STS", "STL", "ST", "ATOMS", "ATOM", "STSM", "LDGSTS"})

Step = Callable[[Any, int, Any, bool], Any]


@dataclass(frozen=True, slots=True)
class BranchRegion:
    """Instructions between a branch and where its sides meet, and what they may write.
    `open_ended`: the sides meet only after the function that the branch is in has returned."""

    instructions: frozenset[int]
    written: frozenset[str]
    stores: bool
    open_ended: bool


class MachineProgram:
    def __init__(
        self, kernel: MachineKernel, code: tuple[MachineInstruction, ...], architecture: int
    ) -> None:
        self.kernel, self.code, self.architecture = kernel, code, architecture
        self.flow = ControlFlow(code, kernel.symbols, kernel.jump_targets)
        needed = self.flow.needed
        families = {ins.family for mark, ins in zip(needed, code, strict=True) if mark}
        self.tracks_contents = bool(families & {"LDS", "LDL", "LD"})
        self.uses_local = any(ins.family in ("LDL", "STL") for ins in code)
        self.stack_bytes = max(kernel.stack_bytes, kernel.frame_bytes) + _MARGIN & -16
        self.banks: dict[int, Bank] = {
            number: literal_bank(data)
            for number, data in kernel.banks.items()
            if number in _LITERALS
        }
        self.gave_up = ""  # why no count of a launch is exact
        self.steps: list[Step | None] = [
            step_of(self.flow, ins, self.tracks_contents)
            if mark or ins.family in CONTROL | MEMORY
            else None
            for mark, ins in zip(needed, code, strict=True)
        ]
        self.needed = needed
        self._regions: dict[int, tuple[int, BranchRegion]] = {}

    def region(self, branch: int) -> tuple[int, BranchRegion]:
        found = self._regions.get(branch)
        if found is None:
            meeting, inside = self.flow.region(branch)
            stores = any(self.code[i].family in _STORES for i in inside)
            written = self.flow.written(i for i in inside if self.needed[i])
            returns = any(self.code[i].family == "RET" for i in inside)
            region = BranchRegion(inside, written, stores, returns and meeting == self.flow.end)
            found = self._regions[branch] = (meeting, region)
        return found
