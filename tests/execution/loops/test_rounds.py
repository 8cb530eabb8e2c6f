"""Loops of known length whose states come round (swapped pointers, stages) are run once for each state:
their counts are those of every iteration, and a solver's hundred sweeps cost what two of them do."""

from __future__ import annotations

import pytest

from kernlint.base import deadline
from kernlint.model.facts import Kernel
from kernlint.model.settings import Settings
from kernlint.pipeline import engine
from kernlint.source import files

STAGES = """
__global__ void __launch_bounds__(32) k(float *o)
{{
    __shared__ float s[128];
    float a = 0;
    int st = 1;
    {loop}
    o[threadIdx.x] = a + s[threadIdx.x * st];
}}
void go(float *o) {{ k<<<1, 32>>>(o); }}
"""
BODY = "{ a += s[threadIdx.x * st]; __syncthreads(); st = st == 4 ? 1 : st * 2; }"
SOLVER = """
__global__ void solve(float *in, float *out, int n)
{
    cg::grid_group grid = cg::this_grid();
    for (int k = 0; k < 101; ++k) {
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
            if (i > 0 && i < n - 1) out[i] = 0.5f * (in[i - 1] + in[i + 1]);
        grid.sync();
        std::swap(in, out);
    }
    out[threadIdx.x] = 0;
}
int main()
{
    int n = 65536;
    float *a, *b;
    cudaMalloc(&a, n * 4);
    cudaMalloc(&b, n * 4);
    void *args[] = {&a, &b, &n};
    cudaLaunchCooperativeKernel((void *)solve, dim3(64), dim3(256), args, 0, 0);
}
"""


def kernel(text: str) -> Kernel:
    given = files.from_bytes("k.cu", text.encode())
    [found] = engine.analyse((), Settings(), stdin=given).files[0].kernels
    return found


@pytest.mark.parametrize(
    "loop",
    [
        f"for (int i = 0; i < 17; i++) {BODY}",
        f"for (int i = 34; i != 0; i -= 2) {BODY}",
        f"int i = 0; do {BODY} while (++i < 17);",
    ],
)
def test_each_iteration_is_counted_in_its_state(loop: str) -> None:
    """Strides of 1, 2 and 4 words in turn: 17 iterations are six of 1 and of 2, five of 4."""
    found = kernel(STAGES.format(loop=loop))
    inside, behind = (a for a in found.accesses if a.space == "shared")
    assert inside.requests == 17
    assert inside.wavefronts and inside.wavefronts.mean * 17 == 6 * 1 + 6 * 2 + 5 * 4
    assert behind.wavefronts and behind.wavefronts.mean == 4
    assert [barrier.uniform for barrier in found.barriers] == [True]
    [branch] = [b for b in found.branches if b.kind != "ternary"]
    assert branch.evaluations == (17 if "do" in loop else 18)


def test_a_solver_costs_what_two_sweeps_cost() -> None:
    with deadline.running(0) as clock:
        found = kernel(SOLVER)
    assert clock.steps < 20_000
    stores = [a for a in found.accesses if a.op == "store"]
    assert [a.requests for a in stores] == [101 * 65536 // 32, 64 * 256 // 32]
    assert found.faults == () or all(f.kind != "race" for f in found.faults)
    assert [barrier.uniform for barrier in found.barriers] == [True]


TILES = """
__global__ void product(const float *a, const float *b, float *c, int k)
{
    __shared__ float as[2][32][33], bs[2][32][33];
    int x = threadIdx.x % 32, y = threadIdx.x / 32, now = 0;
    float sum = 0;
    a += (blockIdx.y * 32 + y) * k + x;
    as[0][y][x] = *a;
    bs[0][y][x] = b[y * 1024 + x];
    __syncthreads();
    for (int done = 0; done < k; done += 32) {
        a += 32;
        b += 32 * 1024;
        if (done + 32 < k) {
            as[now ^ 1][y][x] = *a;
            bs[now ^ 1][y][x] = b[y * 1024 + x];
        }
        for (int i = 0; i < 32; ++i) sum += as[now][y][i] * bs[now][i][x];
        __syncthreads();
        now ^= 1;
    }
    c[blockIdx.y * 32 * 1024 + y * 1024 + x] = sum;
}
int main()
{
    float *a, *b, *c;
    cudaMalloc(&a, 32 * SIZE * 4);
    cudaMalloc(&b, SIZE * 1024 * 4);
    cudaMalloc(&c, 32 * 1024 * 4);
    product<<<dim3(1, 1), 1024>>>(a, b, c, SIZE);
}
"""


def test_a_double_buffered_product_costs_the_same_for_every_length() -> None:
    """Its pointers are moved on before they are read."""
    steps = []
    for size in (1024, 4096):
        with deadline.running(0) as clock:
            found = kernel(TILES.replace("SIZE", str(size)))
        steps.append(clock.steps)
        loads = {a.span.line: a for a in found.accesses if a.op == "load" and a.space == "global"}
        tiles = size // 32
        assert [loads[line].requests for line in (8, 9, 15, 16)] == [
            32,
            32,
            32 * (tiles - 1),
            32 * (tiles - 1),
        ]
        assert all(
            a.wavefronts and a.wavefronts.mean == 1 for a in found.accesses if a.space == "shared"
        )
        assert found.faults == () and found.races == ()
    assert steps[0] == steps[1]
