"""Faults and races of random kernels, held against plain enumeration of what every thread does."""

from __future__ import annotations

import pytest

from tests.oracle.fault_kernels import Run, kernel, mismatches

pytestmark = pytest.mark.slow

SEEDS = range(100_000, 100_120)


@pytest.mark.parametrize("opencl", [False, True], ids=["cuda", "opencl"])
@pytest.mark.parametrize("first", SEEDS[::20])
def test_nothing_is_missed_and_nothing_invented(first: int, opencl: bool) -> None:
    found = [line for seed in range(first, first + 20) for line in mismatches(seed, opencl)]
    assert found == []


@pytest.mark.parametrize("seed", [734_037])  # a value that differs by iteration, not by thread
def test_kernels_that_were_misjudged(seed: int) -> None:
    assert [*mismatches(seed, False), *mismatches(seed, True)] == []


def test_kernels_of_all_kinds_are_drawn() -> None:
    """Otherwise the comparison says little."""
    runs = [Run(kernel(seed)) for seed in SEEDS]
    races = {race[1] for run in runs for race in run.races(apart=True)}
    assert races == {"block", "warp"}
    assert 20 <= sum(not run.races(apart=True) for run in runs) <= 80
    assert sum(bool(run.outside()) for run in runs) >= 20
    assert sum(bool(run.unwritten()) for run in runs) >= 20
