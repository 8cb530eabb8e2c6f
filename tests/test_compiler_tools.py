"""The scripts that ask nvcc: what they say where a tool is missing, a program is none, or nvcc refuses it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.compiler import claims, generate, toolkit


def tool(folder: Path, name: str, body: str) -> None:
    (folder / name).write_text(f"#!{sys.executable}\nimport sys\n{body}\n")
    (folder / name).chmod(0o755)


@pytest.mark.parametrize("there", [[], ["nvcc"]])
def test_a_missing_tool_is_named_with_its_source(
    there: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in there:
        tool(tmp_path, name, "open(sys.argv[-1], 'w')")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit) as ended:
        claims.main([str(Path(__file__).parent / "data" / "truth" / "kernels" / "matvec.cu")])
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
    assert capsys.readouterr().err.endswith(": exit status 1\nk.cu(1): error: expected a declaration\n")
