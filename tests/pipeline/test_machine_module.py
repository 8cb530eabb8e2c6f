"""Cubins and files that hold some as input: recorded files, the disassembler being a stand-in."""

from __future__ import annotations

import gzip
import shutil
import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kernlint.base.span import Span
from kernlint.base.usage import UsageError
from kernlint.lowering.templates.demangling import demangled
from kernlint.machine_code import tally, toolkit
from kernlint.machine_code.containers import cubins, lz4
from kernlint.machine_code.elf import MachineCodeError
from kernlint.machine_code.execute import LineCount, Module
from kernlint.model import facts
from kernlint.model.settings import LaunchOverrides, Settings
from kernlint.pipeline import engine, machine_module
from tests.machine_code.counters import RECORDED

FILES = RECORDED / "files"
LAUNCH = LaunchOverrides(grid=(2, 1, 1), block=(64, 1, 1), arguments={"param_2": 100})
H100 = Settings(device="h100", launch=LAUNCH)


@pytest.fixture(autouse=True)
def disassembler(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """nvdisasm, which says what was recorded: of the code with or without a line table."""
    listed = {
        name: gzip.decompress((FILES / f"{name}.json.gz").read_bytes()).decode()
        for name in ("shift", "plain")
    }
    with_lines = b".debug_line"

    def listing(_: str, cubin: Path) -> str:
        return listed["shift" if with_lines in cubin.read_bytes() else "plain"]

    monkeypatch.setattr(machine_module, "listing", listing)
    monkeypatch.setattr(toolkit, "nvdisasm", lambda *_: "nvdisasm")


def analysed(path: Path, how: Settings = H100) -> facts.File:
    return engine.analyse([str(path)], how).files[0]


def numbers(file: facts.File) -> dict[tuple[str, str], tuple[object, ...]]:
    return {
        (kernel.name, access.op): (access.span.line, access.status, access.requests)
        for kernel in file.kernels
        for access in kernel.accesses
    }


@pytest.mark.parametrize("name", ["shift.cubin", "shift.fatbin"])
def test_kernels_are_read_with_the_lines_of_their_source(name: str) -> None:
    file = analysed(FILES / name)
    assert not file.problems
    found = numbers(file)
    assert found["shift", "load"] == (3, "exact", 4)
    assert found["shift", "store"] == (3, "exact", 4)
    kernel = next(kernel for kernel in file.kernels if kernel.name == "shift")
    load = next(access for access in kernel.accesses if access.op == "load")
    assert load.sectors is not None and load.active_lanes == 25
    assert load.read_from == f"{name}, sm_90" and Path(load.span.path).name == "shift.cu"
    assert kernel.machine_code is not None and kernel.machine_code.registers >= 16


def test_an_object_file_without_a_line_table_has_numbers_of_instructions() -> None:
    file = analysed(FILES / "shift.o")
    lines = {line for line, *_ in numbers(file).values()}
    assert len(lines) == 3 and min(lines) > 1
    assert {kernel.span.path for kernel in file.kernels} == {str(FILES / "shift.o")}


def test_parameters_of_a_name_in_c_are_not_guessed() -> None:
    """`extern "C"`: whether eight bytes are a pointer or a number, the file does not say."""
    assert numbers(analysed(FILES / "plain.cubin"))["plain", "store"][1] == "unknown"


def test_namesakes_in_one_line_are_kept_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """`ov(float *)` and `ov(double *)` behind one macro."""

    def counted() -> list[str]:
        kernels = analysed(FILES / "shift.cubin").kernels
        return sorted(f"{a.op} {a.requests}" for kernel in kernels for a in kernel.accesses)

    apart = counted()
    assert len({*apart}) > 2, apart
    one_name = demangled("_Z2ovPf")
    monkeypatch.setattr(machine_module, "demangled", lambda _: one_name)
    monkeypatch.setattr(machine_module.CodeProgram, "_span", lambda *_: Span("a.cu", 1, 1, 1, 2))
    assert counted() == apart


@pytest.mark.parametrize(
    ("doubt", "reason"),
    [
        ("", ""),
        (tally.BY_DATA, "machine-code-open"),
        (tally.STOPPED, "machine-code-stopped"),
        (tally.UNMEASURED, "hardware-model"),
        (tally.UNREAD, "unknown-pointer"),
    ],
)
def test_each_doubt_has_a_reason_of_its_own(
    monkeypatch: pytest.MonkeyPatch, doubt: str, reason: str
) -> None:
    count = Module.count

    def doubted(*given: Any) -> list[LineCount]:
        return [replace(each, doubt=doubt) for each in count(*given)]

    monkeypatch.setattr(Module, "count", doubted)
    kernels = analysed(FILES / "shift.cubin").kernels
    assert reason in {a.reason for k in kernels if k.name == "shift" for a in k.accesses}


def test_without_a_launch_there_are_lines_and_no_numbers() -> None:
    found = analysed(FILES / "shift.cubin", replace(H100, launch=LaunchOverrides()))
    accesses = [access for kernel in found.kernels for access in kernel.accesses]
    assert {access.reason for access in accesses} == {"unknown-launch"}
    assert {access.span.line for access in accesses} == {3, 5}


def test_launches_stand_in_a_file_beside_it(tmp_path: Path) -> None:
    shutil.copy(FILES / "shift.cubin", tmp_path)
    beside = tmp_path / "shift.cubin.kernlint"
    beside.write_text("// kernlint: launch(kernel=shift, grid=2, block=64, param_2=64)\n")
    file = analysed(tmp_path / "shift.cubin", replace(H100, launch=LaunchOverrides()))
    assert numbers(file)["shift", "load"] == (3, "exact", 2)
    assert str(beside) in dict(file.sought)


@pytest.mark.parametrize(
    ("device", "data", "message"),
    [
        ("h100", (b"\x7fELF\2\1" + bytes(46) + b"\0" * 80), "damaged"),
        ("h100", struct.pack("<IHHQ", 0xBA55ED50, 1, 16, 0), "PTX alone"),
        ("h100", struct.pack("<IHHQ", 0xBA55ED50, 1, 0, 0) + bytes(64), "this file is damaged"),
        ("h100", (FILES / "shift.cubin").read_bytes()[:3000], "damaged"),
        ("t4", (FILES / "shift.fatbin").read_bytes(), "machine code for sm_80, sm_90"),
    ],
)
def test_what_cannot_be_read_is_said(
    tmp_path: Path, device: str, data: bytes, message: str
) -> None:
    path = tmp_path / "a.out"
    path.write_bytes(data)
    file = analysed(path, replace(H100, device=device))
    assert [problem.code for problem in file.problems] == ["KL001"]
    assert message in file.problems[0].message


def test_a_missing_disassembler_is_a_usage_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: str) -> str:
        raise toolkit.MissingToolError("nvdisasm was not found")

    monkeypatch.setattr(toolkit, "nvdisasm", missing)
    with pytest.raises(UsageError, match=r"shift\.cubin: nvdisasm was not found"):
        analysed(FILES / "shift.cubin")


