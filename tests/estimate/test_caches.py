"""L1 against what is resident: the figures of the GF100 article, and when loops thrash."""

from __future__ import annotations

import json

import pytest

from kernlint import hardware
from kernlint.checks.run import check
from kernlint.model import facts
from kernlint.model.settings import Selection, Settings
from kernlint.pipeline import engine
from kernlint.source import files
from tests.places import DATA

STENCIL = """// kernlint: launch(grid=16x128, block=64x4, mj=514, mk=1026)
__global__ void jacobi(const float *p, float *out, int mj, int mk)
{
    int k = blockIdx.x * 64 + threadIdx.x + 1, j = blockIdx.y * 4 + threadIdx.y + 1;
    for (int i = 1; i < %d; ++i) {
        int c = (i * mj + j) * mk + k;
        out[c] = p[c] + p[c - 1] + p[c + 1] + p[c - mk] + p[c + mk] + p[c - mj * mk] + p[c + mj * mk];
    }
}
"""


def report(text: str, **settings: object) -> facts.Report:
    how = Settings(estimate=True, timeout=0, **settings)  # type: ignore[arg-type]
    return engine.analyse((), how, stdin=files.from_bytes("k.cu", text.encode()))


def caching(text: str, **settings: object) -> facts.Caching:
    found = report(text, **settings).files[0].kernels[0].caching
    assert found is not None
    return found


def codes(text: str, *select: str, **settings: object) -> list[str]:
    return [
        finding.code
        for finding in check(report(text, **settings), Selection(select, severity="info"))
    ]


def test_lines_of_fermi() -> None:
    """GF100 article: 48 KB of 64-byte lines are 768 lines; 100 warps of 32 are 3,200 threads, about
    four to the line."""
    split = hardware.device("gtx-480").limits["l1_shared_bytes"] - min(
        hardware.device("gtx-480").carveouts
    )
    assert split == 48 * 1024
    full = facts.Caching(
        split, 64, threads=100 * 32, blocks=1, needed=0.0, sectors=0.0, fresh=0.0, streams=()
    )
    assert full.lines == 768
    assert full.threads / full.lines == pytest.approx(4.17, abs=0.01)


def test_what_the_warps_of_a_stencil_share() -> None:
    """Six rows of 64 floats and their neighbours left and right for four rows of threads, 128
    planes: counted by hand."""
    (stream,) = (s for s in caching(STENCIL % 127).streams if s.object == "p")
    assert stream.iterations == 126
    inner, border = (
        126 * 6,
        2 * 4,
    )  # rows with all neighbours above and below; in the first and last plane only the own rows
    rows = inner + border
    assert (
        8 * 32 * rows <= stream.distinct <= 10 * 32 * rows
    )  # 64 floats lie in 8 or 9 sectors, one more for the neighbours
    assert (
        2.0 <= stream.by_warps / stream.distinct <= 3.0
    )  # own row, and as the upper and the lower neighbour's


@pytest.mark.slow
def test_thrashing_depends_on_the_distance() -> None:
    """Few planes pass through L1 while the loop runs: everything stays. Many do not."""
    assert codes(STENCIL % 127, "KL204") == ["KL204"]
    assert codes(STENCIL % 10, "KL204") == []
    quiet = (STENCIL % 127).replace(
        "mj * mk];\n    }", "mj * mk];\n        __syncthreads();\n    }"
    )
    assert "__syncthreads" in quiet
    assert codes(quiet, "KL204") == []


@pytest.mark.slow
def test_himeno_on_fermi() -> None:
    """GF100 article: plain CUDA thrashes on a GTX 480, with `__syncthreads()` it does not; its
    profile needs no time constants for that."""
    assert codes(STENCIL % 127, "KL204", device="gtx-480") == ["KL204"]
    assert caching(STENCIL % 127, device="gtx-480").l1_bytes == 48 * 1024
    assert codes(STENCIL % 127, "KL204", device="gtx-285") == []  # no L1


