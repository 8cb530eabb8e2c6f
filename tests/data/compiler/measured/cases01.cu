#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
namespace twice_shared_global_same {
__global__ void k(float *a, float *b, float *o, int n, int m, const float *__restrict__ r) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  float x = s[t]; //@ s.ld4
  a[i + m] = n; //@ g.st4
  float y = s[t]; //@ s.ld4
  o[i + n] = x * x + y; //@ g.st4
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace forward_global_global_same {
__global__ void k(float *a, float *b, float *o, int n, int m, const float *__restrict__ r) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  a[i] = n; //@ g.st4
  a[i + m] = n; //@ g.st4
  float y = a[i]; //@ g.ld4
  o[i + n] = y; //@ g.st4
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace forward_shared_shuffle {
__global__ void k(float *a, float *b, float *o, int n, int m, const float *__restrict__ r) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  s[t] = n; //@ s.st4
  n = __shfl_xor_sync(~0u, n, 1);
  float y = s[t]; //@ s.ld4
  o[i + n] = y; //@ g.st4
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace dead_global_shuffle {
__global__ void k(float *a, float *b, float *o, int n, int m, const float *__restrict__ r) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  a[i] = n; //@ g.st4
  n = __shfl_xor_sync(~0u, n, 1);
  a[i] = m; //@ g.st4
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace dead_shared_atomic_shared {
__global__ void k(float *a, float *b, float *o, int n, int m, const float *__restrict__ r) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  s[t] = n; //@ s.st4
  atomicAdd((int *)&q[n], 1); //@ s.at4
  s[t] = m; //@ s.st4
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace twice_restrict_atomic_shared {
__global__ void k(float *a, float *b, float *o, int n, int m, const float *__restrict__ r) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  float x = r[i]; //@ g.ld4
  atomicAdd((int *)&q[n], 1); //@ s.at4
  float y = r[i]; //@ g.ld4
  o[i + n] = x * x + y; //@ g.st4
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace twice_global_atomic_global {
__global__ void k(float *a, float *b, float *o, int n, int m, const float *__restrict__ r) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  float x = a[i]; //@ g.ld4
  atomicAdd(&b[i], 1.f); //@ g.at4
  float y = a[i]; //@ g.ld4
  o[i + n] = x * x + y; //@ g.st4
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace twice_shared_if {
__global__ void k(float *a, float *b, float *o, int n, int m, const float *__restrict__ r) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  float x = s[t]; //@ s.ld4
  if (n > m) n = m * m;
  float y = s[t]; //@ s.ld4
  o[i + n] = x * x + y; //@ g.st4
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace forward_global_if {
__global__ void k(float *a, float *b, float *o, int n, int m, const float *__restrict__ r) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  a[i] = n; //@ g.st4
  if (n > m) n = m * m;
  float y = a[i]; //@ g.ld4
  o[i + n] = y; //@ g.st4
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace forward_shared_ifstore {
__global__ void k(float *a, float *b, float *o, int n, int m, const float *__restrict__ r) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  s[t] = n; //@ s.st4
  if (n > m) b[i] = m; //@ g.st4
  float y = s[t]; //@ s.ld4
  o[i + n] = y; //@ g.st4
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace dead_global_ifstore {
__global__ void k(float *a, float *b, float *o, int n, int m, const float *__restrict__ r) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  a[i] = n; //@ g.st4
  if (n > m) b[i] = m; //@ g.st4
  a[i] = m; //@ g.st4
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace dead_shared_loop {
__global__ void k(float *a, float *b, float *o, int n, int m, const float *__restrict__ r) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  s[t] = n; //@ s.st4
  for (int k = 0; k < m; ++k) n = n * n + k;
  s[t] = m; //@ s.st4
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace twice_restrict_loop {
__global__ void k(float *a, float *b, float *o, int n, int m, const float *__restrict__ r) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  float x = r[i]; //@ g.ld4
  for (int k = 0; k < m; ++k) n = n * n + k;
  float y = r[i]; //@ g.ld4
  o[i + n] = x * x + y; //@ g.st4
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace twice_global_ifbarrier {
__global__ void k(float *a, float *b, float *o, int n, int m, const float *__restrict__ r) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  float x = a[i]; //@ g.ld4
  if (n > m) __syncthreads();
  float y = a[i]; //@ g.ld4
  o[i + n] = x * x + y; //@ g.st4
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace twice_shared_vote {
__global__ void k(float *a, float *b, float *o, int n, int m, const float *__restrict__ r) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  float x = s[t]; //@ s.ld4
  if (__any_sync(~0u, t > n)) n++;
  float y = s[t]; //@ s.ld4
  o[i + n] = x * x + y; //@ g.st4
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace forward_global_vote {
__global__ void k(float *a, float *b, float *o, int n, int m, const float *__restrict__ r) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  a[i] = n; //@ g.st4
  if (__any_sync(~0u, t > n)) n++;
  float y = a[i]; //@ g.ld4
  o[i + n] = y; //@ g.st4
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace forward_shared_volatile {
__global__ void k(float *a, float *b, float *o, int n, int m, const float *__restrict__ r) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  s[t] = n; //@ s.st4
  *(volatile float *)(b + i) = 1; //@ g.st4
  float y = s[t]; //@ s.ld4
  o[i + n] = y; //@ g.st4
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace dead_global_volatile {
__global__ void k(float *a, float *b, float *o, int n, int m, const float *__restrict__ r) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  a[i] = n; //@ g.st4
  *(volatile float *)(b + i) = 1; //@ g.st4
  a[i] = m; //@ g.st4
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace dead_shared_asm {
__global__ void k(float *a, float *b, float *o, int n, int m, const float *__restrict__ r) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  s[t] = n; //@ s.st4
  asm volatile("" ::: "memory");
  s[t] = m; //@ s.st4
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace twice_restrict_asm {
__global__ void k(float *a, float *b, float *o, int n, int m, const float *__restrict__ r) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  float x = r[i]; //@ g.ld4
  asm volatile("" ::: "memory");
  float y = r[i]; //@ g.ld4
  o[i + n] = x * x + y; //@ g.st4
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace twice_global_return {
__global__ void k(float *a, float *b, float *o, int n, int m, const float *__restrict__ r) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  float x = a[i]; //@ g.ld4
  if (t > n) return;
  float y = a[i]; //@ g.ld4
  o[i + n] = x * x + y; //@ g.st4
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace cond_sunk_shared_lane {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  float x = s[t]; //@ s.ld4
  if (t < m)
    o[i + n] = x; //@ g.st4
  __syncthreads();
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace cond_ternary_shared_lane {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  float x = (t < m) ? 
   s[t] : //@ s.ld4
   s[t ^ 7]; //@ s.ld4
  o[i + n] = x; //@ g.st4
  __syncthreads();
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace cond_guarded_then_all_shared_lane {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  float x = 0;
  if (t < m)
    x = s[t]; //@ s.ld4
  float y = s[t]; //@ s.ld4
  o[i + n] = x * y; //@ g.st4
  __syncthreads();
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace cond_arms_store_far_shared_lane {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  if (t < m)
  {
    s[t] = n; //@ s.st4
    q[t] = 1; //@ s.st4
  } else
    s[t] = m; //@ s.st4
  __syncthreads();
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace cond_guarded_update_shared_lane {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  if (t < m)
    s[t] += m; //@ s.ld4 s.st4
  __syncthreads();
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace cond_arms_differ_shared_parity {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  float x;
  if (t & 1)
    x = s[t]; //@ s.ld4
  else
    x = s[t ^ 7]; //@ s.ld4
  o[i + n] = x; //@ g.st4
  __syncthreads();
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace cond_first_then_guarded_shared_parity {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  float x = s[t], y = 0; //@ s.ld4
  if (t & 1)
    y = s[t]; //@ s.ld4
  o[i + n] = x * y; //@ g.st4
  __syncthreads();
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace cond_arms_store_shared_parity {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  if (t & 1)
    s[t] = n; //@ s.st4
  else
    s[t] = m; //@ s.st4
  __syncthreads();
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace cond_guarded_then_store_shared_parity {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  if (t & 1)
    s[t] = n; //@ s.st4
  s[t] = m; //@ s.st4
  __syncthreads();
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace cond_arms_same_shared_uniform {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  float x;
  if (n > m)
    x = s[t] * 2; //@ s.ld4
  else
    x = s[t] * n + 3; //@ s.ld4
  o[i + n] = x; //@ g.st4
  __syncthreads();
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace cond_twice_guarded_shared_uniform {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  float x = 0, y = 0;
  if (n > m)
    x = s[t]; //@ s.ld4
  if (t > n)
    y = s[t]; //@ s.ld4
  o[i + n] = x * y; //@ g.st4
  __syncthreads();
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace cond_heavy_shared_uniform {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  float x = 0;
  if (n > m)
  {
    x = s[t]; //@ s.ld4
    for (int k = 0; k < n; ++k) x = sinf(x);
  }
  o[i + n] = x; //@ g.st4
  __syncthreads();
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace cond_store_then_guarded_shared_uniform {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  s[t] = n; //@ s.st4
  if (n > m)
    s[t] = m; //@ s.st4
  __syncthreads();
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace cond_sunk_barrier_shared_data {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  float x = s[t]; //@ s.ld4
  __syncthreads();
  if (b[i + 5] > 0.f) //@ g.ld4
    o[i + n] = x; //@ g.st4
  __syncthreads();
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace cond_ternary_zero_shared_data {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  float x = (b[i + 5] > 0.f) ? 
   s[t] : 0; //@ s.ld4
  o[i + n] = x; //@ g.st4
  __syncthreads();
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace cond_two_ifs_shared_data {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  float x = 0, y = 0;
  if (b[i + 5] > 0.f) //@ g.ld4
    x = s[t]; //@ s.ld4
  if (b[i + 5] > 0.f) //@ g.ld4
    y = s[t]; //@ s.ld4
  o[i + n] = x * y; //@ g.st4
  __syncthreads();
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace cond_arms_store_differ_shared_data {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  if (b[i + 5] > 0.f) //@ g.ld4
    s[t] = n; //@ s.st4
  else
    s[t ^ 7] = m; //@ s.st4
  __syncthreads();
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace cond_sunk_global_lane {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  float x = a[i]; //@ g.ld4
  if (t < m)
    o[i + n] = x; //@ g.st4
  __syncthreads();
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace cond_ternary_global_lane {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  float x = (t < m) ? 
   a[i] : //@ g.ld4
   a[i + n]; //@ g.ld4
  o[i + n] = x; //@ g.st4
  __syncthreads();
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
int main()
{
    char *buffer[6];
    for (int i = 0; i < 6; ++i) {
        cudaMalloc(&buffer[i], 16777216);
        cudaMemset(buffer[i], 0, 16777216);
    }
    twice_shared_global_same::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (float *)(buffer[5] + 8388608));
    forward_global_global_same::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (float *)(buffer[5] + 8388608));
    forward_shared_shuffle::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (float *)(buffer[5] + 8388608));
    dead_global_shuffle::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (float *)(buffer[5] + 8388608));
    dead_shared_atomic_shared::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (float *)(buffer[5] + 8388608));
    twice_restrict_atomic_shared::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (float *)(buffer[5] + 8388608));
    twice_global_atomic_global::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (float *)(buffer[5] + 8388608));
    twice_shared_if::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (float *)(buffer[5] + 8388608));
    forward_global_if::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (float *)(buffer[5] + 8388608));
    forward_shared_ifstore::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (float *)(buffer[5] + 8388608));
    dead_global_ifstore::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (float *)(buffer[5] + 8388608));
    dead_shared_loop::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (float *)(buffer[5] + 8388608));
    twice_restrict_loop::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (float *)(buffer[5] + 8388608));
    twice_global_ifbarrier::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (float *)(buffer[5] + 8388608));
    twice_shared_vote::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (float *)(buffer[5] + 8388608));
    forward_global_vote::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (float *)(buffer[5] + 8388608));
    forward_shared_volatile::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (float *)(buffer[5] + 8388608));
    dead_global_volatile::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (float *)(buffer[5] + 8388608));
    dead_shared_asm::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (float *)(buffer[5] + 8388608));
    twice_restrict_asm::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (float *)(buffer[5] + 8388608));
    twice_global_return::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (float *)(buffer[5] + 8388608));
    cond_sunk_shared_lane::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cond_ternary_shared_lane::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cond_guarded_then_all_shared_lane::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cond_arms_store_far_shared_lane::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cond_guarded_update_shared_lane::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cond_arms_differ_shared_parity::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cond_first_then_guarded_shared_parity::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cond_arms_store_shared_parity::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cond_guarded_then_store_shared_parity::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cond_arms_same_shared_uniform::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cond_twice_guarded_shared_uniform::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cond_heavy_shared_uniform::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cond_store_then_guarded_shared_uniform::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cond_sunk_barrier_shared_data::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cond_ternary_zero_shared_data::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cond_two_ifs_shared_data::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cond_arms_store_differ_shared_data::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cond_sunk_global_lane::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cond_ternary_global_lane::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
