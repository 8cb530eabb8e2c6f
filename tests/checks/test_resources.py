"""KL602 and KL605: shared memory and threads of a block against what a device holds."""

from __future__ import annotations

import pytest

from kernlint.checks.run import check
from kernlint.model.finding import Finding
from kernlint.model.settings import Selection, Settings
from kernlint.pipeline import engine
from kernlint.source import files
from tests.places import DATA


def found(text: str, *codes: str, device: str = "", path: str = "k.cu") -> list[Finding]:
    """As the command line finds them, whose device is assumed where none is given."""
    settings = Settings(device=device) if device else Settings(device_assumed=True)
    report = engine.analyse((), settings, stdin=files.from_bytes(path, text.encode()))
    return check(report, Selection(select=codes))


DYNAMIC = """\
extern __shared__ float s[];
__global__ void k(float *x) { s[threadIdx.x] = x[threadIdx.x]; __syncthreads(); x[threadIdx.x] = s[255 - threadIdx.x]; }
void go(float *x)
{
    cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 240000);
    k<<<8, 256, 240000>>>(x);
}
"""
STATIC = "__global__ void k(float *x) { __shared__ float s[16384]; s[threadIdx.x] = x[0]; __syncthreads(); x[1] = s[3]; }\n"


@pytest.mark.parametrize(("device", "severity"), [("", "warning"), ("h100", "error")])
def test_a_device_that_nobody_names_makes_no_error(device: str, severity: str) -> None:
    [finding] = found(DYNAMIC, "KL602", device=device)
    assert finding.severity == severity
    assert ("the launch may fail" in finding.message) is (not device)
    assert any("assuming the device is" in note for note in finding.notes) is (not device)


def test_every_nvidia_device_refuses_static_arrays_over_48_kib() -> None:
    [finding] = found(STATIC, "KL602")
    assert finding.severity == "error" and "does not compile" in finding.message


# ------------------------------------------------------------------ KL605


SHARED = """\
__global__ void k(float *x)
{{
    {more}__shared__ float s[{floats}];
    s[threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    x[blockIdx.x * blockDim.x + threadIdx.x] = s[255 - threadIdx.x];
}}
{launch}
"""
GO = "void go(float *x) {{ k<<<4096, {block}{dynamic}>>>(x); }}"


@pytest.mark.parametrize(
    ("floats", "block", "dynamic", "said"),
    [
        (11456, 256, 0, "5 would fit with 256 bytes less"),  # 233,472 / 5 = 46,694 of an H100
        (11392, 256, 0, ""),  # five fit
        (12288, 256, 0, ""),  # too much to save
        (11456, 512, 0, ""),  # the warps allow four
        (5728, 256, 0, ""),  # 9 of 23,936 bytes, a tenth more would not matter
        (11200, 256, 1024, "5 would fit with 256 bytes less"),
        (256, 704, 0, "3 would fit with 32 threads fewer"),
        (256, 520, 0, "4 would fit with 8 threads fewer"),
        (256, 768, 0, ""),  # too many to save
    ],
)
def test_a_block_that_just_does_not_fit(floats: int, block: int, dynamic: int, said: str) -> None:
    launch = GO.format(block=block, dynamic=f", {dynamic}" if dynamic else "")
    edges = found(SHARED.format(floats=floats, launch=launch, more=""), "KL605")
    assert [said in f.message for f in edges] == [True] * bool(said)


def test_a_launch_that_fills_no_multiprocessor_has_room() -> None:
    few = GO.format(block=256, dynamic="").replace("4096", "100")
    assert not found(SHARED.format(floats=11456, launch=few, more=""), "KL605")


def test_without_a_launch_arrays_of_fixed_size_decide() -> None:
    extern = "extern __shared__ float d[]; d[threadIdx.x] = 0; "
    [edge] = found(SHARED.format(floats=11456, launch="", more=""), "KL605")
    assert "256 bytes less" in edge.message
    assert not found(SHARED.format(floats=11456, launch="", more=extern), "KL605")


def test_registers_count_where_they_are_known() -> None:
    text = SHARED.format(floats=256, launch=GO.format(block=256, dynamic=""), more="")
    settings = Settings(estimate=True, registers={"k": 41})
    report = engine.analyse((), settings, stdin=files.from_bytes("k.cu", text.encode()))
    [edge] = check(report, Selection(select=("KL605",)))
    assert "6 would fit with 1 register fewer per thread (40 instead of 41)" in edge.message
    assert "`__launch_bounds__(256, 6)`" in edge.help


def test_the_case_of_one_block_instead_of_two() -> None:
    text = (DATA / "cases/questions/36-occupancy-edge.cu").read_text()
    [edge] = found(text, "KL605", device="rtx-3090")
    assert "`wide`: 1 block per multiprocessor: 2 would fit with 320 bytes less" in edge.message
    assert any("82 blocks for 82 places" in note for note in edge.notes)


def test_a_grid_made_for_another_device_names_it_where_none_is_given() -> None:
    text = (DATA / "cases/questions/36-occupancy-edge.cu").read_text()

    def of(source: str, assumed: bool = True) -> list[Finding]:
        settings = Settings(device_assumed=assumed)
        report = engine.analyse((), settings, stdin=files.from_bytes("k.cu", source.encode()))
        return check(report, Selection(select=("KL605",)))

    [edge] = of(text)
    assert "`wide`: 1 block per multiprocessor: 2 would fit with 320 bytes less" in edge.message
    assert "82 multiprocessors of NVIDIA GeForce RTX 3090 (`--device rtx-3090`)" in edge.notes[0]
    assert not of(text, assumed=False)
    assert not of(text.replace("<<<82,", "<<<96,"))  # no number of multiprocessors
    assert not of(text.replace("<<<82,", "<<<8200,"))  # a size of the problem
