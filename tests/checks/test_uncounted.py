"""What no number holds is said where notes are hidden: which calls, and why their accesses are not
counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.cli import main

MATRIX = """#include <mma.h>
using namespace nvcuda;
__global__ void k(const half *a, float *c) {
    __shared__ half s[16][16];
    for (int i = threadIdx.x; i < 256; i += 32) s[i / 16][i % 16] = a[i];
    __syncthreads();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> f;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> d;
    wmma::fill_fragment(d, 0.f);
    nvcuda::wmma::load_matrix_sync(f, &s[0][0], 16);
    wmma::mma_sync(d, f, f, d);
    wmma::store_matrix_sync(c, d, 16, wmma::mem_row_major);
}
int main() { k<<<1, 32>>>(0, 0); }
"""
CALLS = "__global__ void k(float *a) { scale(a); shift(a); a[threadIdx.x] = 0; }\nint main() { k<<<1, 32>>>(0); }\n"


def last_line(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], *options: str) -> str:
    path = tmp_path / "k.cu"
    path.write_text(text)
    main.run([str(path), "--no-cache", "--isolated", *options])
    return capsys.readouterr().out.splitlines()[-1]


@pytest.mark.slow
def test_of_fragments_those_calls_that_touch_memory(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    last = last_line(MATRIX, tmp_path, capsys)
    assert (
        "; not counted: accesses of `nvcuda::wmma::load_matrix_sync` and 1 more function (CUDA does not specify which lane accesses"
        in last
    )
    assert (
        main.run(
            [
                str(tmp_path / "k.cu"),
                "--no-cache",
                "--isolated",
                "--severity",
                "info",
                "--output-format",
                "concise",
            ]
        )
        == 0
    )
    told = [line for line in capsys.readouterr().out.splitlines() if "not counted" in line]
    assert [line.split(":")[1] for line in told] == ["10"] and "fill_fragment" not in told[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "said"),
    [
        (CALLS, "accesses of `scale` and 1 more function (not defined in the analysed files)"),
        (CALLS.replace("shift(a);", ""), "accesses of `scale` (not defined in the analysed files)"),
        (
            CALLS.replace("shift(a);", "").replace("scale", "mma_sync"),
            "accesses of `mma_sync` (not defined in the analysed files)",
        ),
    ],
)
def test_functions_that_nobody_defines(
    text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert f"; not counted: {said}; " in last_line(text, tmp_path, capsys) + "; "
    assert "not counted" not in last_line(text, tmp_path, capsys, "--severity", "info")


def test_where_all_is_counted_nothing_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "not counted" not in last_line(
        CALLS.replace("scale(a); shift(a);", ""), tmp_path, capsys
    )
    own = f'#include "own.h"\n{CALLS}'  # a finding that is shown tells it
    assert "not counted" not in last_line(own, tmp_path, capsys)
