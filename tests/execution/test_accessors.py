"""Tensor accessors of PyTorch: the same numbers as of the pointers and strides that they stand
for."""

from __future__ import annotations

import pytest

from kernlint.model import facts
from kernlint.model.settings import LaunchOverrides, Settings
from kernlint.pipeline import engine
from kernlint.source import files

ACCESSORS = """#include <torch/extension.h>
template <typename T>
__global__ void k(const torch::PackedTensorAccessor32<T, 3, torch::RestrictPtrTraits> x, at::PackedTensorAccessor64<T, 2> y) {
  const int n = blockIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c < x.size(2)) {
    y[n][c] = x[n][1][c] + __ldg(&x[0][0][c]);
    auto row = y[n];
    atomicAdd(&row[c], 1);
    T *p = y.data();
    p[c * x.stride(2)] = row.size(0);
  }
}
template __global__ void k<float>(
    const torch::PackedTensorAccessor32<float, 3, torch::RestrictPtrTraits>, at::PackedTensorAccessor64<float, 2>);
"""
POINTERS = """
__global__ void k(const float *__restrict__ x, int size2, int x0, int x1, int x2, float *y, long y0, long y1) {
  const int n = blockIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c < size2) {
    y[n * y0 + c * y1] = x[n * x0 + 1 * x1 + c * x2] + __ldg(&x[0 * x0 + 0 * x1 + c * x2]);
    float *row = y + n * y0;
    atomicAdd(&row[c * y1], 1);
    float *p = y;
    p[c * x2] = size2;
  }
}
"""
GIVEN = [
    {},
    {
        "x.stride0": 8192,
        "x.stride1": 128,
        "x.stride2": 1,
        "x.size2": 512,
        "y.stride0": 512,
        "y.stride1": 1,
    },
    {
        "x.stride0": 1,
        "x.stride1": 3,
        "x.stride2": 24,
        "x.size2": 100,
        "y.stride0": 7,
        "y.stride1": 2,
    },
]


def counts(text: str, arguments: dict[str, int]) -> list[tuple[object, ...]]:
    settings = Settings(launch=LaunchOverrides((4, 2, 1), (128, 1, 1), 0, dict(arguments)))
    file = engine.analyse_source(files.Source("k.cu", "cuda", text), settings)
    [kernel] = file.kernels
    return [told(access) for access in kernel.accesses]


def told(access: facts.Access) -> tuple[object, ...]:
    sectors = access.sectors
    found = (sectors.mean, sectors.mean_low, sectors.mean_high) if sectors else None
    return access.op, access.status, str(access.requests), access.active_lanes, found


@pytest.mark.parametrize("given", GIVEN)
def test_the_same_as_pointers_and_strides(given: dict[str, int]) -> None:
    plain = {
        name.replace(".stride", "").replace("x.size", "size"): value
        for name, value in given.items()
    }
    found = counts(ACCESSORS, given)
    assert found == counts(POINTERS, plain) and len(found) == 5
    assert ({status for _, status, *_ in found} == {"range"}) == (not given)


def test_an_element_of_unknown_type_or_rank_is_no_fault() -> None:
    text = "template <class T, int N> __global__ void k(torch::PackedTensorAccessor32<T, N> x) { x[threadIdx.x] = 1; }"
    file = engine.analyse_source(files.Source("k.cu", "cuda", text), Settings())
    assert not any("internal error" in problem.message for problem in file.problems)
