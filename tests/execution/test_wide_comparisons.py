"""Numbers of 64 bits without a sign wrap around: what their bounds say of a difference is not always so."""

from __future__ import annotations

import pytest

from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source import files

KERNEL = """
// kernlint: launch(grid=4, block=128)
__global__ void k(int *out, const unsigned *d)
{{
    int t = threadIdx.x;
    unsigned long long few = d[0] & 7, z = d[0] * 77777777ull * 999999999999ull;
    if ({condition}) out[t] = 1;
}}
"""


def is_decided(condition: str) -> bool:
    source = files.from_bytes("k.cu", KERNEL.format(condition=condition).encode())
    kernel = engine.analyse((), Settings(), stdin=source).files[0].kernels[0]
    return next(a for a in kernel.accesses if a.op == "store").status == "exact"


@pytest.mark.parametrize("condition", ["few - 8 < 10", "z + 8 > 7", "t < z + 8", "2 * z + 3 > 2"])
def test_what_wraps_around_decides_nothing(condition: str) -> None:
    assert not is_decided(condition)


@pytest.mark.parametrize("condition", ["few + 8 > 7", "few < 10", "few - 8 < 10 || few < 8"])
def test_what_fits_decides(condition: str) -> None:
    assert is_decided(condition)
