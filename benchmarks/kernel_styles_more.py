"""More styles of `kernel_styles`: structs, shared arrays of mixed types, images, sorts, private
arrays, early exits, device functions, templates, and kernels of several stages.

In: a source of choices. Out: drafts of kernels.
"""

from __future__ import annotations

from benchmarks.kernel_styles import I1, T1, Draft, Pick, pointers, size, unroll

SYNC = "  __syncthreads();\n"


def particles(pick: Pick) -> Draft:
    struct = pick(
        "struct P@ { float x, y, z, m; };\n",
        "struct __align__(16) P@ { float x, y, z, m; };\n",
        "struct P@ { float x, y, z; int id; float m, w; };\n",
        "struct P@ { float m; short a, b; float x, y, z; char flag; };\n",
        "struct V@ { float x, y, z; };\nstruct P@ { V@ v; float x, y, z, m; };\n",
    )
    body = pick(
        "  P@ a = q[i];\n  a.x += a.y * 0.1f;\n  a.z -= 0.1f;\n  o[i] = a;\n",
        "  o[i].x = q[i].x + q[i].y;\n  o[i].y = q[i].m;\n",
        "  P@ a = q[i];\n  if (a.m > 0) {\n    a.x = 0;\n    o[i] = a;\n  }\n",
        "  const P@ &a = q[i];\n  P@ &b = o[i];\n  b.x = a.x;\n  b.y = a.y;\n  b.z += a.m;\n",
        "  P@ a = q[i];\n  float s = 0;\n  for (int k = 0; k < m; k++) {\n    P@ b = p[k];\n    float dx = a.x - b.x, dy = a.y - b.y;\n    s += b.m * rsqrtf(dx * dx + dy * dy + 0.01f);\n  }\n  o[i].m = s;\n",
        f"  __shared__ P@ s[128];\n  P@ a = q[i];\n  float sum = 0;\n  for (int b = 0; b < m; b += 128) {{\n    s[threadIdx.x] = p[b + threadIdx.x];\n    __syncthreads();\n{unroll(pick)}    for (int k = 0; k < 128; k++) sum += (s[k].x - a.x) * s[k].m;\n    __syncthreads();\n  }}\n  o[i].x = sum;\n",
    )
    guard = pick("", "", "  if (i >= n) return;\n") if "__shared__" not in body else ""
    return Draft(
        pointers(pick, "P@") + size(pick) + ", int m = 256", I1 + guard + body, before=struct
    )


def soa(pick: Pick) -> Draft:
    r = pick("", "__restrict__ ")
    body = pick(
        "  float a = x[i], b = y[i], c = z[i];\n  float l = rsqrtf(a * a + b * b + c * c);\n  x[i] = a * l;\n  y[i] = b * l;\n  z[i] = c * l;\n",
        "  x[i] += y[i] * 0.1f;\n  y[i] += z[i] * 0.1f;\n",
        "  x[i] = y[i] + z[i];\n  y[i] = x[i] * 2;\n",
        "  float a = x[i];\n  x[i] = y[i];\n  y[i] = a;\n",
        "  float g = z[i] * 0.9f + 0.1f * x[i];\n  z[i] = g;\n  y[i] -= 0.01f * g;\n",
    )
    return Draft(
        f"float *{r}x, float *{r}y, float *{r}z{size(pick)}",
        I1 + pick("", "  if (i >= n) return;\n") + body,
    )


