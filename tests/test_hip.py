"""HIP: its launches, names and macros, and devices whose warps have 64 lanes."""

from __future__ import annotations

from dataclasses import replace

from kernlint import engine, facts, files
from kernlint.checks.run import check_file
from kernlint.checks.selection import selected_rules
from kernlint.settings import Selection, Settings

SOURCE = """#include <hip/hip_runtime.h>
__global__ void turn(float *out, const float *in, int n)
{
    __shared__ float tile[64][64];
    HIP_DYNAMIC_SHARED(float, more)
    int x = hipBlockIdx_x * 64 + hipThreadIdx_x;
    for (int j = hipThreadIdx_y; j < 64; j += hipBlockDim_y)
        tile[j][hipThreadIdx_x] = in[(hipBlockIdx_y * 64 + j) * n + x];
    __syncthreads();
    for (int j = hipThreadIdx_y; j < 64; j += hipBlockDim_y)
        out[(hipBlockIdx_x * 64 + j) * n + hipBlockIdx_y * 64 + hipThreadIdx_x] = tile[hipThreadIdx_x][j];
    more[hipThreadIdx_x] = n;
}
template <int N> __global__ void spread(float *x)
{
    int lane = __shfl((int)threadIdx.x, 40);
    if (threadIdx.x % 64 < 32) x[lane * 16 + N * threadIdx.x] = 1;
}
#ifdef __CUDACC__
__global__ void elsewhere() { }
#endif
int main()
{
    float *a, *b;
    hipMalloc(&a, 1 << 26);
    hipMalloc(&b, 1 << 26);
    hipLaunchKernelGGL(turn, dim3(64, 64), dim3(64, 4), 1024, 0, a, b, 4096);
    hipLaunchKernelGGL(HIP_KERNEL_NAME(spread<2>), dim3(16), dim3(64), 0, 0, a);
}
"""


def analysed(path: str = "a.hip", language: str | None = None, device: str = "mi300x") -> facts.File:
    how = replace(Settings(), device=device, language=language)
    return engine.analyse_source(files.from_bytes(path, SOURCE.encode(), language), how)


def counts(kernel: facts.Kernel) -> list[tuple[int, str, float | None]]:
    found = []
    for access in kernel.accesses:
        some = access.wavefronts if access.space == "shared" else access.sectors
        found.append((access.span.line, access.status, some.mean if some is not None else None))
    return found


def test_launches_names_and_macros() -> None:
    file = analysed()
    turn, spread = file.kernels
    assert (turn.launch.grid, turn.launch.block, turn.launch.dynamic_shared_bytes) == ((64, 64, 1), (64, 4, 1), 1024)
    assert (spread.template_arguments, spread.launch.grid, spread.launch.block) == (("2",), (16, 1, 1), (64, 1, 1))
    # 64 lanes: rows go in two halves of 32 banks, a column hits one bank 64 times; 256 bytes are 4 sectors of 64
    assert counts(turn)[:4] == [(8, "exact", 2), (8, "exact", 4), (11, "exact", 4), (11, "exact", 64)]


def test_a_shuffle_reaches_across_64_lanes() -> None:
    """Lane 40's value times 16 floats is a whole number of sectors; 32 lanes two floats apart touch 256 bytes."""
    assert counts(analysed().kernels[1]) == [(17, "exact", 4)]


def test_shuffles_without_a_mask_are_usual_there() -> None:
    def codes(device: str) -> set[str]:
        return {finding.code for finding in check_file(analysed(device=device), device, selected_rules(Selection()))}

    assert "KL703" not in codes("mi300x") and "KL703" in codes("h100")


def test_language_hip() -> None:
    by_name, by_wish, as_cuda = analysed(), analysed("a.cpp", "hip"), analysed("a.cu")
    assert {kernel.name for kernel in by_name.kernels} == {kernel.name for kernel in by_wish.kernels} == {"turn", "spread"}
    assert by_wish.language == "cuda" and "elsewhere" not in {kernel.name for kernel in by_wish.kernels}
    assert "elsewhere" in {kernel.name for kernel in as_cuda.kernels}
