"""Where the model leaves out what decides, there is no time, or bounds that hold it: never one that
contradicts a finding."""

from __future__ import annotations

import pytest

from kernlint.model import facts
from kernlint.model.settings import LaunchOverrides, Settings
from kernlint.pipeline import engine
from kernlint.source import files
from tests.places import DATA

pytestmark = pytest.mark.slow

LAUNCH = Settings(launch=LaunchOverrides(grid=(4096, 1, 1), block=(256, 1, 1)), estimate=True)
INDEX = "int i = blockIdx.x * 256 + threadIdx.x;"


def estimate(body: str, parameters: str) -> facts.Estimate | str:
    text = f"__global__ void k({parameters}) {{ {INDEX} {body} }}"
    report = engine.analyse((), LAUNCH, stdin=files.from_bytes("k.cu", text.encode()))
    return report.files[0].kernels[0].estimate


def test_contended_atomics_have_no_time() -> None:
    """An H100 took 160 to 384 times as long as was estimated."""
    report = engine.analyse((str(DATA / "cases" / "user" / "reduce.cu"),), Settings(estimate=True))
    found = {kernel.name: kernel.estimate for kernel in report.files[0].kernels}
    assert isinstance(found["reduce0"], facts.Estimate)
    atomic = found["reduce_atomic"]
    assert isinstance(atomic, str) and "may update one address 16,777,216 times" in atomic


def test_an_address_for_each_thread_has_a_time() -> None:
    assert isinstance(estimate("atomicAdd(&o[i], 1);", "int *o"), facts.Estimate)


def test_atomics_at_loaded_indices_have_no_time() -> None:
    assert "may update one address" in str(estimate("atomicAdd(&o[x[i]], 1);", "int *o, int *x"))


def test_a_call_that_is_not_counted_leaves_no_time() -> None:
    found = estimate("scale(o); o[i] = 1;", "float *o")
    assert found == "what `scale` does is not counted"


def test_a_gather_has_bounds() -> None:
    """From all lanes in one sector to each sector from DRAM."""
    found = estimate("o[i] = x[j[i]];", "float *o, const float *x, const int *j")
    straight = estimate("o[i] = x[i];", "float *o, const float *x")
    assert isinstance(found, facts.Estimate) and isinstance(straight, facts.Estimate)
    assert found.cycles_low < found.cycles < found.cycles_high
    assert found.cycles_high > 2 * straight.cycles
