"""A few mutants of real programs in every run of the tests; `python -m tests.pipeline.fuzz` makes as many as
one likes. What they broke once."""

from __future__ import annotations

import pytest

from tests.pipeline import fuzz


@pytest.mark.parametrize("start", range(0, 160, 40))
def test_mutants_break_nothing(start: int) -> None:
    found, tried = fuzz.failures(range(start, start + 40))
    assert tried == 40 and [(failure.seed, failure.cause) for failure in found] == []


def test_mutants_differ_and_repeat() -> None:
    some = [fuzz.mutant(seed) for seed in range(30)]
    assert (
        some == [fuzz.mutant(seed) for seed in range(30)] and len({text for _, text in some}) == 30
    )


def test_a_fault_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(source: object, settings: object) -> None:
        raise KeyError("x")

    monkeypatch.setattr(fuzz.engine, "analyse_source", broken)
    [failure] = fuzz.failures([0])[0]
    assert failure.cause.startswith("KeyError: 'x'")
