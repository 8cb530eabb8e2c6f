"""Indices that change places: swapped where that is provably the same and better, left alone with
the reason otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.cli import main

SQUARE = """\
// kernlint: launch(grid=64x64, block=16x16, n=1024)
__global__ void scale(float *out, const float *in, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;
    out[row * n + col] = 2.0f * in[row * n + col];
}
"""
STAGE = """\
#define TILE 32
// kernlint: launch(grid=32x32, block=32, n=1024)
__global__ void stage(float *out, const float *in, int n)
{
    __shared__ float tile[TILE][TILE + 1];
    for (int i = 0; i < TILE; ++i)
        tile[threadIdx.x][i] = in[(blockIdx.y * TILE + threadIdx.x) * n + blockIdx.x * TILE + i];
    __syncthreads();
    for (int i = 0; i < TILE; ++i)
        out[(blockIdx.x * TILE + i) * n + blockIdx.y * TILE + threadIdx.x] = tile[threadIdx.x][i];
}
"""
COPY = """\
// kernlint: launch(grid=8, block=64)
__global__ void copy(float *out, const float *in)
{
    int t = threadIdx.x;
    for (int i = 0; i < 64; i++) {
        float v = in[blockIdx.x * 4096 + t * 64 + i];
        out[blockIdx.x * 4096 + t * 64 + i] = v * t + i;
    }
}
"""


def fixed(text: str, tmp_path: Path) -> str:
    path = tmp_path / "k.cu"
    path.write_text(text, encoding="utf-8")
    main.main(
        [str(path), "--fix", "--unsafe-fixes", "--select", "KL201", "--isolated", "--no-cache"]
    )
    return path.read_text(encoding="utf-8")


def told(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    path = tmp_path / "k.cu"
    path.write_text(text, encoding="utf-8")
    main.main([str(path), "--select", "KL201", "--isolated", "--no-cache"])
    return " ".join(capsys.readouterr().out.split())


def test_the_threads_of_a_square_block_change_names(tmp_path: Path) -> None:
    after = fixed(SQUARE, tmp_path)
    assert after == SQUARE.replace("threadIdx.x;", "threadIdx.X;").replace(
        "threadIdx.y;", "threadIdx.x;"
    ).replace("threadIdx.X;", "threadIdx.y;")


def test_the_help_of_a_finding_with_an_edit_is_the_edit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = told(SQUARE, tmp_path, capsys)
    swap = "= help: swap threadIdx.x and threadIdx.y in `scale`, whose blocks are square (16x16) |"
    assert swap in text and "row-major" not in text


@pytest.mark.slow
def test_a_thread_and_a_counter_change_places(tmp_path: Path) -> None:
    after = fixed(STAGE, tmp_path)
    assert (
        "        tile[i][threadIdx.x] = in[(blockIdx.y * TILE + i) * n + blockIdx.x * TILE + threadIdx.x];\n"
        in after
    )
    assert after.count("= tile[threadIdx.x][i];") == 1, "the other loop is coalesced as it is"


@pytest.mark.slow
def test_a_variable_that_holds_the_thread_changes_places_too(tmp_path: Path) -> None:
    after = fixed(COPY, tmp_path)
    assert "float v = in[blockIdx.x * 4096 + i * 64 + t];" in after
    assert "out[blockIdx.x * 4096 + i * 64 + t] = v * i + t;" in after


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ("out[row", "out[__shfl_sync(~0u, row, 0) * 0 + row", "`__shfl_sync` looks at warps"),
        ("int col", "volatile int keep = row;\n    int col", "`volatile` looks at warps"),
        ("int row", "uint3 all = threadIdx;\n    int row", "threadIdx is used as a whole"),
        (
            "// kernlint",
            "__device__ int at() { return threadIdx.x; }\n// kernlint",
            "another function uses threadIdx",
        ),
        ("// kernlint", "#define AT threadIdx.x\n// kernlint", "a macro uses threadIdx"),
    ],
)
def test_what_tells_threads_apart_otherwise(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], before: str, after: str, reason: str
) -> None:
    text = SQUARE.replace(before, after, 1)
    assert f"swapping threadIdx.x and threadIdx.y may not be the same here: {reason}" in told(
        text, tmp_path, capsys
    )
    assert fixed(text, tmp_path) == text


@pytest.mark.parametrize(
    "launch",
    ["block=32x8", "block=256", "block=16x16, grid=64x64, n=1024)\n// kernlint: launch(block=32x8"],
)
def test_other_blocks_keep_their_axes(tmp_path: Path, launch: str) -> None:
    text = SQUARE.replace("block=16x16", launch)
    assert fixed(text, tmp_path) == text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ("= v * t + i;", "= sum; sum += v;", "it carries `sum` from iteration to iteration"),
        ("v * t + i;", "v + other;", "`other` may differ from thread to thread"),
        ("v * t + i;", "v; __syncthreads();", "its body holds `__syncthreads`"),
        ("v * t + i;", "v; if (v > 3) v = 0;", "its body holds `if`"),
        (
            "t * 64 + i] = v",
            "t * 64 + i / 2] = v",
            "two iterations of a thread may write the same element of `out`",
        ),
        (
            "t * 64 + i] = v",
            "t * 64] = v",
            "two iterations of a thread may write the same element of `out`",
        ),
        (
            "= v * t + i;",
            "= v + out[blockIdx.x * 4096 + t * 64];",
            "`out` is read at another index than it is written",
        ),
        (
            "    }\n}",
            "    }\n    out[t] = 1;\n}",
            "`out` is used on line 9 with no barrier between",
        ),
        ("    for", "    if (t > 60) return;\n    for", "threads may have left before it"),
        (
            "int t = threadIdx.x;\n",
            "int t = threadIdx.x;\n    ((float *)in)[0] = 1; in[5] = 1;\n",
            "`in` is written elsewhere in the kernel",
        ),
    ],
)
def test_iterations_that_depend_on_something(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], before: str, after: str, reason: str
) -> None:
    text = COPY.replace(before, after, 1).replace(
        "int t = threadIdx.x;\n", "int t = threadIdx.x;\n    float sum = 0, other = t;\n"
    )
    reason = reason.replace("line 9", "line 10")
    assert f"swapping `t` and `i` would not be the same here: {reason}" in told(
        text, tmp_path, capsys
    )
    assert fixed(text, tmp_path) == text


ROWS = """\
// kernlint: launch(grid=8, block=64, n=1024)
__global__ void rows(float *out, const float *in, int n)
{
    const int first = blockIdx.x * 64, row = first + n * (int)gridDim.x;
    const float *p = in + first * n;
    float *o = out;
    int t = threadIdx.x;
    for (int i = 0; i < 64; i++)
        o[(row + t) * n + i] = p[t * n + i];
}
"""


@pytest.mark.slow
def test_variables_that_are_the_same_for_a_block_may_stand_beside_the_two(tmp_path: Path) -> None:
    after = fixed(ROWS, tmp_path)
    assert "        o[(row + i) * n + t] = p[i * n + t];\n" in after
    assert (
        after.replace("(row + i) * n + t] = p[i * n + t]", "(row + t) * n + i] = p[t * n + i]")
        == ROWS
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ("gridDim.x;", "threadIdx.y;", "`row` may differ from thread to thread"),
        ("gridDim.x;", "in[3];", "`row` may differ from thread to thread"),
        (
            "    int t",
            "    if (t0) first += 1;\n    int t",
            "`row` may differ from thread to thread",
        ),
        ("    int t", "    ++o;\n    int t", "`o` may differ from thread to thread"),
        ("= p[", "= out[0] + p[", "`out` may point at one element"),
        ("    int t", "    *out = 1;\n    int t", "`out` may point at one element"),
        ("= p[", "= half(t) + p[", "its body calls `half`"),
    ],
)
def test_variables_that_are_not_the_same_or_not_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], before: str, after: str, reason: str
) -> None:
    text = ROWS.replace(before, after, 1).replace(
        "const int first", "int t0 = threadIdx.x; int first"
    )
    assert (
        "swapping `t` and `i` would not be the same here: "
        in (shown := told(text, tmp_path, capsys))
        and reason in shown
    )
    assert fixed(text, tmp_path) == text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("i < 64", "i < 32"),
        ("i = 0", "i = 1"),
        ("i++", "i += 2"),
        ("    for", "    if (t) for"),
        ("block=64", "block=128"),
    ],
)
def test_other_loops_are_left_alone(tmp_path: Path, before: str, after: str) -> None:
    text = COPY.replace(before, after, 1)
    assert fixed(text, tmp_path) == text


def test_signs_matter(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = STAGE.replace("TILE + i];", "TILE + i - 1];", 1)
    assert "`-` may differ between the unsigned threadIdx.x and `i`" in told(text, tmp_path, capsys)


def test_a_tile_that_is_read_without_a_barrier_stays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = STAGE.replace("    __syncthreads();\n", "")
    assert "`tile` is used on line 9 with no barrier between" in told(text, tmp_path, capsys)


@pytest.mark.parametrize(
    "old", ["Exit", "Synchronize", "GetLimit", "SetLimit", "GetCacheConfig", "SetCacheConfig"]
)
def test_obsolete_names(tmp_path: Path, old: str) -> None:
    new = "cudaDeviceReset" if old == "Exit" else f"cudaDevice{old}"
    path = tmp_path / "k.cu"
    path.write_text(f"// cudaThread{old}\nvoid f() {{ cudaThread{old}(); }}\n", encoding="utf-8")
    main.main([str(path), "--fix", "--isolated", "--no-cache"])
    assert path.read_text(encoding="utf-8") == f"// cudaThread{old}\nvoid f() {{ {new}(); }}\n"


@pytest.mark.parametrize(
    "text",
    [
        "#define cudaThreadSynchronize cudaDeviceSynchronize\nvoid f() { cudaThreadSynchronize(); }\n",
        "int cudaThreadSynchronize();\nvoid f() { cudaThreadSynchronize(); }\n",
    ],
)
def test_names_that_the_file_gives_itself_are_its_own(tmp_path: Path, text: str) -> None:
    path = tmp_path / "k.cu"
    path.write_text(text, encoding="utf-8")
    assert main.main([str(path), "--isolated", "--no-cache"]) == 0
