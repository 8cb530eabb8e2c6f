"""Random kernels as people write them: tiles, stencils, reductions, scans, sorts, images, structs.

In: a source of choices. Out: one kernel of a style, with the launch that it is meant for. The styles
follow textbooks and sample programs; what varies is what varies between authors: the guard, the tile
and its padding, the loop's form, what is loaded first, qualifiers. Indices stay in their arrays.
"""

from __future__ import annotations

from collections.abc import Callable

from kernlint.base.dataclass import dataclass

Pick = Callable[..., str]
I1 = "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
T1 = "  int t = threadIdx.x;\n"


@dataclass(frozen=True, slots=True)
class Draft:
    """A kernel without its name, for which "@" stands. `parameters`: pointers, and integers with
    their values ("int n = 500"); `before`: what stands in front of it; `arguments`: of a template."""

    parameters: str
    body: str
    block: tuple[int, int] = (128, 1)
    grid: tuple[int, int] = (2, 1)
    before: str = ""
    arguments: str = ""


def pointers(pick: Pick, element: str = "float", more: str = "") -> str:
    r = pick("", "__restrict__ ")
    c = pick("const ", "const ", "")
    return f"{element} *{r}o, {c}{element} *{r}q, {c}{element} *{r}p{more}"


def size(pick: Pick) -> str:
    return f", int n = {pick('256', '200', '1000', '250', '97')}"


def unroll(pick: Pick) -> str:
    return pick("", "", "", "#pragma unroll\n", "#pragma unroll 4\n", "#pragma unroll 1\n")


def elementwise(pick: Pick) -> Draft:
    kind = pick("float", "int", "float4", "float2", "double")
    value = {
        "float4": "make_float4(a.x + b.x, a.y - b.y, a.z * b.z, a.w)",
        "float2": pick(
            "make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x)", "make_float2(a.y, b.x)"
        ),
    }.get(kind, pick("a + b", "a * b + a", "a > b ? a : b", "a + b * o[i]", "a"))
    body = pick(
        f"  {kind} a = q[i];\n  {kind} b = p[i];\n  o[i] = {value};\n",
        f"  {kind} a = q[i], b = p[{pick('i', '0', 'threadIdx.x', 'i % 32', 'i / 2')}];\n  o[i] = {value};\n",
        f"  {kind} a = q[i], b = q[i + 1];\n  o[i] = {value};\n",
        f"  {kind} a = q[2 * i];\n  {kind} b = q[2 * i + 1];\n  o[i] = {value};\n",
    )
    guard = pick("", "  if (i >= n) return;\n")
    return Draft(pointers(pick, kind) + size(pick), I1 + guard + body)


def grid_stride(pick: Pick) -> Draft:
    index = pick("int", "unsigned", "size_t")
    body = pick(
        "    o[i] = q[i] * 2.0f + p[i];\n",
        "    float x = q[i];\n    if (x > 0.5f) o[i] = x * p[i];\n    else o[i] = 0;\n",
        "    sum += q[i] * p[i];\n",
        "    float x = q[i];\n    if (x < 0) continue;\n    sum += x;\n",
        "    o[i] = sum;\n    sum += q[i];\n",
        "    o[i] = p[0] * q[i] + p[1];\n",
        "    o[i] += p[i & 3];\n",
    )
    last = "  atomicAdd(o, sum);\n" if "sum +=" in body and "o[i]" not in body else ""
    loop = f"  float sum = 0;\n{unroll(pick)}  for ({index} i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {{\n{body}  }}\n"
    return Draft(pointers(pick) + f", int n = {pick('1024', '1000', '256', '2000')}", loop + last)


