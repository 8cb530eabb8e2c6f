"""--watch: runs again after a change, and only then."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.base.usage import UsageError
from kernlint.cli import main, watching


def test_runs_again_after_a_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "k.cu"
    file.write_text("a", encoding="utf-8")
    texts: list[str] = []
    pauses = iter(
        [lambda: None, lambda: file.write_text("ab", encoding="utf-8"), lambda: None, lambda: None]
    )

    def sleep(seconds: float) -> None:
        step = next(pauses, None)
        if step is None:
            raise KeyboardInterrupt
        step()

    def run() -> int:
        texts.append(file.read_text(encoding="utf-8"))
        return len(texts)

    monkeypatch.setattr(watching.time, "sleep", sleep)
    assert watching.watch(run, lambda: [str(file)]) == 2
    assert texts == ["a", "ab"]


def test_a_file_that_goes_is_a_change(tmp_path: Path) -> None:
    file = tmp_path / "k.cu"
    file.write_text("a", encoding="utf-8")
    before = watching.stamps([str(file)])
    file.unlink()
    assert watching.stamps([str(file)]) == {} != before


def test_what_makes_no_sense_later_is_told_and_watched_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "k.cu"
    file.write_text("a", encoding="utf-8")
    steps = iter([file.unlink, lambda: file.write_text("ab", encoding="utf-8")])

    def sleep(seconds: float) -> None:
        step = next(steps, None)
        if step is None:
            raise KeyboardInterrupt
        step()

    def run() -> int:
        if not file.exists():
            raise UsageError("gone")
        return len(file.read_text(encoding="utf-8"))

    monkeypatch.setattr(watching.time, "sleep", sleep)
    assert watching.watch(run, lambda: [str(file)]) == 2
    assert "kernlint: gone\n" in capsys.readouterr().err
    file.unlink()
    with pytest.raises(UsageError):
        watching.watch(run, lambda: [str(file)])


@pytest.mark.slow
def test_headers_are_watched_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Those that are there, and those that were looked for and may come."""
    included = '#include "near.h"\n#include "far.h"\n// kernlint: launch(grid=64, block=256)\n'
    kernel = "__global__ void k(float *a) { a[(blockIdx.x * 256 + threadIdx.x) * STRIDE] = 0; }\n"
    (tmp_path / "k.cu").write_text(included + kernel, encoding="utf-8")
    (tmp_path / "near.h").write_text("#define STRIDE 64\n", encoding="utf-8")
    steps = iter([
        lambda: None,
        lambda: (tmp_path / "near.h").write_text("#define STRIDE 1\n", encoding="utf-8"),
        lambda: (tmp_path / "far.h").write_text("#undef STRIDE\n#define STRIDE 32\n", encoding="utf-8"),
    ])  # fmt: skip

    def sleep(seconds: float) -> None:
        step = next(steps, None)
        if step is None:
            raise KeyboardInterrupt
        step()

    monkeypatch.setattr(watching.time, "sleep", sleep)
    main.main([str(tmp_path / "k.cu"), "--watch", "--no-cache", "--select", "KL201"])
    told = [
        line.split(" in ")[0]
        for line in capsys.readouterr().out.splitlines()
        if " (1 file, " in line
    ]
    assert told == ["1 warning", "no findings", "1 warning"]
