"""Variables that every iteration of a loop of unknown length leaves as it found them."""

from __future__ import annotations

import pytest

from kernlint.model import facts
from kernlint.model.settings import LaunchOverrides, Settings
from kernlint.pipeline import engine
from kernlint.source import files
from tests.places import DATA


def accesses(source: str, name: str | None = None) -> list[facts.Access]:
    how = Settings(launch=LaunchOverrides(grid=(4, 1, 1), block=(128, 1, 1)), kernel=name)
    report = engine.analyse((), how, stdin=files.from_bytes("k.cu", source.encode()))
    return list(report.files[0].kernels[0].accesses)


def test_case() -> None:
    """100 doubles by lanes 0 to 99: three whole warps and four lanes of another."""
    source = (DATA / "cases" / "claims" / "carried.cu").read_text(encoding="utf-8")
    of_w = [a for a in accesses(source, "k") if a.text in ("s[w]", "in[w]")]
    assert len(of_w) == 3
    for access in of_w:
        counts = access.wavefronts or access.sectors
        right = (1, 1.75, 2) if access.space == "shared" else (1, 6.25, 8)
        assert counts is not None and (counts.min, counts.mean, counts.max) == right
        assert access.active_lanes == 25


def store(body: str) -> facts.Access:
    """The store `s[8 * w]` of a loop that data ends; w is the lane before it."""
    source = f"""
    __global__ void k(float *o, const int *count) {{
        __shared__ float s[1024];
        int t = threadIdx.x, w = t;
        for (int k = 0; k < count[blockIdx.x]; ++k) {{ {body} }}
        o[t] = s[w];
    }}"""
    (found,) = (a for a in accesses(source) if a.text == "s[8 * w]")
    return found


@pytest.mark.parametrize(
    "body",
    [
        "s[8 * w] = k; w += 7; w = t;",
        "s[8 * w] = k; while (w < 100) w += 128; w = t;",
        "s[8 * w] = k; if (s[k] > 2) w = 5; w = threadIdx.x;",
        "if (s[k] > 3) break; s[8 * w] = k; w = w * 3; w = t;",
    ],
)
def test_reset_at_the_end(body: str) -> None:
    access = store(body)
    assert access.wavefronts is not None and access.wavefronts.mean == 8


@pytest.mark.slow
@pytest.mark.parametrize(
    "body",
    [
        "s[8 * w] = k; w = w * 3;",
        "s[8 * w] = k; w = t + k;",  # another value in each iteration
        "s[8 * w] = k; w = t; if (s[k] > 2) w = w * 5;",
        "s[8 * w] = k; w = w * 3; if (s[k] > 2) continue; w = t;",
        "s[8 * w] = k; w = 2 * t;",  # another one than before the loop
        "s[8 * w] = k; w = w * 3; if (t < 5) w = t;",
    ],
)
def test_not_reset(body: str) -> None:
    access = store(body)
    counts = access.wavefronts
    assert access.status == "unknown" or (counts is not None and counts.mean_low < 8)


def test_value_behind_a_loop_that_is_left_early() -> None:
    source = """
    __global__ void k(float *o, const int *count) {
        int t = threadIdx.x, w = t;
        for (int k = 0; k < count[blockIdx.x]; ++k) { w = 8 * t; if (count[k] > 3) break; w = t; }
        o[w] = 1;
    }"""
    (found,) = (a for a in accesses(source) if a.text == "o[w]")
    assert found.status != "exact"
    assert found.sectors is None or found.sectors.mean_high > 4
