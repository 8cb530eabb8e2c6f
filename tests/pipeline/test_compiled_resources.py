"""What machine code asks for, in the facts, and what becomes certain with it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kernlint.checks.words import machine_code
from kernlint.machine_code import toolkit
from kernlint.machine_code.instruction_mix import mix
from kernlint.machine_code.instructions import instruction
from kernlint.model import facts
from kernlint.model.settings import Compiler, Settings
from kernlint.pipeline import engine
from kernlint.pipeline.compiled_resources import with_resources
from tests.machine_code.counters import RECORDED, recorded

pytestmark = pytest.mark.slow

NVCC = Settings(device="h100", compiler=Compiler("nvcc", "13.0.88"))
FOLDER = RECORDED / "arrays"


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> facts.File:
    monkeypatch.setattr(toolkit, "compiled", lambda *_: recorded("arrays/arrays"))
    return engine.analyse([str(FOLDER / "arrays.cu")], NVCC).files[0]


def kernels(file: facts.File) -> dict[str, facts.Kernel]:
    return {kernel.name: kernel for kernel in file.kernels}


def test_the_facts_state_what_the_code_asks_for(read: facts.File) -> None:
    code = kernels(read)["scattered"].machine_code
    assert code is not None and code.read_from == "nvcc 13.0.88, sm_90"
    assert (code.registers, code.stack_bytes) == (32, 160)
    assert code.stack_instructions == 39 and code.instructions.single == 29
    assert code.instructions.tensor == code.instructions.double == 0


def test_what_ptxas_says_of_spills_is_told_apart_from_the_stack(read: facts.File) -> None:
    said = """ptxas info    : Compiling entry function '_Z1kPf' for 'sm_90'
ptxas info    : Function properties for _Z1kPf
    96 bytes stack frame, 64 bytes spill stores, 72 bytes spill loads
"""
    assert toolkit.spills(said) == {"_Z1kPf": 64}
    kernel, code = kernels(read)["scattered"], recorded("arrays/arrays")
    (name,) = [name for name in code.kernels if "scattered" in name]
    for spilled in (None, 64):
        found = with_resources(kernel, code.kernels[name], (), "nvcc", spilled).machine_code
        assert found is not None and found.spilled_bytes == spilled
        assert ("64 bytes spilled" in machine_code(found)) == (spilled == 64)


def test_static_shared_memory_is_what_was_allocated(read: facts.File) -> None:
    """An array that nothing reads is stored to in the source and absent from the code."""
    assert kernels(read)["unread"].static_shared_bytes == 512


def test_arrays_lie_where_the_code_has_them(read: facts.File) -> None:
    local = {
        name: [a for a in kernel.accesses if a.space == "local"]
        for name, kernel in kernels(read).items()
    }
    assert {a.place for a in local["scattered"] if a.decided} == {facts.LOCAL}
    assert all(a.as_compiled and a.as_compiled.requests == 0 for a in local["selected"])
    assert {a.place for a in local["selected"] if a.decided} == {facts.REGISTERS}


def test_arrays_of_unknown_size_may_lie_anywhere(read: facts.File) -> None:
    kernel = kernels(read)["scattered"]
    code = recorded("arrays/arrays")
    (name,) = [name for name in code.kernels if "scattered" in name]
    open_ = [
        replace(a, object="other", element_bytes=0, place="") if a.space == "local" else a
        for a in kernel.accesses
    ]
    other = replace(kernel, accesses=(*kernel.accesses, *open_))
    for given, expected in ((kernel, facts.LOCAL), (other, "")):
        unplaced = [replace(a, place="") for a in given.accesses]
        found = with_resources(
            replace(given, accesses=tuple(unplaced)), code.kernels[name], code.code[name], "nvcc"
        )
        assert {a.place for a in found.accesses if a.space == "local" and a.decided} == {expected}


def test_an_instruction_is_of_one_kind() -> None:
    code = [
        instruction(16 * at, opcode, operands)
        for at, (opcode, operands) in enumerate(
            [
                ("IMAD", "R0,R1,R2,RZ"),
                ("FFMA", "R0,R1,R2,RZ"),
                ("LDG.E", "R0,desc[UR4][R2.64]"),
                ("FROB", "R0"),
                ("EXIT", ""),
                ("BRA", "0x50"),
                ("NOP", ""),
            ]
        )
    ]
    assert mix(code) == {"integer": 1, "single": 1, "memory": 1, "other": 1, "control": 1}