def transpose(pick: Pick) -> Draft:
    tile, rows = int(pick("32", "16")), int(pick("8", "4", "16"))
    pad = pick("", " + 1", " + 2")
    kind = pick("float", "double", "int", "short")
    step = f"for (int j = 0; j < {tile}; j += {rows})"
    at = pick(
        "tile[threadIdx.y + j][threadIdx.x]",
        "tile[threadIdx.y + j][threadIdx.x]",
        "tile[threadIdx.x][threadIdx.y + j]",
    )
    out = (
        at.replace("threadIdx.y + j", "#")
        .replace("threadIdx.x", "threadIdx.y + j")
        .replace("#", "threadIdx.x")
    )
    guard = pick("", "if (x < n && y + j < n) ", "if (y + j < n) ")
    body = f"""  __shared__ {kind} tile[{tile}][{tile}{pad}];
  int x = blockIdx.x * {tile} + threadIdx.x;
  int y = blockIdx.y * {tile} + threadIdx.y;
{unroll(pick)}  {step}
    {guard}{at} = q[(y + j) * n + x];
  __syncthreads();
  x = blockIdx.y * {tile} + threadIdx.x;
  y = blockIdx.x * {tile} + threadIdx.y;
  {step}
    {guard}o[(y + j) * n + x] = {out};
"""
    return Draft(
        pointers(pick, kind) + f", int n = {pick('64', '100', '50')}", body, (tile, rows), (2, 2)
    )


def matmul(pick: Pick) -> Draft:
    tile = pick("16", "8", "32")
    k = pick("n", "64")
    inner = pick(
        "sum += a[ty][k] * b[k][tx];",
        "sum += a[ty][k] * b[tx][k];",
        "float x = a[ty][k];\n      float y = b[k][tx];\n      sum = fmaf(x, y, sum);",
    )
    fill = pick(
        "    a[ty][tx] = q[row * n + m + tx];\n    b[ty][tx] = p[(m + ty) * n + col];\n",
        "    a[ty][tx] = row < n && m + tx < n ? q[row * n + m + tx] : 0.f;\n    b[ty][tx] = m + ty < n && col < n ? p[(m + ty) * n + col] : 0.f;\n",
        "    if (row < n) a[ty][tx] = q[row * n + m + tx];\n    else a[ty][tx] = 0;\n    b[ty][tx] = p[(m + ty) * n + col];\n",
    )
    body = f"""  __shared__ float a[{tile}][{tile}{pick("", " + 1")}];
  __shared__ float b[{tile}][{tile}{pick("", " + 1")}];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * {tile} + ty, col = blockIdx.x * {tile} + tx;
  float sum = 0;
  for (int m = 0; m < {k}; m += {tile}) {{
{fill}    __syncthreads();
{unroll(pick)}    for (int k = 0; k < {tile}; {pick("k++", "++k")}) {{
      {inner}
    }}
    __syncthreads();
  }}
  {pick("", "if (row < n && col < n) ")}o[row * n + col] {pick("=", "=", "+=")} sum;
"""
    return Draft(pointers(pick) + ", int n = 64", body, (int(tile), int(tile)), (2, 2))


def register_tile(pick: Pick) -> Draft:
    """Each thread computes TM x TN values from columns in shared memory."""
    m, n = pick("2", "4"), pick("2", "4")
    body = f"""  __shared__ float a[8][{16 * int(m)}];
  __shared__ float b[8][{16 * int(n)}];
  int t = threadIdx.y * 16 + threadIdx.x;
  float acc[{m}][{n}] = {{}};
  for (int k0 = 0; k0 < n; k0 += 8) {{
    for (int e = t; e < 8 * {16 * int(m)}; e += 256) a[e / {16 * int(m)}][e % {16 * int(m)}] = q[k0 * 64 + e];
    for (int e = t; e < 8 * {16 * int(n)}; e += 256) b[e / {16 * int(n)}][e % {16 * int(n)}] = p[k0 * 64 + e];
    __syncthreads();
{unroll(pick)}    for (int k = 0; k < 8; k++) {{
      float x[{m}], y[{n}];
      for (int u = 0; u < {m}; u++) x[u] = a[k][{pick("threadIdx.y * " + m + " + u", "threadIdx.y + u * 16")}];
      for (int v = 0; v < {n}; v++) y[v] = b[k][{pick("threadIdx.x * " + n + " + v", "threadIdx.x + v * 16")}];
      for (int u = 0; u < {m}; u++)
        for (int v = 0; v < {n}; v++) acc[u][v] += x[u] * y[v];
    }}
    __syncthreads();
  }}
  for (int u = 0; u < {m}; u++)
    for (int v = 0; v < {n}; v++)
      o[(threadIdx.y * {m} + u) * 64 + threadIdx.x * {n} + v] = acc[u][v];
"""
    return Draft(pointers(pick) + ", int n = 32", body, (16, 16), (1, 1))


