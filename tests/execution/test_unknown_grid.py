"""A grid that is not known leaves what nvcc makes of accesses as it is: counts of a request and of
a block are those of any grid."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kernlint.model import facts
from kernlint.model.settings import LaunchOverrides, Settings
from kernlint.pipeline import engine
from kernlint.source import files
from tests.places import DATA

CLAIMS = DATA / "cases" / "claims"
REPORT = Settings(compile_stage=True)


def accesses(source: str, settings: Settings = REPORT) -> list[facts.Access]:
    report = engine.analyse((), settings, stdin=files.from_bytes("k.cu", source.encode()))
    return list(report.files[0].kernels[0].accesses)


def of_case(name: str, text: str, settings: Settings = REPORT) -> facts.Access:
    source = (CLAIMS / name).read_text(encoding="utf-8")
    (found,) = (a for a in accesses(source, settings) if a.text == text)
    return found


@pytest.mark.parametrize(
    "name, text, per_block, wavefronts",
    [("gridless.cu", "a[y][i]", 32, 2), ("gridless2.cu", "s[t * 8 + i]", 8, 8)],
)
def test_unknown_grid_keeps_what_is_compiled(
    name: str, text: str, per_block: int, wavefronts: int
) -> None:
    """LDS.128 as nvcc 13.0 compiles the case."""
    access = of_case(name, text)
    compiled = access.as_compiled
    assert compiled is not None and compiled.wavefronts is not None
    assert (compiled.bytes, compiled.requests, compiled.per_block) == (16, None, per_block)
    assert compiled.wavefronts.mean == wavefronts
    assert (access.status, access.reason, compiled.status) == ("range", "unknown-launch", "exact")


@pytest.mark.parametrize("name", ["gridless.cu", "gridless2.cu"])
def test_any_grid_gives_the_same(name: str) -> None:
    source = (CLAIMS / name).read_text(encoding="utf-8")
    blocks = 8
    given = replace(REPORT, launch=LaunchOverrides(grid=(blocks, 1, 1)))
    for without, access in zip(accesses(source), accesses(source, given), strict=True):
        assert without.wavefronts == access.wavefronts and without.sectors == access.sectors
        assert without.per_block == (access.requests or 0) / blocks
        mine, other = without.as_compiled, access.as_compiled
        assert (mine is None) == (other is None)
        if mine is not None and other is not None:
            assert (mine.wavefronts, mine.status) == (other.wavefronts, other.status)
            assert mine.per_block == (other.requests or 0) / blocks


def test_loop_of_unknown_length_keeps_what_is_compiled() -> None:
    """29 LDS.128 in nvcc's copies of the loop, of 8 wavefronts each."""
    access = of_case("bound.cu", "s[t % 16 * 8 + i]")
    compiled = access.as_compiled
    assert compiled is not None and compiled.wavefronts is not None
    assert (compiled.bytes, compiled.requests, compiled.per_block) == (16, None, None)
    assert (compiled.wavefronts.mean, compiled.status) == (8, "range")


def test_block_index_that_decides_is_no_exact_count() -> None:
    source = """
    __global__ void k(float *o) {
        __shared__ __align__(16) float s[2048];
        int t = threadIdx.x;
        s[t] = o[t];
        __syncthreads();
        float sum = 0;
        for (int i = 0; i < 4; ++i) sum += s[4 * (t * (blockIdx.x & 3)) + i];
        o[t] = sum;
    }
    void run(float *o, int n) { k<<<n, 128>>>(o); }"""
    (access,) = (a for a in accesses(source) if a.space == "shared" and a.op == "load")
    assert access.as_compiled is None or access.as_compiled.status != "exact"


def test_assumed_block_is_no_exact_count() -> None:
    source = (CLAIMS / "gridless2.cu").read_text(encoding="utf-8")
    source = source[: source.index("void run")]
    (access,) = (a for a in accesses(source) if a.text == "s[t * 8 + i]")
    assert access.as_compiled is not None
    assert (access.as_compiled.bytes, access.as_compiled.status) == (16, "range")


@pytest.mark.parametrize("name", ["gridless2.cu", "bound.cu"])
def test_finding_is_of_what_the_machine_executes(name: str) -> None:
    """Lanes far apart leave room for 16-byte loads, too."""
    source = (CLAIMS / name).read_text(encoding="utf-8")
    merged = [a for a in accesses(source, Settings()) if a.as_compiled is not None]
    assert [a.as_compiled.bytes for a in merged if a.as_compiled] == [16]
