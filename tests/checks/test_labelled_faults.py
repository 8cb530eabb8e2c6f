"""Findings of the families synchronisation and faults on programs whose launches are labelled: 01 to
50 by a run under compute-sanitizer, 51 to 82 by hand (tests/data/faults)."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from kernlint.checks.run import check
from kernlint.model.finding import Finding
from kernlint.model.settings import Selection, Settings
from kernlint.pipeline import engine
from tests.places import DATA

pytestmark = pytest.mark.slow

FOLDER = DATA / "faults"
RUNS: list[dict[str, Any]] = json.loads((FOLDER / "labels.json").read_text())
BAD = [run for run in RUNS if run["verdict"] == "bad"]
# of each kind, the codes that say it
FITTING = {
    "race-shared": ("KL810", "KL811", "KL401", "KL403", "KL807"),
    "race-global": ("KL812",),
    "oob-shared": ("KL801", "KL802", "KL803"),
    "oob-global": ("KL804",),
    "oob-local": ("KL801",),
    "misaligned": ("KL805",),
    "uninitialised": ("KL806",),
    "barrier-divergence": ("KL401",),
    "mask": ("KL403", "KL404", "KL811"),
    "async-copy": ("KL813", "KL810", "KL811"),
    "lock": ("KL814",),
}
NOT_FOUND = {
    "parent_any": "which threads store to one place is decided by data alone",
    "topk_full_shift": "data decides whether the last element is shifted",
}


@cache
def found(file: str) -> list[Finding]:
    report = engine.analyse((str(FOLDER / file),), Settings())
    severe = [f for f in check(report, Selection()) if f.code[:3] in ("KL4", "KL8")]
    return [f for f in severe if f.severity != "info"]


def of_kernels(run: dict[str, Any]) -> list[Finding]:
    names = run["kernel"].split(",")
    return [f for f in found(run["file"]) if f.kernel.split("<")[0] in names]


def told(run: dict[str, Any]) -> list[Finding]:
    """The findings that fit the kind and touch a marked line."""
    lines = {place["line"] for place in run["lines"]}
    codes = FITTING[run["kind"]]
    return [
        f
        for f in of_kernels(run)
        if f.code in codes and lines & {f.span.line, *(label.span.line for label in f.labels)}
    ]


@pytest.mark.parametrize("run", BAD, ids=lambda run: run["run"])
def test_a_bad_launch_has_its_finding(run: dict[str, Any]) -> None:
    assert bool(told(run)) == (run["run"] not in NOT_FOUND)


def test_what_is_sure_is_an_error() -> None:
    sure = [run for run in BAD if not run["data"]]
    errors = [run for run in sure if any(f.severity == "error" for f in told(run))]
    told_of = [run for run in sure if told(run)]
    assert (len(sure), len(told_of), len(errors)) == (138, 137, 128)


def test_what_data_decides_is_no_error() -> None:
    by_data = [run for run in BAD if run["data"]]
    assert all(f.severity == "warning" for run in by_data for f in told(run))
    assert sum(bool(told(run)) for run in by_data) == 23


def test_a_good_launch_has_no_finding() -> None:
    """Kernels that are good in one launch and bad in another are judged by the launches that the
    findings name."""
    verdicts: dict[tuple[str, str], dict[int, str]] = {}
    for run in RUNS:
        for name in run["kernel"].split(","):
            launches = run["launch"] if isinstance(run["launch"], list) else [run["launch"]]
            own = verdicts.setdefault((run["file"], name), {})
            own.update((launch["line"], run["verdict"]) for launch in launches)
    for (file, name), launches in verdicts.items():
        told_of = [f for f in found(file) if f.kernel.split("<")[0] == name]
        if set(launches.values()) == {"good"}:
            assert told_of == [], name
        for finding in told_of if "bad" in launches.values() else ():
            lines = {finding.span.line, *(label.span.line for label in finding.labels)}
            named = {line: verdict for line, verdict in launches.items() if line in lines}
            assert "good" not in named.values() or finding.severity == "warning", name
