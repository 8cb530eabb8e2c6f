"""Operands, ELF files and line tables: what is read, and how damage is reported."""

from __future__ import annotations

import pytest

from kernlint.machine_code.debug_lines import LineTable, SourceLine, line_tables
from kernlint.machine_code.disassembly import functions, spelled
from kernlint.machine_code.effects import written
from kernlint.machine_code.elf import MachineCodeError, read
from kernlint.machine_code.instructions import (
    Constant,
    Immediate,
    Memory,
    Other,
    Predicate,
    Register,
    instruction,
    operand,
)
from tests.machine_code.counters import RECORDED, recorded


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("R12.reuse", Register(12)),
        ("-UR5", Register(5, uniform=True, sign="-")),
        ("|R3|", Register(3, sign="|")),
        ("R12.B3", Register(12, part="B3")),
        ("!UPT", Predicate(7, uniform=True, negated=True)),
        ("-0x10", Immediate(-16)),
        ("0.5", Immediate(0x3F000000, 0.5)),
        ("c[0x0][0x210]", Constant(0, 0x210)),
        ("c[0x3][R4+0x8]", Constant(3, 8, Register(4))),
        ("[R5+UR7+-0x8]", Memory(Register(5), Register(7, uniform=True), -8)),
        ("desc[UR6][R2.64+0x10]", Memory(Register(2, count=2), None, 16, 1, True)),
        ("[R4.X8+0x40]", Memory(Register(4), None, 64, 8)),
        ("32@lo($str)", Other("32@lo($str)")),
    ],
)
def test_operands(text: str, meaning: object) -> None:
    assert operand(text) == meaning


@pytest.mark.parametrize(
    ("opcode", "operands", "keys"),
    [
        ("IADD3", "R2,P0,R4,R5,RZ", {"R2", "P0"}),
        ("IMAD.WIDE", "R2,R7,0x4,R2", {"R2", "R3"}),
        ("LDG.E.128", "R4,desc[UR6][R2.64]", {"R4", "R5", "R6", "R7"}),
        ("ISETP.GE.AND", "P0,PT,R0,R1,PT", {"P0"}),
        ("VOTE.ANY", "R7,PT,P0", {"R7"}),
        ("FCHK", "P0,R0,R3", {"P0"}),
        ("STG.E", "desc[UR6][R2.64],R5", set()),
        ("ATOMG.E.ADD.STRONG.GPU", "PT,R2,desc[UR6][R2.64],R5", {"R2"}),
        ("LOP3.LUT", "P1,RZ,R0,0x7,RZ,0xc0,!PT", {"P1"}),
        ("FROB", "R8,R1", {"R8", "R9", "R10", "R11"}),
    ],
)
def test_what_is_written(opcode: str, operands: str, keys: set[str]) -> None:
    assert set(written(instruction(0, opcode, operands))) == keys


def test_kernels_and_their_parameters() -> None:
    module = recorded("transpose")
    kernel = module.kernels["_Z16transposeGuardedPfPKfii"]
    assert module.cubin.architecture == 90
    assert [(p.offset, p.size) for p in kernel.parameters] == [(0, 8), (8, 8), (16, 4), (20, 4)]
    assert (kernel.parameter_base, kernel.stack_bytes) == (0x210, 0)


def test_the_line_of_an_address_is_its_greatest_predecessor() -> None:
    table = LineTable((0, 0x40), (SourceLine("a.cu", 3), SourceLine("a.cu", 7)))
    assert [table.at(address) for address in (0, 0x30, 0x40, 0x90)] == [
        SourceLine("a.cu", 3),
        SourceLine("a.cu", 3),
        SourceLine("a.cu", 7),
        SourceLine("a.cu", 7),
    ]
    assert LineTable((), ()).at(0) is None


@pytest.mark.parametrize(
    "data", [b"", b"\x7fELF", b"MZ" + bytes(100), b"\x7fELF\x02\x01" + bytes(80)]
)
def test_other_files_are_refused(data: bytes) -> None:
    with pytest.raises(MachineCodeError):
        read(data)


def test_a_damaged_cubin_is_refused_or_read() -> None:
    """Cut anywhere, a file never raises anything else."""
    data = (RECORDED / "divergence.cubin").read_bytes()
    for length in range(0, len(data), 997):
        try:
            line_tables(read(data[:length]))
        except MachineCodeError as error:
            assert str(error)


@pytest.mark.parametrize("text", ["", "[1]", '[[{"start": 0}]]', "nvdisasm fatal"])
def test_a_listing_that_is_none(text: str) -> None:
    if text == "[1]":
        assert functions(text) == {}
        return
    with pytest.raises(MachineCodeError):
        functions(text)


@pytest.mark.parametrize(
    ("opcode", "older", "newer"),
    [
        ("LDS", "R9[R9]", "R9,[R9]"),
        ("LDS.128", "R4[RZ+0x10]", "R4,[RZ+0x10]"),
        ("LDG.E", "R4[R2.64]", "R4,[R2.64]"),
        ("ATOMS.ADD", "R3[R7],R2", "R3,[R7],R2"),
        ("LDGSTS.E.BYPASS.128", "desc[UR6][R14.64][R18+0x400],P1", "[R18+0x400],desc[UR6][R14.64],P1"),
        ("LDG.E", "R4,desc[UR6][R2.64+0x10]", "R4,desc[UR6][R2.64+0x10]"),
        ("MOV", "R1,c[0x0][R2+0x28]", "R1,c[0x0][R2+0x28]"),
        ("PRMT", "PR R0,RZ,0x20", "R0,RZ,0x20"),
    ],
)  # fmt: skip
def test_listings_of_older_versions_are_read_alike(opcode: str, older: str, newer: str) -> None:
    """As nvdisasm 13.0 and 13.5 print them; of 115 programs all 129,536 instructions are equal."""
    assert spelled(opcode, older) == spelled(opcode, newer) == newer
