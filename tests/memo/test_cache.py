"""The cache and the workers: the same results as without them, and none that no longer hold."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import pytest

from kernlint.base.span import Span
from kernlint.cli import main
from kernlint.memo import json_codec
from kernlint.memo.disk import Cache
from kernlint.model import facts
from kernlint.model.settings import Selection, Settings
from kernlint.pipeline import engine, workers
from kernlint.pipeline.workers import Work
from kernlint.source import files
from tests.support import handmade as made

KERNEL = """\
#include "width.h"
// kernlint: launch(grid=64, block=256)
__global__ void column(float *a)
{
    a[(blockIdx.x * 256 + threadIdx.x) * WIDTH] = 0;
}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "k.cu").write_text(KERNEL, encoding="utf-8")
    (tmp_path / "width.h").write_text("#define WIDTH 64\n", encoding="utf-8")
    return tmp_path


class Counted:
    """How often the engine really worked."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.times = 0
        real = engine.analyse_source

        def analyse_source(
            source: files.Source, settings: Settings, shared: object = None
        ) -> facts.File:
            self.times += 1
            return real(source, settings)

        monkeypatch.setattr(engine, "analyse_source", analyse_source)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counted:
    return Counted(monkeypatch)


def test_facts_survive_writing() -> None:
    report = made.REPORT.files[0]
    assert json_codec.decode(json_codec.encode(report)) == report
    real = engine.analyse_source(files.from_bytes("k.cu", KERNEL.encode()), Settings())
    again = json_codec.decode(json_codec.encode(real))
    assert [access.index for kernel in again.kernels for access in kernel.accesses] == [
        a.index for k in real.kernels for a in k.accesses
    ]
    assert json_codec.encode(again) == json_codec.encode(real)


@pytest.mark.parametrize(
    "text",
    ["", "{", '{"Nobody": []}', '{"Span": [1]}', '{"Span": 1, "File": 2}', "[[[", '{"": [1]}'],
)
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not what was written"):
        json_codec.decode(text)


@pytest.mark.slow
def test_an_unchanged_file_is_not_analysed_again(
    folder: Path, counted: Counted, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in (["k.cu"], ["report", "k.cu", "--output-format", "json"]):
        counted.times = 0
        first = main.main(command), capsys.readouterr().out
        second = main.main(command), capsys.readouterr().out
        assert counted.times == 1
        assert (
            first[0] == second[0] and first[1].split("(1 file")[0] == second[1].split("(1 file")[0]
        )
    assert main.main(["k.cu", "--no-cache"]) == 1
    assert counted.times == 2


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: (folder / "k.cu").write_text(KERNEL + "\n", encoding="utf-8"),
        lambda folder: (folder / "width.h").write_text("#define WIDTH 1\n", encoding="utf-8"),
        lambda folder: (folder / "width.h").unlink(),
        lambda folder: (folder / "kernlint.toml").write_text("[defines]\nX = 1", encoding="utf-8"),
        lambda folder: (folder / "kernlint.toml").write_text(
            "[thresholds.KL201]\nratio = 9", encoding="utf-8"
        ),
    ],
)
def test_what_changes_is_analysed_again(folder: Path, counted: Counted, change: Any) -> None:
    main.main(["k.cu"])
    change(folder)
    main.main(["k.cu"])
    assert counted.times == 2


@pytest.mark.slow
def test_what_the_clock_stopped_is_told_again_on_this_machine_for_the_same_limit(
    folder: Path,
    counted: Counted,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A folder of large files cost its limit for each of them at every run."""
    loops = "for (int i = 0; i < 3000; i++) for (int j = 0; j < 3000; j++) if ((i * j) % 7 == threadIdx.x % 7) a[i * j] = j;"
    (folder / "long.cu").write_text(
        f"__global__ void k(float *a) {{ {loops * 40} }}\n", encoding="utf-8"
    )
    told = []
    for limit in ("0.2", "0.2", "0.3"):
        main.main(["long.cu", "--timeout-per-file", limit])
        told.append((counted.times, "--timeout-per-file" in capsys.readouterr().out))
    assert told == [(1, True), (1, True), (2, True)]
    monkeypatch.setattr("platform.node", lambda: "another")
    main.main(["long.cu", "--timeout-per-file", "0.2"])
    assert counted.times == 3


