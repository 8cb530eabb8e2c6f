"""Kernels with unknown arguments, data and trip counts: runs with any values lie within what
kernlint says (`tests/oracle/unknowns.py`)."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from tests.oracle.against_interpreter import check, mismatches
from tests.oracle.unknowns import BLOCKS, LANES, WARPS, Request, kernel, run, world

KERNELS, WORLDS = 30, 8


@pytest.mark.slow
def test_runs_lie_within_what_is_said() -> None:
    tally = Counter[str]()
    wrong = {seed: found for seed in range(KERNELS) if (found := check(seed, tally, WORLDS))}
    assert not wrong
    assert min(tally["exact"], tally["range"], tally["unknown"]) > 10, tally


def test_the_interpreter_runs_all_lanes_of_a_store_in_the_open() -> None:
    """The last three stores stand behind everything: where nothing returns they are executed once
    by each warp, with all lanes."""
    made = next(k for k in map(kernel, range(100)) if "return" not in k.source)
    found = run(made, world(random.Random(1)))
    assert [r.lanes for r in found.requests[max(made.lines)]] == [LANES] * (BLOCKS * WARPS)


def test_a_wrong_claim_is_seen() -> None:
    entry = {
        "status": "exact",
        "reason": None,
        "requests": 1,
        "active_lanes": 32.0,
        "sectors": {"min": 4, "max": 4, "mean": 4},
    }
    assert list(mismatches(entry, [Request(32, 4)])) == []
    assert len(list(mismatches(entry, [Request(31, 5), Request(32, 4)]))) == 4
