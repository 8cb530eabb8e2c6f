"""Loops with narrow and unsigned counters: how often they run, or that they may never end."""

from __future__ import annotations

import pytest

from kernlint.model import facts
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source import files

pytestmark = pytest.mark.slow


def looped(loop: str) -> tuple[facts.Branch, facts.Access]:
    """A loop of one warp, and the store in it."""
    source = (
        "#include <stdint.h>\n// kernlint: launch(grid=1, block=32)\n"
        f"__global__ void k(float *x) {{ int t = threadIdx.x; {loop} }}\n"
    )
    (file,) = engine.analyse((), Settings(), stdin=files.from_bytes("k.cu", source.encode())).files
    assert not file.problems, file.problems
    (kernel,) = file.kernels
    (store,) = kernel.accesses
    return next(b for b in kernel.branches if b.kind != "if"), store


@pytest.mark.parametrize(
    "loop",
    [
        "for (unsigned char i = 0; i < 255; i += 4) x[t] = 1;",
        "for (uint8_t i = 0; i < 256; i++) x[t + i] = 1;",
        "for (short i = 0; i < 40000; i++) x[t] = 1;",
        "for (unsigned short i = 65530; i < 65535; i += 2) x[t] = 1;",
        "for (unsigned i = 10; i >= 0; i--) x[t] = 1;",
        "for (unsigned i = 7; i > 0; i -= 2) x[t] = 1;",
        "for (uint8_t i = 7; i > 0; i -= 2) x[t] = 1;",
        "for (unsigned i = 20; i - 15 > 0; i -= 2) x[t] = 1;",
        "for (unsigned i = 20, j = 0; i - j > 0; i -= 2, j++) x[t] = 1;",
        "unsigned i = 20; do { x[t] = 1; i -= 3; } while (i > 0);",
    ],
)
def test_what_wraps_around_and_goes_on_is_not_counted(loop: str) -> None:
    branch, store = looped(loop)
    assert branch.status != "exact" and branch.evaluations is None
    assert store.requests is None
    assert "wrap around" in branch.detail


@pytest.mark.parametrize(
    "loop",
    [
        # 4, 11, … wrap around to 0 once and end in their second turn, others in their first
        "for (uint8_t i = t; i < 250; i += 7) x[t] = 1;",
        "for (size_t i = 9; i < (size_t)-1; i += (size_t)1 << 60) x[t] = 1;",
    ],
)
def test_what_may_end_later_is_not_counted(loop: str) -> None:
    branch, store = looped(loop)
    assert branch.status != "exact" and store.requests is None


@pytest.mark.parametrize(
    ("loop", "iterations"),
    [
        ("for (uint8_t i = 8; i != 0; i -= 2) x[t] = 1;", 4),
        ("for (uint8_t i = 5; i < 10; i--) x[t] = 1;", 6),
        ("for (unsigned i = 5; i < 10; i--) x[t] = 1;", 6),
        ("for (unsigned i = 4; i-- > 0; ) x[t] = 1;", 4),
        ("for (uint8_t i = 250; i >= 3; i += 3) x[t] = 1;", 2),
        ("uint8_t i = 250; do { x[t] = 1; i += 3; } while (i >= 3);", 2),
        ("for (signed char i = 100; i > 0; i++) x[t] = 1;", 28),
        ("uint8_t i = 255; while (++i < 10) x[t] = 1;", 10),
        ("for (unsigned i = 1; i - 1 < 10; i++) x[t] = 1;", 10),
        ("for (uint8_t i = 200; i + 60 < 300; i += 20) x[t] = 1;", 2),
        ("unsigned i = 21; do { x[t] = 1; i -= 3; } while (i > 0);", 7),
        ("for (short i = 32760; i < 32767; i += 1) x[t] = 1;", 7),
    ],
)
def test_what_ends_is_counted(loop: str, iterations: int) -> None:
    assert looped(loop)[1].requests == iterations
