#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
namespace shape2_plain_zero {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 4; ++k)
    o[4 * i + k] = 0; //@ g.st4 x4
}
}
namespace shape2_plain_copy_uniform {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; ++k)
    o[k] = a[k]; //@ g.ld4 g.st4
}
}
namespace shape2_plain_lane_trip {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = 0;
  for (int k = 0; k < t; ++k)
    x += a[k * 64 + i]; //@ g.ld4
  o[i] = x; //@ g.st4
}
}
namespace shape2_plain_continue_two {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; ++k) {
    float x = a[k * 64 + i]; //@ g.ld4
    if (x < 0) continue;
    float y = b[k * 64 + i]; //@ g.ld4
    o[k * 64 + i] = x * y; //@ g.st4
  }
}
}
namespace shape2_plain_ldg {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = __ldg(&a[i]); //@ g.ld4
  float y = __ldg(&a[i]); //@ g.ld4
  o[i] = x * x + y; //@ g.st4
}
}
namespace shape2_plain_minmax {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  o[i] = fmaxf(fmaxf(a[i], a[i + 1]), a[i]); //@ g.ld4 g.ld4 g.ld4 g.st4
}
}
namespace shape2_plain_prefetch {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = a[i]; //@ g.ld4
  for (int k = 0; k < n; ++k) {
    float y = a[(k + 1) * 64 + i]; //@ g.ld4
    o[k * 64 + i] = x; //@ g.st4 ref
    x = y;
  }
}
}
namespace shape2_plain_or_guard {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n || a[i] > 0.f) //@ g.ld4
    o[i] = 1; //@ g.st4
}
}
namespace shape2_restrict_invariant_alone {
__global__ void k(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = 0;
  for (int k = 0; k < n; ++k)
    x = x * x + a[i]; //@ g.ld4
  o[i] = x; //@ g.st4
}
}
namespace shape2_restrict_invariant_while {
__global__ void k(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = 0;
  while (x < 100.f)
    x = x * x + a[i] + 1; //@ g.ld4
  o[i] = x; //@ g.st4
}
}
namespace shape2_restrict_chase {
__global__ void k(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  int k = i;
  while (k > 0)
    k = (int)a[k]; //@ g.ld4
  o[i] = k; //@ g.st4
}
}
namespace shape2_restrict_zero {
__global__ void k(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 4; ++k)
    o[4 * i + k] = 0; //@ g.st4 x4
}
}
namespace shape2_restrict_copy_uniform {
__global__ void k(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; ++k)
    o[k] = a[k]; //@ g.ld4 g.st4
}
}
namespace shape2_restrict_lane_trip {
__global__ void k(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = 0;
  for (int k = 0; k < t; ++k)
    x += a[k * 64 + i]; //@ g.ld4
  o[i] = x; //@ g.st4
}
}
namespace shape2_restrict_continue_two {
__global__ void k(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; ++k) {
    float x = a[k * 64 + i]; //@ g.ld4
    if (x < 0) continue;
    float y = b[k * 64 + i]; //@ g.ld4
    o[k * 64 + i] = x * y; //@ g.st4
  }
}
}
namespace shape2_restrict_ldg {
__global__ void k(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = __ldg(&a[i]); //@ g.ld4
  float y = __ldg(&a[i]); //@ g.ld4
  o[i] = x * x + y; //@ g.st4
}
}
namespace shape2_restrict_minmax {
__global__ void k(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  o[i] = fmaxf(fmaxf(a[i], a[i + 1]), a[i]); //@ g.ld4 g.ld4 g.ld4 g.st4
}
}
namespace shape2_restrict_select_pointer {
__global__ void k(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  const float *p = t & 1 ? a : b;
  o[i] = p[i]; //@ g.ld4 g.st4
}
}
namespace shape2_restrict_and_two {
__global__ void k(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  if (a[i] > 0.f && //@ g.ld4
      b[i] > 0.f) //@ g.ld4
    o[i] = 1; //@ g.st4
}
}
namespace shape2_noalias_invariant_after {
__global__ void k(float *__restrict__ a, float *__restrict__ b, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; ++k)
    o[k * 64 + i] = k; //@ g.st4 ref
  o[i] = a[i]; //@ g.ld4 g.st4
}
}
namespace shape2_noalias_invariant_inner {
__global__ void k(float *__restrict__ a, float *__restrict__ b, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int j = 0; j < m; ++j) {
    float x = 0;
    for (int k = 0; k < n; ++k)
      x = x * x + a[j]; //@ g.ld4
    o[j * 64 + i] = x; //@ g.st4
  }
}
}
namespace shape2_noalias_scan_carry {
__global__ void k(float *__restrict__ a, float *__restrict__ b, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = 0;
  for (int k = 1; k < n; ++k)
    x += a[k * 64 + i] - a[(k - 1) * 64 + i]; //@ g.ld4 g.ld4
  o[i] = x; //@ g.st4
}
}
namespace shape2_noalias_zero_n {
__global__ void k(float *__restrict__ a, float *__restrict__ b, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; ++k)
    o[4 * i + k] = 0; //@ g.st4
}
}
namespace shape2_noalias_grid_stride {
__global__ void k(float *__restrict__ a, float *__restrict__ b, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = i; k < n; k += gridDim.x * blockDim.x) {
    float x = a[k]; //@ g.ld4
    float y = b[k]; //@ g.ld4
    o[k] = x * y; //@ g.st4 ref
  }
}
}
namespace shape2_noalias_csr {
__global__ void k(float *__restrict__ a, float *__restrict__ b, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = 0;
  int from = (int)b[i]; //@ g.ld4
  int to = (int)b[i + 1]; //@ g.ld4
  for (int k = from; k < to; ++k)
    x += a[k]; //@ g.ld4
  o[i] = x; //@ g.st4
}
}
namespace shape2_noalias_switch {
__global__ void k(float *__restrict__ a, float *__restrict__ b, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = 0;
  switch (n) {
    case 0: x = a[i]; //@ g.ld4
      break;
    case 1: x = a[i + 64]; //@ g.ld4
      break;
    case 5: x = b[i]; //@ g.ld4
      break;
    default: x = 3;
  }
  o[i] = x; //@ g.st4
}
}
namespace shape2_noalias_dead_load {
__global__ void k(float *__restrict__ a, float *__restrict__ b, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = a[i]; //@ g.ld4
  o[i] = n; //@ g.st4
}
}
namespace shape2_noalias_swap {
__global__ void k(float *__restrict__ a, float *__restrict__ b, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = a[i]; //@ g.ld4
  float y = o[i]; //@ g.ld4
  o[i] = x; //@ g.st4
}
}
namespace shape2_noalias_select_pointer {
__global__ void k(float *__restrict__ a, float *__restrict__ b, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  const float *p = t & 1 ? a : b;
  o[i] = p[i]; //@ g.ld4 g.st4
}
}
namespace shape2_noalias_and_two {
__global__ void k(float *__restrict__ a, float *__restrict__ b, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  if (a[i] > 0.f && //@ g.ld4
      b[i] > 0.f) //@ g.ld4
    o[i] = 1; //@ g.st4
}
}
namespace tile_matmul_reg {
__global__ void k(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[16][16], q[16][16];
  s[t / 16][t % 16] = a[i]; //@ g.ld4 s.st4
  q[t / 16][t % 16] = b[i]; //@ g.ld4 s.st4
  __syncthreads();
  float x[2][2] = {};
  for (int k = 0; k < 16; ++k)
    for (int u = 0; u < 2; ++u)
      for (int v = 0; v < 2; ++v)
        x[u][v] += s[t / 16 + u][k] //@ s.ld4 x64
          * q[k][t % 16 + v]; //@ s.ld4 x64
  o[i] = x[0][0] + x[0][1] + x[1][0] * x[1][1]; //@ g.st4
}
}
namespace tile_stencil5 {
__global__ void k(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[16][16], q[16][16];
  s[t / 16][t % 16] = a[i]; //@ g.ld4 s.st4
  q[t / 16][t % 16] = b[i]; //@ g.ld4 s.st4
  __syncthreads();
  o[i] = s[t / 16 + 1][t % 16 + 1] + s[t / 16][t % 16 + 1] + s[t / 16 + 2][t % 16 + 1] + s[t / 16 + 1][t % 16] + s[t / 16 + 1][t % 16 + 2] + q[0][t]; //@ s.ld4 s.ld4 s.ld4 s.ld4 s.ld4 s.ld4 g.st4
}
}
namespace tile_reduction_warp_plain {
__global__ void k(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[16][16], q[16][16];
  s[t / 16][t % 16] = a[i]; //@ g.ld4 s.st4
  q[t / 16][t % 16] = b[i]; //@ g.ld4 s.st4
  __syncthreads();
  float *p = &s[0][0];
  if (t < 32) {
    p[t] += p[t + 32]; //@ s.ld4 s.ld4 s.st4
    __syncwarp();
    p[t] += p[t + 16]; //@ s.ld4 s.ld4 s.st4
    __syncwarp();
  }
  if (t == 0)
    o[blockIdx.x] = p[0] + q[0][t]; //@ s.ld4 s.ld4 g.st4
}
}
namespace tile_tile_loop_keep {
__global__ void k(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[16][16], q[16][16];
  s[t / 16][t % 16] = a[i]; //@ g.ld4 s.st4
  q[t / 16][t % 16] = b[i]; //@ g.ld4 s.st4
  __syncthreads();
  float x = 0;
  for (int j = 0; j < n; ++j) {
    x += q[j & 15][t % 16]; //@ s.ld4
    x += q[3][t % 16]; //@ s.ld4
    s[t / 16][t % 16] = x; //@ s.st4
    __syncthreads();
  }
  o[i] = x + s[t % 16][t / 16]; //@ s.ld4 g.st4
}
}
namespace tile_pointer_walk {
__global__ void k(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[16][16], q[16][16];
  s[t / 16][t % 16] = a[i]; //@ g.ld4 s.st4
  q[t / 16][t % 16] = b[i]; //@ g.ld4 s.st4
  __syncthreads();
  const float *p = &s[t / 16][0];
  float x = 0;
  for (const float *e = p + 16; p != e; ++p)
    x += *p; //@ s.ld4 x16
  o[i] = x + q[0][t]; //@ s.ld4 g.st4
}
}
namespace tile_plain_matmul_reg {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[16][16], q[16][16];
  s[t / 16][t % 16] = a[i]; //@ g.ld4 s.st4
  q[t / 16][t % 16] = b[i]; //@ g.ld4 s.st4
  __syncthreads();
  float x[2][2] = {};
  for (int k = 0; k < 16; ++k)
    for (int u = 0; u < 2; ++u)
      for (int v = 0; v < 2; ++v)
        x[u][v] += s[t / 16 + u][k] //@ s.ld4 x64
          * q[k][t % 16 + v]; //@ s.ld4 x64
  o[i] = x[0][0] + x[0][1] + x[1][0] * x[1][1]; //@ g.st4
}
}
namespace tile_plain_stencil5 {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[16][16], q[16][16];
  s[t / 16][t % 16] = a[i]; //@ g.ld4 s.st4
  q[t / 16][t % 16] = b[i]; //@ g.ld4 s.st4
  __syncthreads();
  o[i] = s[t / 16 + 1][t % 16 + 1] + s[t / 16][t % 16 + 1] + s[t / 16 + 2][t % 16 + 1] + s[t / 16 + 1][t % 16] + s[t / 16 + 1][t % 16 + 2] + q[0][t]; //@ s.ld4 s.ld4 s.ld4 s.ld4 s.ld4 s.ld4 g.st4
}
}
namespace tile_plain_reduction_warp_plain {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[16][16], q[16][16];
  s[t / 16][t % 16] = a[i]; //@ g.ld4 s.st4
  q[t / 16][t % 16] = b[i]; //@ g.ld4 s.st4
  __syncthreads();
  float *p = &s[0][0];
  if (t < 32) {
    p[t] += p[t + 32]; //@ s.ld4 s.ld4 s.st4
    __syncwarp();
    p[t] += p[t + 16]; //@ s.ld4 s.ld4 s.st4
    __syncwarp();
  }
  if (t == 0)
    o[blockIdx.x] = p[0] + q[0][t]; //@ s.ld4 s.ld4 g.st4
}
}
namespace tile_plain_tile_loop_keep {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[16][16], q[16][16];
  s[t / 16][t % 16] = a[i]; //@ g.ld4 s.st4
  q[t / 16][t % 16] = b[i]; //@ g.ld4 s.st4
  __syncthreads();
  float x = 0;
  for (int j = 0; j < n; ++j) {
    x += q[j & 15][t % 16]; //@ s.ld4
    x += q[3][t % 16]; //@ s.ld4
    s[t / 16][t % 16] = x; //@ s.st4
    __syncthreads();
  }
  o[i] = x + s[t % 16][t / 16]; //@ s.ld4 g.st4
}
}
namespace tile_plain_pointer_walk {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[16][16], q[16][16];
  s[t / 16][t % 16] = a[i]; //@ g.ld4 s.st4
  q[t / 16][t % 16] = b[i]; //@ g.ld4 s.st4
  __syncthreads();
  const float *p = &s[t / 16][0];
  float x = 0;
  for (const float *e = p + 16; p != e; ++p)
    x += *p; //@ s.ld4 x16
  o[i] = x + q[0][t]; //@ s.ld4 g.st4
}
}
int main()
{
    char *buffer[5];
    for (int i = 0; i < 5; ++i) {
        cudaMalloc(&buffer[i], 16777216);
        cudaMemset(buffer[i], 0, 16777216);
    }
    shape2_plain_zero::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    shape2_plain_copy_uniform::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    shape2_plain_lane_trip::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    shape2_plain_continue_two::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    shape2_plain_ldg::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    shape2_plain_minmax::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    shape2_plain_prefetch::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    shape2_plain_or_guard::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    shape2_restrict_invariant_alone::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    shape2_restrict_invariant_while::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    shape2_restrict_chase::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    shape2_restrict_zero::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    shape2_restrict_copy_uniform::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    shape2_restrict_lane_trip::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    shape2_restrict_continue_two::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    shape2_restrict_ldg::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    shape2_restrict_minmax::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    shape2_restrict_select_pointer::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    shape2_restrict_and_two::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    shape2_noalias_invariant_after::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    shape2_noalias_invariant_inner::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    shape2_noalias_scan_carry::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    shape2_noalias_zero_n::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    shape2_noalias_grid_stride::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    shape2_noalias_csr::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    shape2_noalias_switch::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    shape2_noalias_dead_load::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    shape2_noalias_swap::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    shape2_noalias_select_pointer::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    shape2_noalias_and_two::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    tile_matmul_reg::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    tile_stencil5::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    tile_reduction_warp_plain::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    tile_tile_loop_keep::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    tile_pointer_walk::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    tile_plain_matmul_reg::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    tile_plain_stencil5::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    tile_plain_reduction_warp_plain::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    tile_plain_tile_loop_keep::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    tile_plain_pointer_walk::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
