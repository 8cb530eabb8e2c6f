"""`auto *p` is of the type that its initialiser has: the same facts as with the type spelled."""

from __future__ import annotations

import re

from kernlint.model import facts
from kernlint.model.settings import LaunchOverrides, Settings
from kernlint.pipeline import engine
from kernlint.source import files

SPELLED = """
struct S { int a, b; };
__global__ void k(float *y, const float *c, S *s, nv_bfloat162 *n) {
  /*auto*/float4 *q = reinterpret_cast<float4 *>(y);
  y[threadIdx.x] = q[threadIdx.x + 64].x;
  const /*auto*/float *t = c;
  y[threadIdx.x + 64] = t[2 * threadIdx.x];
  /*auto*/float *v = &y[32];
  v[threadIdx.x] = 1;
  /*auto*/S *const z = s;
  z[threadIdx.x].b = 1;
  if (/*auto*/S *h = s) h[threadIdx.x].a = 2;
  for (/*auto*/const float *p = c + threadIdx.x; p < c + 128; p += 32) y[threadIdx.x + 96] += *p;
  /*auto*/float **pp = &y;
  (*pp)[threadIdx.x + 1] = 3;
  /*auto*/unsigned *w = reinterpret_cast<unsigned *>(n);
  w[threadIdx.x] = 1;
}
"""


def told(text: str) -> list[tuple[object, ...]]:
    settings = Settings(launch=LaunchOverrides((2, 1, 1), (64, 1, 1)))
    file = engine.analyse_source(files.Source("k.cu", "cuda", text), settings)
    assert not file.problems
    return [numbers(access) for access in file.kernels[0].accesses]


def numbers(access: facts.Access) -> tuple[object, ...]:
    return (
        access.span.line,
        access.text,
        access.op,
        access.bytes,
        access.index,
        access.status,
        str(access.requests),
        access.sectors,
    )


def test_pointers_declared_with_auto_are_those_spelled() -> None:
    spelled, made = told(SPELLED), told(re.sub(r"/\*auto\*/(const )?\w+", "auto", SPELLED))
    assert (
        made == spelled
        and len(made) == 12
        and sum(status == "exact" for *_, status, _, _ in made) >= 6
    )
