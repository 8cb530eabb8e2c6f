"""`__launch_bounds__` that name template parameters bound the block that an instance is taken to
have."""

from __future__ import annotations

from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source import files

SOURCE = """
template <int W> constexpr int threads() { return 32 * W; }
template <int warps> __global__ void __launch_bounds__(threads<1>() * warps, 1) k(float *o) {
    __shared__ float s[1024];
    s[threadIdx.x + 32 * threadIdx.y] = o[threadIdx.x];
    if (warps > 1) __syncthreads(); else __syncwarp();
    o[threadIdx.x] = __shfl_xor_sync(~0u, s[31 - threadIdx.x], 1);
}
template __global__ void k<1>(float *);
template __global__ void k<4>(float *);
"""


def test_a_block_is_not_assumed_beyond_the_bounds_of_its_instance() -> None:
    file = engine.analyse_source(files.Source("k.cu", "cuda", SOURCE), Settings())
    assert {(k.template_arguments, k.launch.block) for k in file.kernels} == {
        (("1",), (32, 1, 1)),
        (("4",), (32, 4, 1)),
    }
