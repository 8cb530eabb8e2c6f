"""Indices that go through floating-point arithmetic on known integers, held against g++: as nvcc
compiles them, with products and sums each rounded and with both contracted."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

from kernlint.hardware import sector_rows
from kernlint.model import facts
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source import files
from tests.places import DATA
from tests.support import needs

LANES = 256
EXACT = [
    "(int)(t * 0.5f)",
    "(int)(t * 0.1f)",
    "(int)(t * 0.1)",
    "(int)floorf(t / 3.0f)",
    "(int)rintf(t * 1.5f)",
    "(int)roundf(t / 4.0f)",
    "(int)ceilf(t / 7.0f)",
    "(int)truncf(-t * 0.3f) + 200",
    "(int)sqrtf(t)",
    "(int)sqrt((double)t * 3.0)",
    "(int)fmodf(t, 7.0f)",
    "(int)fminf(t, 10.5f)",
    "(int)fabsf(t - 100.0f)",
    "(int)(t * 2.0f + 1.0f)",
    "(int)((t + 1) / 3.0f * 3.0f)",
    "(int)((16777216 + t) * 1.0f) - 16777216",
    "(int)(1e6f * t) / 100000",
    "(unsigned char)(int)(t * 1.7f)",
    "(t * 0.7f < 50.0f ? t : 2 * t)",
    "(int)(t > 99 ? 2.5f * t : t * 0.25f)",
    "(int)(float)(t * 1.1)",
    "(int)lrintf(t * 0.5f)",
    "(int)exp2f((float)(t % 6))",
    "(int)powf(2.0f, (float)(t % 6))",
]


def stored(index: str, before: str = "") -> facts.Access:
    """`o[8 * index]` of 256 lanes."""
    source = f"""{before}
    // kernlint: launch(grid=1, block={LANES})
    __global__ void k(float *o, float x) {{ int t = threadIdx.x; o[8 * ({index})] = 1; }}"""
    report = engine.analyse((), Settings(), stdin=files.from_bytes("k.cu", source.encode()))
    (found,) = report.files[0].kernels[0].accesses
    return found


@pytest.fixture(scope="module", params=["off", "fast"])
def computed(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> np.ndarray:
    """The indices by expression and lane."""
    folder: Path = tmp_path_factory.mktemp("reals")
    lines = "".join(f'printf("%d ", (int)({index}));\n' for index in EXACT)
    program = f"""#include <cmath>
    #include <cstdio>
    int main(int argc, char **) {{
        for (volatile int v = 0; v < {LANES}; v = v + 1) {{ int t = v; {lines} puts(""); }}
    }}"""
    (folder / "reals.cpp").write_text(program, encoding="utf-8")
    command = ["g++", "-O2", "-mfma", f"-ffp-contract={request.param}", "reals.cpp", "-o", "reals"]
    subprocess.run(command, cwd=folder, check=True)
    output = subprocess.run([folder / "reals"], capture_output=True, check=True, text=True)
    return np.array([line.split() for line in output.stdout.splitlines()], np.int64).T


@pytest.mark.slow
@needs.gpp
def test_index_is_that_of_ieee_arithmetic(computed: np.ndarray) -> None:
    for index, values in zip(EXACT, computed, strict=True):
        rows = 32 * values.reshape(-1, 32)
        sectors = sector_rows(rows, np.ones_like(rows, bool), 4, "store", "h100")
        access = stored(index)
        assert access.status == "exact" and access.sectors is not None, (index, access.reason)
        assert access.sectors.mean == sectors.mean(), index
        assert access.example is not None and list(access.example.lanes) in rows.tolist(), index


@pytest.mark.parametrize(
    "index",
    [
        "(int)(t * 0.1f + 0.5f)",  # one rounding or two
        "(int)(t * 0.3 - 0.1)",
        "(int)logf(t + 1.0f)",
        "(int)log2f(t + 1.0f)",  # of other numbers than powers of two, too
        "(int)powf(3.0f, (float)(t % 6))",
        "(int)__expf((float)t)",
        "(int)(t * x)",
    ],
)
def test_result_that_the_compiler_or_the_library_decides(index: str) -> None:
    assert stored(index).status != "exact"


def test_quotients_of_opencl_are_not_correctly_rounded() -> None:
    source = """
    // kernlint: launch(grid=1, block=256)
    kernel void k(global float *o) { int t = get_local_id(0); o[8 * (int)floor(t / 3.0f)] = 1; }"""
    report = engine.analyse((), Settings(), stdin=files.from_bytes("k.cl", source.encode()))
    (found,) = report.files[0].kernels[0].accesses
    assert found.status == "unknown"


def test_functions_of_one_name_have_their_own_values() -> None:
    """`__fadd_rn` and `__fmul_rn` of the same operands are two numbers."""
    access = stored("__fadd_rn(x, 2.0f) == __fmul_rn(x, 2.0f) ? t : 0")
    assert access.status != "exact"


def test_case() -> None:
    """`i <= __log2f(16)` are four iterations, p is 2, 4, 8 and 16 in them (nvcc unrolls the four)."""
    source = (DATA / "cases" / "claims" / "carried.cu").read_text(encoding="utf-8")
    report = engine.analyse((), Settings(), stdin=files.from_bytes("k.cu", source.encode()))
    kernel = next(k for k in report.files[0].kernels if k.name == "k2")
    loop = next(b for b in kernel.branches if b.kind == "for")
    assert loop.per_block is not None and loop.per_block.evaluations == 8 * 5
    store = next(a for a in kernel.accesses if a.op == "store" and a.span.line == 26)
    # warps hold two rows each: all eight have an even one; then 4, 2 and 1 have such a row
    assert store.per_block == 8 + 4 + 2 + 1
