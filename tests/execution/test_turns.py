"""Turns of loops against a count by hand: for each warp, its longest lane's trips, and the lanes
that wait meanwhile."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from kernlint.checks.run import check
from kernlint.model.facts import Branch, Report
from kernlint.model.settings import Selection, Settings
from kernlint.pipeline import engine
from kernlint.source import files
from tests.pipeline.test_engine import analyse

WARP, BLOCK, GRID = 32, 96, 3


def analysed(body: str) -> Report:
    text = f"// kernlint: launch(grid={GRID}, block={BLOCK}, n=200, w=7)\n__global__ void k(int *o, int n, int w) {{\n"
    text += f"int i = blockIdx.x * {BLOCK} + threadIdx.x, t = threadIdx.x, c = 0;\n{body}\n}}\n"
    return engine.analyse((), Settings(), stdin=files.from_bytes("k.cu", text.encode()))


def loop(report: Report, condition: str) -> Branch:
    [branch] = [
        b for kernel in report.files[0].kernels for b in kernel.branches if b.condition == condition
    ]
    return branch


def collatz(i: int) -> int:
    v, c = i + 1, 0
    while v != 1:
        v, c = (3 * v + 1 if v & 1 else v // 2), c + 1
    return c


def by_hand(trips: Callable[[int], int | None]) -> tuple[int, int, float, float]:
    """(entries, turns, mean active lanes, idle share); None is a lane that does not come to the
    loop."""
    entries = turns = active = entered = 0
    for first in range(0, GRID * BLOCK, WARP):
        lanes = [n for i in range(first, first + WARP) if (n := trips(i)) is not None]
        entries += bool(lanes)
        longest = max(lanes, default=0)
        turns += longest
        active += sum(lanes)
        entered += longest * len(lanes)
    return entries, turns, active / turns, 1 - active / entered


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "condition", "trips"),
    [
        ("for (int k = 0; k < 64; ++k) c += k; o[i] = c;", "k < 64", lambda i: 64),
        ("for (int k = 0; k < t % 32; ++k) c += k; o[i] = c;", "k < t % 32", lambda i: i % BLOCK % 32),
        ("if (i < n) for (int k = 0; k < 4; ++k) c += k; o[i] = c;", "k < 4", lambda i: 4 if i < 200 else None),
        ("int k = t % 5; do { c += k; ++k; } while (k < 4); o[i] = c;", "k < 4", lambda i: max(1, 4 - i % BLOCK % 5)),
        ("if (i >= n) return; int v = i + 1; while (v != 1) { v = v & 1 ? 3 * v + 1 : v / 2; ++c; } o[i] = c;", "v != 1",
         lambda i: collatz(i) if i < 200 else None),
        ("for (int k = 0; k < 10; ++k) { if (k == t % 4) break; o[i] = k; }", "k < 10", lambda i: i % BLOCK % 4 + 1),
        ("for (int k = 1; k < t + 1; k *= 2) o[i] = k;", "k < t + 1", lambda i: (i % BLOCK).bit_length()),
    ],
)  # fmt: skip
def test_turns_of_a_loop(body: str, condition: str, trips: Callable[[int], int | None]) -> None:
    turns = loop(analysed(body), condition).turns
    assert turns is not None
    assert (turns.entries, turns.count, turns.active_lanes, turns.idle) == pytest.approx(
        by_hand(trips)
    )


def test_turns_of_a_loop_in_a_loop() -> None:
    report = analysed(
        "for (int j = 0; j < 5; ++j) if (j != 3) for (int k = 0; k < t % 32; ++k) c += j; o[i] = c;"
    )
    turns = loop(report, "k < t % 32").turns
    assert turns is not None
    entries, count, lanes, idle = by_hand(lambda i: i % BLOCK % 32)
    assert (turns.entries, turns.count, turns.active_lanes, turns.idle) == pytest.approx(
        (4 * entries, 4 * count, lanes, idle)
    )


@pytest.mark.parametrize(
    "body", ["for (int k = 0; k < o[i]; ++k) c += k; o[i] = c;", "while (o[c] != n) ++c; o[i] = c;"]
)
def test_turns_that_hang_on_data_are_not_known(body: str) -> None:
    branches = [
        b for b in analysed(body).files[0].kernels[0].branches if b.kind in ("for", "while")
    ]
    assert [b.turns for b in branches] == [None]


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("for (int k = 0; k < 64; ++k) c += (i + k) / w; o[i] = c;", "about 64 times per thread"),
        ("for (int k = 64; k > 0; --k) c += (i + k) / w; o[i] = c;", "about 64 times per thread"),
        (
            "int k = 0; do { c += (i + k) / w; } while (++k < 64); o[i] = c;",
            "about 64 times per thread",
        ),
        (
            "for (int j = 0; j < 3; ++j) for (int k = 0; k < 16; ++k) c += (j + k) / w; o[i] = c;",
            "about 48 times per thread",
        ),
    ],
)
def test_how_often_a_division_is_done(body: str, told: str) -> None:
    [finding] = check(analysed(body), Selection(select=("KL702",)))
    assert told in finding.message


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("int v = i + 1; while (v != 1) { v = v & 1 ? 3 * v + 1 : v / 2; ++c; } o[i] = c;", True),
        ("for (int k = 0; k < (t % 32 < 16 ? 9 : 20); ++k) c ^= k; o[i] = c;", True),
        ("for (int k = 0; k < t % 2 + 1; ++k) c ^= k; o[i] = c;", False),  # a turn more
        ("for (int k = t; k < 500; k += 96) o[k] = k;", False),
        (
            "if (t % 32 < 16) for (int k = 0; k < 20; ++k) o[k] = t;",
            False,
        ),  # the lanes in the loop are busy
    ],
)
def test_loops_of_idle_lanes(body: str, told: bool) -> None:
    assert bool(check(analysed(body), Selection(select=("KL302",)))) is told


ONCE = """// kernlint: launch(grid=1, block=64, n=%d)
__global__ void k(float *o, int n) { %s }
"""


@pytest.mark.parametrize(
    ("n", "body", "checks", "parted"),
    [
        (
            50,
            "for (int i = threadIdx.x; i < n; i += 64) o[i] = 1;",
            4,
            1,
        ),  # the second warp parts at its first check
        (16, "for (int i = threadIdx.x; i < n; i += 32) o[i] = 1;", 3, 1),
        (16, "int i = threadIdx.x; while (i < n) { o[i] = 1; i += blockDim.x; }", 3, 1),
        (0, "for (int j = 0; j < (threadIdx.x < 16); j++) o[threadIdx.x] = 1;", 3, 1),
        (0, "int left = threadIdx.x; while (left > 40) left -= 40; o[left] = 1;", 3, 1),
        (64, "for (int i = threadIdx.x; i < n; i += 64) o[i] = 1;", 4, 0),
        (
            50,
            "if (threadIdx.x < n) for (int i = threadIdx.x; i < 64; i += 64) o[i] = 1;",
            4,
            0,
        ),  # who comes, goes
        (
            50,
            "for (int r = 0; r < 3; r++) for (int i = threadIdx.x; i < n; i += 64) o[i] = 1;",
            12,
            3,
        ),
        (50, "int i = threadIdx.x; do { o[i] = 1; i += 64; } while (i < n);", 2, 0),
    ],
)
def test_a_loop_of_one_turn_parts_lanes_at_its_first_check(
    n: int, body: str, checks: int, parted: int
) -> None:
    (kernel,) = analyse(ONCE % (n, body)).kernels
    loop = [b for b in kernel.branches if b.kind in ("for", "while", "do")][-1]
    assert (loop.status, loop.evaluations, loop.divergent) == ("exact", checks, parted)
