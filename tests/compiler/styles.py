"""Random kernels in the styles that people write: loops blocked in registers, predicated tails,
grid-stride loops, tiles with a halo, warp reductions, structs of arrays and arrays of structs,
packed halves and bytes, templates, lambdas, early returns, normalisation.

In: a seed and a count. Out: one program. `claimed.py` writes them and `claims.py` holds what
kernlint says of them against machine code.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

HEAD = """#include <cuda_bf16.h>
#include <cuda_fp16.h>
struct S2 { float a, b; };
struct S3 { float a, b, c; };
struct S4 { float a, b, c, d; };
struct alignas(16) A4 { float a, b, c, d; };
struct P { float a, b, c; int id; float d; };
"""
INDEX = "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
Pick = Callable[..., str]


def _kernel(number: int, parameters: str, body: str) -> str:
    return f"__global__ void k{number}({parameters}) {{\n{body}}}\n"


def _blocked(pick: Pick, number: int) -> str:
    """Each thread has several elements in registers."""
    count, step = pick("2", "4", "8"), pick("64", "blockDim.x")
    load = pick(
        f"q[base + j * {step}]",
        f"base + j * 64 < n ? q[base + j * {step}] : 0",
        f"q[base * {count} + j]",
    )
    loop = f"  for (int k = 0; k < {pick('n', '16', 'm')}; k++) {{\n    float b = r[{pick('k', 'k * 64 + threadIdx.x')}];\n#pragma unroll\n    for (int j = 0; j < {count}; j++) v[j] += b * v[j];\n  }}\n"
    last = pick(f"  float sum = 0;\n  for (int j = 0; j < {count}; j++) sum += v[j];\n  o[base] = sum;\n",
                f"#pragma unroll\n  for (int j = 0; j < {count}; j++)\n    {pick('', 'if (base + j * 64 < n) ')}o[base + j * {step}] = v[j]{pick('', ' * 2')};\n")  # fmt: skip
    restrict = pick("", "__restrict__ ")
    start = f"  int base = blockIdx.x * blockDim.x * {count} + threadIdx.x;\n  float v[{count}];\n"
    fill = f"{pick('', '#pragma unroll' + chr(10))}  for (int j = 0; j < {count}; j++)\n    v[j] = {load};\n"
    return _kernel(
        number,
        f"float *{restrict}o, const float *{restrict}q, const float *r, int n, int m",
        start + fill + pick("", loop) + last,
    )


def _tail(pick: Pick, number: int) -> str:
    vector = "    float4 x = *reinterpret_cast<const float4 *>(q + j);\n    x.x *= 2; x.y += x.z;\n    *reinterpret_cast<float4 *>(o + j) = x;\n"
    whole = f"  int j = (blockIdx.x * blockDim.x + threadIdx.x) * 4;\n  if (j + 3 < n) {{\n{vector}  }} else {{\n    for (int k = j; k < n; k++)\n      o[k] = q[k];\n  }}\n"
    each = pick(
        "if (j < n) sum += q[j];",
        "if (j >= n) break;\n    sum += q[j];",
        "sum += j < n ? q[j] : 0.f;",
        "if (j < n) o[j] = q[j] + 1;",
        "if (j < n) {\n      float x = q[j];\n      o[j] = x > 0 ? x : 0.1f * x;\n    }",
    )
    count = pick("2", "4")
    loop = f"  int first = blockIdx.x * blockDim.x * {count} + threadIdx.x;\n  float sum = 0;\n{pick('', '#pragma unroll' + chr(10))}  for (int k = 0; k < {count}; k++) {{\n    int j = first + k * blockDim.x;\n    {each}\n  }}\n  {pick('o[threadIdx.x] = sum;', 'if (first < n) o[first] = sum;', 'atomicAdd(o, sum);')}\n"
    return _kernel(
        number, f"float *o, const float *{pick('', '__restrict__ ')}q, int n", pick(whole, loop)
    )


def _grid_stride(pick: Pick, number: int) -> str:
    element = pick("float", "float", "float2", "float4", "int")
    bodies = {
        "float": ("float x = q[i];\n    o[i] = x * w + r[i];", "o[i] = fmaf(q[i], w, o[i]);", "sum += q[i] * r[i];", "float x = q[i];\n    if (x > 0) o[i] = x;\n    else o[i] = x * w;", "float d = q[i] - r[i];\n    sum += d * d;\n    o[i] = d;"),
        "int": ("o[i] = q[i] + r[i];", "o[i] = r[q[i]];", "atomicAdd(o + (q[i] & 255), 1);"),
        "float4": ("float4 x = q[i];\n    x.x *= w; x.y *= w; x.z *= w; x.w *= w;\n    o[i] = x;", "float4 x = q[i], y = r[i];\n    sum += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;", "float4 x = q[i];\n    sum += x.x + x.z;", "o[i] = q[i];"),
        "float2": ("o[i] = make_float2(q[i].x * r[i].x - q[i].y * r[i].y, q[i].x * r[i].y + q[i].y * r[i].x);", "sum += q[i].x;", "float2 a = q[i];\n    float2 b = r[i];\n    o[i] = {a.x + b.x, a.y - b.y};"),
    }  # fmt: skip
    body, restrict = pick(*bodies[element]), pick("", "__restrict__ ")
    unroll = pick(
        "", "#pragma unroll 2\n", "#pragma unroll 4\n", "#pragma unroll 1\n", "#pragma unroll\n"
    )
    loop = f"  for ({pick('int', 'size_t', 'unsigned')} i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {{\n    {body}\n  }}\n"
    last = "  f[threadIdx.x] = sum;\n" if "sum" in body else ""
    parameters = f"{element} *{restrict}o, const {element} *{restrict}q, const {element} *{restrict}r, float *f, float w, int n"
    return _kernel(number, parameters, f"  float sum = 0;\n{unroll}{loop}{last}")


def _halo(pick: Pick, number: int) -> str:
    reach = int(pick("1", "2", "3"))
    fill = f"  s[t + {reach}] = {pick('q[i]', 'i < n ? q[i] : 0.f')};\n"
    edges = f"  if (t < {reach}) {{\n    s[t] = {pick(f'q[i - {reach}]', f'i >= {reach} ? q[i - {reach}] : 0.f')};\n    s[t + {128 + reach}] = {pick('q[i + 128]', 'i + 128 < n ? q[i + 128] : 0.f')};\n  }}\n"
    loop = f"{pick('', '  if (i >= n) return;' + chr(10))}  float sum = 0;\n  for (int d = -{reach}; d <= {reach}; d++)\n    sum += s[t + {reach} + d] * c[d + {reach}];\n  o[i] = sum;\n"
    body = f"  __shared__ float s[{128 + 2 * reach}];\n  int t = threadIdx.x, i = blockIdx.x * 128 + t;\n{fill}{edges}  __syncthreads();\n{loop}"
    return _kernel(
        number, f"float *o, const float *{pick('', '__restrict__ ')}q, const float *c, int n", body
    )


def _reduction(pick: Pick, number: int) -> str:
    load = pick(
        "for (int j = i; j < n; j += gridDim.x * blockDim.x) sum += q[j];",
        "if (i < n) sum = q[i];",
        "sum = i < n ? q[i] : 0;",
        "float4 v = reinterpret_cast<const float4 *>(q)[i];\n  sum = v.x + v.y + v.z + v.w;",
    )
    step = pick(
        "sum += __shfl_down_sync(~0u, sum, d);", "sum = fmaxf(sum, __shfl_xor_sync(~0u, sum, d));"
    )
    store = "  __shared__ float part[32];\n  if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = sum;\n  __syncthreads();\n"
    last = pick("  if ((threadIdx.x & 31) == 0) atomicAdd(o, sum);\n", "  if (threadIdx.x % 32 == 0) o[i / 32] = sum;\n",
                store + "  sum = 0;\n  for (int k = 0; k < 8; k++) sum += part[k];\n  o[i] = sum;\n",
                store + "  if (threadIdx.x < 32) {\n    float x = part[threadIdx.x];\n#pragma unroll\n    for (int d = 16; d > 0; d /= 2) x += __shfl_xor_sync(~0u, x, d);\n    if (threadIdx.x == 0) *o = x;\n  }\n",
                "  __shared__ float total;\n  if (threadIdx.x == 0) total = 0;\n  __syncthreads();\n  if ((threadIdx.x & 31) == 0) atomicAdd(&total, sum);\n  __syncthreads();\n  o[i] = q[i] / total;\n")  # fmt: skip
    restrict = pick("", "__restrict__ ")
    return _kernel(
        number,
        f"float *{restrict}o, const float *{pick('', restrict)}q, int n",
        f"{INDEX}  float sum = 0;\n  {load}\n  for (int d = 16; d > 0; d {pick('>>= 1', '/= 2')})\n    {step}\n{last}",
    )


def _normalised(pick: Pick, number: int) -> str:
    """Two statistics of a row in shared scalars."""
    sums = "  float a = 0, b = 0;\n  for (int c = threadIdx.x; c < n; c += blockDim.x) {\n    float x = q[blockIdx.x * n + c];\n    a += x;\n    b += x * x;\n  }\n"
    fold = "  for (int d = 16; d > 0; d >>= 1) {\n    a += __shfl_xor_sync(~0u, a, d);\n    b += __shfl_xor_sync(~0u, b, d);\n  }\n"
    kept = pick(
        "mean = a / n;\n    scale = rsqrtf(b / n - mean * mean + 1e-5f);",
        "mean = a;\n    scale = b;",
        "scale = rsqrtf(b / n);\n    mean = a / n;",
    )
    use = pick(
        "o[at] = (q[at] - mean) * scale;",
        "o[at] = (q[at] - mean) * scale * g[c];",
        "o[at] = mean + q[at];\n    o[at + n] = scale;",
    )
    body = f"  __shared__ float mean, scale;\n{sums}{fold}  if (threadIdx.x == 0) {{\n    {kept}\n  }}\n  __syncthreads();\n  for (int c = threadIdx.x; c < n; c += blockDim.x) {{\n    int at = blockIdx.x * n + c;\n    {use}\n  }}\n"
    restrict = pick("", "__restrict__ ")
    return _kernel(
        number,
        f"float *{restrict}o, const float *{restrict}q, const float *{restrict}g, int n",
        body,
    )


def _structs(pick: Pick, number: int) -> str:
    kind = pick("S2", "S3", "S4", "A4", "P")
    members = {"S2": "ab", "S3": "abc"}.get(kind, "abcd")
    some = [m for m in members if pick("", "x")] or [members[-1]]
    body = pick(
        "  {S} p = q[i];\n" + "".join(f"  p.{m} {pick('+=', '*=')} w;\n" for m in some) + "  o[i] = p;\n",
        "".join(f"  o[i].{m} = q[i].{pick(*members)} + w;\n" for m in some),
        "  {S} p = q[i], u = q[i + n];\n  f[i] = " + " + ".join(f"(p.{m} - u.{m}) * (p.{m} - u.{m})" for m in some) + ";\n",
        "  float s = 0;\n  for (int k = 0; k < n; k++) {{\n    {S} p = q[i + k * 32];\n    s += " + " + ".join(f"p.{m}" for m in some) + ";\n  }}\n  f[i] = s;\n",
        "  __shared__ {S} s[128];\n  s[threadIdx.x] = q[i];\n  __syncthreads();\n  float e = 0;\n  for (int k = 0; k < 8; k++)\n    e += " + " * ".join(f"s[threadIdx.x ^ k].{m}" for m in some) + ";\n  f[i] = e;\n",
        "  const {S} &p = q[i];\n  {S} &u = o[i];\n" + "".join(f"  u.{m} = p.{m} + u.{m};\n" for m in some),
        "  if (i < n) {{\n    {S} p = q[i];\n    if (p." + some[0] + " > w) {{\n      p." + some[-1] + " = w;\n      o[i] = p;\n    }}\n  }}\n",
    )  # fmt: skip
    restrict = pick("", "__restrict__ ")
    return _kernel(
        number,
        f"{kind} *{restrict}o, const {kind} *{restrict}q, float *{restrict}f, float w, int n",
        INDEX + body.format(S=kind),
    )


def _arrays(pick: Pick, number: int) -> str:
    names = pick("xy", "xyz", "xyzw")
    sums = "".join(f"  e += f.{a}[i] * f.{a}[i];\n" for a in names)
    stores = "".join(f"  f.{a}[i] {pick('+=', '*=', '=')} e;\n" for a in names)
    struct = (
        f"struct F{number} {{\n  float {', '.join('*' + a for a in names)};\n  int count;\n}};\n"
    )
    return struct + _kernel(
        number,
        f"F{number} f, float d",
        f"{INDEX}  if (i >= f.count) return;\n  float e = 0;\n{sums}{pick('', '  e = rsqrtf(e);' + chr(10))}{stores}",
    )


def _halves(pick: Pick, number: int) -> str:
    kind = pick("__half2", "__nv_bfloat162")
    wide, narrow = (
        ("__half22float2", "__float22half2_rn")
        if kind == "__half2"
        else ("__bfloat1622float2", "__float22bfloat162_rn")
    )
    body = pick(
        f"  {kind} v = q[i];\n  o[i] = __hadd2(v, r[i]);\n", f"  float2 v = {wide}(q[i]);\n  v.x *= w;\n  o[i] = {narrow}(v);\n",
        f"  float s = 0;\n  for (int j = 0; j < {pick('n', '4')}; j++) {{\n    float2 a = {wide}(q[i + j * 32]);\n    s += a.x * a.y;\n  }}\n  f[i] = s;\n",
        f"  __shared__ {kind} s[128];\n  s[threadIdx.x] = q[i];\n  __syncthreads();\n  o[i] = __hfma2(s[threadIdx.x ^ 1], s[threadIdx.x], r[i]);\n",
        f"  uint2 a = *reinterpret_cast<const uint2 *>(q + 2 * i);\n  {kind} x = *reinterpret_cast<{kind} *>(&a.x);\n  float2 u = {wide}(x);\n  f[i] = u.x + u.y;\n",
        f"  uint4 raw = reinterpret_cast<const uint4 *>(q)[i];\n  {kind} *h = reinterpret_cast<{kind} *>(&raw);\n#pragma unroll\n  for (int j = 0; j < 4; j++) h[j] = __hmul2(h[j], r[{pick('j', 'i', 'i * 4 + j')}]);\n  reinterpret_cast<uint4 *>(o)[i] = raw;\n",
    )  # fmt: skip
    restrict = pick("", "__restrict__ ")
    return _kernel(
        number,
        f"{kind} *{restrict}o, const {kind} *{restrict}q, const {kind} *{restrict}r, float *f, float w, int n",
        INDEX + pick("", "  if (i >= n) return;\n") + body,
    )


def _bytes(pick: Pick, number: int) -> str:
    body = pick(
        "  char4 v = q[i];\n  f[i] = v.x + v.y + v.z + v.w;\n", "  int p = reinterpret_cast<const int *>(q)[i];\n  f[i] = ((p << 24) >> 24) * ((p << 16) >> 24) + (p >> 24);\n",
        f"  int sum = 0;\n  for (int k = 0; k < {pick('n', '8')}; k++)\n    sum = __dp4a(reinterpret_cast<const int *>(q)[i + k * 32], reinterpret_cast<const int *>(o)[k], sum);\n  f[i] = sum;\n",
        "  char4 v = q[i];\n  v.x = min(v.x + 1, 127);\n  v.w = -v.w;\n  o[i] = v;\n",
        "  int4 raw = reinterpret_cast<const int4 *>(q)[i];\n  const signed char *c = reinterpret_cast<const signed char *>(&raw);\n  int s = 0;\n#pragma unroll\n  for (int k = 0; k < 16; k++) s += c[k];\n  f[i] = s;\n",
        "  __shared__ char4 s[128];\n  s[threadIdx.x] = q[i];\n  __syncthreads();\n  char4 a = s[threadIdx.x ^ 3];\n  f[i] = a.x * a.w;\n  o[i] = make_char4(a.y, a.x, 0, 1);\n",
    )  # fmt: skip
    restrict = pick("", "__restrict__ ")
    return _kernel(
        number,
        f"char4 *{restrict}o, const char4 *{restrict}q, int *{restrict}f, int n",
        INDEX + body,
    )


def _template(pick: Pick, number: int) -> str:
    restrict = pick("", "__restrict__ ")
    whole = f"""template <int V, bool Bias> __device__ void body{number}(float *{restrict}o, const float *{restrict}q, const float *{restrict}b, int n) {{
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * V;
  float x[V];
#pragma unroll
  for (int k = 0; k < V; k++) x[k] = q[i + k];
  if constexpr (Bias) {{
    for (int k = 0; k < V; k++) x[k] += b[{pick("k", "(i + k) % n", "i + k")}];
  }}
  if constexpr (V == 4) *reinterpret_cast<float4 *>(o + i) = make_float4(x[0], x[1], x[2], x[3]);
  else for (int k = 0; k < V; k++) o[i + k] = x[k];
}}
"""
    call = f"  body{number}<{pick('1', '2', '4')}, {pick('true', 'false')}>(o, q, b, n);\n"
    fragment = f"""template <typename T, int N> struct Part{number} {{
  T x[N];
  __device__ void load(const T *p) {{
    for (int k = 0; k < N; k++) x[k] = p[k * {pick("32", "1")}];
  }}
  __device__ T sum() const {{ T s = 0; for (int k = 0; k < N; k++) s += x[k]; return s; }}
}};
"""
    use = f"{INDEX}  Part{number}<float, {pick('2', '3', '4')}> c, d;\n  c.load(q + i);\n  d.load(b + i);\n  o[i] = c.sum() {pick('*', '+')} d.sum();\n"
    chosen = pick("whole", "fragment")
    parameters = f"float *{restrict}o, const float *{restrict}q, const float *{restrict}b, int n"
    return (whole if chosen == "whole" else fragment) + _kernel(
        number, parameters, call if chosen == "whole" else use
    )


def _lambda(pick: Pick, number: int) -> str:
    body = pick(
        "  auto at = [&](int x, int y) { return q[y * n + x]; };\n  int x = threadIdx.x + 1, y = threadIdx.y + 1;\n  o[y * n + x] = at(x, y) * 4 - at(x - 1, y) - at(x + 1, y)\n    - at(x, y - 1) - at(x, y + 1);\n",
        "  int i = threadIdx.x;\n  auto inside = [n](int j) { return j < 0 ? 0 : j >= n ? n - 1 : j; };\n  float s = 0;\n  for (int d = -1; d <= 1; d++) s += q[inside(i + d)];\n  o[i] = s;\n",
        "  int i = threadIdx.x;\n  auto load = [&](int j) -> float { if (j >= n) return 0; return q[j]; };\n  float a = load(i);\n  float b = load(i + 32);\n  o[i] = a * b;\n",
    )  # fmt: skip
    restrict = pick("", "__restrict__ ")
    return _kernel(number, f"float *{restrict}o, const float *{restrict}q, int n", body)


def _early(pick: Pick, number: int) -> str:
    guards = pick(
        "  if (i >= n) return;\n",
        "  if (i >= n || f[i] == 0) return;\n",
        "  int e = f[i];\n  if (e > 3) return;\n",
    )
    other = pick(
        "",
        "  float x = q[i];\n  if (x < 0) {\n    o[i] = 0;\n    return;\n  }\n",
        "  if (q[i] > 5) {\n    o[i] = r[i];\n    return;\n  }\n",
    )
    last = pick(
        "  o[i] = q[i] * q[i + 1];\n",
        "  float a = q[i];\n  float b = q[f[i]];\n  o[i] = a * b;\n",
        "  o[i] = s[2 * threadIdx.x] + s[2 * threadIdx.x + 1];\n",
        "  float u = s[threadIdx.x];\n  o[i] = s[2 * threadIdx.x] + s[2 * threadIdx.x + 1] * u;\n",
        "  for (int k = 0; k < 4; k++) o[i * 4 + k] = q[i + k];\n",
    )
    shared = (
        "  __shared__ float s[256];\n  s[threadIdx.x] = q[threadIdx.x];\n  __syncthreads();\n"
        if "s[" in last
        else ""
    )
    restrict = pick("", "__restrict__ ")
    return _kernel(
        number,
        f"float *{restrict}o, const float *{restrict}q, const float *{restrict}r, const int *{restrict}f, int n",
        INDEX + shared + guards + other + last,
    )


STYLES: Mapping[str, Callable[[Pick, int], str]] = {
    "blocked": _blocked, "tail": _tail, "grid": _grid_stride, "halo": _halo, "reduction": _reduction, "normalised": _normalised, "structs": _structs, "arrays": _arrays,
    "halves": _halves, "bytes": _bytes, "template": _template, "lambda": _lambda, "early": _early,
}  # fmt: skip


def styled(seed: int, count: int) -> str:
    """A program of kernels k0, k1, …, in styles drawn at random."""
    dice = random.Random(seed)

    def pick(*some: str) -> str:
        return dice.choice(some)

    return HEAD + "".join(STYLES[pick(*STYLES)](pick, number) for number in range(count))
