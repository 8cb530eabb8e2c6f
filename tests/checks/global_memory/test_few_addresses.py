"""Atomic operations of a whole launch on one address: one finding for each."""

from __future__ import annotations

import pytest

from tests.support.found import found


@pytest.mark.parametrize(
    ("update", "said"),
    [
        ("atomicAdd(&o[1], d[threadIdx.x])", "up to 32 lanes of a warp update one address"),
        ("atomicAdd((int *)o, 1)", "requests, all of the launch, update one address"),
    ],
)
def test_one_address_that_all_update_is_told_once(update: str, said: str) -> None:
    kernel = f"__global__ void k(float *o, const float *d) {{ {update}; }}\n"
    host = "int main() { float *o; cudaMalloc(&o, 1 << 22); k<<<65536, 256>>>(o, o + 1024); }\n"
    [finding] = found("KL208", kernel + host)
    assert said in finding.message
