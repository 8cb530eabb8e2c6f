#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
namespace start_t {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  __shared__ float s[1024];   const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;

  s[t] = a[i]; //@ g.ld4 s.st4
  __syncthreads();
  float x = 0;
  for (int k = 0; k < 8; ++k)
    x += s[t + k]; //@ s.ld4 x8
  o[i] = x; //@ g.st4
}
}
namespace step_4 {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  __shared__ float s[16][32];   const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;

  s[t / 16][t % 16] = a[i]; //@ g.ld4 s.st4
  __syncthreads();
  float x = 0;
  for (int k = 0; k < n; k += 4)
    x += s[t / 16][k]; //@ s.ld4
  o[i] = x; //@ g.st4
}
}
namespace element_short {
__global__ void k(short *a, float *o) {
  __shared__ short s[16][16];   const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;

  s[t / 16][t % 16] = a[i]; //@ g.ld2 s.st2
  __syncthreads();
  float x = 0;
  for (int k = 0; k < 16; ++k)
    x += s[t / 16][k]; //@ s.ld2 x16
  o[i] = x; //@ g.st4
}
}
namespace body_barrier_16 {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  __shared__ float s[32][16], q[512];   const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;

  s[t / 16][t % 16] = a[i]; //@ g.ld4 s.st4
  __syncthreads();
  float x = 0;
  for (int k = 0; k < 16; ++k) {
    x += s[t / 16][k]; //@ s.ld4 x16
    __syncthreads();
  }
  o[i] = x + q[t ^ 1]; //@ g.st4 s.ld4
}
}
namespace body_store_same_16 {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  __shared__ float s[32][16], q[512];   const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;

  s[t / 16][t % 16] = a[i]; //@ g.ld4 s.st4
  __syncthreads();
  float x = 0;
  for (int k = 0; k < 16; ++k) {
    x += s[t / 16][k]; //@ s.ld4 x16
    s[t / 16 + 1][k] = x; //@ s.st4 x16
  }
  o[i] = x + q[t ^ 1]; //@ g.st4 s.ld4
}
}
namespace body_store_global_16 {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  __shared__ float s[32][16], q[512];   const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;

  s[t / 16][t % 16] = a[i]; //@ g.ld4 s.st4
  __syncthreads();
  float x = 0;
  for (int k = 0; k < 16; ++k) {
    x += s[t / 16][k]; //@ s.ld4 x16
    o[k * n + i] = x; //@ g.st4 x16
  }
  o[i] = x + q[t ^ 1]; //@ g.st4 s.ld4
}
}
namespace body_shuffle_16 {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  __shared__ float s[32][16], q[512];   const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;

  s[t / 16][t % 16] = a[i]; //@ g.ld4 s.st4
  __syncthreads();
  float x = 0;
  for (int k = 0; k < 16; ++k) {
    x += s[t / 16][k]; //@ s.ld4 x16
    x = __shfl_xor_sync(~0u, x, 1);
  }
  o[i] = x + q[t ^ 1]; //@ g.st4 s.ld4
}
}
namespace body_break_16 {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  __shared__ float s[32][16], q[512];   const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;

  s[t / 16][t % 16] = a[i]; //@ g.ld4 s.st4
  __syncthreads();
  float x = 0;
  for (int k = 0; k < 16; ++k) {
    x += s[t / 16][k]; //@ s.ld4 x16
    if (x > 100.f) break;
  }
  o[i] = x + q[t ^ 1]; //@ g.st4 s.ld4
}
}
namespace body_fence_16 {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  __shared__ float s[32][16], q[512];   const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;

  s[t / 16][t % 16] = a[i]; //@ g.ld4 s.st4
  __syncthreads();
  float x = 0;
  for (int k = 0; k < 16; ++k) {
    x += s[t / 16][k]; //@ s.ld4 x16
    __threadfence_block();
  }
  o[i] = x + q[t ^ 1]; //@ g.st4 s.ld4
}
}
namespace guard_tk1 {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  __shared__ float s[32][16];   const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;

