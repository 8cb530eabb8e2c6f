"""HIP: its launches, names and macros, and devices whose warps have 64 lanes."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from kernlint.checks.run import check_file
from kernlint.checks.selection import selected_rules
from kernlint.cli.main import main
from kernlint.model import facts
from kernlint.model.settings import Selection, Settings
from kernlint.pipeline import engine
from kernlint.server.analysis import Documents
from kernlint.source import files
from kernlint.source.hip import is_hip
from tests.places import DATA

pytestmark = pytest.mark.slow

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


def analysed(
    path: str = "a.hip", language: str | None = None, device: str = "mi300x"
) -> facts.File:
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
    assert (turn.launch.grid, turn.launch.block, turn.launch.dynamic_shared_bytes) == (
        (64, 64, 1),
        (64, 4, 1),
        1024,
    )
    assert (spread.template_arguments, spread.launch.grid, spread.launch.block) == (
        ("2",),
        (16, 1, 1),
        (64, 1, 1),
    )
    # 64 lanes: rows go in two halves of 32 banks, a column hits one bank 64 times; 256 bytes are 4
    # sectors of 64
    assert counts(turn)[:4] == [
        (8, "exact", 2),
        (8, "exact", 4),
        (11, "exact", 4),
        (11, "exact", 64),
    ]


def test_a_shuffle_reaches_across_64_lanes() -> None:
    """Lane 40's value times 16 floats is a whole number of sectors; 32 lanes two floats apart touch
    256 bytes."""
    assert counts(analysed().kernels[1]) == [(17, "exact", 4)]


def test_shuffles_without_a_mask_are_usual_there() -> None:
    def codes(device: str, path: str) -> set[str]:
        return {
            finding.code
            for finding in check_file(
                analysed(path, device=device), device, selected_rules(Selection())
            )
        }

    assert "KL703" not in codes("mi300x", "a.hip") | codes(
        "h100", "a.hip"
    )  # whatever device the user names, the code is HIP
    assert "KL703" in codes("h100", "a.cu")


def test_language_hip() -> None:
    by_name, by_wish, as_cuda = analysed(), analysed("a.cpp", "hip"), analysed("a.cu")
    assert (
        {kernel.name for kernel in by_name.kernels}
        == {kernel.name for kernel in by_wish.kernels}
        == {"turn", "spread"}
    )
    assert by_wish.language == "cuda" and "elsewhere" not in {
        kernel.name for kernel in by_wish.kernels
    }
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
    "a condition that asks for something else": AMD.replace(
        "__global__", "#if N > 3\n#endif\n__global__"
    ),
}
BOTH = {
    "headers of both": AMD.replace(
        "#include", "#ifdef USE_ROCM\n#include <cuda_runtime.h>\n#endif\n#include"
    ),
    "all of it under a condition": f"#ifdef USE_ROCM\n{AMD}#endif\n",
    "either header": SOURCE.replace(
        "#include <hip/hip_runtime.h>",
        "#if defined(__HIPCC__)\n#include <hip/hip_runtime.h>\n#else\n#include <cuda.h>\n#endif",
    ),
    "the function under a condition": f"{PLAIN} {{\n#ifdef __HIP_PLATFORM_AMD__\nx[0] = __builtin_amdgcn_exp2f(0);\n#endif\n}}\n",
    "kernels for both": SOURCE,
    "words in a comment": f"// __builtin_amdgcn_exp2f(x)\n/* \n#include <hip/hip_runtime.h>\n*/\n{PLAIN} {{ x[0] = 1; }}\n",
    "no word of it": f"{PLAIN} {{ x[0] = 1; }}\n",
}


@pytest.mark.parametrize("name", HIP)
def test_a_cuda_file_of_hip_code_is_told_so_and_taken_for_amd(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "k.cu"
    path.write_text(HIP[name], encoding="utf-8")
    main([str(path), "--no-cache", "--output-format", "json"])
    shown = capsys.readouterr()
    assert json.loads(shown.out)["device"] == "mi300x" and "KL703" not in shown.out
    told = f"kernlint: {path}: HIP, and no device is given: the numbers are for AMD Instinct MI300X, 64 lanes a warp"
    assert shown.err.startswith(told)


@pytest.mark.parametrize("name", BOTH)
def test_a_file_that_serves_both_is_cuda(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert not is_hip(BOTH[name])
    path = tmp_path / "k.cu"
    path.write_text(BOTH[name], encoding="utf-8")
    main([str(path), "--no-cache", "--output-format", "json"])
    shown = capsys.readouterr()
    assert json.loads(shown.out)["device"] == "h100" and "HIP" not in shown.err


COLUMN = """// kernlint: launch(grid=4, block=64)
__global__ void c(float *x) {
    __shared__ float s[64 * 33];
    s[threadIdx.x * 32] = __shfl_xor(x[threadIdx.x], 1);
    x[threadIdx.x] = s[threadIdx.x * 32];
}
"""


@pytest.fixture
def both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one kernel as CUDA and as HIP."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.cu").write_text(COLUMN, encoding="utf-8")
    (tmp_path / "b.hip").write_text(COLUMN, encoding="utf-8")
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[str, str]:
    main(list(words))
    shown = capsys.readouterr()
    return shown.out, shown.err


def test_beside_cuda_each_file_is_judged_for_its_own_device(
    both: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(2):  # the second time from the cache
        out, told = run(capsys, ".", "--output-format", "json")
        found = json.loads(out)
        assert found["device"] == "h100"
        assert [(one["device"], one["filenames"]) for one in found["other_devices"]] == [
            ("mi300x", ["b.hip"])
        ]
        assert found["other_devices"][0]["cycles_model"].startswith("T(i, w, c) = ")
        degrees = {
            one["filename"]: (one["device"], one["metrics"]["wavefronts"])
            for one in found["findings"]
            if one["code"] == "KL101"
        }
        assert degrees == {"a.cu": ("h100", 32), "b.hip": ("mi300x", 64)}
        assert [one["filename"] for one in found["findings"] if one["code"] == "KL703"] == ["a.cu"]
        assert (
            "kernlint: b.hip: HIP, and no device is given: the numbers are for AMD Instinct MI300X, 64 lanes a warp"
            in told
        )


def test_every_format_says_which_device_a_file_was_judged_for(
    both: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    full, _ = run(capsys, ".", "--no-cache")
    assert (
        "`b.hip` is judged for AMD Instinct MI300X, 64 lanes a warp; all else for NVIDIA H100"
        in " ".join(full.split())
    )
    assert (
        full.count("T(i, w, c) = ") == 2
        and "(2 files, 1 for AMD Instinct MI300X, " in full.splitlines()[-1]
    )
    _, told = run(capsys, ".", "--no-cache", "--output-format", "concise")
    assert "(2 files, 1 for AMD Instinct MI300X, " in told
    [log] = json.loads(run(capsys, ".", "--no-cache", "--output-format", "sarif")[0])["runs"]
    assert [one["files"] for one in log["properties"]["otherDevices"]] == [["b.hip"]]
    assert {one["properties"]["device"] for one in log["results"]} == {"h100", "mi300x"}
    report = json.loads(run(capsys, "report", ".", "--no-cache", "--output-format", "json")[0])
    assert [(one["path"], one["device"]) for one in report["files"]] == [
        ("a.cu", "h100"),
        ("b.hip", "mi300x"),
    ]
    text, _ = run(capsys, "report", ".", "--no-cache")
    assert "a.cu (cuda, for NVIDIA H100)" in text and "b.hip (hip, for AMD Instinct MI300X)" in text
    page, _ = run(capsys, "report", ".", "--no-cache", "--output-format", "html")
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])  # type: ignore[index]
    devices = {one["path"]: data["devices"][one["device"]]["lanes"] for one in data["kernels"]}
    assert devices == {"a.cu": 32, "b.hip": 64}
    tuned = json.loads(run(capsys, "tune", ".", "--no-cache", "--output-format", "json")[0])
    assert tuned["device"] == "h100" and [one["device"] for one in tuned["files"]] == [
        "h100",
        "mi300x",
    ]


@pytest.mark.parametrize("device", [(), ("--device", "h100")])
def test_no_mask_of_32_bits_is_written_into_hip(
    device: tuple[str, ...], both: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, ".", "--no-cache", "--fix", "--unsafe-fixes", *device)
    assert "__shfl_xor_sync(0xffffffff, x[threadIdx.x], 1)" in (both / "a.cu").read_text(
        encoding="utf-8"
    )
    assert "_sync" not in (both / "b.hip").read_text(encoding="utf-8")


def test_a_device_that_is_named_is_that_of_all_files(
    both: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, told = run(capsys, ".", "--no-cache", "--device", "a100", "--output-format", "json")
    found = json.loads(out)
    assert (found["device"], found["other_devices"]) == (
        "a100",
        [],
    ) and "no device is given" not in told
    assert {
        one["metrics"]["wavefronts"] for one in found["findings"] if one["code"] == "KL101"
    } == {32}
    assert [one["filename"] for one in found["findings"] if one["code"] == "KL703"] == ["a.cu"]


def test_settings_show_the_device_of_each_file(
    both: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, _ = run(capsys, "a.cu", "b.hip", "--show-settings")
    assert re.findall(r'device = "(\w+)"', out) == ["h100", "mi300x"]


def test_the_server_judges_a_file_for_the_same_device(both: Path) -> None:
    for path, text, device in (
        ("a.cu", COLUMN, "h100"),
        ("b.hip", COLUMN, "mi300x"),
        ("k.cu", AMD, "mi300x"),
    ):
        found = Documents().analyse(path, text)
        assert (found.device.name, found.file.device) == (device, device)


def test_of_hip_nothing_is_said_that_is_so_on_nvidias_devices_alone() -> None:
    text = """// kernlint: launch(grid=4, block=64)
