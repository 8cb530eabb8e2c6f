"""Where following a kernel through nvcc would take the rest of a file's time, its counts are made
all the same, and none claims to be as compiled."""

from __future__ import annotations

from typing import Any

import pytest

from kernlint.base import deadline
from kernlint.model import facts
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source import files

KERNEL = """
__global__ void k(const float *a, float *o) {
    __shared__ float s[32][65];
    float sums[32];
    for (int i = 0; i < 32; ++i) sums[i] = a[threadIdx.x * 32 + i];
#pragma unroll
    for (int i = 0; i < 32; ++i)
#pragma unroll
        for (int j = 0; j < 32; ++j) sums[i] += s[j][threadIdx.x * 2 % 64];
    for (int i = 0; i < 32; ++i) o[threadIdx.x * 32 + i] = sums[i];
}
"""
LAUNCH = "// kernlint: launch(grid=1, block=32, kernel=k)"


@pytest.fixture
def frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that stands: steps of work alone end anything."""
    for name in ("process_time", "monotonic"):
        monkeypatch.setattr(deadline, name, lambda: 0.0)


def analysed(text: str, seconds: float) -> facts.Kernel:
    file = engine.analyse_source(files.Source("k.cu", "cuda", text, ()), Settings(timeout=seconds))
    (kernel,) = file.kernels
    assert not file.unfinished
    return kernel


def written(kernel: facts.Kernel) -> list[Any]:
    """What each access costs in the source, without what nvcc may make of it."""
    counts = [(a.text, a.wavefronts or a.sectors) for a in kernel.accesses]
    return [(text, c.min, c.mean, c.max) for text, c in counts if c is not None]


@pytest.mark.uncompiled
def test_counts_as_written_stay_and_none_is_exact(frozen: None) -> None:
    whole, short = analysed(LAUNCH + KERNEL, 0), analysed(LAUNCH + KERNEL, 0.05)
    assert written(short) == written(whole)
    assert any(a.status == "exact" for a in whole.accesses)
    for access in short.accesses:
        assert access.status == "range" and access.as_compiled is None
        assert access.detail.startswith("the time limit ended")


@pytest.mark.uncompiled
def test_without_a_launch_findings_tell_the_source_as_it_is(frozen: None) -> None:
    whole, short = analysed(KERNEL, 0), analysed(KERNEL, 0.05)
    assert written(short) == written(whole) and short.as_written and not whole.as_written


@pytest.mark.uncompiled
def test_a_look_that_ends_by_its_steps_leaves_some_for_the_counts(frozen: None) -> None:
    """Of two kernels each has its share, of which a look takes a part."""
    both = LAUNCH + KERNEL + KERNEL.replace("void k(", "void other(")
    file = engine.analyse_source(files.Source("k.cu", "cuda", both, ()), Settings(timeout=0.1))
    assert [kernel.name for kernel in file.kernels] == ["k", "other"] and not file.unfinished
    assert file.kernels[0].accesses[0].detail.startswith("the time limit ended")


@pytest.mark.uncompiled
def test_a_look_that_is_too_long_for_a_trial_is_done_again(frozen: None) -> None:
    """The first launch of each kernel has a tenth of the limit, then each has half of it."""
    both = LAUNCH + KERNEL + KERNEL.replace("void k(", "void other(")
    source = files.Source("k.cu", "cuda", both, ())
    for seconds, ended in ((0, False), (0.5, False), (0.1, True)):
        first = engine.analyse_source(source, Settings(timeout=seconds)).kernels[0]
        assert first.accesses[0].detail.startswith("the time limit ended") == ended


def test_a_clock_that_ends_ahead_leaves_time() -> None:
    with deadline.running(8) as clock:
        end = clock.end
        with deadline.ahead(0.25):
            assert 5.9 < end - clock.end < 6.1
        assert clock.end == pytest.approx(end)  # sums of floats
