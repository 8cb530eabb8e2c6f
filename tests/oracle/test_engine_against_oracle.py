"""Random kernels, every input known: kernlint's numbers as written must be those of the oracle,
which shares no code with it.

KERNLINT_ORACLE_CASES sets how many kernels (default 100, a quarter of them OpenCL); `python -m
tests.oracle.against_oracle` shrinks a failure.
"""

from __future__ import annotations

import collections
import os

import pytest
from hypothesis import HealthCheck, given, settings

from tests.oracle import Case
from tests.oracle.against_oracle import check
from tests.oracle.generate import from_seed, strategy
from tests.support import needs

CASES = int(os.environ.get("KERNLINT_ORACLE_CASES", "60"))
BATCH = 15
pytestmark = [needs.oracle, pytest.mark.slow]


def batches() -> list[tuple[str, int]]:
    opencl = CASES // 4
    return [
        (language, start)
        for language, n in (("cuda", CASES - opencl), ("opencl", opencl))
        for start in range(0, n, BATCH)
    ]


@pytest.mark.parametrize(("language", "start"), batches())
def test_generated_kernels(language: str, start: int) -> None:
    tally: collections.Counter[str] = collections.Counter()
    wrong = check([from_seed(seed, language) for seed in range(start, start + BATCH)], tally)
    assert not wrong, f"{len(wrong)} kernels\n" + "\n".join(
        f"seed {start + i}: {'; '.join(trouble[:3])}" for i, trouble in wrong[:5]
    )
    assert tally["unknown"] + tally["bounded"] <= 0.05 * sum(
        tally[k] for k in ("exact", "range", "unknown")
    ), tally


@settings(max_examples=10, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(strategy())
def test_drawn_kernels(case: Case) -> None:
    assert not check([case], collections.Counter())
