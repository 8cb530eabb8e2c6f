"""Estimates of kernels whose accesses nvcc may change: bounds by hand from the counts and the
device's constants."""

from __future__ import annotations

import pytest

from kernlint import hardware
from kernlint.checks.estimate_words import shared, time
from kernlint.model import facts
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.render import report_json
from kernlint.source import files

BLOCKS, WARPS, TURNS = 4, 2, 9
DEVICE = hardware.device("h100")


def analysed(body: str) -> facts.Report:
    text = f"__global__ void k(float *out, int n) {{ __shared__ float s[64]; int t = threadIdx.x; s[t] = t; __syncthreads();\n{body}\n}}\n"
    text += f"int main() {{ float *p; k<<<{BLOCKS}, {32 * WARPS}>>>(p, {TURNS}); }}\n"
    return engine.analyse(
        (), Settings(estimate=True), stdin=files.from_bytes("k.cu", text.encode())
    )


def of_model(wavefronts: int) -> float:
    return pytest.approx(DEVICE.c1 * wavefronts + DEVICE.c2, abs=1e-3)


def kernel(report: facts.Report) -> facts.Kernel:
    [found] = report.files[0].kernels
    return found


def test_a_load_that_may_be_made_once_is_bounded_at_both_ends() -> None:
    report = analysed("float v = 0; for (int i = 0; i < n; ++i) v += s[5] * i; out[t] = v;")
    found = kernel(report)
    assert found.shared_cycles == found.shared_cycles_high == of_model(WARPS * (1 + TURNS))
    assert found.shared_cycles_low == of_model(WARPS)
    assert isinstance(found.estimate, facts.Estimate)
    assert found.estimate.cycles_low < found.estimate.cycles == found.estimate.cycles_high
    assert f"between {found.estimate.cycles_low:,} and {found.estimate.cycles_high:,}" in time(
        found.estimate
    )
    assert shared(found).endswith(
        f"(between {found.shared_cycles_low:.0f} and {found.shared_cycles_high:.0f})"
    )
    told = report_json.to_json(report)["files"][0]["kernels"][0]["cycles"]
    assert told == {
        "shared": found.shared_cycles,
        "shared_ideal": found.shared_cycles_ideal,
        "shared_low": found.shared_cycles_low,
        "shared_high": found.shared_cycles_high,
    }


def test_what_surely_becomes_of_a_load_is_what_is_estimated() -> None:
    report = analysed(
        "float v = s[2 * t % 64]; if (t < 32) out[t] = v;"
    )  # sunk: two wavefronts of one warp, beside the stores of both
    found = kernel(report)
    assert (
        found.shared_cycles
        == found.shared_cycles_low
        == found.shared_cycles_high
        == of_model(WARPS + 2)
    )
    assert "between" not in shared(found)
    assert "shared_low" not in report_json.to_json(report)["files"][0]["kernels"][0]["cycles"]


def test_on_which_line_a_request_is_counted_spreads_nothing() -> None:
    found = kernel(analysed("auto twice = [&](float *p) { return 2 * p[t]; }; out[t] = twice(s);"))
    assert any(access.status == "range" for access in found.accesses)
    assert isinstance(found.estimate, facts.Estimate)
    assert found.estimate.cycles_low == found.estimate.cycles == found.estimate.cycles_high
