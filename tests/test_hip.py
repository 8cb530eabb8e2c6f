"""HIP: its launches, names and macros, and devices whose warps have 64 lanes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from kernlint import engine, facts, files
from kernlint.checks.run import check_file
from kernlint.checks.selection import selected_rules
from kernlint.cli import main
from kernlint.settings import Selection, Settings
from kernlint.source.text import is_amd, is_hip, is_rocm

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


AMD = """// This kernel is for AMD's devices.
#ifndef K_H
#define K_H
#include <hip/hip_runtime.h>
__global__ void k(float *x)
{
    float v = __shfl_xor(x[threadIdx.x], 1, 64);
    x[threadIdx.x] = __builtin_amdgcn_exp2f(v);
}
#endif
"""
PLAIN = "__global__ void k(float *x)"
HIP = {
    "AMD's compiler alone takes it": AMD,
    "the headers alone": AMD.replace("__builtin_amdgcn_exp2f", "exp2f"),
    "the built-in functions alone": AMD.replace("#include", "// #include"),
    "a condition that asks for something else": AMD.replace("__global__", "#if N > 3\n#endif\n__global__"),
}
BOTH = {
    "headers of both": AMD.replace("#include", "#ifdef USE_ROCM\n#include <cuda_runtime.h>\n#endif\n#include"),
    "all of it under a condition": f"#ifdef USE_ROCM\n{AMD}#endif\n",
    "either header": SOURCE.replace(
        "#include <hip/hip_runtime.h>", "#if defined(__HIPCC__)\n#include <hip/hip_runtime.h>\n#else\n#include <cuda.h>\n#endif"
    ),
    "the function under a condition": f"{PLAIN} {{\n#ifdef __HIP_PLATFORM_AMD__\nx[0] = __builtin_amdgcn_exp2f(0);\n#endif\n}}\n",
    "kernels for both": SOURCE,
    "words in a comment": f"// __builtin_amdgcn_exp2f(x)\n/* \n#include <hip/hip_runtime.h>\n*/\n{PLAIN} {{ x[0] = 1; }}\n",
    "no word of it": f"{PLAIN} {{ x[0] = 1; }}\n",
}


@pytest.mark.parametrize("name", HIP)
def test_a_cuda_file_of_hip_code_is_told_so_and_taken_for_amd(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "k.cu"
    path.write_text(HIP[name], encoding="utf-8")
    main([str(path), "--no-cache", "--output-format", "json"])
    shown = capsys.readouterr()
    assert json.loads(shown.out)["device"] == "mi300x" and "KL703" not in shown.out
    told = f"kernlint: {path}: HIP, and no device is given: the numbers are for AMD Instinct MI300X, 64 lanes a warp"
    assert shown.err.startswith(told)


@pytest.mark.parametrize("name", BOTH)
def test_a_file_that_serves_both_is_cuda(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert not is_hip(BOTH[name]) and not is_amd(BOTH[name])
    path = tmp_path / "k.cu"
    path.write_text(BOTH[name], encoding="utf-8")
    main([str(path), "--no-cache", "--output-format", "json"])
    shown = capsys.readouterr()
    assert json.loads(shown.out)["device"] == "h100" and "HIP" not in shown.err


def test_beside_cuda_nothing_of_nvidias_is_asked_of_amds_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.cu").write_text("__global__ void c(float *x) { x[threadIdx.x] = __shfl_xor(x[threadIdx.x], 1); }\n", encoding="utf-8")
    (tmp_path / "b.cu").write_text(AMD, encoding="utf-8")
    main([str(tmp_path), "--no-cache", "--output-format", "json"])
    shown = capsys.readouterr()
    found = json.loads(shown.out)
    assert found["device"] == "h100" and f"{tmp_path}/b.cu: HIP, and no device is given: the numbers are for NVIDIA H100" in shown.err
    assert [one["filename"] for one in found["findings"] if one["code"] == "KL703"] == [str(tmp_path / "a.cu")]


@pytest.mark.parametrize(("device", "status"), [("mi300x", "range"), ("h100", "exact")])
def test_what_nvcc_surely_merges_another_compiler_may(device: str, status: str) -> None:
    text = """// kernlint: launch(grid=4, block=64)
__global__ void k(const float *a, float *o) {
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    o[t] = s[2 * t] + s[2 * t + 1];
}
"""
    file = engine.analyse_source(files.from_bytes("a.cu", text.encode(), None), Settings(device=device))
    (first,) = [a for a in file.kernels[0].accesses if a.text == "s[2 * t]"]
    assert first.status == status if first.as_compiled is None else first.as_compiled.status == status


HIPIFIED = """#include <cuda_runtime.h>
#ifdef __HIPCC__
{guarded}
#endif
{plain}
__global__ void k(float *x)
{{
    x[threadIdx.x] = __shfl_xor(x[threadIdx.x], 1);
}}
"""


@pytest.mark.parametrize(
    "text", ["__device__ __hip_bfloat16 f(__hip_bfloat16 v);", "__device__ void f(int *p) { __hip_atomic_store(p, 0, 1, 2); }"]
)
def test_code_that_needs_rocm_is_not_judged_by_what_nvidia_has_beside_headers_of_both(text: str) -> None:
    def codes(source: str) -> set[str]:
        file = engine.analyse_source(files.from_bytes("a.cu", source.encode(), None), Settings())
        return {finding.code for finding in check_file(file, "h100", selected_rules(Selection()))}

    always, guarded = HIPIFIED.format(guarded="", plain=text), HIPIFIED.format(guarded=text, plain="")
    assert is_rocm(always) and not is_amd(always) and "KL703" not in codes(always)
    assert not is_rocm(guarded) and "KL703" in codes(guarded)