def mixed_shared(pick: Pick) -> Draft:
    arrays = [
        pick(
            "  __shared__ char flag[128];\n",
            "  __shared__ short rank[128];\n",
            "",
            "  __shared__ bool on;\n",
        ),
        pick(
            "  __shared__ float v[128];\n",
            "  __shared__ float v[129];\n",
            "  __shared__ float v[128], w[128];\n",
        ),
        pick("  __shared__ int id[128];\n", "  __shared__ int id[130];\n"),
        pick(
            "  __shared__ float mean, scale;\n",
            "  __shared__ double total;\n",
            "  __shared__ int count;\n",
            "",
        ),
    ]
    declared = "".join(arrays)
    fill = "  v[t] = q[i];\n  id[t] = f[i];\n"
    use = "  float r = v[127 - t] + id[t ^ 1];\n"
    if "w[" in declared:
        fill += "  w[t] = p[i];\n"
        use += pick("  r += w[t] * v[t];\n", "  r += w[(t + 1) & 127];\n")
    if "flag" in declared:
        fill += pick("  flag[t] = f[i] > 0;\n", "  flag[t] = t & 1;\n")
        use += pick("  if (flag[t ^ 1]) r = 0;\n", "  r += flag[127 - t];\n")
    if "rank" in declared:
        fill += "  rank[t] = 127 - t;\n"
        use += pick("  r += v[rank[t]];\n", "  r += rank[t] + rank[t ^ 1];\n")
    once = ""
    if "mean" in declared:
        once = "  if (t == 0) {\n    mean = v[0];\n    scale = v[1];\n  }\n" + SYNC
        use += pick("  r = (r - mean) * scale;\n", "  r = mean + scale;\n")
    if "total" in declared:
        once = "  if (t == 0) total = v[0] + v[1];\n" + SYNC
        use += "  r += total;\n"
    if "count" in declared:
        once = "  if (t == 0) count = id[0];\n" + SYNC
        use += "  if (t < count) r = v[t];\n"
    return Draft(
        pointers(pick, more=", const int *f") + size(pick),
        declared + T1 + I1 + fill + SYNC + once + use + "  o[i] = r;\n",
    )


def image(pick: Pick) -> Draft:
    body, kind = pick(
        "o[y * n + x] = (77 * q[3 * (y * n + x)] + 150 * q[3 * (y * n + x) + 1] + 29 * q[3 * (y * n + x) + 2]) >> 8;|unsigned char",
        "int at = y * n + x;\n  unsigned char v = q[at];\n  o[at] = v > 128 ? 255 : 0;|unsigned char",
        "uchar4 v = reinterpret_cast<const uchar4 *>(q)[y * n + x];\n  v.x = 255 - v.x;\n  v.y = 255 - v.y;\n  reinterpret_cast<uchar4 *>(o)[y * n + x] = v;|unsigned char",
        "int s = 0;\n  for (int dy = -1; dy <= 1; dy++)\n    for (int dx = -1; dx <= 1; dx++) {\n      int xx = min(max(x + dx, 0), n - 1), yy = min(max(y + dy, 0), n - 1);\n      s += q[yy * n + xx];\n    }\n  o[y * n + x] = s / 9;|unsigned char",
        "int gx = q[y * n + x + 2] - q[y * n + x];\n  int gy = q[(y + 2) * n + x + 1] - q[y * n + x + 1];\n  o[y * n + x] = abs(gx) + abs(gy);|short",
        "int at = y * n + x;\n  o[at] = q[at] * p[x] + p[n + y];|float",
        "float a = q[2 * y * n + 2 * x], b = q[2 * y * n + 2 * x + 1];\n  float c = q[(2 * y + 1) * n + 2 * x], d = q[(2 * y + 1) * n + 2 * x + 1];\n  o[y * (n / 2) + x] = fmaxf(fmaxf(a, b), fmaxf(c, d));|float",
        "float v = q[(y / 2) * (n / 2) + x / 2];\n  o[y * n + x] = v;|float",
        "o[x * n + y] = q[y * n + x];|float",
        "o[y * n + (n - 1 - x)] = q[y * n + x];|int",
        "float best = -1e30f;\n  for (int dy = 0; dy < 3; dy++)\n    for (int dx = 0; dx < 3; dx++)\n      best = fmaxf(best, q[(y * 2 + dy) * n + x * 2 + dx]);\n  o[y * n + x] = best;|float",
    ).split("|")
    guard = pick(
        "", "  if (x >= n || y >= n) return;\n", "  if (x >= n - 2 || y >= n - 2) return;\n"
    )
    return Draft(
        pointers(pick, kind) + f", int n = {pick('64', '100', '50')}",
        f"  int x = blockIdx.x * blockDim.x + threadIdx.x;\n  int y = blockIdx.y * blockDim.y + threadIdx.y;\n{guard}  {body}\n",
        (int(pick("16", "32")), 8),
        (2, 2),
    )


