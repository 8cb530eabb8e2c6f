"""Fixed programs compute the same and do less: what a GPU measured (`python -m
tests.fixing.fixing_on_gpu`) is about the fixes of today."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kernlint.cli import main
from tests.fixing import fixing_on_gpu as measuring
from tests.places import DOCS

pytestmark = pytest.mark.slow


FOUND = json.loads(measuring.KEPT.read_text(encoding="utf-8"))
PROGRAMS = FOUND["programs"]
LESS = {  # what the fix is for
    "padding": "wavefronts",
    "flat_padding": "wavefronts",
    "byte_padding": "wavefronts",
    "typed_padding": "wavefronts",
    "atomic_padding": "wavefronts",
    "swizzle": "wavefronts",
    "flat_swizzle": "wavefronts",
    "skew": "wavefronts",
    "axes": "sectors",
    "loop": "sectors",
    "literal": "cycles",
    "block": "cycles",
}


@pytest.mark.parametrize("name", sorted(measuring.HOW))
def test_what_was_measured_is_what_the_fix_makes_today(name: str, tmp_path: Path) -> None:
    text, flags = measuring.fixed(name, tmp_path)
    assert (text, flags) != ((measuring.DATA / f"{name}.cu").read_text(encoding="utf-8"), [])
    assert measuring.digest(name, text, flags) == PROGRAMS[name]["digest"], (
        "measure again: python -m tests.fixing.fixing_on_gpu"
    )


@pytest.mark.parametrize("name", sorted(measuring.HOW))
def test_fixed_programs_compute_the_same(name: str) -> None:
    one = PROGRAMS[name]
    tolerance = measuring.HOW[name][1]
    assert one["bytes"] > 0 and (one["difference"] <= tolerance if tolerance else one["same"])


@pytest.mark.parametrize(("name", "counter"), sorted(LESS.items()))
def test_fixed_programs_do_less(name: str, counter: str) -> None:
    before, after = PROGRAMS[name]["before"], PROGRAMS[name]["after"]
    assert after[counter] < 0.6 * before[counter]
    assert (
        after["cycles"] < 0.75 * before["cycles"]
        and after["microseconds"] < 0.75 * before["microseconds"]
    )


def test_what_a_promise_saves_is_what_its_note_says(capsys: pytest.CaptureFixture[str]) -> None:
    sectors = [PROGRAMS["promise"][side]["sectors"] for side in measuring.SIDES]
    assert sectors == [425_984, 196_608]
    main.main(
        [
            "--select",
            "KL209",
            "--severity",
            "info",
            "--no-cache",
            "--isolated",
            str(measuring.DATA / "promise.cu"),
        ]
    )
    told = " ".join(capsys.readouterr().out.split())
    assert f"{sectors[0] - sectors[1]:,.0f} sectors, exact" in told


def test_the_page_shows_what_was_measured() -> None:
    page = (DOCS / "fixes.md").read_text(encoding="utf-8")
    assert measuring.table(FOUND) in page
    assert FOUND["gpu"] in page and FOUND["driver"] in page
