"""The block assumed where no launch is known: what the kernel itself tells of its shape."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.model import facts
from kernlint.model.settings import LaunchOverrides, Settings
from kernlint.pipeline.engine import analyse

TILE = "const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;"


def run(tmp_path: Path, source: str, name: str = "k.cu", **overrides: object) -> facts.Kernel:
    path = tmp_path / name
    path.write_text(source)
    report = analyse([str(path)], Settings(launch=LaunchOverrides(**overrides)))  # type: ignore[arg-type]
    (kernel,) = report.files[0].kernels
    return kernel


def cuda(body: str, head: str = "", bounds: str = "") -> str:
    return f"{head}\n__global__ void {bounds} k(float *a, int w, int h) {{ {body} }}"


@pytest.mark.parametrize(
    ("source", "block"),
    [
        (cuda("a[threadIdx.x] = 1;"), (256, 1, 1)),
        (cuda(TILE + " a[y * w + x] = 1;"), (16, 16, 1)),
        (cuda("a[threadIdx.z * w + threadIdx.y * h + threadIdx.x] = 1;"), (8, 8, 4)),
        (cuda("if (threadIdx.y == 0) a[threadIdx.x] = 1;"), (16, 16, 1)),
        # a rank in the block is made of all three axes and says nothing of their number
        (
            cuda("a[cg::this_grid().thread_rank()] = 1;", "namespace cg = cooperative_groups;"),
            (256, 1, 1),
        ),
        (
            cuda("a[threadIdx.y] = cooperative_groups::this_thread_block().thread_rank();"),
            (16, 16, 1),
        ),
        # the array's extents
        (cuda("__shared__ float s[32][32]; s[threadIdx.y][threadIdx.x] = 1;"), (32, 32, 1)),
        (
            cuda(
                "__shared__ float s[T][T + 1]; int tx = threadIdx.x, ty = threadIdx.y; s[ty][tx] = 1;",
                "#define T 16",
            ),
            (16, 16, 1),
        ),
        (cuda("__shared__ float s[8][32]; s[threadIdx.y][threadIdx.x] = 1;"), (32, 8, 1)),
        (cuda("__shared__ float s[N]; s[threadIdx.x] = 1;", "#define N 128"), (128, 1, 1)),
        (cuda("__shared__ float s[N]; s[threadIdx.x] = 1;", "#define N 192"), (192, 1, 1)),
        (
            cuda("__shared__ float s[4][64]; s[threadIdx.x / 64][threadIdx.x % 64] = 1;"),
            (256, 1, 1),
        ),
        (
            cuda("__shared__ float s[T * T]; s[threadIdx.y * T + threadIdx.x] = 1;", "#define T 8"),
            (8, 8, 1),
        ),
        (
            cuda("__shared__ float s[4][8][8]; s[threadIdx.z][threadIdx.y][threadIdx.x] = 1;"),
            (8, 8, 4),
        ),
        # rows that a loop walks over: only as many as are left of 256 threads
        (
            cuda(
                "__shared__ float s[32][33]; for (int j = 0; j < 32; j += 8) s[threadIdx.y + j][threadIdx.x] = 1;"
            ),
            (32, 8, 1),
        ),
        # halos
        (cuda("__shared__ float s[18][18]; s[threadIdx.y + 1][threadIdx.x + 1] = 1;"), (16, 16, 1)),
        # guarded uses say nothing, nor do longer arrays
        (cuda("__shared__ float s[32]; if (threadIdx.x < 32) s[threadIdx.x] = 1;"), (256, 1, 1)),
        (cuda("__shared__ float s[4096]; s[threadIdx.x] = 1;"), (256, 1, 1)),
        (cuda("__shared__ float s[2][512]; s[w & 1][threadIdx.x] = 1;"), (512, 1, 1)),
        # rows whose lanes exchange values are warps
        (
            cuda("a[threadIdx.y] = __shfl_xor_sync(~0u, a[threadIdx.x], 1);"),
            (32, 8, 1),
        ),
        # launch bounds bound the product
        (cuda("a[threadIdx.x] = 1;", bounds="__launch_bounds__(512)"), (512, 1, 1)),
        (cuda(TILE + " a[y * w + x] = 1;", bounds="__launch_bounds__(128)"), (16, 8, 1)),
        (cuda(TILE + " a[y * w + x] = 1;", bounds="__launch_bounds__(1024)"), (16, 16, 1)),
        (
            cuda("__shared__ float s[64]; s[threadIdx.x] = 1;", bounds="__launch_bounds__(512)"),
            (64, 1, 1),
        ),
    ],
)
def test_block_of_a_kernel_that_nobody_launches(
    source: str, block: tuple[int, int, int], tmp_path: Path
) -> None:
    kernel = run(tmp_path, source)
    assert kernel.launch.block == block and kernel.launch.grid is None


def test_opencl_kernels_over_two_dimensions(tmp_path: Path) -> None:
    source = "__kernel void k(__global float *a, int w) { int x = get_global_id(0), y = get_global_id(1); a[y * w + x] = 1; }"
    assert run(tmp_path, source, "k.cl").launch.block == (16, 16, 1)
    assert run(tmp_path, source.replace("get_global_id(1)", "0"), "k.cl").launch.block == (
        256,
        1,
        1,
    )


def test_the_assumption_is_told_with_its_reason(tmp_path: Path) -> None:
    two = run(tmp_path, cuda(TILE + " a[y * w + x] = 1;"))
    assert (
        "block 16x16x1 from kernlint's assumption (threadIdx.y is used), grid unknown"
        in two.assumptions
    )
    tile = run(tmp_path, cuda("__shared__ float s[32][8]; s[threadIdx.y][threadIdx.x] = 1;"))
    assert (
        "block 8x32x1 from kernlint's assumption (the shape of `s`), grid unknown"
        in tile.assumptions
    )


def test_a_known_grid_does_not_make_an_assumed_block_exact(tmp_path: Path) -> None:
    kernel = run(
        tmp_path,
        cuda("__shared__ float s[16][16]; s[threadIdx.y][threadIdx.x] = 1;"),
        grid=(4, 1, 1),
    )
    (store,) = kernel.accesses
    assert (
        kernel.launch.block == (16, 16, 1)
        and store.status == "range"
        and store.reason == "unknown-launch"
    )
    assert any("block 16x16x1 is assumed" in text for text in store.assumptions)


def test_a_given_block_is_taken_as_it_is(tmp_path: Path) -> None:
    source = cuda("__shared__ float s[16][16]; s[threadIdx.y][threadIdx.x] = 1;")
    assert run(tmp_path, source, block=(256, 1, 1)).launch.block == (256, 1, 1)
    assert run(tmp_path, "// kernlint: launch(block=(64,2))\n" + source).launch.block == (64, 2, 1)


@pytest.mark.parametrize(
    ("row", "block"), [("get_global_id(1)", (256, 1, 1)), ("get_local_id(1)", (16, 16, 1))]
)
def test_a_block_that_shares_one_row_is_one_row(
    tmp_path: Path, row: str, block: tuple[int, int, int]
) -> None:
    text = f"""