def sort(pick: Pick) -> Draft:
    loop = pick(
        "  for (int k = 2; k <= 128; k *= 2)\n    for (int j = k / 2; j > 0; j /= 2) {\n      int u = t ^ j;\n      if (u > t) {\n        float a = s[t], b = s[u];\n        if ((a > b) == ((t & k) == 0)) {\n          s[t] = b;\n          s[u] = a;\n        }\n      }\n      __syncthreads();\n    }\n",
        "  for (int r = 0; r < 128; r++) {\n    int j = 2 * t + (r & 1);\n    if (j + 1 < 128) {\n      float a = s[j], b = s[j + 1];\n      if (a > b) {\n        s[j] = b;\n        s[j + 1] = a;\n      }\n    }\n    __syncthreads();\n  }\n",
        "  int rank = 0;\n  for (int k = 0; k < 128; k++) rank += s[k] < s[t] || (s[k] == s[t] && k < t);\n  o[blockIdx.x * 128 + rank] = s[t];\n",
    )
    return Draft(
        pointers(pick) + size(pick),
        f"  __shared__ float s[128];\n{T1}{I1}  s[t] = q[i];\n{SYNC}{loop}"
        + ("" if "rank" in loop else "  o[i] = s[t];\n"),
    )


def private(pick: Pick) -> Draft:
    k = pick("2", "4", "8")
    body = pick(
        f"  float v[{k}];\n  for (int j = 0; j < {k}; j++) v[j] = q[i + j * {pick('n', '128', '64')}];\n  float s = 0;\n  for (int j = 0; j < {k}; j++) s += v[j] * v[j];\n  o[i] = s;\n",
        f"  float v[{k}];\n  for (int j = 0; j < {k}; j++) v[j] = q[i * {k} + j];\n  for (int j = 0; j < {k}; j++) o[i * {k} + j] = v[{k} - 1 - j];\n",
        f"  float best[{k}];\n  for (int j = 0; j < {k}; j++) best[j] = 1e30f;\n  for (int c = 0; c < n; c++) {{\n    float x = q[c];\n    for (int j = {k} - 1; j >= 0; j--)\n      if (x < best[j]) {{\n        if (j + 1 < {k}) best[j + 1] = best[j];\n        best[j] = x;\n      }}\n  }}\n  for (int j = 0; j < {k}; j++) o[i * {k} + j] = best[j];\n",
        f"  float acc[{k}] = {{0}};\n  for (int c = 0; c < n; c++) {{\n    float x = q[c * 128 + threadIdx.x];\n    for (int j = 0; j < {k}; j++) acc[j] += x * p[c * {k} + j];\n  }}\n  for (int j = 0; j < {k}; j++) o[i + j * 256] = acc[j];\n",
        f"  int count[{k}] = {{0}};\n  for (int c = 0; c < 16; c++) count[(int)q[c] & ({k} - 1)]++;\n  for (int j = 0; j < {k}; j++) o[i * {k} + j] = count[j];\n",
    )
    return Draft(pointers(pick) + ", int n = 64", I1 + body)


def search(pick: Pick) -> Draft:
    body = pick(
        "  float x = p[i];\n  int k = 0;\n  for (; k < n; k++)\n    if (q[k] > x) break;\n  o[i] = k;\n",
        "  int lo = 0, hi = n;\n  float x = p[i];\n  while (lo < hi) {\n    int mid = (lo + hi) / 2;\n    if (q[mid] < x) lo = mid + 1;\n    else hi = mid;\n  }\n  o[i] = lo;\n",
        "  float sum = 0;\n  for (int k = 0; k < n; k++) {\n    float x = q[k * 32 + (threadIdx.x & 31)];\n    if (x < 0) break;\n    sum += x;\n  }\n  o[i] = sum;\n",
        "  float sum = 0;\n  for (int k = 0; k < 8; k++) {\n    if (i + k * 128 >= n) break;\n    sum += q[i + k * 128];\n  }\n  o[i] = sum;\n",
        "  int steps = 0;\n  float x = q[i], y = p[i];\n  while (x * x + y * y < 4.0f && steps < n) {\n    float z = x * x - y * y + 0.3f;\n    y = 2 * x * y + 0.1f;\n    x = z;\n    steps++;\n  }\n  o[i] = steps;\n",
        "  for (int k = threadIdx.x; k < n; k += 32) {\n    if (k % 3 == 0) continue;\n    o[k] = q[k];\n  }\n",
        "  float sum = 0;\n  for (int k = 0; k <= (threadIdx.x & 7); k++) sum += q[k];\n  o[i] = sum;\n",
        "  float sum = 0;\n  for (int k = threadIdx.x; k < n; k++) {\n    if (k > 90) break;\n    sum += q[k] * p[k];\n  }\n  o[i] = sum;\n",
    )
    return Draft(pointers(pick) + size(pick), I1 + pick("", "  if (i >= n) return;\n") + body)


