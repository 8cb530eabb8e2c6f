"""The line that names --compile: once, on terminals, where nvcc is and nobody has decided."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from kernlint.base import cuda_toolkit
from kernlint.cli import compiler_hint
from kernlint.configuration.project import Project
from kernlint.memo.disk import Cache
from kernlint.model.settings import Settings
from kernlint.pipeline.workers import Work
from kernlint.source.files import Source


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(folder: Path, language: str = "cuda", stream: io.StringIO | None = None) -> str:
    path = folder / "k.cu"
    source = Source(str(path), language, "__global__ void k() {}", ())
    stream = Terminal() if stream is None else stream
    work = Work(source, Settings())
    compiler_hint.show([work], Project({}), Cache(str(folder / "cache")), stream)
    return stream.getvalue()


@pytest.fixture(autouse=True)
def nvcc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr(cuda_toolkit, "program", lambda name: f"/opt/cuda/bin/{name}")


def test_it_is_shown_once(tmp_path: Path) -> None:
    assert "--compile" in shown(tmp_path)
    assert shown(tmp_path) == ""


def test_it_is_not_shown_where_it_is_of_no_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert shown(tmp_path, stream=io.StringIO()) == ""
    assert shown(tmp_path, language="opencl") == ""
    (tmp_path / "kernlint.toml").write_text("compile = false\n")
    assert shown(tmp_path) == ""
    (tmp_path / "kernlint.toml").unlink()
    monkeypatch.setattr(cuda_toolkit, "program", lambda name: None)
    assert shown(tmp_path) == ""
