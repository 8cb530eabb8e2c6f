"""Cases that vary loops: unrolling, repeated and loop-invariant accesses, promotion of memory to a
register.

Every case is the text of one `__global__` function `k`. A line that touches memory ends in `//@`
and its accesses as written: `g.ld4` (space g/s/l, operation ld/st/at, bytes), `xN` for the product
of constant trip counts around it, `ref` for an access that surely runs once per iteration and tells
how often the loop was unrolled.
"""

from __future__ import annotations

G = "__global__ void k(float *a, float *b, float *o, int n, int m)"
R = "__global__ void k(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ o, int n, int m)"
INDEX = "  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;\n"


def _shared_loops() -> dict[str, str]:
    cases = {}
    pragmas = {
        "plain": "",
        "unroll": "#pragma unroll\n",
        "unroll1": "#pragma unroll 1\n",
        "unroll2": "#pragma unroll 2\n",
        "unroll3": "#pragma unroll 3\n",
    }
    for pragma, text in pragmas.items():
        for trip in ("16", "n", "blockDim.x", "2", "3"):
            if trip in "23" and pragma not in ("plain", "unroll1"):
                continue
            cases[f"row_{pragma}_{trip.replace('.', '')}"] = f"""{G} {{
  __shared__ float s[16][16]; {INDEX}
  s[t / 16][t % 16] = a[i]; //@ g.ld4 s.st4
  __syncthreads();
  float x = 0;
{text}  for (int k = 0; k < {trip}; ++k)
    x += s[t / 16][k]; //@ s.ld4{f" x{trip}" if trip.isdigit() else ""}
  o[i] = x; //@ g.st4
}}
"""
    for pitch in (16, 17, 18, 20, 33, 36):
        cases[f"pitch_{pitch}"] = f"""{G} {{
  __shared__ float s[16][{pitch}]; {INDEX}
  s[t / 16][t % 16] = a[i]; //@ g.ld4 s.st4
  __syncthreads();
  float x = 0;
  for (int k = 0; k < 16; ++k)
    x += s[t / 16][k]; //@ s.ld4 x16
  o[i] = x; //@ g.st4
}}
"""
    for start in ("1", "2", "m", "t", "4 * t", "2 * t"):
        cases[f"start_{''.join(c for c in start if c.isalnum())}"] = f"""{G} {{
  __shared__ float s[1024]; {INDEX}
  s[t] = a[i]; //@ g.ld4 s.st4
  __syncthreads();
  float x = 0;
  for (int k = 0; k < 8; ++k)
    x += s[{start} + k]; //@ s.ld4 x8
  o[i] = x; //@ g.st4
}}
"""
    for step, down in (("2", False), ("4", False), ("m", False), ("1", True)):
        head = f"for (int k = {'n - 1; k >= 0; --k' if down else f'0; k < n; k += {step}'})"
        cases[f"step_{step}{'_down' if down else ''}"] = f"""{G} {{
  __shared__ float s[16][32]; {INDEX}
  s[t / 16][t % 16] = a[i]; //@ g.ld4 s.st4
  __syncthreads();
  float x = 0;
  {head}
    x += s[t / 16][k]; //@ s.ld4
  o[i] = x; //@ g.st4
}}
"""
    for element, width in (("char", 1), ("short", 2), ("double", 8), ("float2", 8), ("float4", 16)):
        member = ".x" if "float" in element else ""
        cases[f"element_{element}"] = f"""__global__ void k({element} *a, float *o) {{
  __shared__ {element} s[16][16]; {INDEX}
  s[t / 16][t % 16] = a[i]; //@ g.ld{width} s.st{width}
  __syncthreads();
  float x = 0;
  for (int k = 0; k < 16; ++k)
    x += s[t / 16][k]{member}; //@ s.ld{4 if member else width} x16
  o[i] = x; //@ g.st4
}}
"""
    return cases


def _shared_bodies() -> dict[str, str]:
    cases = {}
    inside = {
        "barrier": "__syncthreads();",
        "syncwarp": "__syncwarp();",
        "store_same": "s[t / 16 + 1][k] = x; //@ s.st4",
        "store_other": "q[t] = x; //@ s.st4",
        "store_global": "o[k * n + i] = x; //@ g.st4",
        "store_volatile": "*(volatile float *)(o + k * n + i) = x; //@ g.st4 ref",
        "shuffle": "x = __shfl_xor_sync(~0u, x, 1);",
        "ifdata": "if (x > 100.f) x *= 0.5f;",
        "break": "if (x > 100.f) break;",
        "atomic": "atomicAdd(&o[k], x); //@ g.at4",
        "fence": "__threadfence_block();",
    }
    for what, text in inside.items():
        for trip in ("16", "n"):
            line = text + (" x16" if trip == "16" and "//@" in text else "")
            cases[f"body_{what}_{trip}"] = f"""{G} {{
  __shared__ float s[32][16], q[512]; {INDEX}
  s[t / 16][t % 16] = a[i]; //@ g.ld4 s.st4
  __syncthreads();
  float x = 0;
  for (int k = 0; k < {trip}; ++k) {{
    x += s[t / 16][k]; //@ s.ld4{" x16" if trip == "16" else ""}
    {line}
  }}
  o[i] = x + q[t ^ 1]; //@ g.st4 s.ld4
}}
"""
    for guard in ("t < 16", "k < m", "(t & (k + 1))", "x > 0.f"):
        cases[f"guard_{''.join(c for c in guard if c.isalnum())}"] = f"""{G} {{
  __shared__ float s[32][16]; {INDEX}
  s[t / 16][t % 16] = a[i]; //@ g.ld4 s.st4
  __syncthreads();
  float x = 0;
  for (int k = 0; k < 16; ++k)
    if ({guard})
      x += s[t / 16][k]; //@ s.ld4 x16
  o[i] = x; //@ g.st4
}}
"""
    return cases


