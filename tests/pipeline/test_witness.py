"""Predictions replaced by what machine code says, the compiler being a stand-in or recorded."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from kernlint.base.usage import UsageError
from kernlint.configuration.project import settings
from kernlint.hardware.devices import device
from kernlint.machine_code import toolkit
from kernlint.machine_code.debug_lines import SourceLine
from kernlint.machine_code.elf import MachineCodeError, MachineKernel, ToolTimeout
from kernlint.machine_code.execute import LineCount
from kernlint.machine_code.tally import BY_DATA, STOPPED
from kernlint.memo.disk import Cache
from kernlint.model import facts
from kernlint.model.settings import Compiler, LaunchOverrides, Selection, Settings
from kernlint.pipeline import engine, workers
from kernlint.pipeline.witness import Witness
from kernlint.pipeline.workers import Work
from tests.machine_code.counters import PROGRAMS, RECORDED, launches, recorded
from tests.places import TRUTH

NVCC = Settings(device="h100", compiler=Compiler("nvcc", "13.0.88"))
TEXT = """
__global__ void scale(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = 2 * in[i];
}
int main() { float *a, *b; scale<<<4, 64>>>(a, b, 256); }
"""


def analysed(path: Path, how: Settings) -> facts.File:
    return engine.analyse([str(path)], how).files[0]


def counted(line: int, op: str, **other: Any) -> LineCount:
    given = {"requests": 8, "threads": 256, "units": 32, "ideal": 32, "least": 4, "most": 4}
    numbers = {**given, "bits": (32,), "predicated": False, "doubt": "", **other}
    return LineCount(SourceLine("k.cu", line), "global", op, **numbers)


def heard(folder: Path, *counts: LineCount) -> dict[str, facts.Access]:
    """The accesses of TEXT by operation, where its machine code counts so."""
    path = folder / "k.cu"
    path.write_text(TEXT)
    name = "_Z5scalePKfPfi"
    module = SimpleNamespace(
        kernels={name: MachineKernel(name, (), 0x210, 12, 0, 0, 0, {}, {})},
        code={},
        spills={},
        count=lambda *_: list(counts),
    )
    code = Witness(module, "nvcc 13.0.88, sm_90", device("h100"))  # type: ignore[arg-type]
    kernel = analysed(path, replace(NVCC, compiler=None)).kernels[0]
    instance = SimpleNamespace(parameters=())
    return {access.op: access for access in code.heard(kernel, instance).accesses}  # type: ignore[arg-type]


def test_what_both_say_is_marked_as_read(tmp_path: Path) -> None:
    found = heard(tmp_path, counted(5, "load"), counted(5, "store"))
    assert found["load"].as_compiled is None and found["store"].as_compiled is None
    assert found["load"].read_from == found["store"].read_from == "nvcc 13.0.88, sm_90"


def test_where_they_differ_the_machine_code_wins(tmp_path: Path) -> None:
    load = heard(tmp_path, counted(5, "load", requests=2, bits=(128,)), counted(5, "store"))["load"]
    assert load.as_compiled is not None and load.as_compiled.sectors is not None
    assert (load.as_compiled.requests, load.as_compiled.bytes) == (2, 16)
    assert (load.as_compiled.sectors.mean, load.as_compiled.status) == (16, "exact")


def test_what_data_decides_stays_predicted(tmp_path: Path) -> None:
    found = heard(tmp_path, counted(5, "load", requests=2, doubt="data"), counted(5, "store"))
    assert found["load"].as_compiled is None and not found["load"].read_from


@pytest.mark.parametrize("space", ["global", "generic"])
@pytest.mark.parametrize(("doubt", "status"), [(BY_DATA, "exact"), (STOPPED, "range")])
def test_what_else_is_open_makes_a_range(
    doubt: str, status: str, space: str, tmp_path: Path
) -> None:
    load = replace(counted(5, "load", doubt=doubt), space=space)
    found = heard(tmp_path, load, counted(5, "store"))
    assert (found["load"].status, found["load"].read_from) == (status, "")
    assert found["load"].detail == (doubt if status == "range" else "")
    assert found["store"].status == "exact"


def test_an_access_without_machine_code_is_gone_or_charged_elsewhere(tmp_path: Path) -> None:
    gone = heard(tmp_path, counted(5, "store"))["load"]
    assert gone.as_compiled is not None and gone.as_compiled.requests == 0
    moved = heard(tmp_path, counted(4, "load"), counted(5, "store"))["load"]
    assert (moved.as_compiled, moved.charged_line, bool(moved.read_from)) == (None, 4, True)
    open_ = heard(tmp_path, counted(4, "load", doubt="data"), counted(5, "store"))["load"]
    assert open_.as_compiled is None


def test_lines_of_a_header_and_generic_addresses_leave_predictions(tmp_path: Path) -> None:
    header = replace(counted(107, "load"), place=SourceLine("device_atomic_functions.hpp", 107))
    generic = replace(counted(5, "load"), space="generic")
    for other in (header, generic):
        load = heard(tmp_path, other, counted(5, "store"))["load"]
        assert load.as_compiled is None and not load.read_from


def test_a_line_that_calls_a_header_is_read_from_it(tmp_path: Path) -> None:
    """Through PTX the instruction in the header is known to be the line's; nothing is told gone where
    a call belongs to no access of its line."""
    header = SourceLine("/cuda/include/header.hpp", 107)
    called = replace(counted(7, "load", requests=2), place=header, site=SourceLine("k.cu", 5))
    load = heard(tmp_path, called, counted(5, "store"))["load"]
    assert load.as_compiled is not None and load.as_compiled.requests == 2
    assert (load.charged_path, load.charged_line) == ("/cuda/include/header.hpp", 107)
    elsewhere = replace(called, site=SourceLine("k.cu", 3))
    load = heard(tmp_path, elsewhere, counted(5, "store"))["load"]
    assert load.as_compiled is None and not load.read_from
    open_ = replace(called, doubt="data")
    load = heard(tmp_path, open_, counted(5, "store"))["load"]
    assert load.as_compiled is None and not load.read_from


@pytest.mark.slow
@pytest.mark.parametrize("program", PROGRAMS)
def test_recorded_machine_code_decides(program: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolkit, "compiled", lambda *_: recorded(program))
    found = analysed(TRUTH / "kernels" / f"{program}.cu", NVCC)
    read = [a for k in found.kernels for a in k.accesses if a.read_from]
    assert read and not [problem for problem in found.problems if problem.reason == "compile"]
    measured = [m for m in launches(TRUTH) if m["program"] == f"{program}.cu"]
    lines = {(m["kernel"], line["line"]) for m in measured for line in m["lines"]}
    for kernel in found.kernels:
        for access in kernel.accesses:
            compiled = access.as_compiled
            if access.read_from and compiled is not None and compiled.requests:
                assert (kernel.name, compiled.charged_line) in lines


def test_arguments_lie_as_the_code_has_them_or_it_is_not_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A class without members, one within another, a pointer that may be null and blocks of a
    cluster: the source does not say what the code reads. A class of plain members it does."""
    path = RECORDED / "arguments" / "arguments.cu"
    monkeypatch.setattr(toolkit, "compiled", lambda *_: recorded("arguments/arguments"))
    read = {k.name: [a for a in k.accesses if a.read_from] for k in analysed(path, NVCC).kernels}
    assert read["flat"] and read["flat"][0].requests == 32
    assert not (read["empty"] or read["nested"] or read["ranked"])
    assert not any(access.text == "bias[i]" for access in read["optional"])


