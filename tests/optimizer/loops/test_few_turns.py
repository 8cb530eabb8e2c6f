"""Loops whose lanes run few and different counts, against what an H100 counted
(tests/data/few_turns).

nvcc unrolls a loop that can run three times at most by two: lanes with two or three iterations take
the first two together, those with one take theirs later, beside the third of others. What is
written for such lanes is not what the machine requests.
"""

from __future__ import annotations

import collections
import functools
import json
from pathlib import Path

import pytest

from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.render.report_json import to_json
from tests import places
from tests.execution.test_execution import access, run
from tests.pipeline.test_measured import Line, entry, verdicts

pytestmark = pytest.mark.slow


DATA = places.DATA / "few_turns"
# no iteration or one; two or three; a bound or a start that nvcc does not know; `#pragma unroll 4`
# and more, 1, whole
EXACT = [
    *(
        "c20",
        "c32",
        "c64",
        "c72",
        "c96",
        "d40",
        "d100",
        "q20",
        "two72",
        "mod72",
        "p1_50",
        "p1_72",
        "p1_104",
        "p2_72",
        "p4_50",
        "p4_72",
    ),
    *(
        "p8_50",
        "p8_72",
        "pp50",
        "pp72",
        "b100",
        "b200",
        "b300",
        "t100",
        "t200",
        "t300",
        "rev72",
        "uns72",
        "lng72",
        "off50",
        "off72",
    ),
    *("offn50", "offn72", "le72", "sh72", "nest72", "nestn72", "act72", "big72", "rn40", "rn50"),
]


@functools.cache
def _judged() -> dict[str, list[tuple[str, Line]]]:
    measured = json.loads((DATA / "h100.json").read_text())
    kernels = to_json(engine.analyse([str(DATA / "few_turns.cu")], Settings(timeout=120.0)))[
        "files"
    ][0]["kernels"]
    return {launch["kernel"]: verdicts(entry(kernels, launch), launch) for launch in measured}


def test_no_line_is_contradicted() -> None:
    found = collections.Counter(verdict for some in _judged().values() for verdict, _ in some)
    assert set(found) <= {"agrees", "bounded"}, [
        (k, v) for k, some in _judged().items() for v in some if v[0] not in ("agrees", "bounded")
    ]
    assert found["agrees"] >= 250


@pytest.mark.parametrize("kernel", EXACT)
def test_what_runs_as_written_stays_exact(kernel: str) -> None:
    assert {verdict for verdict, _ in _judged()[kernel]} == {"agrees"}


WRAPPING = (
    ("unsigned c = threadIdx.x + 40; c < n; c += 32", "range"),
    ("int c = threadIdx.x + 32; c < (int)n; c += 32", "range"),
    ("size_t c = threadIdx.x + 40; c < n; c += 32", "range"),
    ("unsigned c = threadIdx.x; c < n; c += 32", "exact"),
    ("int c = threadIdx.x; c < (int)n; c += 32", "exact"),
    ("int c = threadIdx.x + 20; c < (int)n; c += 32", "exact"),
    ("unsigned c = threadIdx.x + 87; c < n; c += 1", "exact"),
    ("unsigned c = threadIdx.x + 86; c <= n - 1; c += 1", "range"),
    ("int c = threadIdx.x + 39; c <= (int)n; c += 32", "range"),
    ("int c = threadIdx.x + 39; c < (int)n + 1; c += 32", "range"),
    ("int c = threadIdx.x + 39; c <= (int)n - 1; c += 32", "exact"),
    ("int c = threadIdx.x + 39; c <= (int)n - 2; c += 32", "range"),
    ("int c = threadIdx.x + 39; (int)n >= c; c += 32", "range"),
    ("int c = threadIdx.x + 39; !(c > (int)n); c += 32", "range"),
    ("int c = threadIdx.x + 39; !(c >= (int)n); c += 32", "exact"),
    ("int c = threadIdx.x + 39; c + 3 < (int)n; c += 32", "range"),
    ("int c = threadIdx.x + 39; c <= (int)n / 2 + 45; c += 32", "exact"),
    ("int c = (int)n - threadIdx.x; c >= (int)n - 50; c -= 32", "range"),
    ("int c = (int)n - threadIdx.x; c > (int)n - 50; c -= 32", "exact"),
)


@pytest.mark.parametrize(("loop", "status"), WRAPPING)
def test_a_loop_whose_counter_may_wrap_around_takes_two_iterations_together(
    loop: str, status: str, tmp_path: Path
) -> None:
    """Counted on an H100: 15 requests of five warps whose lanes run two iterations or one; nvcc
    makes four copies, then two, then one."""
    kernel = run(
        tmp_path,
        f"""// kernlint: launch(grid=5, block=32, n=90)
__global__ void k(const float *in, float *out, unsigned n) {{
    float v = 0.f;
    for ({loop}) v += in[blockIdx.x * n + c];
    out[blockIdx.x * 32 + threadIdx.x] = v;
}}
""",
    )
    assert access(kernel, "in[blockIdx.x * n + c]").status == status


STEPS = (
    ("int c = threadIdx.x; c < n; c += blockDim.x", "exact"),
    ("unsigned c = threadIdx.x; c < n; c += blockDim.x * 2", "exact"),
    ("int c = threadIdx.x; c < n; c += stride", "range"),
    ("int c = threadIdx.x; c < n; c += (int)blockDim.x", "range"),
    ("int c = threadIdx.x; c < n; c += 128", "range"),
)


@pytest.mark.parametrize(("loop", "status"), STEPS)
def test_a_loop_that_steps_by_an_unsigned_that_is_no_constant_is_not_unrolled(
    loop: str, status: str, tmp_path: Path
) -> None:
    """Of 1,500 loops like the first two nvcc 13 unrolled none; what lanes request in the others
    depends on the copies they leave at. On an H100 seven lines of such loops agree, `int stride =
    blockDim.x` and constants come to more requests than are written."""
    kernel = run(
        tmp_path,
        f"""// kernlint: launch(grid=5, block=128, n=1000)
__global__ void k(const float *in, float *out, int n) {{
    float v = 0.f;
    int stride = blockDim.x;
    for ({loop}) v += in[c];
    out[blockIdx.x * 128 + threadIdx.x] = v;
}}
""",
    )
    assert access(kernel, "in[c]").status == status