def helper(pick: Pick) -> Draft:
    inline = pick("", "__forceinline__ ", "inline ")
    before, call = pick(
        "__device__ I@float at_@(const float *a, int x, int y, int n) { return a[y * n + x]; }\n#  int x = threadIdx.x + 1, y = blockIdx.x + 1;\n  o[y * n + x] = at_@(q, x - 1, y, n) + at_@(q, x + 1, y, n) - 2 * at_@(q, x, y, n);\n",
        "__device__ I@int clamp_@(int v, int hi) { return v < 0 ? 0 : v > hi ? hi : v; }\n#  float s = 0;\n  for (int d = -2; d <= 2; d++) s += q[clamp_@(i + d, n - 1)] * p[d + 2];\n  o[i] = s;\n",
        "__device__ I@void swap_@(float &a, float &b) { float c = a; a = b; b = c; }\n#  float a = q[i], b = p[i];\n  if (a > b) swap_@(a, b);\n  o[2 * i] = a;\n  o[2 * i + 1] = b;\n",
        "__device__ I@void load_@(float *v, const float *a) { for (int k = 0; k < 4; k++) v[k] = a[k]; }\n#  float v[4];\n  load_@(v, q + i * 4);\n  o[i] = v[0] * v[3] - v[1] * v[2];\n",
        "__device__ I@void put_@(float *a, int i, float x, int n) { if (i < n) a[i] = x; }\n#  float x = q[i];\n  put_@(o, i, x, n);\n  put_@(o + n, i, x * 2, n);\n",
        "struct M@ { float v[4]; __device__ I@float dot(const M@ &b) const { return v[0] * b.v[0] + v[1] * b.v[1] + v[2] * b.v[2] + v[3] * b.v[3]; } };\n#  M@ a = reinterpret_cast<const M@ *>(q)[i];\n  M@ b = reinterpret_cast<const M@ *>(p)[i];\n  o[i] = a.dot(b);\n",
        "__device__ I@float act_@(float x, int kind) { if (kind == 0) return x > 0 ? x : 0; if (kind == 1) return tanhf(x); return x; }\n#  o[i] = act_@(q[i], n & 1) + p[i & 31];\n",
        'template <int N> __device__ I@float sum_@(const float *a) { float s = 0; _Pragma("unroll") for (int k = 0; k < N; k++) s += a[k]; return s; }\n#  o[i] = sum_@<4>(q + i) + sum_@<2>(p + 2 * i);\n',
        "template <typename T> __device__ I@T lerp_@(T a, T b, float w) { return a + (b - a) * w; }\n#  float x = i * 0.25f;\n  int j = (int)x;\n  o[i] = lerp_@(q[j], q[j + 1], x - j);\n",
        "__device__ I@float2 mul_@(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }\n#  const float2 *c = reinterpret_cast<const float2 *>(q);\n  float2 v = mul_@(c[i], c[i + 256]);\n  o[i] = v.x;\n  o[i + 256] = v.y;\n",
    ).split("#")
    return Draft(
        pointers(pick) + size(pick),
        I1 + pick("", "  if (i >= n) return;\n") + call,
        before=before.replace("I@", inline),
    )


def convolution(pick: Pick) -> Draft:
    k = pick("3", "5", "7")
    body = pick(
        f"  float s = 0;\n{unroll(pick)}  for (int j = 0; j < {k}; j++) s += q[i + j] * w@[j];\n  o[i] = s;\n",
        f"  float s = 0;\n  for (int j = -{k} / 2; j <= {k} / 2; j++) {{\n    int at = i + j;\n    if (at >= 0 && at < n) s += q[at] * w@[j + {k} / 2];\n  }}\n  o[i] = s;\n",
        f"  __shared__ float s[128 + {k} - 1];\n  s[threadIdx.x] = q[i];\n  if (threadIdx.x < {k} - 1) s[128 + threadIdx.x] = q[i + 128];\n  __syncthreads();\n  float r = 0;\n{unroll(pick)}  for (int j = 0; j < {k}; j++) r += s[threadIdx.x + j] * w@[j];\n  o[i] = r;\n",
    )
    return Draft(pointers(pick) + size(pick), I1 + body, before=f"__constant__ float w@[{k}];\n")


