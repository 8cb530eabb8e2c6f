"""The printed index against the addresses that execution finds, through the whole pipeline."""

from __future__ import annotations

import re

import pytest

from kernlint import hardware
from kernlint.execution.run import execute
from kernlint.lowering.program import Program
from kernlint.model import facts
from kernlint.source.parser.parser import parse
from kernlint.source.preprocessor.preprocess import Options, preprocess
from tests.algebra.c_reader import Reader

SOURCE = """
#define PAD(i) ((i) + ((i) >> 5))
struct Particle { float x, y, z; };

__device__ int swizzle(int row, int column) { return row * 32 + (column ^ row); }

__global__ void indices(const float *in, float *out, Particle *p, const float4 *v, int n, int width)
{
    __shared__ float tile[32][33];
    __shared__ float flat[1024 + 32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * 8 + threadIdx.y;
    tile[threadIdx.x][threadIdx.y] = in[row * width + i];
    flat[PAD(threadIdx.x * 2)] = in[n - 1 - i];
    flat[swizzle(threadIdx.y, threadIdx.x)] = in[(i / 4) * 8 + i % 4];
    __syncthreads();
    float4 q = v[i];
    p[i].y = q.x + tile[threadIdx.y][threadIdx.x];
    if (threadIdx.x & 1)
        out[(i << 1 | 1) & 255] = flat[(threadIdx.x + 3 * threadIdx.y) % 32];
    const float *walk = in + 5;
    walk += width * threadIdx.y;
    out[i] = walk[i] + *(walk + 2 * threadIdx.x - 1);
}
"""
LAUNCH = facts.Launch((4, 2, 1), (8, 8, 1), 0, {"n": 4096, "width": 128}, "command line")
UNITS = {"tile": 4, "flat": 4, "in": 4, "out": 4, "p": 4, "v": 16}


def analysed() -> facts.Kernel:
    options = Options({}, (), "cuda", 900)
    unit = parse(preprocess("indices.cu", SOURCE, options).tokens, "indices.cu", "cuda")
    program = Program(unit, options, {"indices.cu": SOURCE})
    (handle,) = program.kernels()
    return execute(program.instantiate(handle, None), LAUNCH, hardware.device("h100")).kernel


def places(access: facts.Access) -> list[tuple[dict[str, int], int]]:
    """(names of the index → values, byte offset) of each active lane of the access's example
    request."""
    assert access.example is not None
    found = []
    for lane, offset in enumerate(access.example.lanes):
        if offset is not None:
            thread = 32 * access.example.warp + lane
            x, y = thread % LAUNCH.block[0], thread // LAUNCH.block[0]
            names = {
                "threadIdx.x": x,
                "threadIdx.y": y,
                "blockIdx.x": access.example.block[0],
                "blockIdx.y": access.example.block[1],
            }
            found.append((names, offset))
    return found


KERNEL = analysed()


def test_every_access_has_an_index() -> None:
    assert len(KERNEL.accesses) == 14
    for access in KERNEL.accesses:
        assert set(re.findall(r"[A-Za-z][\w.]*", access.index)) <= {
            "threadIdx.x",
            "threadIdx.y",
            "blockIdx.x",
            "blockIdx.y",
        }, access.index


@pytest.mark.parametrize("access", KERNEL.accesses, ids=lambda access: f"{access.text} {access.op}")
def test_index_gives_the_address(access: facts.Access) -> None:
    lanes = places(access)
    assert lanes
    for names, offset in lanes:
        assert Reader(access.index, names).whole() * UNITS[access.object] == offset, access.index


@pytest.mark.parametrize("step", ["i -= blockDim.x", "i -= 64", "i += -64u", "i = i - blockDim.x"])
def test_a_counter_that_walks_down_does_so_in_the_index(step: str) -> None:
    text = f"__global__ void k(float *o, int n) {{ for (int i = n - 1 - threadIdx.x; i >= 0; {step}) o[i] = 1; }}"
    options = Options({}, (), "cuda", 900)
    program = Program(
        parse(preprocess("k.cu", text, options).tokens, "k.cu", "cuda"), options, {"k.cu": text}
    )
    (handle,) = program.kernels()
    launch = facts.Launch((1, 1, 1), (64, 1, 1), 0, {"n": 1000}, "command line")
    [access] = execute(
        program.instantiate(handle, None), launch, hardware.device("h100")
    ).kernel.accesses
    assert access.index == "999 - threadIdx.x - 64*iteration"
