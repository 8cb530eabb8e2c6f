"""Facts that a directive states stand in the JSON report in its words."""

from __future__ import annotations

from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.render import report_json
from kernlint.source import files

TEXT = b"""// kernlint: assume(n % 2 == 0)
// kernlint: launch(grid=4, block=64)
__global__ void k(float *o, int n) { o[threadIdx.x * n] = 1; }
"""


def test_stated_facts_are_written() -> None:
    report = engine.analyse((), Settings(), stdin=files.from_bytes("k.cu", TEXT))
    launch = report_json.written(report.files[0].kernels[0].launch, "k.cu")
    assert launch["stated"] == ["n % 2 == 0"]