__global__ void k(float *x) {
    __shared__ float s[15000];
    s[threadIdx.x] = x[threadIdx.x];
    if (threadIdx.x % 2) s[threadIdx.x] += __shfl_xor_sync(0xffffffffu, s[threadIdx.x], 2);
    x[threadIdx.x] = s[threadIdx.x];
}
"""

    def codes(path: str) -> set[str]:
        file = engine.analyse_source(files.from_bytes(path, text.encode(), None), Settings())
        return {finding.code for finding in check_file(file, "h100", selected_rules(Selection()))}

    assert {"KL403", "KL602"} <= codes("a.cu") and not {"KL403", "KL602"} & codes("a.hip")


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
    file = engine.analyse_source(
        files.from_bytes("a.cu", text.encode(), None), Settings(device=device)
    )
    (first,) = [a for a in file.kernels[0].accesses if a.text == "s[2 * t]"]
    assert (
        first.status == status if first.as_compiled is None else first.as_compiled.status == status
    )


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
    "text",
    [
        "__device__ __hip_bfloat16 f(__hip_bfloat16 v);",
        "__device__ void f(int *p) { __hip_atomic_store(p, 0, 1, 2); }",
    ],
)
def test_code_that_needs_rocm_is_not_judged_by_what_nvidia_has_beside_headers_of_both(
    text: str,
) -> None:
    def codes(source: str) -> set[str]:
        file = engine.analyse_source(files.from_bytes("a.cu", source.encode(), None), Settings())
        return {finding.code for finding in check_file(file, "h100", selected_rules(Selection()))}

    always, guarded = (
        HIPIFIED.format(guarded="", plain=text),
        HIPIFIED.format(guarded=text, plain=""),
    )
    assert is_hip(always) and "KL703" not in codes(always)
    assert not is_hip(guarded) and "KL703" in codes(guarded)


NAMES = {
    "a text that is printed": 'void f() { puts("uses __hip_bfloat16 and __builtin_amdgcn_exp2f(x)"); }',
    "a comment": "// as __hip_atomic_load does\n/* __hip_fp8_e4m3, __builtin_amdgcn_exp2f(x) */",
    "a macro of its own": "#define __hip_atomic_load(p, o, s) (*(p))",
    "a part of another name": "int my__hip_bfloat16;",
}


@pytest.mark.parametrize("name", NAMES)
def test_only_code_makes_a_file_hip(name: str) -> None:
    assert not is_hip(f"{NAMES[name]}\n{COLUMN}")
    assert is_hip(f"{NAMES[name]}\n__device__ __hip_bfloat16 g;\n{COLUMN}")


def test_names_of_cuda_in_comments_and_texts_leave_a_file_hip() -> None:
    assert is_hip(f'// not __CUDACC__\nvoid f() {{ puts("__CUDA_ARCH__"); }}\n{AMD}')
    assert not is_hip(f"#ifdef __CUDACC__\n#endif\n{AMD}")


def test_kernels_in_strings_decide_for_their_file() -> None:
    kernel = f"import x\nx.compile({COLUMN!r} + '')\n"
    assert not is_hip(kernel, "a.py")
    assert is_hip(kernel.replace("__shfl_xor(", "(float)(__hip_bfloat16)("), "a.py")
    assert not is_hip(f"# __hip_bfloat16\nprint('__hip_bfloat16')\n{kernel}", "a.py")


def test_a_pair_of_bfloat16_is_a_word() -> None:
    text = (DATA / "cases/advice/hb.hip").read_text()
    source = files.from_bytes("hb.hip", text.encode())
    (kernel,) = engine.analyse_source(source, Settings(device="mi300x")).kernels
    assert [(a.bytes, a.status) for a in kernel.accesses] == [(4, "exact")] * 2
    assert all(a.sectors is not None and a.sectors.mean == a.sectors.ideal for a in kernel.accesses)