kernel void k(global float *a, local float *s, int w) {{
    int t = get_local_id(0), y = {row};
    s[t] = a[t + y * w];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[t + y * w] = s[t ^ 1];
}}
"""
    assert run(tmp_path, text, "k.cl").launch.block == block


def test_a_block_that_shares_one_column_is_one_column(tmp_path: Path) -> None:
    text = """
kernel void k(global float *a, local float *s, int w) {
    int t = get_local_id(1), y = get_global_id(0);
    s[t] = a[t + y * w];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[t + y * w] = s[t ^ 1];
}
"""
    assert run(tmp_path, text, "k.cl").launch.block == (1, 256, 1)


def test_a_thread_number_that_nothing_reads_says_nothing_of_the_block(tmp_path: Path) -> None:
    text = """
kernel void k(global float *a, local float *s, int w) {
    int unused = get_local_id(0), t = get_local_id(1), y = get_global_id(0);
    s[t] = a[t + y * w];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[t + y * w] = s[t ^ 1];
}
"""
    assert run(tmp_path, text, "k.cl").launch.block == (1, 256, 1)


@pytest.mark.parametrize(
    ("body", "block"),
    [
        ("p[0]++;", (1, 1, 1)),
        ("for (int i = 0; i < n; i++) p[i] = 0;", (1, 1, 1)),
        ("p[threadIdx.x] = 0;", (256, 1, 1)),
        ("p[blockIdx.x] = 0;", (256, 1, 1)),
        ("atomicAdd(p, 1);", (256, 1, 1)),
        ("__syncthreads(); p[0] = 0;", (256, 1, 1)),
        ("p[place()] = 0;", (256, 1, 1)),
        ("p[GLOBAL_ID] = 0;", (256, 1, 1)),  # a macro of a header that is not there
    ],
)
def test_one_thread_does_what_asks_for_no_index(
    tmp_path: Path, body: str, block: tuple[int, int, int]
) -> None:
    source = f"__device__ int place();\n__global__ void k(int *p, int n) {{ {body} }}\n"
    assert run(tmp_path, source).launch.block == block