@pytest.mark.parametrize(
    ("packed", "text"),
    [
        (b"\x50abcde", b"abcde"),
        (b"\x32abc\x03\x00\x10d", b"abcabcabcd"),
        (b"\x1fa\x01\x00\x02\x00", b"a" * 22),
        (b"\xf0\x0f" + b"x" * 30, b"x" * 30),
    ],
)
def test_lz4(packed: bytes, text: bytes) -> None:
    assert lz4(packed) == text


@pytest.mark.parametrize("distance", [b"\x00\x00", b"\x09\x00"])
def test_a_repetition_of_what_is_not_there_is_damage(distance: bytes) -> None:
    with pytest.raises(ValueError, match="not there"):
        lz4(b"\x32abc" + distance + b"\x10d")


def _entry(body: bytes, flags: int, packed: int) -> bytes:
    head = struct.pack(
        "<HHIQIIHHIIIQQQ", 2, 0x101, 72, len(body), packed, 0, 8, 1, 90, 0, 0, flags, 0, 0
    )
    return head.ljust(72, b"\0") + body


@pytest.mark.parametrize(
    ("flags", "packed", "found"),
    [(0x11, 0, b"\x50abcde"), (0x2011, 6, b"abcde")],
)
def test_entries_of_a_fatbin_may_be_packed(flags: int, packed: int, found: bytes) -> None:
    entry = _entry(b"\x50abcde", flags, packed)
    assert cubins(struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entry)) + entry) == [found]


def test_what_is_packed_in_another_way_is_said() -> None:
    entry = _entry(b"\x50abcde", 0x8011, 6)
    with pytest.raises(MachineCodeError, match="zstd"):
        cubins(struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entry)) + entry)
