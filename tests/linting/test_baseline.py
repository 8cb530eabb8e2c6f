"""The baseline: known findings stay silent while code moves around them, new ones show, gone ones
are reported."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from kernlint.base.span import Span
from kernlint.cli import main
from kernlint.linting import baseline
from kernlint.model.finding import Finding
from kernlint.source.sources import Sources

COLUMN = """\
// kernlint: launch(grid=64, block=256)
__global__ void column(float *a)
{
    a[(blockIdx.x * 256 + threadIdx.x) * 64] = 0;
}
"""
ANOTHER = COLUMN.replace("column", "other").replace("64]", "32]")


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "src").mkdir()
    path = tmp_path / "src" / "k.cu"
    path.write_text(COLUMN, encoding="utf-8")
    return path


def run(*words: str) -> int:
    return main.main(list(words))


@pytest.mark.slow
def test_known_findings_are_silent_also_after_moving(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("src") == 1
    assert run("src", "--write-baseline") == 0
    assert run("src", "--baseline", ".kernlint-baseline.json") == 0
    assert "1 in the baseline" in capsys.readouterr().out
    file.write_text("// moved\n\n" + COLUMN.replace("    a[", "\ta["), encoding="utf-8")
    assert run("src", "--baseline", ".kernlint-baseline.json") == 0
    assert run(str(file.resolve()), "--baseline", ".kernlint-baseline.json") == 0


def test_new_findings_show(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("src", "--write-baseline")
    file.write_text(COLUMN + ANOTHER, encoding="utf-8")
    capsys.readouterr()
    assert run("src", "--baseline", ".kernlint-baseline.json", "--output-format", "concise") == 1
    out = capsys.readouterr().out
    assert out.count("KL201") == 1 and ":9:" in out


def test_a_second_equal_finding_is_new() -> None:
    finding = Finding(
        "KL201", "uncoalesced-global-access", "warning", "message", Span("k.cu", 1, 1, 1, 4)
    )
    sources = Sources({"k.cu": "a[i];\na[i];\n"})
    known = baseline.counted([finding], sources, "b.json")
    again = replace(finding, span=Span("k.cu", 2, 1, 2, 4))
    compared = baseline.compare(
        [finding, again],
        known,
        sources,
        "b.json",
        [baseline.BaselineScope("k.cu", {"KL201"}, frozenset({"k"}))],
    )
    assert (compared.fresh, compared.stale, compared.unjudged) == ((again,), {}, {})


TWO = """\
// kernlint: launch(grid=64, block=256)
__global__ void two(float *a, float *b)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    for (int j = 0; j < 64; ++j)
        a[(i + j * 16384) * 64] = 0;
    b[i * 64] = 0;
}
"""


WARNED = ("--select", "KL201", "--severity", "warning")


@pytest.mark.slow
def test_mending_one_finding_makes_no_new_one_of_another_that_was_small_beside_it(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(TWO, encoding="utf-8")
    assert run("src", "--output-format", "concise", "--select", "KL201", "--severity", "info") == 1
    assert [": info: " in line for line in capsys.readouterr().out.splitlines()] == [False, True]
    run("src", "--write-baseline", "known.json", *WARNED)
    assert (
        "1 finding written to known.json, and 1 that may appear once others are fixed"
        in capsys.readouterr().out
    )
    file.write_text(TWO.replace("16384) * 64]", "16384)]"), encoding="utf-8")
    assert run("src", *WARNED, "--output-format", "concise") == 1
    assert "warning: `b[i * 64]`" in capsys.readouterr().out
    assert run("src", *WARNED, "--baseline", "known.json") == 0
    told = capsys.readouterr()
    assert "1 in the baseline" in told.out and "1 of the baseline no longer found" in told.err


def test_what_is_small_is_not_gone(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(TWO, encoding="utf-8")
    run("src", "--write-baseline", "known.json", *WARNED)
    capsys.readouterr()
    assert run("src", *WARNED, "--baseline", "known.json") == 0
    assert "no longer found" not in capsys.readouterr().err


def test_stale_entries_are_reported_and_pruned(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run("src", "--write-baseline")
    file.write_text(COLUMN.replace(" * 64]", "]"), encoding="utf-8")
    capsys.readouterr()
    assert run("src", "--baseline", ".kernlint-baseline.json") == 0
    assert "1 of the baseline no longer found" in capsys.readouterr().err
    assert run("baseline", "prune", "src") == 0
    assert json.loads(Path(".kernlint-baseline.json").read_text(encoding="utf-8"))["entries"] == []


OTHERS = """\
// kernlint: launch(grid=64, block=256)
__global__ void other(float *a)
{
    double s = 1.0;
    if (threadIdx.x % 2 == 0)
        for (int k = 0; k < 64; k++)
            a[(blockIdx.x * 256 + threadIdx.x) * 32 + 65536 * 8 * k] += s * 2.0;
}
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "left_out"),
    [
        (("--select", "KL101"), "KL201, KL301"),
        (("--select", "KL301"), "KL201"),
        (("--ignore", "global-memory"), "KL201"),
        (("--kernel", "column"), "KL201, KL301"),
        (("--severity", "error"), ""),
        (("--status", "unknown"), ""),
    ],
)
def test_pruning_keeps_what_this_run_left_out_and_says_so(
    file: Path, words: tuple[str, ...], left_out: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(COLUMN + OTHERS, encoding="utf-8")
    run("src", "--write-baseline")
    before = Path(".kernlint-baseline.json").read_text(encoding="utf-8")
    assert {entry["code"] for entry in json.loads(before)["entries"]} == {"KL201", "KL301"}
    capsys.readouterr()
    assert run("baseline", "prune", "src", *words) == 0
    told = capsys.readouterr().out
    assert "0 removed" in told
    assert (
        f"kept, of rules or kernels that this run did not check ({left_out})" in told
        if left_out
        else "kept" not in told
    )
    assert Path(".kernlint-baseline.json").read_text(encoding="utf-8") == before
    assert run("src", "--baseline", ".kernlint-baseline.json", *words) == 0
    assert "no longer found" not in capsys.readouterr().err


def test_pruning_keeps_what_a_function_that_cannot_be_read_had(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(COLUMN + OTHERS, encoding="utf-8")
    run("src", "--write-baseline")
    file.write_text(
        COLUMN.replace(" * 64]", "]") + OTHERS.replace("s = 1.0", "s = = 1.0"), encoding="utf-8"
    )
    capsys.readouterr()
    assert run("baseline", "prune", "src") == 0
    assert "1 removed from .kernlint-baseline.json; 2 kept" in capsys.readouterr().out
    file.write_text(COLUMN.replace(" * 64]", "]") + OTHERS, encoding="utf-8")
    assert run("src", "--baseline", ".kernlint-baseline.json") == 0


def test_pruning_keeps_what_was_not_looked_at(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = file.parent / "other.cu"
    other.write_text(ANOTHER, encoding="utf-8")
    run("src", "--write-baseline")
    file.write_text(COLUMN.replace(" * 64]", "]"), encoding="utf-8")
    assert run("baseline", "prune", str(file)) == 0
    entries = json.loads(Path(".kernlint-baseline.json").read_text(encoding="utf-8"))["entries"]
    assert [entry["path"] for entry in entries] == ["src/other.cu"]
    capsys.readouterr()
    assert run("baseline", "show") == 0
    assert "KL201  src/other.cu in `other`" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (("src", "--write-baseline", "known.json"), "known.json"),
        (("--write-baseline", "known.json", "src"), "known.json"),
        (("src", "--write-baseline=known.json"), "known.json"),
        (("src", "--write-baseline", "known.json", "--baseline", "known.json"), "known.json"),
        (("src", "--write-baseline", "--baseline", "known.json"), "known.json"),
        (("src", "--write-baseline"), ".kernlint-baseline.json"),
        (("--write-baseline", "src"), ".kernlint-baseline.json"),
    ],
)
def test_the_baseline_is_written_where_it_is_said(
    file: Path, words: tuple[str, ...], name: str
) -> None:
    assert run(*words) == 0
    assert [entry for entry in os.listdir() if entry.endswith(".json")] == [name]
    assert run("src", "--baseline", name) == 0


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ("src", "--write-baseline", "known"),
            "--write-baseline known: no such file or folder to analyse, and the name of a baseline",
        ),
        (("src", "gone", "--write-baseline"), "no baseline is written"),
        (("src", "--write-baseline", "a.json", "--baseline", "b.json"), "name two files: keep one"),
    ],
)
def test_what_is_refused_writes_no_baseline(
    file: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], says: str
) -> None:
    assert run(*words) == 2
    assert says in capsys.readouterr().err
    assert not [entry for entry in os.listdir() if entry.endswith(".json")]


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{",
        '{"entries": [{}]}',
        '{"entries": [{"path": 1, "code": 2, "kernel": 3, "line": 4, "count": 0}]}',
    ],
)
def test_a_broken_baseline_is_a_clear_error(
    file: Path, capsys: pytest.CaptureFixture[str], content: str
) -> None:
    Path("b.json").write_text(content, encoding="utf-8")
    assert run("src", "--baseline", "b.json") == 2
    assert "b.json is no baseline of kernlint" in capsys.readouterr().err


def test_a_missing_baseline_is_a_clear_error(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("src", "--baseline", "b.json") == 2
    assert "no baseline at b.json: make one with --write-baseline" in capsys.readouterr().err


def test_the_help_shows_only_options_that_matter_to_a_baseline(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main.main(["baseline", "--help"]) == 0
    out = capsys.readouterr().out
    assert "--baseline FILE" in out and "--select" in out
    assert "--fix" not in out and "--watch" not in out and "--output-format" not in out
