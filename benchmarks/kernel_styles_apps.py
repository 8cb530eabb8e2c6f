"""Styles of `kernel_styles` from applications: learning, simulation, graphs, finance, dynamic
programming, sorting by digits, and the class and pointer idioms that such code uses.

In: a source of choices. Out: drafts of kernels.
"""

from __future__ import annotations

from benchmarks.kernel_styles import I1, T1, Draft, Pick, pointers, size, unroll

SYNC = "  __syncthreads();\n"


def guard(pick: Pick) -> str:
    return pick("", "  if (i >= n) return;\n", "  if (i < n)\n")


def training(pick: Pick) -> Draft:
    body = pick(
        "  {\n    float g = p[i];\n    float m = 0.9f * o[i] + 0.1f * g;\n    o[i] = m;\n    o[i + n] -= 0.01f * m;\n  }\n",
        "  {\n    float x = q[i];\n    float s = 1 / (1 + expf(-x));\n    o[i] = x * s;\n    o[i + 1024] = s;\n  }\n",
        "  o[i] = q[i] > 0 ? p[i] : 0.f;\n",
        "  o[i] = q[i] * (p[i] > 0 ? 1.f : 0.1f) + q[i];\n",
        "  {\n    unsigned h = i * 2654435761u;\n    h ^= h >> 16;\n    o[i] = (h & 255) < 128 ? q[i] * 2 : 0;\n  }\n",
        "  {\n    int c = i % 32, r = i / 32;\n    o[i] = q[i] + p[c] * 2 + p[32 + c];\n    if (c == 0) o[2048 + r] = q[i];\n  }\n",
        "  {\n    float a = q[2 * i], b = q[2 * i + 1];\n    float c = p[2 * (i & 31)], s = p[2 * (i & 31) + 1];\n    o[2 * i] = a * c - b * s;\n    o[2 * i + 1] = a * s + b * c;\n  }\n",
        "  {\n    float zi = q[i], zf = q[i + 256], zg = q[i + 512], zo = q[i + 768];\n    float c = zf * p[i] + zi * zg;\n    o[i] = c;\n    o[i + 256] = zo * tanhf(c);\n  }\n",
        "  {\n    float m = p[i / 64], v = p[64 + i / 64];\n    o[i] = (q[i] - m) * rsqrtf(v + 1e-5f);\n  }\n",
        "  {\n    float d = q[i] - p[i];\n    float l = d * d;\n    o[i] = 2 * d;\n    atomicAdd(o + 4096, l);\n  }\n",
    )
    return Draft(pointers(pick) + size(pick), I1 + guard(pick) + body)


def attention(pick: Pick) -> Draft:
    body = pick(
        "  __shared__ float k[64];\n"
        + T1
        + "  if (t < 64) k[t] = p[blockIdx.x * 64 + t];\n  __syncthreads();\n  float s = 0;\n"
        + unroll(pick)
        + "  for (int d = 0; d < 64; d++) s += q[t * 64 + d] * k[d];\n  o[blockIdx.x * 128 + t] = s * 0.125f;\n",
        "  __shared__ float v[32][33];\n"
        + T1
        + "  for (int r = t / 32; r < 32; r += 4) v[r][t % 32] = p[r * 32 + t % 32];\n  __syncthreads();\n  float s = 0;\n"
        + unroll(pick)
        + "  for (int r = 0; r < 32; r++) s += v[t % 32][r] * q[r];\n  o[t] = s;\n",
        "  __shared__ float s[128], m[4];\n"
        + T1
        + "  float x = q[blockIdx.x * 128 + t];\n  float y = x;\n  for (int d = 16; d; d >>= 1) y = fmaxf(y, __shfl_xor_sync(~0u, y, d));\n  if (t % 32 == 0) m[t / 32] = y;\n  __syncthreads();\n  y = fmaxf(fmaxf(m[0], m[1]), fmaxf(m[2], m[3]));\n  s[t] = expf(x - y);\n  __syncthreads();\n  float sum = 0;\n  for (int j = 0; j < 128; j++) sum += s[j];\n  o[blockIdx.x * 128 + t] = s[t] / sum;\n",
        "  __shared__ float4 a[32];\n"
        + T1
        + "  if (t < 32) a[t] = reinterpret_cast<const float4 *>(p)[t];\n  __syncthreads();\n  float s = 0;\n  for (int j = 0; j < 32; j++) {\n    float4 x = a[j];\n    float4 y = reinterpret_cast<const float4 *>(q)[t * 32 + j];\n    s += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;\n  }\n  o[t] = s;\n",
    )
    return Draft(pointers(pick) + size(pick), body)


