"""The scripts that ask nvcc: what they say where a tool is missing, a program is none, or nvcc
refuses it; what they hold against it."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.compiler import claims, generate, register_tiles, sass, toolkit
from tests.places import TRUTH


def tool(folder: Path, name: str, body: str) -> None:
    (folder / name).write_text(f"#!{sys.executable}\nimport sys\n{body}\n")
    (folder / name).chmod(0o755)


@pytest.mark.parametrize("there", [[], ["nvcc"]])
def test_a_missing_tool_is_named_with_its_source(
    there: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in there:
        tool(tmp_path, name, "open(sys.argv[-1], 'w')")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit) as ended:
        claims.main([str(TRUTH / "kernels" / "matvec.cu")])
    missing = "nvdisasm" if there else "nvcc"
    assert ended.value.code == 2
    assert capsys.readouterr().err == f"{missing} is not on PATH: {toolkit.SOURCES[missing]}\n"


def test_what_nvcc_refuses_is_told_in_its_own_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tool(tmp_path, "nvcc", "sys.exit('k.cu(1): error: expected a declaration')")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit) as ended:
        generate.compile_all({"one": "__global__ void k( {\n"})
    assert ended.value.code == 2
    assert capsys.readouterr().err.endswith(
        ": exit status 1\nk.cu(1): error: expected a declaration\n"
    )


COLUMN = register_tiles.Product(4, 4, 16, "fma", "float", "")
JOINED = replace(COLUMN, pragma="unroll 2")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("product", "widths", "verdict"),
    [
        (COLUMN, (8,), ""),  # pairs, which are sure
        (COLUMN, (16,), ""),  # or all four, where the loop is unrolled further
        (COLUMN, (4,), "WRONG"),
        (COLUMN, (8, 16), "WRONG"),
        (JOINED, (8,), ""),
        (JOINED, (8, 4), ""),  # and what is left of the iterations
        (JOINED, (4,), "WRONG"),
        (JOINED, (16,), "WRONG"),
        (JOINED, (), "WRONG"),
    ],
)
def test_claims_about_how_many_are_joined_are_held(
    product: register_tiles.Product, widths: tuple[int, ...], verdict: str, tmp_path: Path
) -> None:
    path = tmp_path / "product.cu"
    path.write_text(product.source)
    program = claims.program_of(str(path))
    (handle,) = program.kernels()
    machines = [
        sass.Machine(register_tiles.LINE, f"s.ld{width}", False, (0,), "LDS") for width in widths
    ]
    found = claims.differences(program.instantiate(handle, None), machines)
    assert [
        what for line, kind, what, _ in found if (line, kind) == (register_tiles.LINE, "s.ld")
    ] == [verdict]
