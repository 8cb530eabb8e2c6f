"""PTX of clang, Triton and Numba (tests/data/ptx/README.md), and source against PTX."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kernlint.cli import main
from kernlint.comparison import ptx_against_source
from kernlint.model import facts
from kernlint.model.settings import LaunchOverrides, Settings
from kernlint.pipeline import engine
from kernlint.source import files
from tests.places import DATA, TRUTH

pytestmark = pytest.mark.slow

SAMPLES = DATA / "ptx" / "samples"
KERNELS = TRUTH / "kernels"


def kernel(name: str, block: int, grid: int, **arguments: int) -> facts.Kernel:
    launch = LaunchOverrides(
        (grid, 1, 1), (block, 1, 1), 0, {k.replace("_at_", "+"): v for k, v in arguments.items()}
    )
    path = SAMPLES / name
    file = engine.analyse_source(
        files.Source(str(path), "ptx", path.read_text()), Settings(launch=launch)
    )
    assert not file.problems and len(file.kernels) == 1
    return file.kernels[0]


def facts_of(path: Path) -> facts.File:
    return engine.analyse([str(path)], Settings()).files[0]


def lines(found: facts.Kernel) -> list[tuple[str, int, str, str, float | None, float | None, str]]:
    """(file, line, space, operation, requests, transactions per request, status), one for each
    different one."""
    rows = {}
    for a in found.accesses:
        counts = a.wavefronts if a.space == "shared" else a.sectors
        rows[
            Path(a.span.path).name,
            a.span.line,
            a.space,
            a.op,
            a.requests,
            counts.mean if counts else None,
            a.status,
        ] = None
    return list(rows)


def test_triton() -> None:
    found = kernel("triton_add.ptx", 128, 64, param_3=65_000)
    full = [a for a in found.accesses if a.requests == 256 and a.sectors and a.sectors.mean == 4]
    # 64 blocks of 1024 elements in eight instructions; 488 are left for the last block: three
    # instructions of all its warps and some
    assert found.name == "add_kernel" and len(found.accesses) == 24 and len(full) == 3 * 3
    assert sum(a.requests or 0 for a in found.accesses if a.op == "store") == 63 * 32 + 16
    assert {(Path(a.span.path).suffix, a.status) for a in found.accesses} == {(".py", "exact")}


def test_triton_with_a_loop() -> None:
    found = kernel("triton_rows.ptx", 128, 64, param_2=4096, param_3=4096)
    loads = [a for a in found.accesses if a.op == "load" and a.space == "global"]
    assert sum(a.requests or 0 for a in loads) == 64 * 4096 // 32 and {
        a.sectors and a.sectors.mean for a in loads
    } == {4}


def test_numba() -> None:
    found = kernel("numba.ptx", 256, 64, param_0=65_536)
    assert found.name == "saxpy_tile" and found.static_shared_bytes == 32 * 33 * 4
    at_8 = [a for a in found.accesses if a.span.line == 8]
    assert sum(a.requests or 0 for a in at_8 if a.op == "store") == 65_536 // 32
    assert {row[1:] for row in lines(found) if row[1] > 8} == {
        (11, "global", "load", 512, 4.0, "exact"),
        (11, "shared", "store", 512, 1.0, "exact"),
        (13, "shared", "load", 512, 1.0, "exact"),
        (13, "global", "store", 512, 4.0, "exact"),
    }


def test_clang() -> None:
    found = kernel("clang.ptx", 256, 4, param_2=1000)
    assert {row for row in lines(found) if row[3] == "store"} == {
        ("cl.cu", 11, "shared", "store", 32, 1.0, "exact"),
        ("cl.cu", 13, "shared", "store", 4, 1.0, "exact"),
        ("cl.cu", 14, "shared", "store", 4, 1.0, "exact"),
        ("cl.cu", 19, "global", "store", 32, (31 * 4 + 1) / 32, "exact"),
    }


def test_a_do_while_of_the_source_runs_as_an_axis() -> None:
    text = "__global__ void k(float *x, int n) { int i = 0; do { x[threadIdx.x] = i; i += 3; } while (i < n); }"
    for n, turns in ((30, 10), (29, 10), (31, 11), (0, 1), (-5, 1)):
        launch = LaunchOverrides((1, 1, 1), (32, 1, 1), 0, {"n": n})
        file = engine.analyse_source(files.Source("k.cu", "cuda", text), Settings(launch=launch))
        assert [a.requests for a in file.kernels[0].accesses] == [turns], n


def test_against_a_module_of_other_kernels(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import gzip

    other = tmp_path / "scan.ptx"
    other.write_bytes(gzip.decompress((SAMPLES.parent / "truth" / "scan.ptx.gz").read_bytes()))
    words = [
        "report",
        str(KERNELS / "matvec.cu"),
        "--against",
        str(other),
        "--no-cache",
        "--isolated",
    ]
    assert main.main(words) == 2
    told = capsys.readouterr()
    assert (
        not told.out
        and "scan.ptx: it has `" in told.err
        and "compile the PTX from this source (nvcc -ptx -lineinfo)" in told.err
    )
    assert main.main([*words, "--output-format", "json"]) == 2 and not capsys.readouterr().out
    empty = tmp_path / "empty.ptx"
    empty.write_text(".version 8.0\n.target sm_90\n.address_size 64\n")
    assert (
        main.main(
            [
                "report",
                str(KERNELS / "matvec.cu"),
                "--against",
                str(empty),
                "--no-cache",
                "--isolated",
            ]
        )
        == 2
    )
    assert "no kernel of" in capsys.readouterr().err


def test_against_a_source_is_refused_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    source = str(KERNELS / "matvec.cu")
    assert main.main(["report", source, "--against", source, "--no-cache", "--isolated"]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert line.endswith(
        "matvec.cu: no PTX in this file (PTX begins with `.version`); `nvcc -ptx -lineinfo` compiles a source to it"
    )


def test_copies_that_the_line_table_charges_to_the_toolkit_are_of_the_line_that_calls(
    tmp_path: Path,
) -> None:
    """nvcc 13.0 -ptx -lineinfo of a loop of unknown length: of four copies one has a line of the
    header for the place of its call."""
    source, module = SAMPLES / "copies.cu", SAMPLES / "copies.ptx"
    launched = facts_of(source)
    found = ptx_against_source.compared(
        launched,
        engine.analyse_source(
            files.read(str(module), "ptx"), Settings(), source_kernels=launched.kernels
        ),
    )
    rows = {(d.line, d.space, d.op): d for d in found.pairs[0].differences}
    copies = rows[9, "global", "copy"]
    assert (copies.source and copies.source.requests, copies.ptx and copies.ptx.requests) == (
        4096,
        4096,
    )
    assert copies.text == "unrolled: 4 instructions for 1"
    assert (
        not any("kept in registers" in d.text for d in found.pairs[0].differences)
        and max(line for line, _, _ in rows) < 20
    )


def test_against_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import gzip

    module = tmp_path / "matvec.ptx"
    module.write_bytes(gzip.decompress((SAMPLES.parent / "truth" / "matvec.ptx.gz").read_bytes()))
    words = [
        "report",
        str(KERNELS / "matvec.cu"),
        "--against",
        str(module),
        "--no-cache",
        "--isolated",
    ]
    assert main.main(words) == 0
    text = capsys.readouterr().out
    assert "merged into 16-byte accesses" in text and "unrolled: 4 instructions for 1" in text
    assert main.main([*words, "--output-format", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert [f["language"] for f in report["files"]] == ["cuda", "ptx"] and len(
        report["against"]["kernels"]
    ) == 4
    assert (
        main.main(
            [
                "report",
                str(KERNELS / "matvec.cu"),
                "--against",
                str(tmp_path / "no.ptx"),
                "--no-cache",
            ]
        )
        == 2
    )
