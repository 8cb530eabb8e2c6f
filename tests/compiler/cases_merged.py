"""Cases of neighbours in shared and global memory: which of a vector's elements are used, and loops
unrolled in full or by a part."""

from __future__ import annotations

from itertools import combinations

INDEX = "  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;\n"
STATIC, DYNAMIC = "__shared__ {0} s[2048];", "extern __shared__ {0} s[];"
PLACED = (("static", STATIC), ("dynamic", DYNAMIC))


def _some_of_four() -> dict[str, str]:
    cases = {}
    for count in (2, 3, 4):
        for slots in combinations(range(4), count):
            name, members = "".join(map(str, slots)), ["xyzw"[s] for s in slots]
            for element, width in (("float", 4), ("short", 2)):
                product = " * ".join(f"s[4 * t + {s}]" for s in slots)
                cases[
                    f"use_{element}_{name}"
                ] = f"""__global__ void k({element} *a, {element} *o) {{
{INDEX}  __shared__ {element} s[1024];
  s[t ^ 1] = a[i]; //@ g.ld{width} s.st{width}
  __syncthreads();
  o[i] = {product}; //@ {f"s.ld{width} " * count}g.st{width}
}}
"""
                stores = " ".join(f"s[4 * t + {s}] = v * {s + 2};" for s in slots)
                cases[
                    f"set_{element}_{name}"
                ] = f"""__global__ void k({element} *a, {element} *o) {{
{INDEX}  __shared__ {element} s[1024];
  {element} v = a[i]; //@ g.ld{width}
  {stores} //@ {f"s.st{width} " * count}
  __syncthreads();
  o[i] = s[t]; //@ s.ld{width} g.st{width}
}}
"""
            cases[f"use_float4_{name}"] = (
                f"__global__ void k(float4 *a, float *o) {{\n{INDEX}  o[i] = {' * '.join(f'a[i].{m}' for m in members)}; //@ {'g.ld4 ' * count}g.st4\n}}\n"
            )
            cases[f"set_float4_{name}"] = (
                f"__global__ void k(float4 *a, float *o) {{\n{INDEX}  float v = o[i]; //@ g.ld4\n  {' '.join(f'a[i].{m} = v * {j + 2};' for j, m in enumerate(members))} //@ {'g.st4 ' * count}\n}}\n"
            )
    return cases


def _loop(
    declaration: str,
    element: str,
    head: str,
    index: str,
    written: str,
    pragma: str = "",
    more: str = "",
) -> str:
    return f"""__global__ void k({element} *a, float *b, {element} *o, int n, int m) {{
{INDEX}  {declaration.format(element)}
  s[t ^ 1] = a[i];
  __syncthreads();
  {element} x = 0;
{pragma}
  for ({head}) {{
    x += s[{index}]; //@ {written}
    {more}
  }}
  o[i] = x;
}}
"""


def _loops() -> dict[str, str]:
    cases = {}
    up = "int k = 0; k < n; ++k"
    for place, declaration in PLACED:
        for element, width in (("float", 4), ("double", 8), ("short", 2), ("char", 1)):
            for name, index in (
                ("uniform", "k"),
                ("row", "16 * t + k"),
                ("pair", "2 * t + k"),
                ("argument", "4 * m + k"),
                ("block", "t / 16 * 16 + k"),
            ):
                cases[f"by_four_{place}_{element}_{name}"] = _loop(
                    declaration, element, up, index, f"s.ld{width}"
                )
        for pragma in (2, 4, 8, 16):
            for name, index in (("uniform", "k"), ("row", "16 * t + k")):
                cases[f"pragma_{pragma}_{place}_{name}"] = _loop(
                    declaration, "float", up, index, "s.ld4", f"#pragma unroll {pragma}"
                )
                for trips in (64, 70):
                    cases[f"pragma_{pragma}_{place}_{name}_{trips}"] = _loop(
                        declaration,
                        "float",
                        f"int k = 0; k < {trips}; ++k",
                        index,
                        f"s.ld4 x{trips}",
                        f"#pragma unroll {pragma}",
                    )
        for trips in (5, 6, 7, 12, 30, 64, 66, 96, 102, 128, 130, 192, 200, 256, 1000, 1024):
            for name, index in (("uniform", "k"), ("row", "16 * t + k")):
                cases[f"trips_{trips}_{place}_{name}"] = _loop(
                    declaration, "float", f"int k = 0; k < {trips}; ++k", index, f"s.ld4 x{trips}"
                )
        for trips in (96, 128, 192, 384, 512):
            for size in (3, 5, 8, 12, 18):
                more = " ".join(f"x = x * {j}.5f + 1.f;" for j in range(1, size))
                cases[f"trips_{trips}_{place}_body_{size}"] = _loop(
                    declaration,
                    "float",
                    f"int k = 0; k < {trips}; ++k",
                    "k",
                    f"s.ld4 x{trips}",
                    more=more,
                )
        heads = {
            "start_1": "int k = 1; k < n; ++k",
            "start_4": "int k = 4; k < n; ++k",
            "start_m": "int k = m; k < n; ++k",
            "step_2": "int k = 0; k < n; k += 2",
            "down": "int k = n - 1; k >= 0; --k",
            "unsigned": "unsigned k = 0; k < n; ++k",
            "up_to": "int k = 0; k <= n; ++k",
            "blockdim": "int k = 0; k < blockDim.x; ++k",
            "product": "int k = 0; k < n * m; ++k",
        }
        for name, head in heads.items():
            cases[f"head_{name}_{place}"] = _loop(declaration, "float", head, "16 * t + k", "s.ld4")
        more = {
            "load": "x *= b[k * 256 + i];",
            "store": "b[k * 256 + i] = x;",
            "many": " ".join(f"x = x * {j}.5f + b[i];" for j in range(1, 12)),
            "too_many": " ".join(f"x = x * {j}.5f + 1.f;" for j in range(1, 48)),
            "if": "if (x > 3.f) x = x * x;",
            "again": "x *= s[16 * t + k + 1];",
            "far": "x *= s[16 * t + k + 8];",
            "break": "if (x > 3.f) break;",
            "barrier": "__syncthreads();",
        }
        for name, text in more.items():
            cases[f"more_{name}_{place}"] = _loop(
                declaration, "float", up, "16 * t + k", "s.ld4", more=text
            )
            cases[f"more_{name}_{place}_32"] = _loop(
                declaration, "float", "int k = 0; k < 32; ++k", "16 * t + k", "s.ld4 x32", more=text
            )
    return cases


def cases() -> dict[str, str]:
    return {**_some_of_four(), **_loops()}