def rows(pick: Pick) -> Draft:
    """A block or a warp for each row: softmax, norms, matrix times vector."""
    head = "  int row = blockIdx.x;\n  const float *x = q + row * n;\n"
    body = pick(
        head
        + "  float m = -1e30f;\n  for (int c = threadIdx.x; c < n; c += 32) m = fmaxf(m, x[c]);\n  for (int d = 16; d; d >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, d));\n  float s = 0;\n  for (int c = threadIdx.x; c < n; c += 32) s += expf(x[c] - m);\n  for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(~0u, s, d);\n  for (int c = threadIdx.x; c < n; c += 32) o[row * n + c] = expf(x[c] - m) / s;\n",
        head
        + "  float s = 0, ss = 0;\n  for (int c = threadIdx.x; c < n; c += blockDim.x) {\n    float v = x[c];\n    s += v;\n    ss += v * v;\n  }\n  for (int d = 16; d; d >>= 1) {\n    s += __shfl_xor_sync(~0u, s, d);\n    ss += __shfl_xor_sync(~0u, ss, d);\n  }\n  float mean = s / n, r = rsqrtf(ss / n - mean * mean + 1e-5f);\n  for (int c = threadIdx.x; c < n; c += blockDim.x) o[row * n + c] = (x[c] - mean) * r * p[c];\n",
        head
        + "  float s = 0;\n"
        + unroll(pick)
        + "  for (int c = threadIdx.x; c < n; c += 32) s += x[c] * p[c];\n  for (int d = 16; d; d /= 2) s += __shfl_down_sync(~0u, s, d);\n  if (threadIdx.x == 0) o[row] = s;\n",
        "  int row = blockIdx.x * blockDim.x + threadIdx.x;\n  float s = 0;\n"
        + unroll(pick)
        + "  for (int c = 0; c < n; c++) s += q[row * n + c] * p[c];\n  o[row] = s;\n",
        "  int col = blockIdx.x * blockDim.x + threadIdx.x;\n  float s = 0;\n"
        + unroll(pick)
        + "  for (int r = 0; r < n; r++) s += q[r * n + col] * p[r];\n  o[col] = s;\n",
        "  int row = blockIdx.x * blockDim.x + threadIdx.x;\n  o[row] = 0;\n  for (int c = 0; c < n; c++) o[row] += q[row * n + c] * p[c];\n",
        "  __shared__ float v[64];\n  v[threadIdx.x] = p[threadIdx.x];\n  v[threadIdx.x + 32] = p[threadIdx.x + 32];\n  __syncwarp();\n  float s = 0;\n"
        + unroll(pick)
        + "  for (int c = 0; c < 64; c++) s += q[threadIdx.x * 64 + c] * v[c];\n  o[threadIdx.x] = s;\n",
    )
    return Draft(pointers(pick) + f", int n = {pick('64', '100', '128', '33')}", body, (32, 1))


def ping_pong(pick: Pick) -> Draft:
    body = pick(
        "  __shared__ float s[2][128];\n"
        + T1
        + I1
        + "  int cur = 0;\n  s[0][t] = q[i];\n  __syncthreads();\n  for (int d = 1; d < 128; d *= 2) {\n    s[1 - cur][t] = t >= d ? s[cur][t] + s[cur][t - d] : s[cur][t];\n    cur = 1 - cur;\n    __syncthreads();\n  }\n  o[i] = s[cur][t];\n",
        "  __shared__ float s[2][128];\n"
        + T1
        + I1
        + "  s[0][t] = q[i];\n  for (int k = 0; k < m; k++) {\n    __syncthreads();\n    if (k + 1 < m) s[(k + 1) & 1][t] = q[i + (k + 1) * 128];\n    o[i + k * 128] = s[k & 1][127 - t];\n  }\n",
        "  __shared__ float a[130], b[130];\n"
        + T1
        + I1
        + "  float *x = a, *y = b;\n  x[t] = q[i];\n  __syncthreads();\n  for (int k = 0; k < m; k++) {\n    if (t > 0 && t < 127) y[t] = 0.5f * (x[t - 1] + x[t + 1]);\n    else y[t] = x[t];\n    __syncthreads();\n    float *z = x;\n    x = y;\n    y = z;\n  }\n  o[i] = x[t];\n",
        "  __shared__ float s[128];\n"
        + T1
        + I1
        + "  float next = q[i];\n  float sum = 0;\n  for (int k = 0; k < m; k++) {\n    s[t] = next;\n    __syncthreads();\n    next = q[i + (k + 1) * 128];\n    for (int j = 0; j < 4; j++) sum += s[(t + j) & 127];\n    __syncthreads();\n  }\n  o[i] = sum;\n",
    )
    return Draft(pointers(pick) + ", int m = 8", body)


