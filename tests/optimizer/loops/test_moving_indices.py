"""Copies of an unrolled inner loop that meet in different iterations of the loop around it: the
index moves, so nothing is hoisted, and few iterations leave nothing to reuse (machine code for
sm_90: every load of every copy is there)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.execution.test_execution import access, launch, run
from tests.places import DATA

CASES = DATA / "cases" / "claims"


@pytest.mark.parametrize(
    "name, index, requests", [("bins", "bin + i * 256", 192), ("bins2", "bin + i * 384", 192)]
)
def test_at_most_two_iterations(name: str, index: str, requests: int, tmp_path: Path) -> None:
    """`bin` starts below the block's 192 threads: it runs once or twice, never three times."""
    source = (CASES / f"{name}.cu").read_text()
    loaded = access(run(tmp_path, launch(grid=4, block=192) + source), f"s[{index}]")
    assert (loaded.status, loaded.requests) == ("exact", requests)
    assert loaded.wavefronts is not None and loaded.wavefronts.mean == 1


def test_open_count(tmp_path: Path) -> None:
    """Where later iterations may reuse a value, that is the reason, not an index that stays."""
    source = (CASES / "bins2.cu").read_text()
    source = source.replace("unsigned *out", "unsigned *out, int n").replace("bin < 384", "bin < n")
    source = source.replace("s[1536]", "s[3072]")
    loaded = access(run(tmp_path, launch(grid=4, block=192, n=1384) + source), "s[bin + i * 384]")
    assert loaded.status == "range"
    assert "still in a register" in loaded.detail and "every iteration" not in loaded.detail


def test_mask_of_every_bit(tmp_path: Path) -> None:
    source = (
        "__global__ void k(int *o, const unsigned *a) { o[threadIdx.x] = a[threadIdx.x] & 0x%x; }"
    )
    for mask, status in ((0xFFFFFFFF, "exact"), (0xFFFF, "range")):
        head = launch(grid=4, block=192)
        assert access(run(tmp_path, head + source % mask), "a[threadIdx.x]").status == status
