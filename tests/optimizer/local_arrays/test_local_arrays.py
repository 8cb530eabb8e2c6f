"""Arrays that are indexed by no constant: what kernlint says of them, held against nvcc's stack
frames (tests/data/local_arrays)."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.model.facts import EITHER, LOCAL, REGISTERS
from kernlint.optimizer.local_arrays import Use, place
from tests.checks.test_messages import findings_of
from tests.execution.test_execution import run
from tests.optimizer.local_arrays.frames import frames, kernel

BATCH = 40
SAMPLE = sorted(frames())[::30]
SAID = {"exact": LOCAL, "range": EITHER}


@pytest.mark.slow
def test_what_is_said_of_an_array_is_what_nvcc_does() -> None:
    measured, said = frames(), {}
    for at in range(0, len(SAMPLE), BATCH):
        names = SAMPLE[at : at + BATCH]
        told = {
            f.kernel: SAID[f.status]
            for f in findings_of("\n".join(map(kernel, names)).replace("-", "_"), "KL502")
        }
        said |= {name: told.get(f"k_{name.replace('-', '_')}", REGISTERS) for name in names}
    wrong = {
        name
        for name, where in said.items()
        if where not in (EITHER, LOCAL if measured[name] else REGISTERS)
    }
    assert not wrong
    assert sum(where == EITHER for where in said.values()) < 0.45 * len(
        said
    )  # most cases were picked to lie near a bound


@pytest.mark.parametrize(
    ("use", "where"),
    [
        (Use(64, 4, True, 1, 1, False, True), EITHER),  # one load of 64 floats
        (Use(96, 4, True, 1, 1, False, True), LOCAL),
        (Use(4, 8, True, 1, 1, False, True), LOCAL),  # doubles
        (Use(4, 1, True, 1, 1, False, True), LOCAL),
        (Use(4, 8, False, 1, 1, False, True), REGISTERS),  # float2
        (Use(16, 4, True, 12, 12, True, True), LOCAL),
        (Use(16, 4, True, 4, 4, True, True), REGISTERS),
        (Use(16, 4, True, 4, 12, True, True), EITHER),  # equal indices, which may be one access
        (Use(1, 8, True, 1, 1, True, True), REGISTERS),
        (Use(8, 4, True, 4, 4, True, True), REGISTERS),
        (
            Use(8, 4, True, 4, 4, True, True, beside=2),
            EITHER,
        ),  # beside another array: 64 bytes of stack frame for both
        (Use(4, 4, True, 2, 2, True, True, beside=2), REGISTERS),
    ],
)
def test_a_use_and_its_place(use: Use, where: str) -> None:
    assert place(use) == where


RECURRING = """// kernlint: launch(grid=4, block=64, n=64)
__global__ void k(float *q, const float *v, int n) {
    float a[8] = {0};
    for (int i = 0; i < n; ++i) a[INDEX] += v[i];
    q[threadIdx.x] = a[0] + a[3];
}
"""


@pytest.mark.parametrize("index", ["i & 7", "i % 8", "i / 8"])
def test_a_remainder_of_a_counter_is_no_counter(index: str, tmp_path: Path) -> None:
    """nvcc 13.0: `a[i & 7]` is in local memory, `a[i & 3]` of four elements in registers."""
    found = run(tmp_path, RECURRING.replace("INDEX", index))
    assert {a.status for a in found.accesses if a.space == "local" and a.text == f"a[{index}]"} == {
        "range"
    }
