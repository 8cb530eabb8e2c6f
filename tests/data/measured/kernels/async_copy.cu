// Asynchronous copies, carved dynamic shared memory, and loads written in PTX.
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

inline void expect(cudaError_t e, const char *expr) {
  if (e != cudaSuccess) {
    std::fprintf(stderr, "%s: %s\n", expr, cudaGetErrorString(e));
    std::exit(1);
  }
}
#define EXPECT(e) expect((e), #e)

// 16-byte asynchronous copies in two stages
__global__ void stagedScale(const float4 *in, float4 *out, int tiles, float s) {
  __shared__ float4 stage[2][64];
  const int t = threadIdx.x;
  const float4 *src = in + (size_t)blockIdx.x * tiles * 64;
  float4 *dst = out + (size_t)blockIdx.x * tiles * 64;
  __pipeline_memcpy_async(&stage[0][t], &src[t], sizeof(float4));
  __pipeline_commit();
  for (int k = 0; k < tiles; ++k) {
    if (k + 1 < tiles) __pipeline_memcpy_async(&stage[(k + 1) & 1][t], &src[(k + 1) * 64 + t], sizeof(float4));
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    float4 v = stage[k & 1][63 - t];
    dst[k * 64 + t] = make_float4(v.x * s, v.y * s, v.z * s, v.w * s);
    __syncthreads();
  }
}

// 4-byte copies with a stride
__global__ void columnSums(const float *m, float *out, int ld, int rows) {
  __shared__ float column[8][33];
  const int c = blockIdx.x * 8 + threadIdx.y;
  float s = 0;
  for (int r = 0; r < rows; r += 32) {
    __pipeline_memcpy_async(&column[threadIdx.y][threadIdx.x], &m[(r + threadIdx.x) * ld + c], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    s += column[threadIdx.y][(threadIdx.x + 5) & 31];
    __syncthreads();
  }
  for (int d = 16; d > 0; d >>= 1) s += __shfl_xor_sync(0xffffffffu, s, d);
  if (threadIdx.x == 0) out[c] = s;
}

__device__ __forceinline__ float4 loadStreaming(const float4 *p) {
  float4 v;
  asm volatile("ld.global.cs.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
               : "l"(p));
  return v;
}

__device__ __forceinline__ void storeStreaming(float4 *p, float4 v) {
  asm volatile("st.global.cs.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(p), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w) : "memory");
}

__global__ void streamCopy(const float4 *in, float4 *out, int n4) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n4) {
    float4 v = loadStreaming(in + i);
    storeStreaming(out + i, v);
  }
}

// Three arrays of different types in one dynamic allocation
__global__ void carved(const double *d, const int *i, const short *s, double *out) {
  extern __shared__ __align__(16) char pool[];
  double *ds = reinterpret_cast<double *>(pool);
  int *is = reinterpret_cast<int *>(ds + blockDim.x);
  short *ss = reinterpret_cast<short *>(is + blockDim.x);
  const unsigned t = threadIdx.x, n = blockDim.x, g = blockIdx.x * n + t;
  ds[t] = d[g];
  is[t] = i[g];
  ss[t] = s[g];
  __syncthreads();
  const unsigned u = (t * 3) % n, v = n - 1 - t, w = (t ^ 1);
  out[g] = ds[u] + is[v] + ss[w];
}

// Read-only and cached loads through intrinsics
__global__ void hinted(const int *__restrict__ a, const int2 *__restrict__ b, int *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int x = __ldg(a + i);
  int2 y = __ldcs(b + i);
  __stcg(c + i, x + y.x * y.y);
}

