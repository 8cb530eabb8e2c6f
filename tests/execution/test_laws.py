"""What an unknown decides: each case lies within the bounds and holds for every value of its
condition, held against the lanes counted one by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from kernlint.execution.counting.cases import conditions
from kernlint.hardware import sector_rows, wavefront_rows
from kernlint.model import facts
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from tests.places import DATA

TWO = DATA / "cases" / "laws" / "two.cu"
LANES = np.arange(256)
X, Y = LANES % 16, LANES // 16
Count = Callable[[Any], Any]


def sectors(offsets: Any) -> float:
    rows = np.asarray(offsets).reshape(-1, 32)
    return float(sector_rows(rows, np.ones_like(rows, bool), 4, "store", "h100").mean())


def wavefronts(width: int) -> Count:
    def count(offsets: Any) -> float:
        rows = np.asarray(offsets).reshape(-1, 32)
        return float(wavefront_rows(rows, np.ones_like(rows, bool), width, "store", "h100").mean())

    return count


@pytest.mark.slow
@pytest.mark.parametrize(
    "kernel, name, width, count",
    [
        ("k", "lda", 4, sectors),
        ("k3", "pitch", 1, wavefronts(1)),
        ("k4", "pitch", 2, wavefronts(2)),
    ],
)
def test_stride_and_shift_unknown(kernel: str, name: str, width: int, count: Count) -> None:
    """With any shift beside it the stride leaves bounds, which hold what each shift gives."""
    report = engine.analyse((str(TWO),), Settings())
    (one,) = (k for k in report.files[0].kernels if k.name == kernel)
    access, *_ = one.accesses
    counts = access.sectors or access.wavefronts
    assert counts is not None and access.cases
    assert all(case.condition != "always" for case in access.cases)
    for case in access.cases:
        assert counts.mean_low <= case.least <= case.most <= counts.mean_high
    for stride in (0, *range(256, 256 + 128)):
        case = decided(access, name, stride)
        for shift in range(0, 32 // width) if case is not None else ():
            exact = count(width * (Y * stride + X + shift))
            assert case.least - 1e-6 <= exact <= case.most + 1e-6, (stride, shift, case)
        assert case is not None or stride == 0  # what rests on `lda is large`


def decided(access: facts.Access, name: str, value: int) -> facts.Case | None:
    for case in access.cases:
        if case.condition == "otherwise" or eval(case.condition, {name: value}):
            return case
    return None


def test_zero_outside_the_bounds_is_excluded() -> None:
    """A condition that would hold for 0 too does not, where 0 is not among what is assumed."""
    classes = {0: (4.0, 4.0), 1: (6.0, 6.0), 2: (6.0, 6.0), 3: (6.0, 6.0)}
    found = conditions("n", 4, classes, {0: (2.0, 2.0)}, (4.0, 6.0))
    assert [condition for condition, _ in found] == ["n % 4 == 0 and n != 0", "n % 4 != 0"]


def test_zero_within_the_bounds_is_a_case_of_its_own() -> None:
    classes = {0: (4.0, 4.0), 1: (1.0, 1.0)}
    found = conditions("n", 2, classes, {0: (1.0, 1.0)}, (1.0, 4.0))
    assert [condition for condition, _ in found] == ["n == 0", "n % 2 == 0", "otherwise"]


def test_conditions_are_complete() -> None:
    low = {r: (2.0, 2.0) if r < 12 or r > 100 else (1.0, 1.0) for r in range(128)}
    (condition, _), _ = conditions("n", 128, low, {}, (1.0, 2.0))
    assert [r for r in range(128) if eval(condition, {"n": r})] == [
        r for r in low if low[r][0] == 2
    ]
