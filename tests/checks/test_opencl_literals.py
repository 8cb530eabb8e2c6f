"""KL701 in OpenCL, whose double literals promote floats as those of C do."""

from __future__ import annotations

import pytest

from tests.checks.test_barriers import case
from tests.checks.test_messages import findings_of

OPTION = "-cl-single-precision-constant"
KERNEL = """\
// kernlint: launch(grid=64, block=256)
kernel void k(global const float *x, global float *y)
{{
    int i = get_global_id(0);
    float v = x[i];
    y[i] = {value};
}}
"""


@pytest.mark.parametrize(
    ("value", "literal"),
    [("v * 0.1 + 1.0f", "0.1"), ("v * 0.5 + 1.0f", "0.5"), ("v * 0.5", ""), ("v * 0.1f", "")],
)
def test_opencl_has_the_same_literals(value: str, literal: str) -> None:
    text = KERNEL.format(value=value)
    found = findings_of(text, "KL701", path="k.cl")
    assert [f"the double literal `{literal}`" in f.message for f in found] == [True] * bool(literal)
    assert all(any(OPTION in note for note in f.notes) for f in found)
    assert not findings_of(f"// build with {OPTION}\n{text}", "KL701", path="k.cl")


def test_the_case() -> None:
    found = case("advice/d.cl", "KL701")
    assert [(f.span.line, f.severity) for f in found] == [(6, "warning"), (7, "warning")]
