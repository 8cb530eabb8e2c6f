"""A few mutants of real programs in every run of the tests; `python -m tests.pipeline.fuzz` makes as many as
one likes. What they broke once."""

from __future__ import annotations

import pytest

from kernlint.checks import run
from tests.pipeline import fuzz


@pytest.mark.slow
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


def test_a_fault_in_a_rule_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(group: object, rule: object) -> None:
        raise KeyError("x")

    monkeypatch.setattr(run, "KERNEL_CHECKS", (("KL101", broken),))
    cause = fuzz.outcome("a.cu", b"__global__ void k(float *a) { a[threadIdx.x] = 1; }")
    assert cause == "rule KL101 stopped on `…` with an internal error: KeyError: 'x'"


def test_a_fault_in_a_renderer_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(document: object, style: object) -> str:
        raise KeyError("x")

    monkeypatch.setitem(fuzz.FORMATS, "full", broken)
    assert fuzz.outcome("a.cu", b"").startswith("KeyError: 'x'")