def sized_shared(pick: Pick) -> Draft:
    body = pick(
        "  extern __shared__ float s[];\n"
        + T1
        + I1
        + "  float *a = s, *b = s + blockDim.x;\n  a[t] = q[i];\n  b[t] = p[i];\n  __syncthreads();\n  o[i] = a[(t + 1) & 127] * b[127 - t];\n",
        "  extern __shared__ char raw[];\n"
        + T1
        + I1
        + "  float *v = (float *)raw;\n  int *k = (int *)(raw + 128 * sizeof(float));\n  v[t] = q[i];\n  k[t] = 127 - t;\n  __syncthreads();\n  o[i] = v[k[t]];\n",
        "  extern __shared__ float4 s4[];\n"
        + T1
        + I1
        + "  s4[t] = reinterpret_cast<const float4 *>(q)[i];\n  __syncthreads();\n  float4 v = s4[t ^ 1];\n  o[i] = v.x + v.w;\n",
        "  extern __shared__ double d[];\n"
        + T1
        + I1
        + "  d[t] = q[i];\n  __syncthreads();\n  if (t < 64) d[t] += d[t + 64];\n  __syncthreads();\n  o[i] = d[t & 63];\n",
    )
    return Draft(pointers(pick) + size(pick), body.replace("blockDim.x;\n  a[t]", "128;\n  a[t]"))


def bits(pick: Pick) -> Draft:
    body = pick(
        "  unsigned vote = __ballot_sync(~0u, q[i] > 0);\n  if ((threadIdx.x & 31) == 0) o[i / 32] = vote;\n",
        "  unsigned vote = __ballot_sync(~0u, q[i] > 0);\n  int before = __popc(vote & ((1u << (threadIdx.x & 31)) - 1));\n  if (q[i] > 0) o[(i & ~31) + before] = q[i];\n",
        "  unsigned s = i * 747796405u + 2891336453u;\n  int hits = 0;\n  for (int k = 0; k < n; k++) {\n    s ^= s << 13;\n    s ^= s >> 17;\n    s ^= s << 5;\n    hits += (s & 1023) < 512;\n  }\n  o[i] = hits;\n",
        "  unsigned s = i;\n  s = s * 1664525u + 1013904223u;\n  o[i] = q[s & 255];\n",
        "  int r = __brev(threadIdx.x) >> 25;\n  o[blockIdx.x * 128 + r] = q[i];\n",
        "  o[i ^ (n & 1)] = q[i ^ 3];\n",
        "  int g = threadIdx.x ^ (threadIdx.x >> 1);\n  o[i] = q[g];\n",
    )
    return Draft(pointers(pick, "int") + size(pick), I1 + body)


def fft(pick: Pick) -> Draft:
    body = pick(
        "  __shared__ float2 s[128];\n"
        + T1
        + I1
        + "  s[t] = q[i];\n  __syncthreads();\n  for (int h = 1; h < 128; h *= 2) {\n    if (t < 64) {\n      int j = (t / h) * 2 * h + t % h;\n      float2 a = s[j], b = s[j + h];\n      s[j] = make_float2(a.x + b.x, a.y + b.y);\n      s[j + h] = make_float2(a.x - b.x, a.y - b.y);\n    }\n    __syncthreads();\n  }\n  o[i] = s[t];\n",
        "  __shared__ float re[128], im[128];\n"
        + T1
        + I1
        + "  float2 v = q[i];\n  re[t] = v.x;\n  im[t] = v.y;\n  __syncthreads();\n  for (int h = 64; h > 0; h >>= 1) {\n    int j = t & (h - 1), k = ((t & ~(h - 1)) << 1) + j;\n    if (t < 64) {\n      float a = re[k], b = re[k + h];\n      re[k] = a + b;\n      re[k + h] = a - b;\n    }\n    __syncthreads();\n  }\n  o[i] = make_float2(re[t], im[t]);\n",
        I1
        + "  float2 a = q[i], b = q[i + 128], c = q[i + 256], d = q[i + 384];\n  float2 u = make_float2(a.x + c.x, a.y + c.y), v = make_float2(b.x + d.x, b.y + d.y);\n  o[4 * i] = make_float2(u.x + v.x, u.y + v.y);\n  o[4 * i + 2] = make_float2(u.x - v.x, u.y - v.y);\n",
    )
    return Draft(pointers(pick, "float2") + size(pick), body)


