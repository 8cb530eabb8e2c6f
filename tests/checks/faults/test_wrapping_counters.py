"""Counters of loops that leave their type with the last step: the test holds again."""

from __future__ import annotations

import pytest

from tests.support.found import found

KERNEL = """
// kernlint: launch(grid=1024, block=512, n={n})
__global__ void k(unsigned char *x, int n)
{{
    int stride = gridDim.x * blockDim.x;
    for ({type} i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += {step})
        x[i] = 1;
}}
"""
NEAR_THE_END = 2147483000
BELOW_A_STEP = 4095 * 1024 * 512  # the last step ends at most at 2^31 - 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("type_", "step", "n", "wraps"),
    [
        ("int", "stride", NEAR_THE_END, True),
        ("int", "gridDim.x * blockDim.x", NEAR_THE_END, True),
        ("int", "stride", BELOW_A_STEP, False),
        ("unsigned", "stride", NEAR_THE_END, False),
        ("long long", "stride", NEAR_THE_END, False),
    ],
)
def test_a_step_past_the_type(type_: str, step: str, n: int, wraps: bool) -> None:
    source = KERNEL.format(type=type_, step=step, n=n)
    findings = found("KL808", source)
    assert [f.severity for f in findings] == ["error"] * wraps
    assert all("element -2,147,483,648 of `x`" in f.message for f in findings)
