"""KL602 and KL605: shared memory and threads of a block against what a device holds."""

from __future__ import annotations

import pytest

from kernlint.checks.run import check
from kernlint.model.finding import Finding
from kernlint.model.settings import Selection, Settings
from kernlint.pipeline import engine
from kernlint.source import files


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
