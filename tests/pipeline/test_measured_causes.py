"""Small kernels for what programs profiled on an H100 contradicted first (docs/corpora.md, the last
programs): each count is the machine's, read off nvcc's code or the profile, and must lie within
what is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.model import facts
from kernlint.model.settings import Settings
from kernlint.pipeline.engine import analyse
from tests.execution.test_execution import run

pytestmark = pytest.mark.slow

PARTICLES = """struct Particle { float3 pos; float mass; float3 vel; int id; };
// kernlint: launch(grid=6, block=128, n=700)
__global__ void integrate(Particle *p, int n, float dt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Particle q = p[i];
    q.pos.x += q.vel.x * dt, q.pos.y += q.vel.y * dt, q.pos.z += q.vel.z * dt;
    p[i] = q;
}
"""
BUTTERFLIES = """// kernlint: launch(grid=11, block=128)
__global__ void fft(const float2 *in, float2 *out) {
    __shared__ float2 s[256];
    int t = threadIdx.x;
    s[t] = in[t];
    s[t + 128] = in[t + 128];
    __syncthreads();
    for (int len = 1; len < 256; len *= 2) {
        int j = t & (len - 1), base = (t / len) * len * 2 + j;
        float sn, cs;
        sincospif(-(float)j / len, &sn, &cs);
        float2 u = s[base], v = s[base + len];
        v = make_float2(v.x * cs - v.y * sn, v.x * sn + v.y * cs);
        s[base] = make_float2(u.x + v.x, u.y + v.y);
        s[base + len] = make_float2(u.x - v.x, u.y - v.y);
        __syncthreads();
    }
    out[t] = s[t];
}
"""
WALKED = """#include <cuda_fp16.h>
// kernlint: launch(grid=2, block=128, n=200)
__global__ void dots(const half *a, half2 *out, int n) {
    __shared__ half s[128];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    const half *p = &s[0];
    half2 r = {};
    int end = min((int)blockIdx.x * 128 + 128, n);
    for (int k = blockIdx.x * 128; k < end; k += 32) {
#pragma unroll
        for (int j = 0; j < 4; j++) {
            const half2 *q = (const half2 *)p;
#pragma unroll
            for (int i = 0; i < 4; i++) r = __hadd2(r, *q++);
            p += 8;
        }
    }
    out[threadIdx.x] = r;
}
"""
ROWS = """#include <stdint.h>
// kernlint: launch(grid=1, block=128, pitch=512)
__global__ void rows(const char *a, float *out, int pitch) {
    __shared__ __align__(128) float s[32][16];
    int r = threadIdx.x / 4, c = threadIdx.x % 4;
    uint32_t p = (uint32_t)__cvta_generic_to_shared(&s[r][c * 4]);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(p), "l"(a + r * pitch + c * 16));
    asm volatile("cp.async.wait_all;");
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x / 4][threadIdx.x % 4];
}
"""


def bounds(path: Path, source: str, space: str, op: str, text: str = "") -> tuple[float, float]:
    """What the accesses count in all, from and to."""
    low = high = 0.0
    for a in run(path, source).accesses:
        if (a.space, a.op) == (space, op) and text in a.text:
            low, high = low + total(a, "low"), high + total(a, "high")
    return low, high


def total(a: facts.Access, end: str) -> float:
    counted = a.as_compiled or a
    counts = counted.wavefronts if a.space == "shared" else counted.sectors
    if counts is None:
        assert a.requests is not None and counted.requests == 0
        return 0.0
    assert counted.requests is not None
    return counted.requests * (counts.mean_low if end == "low" else counts.mean_high)


def test_members_that_are_only_written_back_are_not_loaded(tmp_path: Path) -> None:
    low, high = bounds(tmp_path, PARTICLES, "global", "load")
    assert low <= 4200 <= high  # six of eight members
    low, high = bounds(tmp_path, PARTICLES, "global", "store")
    assert low <= 2100 <= high


def test_a_loop_with_a_long_function_is_not_unrolled_in_full(tmp_path: Path) -> None:
    low, high = bounds(tmp_path, BUTTERFLIES, "shared", "load", "s[base")
    assert low < high, "nvcc unrolls it by two: the first copies need not become one access"


def test_a_pointer_moved_in_an_inner_loop_may_be_known_to_be_aligned(tmp_path: Path) -> None:
    low, high = bounds(tmp_path, WALKED, "shared", "load", "q++")
    assert (
        low <= 7 * 4 * 4 * 2 <= high
    )  # 16 loads of 16 bytes in the place of 64, two wavefronts each


def test_copies_from_rows_apart_take_a_wavefront_a_line(tmp_path: Path) -> None:
    low, high = bounds(tmp_path, ROWS, "shared", "copy")
    assert low <= 4 * 8 <= high
    low, high = bounds(tmp_path, ROWS, "global", "copy")
    assert low <= 4 * 16 <= high


SUMS = """// kernlint: launch(grid=2, block=32)
__global__ void sums(float *o, const float *p) {{
    __shared__ float c[64];
    c[threadIdx.x] = p[threadIdx.x];
    c[threadIdx.x + 32] = p[threadIdx.x + 32];
    __syncthreads();
    float w = c[0];
    float h = c[1]{};
    for (int t = 1; t < 8; ++t) {{
        w += c[2 * t];
        h += c[2 * t + 1];
    }}
    o[0] = w;
    o[1] = h;
}}
"""


def test_a_load_that_starts_a_sum_leaves_the_line_of_what_it_is_joined_with_open(
    tmp_path: Path,
) -> None:
    """mmcv's deformable attention: `c[0]` to `c[3]` are one load, which nvcc has on the line of
    `c[1]` or in the loop."""
    for start, status in (
        ("", "range"),
        (" * w", "exact"),
    ):  # with two uses it stays where it stands
        kernel = run(tmp_path, SUMS.format(start))
        found = [a for a in kernel.accesses if a.space == "shared" and a.op == "load"]
        assert [a.as_compiled.status for a in found if a.as_compiled is not None] == [status] * 4


def test_copies_of_an_unrolled_loop_that_may_be_charged_elsewhere_are_bounded_by_single_ones(
    tmp_path: Path,
) -> None:
    """DeepSpeed's softmax of half, whose rows begin anywhere: 3 of 4 copies are charged to the
    header, and no mean is that of the rest."""
    source = """#include <cuda_fp16.h>
