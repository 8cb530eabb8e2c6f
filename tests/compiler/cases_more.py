"""Cases in the shape of common kernels: nested loops, row pointers, tiles of registers, fills and
copies, odd control flow."""

from __future__ import annotations

from tests.compiler.cases_straight import RESTRICT, kernel

PLAIN = "float *a, float *b, float *o, int n, int m"
NOALIAS = "float *__restrict__ a, float *__restrict__ b, float *__restrict__ o, int n, int m"
TILE = "  __shared__ float s[16][16], q[16][16];\n  s[t / 16][t % 16] = a[i]; //@ g.ld4 s.st4\n  q[t / 16][t % 16] = b[i]; //@ g.ld4 s.st4\n  __syncthreads();\n"


def _loops() -> dict[str, str]:
    cases = {}
    for head, parameters in (("plain", PLAIN), ("restrict", RESTRICT), ("noalias", NOALIAS)):
        for name, body in {
            "invariant_alone": "  float x = 0;\n  for (int k = 0; k < n; ++k)\n    x = x * x + a[i]; //@ g.ld4\n  o[i] = x; //@ g.st4\n",
            "invariant_after": "  for (int k = 0; k < n; ++k)\n    o[k * 64 + i] = k; //@ g.st4 ref\n  o[i] = a[i]; //@ g.ld4 g.st4\n",
            "invariant_barrier": "  float x = 0;\n  for (int k = 0; k < n; ++k) {\n    x = x * x + a[i]; //@ g.ld4\n    __syncthreads();\n  }\n  o[i] = x; //@ g.st4\n",
            "invariant_guard": "  float x = 0;\n  for (int k = 0; k < n; ++k)\n    if (x < 5)\n      x = x * x + a[i] + 1; //@ g.ld4\n  o[i] = x; //@ g.st4\n",
            "invariant_while": "  float x = 0;\n  while (x < 100.f)\n    x = x * x + a[i] + 1; //@ g.ld4\n  o[i] = x; //@ g.st4\n",
            "invariant_inner": "  for (int j = 0; j < m; ++j) {\n    float x = 0;\n    for (int k = 0; k < n; ++k)\n      x = x * x + a[j]; //@ g.ld4\n    o[j * 64 + i] = x; //@ g.st4\n  }\n",
            "bound": "  float x = 0;\n  for (int k = 0; \n    k < (int)a[i]; //@ g.ld4\n    ++k)\n    x = x * x + k;\n  o[i] = x; //@ g.st4\n",
            "bound_store": "  for (int k = 0; \n    k < (int)a[i]; //@ g.ld4\n    ++k)\n    o[k * 64 + i] = k; //@ g.st4\n",
            "chase": "  int k = i;\n  while (k > 0)\n    k = (int)a[k]; //@ g.ld4\n  o[i] = k; //@ g.st4\n",
            "scan_carry": "  float x = 0;\n  for (int k = 1; k < n; ++k)\n    x += a[k * 64 + i] - a[(k - 1) * 64 + i]; //@ g.ld4 g.ld4\n  o[i] = x; //@ g.st4\n",
            "scan_carry_1": "  float x = 0;\n#pragma unroll 1\n  for (int k = 1; k < n; ++k)\n    x += a[k * 64 + i] - a[(k - 1) * 64 + i]; //@ g.ld4 g.ld4\n  o[i] = x; //@ g.st4\n",
            "stencil3": "  float x = 0;\n  for (int k = 0; k < 3; ++k)\n    x += a[i + k]; //@ g.ld4 x3\n  x *= 2;\n  for (int k = 0; k < 3; ++k)\n    x += a[i + k + 1]; //@ g.ld4 x3\n  o[i] = x; //@ g.st4\n",
            "zero": "  for (int k = 0; k < 4; ++k)\n    o[4 * i + k] = 0; //@ g.st4 x4\n",
            "zero_n": "  for (int k = 0; k < n; ++k)\n    o[4 * i + k] = 0; //@ g.st4\n",
            "copy4": "  for (int k = 0; k < 4; ++k)\n    o[4 * i + k] = a[4 * i + k]; //@ g.ld4 g.st4 x4\n",
            "copy_n": "  for (int k = 0; k < n; ++k)\n    o[4 * i + k] = a[4 * i + k]; //@ g.ld4 g.st4\n",
            "copy_uniform": "  for (int k = 0; k < n; ++k)\n    o[k] = a[k]; //@ g.ld4 g.st4\n",
            "grid_stride": "  for (int k = i; k < n; k += gridDim.x * blockDim.x) {\n    float x = a[k]; //@ g.ld4\n    float y = b[k]; //@ g.ld4\n    o[k] = x * y; //@ g.st4 ref\n  }\n",
            "grid_stride_inplace": "  for (int k = i; k < n; k += gridDim.x * blockDim.x) {\n    float x = a[k]; //@ g.ld4\n    float y = o[k]; //@ g.ld4\n    o[k] = x * y; //@ g.st4 ref\n  }\n",
            "lane_start": "  float x = 0;\n  for (int k = t; k < n; k += 32)\n    x += a[k]; //@ g.ld4\n  o[i] = x; //@ g.st4\n",
            "lane_trip": "  float x = 0;\n  for (int k = 0; k < t; ++k)\n    x += a[k * 64 + i]; //@ g.ld4\n  o[i] = x; //@ g.st4\n",
            "csr": "  float x = 0;\n  int from = (int)b[i]; //@ g.ld4\n  int to = (int)b[i + 1]; //@ g.ld4\n  for (int k = from; k < to; ++k)\n    x += a[k]; //@ g.ld4\n  o[i] = x; //@ g.st4\n",
            "csr_header": "  float x = 0;\n  for (int k = (int)b[i]; //@ g.ld4\n    k < (int)b[i + 1]; //@ g.ld4\n    ++k)\n    x += a[k]; //@ g.ld4\n  o[i] = x; //@ g.st4\n",
            "continue": "  for (int k = 0; k < n; ++k) {\n    float x = a[k * 64 + i]; //@ g.ld4\n    if (x < 0) continue;\n    o[k * 64 + i] = x; //@ g.st4\n  }\n",
            "continue_two": "  for (int k = 0; k < n; ++k) {\n    float x = a[k * 64 + i]; //@ g.ld4\n    if (x < 0) continue;\n    float y = b[k * 64 + i]; //@ g.ld4\n    o[k * 64 + i] = x * y; //@ g.st4\n  }\n",
            "switch": "  float x = 0;\n  switch (n) {\n    case 0: x = a[i]; //@ g.ld4\n      break;\n    case 1: x = a[i + 64]; //@ g.ld4\n      break;\n    case 5: x = b[i]; //@ g.ld4\n      break;\n    default: x = 3;\n  }\n  o[i] = x; //@ g.st4\n",
            "return_early": "  if (i >= n) return;\n  float x = a[i]; //@ g.ld4\n  if (x < 0) { o[i] = 0; return; }\n  o[i] = b[i]; //@ g.ld4 g.st4\n",
            "return_both": "  if (t & 1) {\n    o[i] = a[i]; //@ g.ld4 g.st4\n    return;\n  }\n  o[i] = b[i]; //@ g.ld4 g.st4\n",
            "ldg": "  float x = __ldg(&a[i]); //@ g.ld4\n  float y = __ldg(&a[i]); //@ g.ld4\n  o[i] = x * x + y; //@ g.st4\n",
            "dead_load": "  float x = a[i]; //@ g.ld4\n  o[i] = n; //@ g.st4\n",
            "dead_load_math": "  float x = a[i]; //@ g.ld4\n  x = sinf(x) * 3;\n  o[i] = n; //@ g.st4\n",
            "times_zero": "  int x = (int)a[i]; //@ g.ld4\n  o[i] = x * 0 + n; //@ g.st4\n",
            "minmax": "  o[i] = fmaxf(fmaxf(a[i], a[i + 1]), a[i]); //@ g.ld4 g.ld4 g.ld4 g.st4\n",
            "swap": "  float x = a[i]; //@ g.ld4\n  float y = o[i]; //@ g.ld4\n  o[i] = x; //@ g.st4\n",
            "double_buffer": "  float x = a[i]; //@ g.ld4\n  for (int k = 1; k < n; ++k) {\n    float y = a[k * 64 + i]; //@ g.ld4\n    o[k * 64 + i] = x; //@ g.st4 ref\n    x = y;\n  }\n  o[i] = x; //@ g.st4\n",
            "store_barrier": "  o[i] = n; //@ g.st4\n  __syncthreads();\n  b[i] = o[i]; //@ g.ld4 g.st4\n  o[i + 1] = 3; //@ g.st4\n",
            "prefetch": "  float x = a[i]; //@ g.ld4\n  for (int k = 0; k < n; ++k) {\n    float y = a[(k + 1) * 64 + i]; //@ g.ld4\n    o[k * 64 + i] = x; //@ g.st4 ref\n    x = y;\n  }\n",
            "select_pointer": "  const float *p = t & 1 ? a : b;\n  o[i] = p[i]; //@ g.ld4 g.st4\n",
            "index_select": "  int k = t & 1 ? i : i + n;\n  o[i] = a[k]; //@ g.ld4 g.st4\n",
            "and_guard": "  if (i < n && a[i] > 0.f) //@ g.ld4\n    o[i] = 1; //@ g.st4\n",
            "or_guard": "  if (i < n || a[i] > 0.f) //@ g.ld4\n    o[i] = 1; //@ g.st4\n",
            "and_two": "  if (a[i] > 0.f && //@ g.ld4\n      b[i] > 0.f) //@ g.ld4\n    o[i] = 1; //@ g.st4\n",
            "ternary_min": "  float x = a[i]; //@ g.ld4\n  float y = b[i]; //@ g.ld4\n  o[i] = x < y ? x : y; //@ g.st4\n",
            "ternary_reload": "  o[i] = a[i] < b[i] ? \n    a[i] : //@ g.ld4\n    b[i]; //@ g.ld4\n",
        }.items():
            if head == "restrict" and name == "store_barrier":
                continue  # b is const there
            cases[f"shape2_{head}_{name}"] = kernel(body, parameters)
    return cases