def graph(pick: Pick) -> Draft:
    body = pick(
        "  float s = 0;\n  for (int k = 0; k < 8; k++) {\n    int j = f[k * 256 + i];\n    if (j >= 0) s += q[j] * p[k * 256 + i];\n  }\n  o[i] = s;\n",
        "  int a = f[i], b = f[i + 1];\n  float s = 0;\n  for (int k = a; k < b; k++) s += p[k] * q[f[1024 + k]];\n  o[i] = 0.15f + 0.85f * s;\n",
        "  if (f[i] == n) {\n    int j = f[i + 512];\n    o[j] = n + 1;\n  }\n",
        "  float d = q[i * 32 + n % 32] + q[(n % 32) * 32 + threadIdx.x % 32];\n  if (d < p[i]) o[i] = d;\n",
        "  int best = 0;\n  float least = 1e30f;\n  for (int c = 0; c < 16; c++) {\n    float dx = q[i] - p[2 * c], dy = q[i + 256] - p[2 * c + 1];\n    float d = dx * dx + dy * dy;\n    if (d < least) {\n      least = d;\n      best = c;\n    }\n  }\n  o[i] = best;\n",
        "  int r = i;\n  while (f[r] != r) r = f[r];\n  o[i] = r;\n",
    )
    return Draft(pointers(pick, more=", const int *f") + size(pick), I1 + body)


def simulation(pick: Pick) -> Draft:
    left, right = pick(
        "(i + n - 1) % n|(i + 1) % n",
        "i > 0 ? i - 1 : n - 1|i < n - 1 ? i + 1 : 0",
        "max(i - 1, 0)|min(i + 1, n - 1)",
        "(i - 1) & 255|(i + 1) & 255",
    ).split("|")
    body = pick(
        f"  float l = q[{left}], r = q[{right}];\n  o[i] = q[i] + 0.1f * (l + r - 2 * q[i]);\n",
        f"  int l = {left}, r = {right};\n  o[i] = 0.5f * (q[r] - q[l]) - p[i] * (p[r] - p[l]);\n",
        f"  float s = 0;\n  for (int k = 0; k < 8; k++) {{\n    s += q[{left}] * p[k];\n    o[i + k * 256] = s;\n  }}\n",
        "  float x = q[i], v = p[i];\n  for (int k = 0; k < n; k++) {\n    v -= 0.01f * x;\n    x += 0.01f * v;\n    if (k % 16 == 0) o[k / 16 * 256 + i] = x;\n  }\n",
        "  int alive = 0;\n  for (int dy = -1; dy <= 1; dy++)\n    for (int dx = -1; dx <= 1; dx++)\n      if (dx != 0 || dy != 0) alive += q[(i / 32 + 1 + dy) * 34 + i % 32 + 1 + dx] > 0;\n  o[i] = alive == 3 || (alive == 2 && q[i + 35] > 0);\n",
        "  int x = i % 16, y = i / 16;\n  if ((x + y) % 2 == (n & 1)) {\n    int c = (y + 1) * 18 + x + 1;\n    o[c] = 0.25f * (o[c - 1] + o[c + 1] + o[c - 18] + o[c + 18]);\n  }\n",
        "  float s = q[i], k = p[i];\n  float d = (logf(s / k) + 0.05f) / 0.3f;\n  float e = d - 0.3f;\n  float c = s * normcdff(d) - k * normcdff(e);\n  o[i] = c;\n  o[i + 1024] = c - s + k;\n",
        "  float rho = q[i], u = q[i + 256] / rho, v = q[i + 512] / rho;\n  float e = q[i + 768] - 0.5f * rho * (u * u + v * v);\n  o[i] = rho * u;\n  o[i + 256] = rho * u * u + e;\n  o[i + 512] = rho * u * v;\n",
    )
    return Draft(pointers(pick) + size(pick), I1 + pick("", "  if (i >= n) return;\n") + body)