def _global_loops() -> dict[str, str]:
    cases = {}
    for head, h in (("plain", G), ("restrict", R)):
        for index, name in (("i * 16 + k", "row"), ("k * 256 + i", "column"), ("k", "uniform")):
            for trip in ("16", "n"):
                cases[f"gload_{head}_{name}_{trip}"] = f"""{h} {{
{INDEX}  float x = 0;
  for (int k = 0; k < {trip}; ++k)
    x += a[{index}]; //@ g.ld4{" x16" if trip == "16" else ""}
  o[i] = x; //@ g.st4
}}
"""
        for name, body in {
            "neighbour": ("o[k * 256 + i] = a[k] + a[k + 1]", "g.ld4 g.ld4 g.st4 ref"),
            "neighbour_lane": ("o[k * 256 + i] = a[i + k] + a[i + k + 1]", "g.ld4 g.ld4 g.st4 ref"),
            "neighbour_far": ("o[k * 256 + i] = a[i + k] + a[i + k + 8]", "g.ld4 g.ld4 g.st4 ref"),
            "neighbour_row": (
                "o[k * 256 + i] = a[k * n + i] + a[(k + 1) * n + i]",
                "g.ld4 g.ld4 g.st4 ref",
            ),
            "invariant": ("o[k * 256 + i] = a[i] * k", "g.ld4 g.st4 ref"),
            "invariant_uniform": ("o[k * 256 + i] = a[0] * k", "g.ld4 g.st4 ref"),
            "accumulate": ("o[i] += a[k * 256 + i]", "g.ld4 g.ld4 g.st4"),
            "accumulate_uniform": ("o[0] += a[k * 256 + i]", "g.ld4 g.ld4 g.st4"),
            "overwrite": ("o[i] = a[k * 256 + i]", "g.ld4 g.st4"),
            "inplace": ("o[k * 256 + i] += 1.f", "g.ld4 g.st4"),
            "inplace_prev": ("o[k * 256 + i] = o[(k - 1) * 256 + i] + 1.f", "g.ld4 g.st4"),
            "inplace_step": ("o[i * n + k] = o[i * n + k - 1] + a[k]", "g.ld4 g.ld4 g.st4"),
        }.items():
            cases[f"gbody_{head}_{name}"] = f"""{h} {{
{INDEX}  for (int k = 0; k < n; ++k)
    {body[0]}; //@ {body[1]}
}}
"""
            cases[f"gbody_{head}_{name}_const"] = f"""{h} {{
{INDEX}  for (int k = 0; k < 4; ++k)
    {body[0]}; //@ {body[1].replace(" ref", "")} x4
}}
"""
    return cases


def _invariant() -> dict[str, str]:
    cases = {}
    inside = {
        "nothing": "",
        "barrier": "__syncthreads();",
        "syncwarp": "__syncwarp();",
        "store_shared": "q[t] = x;",
        "store_same": "s[t ^ k] = x;",
        "store_global": "o[k * 256 + i] = x;",
        "atomic_shared": "atomicAdd((int *)&q[t], k);",
        "atomic_global": "atomicAdd(&o[k], x);",
        "fence": "__threadfence();",
    }
    for what, text in inside.items():
        for load, tag in (
            ("s[t]", "s.ld4"),
            ("s[3]", "s.ld4"),
            ("a[i]", "g.ld4"),
            ("a[3]", "g.ld4"),
            ("r[i]", "g.ld4"),
        ):
            cases[f"invariant_{what}_{''.join(c for c in load if c.isalnum())}"] = f"""
__global__ void k(float *a, float *o, volatile int *v, const float *__restrict__ r, int n) {{
  __shared__ float s[256], q[256]; {INDEX}
  s[t ^ 1] = a[i]; //@ g.ld4 s.st4
  q[t] = 0; //@ s.st4
  __syncthreads();
  float x = 0;
  for (int k = 0; k < n; ++k) {{
    x += {load}; //@ {tag}
    {text}
    v[k] = k; //@ g.st4 ref
  }}
  o[i] = x + q[t ^ 1] + s[t ^ 3]; //@ g.st4 s.ld4 s.ld4
}}
"""
    return cases


def cases() -> dict[str, str]:
    return {**_shared_loops(), **_shared_bodies(), **_global_loops(), **_invariant()}
