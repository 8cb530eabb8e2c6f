"""Edits against faults and races remove them on a GPU: what was measured (`python -m
tests.fixing.faults_on_gpu`) is about the edits of today."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.fixing import faults_on_gpu as measuring
from tests.places import DOCS

FOUND = json.loads(measuring.KEPT.read_text(encoding="utf-8"))
PROGRAMS = FOUND["programs"]


@pytest.mark.slow
@pytest.mark.parametrize("name", measuring.PROGRAMS)
def test_what_was_measured_is_what_the_fix_makes_today(name: str, tmp_path: Path) -> None:
    text = measuring.fixed(name, tmp_path)
    assert measuring.digest(name, text) == PROGRAMS[name]["digest"], (
        "measure again: python -m tests.fixing.faults_on_gpu"
    )


@pytest.mark.parametrize("name", measuring.PROGRAMS)
def test_a_fixed_program_is_right_and_the_tools_find_nothing(name: str) -> None:
    before, after = (PROGRAMS[name][side] for side in measuring.SIDES)
    assert before["wrong"] or any(before[tool] for tool in measuring.TOOLS)
    assert [after[what] for what in ("wrong", *measuring.TOOLS)] == [0, 0, 0]


def test_the_page_shows_what_was_measured() -> None:
    page = (DOCS / "fixes.md").read_text(encoding="utf-8")
    assert measuring.table(FOUND) in page
    assert all(FOUND[what] in page for what in ("gpu", "driver", "sanitizer"))