def dynamic_programming(pick: Pick) -> Draft:
    body = pick(
        "  __shared__ int a[130], b[130];\n"
        + T1
        + "  a[t] = q[t];\n  if (t < 2) a[t + 128] = 0;\n  __syncthreads();\n  int *x = a, *y = b;\n  for (int k = 0; k < 8; k++) {\n    y[t] = min(x[t] + 1, min(x[t + 1] + 1, x[t] + p[k]));\n    __syncthreads();\n    int *z = x;\n    x = y;\n    y = z;\n  }\n  o[t] = x[t];\n",
        "  __shared__ int s[16][17];\n  int x = threadIdx.x % 16, y = threadIdx.x / 16;\n  s[y][x] = q[threadIdx.x];\n  s[y + 8][x] = q[threadIdx.x + 128];\n  __syncthreads();\n  for (int k = 0; k < 16; k++) {\n    s[y][x] = min(s[y][x], s[y][k] + s[k][x]);\n    __syncthreads();\n  }\n  o[threadIdx.x] = s[y][x];\n",
        T1
        + I1
        + "  int best = 0;\n  for (int k = 0; k < 8; k++) {\n    int w = p[k], v = p[8 + k];\n    int keep = q[k * 256 + i];\n    int take = i >= w ? q[k * 256 + i - w] + v : 0;\n    best = max(best, max(keep, take));\n  }\n  o[i] = best;\n",
        "  __shared__ float s[160];\n"
        + T1
        + I1
        + "  s[t] = q[i];\n  if (t < 32) s[t + 128] = q[i + 128];\n  __syncthreads();\n  for (int k = 0; k < 8; k++) {\n    float x = s[t] + s[t + 1];\n    __syncthreads();\n    s[t] = x * 0.5f;\n    __syncthreads();\n  }\n  o[i] = s[t];\n",
    )
    return Draft(pointers(pick, "int") + size(pick), body)


def digits(pick: Pick) -> Draft:
    body = pick(
        "  __shared__ int count[16];\n"
        + T1
        + I1
        + "  if (t < 16) count[t] = 0;\n  __syncthreads();\n  atomicAdd(&count[(q[i] >> n) & 15], 1);\n  __syncthreads();\n  if (t < 16) o[t * gridDim.x + blockIdx.x] = count[t];\n",
        "  __shared__ int base, flags[128];\n"
        + T1
        + I1
        + "  if (t == 0) base = 0;\n  flags[t] = q[i] > 0;\n  __syncthreads();\n  int pos = -1;\n  if (flags[t]) pos = atomicAdd(&base, 1);\n  __syncthreads();\n  if (pos >= 0) o[blockIdx.x * 128 + pos] = q[i];\n  if (t == 0) o[2048 + blockIdx.x] = base;\n",
        "  __shared__ int rank[128], keys[128];\n"
        + T1
        + I1
        + "  keys[t] = q[i];\n  rank[t] = 0;\n  __syncthreads();\n  int r = 0;\n"
        + unroll(pick)
        + "  for (int k = 0; k < 128; k++) r += keys[k] < keys[t];\n  rank[t] = r;\n  __syncthreads();\n  o[i] = rank[127 - t];\n",
        "  __shared__ int s[256];\n"
        + T1
        + I1
        + "  s[t] = q[i];\n  s[t + 128] = q[i + 256];\n  __syncthreads();\n  int d = s[2 * t + 1];\n  s[2 * t + 1] += s[2 * t];\n  __syncthreads();\n  if (t < 127) s[2 * t + 2] += s[2 * t + 1];\n  __syncthreads();\n  o[i] = s[t] - d;\n",
        "  __shared__ unsigned char s[512];\n"
        + T1
        + I1
        + "  for (int k = 0; k < 4; k++) s[t + k * 128] = q[i + k * 256] & 255;\n  __syncthreads();\n  int sum = 0;\n  for (int k = 0; k < 4; k++) sum += s[4 * t + k];\n  o[i] = sum;\n",
        T1
        + I1
        + "  int m = q[i];\n  for (int d = 16; d; d /= 2) m = max(m, __shfl_xor_sync(~0u, m, d));\n  if (t % 32 == 0) atomicMax(o, m);\n",
    )
    return Draft(pointers(pick, "int") + ", int n = 4", body)