def _tiles() -> dict[str, str]:
    bodies = {
        "matmul": "  float x = 0;\n  for (int k = 0; k < 16; ++k)\n    x += s[t / 16][k] //@ s.ld4 x16\n      * q[k][t % 16]; //@ s.ld4 x16\n  o[i] = x; //@ g.st4\n",
        "matmul_reg": "  float x[2][2] = {};\n  for (int k = 0; k < 16; ++k)\n    for (int u = 0; u < 2; ++u)\n      for (int v = 0; v < 2; ++v)\n        x[u][v] += s[t / 16 + u][k] //@ s.ld4 x64\n          * q[k][t % 16 + v]; //@ s.ld4 x64\n  o[i] = x[0][0] + x[0][1] + x[1][0] * x[1][1]; //@ g.st4\n",
        "inner_invariant": "  float x = 0;\n  for (int j = 0; j < n; ++j)\n    for (int k = 0; k < 4; ++k)\n      x += s[j][t % 16] * k; //@ s.ld4 x4\n  o[i] = x; //@ g.st4\n",
        "zero_shared": "  __syncthreads();\n  for (int k = 0; k < 4; ++k)\n    (&s[0][0])[4 * (t % 64) + k] = 0; //@ s.st4 x4\n  __syncthreads();\n  o[i] = s[0][t] + q[0][t]; //@ s.ld4 s.ld4 g.st4\n",
        "transpose": "  o[i] = s[t % 16][t / 16] + q[0][t]; //@ s.ld4 s.ld4 g.st4\n",
        "stencil5": "  o[i] = s[t / 16 + 1][t % 16 + 1] + s[t / 16][t % 16 + 1] + s[t / 16 + 2][t % 16 + 1] + s[t / 16 + 1][t % 16] + s[t / 16 + 1][t % 16 + 2] + q[0][t]; //@ s.ld4 s.ld4 s.ld4 s.ld4 s.ld4 s.ld4 g.st4\n",
        "reduction": "  float *p = &s[0][0];\n  for (int h = blockDim.x / 2; h > 0; h >>= 1) {\n    if (t < h)\n      p[t] += p[t + h]; //@ s.ld4 s.ld4 s.st4\n    __syncthreads();\n  }\n  if (t == 0)\n    o[blockIdx.x] = p[0] + q[0][t]; //@ s.ld4 s.ld4 g.st4\n",
        "reduction_const": "  float *p = &s[0][0];\n  for (int h = 128; h > 0; h >>= 1) {\n    if (t < h)\n      p[t] += p[t + h]; //@ s.ld4 s.ld4 s.st4 x8\n    __syncthreads();\n  }\n  if (t == 0)\n    o[blockIdx.x] = p[0] + q[0][t]; //@ s.ld4 s.ld4 g.st4\n",
        "reduction_warp": "  volatile float *p = &s[0][0];\n  if (t < 32) {\n    p[t] += p[t + 32]; //@ s.ld4 s.ld4 s.st4\n    p[t] += p[t + 16]; //@ s.ld4 s.ld4 s.st4\n  }\n  if (t == 0)\n    o[blockIdx.x] = p[0] + q[0][t]; //@ s.ld4 s.ld4 g.st4\n",
        "reduction_warp_plain": "  float *p = &s[0][0];\n  if (t < 32) {\n    p[t] += p[t + 32]; //@ s.ld4 s.ld4 s.st4\n    __syncwarp();\n    p[t] += p[t + 16]; //@ s.ld4 s.ld4 s.st4\n    __syncwarp();\n  }\n  if (t == 0)\n    o[blockIdx.x] = p[0] + q[0][t]; //@ s.ld4 s.ld4 g.st4\n",
        "histogram": "  for (int k = t; k < n; k += blockDim.x)\n    atomicAdd((int *)&s[0][(int)a[k] & 255], 1); //@ g.ld4 s.at4\n  __syncthreads();\n  o[i] = s[0][t] + q[0][t]; //@ s.ld4 s.ld4 g.st4\n",
        "volatile_pair": "  volatile float *p = &s[0][0];\n  float x = p[2 * t]; //@ s.ld4\n  float y = p[2 * t + 1]; //@ s.ld4\n  float z = p[2 * t]; //@ s.ld4\n  o[i] = x * y + z + q[0][t]; //@ s.ld4 g.st4\n",
        "tile_loop": "  float x = 0;\n  for (int j = 0; j < n; ++j) {\n    s[t / 16][t % 16] = a[j * 256 + t]; //@ g.ld4 s.st4\n    __syncthreads();\n    for (int k = 0; k < 16; ++k)\n      x += s[k][t % 16]; //@ s.ld4 x16\n    __syncthreads();\n  }\n  o[i] = x + q[0][t]; //@ s.ld4 g.st4\n",
        "tile_loop_keep": "  float x = 0;\n  for (int j = 0; j < n; ++j) {\n    x += q[j & 15][t % 16]; //@ s.ld4\n    x += q[3][t % 16]; //@ s.ld4\n    s[t / 16][t % 16] = x; //@ s.st4\n    __syncthreads();\n  }\n  o[i] = x + s[t % 16][t / 16]; //@ s.ld4 g.st4\n",
        "own_slot": "  float x = 0;\n  for (int j = 0; j < n; ++j)\n    s[t / 16][t % 16] += a[j * 256 + i]; //@ g.ld4 s.ld4 s.st4\n  __syncthreads();\n  o[i] = x + s[t % 16][t / 16] + q[0][t]; //@ s.ld4 s.ld4 g.st4\n",
        "accumulate_row": "  for (int j = 0; j < 4; ++j)\n    for (int k = 0; k < 4; ++k)\n      s[t / 16][j] += q[j][k]; //@ s.ld4 s.ld4 s.st4 x16\n  __syncthreads();\n  o[i] = s[0][t]; //@ s.ld4 g.st4\n",
        "double_buffer": "  float (*w)[128] = (float (*)[128])&s[0][0];\n  int p = 0;\n  for (int d = 1; d < 128; d *= 2) {\n    float v = w[p][t]; //@ s.ld4 x7\n    if (t >= d)\n      v += w[p][t - d]; //@ s.ld4 x7\n    p = 1 - p;\n    w[p][t] = v; //@ s.st4 x7\n    __syncthreads();\n  }\n  o[i] = w[p][t]; //@ s.ld4 g.st4\n",
        "pointer_walk": "  const float *p = &s[t / 16][0];\n  float x = 0;\n  for (const float *e = p + 16; p != e; ++p)\n    x += *p; //@ s.ld4 x16\n  o[i] = x + q[0][t]; //@ s.ld4 g.st4\n",
        "scan": "  float *p = &s[0][0];\n  for (int h = 1; h < 256; h *= 2) {\n    float v = 0;\n    if (t >= h)\n      v = p[t - h]; //@ s.ld4 x8\n    __syncthreads();\n    p[t] += v; //@ s.ld4 s.st4 x8\n    __syncthreads();\n  }\n  o[i] = p[t] + q[0][t]; //@ s.ld4 s.ld4 g.st4\n",
        "bitonic": "  float *p = &s[0][0];\n  for (int k = 2; k <= 256; k <<= 1)\n    for (int j = k >> 1; j > 0; j >>= 1) {\n      int x = t ^ j;\n      if (x > t) {\n        float u = p[t]; //@ s.ld4 x36\n        float v = p[x]; //@ s.ld4 x36\n        if ((t & k) ? u < v : u > v) {\n          p[t] = v; //@ s.st4 x36\n          p[x] = u; //@ s.st4 x36\n        }\n      }\n      __syncthreads();\n    }\n  o[i] = p[t] + q[0][t]; //@ s.ld4 s.ld4 g.st4\n",
    }
    cases = {f"tile_{n}": kernel(TILE + b, RESTRICT) for n, b in bodies.items()}
    return cases | {f"tile_plain_{n}": kernel(TILE + b, PLAIN) for n, b in bodies.items()}


def _constants() -> dict[str, str]:
    before = "__constant__ float c[64];\n"
    return {
        "constant_uniform": kernel(
            "  float x = 0;\n  for (int k = 0; k < 8; ++k)\n    x += c[k] * a[k * 64 + i]; //@ g.ld4 x8\n  o[i] = x; //@ g.st4\n",
            PLAIN,
            before,
        ),
        "constant_lane": kernel("  o[i] = c[t & 63]; //@ g.st4\n", PLAIN, before),
    }


def cases() -> dict[str, str]:
    return {**_loops(), **_tiles(), **_constants()}