  s[t / 16][t % 16] = a[i]; //@ g.ld4 s.st4
  __syncthreads();
  float x = 0;
  for (int k = 0; k < 16; ++k)
    if ((t & (k + 1)))
      x += s[t / 16][k]; //@ s.ld4 x16
  o[i] = x; //@ g.st4
}
}
namespace gload_plain_column_16 {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = 0;
  for (int k = 0; k < 16; ++k)
    x += a[k * 256 + i]; //@ g.ld4 x16
  o[i] = x; //@ g.st4
}
}
namespace gbody_plain_neighbour {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; ++k)
    o[k * 256 + i] = a[k] + a[k + 1]; //@ g.ld4 g.ld4 g.st4 ref
}
}
namespace gbody_plain_neighbour_far {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; ++k)
    o[k * 256 + i] = a[i + k] + a[i + k + 8]; //@ g.ld4 g.ld4 g.st4 ref
}
}
namespace gbody_plain_invariant {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; ++k)
    o[k * 256 + i] = a[i] * k; //@ g.ld4 g.st4 ref
}
}
namespace gbody_plain_accumulate {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; ++k)
    o[i] += a[k * 256 + i]; //@ g.ld4 g.ld4 g.st4
}
}
namespace gbody_plain_overwrite {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; ++k)
    o[i] = a[k * 256 + i]; //@ g.ld4 g.st4
}
}
namespace gbody_plain_inplace_prev {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; ++k)
    o[k * 256 + i] = o[(k - 1) * 256 + i] + 1.f; //@ g.ld4 g.st4
}
}
namespace gload_restrict_row_16 {
__global__ void k(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = 0;
  for (int k = 0; k < 16; ++k)
    x += a[i * 16 + k]; //@ g.ld4 x16
  o[i] = x; //@ g.st4
}
}
namespace gload_restrict_uniform_16 {
__global__ void k(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = 0;
  for (int k = 0; k < 16; ++k)
    x += a[k]; //@ g.ld4 x16
  o[i] = x; //@ g.st4
}
}
namespace gbody_restrict_neighbour_lane {
__global__ void k(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; ++k)
    o[k * 256 + i] = a[i + k] + a[i + k + 1]; //@ g.ld4 g.ld4 g.st4 ref
}
}
namespace gbody_restrict_neighbour_row {
__global__ void k(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; ++k)
    o[k * 256 + i] = a[k * n + i] + a[(k + 1) * n + i]; //@ g.ld4 g.ld4 g.st4 ref
}
}
namespace gbody_restrict_invariant_uniform {
__global__ void k(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; ++k)
    o[k * 256 + i] = a[0] * k; //@ g.ld4 g.st4 ref
}
}
namespace gbody_restrict_accumulate_uniform {
__global__ void k(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; ++k)
    o[0] += a[k * 256 + i]; //@ g.ld4 g.ld4 g.st4
}
}
namespace gbody_restrict_inplace {
__global__ void k(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; ++k)
    o[k * 256 + i] += 1.f; //@ g.ld4 g.st4
}
}
namespace gbody_restrict_inplace_step {
__global__ void k(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; ++k)
    o[i * n + k] = o[i * n + k - 1] + a[k]; //@ g.ld4 g.ld4 g.st4
}
}
namespace invariant_nothing_ai {

__global__ void k(float *a, float *o, volatile int *v, const float *__restrict__ r, int n) {
  __shared__ float s[256], q[256];   const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;

  s[t ^ 1] = a[i]; //@ g.ld4 s.st4
  q[t] = 0; //@ s.st4
  __syncthreads();
  float x = 0;
  for (int k = 0; k < n; ++k) {
    x += a[i]; //@ g.ld4
    
    v[k] = k; //@ g.st4 ref
  }
  o[i] = x + q[t ^ 1] + s[t ^ 3]; //@ g.st4 s.ld4 s.ld4
}
}
namespace invariant_barrier_s3 {

__global__ void k(float *a, float *o, volatile int *v, const float *__restrict__ r, int n) {
  __shared__ float s[256], q[256];   const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;

  s[t ^ 1] = a[i]; //@ g.ld4 s.st4
  q[t] = 0; //@ s.st4
  __syncthreads();
  float x = 0;
  for (int k = 0; k < n; ++k) {
    x += s[3]; //@ s.ld4
    __syncthreads();
    v[k] = k; //@ g.st4 ref
  }
  o[i] = x + q[t ^ 1] + s[t ^ 3]; //@ g.st4 s.ld4 s.ld4
}
}
namespace invariant_syncwarp_st {

__global__ void k(float *a, float *o, volatile int *v, const float *__restrict__ r, int n) {
  __shared__ float s[256], q[256];   const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;

  s[t ^ 1] = a[i]; //@ g.ld4 s.st4
  q[t] = 0; //@ s.st4
  __syncthreads();
  float x = 0;
  for (int k = 0; k < n; ++k) {
    x += s[t]; //@ s.ld4
    __syncwarp();
    v[k] = k; //@ g.st4 ref
  }
  o[i] = x + q[t ^ 1] + s[t ^ 3]; //@ g.st4 s.ld4 s.ld4
}
}
namespace invariant_syncwarp_ri {

__global__ void k(float *a, float *o, volatile int *v, const float *__restrict__ r, int n) {
  __shared__ float s[256], q[256];   const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;

  s[t ^ 1] = a[i]; //@ g.ld4 s.st4
  q[t] = 0; //@ s.st4
  __syncthreads();
  float x = 0;
  for (int k = 0; k < n; ++k) {
    x += r[i]; //@ g.ld4
    __syncwarp();
    v[k] = k; //@ g.st4 ref
  }
  o[i] = x + q[t ^ 1] + s[t ^ 3]; //@ g.st4 s.ld4 s.ld4
}
}
namespace invariant_store_shared_a3 {

__global__ void k(float *a, float *o, volatile int *v, const float *__restrict__ r, int n) {
  __shared__ float s[256], q[256];   const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;

  s[t ^ 1] = a[i]; //@ g.ld4 s.st4
  q[t] = 0; //@ s.st4
  __syncthreads();
  float x = 0;
  for (int k = 0; k < n; ++k) {
    x += a[3]; //@ g.ld4
    q[t] = x;
    v[k] = k; //@ g.st4 ref
  }
  o[i] = x + q[t ^ 1] + s[t ^ 3]; //@ g.st4 s.ld4 s.ld4
}
}
namespace invariant_store_same_ai {

__global__ void k(float *a, float *o, volatile int *v, const float *__restrict__ r, int n) {
  __shared__ float s[256], q[256];   const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;

  s[t ^ 1] = a[i]; //@ g.ld4 s.st4
  q[t] = 0; //@ s.st4
  __syncthreads();
  float x = 0;
  for (int k = 0; k < n; ++k) {
    x += a[i]; //@ g.ld4
    s[t ^ k] = x;
    v[k] = k; //@ g.st4 ref
  }
  o[i] = x + q[t ^ 1] + s[t ^ 3]; //@ g.st4 s.ld4 s.ld4
}
}
namespace invariant_store_global_s3 {

__global__ void k(float *a, float *o, volatile int *v, const float *__restrict__ r, int n) {
  __shared__ float s[256], q[256];   const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;

  s[t ^ 1] = a[i]; //@ g.ld4 s.st4
  q[t] = 0; //@ s.st4
  __syncthreads();
  float x = 0;
  for (int k = 0; k < n; ++k) {
    x += s[3]; //@ s.ld4
    o[k * 256 + i] = x;
    v[k] = k; //@ g.st4 ref
  }
  o[i] = x + q[t ^ 1] + s[t ^ 3]; //@ g.st4 s.ld4 s.ld4
}
}
namespace invariant_atomic_shared_st {

__global__ void k(float *a, float *o, volatile int *v, const float *__restrict__ r, int n) {
  __shared__ float s[256], q[256];   const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;

  s[t ^ 1] = a[i]; //@ g.ld4 s.st4
  q[t] = 0; //@ s.st4
  __syncthreads();
  float x = 0;
  for (int k = 0; k < n; ++k) {
    x += s[t]; //@ s.ld4
    atomicAdd((int *)&q[t], k);
    v[k] = k; //@ g.st4 ref
  }
  o[i] = x + q[t ^ 1] + s[t ^ 3]; //@ g.st4 s.ld4 s.ld4
}
}
namespace invariant_atomic_shared_ri {

__global__ void k(float *a, float *o, volatile int *v, const float *__restrict__ r, int n) {
  __shared__ float s[256], q[256];   const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;

  s[t ^ 1] = a[i]; //@ g.ld4 s.st4
  q[t] = 0; //@ s.st4
  __syncthreads();
  float x = 0;
  for (int k = 0; k < n; ++k) {
    x += r[i]; //@ g.ld4
    atomicAdd((int *)&q[t], k);
    v[k] = k; //@ g.st4 ref
  }
  o[i] = x + q[t ^ 1] + s[t ^ 3]; //@ g.st4 s.ld4 s.ld4
}
}
namespace invariant_atomic_global_a3 {

__global__ void k(float *a, float *o, volatile int *v, const float *__restrict__ r, int n) {
  __shared__ float s[256], q[256];   const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;

  s[t ^ 1] = a[i]; //@ g.ld4 s.st4
  q[t] = 0; //@ s.st4
  __syncthreads();
  float x = 0;
  for (int k = 0; k < n; ++k) {
    x += a[3]; //@ g.ld4
    atomicAdd(&o[k], x);
    v[k] = k; //@ g.st4 ref
  }
  o[i] = x + q[t ^ 1] + s[t ^ 3]; //@ g.st4 s.ld4 s.ld4
}
}
namespace invariant_fence_ai {

__global__ void k(float *a, float *o, volatile int *v, const float *__restrict__ r, int n) {
  __shared__ float s[256], q[256];   const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;

  s[t ^ 1] = a[i]; //@ g.ld4 s.st4
  q[t] = 0; //@ s.st4
  __syncthreads();
  float x = 0;
  for (int k = 0; k < n; ++k) {
    x += a[i]; //@ g.ld4
    __threadfence();
    v[k] = k; //@ g.st4 ref
  }
  o[i] = x + q[t ^ 1] + s[t ^ 3]; //@ g.st4 s.ld4 s.ld4
}
}
namespace use_float_01 {
__global__ void k(float *a, float *o) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[1024];
  s[t ^ 1] = a[i]; //@ g.ld4 s.st4
  __syncthreads();
  o[i] = s[4 * t + 0] * s[4 * t + 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace use_float4_01 {
__global__ void k(float4 *a, float *o) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  o[i] = a[i].x * a[i].y; //@ g.ld4 g.ld4 g.st4
}
}
namespace use_short_02 {
__global__ void k(short *a, short *o) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ short s[1024];
  s[t ^ 1] = a[i]; //@ g.ld2 s.st2
  __syncthreads();
  o[i] = s[4 * t + 0] * s[4 * t + 2]; //@ s.ld2 s.ld2 g.st2
}
}
namespace use_float_03 {
__global__ void k(float *a, float *o) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[1024];
  s[t ^ 1] = a[i]; //@ g.ld4 s.st4
  __syncthreads();
  o[i] = s[4 * t + 0] * s[4 * t + 3]; //@ s.ld4 s.ld4 g.st4
}
}
int main()
{
    char *buffer[5];
    for (int i = 0; i < 5; ++i) {
        cudaMalloc(&buffer[i], 16777216);
        cudaMemset(buffer[i], 0, 16777216);
    }
    start_t::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    step_4::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    element_short::k<<<2, 64, 8192>>>((short *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608));
    body_barrier_16::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    body_store_same_16::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    body_store_global_16::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    body_shuffle_16::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    body_break_16::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    body_fence_16::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    guard_tk1::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    gload_plain_column_16::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    gbody_plain_neighbour::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    gbody_plain_neighbour_far::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    gbody_plain_invariant::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    gbody_plain_accumulate::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    gbody_plain_overwrite::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    gbody_plain_inplace_prev::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    gload_restrict_row_16::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    gload_restrict_uniform_16::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    gbody_restrict_neighbour_lane::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    gbody_restrict_neighbour_row::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    gbody_restrict_invariant_uniform::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    gbody_restrict_accumulate_uniform::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    gbody_restrict_inplace::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    gbody_restrict_inplace_step::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    invariant_nothing_ai::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (volatile int *)(buffer[2] + 8388608), (float *)(buffer[3] + 8388608), 2);
    invariant_barrier_s3::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (volatile int *)(buffer[2] + 8388608), (float *)(buffer[3] + 8388608), 2);
    invariant_syncwarp_st::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (volatile int *)(buffer[2] + 8388608), (float *)(buffer[3] + 8388608), 2);
    invariant_syncwarp_ri::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (volatile int *)(buffer[2] + 8388608), (float *)(buffer[3] + 8388608), 2);
    invariant_store_shared_a3::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (volatile int *)(buffer[2] + 8388608), (float *)(buffer[3] + 8388608), 2);
    invariant_store_same_ai::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (volatile int *)(buffer[2] + 8388608), (float *)(buffer[3] + 8388608), 2);
    invariant_store_global_s3::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (volatile int *)(buffer[2] + 8388608), (float *)(buffer[3] + 8388608), 2);
    invariant_atomic_shared_st::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (volatile int *)(buffer[2] + 8388608), (float *)(buffer[3] + 8388608), 2);
    invariant_atomic_shared_ri::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (volatile int *)(buffer[2] + 8388608), (float *)(buffer[3] + 8388608), 2);
    invariant_atomic_global_a3::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (volatile int *)(buffer[2] + 8388608), (float *)(buffer[3] + 8388608), 2);
    invariant_fence_ai::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (volatile int *)(buffer[2] + 8388608), (float *)(buffer[3] + 8388608), 2);
    use_float_01::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608));
    use_float4_01::k<<<2, 64, 8192>>>((float4 *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608));
    use_short_02::k<<<2, 64, 8192>>>((short *)(buffer[0] + 8388608), (short *)(buffer[1] + 8388608));
    use_float_03::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608));
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
