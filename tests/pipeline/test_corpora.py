"""The tool that measures kernlint on public code, and its small tier: real packages, fetched with
pip, of which nothing may be lost."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import corpora, corpora_measure, corpora_packages
from kernlint.checks import run
from kernlint.model.settings import Settings
from tests.places import TRUTH

pytestmark = pytest.mark.slow


PROGRAMS = TRUTH
SMALL = {
    "torchani": (27, 9),
    "warp-rnnt": (27, 15),
    "torch-cluster": (16, 13),
}  # device functions and kernels, counted by hand


def local(**changed: object) -> corpora_packages.Corpus:
    return replace(
        corpora_packages.Corpus(
            "programs", "programs==1", False, False, "core", ("kernels",), without=r"/[^t]\w+\.cu$"
        ),
        **changed,
    )


def test_a_row_counts_what_the_files_hold() -> None:
    row = corpora.analyse(local(), PROGRAMS, 0, 2)
    assert (
        row.files == 1
        and row.lines == (PROGRAMS / "kernels/transpose.cu").read_text().count("\n") + 1
    )
    assert (
        row.kernels
        == row.executed
        == (PROGRAMS / "kernels/transpose.cu").read_text().count("__global__")
    )
    assert row.functions == row.parsed and not row.unparsed and not row.faults and not row.timed_out
    assert row.exact > 0 and row.exact + row.range + row.unknown >= 2 * row.kernels
    assert row.findings["KL101"] >= 1  # the classic tile of 32 by 32
    assert row.parse_seconds > 0 and row.seconds > 0 and row.peak_bytes > 10_000_000


def test_what_cannot_be_parsed_is_named(tmp_path: Path) -> None:
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels/two.cu").write_text(
        "__global__ void a(int *x) { x[0] = 1; }\n__global__ void b(int *x) { x[0 = 1; }\n"
    )
    row = corpora.analyse(local(without=""), tmp_path, 0, 1)
    assert (row.functions, row.parsed) == (2, 1) and list(row.unparsed) == ["kernels/two.cu:2"]
    assert "kernels/two.cu:2" in corpora.document([row])


def test_a_process_that_dies_is_a_crash_of_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measure = corpora_measure.measure
    monkeypatch.setattr(
        corpora_measure,
        "measure",
        lambda path, *rest: os._exit(1) if "bad" in path else measure(path, *rest),
    )
    for name in ("bad.cu", "good.cu"):
        (tmp_path / name).write_text("__global__ void a(int *x) { x[0] = 1; }\n")
    results = list(
        corpora_measure.run(
            [(str(tmp_path / name), Settings()) for name in ("bad.cu", "good.cu")], 2
        )
    )
    assert {Path(one.path).name: (one.faults, len(one.executed)) for one in results} == {
        "bad.cu": (["the process died"], 0),
        "good.cu": ([], 1),
    }


@pytest.mark.parametrize(
    ("table", "key", "said"),
    [
        (
            run.__dict__,
            "KERNEL_CHECKS",
            "rule KL101 stopped on `k` with an internal error: KeyError",
        ),
        (corpora_measure.FORMATS, "full", "full: internal error: KeyError"),
    ],
)
def test_a_fault_in_a_rule_or_a_format_counts(
    table: dict[str, object],
    key: str,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*arguments: object) -> str:
        raise KeyError("x")

    monkeypatch.setitem(table, key, broken if key == "full" else (("KL101", broken),))
    (tmp_path / "a.cu").write_text("__global__ void k(int *x) { x[0] = 1; }\n")
    measured = corpora_measure.measure(str(tmp_path / "a.cu"), Settings())
    assert len(measured.faults) == 1 and said in measured.faults[0]
    assert len(measured.executed) == 1  # and nothing else is lost


def test_comparison_shows_what_changed() -> None:
    old = corpora.Row(
        "a",
        "a==1",
        files=1,
        functions=10,
        parsed=9,
        exact=1,
        range=1,
        unknown=2,
        reasons={"budget": 2},
        findings={"KL101": 3},
    )
    new = replace(
        old,
        parsed=10,
        exact=2,
        unknown=1,
        reasons={"budget": 1},
        findings={"KL101": 3, "KL201": 1},
        unparsed={"x.cu:3": "why"},
    )
    said = corpora.compared([new], [old])
    assert "parsed 90.0 % → 100.0 %" in said and "exact 25.0 % → 50.0 %" in said
    assert (
        "reasons: budget 2 → 1" in said
        and "findings: KL201 0 → 1" in said
        and "no longer parsed: x.cu:3 (why)" in said
    )
    assert corpora.compared([old], [old]) == "a: nothing\n"


@pytest.mark.network
@pytest.mark.parametrize("name", SMALL)
def test_the_small_tier(name: str) -> None:
    [corpus] = corpora_packages.chosen([name])
    row = corpora.analyse(corpus, corpora_packages.fetch(corpus, corpora.CACHE), 0, 2)
    assert not row.faults and not row.unparsed
    assert (row.functions, row.kernels, row.executed) == (*SMALL[name], SMALL[name][1])
    assert row.exact + row.range > 0


def test_a_word_that_names_no_corpus() -> None:
    with pytest.raises(SystemExit, match="no such corpus or tier: nothing"):
        corpora_packages.chosen(["nothing"])


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=r"programs: there is no .*kernels"):
        corpora.analyse(local(), tmp_path, 0, 1)


def test_host_files_count_the_functions_of_their_programs(tmp_path: Path) -> None:
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels/host.py").write_text(
        'def f():\n    return """__kernel void k(__global int *x) { x[0] = 1; }"""\n'
    )
    row = corpora.analyse(local(without=""), tmp_path, 0, 1)
    assert (row.functions, row.parsed, row.kernels, row.executed) == (1, 1, 1, 1)


def test_parsing_alone_leaves_the_rest_of_the_row_blank() -> None:
    row = corpora.analyse(local(), PROGRAMS, 0, 1, parse_only=True)
    told = dict(zip(corpora.COLUMNS, corpora.cells(row), strict=True))
    text = (PROGRAMS / "kernels/transpose.cu").read_text()
    assert row.kernels == text.count(
        "__global__"
    ) and row.functions == row.parsed == row.kernels + text.count("__device__")
    assert {told[column] for column in corpora.ANALYSED} == {""} and len(corpora.ANALYSED) == 8
    assert told["crashes"] == told["time-outs"] == "0" and told["peak MB"]