def classes(pick: Pick) -> Draft:
    r = pick("", "__restrict__ ")
    before, body = pick(
        "struct View@ { float *data; int pitch; __device__ float &at(int y, int x) { return data[y * pitch + x]; } };\n#  View@ a = {o, n}, b = {q, n};\n  int x = threadIdx.x, y = blockIdx.x;\n  a.at(y, x) = b.at(y, x) + b.at(y + 1, x);\n",
        "struct Vec@ { float x, y, z; __device__ Vec@ operator+(const Vec@ &b) const { return {x + b.x, y + b.y, z + b.z}; } };\n#  Vec@ *a = (Vec@ *)o, *b = (Vec@ *)q;\n  a[i] = a[i] + b[i];\n",
        "struct Sum@ { float s = 0; __device__ void add(float x) { s += x; } };\n#  Sum@ a, b;\n  for (int k = 0; k < 8; k++) {\n    a.add(q[i + k * 256]);\n    b.add(p[k]);\n  }\n  o[i] = a.s * b.s;\n",
        "template <int N> struct Tile@ { float v[N]; __device__ void load(const float *a, int s) { for (int k = 0; k < N; k++) v[k] = a[k * s]; } __device__ void store(float *a, int s) { for (int k = 0; k < N; k++) a[k * s] = v[k]; } };\n#  Tile@<4> x;\n  x.load(q + i, 256);\n  for (int k = 0; k < 4; k++) x.v[k] *= p[k];\n  x.store(o + i, 256);\n",
        "__device__ float table_@[256];\n#  o[i] = table_@[i & 255] + table_@[threadIdx.x];\n  if (threadIdx.x == 0) o[i + 2048] = table_@[0];\n",
        "__constant__ float c_@[16];\n#  float s = 0;\n  for (int k = 0; k < 16; k++) s += c_@[k] * q[i + k];\n  o[i] = s + c_@[i & 15];\n",
        "enum Op@ { ADD_@, MUL_@ };\ntemplate <Op@ op> __device__ float run_@(float a, float b) { if constexpr (op == ADD_@) return a + b; else return a * b; }\n#  o[i] = run_@<ADD_@>(q[i], p[i]) + run_@<MUL_@>(q[i], p[i + 256]);\n",
        "#  auto load = [&](int k) { return k < n ? q[k] : 0.f; };\n  o[i] = load(i) + load(i + 1) * load(i + 2);\n",
        "#  const float *src = n & 1 ? q : p;\n  o[i] = src[i] + src[i + 1];\n",
        "#  const float *a = q + i, *end = q + n;\n  float s = 0;\n  while (a < end) {\n    s += *a;\n    a += 256;\n  }\n  o[i] = s;\n",
        "#  float *a = o + i * 4;\n  const float *b = q + i * 4;\n  *a++ = *b++;\n  *a++ = *b++ * 2;\n  *a++ = *b++ + 1;\n  *a = *b;\n",
        "#  float x = q[i];\n  float y = q[i] * q[i] + x;\n  o[i] = y;\n  o[i] += q[i];\n",
        "#  float a = q[i];\n  o[i] = a;\n  float b = q[i + 1];\n  o[i + 1024] = b;\n  o[i + 2048] = q[i] + q[i + 1];\n",
    ).split("#")
    return Draft(
        f"float *{r}o, float *{r}q, const float *{r}p" + size(pick), I1 + body, before=before
    )


def quantised(pick: Pick) -> Draft:
    kind, body = pick(
        "signed char|  float s = 0;\n  for (int k = 0; k < 16; k++) s += q[i * 16 + k] * p[k];\n  o[i] = s > 127 ? 127 : s;\n",
        "unsigned char|  unsigned char b = q[i];\n  o[2 * i] = b & 15;\n  o[2 * i + 1] = b >> 4;\n",
        "signed char|  int v = reinterpret_cast<const int *>(q)[i];\n  int w = reinterpret_cast<const int *>(p)[i & 31];\n  reinterpret_cast<int *>(o)[i] = __dp4a(v, w, 0);\n",
        "short|  int s = 0;\n"
        + unroll(pick)
        + "  for (int k = 0; k < 8; k++) s += q[i + k * 256] * p[k];\n  o[i] = s >> 8;\n",
        "short|  __shared__ short s[260];\n  s[threadIdx.x] = q[i];\n  s[threadIdx.x + 128] = q[i + 128];\n  __syncthreads();\n  o[i] = s[threadIdx.x] + s[threadIdx.x + 1] + s[threadIdx.x + 2];\n",
        "short|  short2 v = reinterpret_cast<const short2 *>(q)[i];\n  o[i] = v.x * p[0] + v.y * p[1];\n",
        "unsigned char|  uchar4 a = reinterpret_cast<const uchar4 *>(q)[i];\n  o[i] = (a.x + a.y + a.z + a.w) / 4;\n",
        "double|  double s = 0;\n  for (int k = 0; k < n; k++) s += q[k * 32 + threadIdx.x % 32] * p[k];\n  o[i] = s;\n",
        "double|  double2 v = reinterpret_cast<const double2 *>(q)[i];\n  o[i] = v.x * v.x + v.y * v.y;\n",
        "long long|  o[i] = q[i] * 3 + p[i / 2];\n",
    ).split("|")
    return Draft(pointers(pick, kind) + ", int n = 16", I1 + body)


