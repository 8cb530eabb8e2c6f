"""The compile stage against counters: what an H100 counted for every fourth generated case
(tests/data/compiler/measured)."""

from __future__ import annotations

import collections
import functools
import json
import lzma

import pytest

from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.render.report_json import to_json
from tests import places
from tests.pipeline.test_measured import verdicts

pytestmark = pytest.mark.slow


DATA = places.DATA / "compiler" / "measured"
AGREE = 1830
CONTRADICTED = 1


@functools.cache
def results() -> dict[str, list[str]]:
    """Each verdict's lines over all the cases; a kernel is known by its namespace."""
    with lzma.open(DATA / "h100.json.xz", "rt", encoding="utf-8") as file:
        measured = json.load(file)
    found: dict[str, list[str]] = collections.defaultdict(list)
    for path in sorted(DATA.glob("*.cu")):
        kernels = to_json(engine.analyse([str(path)], Settings(timeout=0)))["files"][0]["kernels"]
        by_name = {kernel["qualified_name"]: kernel for kernel in kernels}
        for launch in (m for m in measured if m["program"] == path.name):
            name = launch["signature"].partition("(")[0].split()[-1]
            for verdict, line in verdicts(by_name[name], launch):
                found[verdict].append(f"{name} {line}")
    return found


def test_lines_that_agree() -> None:
    assert len(results()["agrees"]) >= AGREE, {
        verdict: len(lines) for verdict, lines in results().items()
    }


def test_numbers_without_bounds_hold() -> None:
    assert len(results()["contradicted"]) <= CONTRADICTED, results()["contradicted"]


def test_no_exact_access_where_the_hardware_saw_none() -> None:
    assert not results()["invented"], results()["invented"]
