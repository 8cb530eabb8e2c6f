"""After any sequence of edits the editor is sent what an analysis of the final text from nothing gives, and no stage says otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.server import stages
from tests import edits


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stage before every kernel that must be executed again."""
    monkeypatch.setattr(stages, "FIRST", 0.0)
    monkeypatch.setattr(stages, "SHORT", 0.0)


@pytest.mark.parametrize("seed", range(4))
def test_any_sequence_of_edits_ends_in_what_a_new_analysis_says(at_once: None, tmp_path: Path, seed: int) -> None:
    assert list(edits.sequence(seed, tmp_path, 12)) == []