def halo(pick: Pick) -> Draft:
    r = pick("1", "2", "3", "4")
    block = pick("64", "128", "256")
    edge = pick(
        f"  if (t < {r}) {{\n    s[t] = i >= {r} ? q[i - {r}] : 0;\n    s[t + {block} + {r}] = i + {block} < n ? q[i + {block}] : 0;\n  }}\n",
        f"  if (t < {r}) s[t] = q[max(i - {r}, 0)];\n  if (t >= {block} - {r}) s[t + 2 * {r}] = q[min(i + {r}, n - 1)];\n",
        f"  if (t < {r}) {{\n    s[t] = q[i + n];\n    s[t + {r} + {block}] = q[i + {block}];\n  }}\n",
    )
    loop = pick(
        f"  float sum = 0;\n{unroll(pick)}  for (int d = -{r}; d <= {r}; d++) sum += s[t + {r} + d] * p[d + {r}];\n  o[i] = sum;\n",
        f"  float sum = 0;\n  for (int d = 0; d <= 2 * {r}; d++)\n    sum += s[t + d];\n  o[i] = sum / (2 * {r} + 1);\n",
        f"  float c = s[t + {r}];\n  float l = s[t + {r} - 1];\n  float r = s[t + {r} + 1];\n  o[i] = l - 2 * c + r;\n",
        f"  o[i] = 0.5f * (s[t + {r} + 1] - s[t + {r} - 1]);\n",
    )
    body = f"  __shared__ float s[{block} + 2 * {r}];\n{T1}{I1}  s[t + {r}] = {pick('q[i]', 'i < n ? q[i] : 0.f')};\n{edge}  __syncthreads();\n{pick('', '  if (i >= n) return;' + chr(10))}{loop}"
    return Draft(pointers(pick) + size(pick), body, (int(block), 1))


def stencil_2d(pick: Pick) -> Draft:
    value = pick(
        "0.25f * (q[c - 1] + q[c + 1] + q[c - n] + q[c + n])",
        "q[c] + 0.1f * (q[c - 1] + q[c + 1] + q[c - n] + q[c + n] - 4 * q[c])",
        "q[y * n + x] * 4 - q[y * n + x - 1] - q[y * n + x + 1] - q[(y - 1) * n + x] - q[(y + 1) * n + x]",
    )
    guard = pick(
        "  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;\n",
        "  if (x > 0 && x < n - 1 && y > 0 && y < n - 1)\n",
        "  x++;\n  y++;\n",
    )
    body = f"  int x = blockIdx.x * blockDim.x + threadIdx.x;\n  int y = blockIdx.y * blockDim.y + threadIdx.y;\n{guard if 'x++' in guard else ''}  int c = y * n + x;\n{'' if 'x++' in guard else guard}  o[c] = {value};\n"
    return Draft(
        pointers(pick) + f", int n = {pick('64', '40', '100')}",
        body,
        (16, int(pick("8", "16"))),
        (2, 2),
    )


