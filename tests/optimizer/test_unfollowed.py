"""Values that reach what kernlint does not follow are not unneeded: places and functions of missing
classes, halves, images, surfaces, `new`, `memset`; what `__builtin_assume` reads is dropped. CUDA
without missing names is held against nvcc 13's code for sm_90."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.model import facts
from kernlint.model.settings import Settings
from kernlint.pipeline.engine import analyse
from tests.execution.test_execution import run
from tests.optimizer.test_volatile import made

CUDA = """// kernlint: launch(grid=1, block=32, kernel=k)
#include <new>
struct P {{ int a, b; __device__ P(int x) : a(x), b(x + 1) {{}} }};
__global__ void k(int *o, int *f, cudaSurfaceObject_t surface) {{
    int t = threadIdx.x, d = 0;
    {}
    o[t] = 1;
}}
"""
MADE = {
    "surf1Dwrite(f[t * 8], surface, t * 4);": "LDG",
    "d = tex1D<int>(surface, (float)f[t]);": "",
    "new (o + 64 + t) int(f[t]);": "LDG STG",
    "new (o + 64 + t) int{f[t]}; new (o + 128 + t) int;": "LDG STG",
    "P *p = new ((P *)f + t) P(o[t]); o[64 + t] = p->b;": "LDG STG STG STG",
    "new (&d) int(f[t]); o[64 + t] = d;": "LDG STG",
    "__builtin_assume(f[t] > 3);": "",
    "__shared__ int s[32]; s[t] = f[t]; __syncthreads(); __builtin_assume(s[t ^ 1] > 3);": "LDG STS",
    "o[64 + t] = __syncthreads_count(f[t]);": "LDG STG",
}
OPEN = [
    "Missing x(f[t]); x.go(o);",
    "Missing x(f[t]);",
    "Missing x(1, f[t]);",
    "Missing x{f[t], 2};",
    "Missing<int> x = f[t];",
    "v[t] = f[t];",
    "v(t, 3) += f[t];",
    "v->set(f[t]);",
    "(*v).x[f[t]] = 3;",
    "v << f[t];",
    "v.a.b = {1, f[t]};",
    "call({1, f[t]});",
    "d = f[t]; v[d];",
    "auto q = v.at(f[t]); q.go();",
    "new Missing(f[t]);",
    "__pipeline_memcpy_async(o, f, f[t]);",
    "table[f[t]](o);",
]
OPENCL = """// kernlint: launch(grid=1, block=32, kernel=k)
__kernel void k(__global half *h, __global float4 *f, __global float *o, write_only image2d_t im) {{
    __local half l[2048];
    int i = get_global_id(0);
    vstore_half(1.f, i, l);
    {}
}}
"""
HALVES = {
    "o[i] = vload_half(i * 16, h);": ("vload_half(i * 16, h)", 2, 1),
    "float4 q = vload_half4(i, h); o[i] = q.x + q.y + q.z + q.w;": ("vload_half4(i, h)", 2, 4),
    "float4 q = vloada_half4(i, h); o[i] = q.x + q.y + q.z + q.w;": ("vloada_half4(i, h)", 8, 1),
    "vstore4(vloada_half8(i, h).lo, i, o); vstore4(vloada_half8(i, h).hi, i, o + 512);": (
        "vloada_half8(i, h)",
        16,
        1,
    ),
    "o[i] = vload_half(i * 2, l);": ("vload_half(i * 2, l)", 2, 1),
    "vstore_half(vload_half(i, h) * 2.f, i + 99, h);": ("vload_half(i, h)", 2, 1),
    "write_imagef(im, (int2)(i, 0), f[i * 4]);": ("f[i * 4]", 16, 1),
    "float4 v = f[i]; write_imageh(im, (int2)(i, 0), v);": ("f[i]", 16, 1),
}


def named(path: Path, source: str) -> facts.Kernel:
    path.write_text(source)
    (kernel,) = analyse([str(path)], Settings()).files[0].kernels
    return kernel


@pytest.mark.parametrize("body", MADE)
def test_what_is_done_for_its_effect_needs_what_it_takes(body: str, tmp_path: Path) -> None:
    assert made(run(tmp_path, CUDA.format(body))) == " ".join(sorted((*MADE[body].split(), "STG")))


@pytest.mark.parametrize("body", OPEN)
def test_what_is_not_followed_may_need_what_it_takes(body: str, tmp_path: Path) -> None:
    kernel = named(
        tmp_path / "k.cu",
        CUDA.replace("cudaSurfaceObject_t surface", "Vector v, Function *table").format(body),
    )
    loads = [
        a
        for a in kernel.accesses
        if (a.op == "load" and a.text.endswith(("f[t]", "f[t])", "f[t], 2}")))
        or a.text == "(1, f[t])"
    ]
    assert len(loads) == 1 and loads[0].as_compiled is None and loads[0].status != "exact"


@pytest.mark.parametrize("body", HALVES)
def test_halves_and_images_are_loaded(body: str, tmp_path: Path) -> None:
    text, width, pieces = HALVES[body]
    load = next(a for a in named(tmp_path / "k.cl", OPENCL.format(body)).accesses if a.text == text)
    assert load.as_compiled is None and load.bytes == width and load.requests == pieces


def test_arguments_are_evaluated_once(tmp_path: Path) -> None:
    for call in (
        "__syncthreads_count(f[t])",
        "__syncthreads_or(f[t])",
        "__any_sync(~0u, f[t])",
        "__reduce_add_sync(~0u, f[t])",
    ):
        kernel = run(tmp_path, CUDA.format(f"o[64 + t] = {call};"))
        assert [a.text for a in kernel.accesses if a.op == "load"] == ["f[t]"]
    kernel = named(
        tmp_path / "k.cl", OPENCL.format("vstore4(vload4(as_int(o[i]), o), i, o + 999);")
    )
    assert len([a for a in kernel.accesses if a.text == "o[i]"]) == 1


def test_bytes_are_set_to_what_is_loaded(tmp_path: Path) -> None:
    kernel = run(tmp_path, CUDA.format("memset(o + 64 + t * 8, f[t], 16);"))
    assert [(a.op, a.requests) for a in kernel.accesses if a.text.startswith(("memset", "f"))] == [
        ("store", 16),
        ("load", 1),
    ]
