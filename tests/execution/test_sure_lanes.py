"""Warps that surely execute although data decides for some of their lanes: their requests and
partings are counted, by hand here."""

from __future__ import annotations

import pytest

from kernlint.model import facts
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source import files

WARPS = 16


def kernel(body: str) -> facts.Kernel:
    head = "__global__ void k(int *a, const int *b, const int *p) { int t = blockIdx.x * 256 + threadIdx.x, lane = threadIdx.x % 32;"
    source = f"// kernlint: launch(grid=2, block=256)\n{head}\n{body}\n}}\n"
    file = engine.analyse((), Settings(), stdin=files.from_bytes("k.cu", source.encode())).files[0]
    assert not file.problems, file.problems
    return file.kernels[0]


def store(body: str) -> facts.Access:
    """The last store."""
    return [access for access in kernel(body).accesses if access.op == "store"][-1]


SURE = [
    # body, requests, fewest lanes, most lanes, fewest sectors, most sectors
    ("if (b[t] > 0 || lane == 5) a[t] = 1;", WARPS, 1, 32, 1, 4),
    ("if (p[0] > 0 || lane < 16) a[t] = 1;", WARPS, 16, 32, 2, 4),
    ("if (b[t] > 0 && lane != 5) { } else a[t] = 1;", WARPS, 1, 32, 1, 4),
    ("if (b[t] > 0 && lane != 5) return; a[t] = 1;", WARPS, 1, 32, 1, 4),
    ("if (b[t] > 0 || lane == 5) if (p[t] > 0 || lane < 8) a[t] = 1;", WARPS, 1, 32, 1, 4),
    ("if (b[t] > 0 || lane == 5) if (lane > 3) a[t] = 1;", WARPS, 1, 28, 1, 4),
    (
        "for (int i = 0; i < 4; i++) { if (b[t + i] > 0 && lane > 7) break; a[t] = i; }",
        4 * WARPS,
        8,
        32,
        1,
        4,
    ),
    (
        "for (int i = 0; i < 4; i++) if (b[t + i] > 0 || lane == i) a[t] = i;",
        4 * WARPS,
        1,
        32,
        1,
        4,
    ),
    ("if (b[t] > 0 || lane > 3) if (lane > 23) a[t] = 1;", WARPS, 8, 8, 1, 1),
]


@pytest.mark.parametrize(("body", "requests", "fewest", "most", "low", "high"), SURE)
def test_requests_of_warps_with_a_lane_that_no_data_takes_out(
    body: str, requests: int, fewest: float, most: float, low: float, high: float
) -> None:
    found = store(body)
    assert not found.conditional and found.requests == requests and found.sectors is not None
    assert (
        found.active_lanes == most
        and found.fewest_lanes in (fewest, None)
        and (found.fewest_lanes is None) == (fewest == most)
    )
    assert (found.sectors.mean_low, found.sectors.mean_high) == (low, high)


OPEN = [
    "if (b[t] > 0) a[t] = 1;",
    "if (b[t] > 0 || t == 5) a[t] = 1;",  # in one warp
    "if (b[t] > 0 || lane == 5) if (lane < 3) a[t] = 1;",
    "if (b[t] > 0 || lane == 5) if (p[t] > 0) a[t] = 1;",
    "if (b[t] > 0 || lane == 5) return; a[t] = 1;",
    "if (p[0] > 0) if (b[t] > 0 || lane == 5) a[t] = 1;",
    "while (b[t] > 0 || lane == 5) a[t] = 1;",
]


@pytest.mark.parametrize("body", OPEN)
def test_requests_of_warps_that_data_may_leave_out(body: str) -> None:
    found = store(body)
    assert found.conditional and found.requests is None and found.fewest_lanes is None


PARTINGS = [
    # body, evaluations, divergent, status of the last `if`
    ("if ((b[t] > 0 || lane == 5) && lane != 6) a[t] = 1;", WARPS, WARPS, "exact"),
    ("if (lane == 0) if (b[t] > 0) a[t] = 1;", WARPS, 0, "exact"),  # one lane agrees with itself
    ("if (p[0] > 0) a[t] = 1;", WARPS, 0, "exact"),
    ("if (threadIdx.x < 64 && p[0] > 0) a[t] = 1;", WARPS, 0, "exact"),  # whole warps
    ("if (p[0] > 0 || lane == 5) a[t] = 1;", WARPS, None, "unknown"),
    ("if (p[0] > 0 && lane < 8) a[t] = 1;", WARPS, None, "unknown"),
    ("if ((p[0] > 0 || lane < 5) && (p[1] > 0 || lane > 9)) a[t] = 1;", WARPS, None, "unknown"),
    ("if (b[t] > 0) a[t] = 1;", WARPS, None, "unknown"),
    ("if (b[t] > 0 || lane == 5) { if (lane == 5) a[t] = 1; }", WARPS, None, "range"),
    ("if (b[t] > 0 || lane < 5) { if (lane < 3) a[t] = 1; }", WARPS, WARPS, "exact"),
    ("if (b[t] > 0 && lane > 9) return; if (lane < 4) a[t] = 1;", WARPS, WARPS, "exact"),
]


@pytest.mark.parametrize(("body", "evaluations", "divergent", "status"), PARTINGS)
def test_warps_whose_lanes_surely_disagree(
    body: str, evaluations: int, divergent: int | None, status: str
) -> None:
    found = [branch for branch in kernel(body).branches if branch.kind == "if"][-1]
    assert (found.evaluations, found.divergent, found.status) == (evaluations, divergent, status)
    assert not found.patterns or "b[t]" not in body


def test_a_barrier_that_only_some_lanes_surely_reach_is_not_called_uniform() -> None:
    (barrier,) = kernel("if (b[t] > 0 || lane == 5) __syncthreads();").barriers
    assert barrier.uniform is None


def test_a_wrapping_side_does_not_decide_for_all_lanes() -> None:
    """`b[t] >= (unsigned)s[0]`: the right side is one for the block, the left side is not."""
    access = store(
        "__shared__ int s[1]; s[0] = p[0]; __syncthreads();"
        " if ((unsigned)b[t] >= (unsigned)s[0]) a[t * 8] = 1;"
    )
    assert access.sectors is not None
    assert (access.sectors.min, access.sectors.max) == (1, 32)
    access = store("if (t * 2u >= (unsigned)p[0]) a[t * 8] = 1;")
    assert access.sectors is not None
    assert (access.sectors.min, access.sectors.max) == (1, 32)