def two_phases(pick: Pick) -> Draft:
    """One array of shared memory for two purposes, also of another type; results by a few threads."""
    first = pick(
        "  s[t] = q[i];\n",
        "  s[t] = q[i] * p[t];\n",
        "  s[127 - t] = q[i];\n",
        "  s[t] = t < n ? q[i] : 0;\n",
        "  for (int k = t; k < 128; k += 64) s[k] = q[k];\n",
    )
    middle = pick(
        "  float a = s[t ^ 1];\n", "  float a = s[t] + s[(t + 1) & 127];\n", "  float a = 0;\n  for (int k = 0; k < 8; k++) a += s[(t & 15) * 8 + k];\n",
        "  float a = 0;\n  if (t < 64) a = s[t] + s[t + 64];\n", "  float a = s[2 * (t & 63)] - s[2 * (t & 63) + 1];\n", "  float a = t > 0 ? s[t - 1] : 0.f;\n",
        "  float a = 0;\n  for (int k = 0; k < t % 4; k++) a += s[k];\n", "  float a = s[t / 32 * 32];\n", "  float a = fmaxf(s[0], s[t]);\n",
    )  # fmt: skip
    second = pick(
        "  s[t] = a;\n",
        "  ((int *)s)[t] = (int)a;\n",
        "  if (t < 32) s[t] = a;\n",
        "  s[t] = a;\n  if (t == 0) s[128] = a;\n",
        "  if (t % 2 == 0) s[t / 2] = a;\n",
    )
    last = pick(
        "  o[i] = s[t ^ 3];\n",
        "  o[i] = ((int *)s)[127 - t];\n",
        "  if (t < 32) o[blockIdx.x * 32 + t] = s[t];\n",
        "  if (t == 0) o[blockIdx.x] = s[0] + s[1] + s[2] + s[3];\n",
        "  o[i] = s[0] * a;\n",
        "  if (i < n) o[i] = s[t] + a;\n  else o[i] = 0;\n",
    )
    return Draft(
        pointers(pick) + size(pick),
        f"  __shared__ float s[{pick('129', '132', '256')}];\n{T1}{I1}{first}{SYNC}{middle}{SYNC}{second}{SYNC}{last}",
    )


def instances(pick: Pick) -> Draft:
    """Kernels that are templates."""
    n = pick("2", "4", "8", "16")
    body = pick(
        "  float v[N];\n#pragma unroll\n  for (int k = 0; k < N; k++) v[k] = q[i + k * 256];\n#pragma unroll\n  for (int k = 0; k < N; k++) o[i + k * 256] = v[k] * p[k];\n",
        "  float s = 0;\n#pragma unroll\n  for (int k = 0; k < N; k++) s += q[i * N + k];\n  o[i] = s;\n",
        "  __shared__ float s[N][128];\n  for (int k = 0; k < N; k++) s[k][threadIdx.x] = q[i + k * 256];\n  __syncthreads();\n  float a = 0;\n  for (int k = 0; k < N; k++) a += s[k][127 - threadIdx.x];\n  o[i] = a;\n",
        "  for (int k = 0; k < N; k++)\n    if (i + k * 256 < n) o[i + k * 256] = q[i + k * 256];\n",
        "  if (N > 4) o[i] = q[i];\n  else o[i] = p[i] * N;\n",
    )
    return Draft(
        pointers(pick) + size(pick), I1 + body, before="template <int N>\n", arguments=f"<{n}>"
    )


APP_STYLES = [
    training, attention, graph, simulation, simulation, dynamic_programming, digits, classes, classes, quantised,
    two_phases, two_phases, instances,
]  # fmt: skip