def test_shared_memory_takes_from_l1() -> None:
    """Eight resident blocks of 16 KB and a kilobyte each: 196 KB set aside of 256."""
    text = """// kernlint: launch(grid=1056, block=256)
__global__ void k(const float *in, float *out)
{
    __shared__ float s[4096];
    s[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * 256 + threadIdx.x] = s[255 - threadIdx.x];
}
"""
    assert caching(text).l1_bytes == (256 - 164) * 1024
    assert caching(text.replace("4096", "256")).l1_bytes == (256 - 16) * 1024


@pytest.mark.slow
def test_registers_leave_fewer_blocks_and_more_lines() -> None:
    free, held = caching(STENCIL % 127), caching(STENCIL % 127, registers={"jacobi": 128})
    assert (free.blocks, held.blocks) == (8, 2)
    assert held.threads == 512
    assert held.needed == pytest.approx(free.needed / 4)


def test_an_obsolete_call_in_words_is_none() -> None:
    call = "void f() { cudaThreadSetCacheConfig(cudaFuncCachePreferL1); }\n"
    assert codes(call, "KL603") == ["KL603"]
    assert codes(f"// {call}", "KL603") == []
    assert codes('const char *name = "cudaThreadSetCacheConfig";\n', "KL603") == []


def test_a_carveout_that_is_set_needs_no_advice() -> None:
    kernel = """// kernlint: launch(grid=4096, block=64)
__global__ void k(float *x)
{
    __shared__ float s[4096];
    for (int i = threadIdx.x; i < 4096; i += 64) s[i] = i;
    __syncthreads();
    x[blockIdx.x * 64 + threadIdx.x] = s[4095 - threadIdx.x];
}
"""
    assert codes(kernel, "KL604") == ["KL604"]
    asked = "void f() { cudaFuncSetAttribute(k, cudaFuncAttributePreferredSharedMemoryCarveout, 100); }\n"
    assert codes(kernel + asked, "KL604") == []
    assert (
        codes(kernel.replace("grid=4096", "grid=132"), "KL604") == []
    )  # one block a multiprocessor, whatever the split
    assert codes(kernel, "KL604", device="mi300x") == []  # LDS and cache are apart


def test_the_advice_keeps_what_is_resident() -> None:
    """What the device gives for KL604's wish, as the toolkit's calculator tells it, holds as many
    blocks as the largest split, and the next smaller split does not."""
    from kernlint.hardware.occupancy import occupancy

    device = hardware.device("h100")
    found = check(
        report("""// kernlint: launch(grid=4096, block=512)
__global__ void k(float *x)
{
    __shared__ float s[6000];
    for (int i = threadIdx.x; i < 6000; i += 512) s[i] = i;
    __syncthreads();
    x[blockIdx.x * 512 + threadIdx.x] = s[5999 - threadIdx.x];
}
"""),
        Selection(("KL604",), severity="info"),
    )
    (finding,) = found
    percent = int((finding.help or "").split(", ")[2].split(")")[0])
    splits = json.loads((DATA / "occupancy/header.json").read_text())["90"]["splits"]
    smaller = device.carveouts[device.carveouts.index(splits[percent]) - 1]
    assert (
        occupancy(512, None, 24000, device, splits[percent]).blocks
        == occupancy(512, None, 24000, device).blocks
        == 4
    )
    assert occupancy(512, None, 24000, device, smaller).blocks < 4


def test_a_split_is_asked_for_as_the_device_has_it() -> None:
    kernel = """// kernlint: launch(grid=4096, block=64)
__global__ void k(float *x)
{
    __shared__ float s[2300];
    for (int i = threadIdx.x; i < 2300; i += 64) s[i] = i;
    __syncthreads();
    x[blockIdx.x * 64 + threadIdx.x] = s[2299 - threadIdx.x];
}
"""
    for device, wish in (
        ("gtx-480", "cudaFuncSetCacheConfig(k, cudaFuncCachePreferShared)"),
        ("v100", "cudaFuncSetAttribute(k, cudaFuncAttributePreferredSharedMemoryCarveout, 100)"),
    ):
        (finding,) = check(report(kernel, device=device), Selection(("KL604",), severity="info"))
        assert wish in (finding.help or "")
