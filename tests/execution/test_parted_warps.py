"""In how many evaluations lanes of a warp disagree over an unknown: bounds that hold for each value
that it may have, held against all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from kernlint.model import facts
from kernlint.model.settings import LaunchOverrides, Settings
from kernlint.pipeline import engine
from kernlint.source import files

GRID, BLOCK = (3, 2, 1), (32, 3, 1)
Values = dict[str, np.ndarray]


def branches(condition: str, grid: tuple[int, int, int] | None = GRID) -> list[facts.Branch]:
    source = f"""
    __global__ void k(float *o, int n, unsigned u, const int *a) {{
        int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
        int t = threadIdx.x + 32 * threadIdx.y;
        if ({condition}) o[t] = 1;
    }}"""
    how = Settings(launch=LaunchOverrides(grid=grid, block=BLOCK))
    report = engine.analyse((), how, stdin=files.from_bytes("k.cu", source.encode()))
    return list(report.files[0].kernels[0].branches)


def lanes() -> Values:
    """[blocks, warps, 32]"""
    block = np.arange(6)[:, None, None]
    thread = np.arange(96).reshape(1, 3, 32)
    tx, ty = thread % 32, thread // 32
    bx, by = block % 3, block // 3
    zero = 0 * block * thread
    return {
        "x": bx * 32 + tx + zero,
        "y": by * 3 + ty + zero,
        "t": thread + zero,
        "block": block + zero,
    }


def parted(truths: Iterator[np.ndarray]) -> tuple[int, int]:
    found = [int((truth.any(axis=2) & ~truth.all(axis=2)).sum()) for truth in truths]
    return min(found), max(found)


CONDITIONS: list[tuple[str, Callable[[Values, int], np.ndarray]]] = [
    ("t > n", lambda v, n: v["t"] > n),
    ("t == n", lambda v, n: v["t"] == n),
    ("t / 2 != n", lambda v, n: v["t"] // 2 != n),
    ("x < n", lambda v, n: v["x"] < n),
    ("x >= n", lambda v, n: v["x"] >= n),
    ("y < n", lambda v, n: v["y"] < n),
    ("t / 32 > n", lambda v, n: v["t"] // 32 > n),
    ("t % 8 >= n", lambda v, n: v["t"] % 8 >= n),
    ("x < n && y < n", lambda v, n: (v["x"] < n) & (v["y"] < n)),
    ("!(t < n)", lambda v, n: ~(v["t"] < n)),
    ("threadIdx.x > n", lambda v, n: v["t"] % 32 > n),
    ("t < 100 - n", lambda v, n: v["t"] < 100 - n),
    ("t & n", lambda v, n: (v["t"] & n) != 0),
]


@pytest.mark.parametrize(("condition", "truth"), CONDITIONS, ids=[text for text, _ in CONDITIONS])
def test_bounds_hold_for_each_value(
    condition: str, truth: Callable[[Values, int], np.ndarray]
) -> None:
    low, high = parted(truth(lanes(), n) for n in range(130))
    (branch,) = (b for b in branches(condition) if b.kind == "if")
    assert branch.evaluations == 18
    if branch.divergent is not None:
        assert low == high == branch.divergent
    elif branch.divergent_high is None:  # no more than how often it is evaluated
        assert (branch.status, high) == ("unknown", 18) or branch.status == "range"
    else:
        assert branch.divergent_low == low and branch.divergent_high >= high
        assert (branch.status, branch.reason) == ("range", "unknown-argument")
        assert "n" in branch.detail
        if "&&" not in condition:
            assert branch.divergent_high == high


def test_bound_of_each_block() -> None:
    """One warp of each block at most, whichever that is: the blocks load bounds of their own."""
    (branch,) = branches("t < a[blockIdx.x + 3 * blockIdx.y]")
    assert (branch.divergent_low, branch.divergent_high) == (0, 6)


def test_unknown_grid() -> None:
    (branch,) = branches("x < n", None)
    assert branch.divergent is None and branch.per_block is not None
    each = branch.per_block
    # the three rows of a block have the same x
    assert (each.divergent, each.divergent_low, each.divergent_high) == (None, 0, 3)


def test_uniform_condition_parts_nobody() -> None:
    (branch,) = branches("n > 3 && blockIdx.x < u")
    assert branch.divergent == 0