def test_a_file_that_does_not_compile_keeps_its_predictions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise MachineCodeError("k.cu(3): error: identifier is undefined")

    monkeypatch.setattr(toolkit, "compiled", fail)
    path = tmp_path / "k.cu"
    path.write_text(TEXT)
    found = analysed(path, NVCC)
    assert [p.reason for p in found.problems] == ["compile"]
    assert "identifier is undefined" in found.problems[0].message
    predicted = analysed(path, replace(NVCC, compiler=None))
    for one, other in zip(found.kernels, predicted.kernels, strict=True):
        assert [(a.text, a.requests, a.sectors) for a in one.accesses] == [
            (a.text, a.requests, a.sectors) for a in other.accesses
        ]
        assert not any(a.read_from for a in one.accesses)


@pytest.mark.parametrize(
    ("error", "kept"), [(MachineCodeError("no"), True), (ToolTimeout("too long"), False)]
)
def test_a_compiler_that_takes_too_long_is_asked_again(
    error: MachineCodeError, kept: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(toolkit, "compiled", fail)
    path, cache = tmp_path / "k.cu", Cache(str(tmp_path / "cache"))
    path.write_text(TEXT)
    for selection in (None, Selection()):
        work = Work(engine.files.read(str(path)), NVCC, selection)
        workers.run([work], 1, cache)
        assert (cache.get(work.key()) is not None) == kept


def test_a_file_with_launches_in_clusters_says_that_it_is_predicted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(toolkit, "compiled", lambda *_: pytest.fail("compiled"))
    path = tmp_path / "k.cu"
    path.write_text(TEXT + "// this_cluster\n")
    assert [p.reason for p in analysed(path, NVCC).problems] == ["compile-cluster"]


def test_text_that_is_not_the_files_is_not_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(toolkit, "compiled", lambda *_: pytest.fail("compiled"))
    path = tmp_path / "k.cu"
    path.write_text(TEXT)
    typed = engine.files.Source(str(path), "cuda", TEXT.replace("2 *", "3 *"), ())
    assert engine.analyse_source(typed, NVCC).kernels


def test_a_compiler_that_is_not_there_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"--compile: .*no-such-nvcc is no program"):
        settings({"compile": True, "nvcc": str(tmp_path / "no-such-nvcc")}, LaunchOverrides(), None)
    assert settings({"nvcc": "nvcc"}, LaunchOverrides(), None).compiler is None


def test_what_a_compiler_says_is_quoted(tmp_path: Path) -> None:
    shell = shutil.which("sh")
    fake = tmp_path / "nvcc"
    fake.write_text(f"#!{shell}\necho 'k.cu(1): error: no'\nexit 1\n")
    fake.chmod(0o755)
    with pytest.raises(MachineCodeError, match=r"k\.cu\(1\): error: no"):
        toolkit.compiled(str(fake), "k.cu", 90, {}, ())
