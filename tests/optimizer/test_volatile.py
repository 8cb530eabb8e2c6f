"""Volatile accesses, however they are declared: each is made, and what feeds it stays. Held against
nvcc 13's machine code for sm_90."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernlint.model import facts
from tests.execution.test_execution import run

SOURCE = """// kernlint: launch(grid=1, block=32, kernel=k)
struct Q {{ volatile int head; int pad; }};
struct Ring {{ volatile int slots[4]; int count; }};
struct Longer : Q {{ int more; }};
struct Outer {{ Q q; int more; }};
struct Referring {{ volatile int &r; }};
struct Cell {{
    int v;
    __device__ int seen() volatile {{ return v; }}
    __device__ int seen() {{ return 3; }}
    __device__ void put(int x) volatile {{ v = x; }}
}};
template <class T> struct Holder {{ T *at; __device__ void put(int x) {{ *at = x; }} }};
typedef volatile int watched;
using watched_float = volatile float;
__device__ inline int peek(const volatile int &x) {{ return x; }}
template <class T> __device__ inline T peek_any(const volatile T &x) {{ return x; }}
template <class T> __device__ inline T once(T *p) {{ return *(volatile T *)p; }}
template <class T> __device__ inline void twice(T *p) {{ p[0] = 1; p[0] = 2; }}
template <class T, int N> __device__ inline void first(T (&a)[N]) {{ a[0] = 1; a[0] = 2; }}
__device__ inline void array(volatile int a[]) {{ a[0] = 1; a[0] = 2; }}
__device__ inline volatile int &pick(int *a) {{ return a[1]; }}
__device__ inline volatile int &either(int *a, int c) {{ if (c) return a[1]; return a[2]; }}
__device__ inline void set(volatile int &x) {{ x = 1; x = 2; }}
__device__ inline void set(int &x) {{ }}
__global__ void k(float *o, int *g, Q *q, Ring *ring, Longer *longer, Outer *outer, Cell *cell, int c) {{
    int t = threadIdx.x;
    {}
    o[t] = 1.f;
}}
"""
SHARED = "__shared__ float s[32]; s[t] = o[t]; __syncthreads(); volatile float *v = s; "
MADE = {
    "__shared__ Q m[32]; m[t].head = (int)o[t]; m[t].pad = 3; __syncthreads(); int u = m[t ^ 1].head;": "LDG STS STS LDS",
    "q[t].head = 1; q[t].head = 2; q[t].pad = 3; q[t].pad = 4;": "STG STG STG",
    "int a = q[t].head, b = q[t].head, x = q[t].pad;": "LDG LDG",
    "ring[t].slots[2] = 1; ring[t].slots[2] = 2; ring[t].count = 3; ring[t].count = 4;": "STG STG STG",
    "longer[t].head = 1; longer[t].head = 2; longer[t].more = 3; longer[t].more = 4;": "STG STG STG",
    "outer[t].q.head = 1; outer[t].q.head = 2; outer[t].more = 3; outer[t].more = 4;": "STG STG STG",
    "volatile int *h = &q[t].head; *h = 1; *h = 2; auto *i = &q[t].head; *i = 3; *i = 4;": "STG STG STG STG",
    "auto &h = q[t].head; h = 1; h = 2; int x = h;": "STG STG LDG",
    "volatile int &h = g[t]; h = 1; h = 2; int x = h;": "STG STG LDG",
    "volatile int &h = const_cast<volatile int &>(g[t]); h = 1; h = 2;": "STG STG",
    "(volatile int &)g[t] = 1; (volatile int &)g[t] = 2;": "STG STG",
    "volatile int *h = g; int &r = const_cast<int &>(h[t]); r = 1; r = 2;": "STG",
    "Referring r{g[t]}; r.r = 1; r.r = 2; int x = r.r;": "STG STG LDG",
    "Holder<volatile int> h{g + t}; h.put(1); h.put(2);": "STG STG",
    "cell[t].put(1); cell[t].put(2); int x = cell[t].seen(); volatile Cell *w = cell + t; x = w->seen();": "STG STG LDG",
    "pick(g + t) = 1; pick(g + t) = 2; int x = pick(g + t); x = either(g + t, c);": "STG STG LDG LDG",
    "watched *h = g; h[t] = 1; h[t] = 2; watched_float *f = o; f[t] = 1; f[t] = 2;": "STG STG STG STG",
    "twice<volatile int>(g + t);": "STG STG",
    "volatile int *h = g; twice(h + t); set(h[t]); set(g[t]);": "STG STG STG STG",
    "array(g + t);": "STG STG",
    "int x = peek(g[t]) + peek_any(g[t]) + once(g + t);": "LDG LDG LDG",
    "__shared__ volatile int w[32]; first(w); twice(w);": "STS STS STS STS",
    "__shared__ int w[32]; w[t] = (int)o[t]; __syncwarp(); int x = peek(w[t ^ 1]);": "LDG STS LDS",
    SHARED + "(void)*(volatile float *)&s[t ^ 1];": "LDG STS LDS",
    SHARED + "v[t ^ 1]; (v[t ^ 2]); *v; static_cast<void>(v[3]);": "LDG STS LDS LDS LDS LDS",
    SHARED + "v[1], v[2]; (void)(v[3], v[4]);": "LDG STS LDS LDS LDS LDS",
    SHARED + "v[t ^ 1] = 2; (v[t ^ 2] = 3);": "LDG STS STS STS",
    "q[t].head; (void)q[t ^ 1].head; q[t].pad; pick(g + t);": "LDG LDG",
    "volatile int (*a)[32] = (volatile int (*)[32])g; a[1][t] = 1; a[1][t] = 2; auto &b = a[2]; b[t] = 1; b[t] = 2;": "STG STG STG STG",
}
NAMES = {"load": "LD", "store": "ST"}


def made(kernel: facts.Kernel) -> str:
    """What the machine is said to execute in the end."""
    kept = [a for a in kernel.accesses if a.as_compiled is None or a.as_compiled.requests]
    return " ".join(sorted(NAMES[a.op] + a.space[0].upper() for a in kept))


@pytest.mark.slow
@pytest.mark.parametrize("body", MADE)
def test_volatile_accesses_are_made_and_what_they_read_stays(body: str, tmp_path: Path) -> None:
    assert made(run(tmp_path, SOURCE.format(body))) == " ".join(
        sorted((*MADE[body].split(), "STG"))
    )