def stencil_tile(pick: Pick) -> Draft:
    body = f"""  __shared__ float s[{pick("10", "10")}][{pick("18", "19", "34")}];
  int tx = threadIdx.x, ty = threadIdx.y;
  int x = blockIdx.x * 16 + tx, y = blockIdx.y * 8 + ty;
  int c = (y + 1) * n + x + 1;
  s[ty + 1][tx + 1] = q[c];
  if (tx == 0) s[ty + 1][0] = q[c - 1];
  if (tx == 15) s[ty + 1][17] = q[c + 1];
  if (ty == 0) s[0][tx + 1] = q[c - n];
  {pick("if", "else if")} (ty == 7) s[9][tx + 1] = q[c + n];
  __syncthreads();
  {pick("", "if (x < n - 2 && y < n - 2) ")}o[c] = {pick("0.25f * (s[ty + 1][tx] + s[ty + 1][tx + 2] + s[ty][tx + 1] + s[ty + 2][tx + 1])", "s[ty + 1][tx + 1] + 0.1f * (s[ty][tx + 1] + s[ty + 2][tx + 1] + s[ty + 1][tx] + s[ty + 1][tx + 2] - 4 * s[ty + 1][tx + 1])")};
"""
    return Draft(pointers(pick) + f", int n = {pick('64', '35')}", body, (16, 8), (2, 2))


def march(pick: Pick) -> Draft:
    body = f"""  int x = threadIdx.x + 1, y = threadIdx.y + 1;
  int c = y * n + x, layer = n * n;
  float below = q[c], here = q[c + layer];
{unroll(pick)}  for (int z = 1; z < {pick("m", "8", "m - 1")}; z++) {{
    c += layer;
    float above = q[c + layer];
    o[c] = {pick("below + above - 2 * here", "here + 0.1f * (below + above + q[c - 1] + q[c + 1] + q[c - n] + q[c + n] - 6 * here)")};
    below = here;
    here = above;
  }}
"""
    return Draft(pointers(pick) + ", int n = 34, int m = 10", body, (32, 4), (1, 1))


def tree(pick: Pick) -> Draft:
    block = pick("128", "256", "64")
    load = pick("q[i]", "i < n ? q[i] : 0", "q[i] + q[i + blockDim.x]", "q[2 * i] + q[2 * i + 1]")
    loop = pick(
        f"  for (int d = {int(block) // 2}; d > 0; d >>= 1) {{\n    if (t < d) s[t] += s[t + d];\n    __syncthreads();\n  }}\n",
        "  for (int d = blockDim.x / 2; d > 0; d /= 2) {\n    if (t < d) s[t] = fmaxf(s[t], s[t + d]);\n    __syncthreads();\n  }\n",
        f"  for (int d = 1; d < {block}; d *= 2) {{\n    if (t % (2 * d) == 0) s[t] += s[t + d];\n    __syncthreads();\n  }}\n",
        "  for (int d = 1; d < blockDim.x; d <<= 1) {\n    int j = 2 * d * t;\n    if (j + d < blockDim.x) s[j] += s[j + d];\n    __syncthreads();\n  }\n",
        f"  for (int d = {int(block) // 2}; d >= 32; d >>= 1) {{\n    if (t < d) s[t] += s[t + d];\n    __syncthreads();\n  }}\n  if (t < 32) {{\n    volatile float *v = s;\n    v[t] += v[t + 16];\n    v[t] += v[t + 8];\n    v[t] += v[t + 4];\n  }}\n",
        f"  for (int d = {int(block) // 2}; d > 32; d >>= 1) {{\n    if (t < d) s[t] += s[t + d];\n    __syncthreads();\n  }}\n  if (t < 32) {{\n    float x = s[t] + s[t + 32];\n    for (int d = 16; d > 0; d >>= 1) x += __shfl_down_sync(0xffffffff, x, d);\n    if (t == 0) s[0] = x;\n  }}\n",
    )
    last = pick(
        "  if (t == 0) o[blockIdx.x] = s[0];\n",
        "  if (t == 0) atomicAdd(o, s[0]);\n",
        "  o[i] = s[0];\n",
        "  __syncthreads();\n  o[i] = q[i] / s[0];\n",
    )
    body = f"  __shared__ float s[{block}];\n{T1}{I1}  s[t] = {load};\n  __syncthreads();\n{unroll(pick)}{loop}{last}"
    return Draft(pointers(pick) + size(pick), body, (int(block), 1))