@pytest.mark.slow
def test_what_is_known_is_told_without_what_counts(folder: Path) -> None:
    code = (
        "import sys\nfrom kernlint.cli.main import main\nmain(['check', 'k.cu', '--exit-zero'])\n"
        "print([name for name in ('numpy', 'kernlint.lowering') if name in sys.modules], file=sys.stderr)"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    runs = [
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env=environment,
        )
        for _ in range(2)
    ]
    assert [run.stderr.splitlines()[-1] for run in runs] == ["['numpy', 'kernlint.lowering']", "[]"]
    first, second = (run.stdout.rpartition(",")[0] for run in runs)  # the time apart
    assert first == second and "KL" in first


@pytest.mark.slow
def test_a_header_that_appears_counts(folder: Path, counted: Counted) -> None:
    (folder / "width.h").unlink()
    main.main(["k.cu"])
    (folder / "width.h").write_text("#define WIDTH 64\n", encoding="utf-8")
    main.main(["k.cu"])
    assert counted.times == 2


@pytest.mark.parametrize(
    "damage", [b"", b"{}", b"\xff\xfe", b'{"format": 1, "size": 3, "sought": []}\nabc', None]
)
def test_damaged_entries_are_no_entries(
    folder: Path,
    counted: Counted,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    damage: bytes | None,
) -> None:
    monkeypatch.setenv("KERNLINT_CACHE_DIR", "kept")
    assert main.main(["k.cu"]) == 1
    entries = [path for path in (folder / "kept").rglob("*.json")]
    assert len(entries) == 1
    entries[0].write_bytes(damage if damage is not None else entries[0].read_bytes()[:-5])
    assert main.main(["k.cu"]) == 1 and counted.times == 2
    assert (folder / "kept" / ".gitignore").read_text() == "*\n"


def test_a_cache_that_cannot_be_written_is_no_fault(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("KERNLINT_CACHE_DIR", str(folder / "file"))
    assert main.main(["k.cu"]) == 1


# ------------------------------------------------------------------ workers


def many(folder: Path, count: int) -> list[Work]:
    for number in range(count):
        (folder / f"k{number}.cu").write_text(
            KERNEL.replace("WIDTH", str(number + 1)), encoding="utf-8"
        )
    return [
        Work(files.read(str(folder / f"k{number}.cu")), Settings(), Selection())
        for number in range(count)
    ]


@pytest.mark.slow
def test_workers_change_no_result(folder: Path) -> None:
    works = many(folder, 10)
    assert workers.run(works, 3, None) == workers.run(works, 1, None)
    reports = [Work(work.source, work.settings) for work in works]
    assert [json_codec.encode(r) for r in workers.run(reports, 3, None)] == [
        json_codec.encode(r) for r in workers.run(reports, 1, None)
    ]


@pytest.mark.slow
def test_a_killed_worker_costs_its_own_file_only(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    works = many(folder, 10)
    real = engine.analyse_source

    def analyse_source(
        source: files.Source, settings: Settings, shared: object = None
    ) -> facts.File:
        if source.path.endswith("k4.cu"):
            os.kill(os.getpid(), signal.SIGKILL)
        return real(source, settings)

    monkeypatch.setattr(engine, "analyse_source", analyse_source)
    results = workers.run(works, 2, Cache(str(folder / "kept")))
    monkeypatch.undo()
    (finding,) = results[4].findings
    assert (finding.code, finding.span) == (
        "KL003",
        Span(works[4].source.path, 1, 1, 1, 1),
    ) and "was killed" in finding.message
    expected = workers.run(works, 1, None)
    assert results[:4] + results[5:] == expected[:4] + expected[5:]
    assert workers.run(works, 1, Cache(str(folder / "kept"))) == expected  # the loss was not kept


def test_a_pool_that_breaks_while_it_is_filled_keeps_what_it_took(folder: Path) -> None:
    class Pool:
        taken = 0

        def submit(self, *_: object) -> object:
            self.taken += 1
            if self.taken > 3:
                raise BrokenProcessPool
            return object()

    assert sorted(
        workers._submitted(Pool(), workers._encoded, many(folder, 5), range(5)).values()
    ) == [0, 1, 2]  # type: ignore[arg-type]


def test_entries_are_json(folder: Path) -> None:
    workers.run(many(folder, 2), 1, Cache(str(folder / "kept")))
    written = list((folder / "kept").rglob("*.json"))
    assert len(written) >= 2
    for path in written:
        head, body = path.read_text(encoding="utf-8").split("\n")
        assert json.loads(head)["format"] == 1 and json.loads(body)
