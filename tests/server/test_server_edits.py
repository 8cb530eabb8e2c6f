"""After any sequence of edits the editor is sent what an analysis of the final text from nothing
gives, and no stage says otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.memo.protocol import Outcome
from kernlint.server import stages, worker_pool
from tests.server import edits

pytestmark = pytest.mark.slow


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stage before every kernel that must be executed again."""
    monkeypatch.setattr(stages, "FIRST", 0.0)
    monkeypatch.setattr(stages, "SHORT", 0.0)
    monkeypatch.setattr(stages, "SOON", 0.0)
    monkeypatch.setattr(stages, "BRIEF", 0.0)
    monkeypatch.setattr(stages, "NEAREST", 0.0)


@pytest.mark.parametrize("seed", range(4))
def test_any_sequence_of_edits_ends_in_what_a_new_analysis_says(
    at_once: None, tmp_path: Path, seed: int
) -> None:
    assert list(edits.sequence(seed, tmp_path, 12)) == []


def test_worker_processes_say_the_same(
    at_once: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(worker_pool, "COLD", 0.0)
    monkeypatch.setattr(worker_pool, "WARM", 0.0)
    taken: list[bool] = []
    real = worker_pool.Shared.outcome

    def outcome(self: worker_pool.Shared, key: str) -> Outcome | None:
        found = real(self, key)
        taken.append(found is not None)
        return found

    monkeypatch.setattr(worker_pool.Shared, "outcome", outcome)
    monkeypatch.setattr(
        worker_pool.Shared, "_next", worker_pool.Shared._next
    )  # put back after the test
    edits.leave_to_workers()
    helpers = worker_pool.Crew(1)
    try:
        assert list(edits.sequence(5, tmp_path, 12, helpers)) == []
    finally:
        helpers.close()
    assert any(taken)
