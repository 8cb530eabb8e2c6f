// origin: issue cases
#include <cuda_runtime.h>
#include <cfloat>

template <typename T>
__device__ __forceinline__ T warp_max(T v) {
#pragma unroll
  for (int m = 16; m > 0; m >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, m));
  return v;
}
template <typename T>
__device__ __forceinline__ T warp_sum(T v) {
#pragma unroll
  for (int m = 16; m > 0; m >>= 1) v += __shfl_xor_sync(0xffffffffu, v, m);
  return v;
}

// one block per row, scalar, row not a multiple of anything
__global__ void softmax_scalar(const float *x, float *y, int cols) {
  __shared__ float red[32];
  const float *row = x + blockIdx.x * cols;
  float *orow = y + blockIdx.x * cols;
  float m = -FLT_MAX;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) m = fmaxf(m, row[c]);
  m = warp_max(m);
  if ((threadIdx.x & 31) == 0) red[threadIdx.x >> 5] = m;
  __syncthreads();
  m = red[0];
  for (int w = 1; w < blockDim.x / 32; w++) m = fmaxf(m, red[w]);
  __syncthreads();
  float s = 0.f;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) s += exp(row[c] - m);
  s = warp_sum(s);
  if ((threadIdx.x & 31) == 0) red[threadIdx.x >> 5] = s;
  __syncthreads();
  s = 0.f;
  for (int w = 0; w < blockDim.x / 32; w++) s += red[w];
  for (int c = threadIdx.x; c < cols; c += blockDim.x) orow[c] = exp(row[c] - m) / s;
}

// one warp per row, float4, but each lane owns a contiguous chunk
template <int COLS>
__global__ void __launch_bounds__(256) softmax_vec4(const float4 *__restrict__ x, float4 *__restrict__ y, int rows) {
  constexpr int V = COLS / 128;  // float4 per lane
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int lane = threadIdx.x % 32;
  if (warp >= rows) return;
  float4 buf[V];
  float m = -FLT_MAX;
#pragma unroll
  for (int i = 0; i < V; i++) {
    buf[i] = x[warp * (COLS / 4) + lane * V + i];  // chunked, not interleaved  // expect: KL201 32 sectors per request instead of 16
    m = fmaxf(m, fmaxf(fmaxf(buf[i].x, buf[i].y), fmaxf(buf[i].z, buf[i].w)));
  }
  m = warp_max(m);
  float s = 0.f;
#pragma unroll
  for (int i = 0; i < V; i++) {
    buf[i].x = __expf(buf[i].x - m);
    buf[i].y = __expf(buf[i].y - m);
    buf[i].z = __expf(buf[i].z - m);
    buf[i].w = __expf(buf[i].w - m);
    s += buf[i].x + buf[i].y + buf[i].z + buf[i].w;
  }
  s = warp_sum(s);
  float inv = 1.0f / s;
#pragma unroll
  for (int i = 0; i < V; i++) {
    float4 o = buf[i];
    o.x *= inv; o.y *= inv; o.z *= inv; o.w *= inv;
    y[warp * (COLS / 4) + lane * V + i] = o;  // expect: KL201 32 sectors per request instead of 16
  }
}

void softmax(const float *x, float *y, int rows, int cols) {
  softmax_scalar<<<rows, 256>>>(x, y, cols);
  if (cols == 1024)
    softmax_vec4<1024><<<(rows + 7) / 8, 256>>>((const float4 *)x, (float4 *)y, rows);
}