def lanes(pick: Pick) -> Draft:
    """Indices from a lane and a warp; the same places written in two ways."""
    split = pick(
        "  int w = t / 32, l = t % 32;\n",
        "  int w = t >> 5, l = t & 31;\n",
        "  int w = t / 8, l = t % 8;\n",
        "  int l = threadIdx.x % 16, w = threadIdx.x / 16;\n",
    )
    width = {"32": "32", "31": "32", "% 8": "8", "% 16": "16"}[
        next(k for k in ("% 16", "% 8", "31", "32") if k in split)
    ]
    body = pick(
        f"  s[w * {width} + l] = q[i];\n  __syncthreads();\n  float a = s[t];\n  s[w * {width} + l] = a + 1;\n  __syncthreads();\n  o[i] = s[t ^ 1];\n",
        f"  s[t] = q[i];\n  __syncthreads();\n  float a = s[w * {width} + l] + s[t];\n  o[i] = a;\n",
        f"  s[w * {width} + ({width} - 1 - l)] = q[blockIdx.x * 128 + w * {width} + l];\n  __syncthreads();\n  o[i] = s[t];\n",
        f"  float a = q[w * {width} + l];\n  float b = q[t];\n  o[i] = a * b;\n",
        f"  s[l * {128 // int(width)} + w] = q[i];\n  __syncthreads();\n  o[i] = s[t] + s[l * {128 // int(width)} + w];\n",
    )
    return Draft(
        pointers(pick) + size(pick), "  __shared__ float s[128];\n" + T1 + I1 + split + body
    )


def guarded(pick: Pick) -> Draft:
    """What one thread, or some, do before or after all others."""
    who = pick("t == 0", "t < 32", "t == blockDim.x - 1", "(t & 31) == 0", "t >= 64", "t % 2 == 0")
    stage = pick(
        f"  if ({who}) s[t] = p[t];\n{SYNC}  o[i] = s[t] + s[0];\n",
        f"  float x = s[t];\n  if ({who}) x += s[t + 1];\n  o[i] = x;\n",
        f"  if ({who}) {{\n    s[t] += s[t + 1];\n    s[t + 2] = 0;\n  }}\n{SYNC}  o[i] = s[t + 1];\n",
        f"  if ({who}) o[i] = s[t];\n  else o[i] = s[t + 1] * 2;\n",
        f"  o[i] = 0;\n  if ({who}) o[i] = s[t];\n",
        f"  float x = q[i];\n  if ({who}) {{\n    o[i] = x * s[t];\n    return;\n  }}\n  o[i] = x + s[t + 1];\n",
        f"  float x = 0, y = p[i];\n  if ({who}) x = s[t] * y;\n  o[i] = x;\n",
        f"  for (int k = 0; k < 8; k++) {{\n    if ({who}) s[t + k] = k;\n    __syncthreads();\n    o[i + k * 128] = s[k];\n  }}\n",
        f"  float x = 0;\n  for (int k = 0; k < 8; k++) x += s[t + k] * p[{pick('0', 't', 'k', 'i')}];\n  o[i] = x;\n",
        f"  float x = p[0];\n  for (int k = 0; k < n; k++) {{\n    if (q[k] > x) x = q[k];\n    if ({who}) o[k] = x;\n  }}\n",
        "  switch (t & 3) {\n    case 0: o[i] = s[t]; break;\n    case 1: o[i] = s[t + 1]; break;\n    case 2: o[i] = q[i]; break;\n    default: o[i] = 0;\n  }\n",
    )
    return Draft(
        pointers(pick) + size(pick),
        "  __shared__ float s[160];\n"
        + T1
        + I1
        + f"  s[t] = q[i];\n  if (t < 32) s[t + 128] = {pick('0', 'q[i + 128]')};\n{SYNC}{stage}",
    )


def halves(pick: Pick) -> Draft:
    body = pick(
        "  o[i] = __hadd(q[i], p[i]);\n",
        "  half2 a = reinterpret_cast<const half2 *>(q)[i];\n  half2 b = reinterpret_cast<const half2 *>(p)[i];\n  reinterpret_cast<half2 *>(o)[i] = __hfma2(a, b, a);\n",
        "  float s = 0;\n  for (int k = 0; k < n; k++) s += __half2float(q[k * 128 + threadIdx.x]) * __half2float(p[k]);\n  o[i] = __float2half(s);\n",
        "  __shared__ half s[256];\n  s[2 * threadIdx.x] = q[2 * i];\n  s[2 * threadIdx.x + 1] = q[2 * i + 1];\n  __syncthreads();\n  o[i] = __hmul(s[threadIdx.x], s[threadIdx.x + 128]);\n",
        "  uint4 v = reinterpret_cast<const uint4 *>(q)[i];\n  v.x ^= 0x80008000u;\n  reinterpret_cast<uint4 *>(o)[i] = v;\n",
    )
    return Draft(pointers(pick, "half") + ", int n = 32", I1 + body)