int main() {
  int failures = 0;
  auto note = [&](const char *name, int wrong) {
    std::printf("%-12s %s\n", name, wrong ? "FAIL" : "OK");
    failures += wrong != 0;
  };
  const int tiles = 6, blocks = 120, n4 = tiles * blocks * 64;
  std::vector<float4> h(n4), g(n4);
  for (int i = 0; i < n4; i++) h[i] = make_float4(i, 1, 2, -i);
  float4 *in, *out;
  EXPECT(cudaMalloc(&in, n4 * sizeof(float4)));
  EXPECT(cudaMalloc(&out, n4 * sizeof(float4)));
  EXPECT(cudaMemcpy(in, h.data(), n4 * sizeof(float4), cudaMemcpyHostToDevice));
  stagedScale<<<blocks, 64>>>(in, out, tiles, 2.0f);
  EXPECT(cudaGetLastError());
  EXPECT(cudaMemcpy(g.data(), out, n4 * sizeof(float4), cudaMemcpyDeviceToHost));
  int wrong = 0;
  for (int i = 0; i < n4; i++) wrong += g[i].x != 2.0f * h[i / 64 * 64 + 63 - i % 64].x;
  note("stagedScale", wrong);

  streamCopy<<<(n4 - 9 + 191) / 192, 192>>>(in, out, n4 - 9);
  EXPECT(cudaGetLastError());
  EXPECT(cudaMemcpy(g.data(), out, n4 * sizeof(float4), cudaMemcpyDeviceToHost));
  wrong = 0;
  for (int i = 0; i < n4 - 9; i++) wrong += g[i].w != h[i].w;
  note("streamCopy", wrong);

  // the floats again, as a matrix of 240 columns
  const int ld = 240, rows = 224;
  std::vector<float> sums(ld);
  columnSums<<<ld / 8, dim3(32, 8)>>>((const float *)in, (float *)out, ld, rows);
  EXPECT(cudaGetLastError());
  EXPECT(cudaMemcpy(sums.data(), out, ld * sizeof(float), cudaMemcpyDeviceToHost));
  wrong = 0;
  for (int c = 0; c < ld; c++) {
    double s = 0;
    for (int r = 0; r < rows; r++) s += (&h[0].x)[r * ld + c];
    wrong += s - sums[c] > 1e-3 * (s < 0 ? -s : s) + 1 || sums[c] - s > 1e-3 * (s < 0 ? -s : s) + 1;
  }
  note("columnSums", wrong);

  const int tpb = 128, nb = 60, n = tpb * nb;
  std::vector<double> hd(n), ho(n);
  std::vector<int> hi(n);
  std::vector<short> hs(n);
  for (int i = 0; i < n; i++) hd[i] = i * 0.5, hi[i] = i * 3, hs[i] = i % 1000;
  double *dd, *dout;
  int *di, *dres;
  short *ds;
  EXPECT(cudaMalloc(&dd, n * sizeof(double)));
  EXPECT(cudaMalloc(&dout, n * sizeof(double)));
  EXPECT(cudaMalloc(&di, n * sizeof(int)));
  EXPECT(cudaMalloc(&dres, n * sizeof(int)));
  EXPECT(cudaMalloc(&ds, n * sizeof(short)));
  EXPECT(cudaMemcpy(dd, hd.data(), n * sizeof(double), cudaMemcpyHostToDevice));
  EXPECT(cudaMemcpy(di, hi.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  EXPECT(cudaMemcpy(ds, hs.data(), n * sizeof(short), cudaMemcpyHostToDevice));
  carved<<<nb, tpb, tpb * (sizeof(double) + sizeof(int) + sizeof(short))>>>(dd, di, ds, dout);
  EXPECT(cudaGetLastError());
  EXPECT(cudaMemcpy(ho.data(), dout, n * sizeof(double), cudaMemcpyDeviceToHost));
  wrong = 0;
  for (int i = 0; i < n; i++) {
    int b = i / tpb * tpb, t = i % tpb;
    wrong += ho[i] != hd[b + t * 3 % tpb] + hi[b + tpb - 1 - t] + hs[b + (t ^ 1)];
  }
  note("carved", wrong);

  hinted<<<(n / 2 + 99) / 100, 100>>>(di, (const int2 *)dd, dres, n / 2);
  EXPECT(cudaDeviceSynchronize());
  std::puts(failures ? "FAIL" : "OK");
  return failures;
}
