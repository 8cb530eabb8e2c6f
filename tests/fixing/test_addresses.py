"""Rows of arrays whose address is taken get longer where the address says only where accesses lie,
and nothing comes off its alignment."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kernlint.checks.run import check
from kernlint.cli import main
from kernlint.fixing.objections import Objections
from kernlint.model.settings import Selection, Settings
from kernlint.pipeline import engine
from kernlint.source import files

pytestmark = pytest.mark.slow


TILE = """\
template <int N> __device__ float total(const float (&row)[N])
{
    float sum = 0;
    for (int i = 0; i < N; ++i) sum += row[i];
    return sum;
}
__device__ unsigned shared_of(const void *p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }
// kernlint: launch(grid=4, block=128, n=1024)
__global__ void tiled(const float *in, float *out, int n)
{
    __shared__ __align__(16) float tile[32][64];
    int t = threadIdx.x, row = t / 16, col = t % 16 * 4, mine = t % 32;
    for (int i = 0; i < 4; ++i)
        *reinterpret_cast<float4 *>(&tile[row + 8 * i][col]) = *reinterpret_cast<const float4 *>(&in[(row + 8 * i) * n + col]);
    __syncthreads();
    // here
    float s = 0;
#pragma unroll 1
    for (int k = 0; k < 16; ++k) s += tile[mine][k + t / 32 * 16];
    out[blockIdx.x * 128 + t] = s;
}
"""
TENSOR = """\
#include <cuda_fp16.h>
// kernlint: launch(grid=8x8, block=128, n=1024)
__global__ void tiled(const __half *in, unsigned *out, int n)
{
    __shared__ __align__(16) __half tile[64][64];
    int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    for (int i = 0; i < 4; ++i) {
        int row = i * 16 + t / 8, col = t % 8 * 8;
        unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&tile[row][col]));
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(to), "l"(&in[row * n + col]));
    }
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group 0;");
    __syncthreads();
    unsigned sum = 0;
    unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&tile[warp * 16 + lane % 16][lane / 16 * 8]));
    for (int k = 0; k < 64; k += 16, at += 32) {
        unsigned r0, r1, r2, r3;
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(at));
        sum += r0 ^ r1 ^ r2 ^ r3;
    }
    out[blockIdx.x * 128 + t] = sum;
}
"""


def padded(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    """The text with its rows padded, and what was told."""
    path = tmp_path / "k.cu"
    path.write_text(text, encoding="utf-8")
    main.main(
        [
            str(path),
            "--no-cache",
            "--isolated",
            "--fix",
            "--unsafe-fixes",
            "--idle-fixes",
            "--select",
            "KL101",
        ]
    )
    return path.read_text(encoding="utf-8"), capsys.readouterr().err


def test_rows_keep_vectors_and_matrices_aligned(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert padded(TILE, tmp_path, capsys)[0] == TILE.replace("tile[32][64]", "tile[32][68]")
    assert padded(TENSOR, tmp_path, capsys)[0] == TENSOR.replace("tile[64][64]", "tile[64][72]")


@pytest.mark.parametrize(
    "use",
    [
        "float *p = &tile[mine][0]; for (int k = 0; k < 64; ++k) p[k] += 1;",
        'unsigned a = shared_of(&tile[mine][col]) + 4; asm volatile("st.shared.u32 [%0], %1;" :: "r"(a), "r"(t));',
        "float *p = t < 64 ? &tile[mine][0] : &tile[t % 8][32]; *p = 1;",
        "__pipeline_memcpy_async(&tile[mine][col], in + t * 4, 16);",
        "auto set = [](float *p) { *p = 1; }; set(&tile[mine][3]);",
        "reinterpret_cast<float2 *>(&tile[mine][60])[1].y = 1;",
        "float *p = tile[mine]; for (int k = 0; k < 64; ++k) p[k] += 1;",
        "reinterpret_cast<float4 *>(tile[mine])[t / 8] = make_float4(0, 0, 0, 0);",
        "auto set = [](float *p, int i) { p[i] = 1; }; set(tile[mine] + 1, t % 63);",
    ],
)
def test_an_address_that_says_where_accesses_lie_is_no_obstacle(
    use: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = TILE.replace("// here", use)
    assert padded(text, tmp_path, capsys)[0] == text.replace("tile[32][64]", "tile[32][68]")


@pytest.mark.parametrize(
    ("use", "reason"),
    [
        (
            "float *p = &tile[mine][0]; for (int k = 0; k < 65; ++k) p[k] += 1;",
            "the column on line 16 may reach element 64 of a row of 64",
        ),
        (
            "float *p = &tile[0][t % 64]; for (int k = 0; k < 32; ++k, p += 64) *p = 1;",
            "may reach element 2047 of a row of 64",
        ),
        (
            "*reinterpret_cast<float2 *>(&tile[mine][63]) = make_float2(0, 0);",
            "may reach element 64 of a row of 64",
        ),
        (
            'unsigned a = shared_of(&tile[mine][col]) ^ 16; asm volatile("st.shared.u32 [%0], %1;" :: "r"(a), "r"(t));',
            "its address is used in arithmetic other than sums",
        ),
        (
            'unsigned a = shared_of(&tile[mine][col]); asm volatile("frob.shared.u32 [%0], %1;" :: "r"(a), "r"(t));',
            "its address is given to `frob`, which is not followed",
        ),
        ("unknown(&tile[mine][0]);", "its address is given to `unknown`, which is not followed"),
        (
            "unknown((const float *)&tile[mine][0]);",
            "its address is given to `unknown`, which is not followed",
        ),
        (
            "unknown(shared_of(&tile[mine][0]));",
            "its address is given to `unknown`, which is not followed",
        ),
        (
            "float *p = &tile[mine][0], *q = &tile[0][0]; out[t] = p - q;",
            "its address is stored, compared or passed on",
        ),
        (
            "if (&tile[mine][0] < &tile[4][0]) out[t] = 1;",
            "its address is stored, compared or passed on",
        ),
        (
            "float *p[2] = {&tile[mine][0], &tile[4][32]}; *p[n % 2] = 1;",
            "its address is stored, compared or passed on",
        ),
        (
            "float *p = &tile[mine][0]; if (in[t] > 0) p = out; *p = 1;",
            "the address of the access on line 16 could not be followed",
        ),
        (
            "float *p = tile[mine]; p[64] = 1;",
            "the column on line 16 may reach element 64 of a row of 64",
        ),
        (
            "tile[mine][0] = total(tile[mine]);",
            "its address is given to a reference, whose type says how long the array is",
        ),
        (
            "auto &r = tile[mine]; r[1] = 0;",
            "its address is given to a reference, whose type says how long the array is",
        ),
        (
            "out[t] = std::size(tile[mine]);",
            "its address is given to `std::size`, which is not followed",
        ),
        ("int r = 0; tile[r++ % 32][r] = 1;", "its index on line 16 contains `++`"),
    ],
)
def test_other_uses_of_an_address_keep_the_rows(
    use: str, reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = TILE.replace("// here", use)
    after, told = padded(text, tmp_path, capsys)
    assert after == text and reason in told


NEIGHBOUR = """\
// kernlint: launch(grid=4, block=32x8)
__global__ void beside(const float *in, float *out)
{
    __shared__ float tile[ROWS][32];
    __shared__ float beside[1024];
    int x = threadIdx.x, y = threadIdx.y, t = y * 32 + x;
    reinterpret_cast<float4 *>(beside)[t] = reinterpret_cast<const float4 *>(in)[t];
    if (y < ROWS) tile[y][x] = in[t];
    __syncthreads();
    out[blockIdx.x * 256 + t] = tile[x % ROWS][y] + beside[t];
}
"""


def test_arrays_behind_one_that_grows_keep_their_alignment(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """nvcc lays `beside` behind `tile`, at a multiple of 4 bytes: with three rows of 33 elements
    its vectors lay at 396, with 36 at 432."""
    text = NEIGHBOUR.replace("ROWS", "3")
    source = files.from_bytes("k.cu", text.encode())
    (finding,) = [
        f
        for f in check(engine.analyse((), Settings(), stdin=source), Selection(select=("KL101",)))
        if f.fix
    ]
    told = Objections(source, Settings()).against(finding)
    assert (
        "`beside` is accessed by 16 bytes on line 7 but declared with an alignment of 4: 12 more bytes before it may misalign it"
        in told
    )
    assert "tile[3][36]" in padded(text, tmp_path, capsys)[0]
    assert "tile[4][33]" in padded(NEIGHBOUR.replace("ROWS", "4"), tmp_path, capsys)[0]
    aligned = NEIGHBOUR.replace("ROWS", "3").replace("float beside", "__align__(16) float beside")
    assert "tile[3][33]" in padded(aligned, tmp_path, capsys)[0]


INSTANCES = """\
template <int N> __global__ void turned(float *out, const float *in)
{
    __shared__ float tile[N][N];
    tile[0][threadIdx.y * N + threadIdx.x] = in[threadIdx.y * N + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * N + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
void go(float *o, const float *a)
{
    turned<16><<<1, dim3(16, 16)>>>(o, a);
    turned<32><<<1, dim3(32, 32)>>>(o, a);
}
"""


def test_rows_whose_length_template_arguments_decide_are_held_to_each(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    after, told = padded(INSTANCES, tmp_path, capsys)
    assert (
        after == INSTANCES and "the column on line 4 may reach element 255 of a row of 16" in told
    )
    proper = INSTANCES.replace(
        "tile[0][threadIdx.y * N + threadIdx.x]", "tile[threadIdx.y][threadIdx.x]"
    )
    assert "tile[N][N + 1]" in padded(proper, tmp_path, capsys)[0]


WIDE = """\
// kernlint: launch(grid=4, block=128)
__global__ void wide(const float4 *in, float *out)
{
    __shared__ __align__(16) float tile[32][32];
    int t = threadIdx.x;
    for (int i = 0; i < 2; ++i) reinterpret_cast<float4 &>(tile[t / 8 + 16 * i][t % 8 * 4]) = in[t + 128 * i];
    __syncthreads();
    float s = 0;
#pragma unroll 1
    for (int k = 0; k < 8; ++k) s += tile[t % 32][k + t / 32 * 8];
    out[blockIdx.x * 128 + t] = s;
}
"""


def test_tune_keeps_wide_accesses_together_and_aligned(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "k.cu"
    path.write_text(WIDE, encoding="utf-8")
    main.main(
        ["tune", str(path), "--isolated", "--only", "padding,swizzle", "--output-format", "json"]
    )
    titles = set(re.findall(r'"title": "([^"]*)"', capsys.readouterr().out))
    assert titles == {
        *(f"pad the rows by {n} elements" for n in (4, 8, 12, 16)),
        "swizzle: column c of row r at c ^ (r % 8 * 4)",
    }
    path.write_text(TENSOR, encoding="utf-8")
    main.main(["tune", str(path), "--isolated", "--only", "padding,swizzle", "--diff"])
    assert "tile[64][72]" in capsys.readouterr().out


FOREIGN = """\
template <Kind kind, typename T> __global__ void turned(T *out, const T *in)
{
    __shared__ float tile[32][32];
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
void go(float *o, const float *a)
{
    turned<Kind::one, float><<<1, dim3(32, 32)>>>(o, a);
}
"""


def test_instances_over_values_of_a_header_that_is_not_there_are_followed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "tile[32][33]" in padded(FOREIGN, tmp_path, capsys)[0]


def test_a_block_that_is_assumed_is_named_where_columns_leave_rows_with_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = """\
__global__ void narrow(const float *in, float *out)
{
    __shared__ float tile[64][2];
    int t = threadIdx.y * 16 + threadIdx.x;
    tile[t % 64][t / 64] = in[t];
    __syncthreads();
    out[t] = tile[t % 64][0] + tile[t % 64][1];
}
"""
    path = tmp_path / "k.cu"
    after, told = padded(text, tmp_path, capsys)
    assert (
        after == text
        and "may reach element 3 of a row of 2 with the assumed block of 16x16 (give --block)"
        in told
    ), told
    main.main(
        [
            str(path),
            "--no-cache",
            "--isolated",
            "--fix",
            "--unsafe-fixes",
            "--idle-fixes",
            "--select",
            "KL101",
            "--block",
            "16x8",
        ]
    )
    assert "tile[64][3]" in path.read_text(encoding="utf-8")
