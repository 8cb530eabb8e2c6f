"""Findings of the families synchronisation and faults on small launches and their good twins."""

from __future__ import annotations

import re

import pytest

from kernlint.checks.run import check
from kernlint.model.settings import Selection, Settings
from kernlint.pipeline import engine
from tests.places import DATA

pytestmark = pytest.mark.slow

FOLDER = DATA / "fault_twins"
FILES = sorted(path.name for path in FOLDER.iterdir() if path.suffix not in (".md", ".h"))
NAME = re.compile(r"(?:__global__ void|__kernel void|\.entry) (\w+)\s*\(")
# what nobody looks for yet
NOT_FOUND = {
    "bounds.cu": {"b_topk"},  # data decides whether elements are shifted
    "sizes.cu": {"b_diff"},
}


def at_fault(file: str) -> set[str]:
    report = engine.analyse((str(FOLDER / file),), Settings())
    found = check(report, Selection(select=("KL4", "KL8")))
    return {f.kernel.split("<")[0] for f in found if f.severity != "info"}


@pytest.mark.parametrize("file", FILES)
def test_bad_kernels_and_no_others(file: str) -> None:
    names = set(NAME.findall((FOLDER / file).read_text()))
    bad = {name for name in names if name.startswith("b_")}
    assert at_fault(file) == bad - NOT_FOUND.get(file, set())
