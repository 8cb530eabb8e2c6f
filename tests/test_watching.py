"""--watch: runs again after a change, and only then."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint import watching
from kernlint.usage import UsageError


def test_runs_again_after_a_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "k.cu"
    file.write_text("a", encoding="utf-8")
    texts: list[str] = []
    pauses = iter([lambda: None, lambda: file.write_text("ab", encoding="utf-8"), lambda: None, lambda: None])

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
