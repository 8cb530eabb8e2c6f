"""Registers per thread: what nvcc prints, what the command line takes, what they do to the
occupancy."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kernlint.cli.main import main
from kernlint.estimate.ptxas import plain_name, registers

PRINTED = """\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z9matmulABtILi32ELi1EEvPKfS1_Pfiii' for 'sm_90'
ptxas info    : Function properties for _Z9matmulABtILi32ELi1EEvPKfS1_Pfiii
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 8448 bytes smem
ptxas info    : Compiling entry function '_Z9matmulABtILi16ELi1EEvPKfS1_Pfiii' for 'sm_90'
ptxas info    : Used 40 registers, used 1 barriers
ptxas info    : Compiling entry function 'plain' for 'sm_90'
ptxas info    : Used 12 registers
ptxas info    : Compiling entry function '_ZN5outer5inner4stepIfEEvPT_i' for 'sm_90'
ptxas info    : Used 255 registers, 16 bytes cumulative stack size
"""
KERNEL = "// kernlint: launch(grid=64, block=256)\n__global__ void k(float *o) { o[blockIdx.x * 256 + threadIdx.x] = 1; }\n"


def test_what_ptxas_prints() -> None:
    """By name, the most of a template's instantiations."""
    assert registers(PRINTED) == {"matmulABt": 40, "plain": 12, "step": 255}
    assert registers("nothing of ptxas\n") == {}


@pytest.mark.parametrize(
    ("mangled", "name"),
    [("_Z3addPfi", "add"), ("_ZN2ns3addILi4EEEvPf", "add"), ("add", "add"), ("_Z", "_Z")],
)
def test_names(mangled: str, name: str) -> None:
    assert plain_name(mangled) == name


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "k.cu"
    path.write_text(KERNEL)
    return path


def occupancy(source: Path, capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, object]:
    assert (
        main(
            ["report", str(source), "--output-format", "json", "--isolated", "--no-cache", *options]
        )
        == 0
    )
    estimate = json.loads(capsys.readouterr().out)["files"][0]["kernels"][0]["estimate"]
    return dict(estimate["occupancy"])


@pytest.mark.slow
def test_registers_limit_what_is_resident(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert occupancy(source, capsys) == {"share": 1.0, "limiters": ["warps"], "registers": None}
    assert occupancy(source, capsys, "--registers", "64") == {
        "share": 0.5,
        "limiters": ["registers"],
        "registers": 64,
    }
    assert occupancy(source, capsys, "--registers", "64", "--registers", "k=16")["registers"] == 16
    assert occupancy(source, capsys, "--registers", "other=64")["registers"] is None


@pytest.mark.slow
def test_registers_from_a_file(
    source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = tmp_path / "ptxas.txt"
    printed.write_text(
        "ptxas info : Compiling entry function '_Z1kPf' for 'sm_90'\nptxas info : Used 128 registers\n"
    )
    assert occupancy(source, capsys, "--registers", str(printed)) == {
        "share": 0.25,
        "limiters": ["registers"],
        "registers": 128,
    }


@pytest.mark.parametrize("given", ["no-such-file", "=3"])
def test_nonsense_is_refused(given: str, source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(source), "--registers", given]) == 2
    assert "--registers" in capsys.readouterr().err


def test_a_file_without_ptxas_is_refused(source: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(source), "--registers", str(source)]) == 2
    assert "nvcc -Xptxas -v" in capsys.readouterr().err


def test_too_many_registers_leave_no_block(
    source: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (
        main(
            [
                "report",
                str(source),
                "--output-format",
                "json",
                "--isolated",
                "--no-cache",
                "--registers",
                "255",
                "--block",
                "1024",
            ]
        )
        == 0
    )
    kernel = json.loads(capsys.readouterr().out)["files"][0]["kernels"][0]
    assert kernel["estimate"] is None
    assert "no block fits" in kernel["estimate_reason"]