def warp_reduce(pick: Pick) -> Draft:
    helper = f"""__device__ {pick("", "__forceinline__ ", "inline ")}float warp_sum_@(float x) {{
{unroll(pick)}  for (int d = 16; d > 0; d {pick(">>= 1", "/= 2")}) x += __shfl_{pick("down", "xor")}_sync(0xffffffff, x, d);
  return x;
}}
"""
    lane = pick(
        "  int lane = t & 31, warp = t >> 5;\n", "  int lane = t % 32;\n  int warp = t / 32;\n"
    )
    gather = pick(
        "  float x = i < n ? q[i] : 0;\n",
        "  float x = 0;\n  for (int j = i; j < n; j += gridDim.x * blockDim.x) x += q[j];\n",
        "  float x = q[i] * p[i];\n",
        "  float4 v = reinterpret_cast<const float4 *>(q)[i];\n  float x = v.x + v.y + v.z + v.w;\n",
    )
    last = pick(
        "  if (warp == 0) {\n    x = lane < blockDim.x / 32 ? part[lane] : 0;\n    x = warp_sum_@(x);\n    if (lane == 0) o[blockIdx.x] = x;\n  }\n",
        "  if (t < 32) {\n    x = t < 4 ? part[t] : 0.f;\n    x = warp_sum_@(x);\n    if (t == 0) atomicAdd(o, x);\n  }\n",
        "  if (t == 0) {\n    float sum = 0;\n    for (int k = 0; k < 4; k++) sum += part[k];\n    o[blockIdx.x] = sum;\n  }\n",
        "  float total = 0;\n  for (int k = 0; k < 4; k++) total += part[k];\n  o[i] = q[i] / total;\n",
        "  if (t < 4) o[blockIdx.x * 4 + t] = part[t];\n",
    )
    body = f"  __shared__ float part[{pick('32', '4', '8')}];\n{T1}{I1}{lane}{gather}  x = warp_sum_@(x);\n  if (lane == 0) part[warp] = x;\n  __syncthreads();\n{last}"
    return Draft(
        pointers(pick) + size(pick), body.replace("part[lane]", "part[lane & 3]"), before=helper
    )


def histogram(pick: Pick) -> Draft:
    bins = pick("64", "256", "128")
    kind = pick("int", "unsigned char", "float")
    bin_ = {
        "int": f"q[j] & ({bins} - 1)",
        "unsigned char": f"q[j] % {bins}",
        "float": f"(int)(q[j] * {bins}) & ({bins} - 1)",
    }[kind]
    clear = pick(
        f"  for (int b = t; b < {bins}; b += blockDim.x) h[b] = 0;\n",
        f"  if (t < {bins}) h[t] = 0;\n" if bins != "256" else "  h[t] = 0;\n  h[t + 128] = 0;\n",
    )
    loop = pick(
        f"  for (int j = i; j < n; j += blockDim.x * gridDim.x) atomicAdd(&h[{bin_}], 1);\n",
        f"  int j = i;\n  if (j < n) atomicAdd(h + ({bin_}), 1);\n",
    )
    merge = pick(
        f"  for (int b = t; b < {bins}; b += blockDim.x) atomicAdd(o + b, h[b]);\n",
        f"  for (int b = t; b < {bins}; b += blockDim.x) {{\n    int count = h[b];\n    if (count > 0) atomicAdd(&o[b], count);\n  }}\n",
        f"  for (int b = t; b < {bins}; b += 128) o[blockIdx.x * {bins} + b] = h[b];\n",
    )
    return Draft(
        f"int *o, const {kind} *q" + size(pick),
        f"  __shared__ {pick('int', 'int')} h[{bins}];\n{T1}{I1}{clear}  __syncthreads();\n{loop}  __syncthreads();\n{merge}",
    )


