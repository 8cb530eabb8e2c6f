"""The index of a skew is named only where the file, analysed with it, has no conflict left."""

from __future__ import annotations

import pytest

from kernlint.checks.run import check
from kernlint.fixing.objections import held_back
from kernlint.fixing.review import review
from kernlint.model.finding import Finding
from kernlint.model.settings import Selection, Settings
from kernlint.pipeline import engine
from kernlint.source import files
from tests.places import DATA

STRIDED = """// kernlint: launch(grid=4, block=256)
__global__ void k(const float *x, float *y) {
    __shared__ float s[EXTENT];
    int t = threadIdx.x;
    WRITE
    __syncthreads();
    y[t] = s[t * 32];
}
"""


def told(text: str) -> list[Finding]:
    source, settings = files.from_bytes("k.cu", text.encode()), Settings()
    report = engine.analyse((), settings, stdin=source)
    found = tuple(check(report, Selection(select=("KL101",))))
    assert review(found, source, settings, report.files[0]) == held_back(
        found, source, settings, report.files[0]
    )
    return list(review(found, source, settings, report.files[0]))


def strided(write: str, extent: str = "256 * 32") -> str:
    return STRIDED.replace("WRITE", write).replace("EXTENT", extent)


@pytest.mark.slow
def test_a_skew_that_the_analysis_confirms_is_promised() -> None:
    (finding,) = told(strided("for (int j = 0; j < 32; j++) s[j * 256 + t] = x[j * 256 + t];"))
    assert "`s[i + i / 32]`" in finding.help and "which removes this conflict" in finding.help


@pytest.mark.parametrize(
    "text",
    [
        # rows of 33 words have gaps elsewhere: 1.5 and 1.94 wavefronts with the skew
        (DATA / "cases/advice/pad.cu").read_text().replace("s[16 * 33]", "s[16 * 33 + 1]"),
        # other uses keep the array as it is
        strided("float *p = s; for (int j = 0; j < 32; j++) p[j * 256 + t] = x[j * 256 + t];"),
    ],
)
def test_a_skew_that_nothing_confirms_is_not_named(text: str) -> None:
    findings = told(text)
    assert findings and all("i + i / 32" not in finding.help for finding in findings)


def test_rows_of_33_words_with_the_skew_keep_conflicts() -> None:
    text = (DATA / "cases/advice/pad2.cu").read_text(encoding="utf-8")
    [kernel] = engine.analyse_source(files.Source("pad2.cu", "cuda", text), Settings()).kernels
    shared = [access for access in kernel.accesses if access.space == "shared"]
    found = [(a.op, a.status, a.wavefronts.mean) for a in shared if a.wavefronts is not None]
    assert found == [("store", "exact", 1.9375), ("load", "exact", 1.5)]
    assert all("i + i / 32" not in finding.help for finding in told(text))