// kernlint: launch(grid=5, block=32, n=250)
__global__ void k(__half *p, const float *q, int n) {
    p += blockIdx.x * n;
    for (int i = 0; i < 8; i++)
        if (threadIdx.x + i * 32 < n) p[threadIdx.x + i * 32] = q[threadIdx.x] * i;
}
"""
    (store,) = [a for a in run(tmp_path, source).accesses if a.op == "store"]
    assert store.status == "range" and store.sectors is not None
    assert (
        (store.sectors.mean_low, store.sectors.mean_high)
        == (store.sectors.min, store.sectors.max)
        != (store.sectors.mean,) * 2
    )


def test_complex_numbers_of_the_toolkit_have_their_parts(tmp_path: Path) -> None:
    """cuFINUFFT's shared memory is counted in cuFloatComplex."""
    source = """#include <cuComplex.h>
__global__ void k(cuFloatComplex *p, cuDoubleComplex *q) { p[threadIdx.x].x = 1; q[threadIdx.x].y = 2; }
int main() { cuFloatComplex *p; cuDoubleComplex *q; k<<<1, 64, 4 * sizeof(cuComplex)>>>(p, q); }
"""
    kernel = run(tmp_path, source)
    assert kernel.launch.dynamic_shared_bytes == 32
    assert [(a.status, a.sectors.mean) for a in kernel.accesses if a.sectors is not None] == [
        ("exact", 8.0),
        ("exact", 16.0),
    ]


WRAPPED = """__device__ __forceinline__ void put(void *to, const void *from) {
    const int *words = reinterpret_cast<const int *>(from);
    asm volatile("st.global.wb.u32 [%0], %1;\\n" : : "l"(to), "r"(*words));
}
// kernlint: launch(grid=2, block=32)
__global__ void scale(float *out, const float *in) {
    float v = in[threadIdx.x] * 3;
    put(out + threadIdx.x, &v);
}
// kernlint: launch(grid=2, block=32)
__global__ void bytes(signed char *out, const float *in) {
    for (int i = 0; i < 2; i++) {
        signed char v[4];
        for (int j = 0; j < 4; j++) v[j] = in[threadIdx.x * 4 + j] * 7;
        put(out + threadIdx.x * 4 + i * 512, v);
    }
}
// kernlint: launch(grid=2, block=32)
__global__ void first(float *out, const float *in) {
    float v = in[blockIdx.x] * 3;
    put(out, &v);
}
"""


def test_a_store_of_an_assembly_wrapper_that_reads_its_operand_through_a_cast(
    tmp_path: Path,
) -> None:
    """DeepSpeed's `store_global<4>`: other bits of a register need no instruction, bytes that are
    put together may, and so does the kernel's own parameter, which the function fetches (its own
    line in nvcc's table)."""
    path = tmp_path / "k.cu"
    path.write_text(WRAPPED)
    (file,) = analyse([str(path)], Settings()).files
    found = {
        k.name: [(a.charged_line, a.status) for a in k.accesses if a.op == "store"]
        for k in file.kernels
    }
    assert found == {"scale": [(8, "exact")], "bytes": [(15, "range")], "first": [(21, "range")]}
