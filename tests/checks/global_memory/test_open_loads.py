"""KL206 on loads that may leave their loop: no number of theirs leads, and none hides the others."""

from __future__ import annotations

import pytest

from tests.checks.test_barriers import case
from tests.checks.test_messages import findings_of

KERNEL = """\
struct P {{ float x, y, z, w, m; }};
__global__ void k(P *p, const P *q, int n)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = 0;
    for (int j = 0; j < n; j++) a += q[{index}].x * (q[j].x - 1);
    p[i].x += a;
}}
void go(P *p, const P *q) {{ k<<<64, 256>>>(p, q, 256); }}
"""


@pytest.mark.slow
def test_the_case() -> None:
    found = case("user/arith.cu", "KL206")
    note = next(f for f in found if f.span.line == 11)
    assert note.severity == "info" and "take these loads out of the loop" in note.notes[-1]
    assert {f.severity for f in found if f.span.line == 34} == {"warning"}


def test_loads_that_stay_in_the_loop_are_a_warning() -> None:
    open_ = findings_of(KERNEL.format(index="i"), "KL206")
    assert [f.severity for f in open_ if "`q[" in f.message] == ["info"]
    stays = findings_of(KERNEL.format(index="i + j"), "KL206")
    assert [f.severity for f in stays if "`q[" in f.message] == ["warning"]
