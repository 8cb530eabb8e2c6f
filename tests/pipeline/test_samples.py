"""The samples: the bad twins are found, and nothing else is."""

from __future__ import annotations

import pytest

from kernlint.checks.run import check
from kernlint.model.settings import Selection, Settings
from kernlint.pipeline import engine
from tests.places import SAMPLES

pytestmark = pytest.mark.slow

FOUND = {
    "transpose.cu": {("transpose_naive", "KL201", 13), ("transpose_tiled", "KL101", 28)},
    "transpose.cl": {("transpose_naive", "KL201", 9), ("transpose_tiled", "KL101", 21)},
    "reduction.cu": {
        ("sum_version1", "KL101", 16),  # three accesses of a line, against one
        ("sum_version1", "KL201", 13),
        ("sum_version1", "KL301", 19),
        ("sum_version1", "KL101", 20),
    },
    "strided_copy.cu": {("copy_by_thread", "KL201", 9)},
    "particles.cu": {("move_structures", "KL206", 21)},
    "branches.cu": {("by_lane", "KL301", 11), ("half_a_barrier", "KL401", 36)},
    "faults.cu": {("sums", "KL810", 11), ("scaled", "KL804", 38)},
    "histogram.cu": {("histogram_strided", "KL101", 9)},
    "strides.cl": {
        ("global_unit", "KL601", 5),  # groups of 16 for a device of 16 lanes
        ("global_offset", "KL601", 12),
        ("global_stride8", "KL601", 19),
        ("global_stride8", "KL201", 22),
        ("global_stride16", "KL601", 26),
        ("global_stride16", "KL201", 29),
        ("global_rows", "KL601", 33),
        ("local_strides", "KL601", 40),
        ("local_strides", "KL101", 50),
    },
}


def test_every_sample_is_listed() -> None:
    assert {path.name for path in SAMPLES.iterdir() if path.suffix != ".md"} == set(FOUND)


@pytest.mark.parametrize("name", FOUND)
def test_sample(name: str) -> None:
    report = engine.analyse([str(SAMPLES / name)], Settings())
    found = check(report, Selection())
    assert {(f.kernel, f.code, f.span.line) for f in found} == FOUND[name]
    assert all(kernel.launch.grid is not None for kernel in report.files[0].kernels)