def gather(pick: Pick) -> Draft:
    body = pick(
        "  o[i] = q[f[i]];\n",
        "  int j = f[i];\n  if (j >= 0) o[i] = q[j] + p[i];\n",
        "  int a = f[2 * i], b = f[2 * i + 1];\n  o[i] = q[a] * q[b];\n",
        "  o[f[i]] = q[i];\n",
        "  float sum = 0;\n  for (int k = 0; k < 4; k++) sum += q[f[i * 4 + k]] * p[k];\n  o[i] = sum;\n",
        "  float sum = 0;\n  for (int k = f[i]; k < f[i + 1]; k++) sum += q[k];\n  o[i] = sum;\n",
        "  float x = p[i];\n  int j = f[i];\n  if (x > 0) o[i] = q[j];\n  else o[i] = x;\n",
    )
    guard = pick("", "  if (i >= n) return;\n")
    return Draft(pointers(pick, more=", const int *f") + size(pick), I1 + guard + body)


def scan(pick: Pick) -> Draft:
    loop = pick(
        "  for (int d = 1; d < 128; d *= 2) {\n    float x = t >= d ? s[t - d] : 0;\n    __syncthreads();\n    s[t] += x;\n    __syncthreads();\n  }\n",
        "  for (int d = 1; d < blockDim.x; d <<= 1) {\n    float x = 0;\n    if (t >= d) x = s[t - d];\n    __syncthreads();\n    if (t >= d) s[t] += x;\n    __syncthreads();\n  }\n",
        "  for (int d = 1; d < 128; d <<= 1) {\n    int j = (t + 1) * 2 * d - 1;\n    if (j < 128) s[j] += s[j - d];\n    __syncthreads();\n  }\n  if (t == 0) s[127] = 0;\n  for (int d = 64; d > 0; d >>= 1) {\n    __syncthreads();\n    int j = (t + 1) * 2 * d - 1;\n    if (j < 128) {\n      float x = s[j - d];\n      s[j - d] = s[j];\n      s[j] += x;\n    }\n  }\n  __syncthreads();\n",
    )
    last = pick(
        "  o[i] = s[t];\n",
        "  o[i] = t > 0 ? s[t - 1] : 0;\n",
        "  if (i < n) o[i] = s[t];\n  if (t == 127) o[n + blockIdx.x] = s[t];\n",
        "  o[i] = s[t] - q[i];\n",
    )
    return Draft(
        pointers(pick) + size(pick),
        f"  __shared__ float s[{pick('128', '129')}];\n{T1}{I1}  s[t] = {pick('q[i]', 'i < n ? q[i] : 0.f')};\n  __syncthreads();\n{unroll(pick)}{loop}{last}",
    )


def warp_scan(pick: Pick) -> Draft:
    body = f"""  __shared__ int sums[{pick("32", "4")}];
{T1}{I1}  int lane = t {pick("& 31", "% 32")}, warp = t {pick(">> 5", "/ 32")};
  int x = q[i];
{unroll(pick)}  for (int d = 1; d < 32; d <<= 1) {{
    int y = __shfl_up_sync(0xffffffffu, x, d);
    if (lane >= d) x += y;
  }}
  if (lane == 31) sums[warp] = x;
  __syncthreads();
  {pick("if (t == 0) {", "if (threadIdx.x == 0) {")}
    int run = 0;
    for (int w = 0; w < 4; w++) {{
      int s = sums[w];
      sums[w] = run;
      run += s;
    }}
  }}
  __syncthreads();
  o[i] = x + sums[warp]{pick("", " - q[i]")};
"""
    other = f"""  __shared__ int sums[4];
{T1}{I1}  int lane = t & 31, warp = t >> 5;
  int x = i < n ? q[i] : 0;
  for (int d = 1; d < 32; d *= 2) {{
    int y = __shfl_up_sync(~0u, x, d);
    x += lane >= d ? y : 0;
  }}
  if (lane == 31) sums[warp] = x;
  __syncthreads();
  for (int w = 0; w < warp; w++) x += sums[w];
  if (i < n) o[i] = x;
"""
    return Draft(pointers(pick, "int") + size(pick), pick(body, other))


STYLES = [
    elementwise, grid_stride, transpose, matmul, register_tile, halo, stencil_2d, stencil_tile, march,
    tree, warp_reduce, histogram, gather, scan, warp_scan,
]  # fmt: skip