def staged(pick: Pick) -> Draft:
    """Several steps over one shared array, in an order that is drawn."""
    steps = "".join(
        pick(
            "  s[t] += q[i];\n", "  s[t] = s[t] * 0.5f + p[i];\n",
            SYNC + "  float a@ = s[(t + 1) % 128];\n" + SYNC + "  s[t] = a@;\n",
            SYNC + "  if (t < 64) s[t] += s[t + 64];\n" + SYNC, SYNC + "  r += s[127 - t];\n" + SYNC,
            "  if (r > 1.0f) s[t] = 0;\n", "  for (int k = 0; k < 4; k++) r += p[i + k * 128];\n",
            SYNC + "  for (int k = 0; k < 4; k++) r += s[4 * (t & 31) + k];\n" + SYNC,
            "  if (i < n) r += q[i + 128];\n", "  r += q[i] * s[t];\n", "  o[i] = r;\n",
            SYNC + "  r += s[2 * (t & 63)] * s[2 * (t & 63) + 1];\n" + SYNC,
            SYNC + "  if (t == 0) s[0] = s[1] + s[2];\n" + SYNC,
            "  s[t] = r;\n", "  if (f[i] > 3) r = q[i + 64];\n", "  r += f[blockIdx.x] * p[0];\n",
        ).replace("a@", f"a{number}")
        for number in range(int(pick("3", "4", "5", "6")))
    )  # fmt: skip
    return Draft(
        pointers(pick, more=", const int *f") + size(pick),
        f"  __shared__ float s[128];\n{T1}{I1}  float r = 0;\n  s[t] = {pick('q[i]', '0', 'p[t]')};\n{steps}  o[i] = r + s[t];\n",
    )


def chunks(pick: Pick) -> Draft:
    """Each thread or block takes a piece, four at a time, and the rest alone."""
    body = pick(
        "  int c = (n + 255) / 256;\n  float s = 0;\n  for (int k = i * c; k < (i + 1) * c && k < n; k++) s += q[k];\n  o[i] = s;\n",
        "  float s = 0;\n  int k = 0;\n  for (; k + 4 <= n; k += 4) s += q[k] + q[k + 1] + q[k + 2] + q[k + 3];\n  for (; k < n; k++) s += q[k];\n  o[i] = s;\n",
        "  float4 s = make_float4(0, 0, 0, 0);\n  const float4 *v = reinterpret_cast<const float4 *>(q);\n  for (int k = i; k < n / 4; k += 256) {\n    float4 a = v[k];\n    s.x += a.x;\n    s.y += a.y;\n    s.z += a.z;\n    s.w += a.w;\n  }\n  o[i] = s.x + s.y + s.z + s.w;\n",
        "  int b = i * 4;\n  if (b + 3 < n) {\n    *reinterpret_cast<float4 *>(o + b) = *reinterpret_cast<const float4 *>(q + b);\n  } else {\n    for (int k = b; k < n; k++) o[k] = q[k];\n  }\n",
        "  const float *a = q + blockIdx.x * n;\n  float *b = o + blockIdx.x * n;\n  for (int k = threadIdx.x; k < n; k += blockDim.x) b[k] = a[k] + a[n - 1 - k];\n",
        "  int end = min(n, i + 32);\n  float s = 0;\n  for (int k = i; k < end; k++) s += q[k];\n  if (i < n) o[i] = s;\n",
        "  for (int k = 0; k < 8; k++) o[i * 8 + k] = q[i * 8 + k] + p[k];\n",
        "  for (int k = 0; k < 8; k++) o[i + k * 256] = q[i + k * 256] * p[i];\n",
        "  float x = q[i];\n  do {\n    o[i] = x;\n    x = x * 0.5f;\n    i += 256;\n  } while (i < n);\n",
    )
    return Draft(pointers(pick) + f", int n = {pick('256', '1000', '130', '64')}", I1 + body)


MORE_STYLES = [
    particles, soa, mixed_shared, image, sort, private, search, helper, convolution, rows, ping_pong,
    sized_shared, bits, fft, lanes, guarded, guarded, halves, staged, staged, chunks,
]  # fmt: skip
