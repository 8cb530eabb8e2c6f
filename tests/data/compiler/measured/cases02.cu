#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
namespace cond_guarded_then_all_global_lane {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  float x = 0;
  if (t < m)
    x = a[i]; //@ g.ld4
  float y = a[i]; //@ g.ld4
  o[i + n] = x * y; //@ g.st4
  __syncthreads();
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace cond_arms_store_far_global_lane {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  if (t < m)
  {
    a[i] = n; //@ g.st4
    q[t] = 1; //@ s.st4
  } else
    a[i] = m; //@ g.st4
  __syncthreads();
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace cond_guarded_update_global_lane {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  if (t < m)
    a[i] += m; //@ g.ld4 g.st4
  __syncthreads();
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace cond_arms_differ_global_parity {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  float x;
  if (t & 1)
    x = a[i]; //@ g.ld4
  else
    x = a[i + n]; //@ g.ld4
  o[i + n] = x; //@ g.st4
  __syncthreads();
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace cond_first_then_guarded_global_parity {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  float x = a[i], y = 0; //@ g.ld4
  if (t & 1)
    y = a[i]; //@ g.ld4
  o[i + n] = x * y; //@ g.st4
  __syncthreads();
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace cond_arms_store_global_parity {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  if (t & 1)
    a[i] = n; //@ g.st4
  else
    a[i] = m; //@ g.st4
  __syncthreads();
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace cond_guarded_then_store_global_parity {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  if (t & 1)
    a[i] = n; //@ g.st4
  a[i] = m; //@ g.st4
  __syncthreads();
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace cond_arms_same_global_uniform {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  float x;
  if (n > m)
    x = a[i] * 2; //@ g.ld4
  else
    x = a[i] * n + 3; //@ g.ld4
  o[i + n] = x; //@ g.st4
  __syncthreads();
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace cond_twice_guarded_global_uniform {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  float x = 0, y = 0;
  if (n > m)
    x = a[i]; //@ g.ld4
  if (t > n)
    y = a[i]; //@ g.ld4
  o[i + n] = x * y; //@ g.st4
  __syncthreads();
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace cond_heavy_global_uniform {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  float x = 0;
  if (n > m)
  {
    x = a[i]; //@ g.ld4
    for (int k = 0; k < n; ++k) x = sinf(x);
  }
  o[i + n] = x; //@ g.st4
  __syncthreads();
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace cond_store_then_guarded_global_uniform {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  a[i] = n; //@ g.st4
  if (n > m)
    a[i] = m; //@ g.st4
  __syncthreads();
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace cond_sunk_barrier_global_data {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  float x = a[i]; //@ g.ld4
  __syncthreads();
  if (b[i + 5] > 0.f) //@ g.ld4
    o[i + n] = x; //@ g.st4
  __syncthreads();
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace cond_ternary_zero_global_data {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  float x = (b[i + 5] > 0.f) ? 
   a[i] : 0; //@ g.ld4
  o[i + n] = x; //@ g.st4
  __syncthreads();
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace cond_two_ifs_global_data {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  float x = 0, y = 0;
  if (b[i + 5] > 0.f) //@ g.ld4
    x = a[i]; //@ g.ld4
  if (b[i + 5] > 0.f) //@ g.ld4
    y = a[i]; //@ g.ld4
  o[i + n] = x * y; //@ g.st4
  __syncthreads();
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace cond_arms_store_differ_global_data {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  if (b[i + 5] > 0.f) //@ g.ld4
    a[i] = n; //@ g.st4
  else
    a[i + n] = m; //@ g.st4
  __syncthreads();
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace cond_sunk_restrict_lane {
__global__ void k(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ o, int n, int m) {
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
namespace cond_ternary_restrict_lane {
__global__ void k(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ o, int n, int m) {
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
namespace cond_guarded_then_all_restrict_lane {
__global__ void k(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  float x = 0;
  if (t < m)
    x = a[i]; //@ g.ld4
  float y = a[i]; //@ g.ld4
  o[i + n] = x * y; //@ g.st4
  __syncthreads();
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace cond_sunk_barrier_restrict_parity {
__global__ void k(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  float x = a[i]; //@ g.ld4
  __syncthreads();
  if (t & 1)
    o[i + n] = x; //@ g.st4
  __syncthreads();
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace cond_ternary_zero_restrict_parity {
__global__ void k(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  float x = (t & 1) ? 
   a[i] : 0; //@ g.ld4
  o[i + n] = x; //@ g.st4
  __syncthreads();
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace cond_two_ifs_restrict_parity {
__global__ void k(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  float x = 0, y = 0;
  if (t & 1)
    x = a[i]; //@ g.ld4
  if (t & 1)
    y = a[i]; //@ g.ld4
  o[i + n] = x * y; //@ g.st4
  __syncthreads();
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace cond_arms_same_restrict_uniform {
__global__ void k(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  float x;
  if (n > m)
    x = a[i] * 2; //@ g.ld4
  else
    x = a[i] * n + 3; //@ g.ld4
  o[i + n] = x; //@ g.st4
  __syncthreads();
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace cond_twice_guarded_restrict_uniform {
__global__ void k(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  float x = 0, y = 0;
  if (n > m)
    x = a[i]; //@ g.ld4
  if (t > n)
    y = a[i]; //@ g.ld4
  o[i + n] = x * y; //@ g.st4
  __syncthreads();
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace cond_heavy_restrict_uniform {
__global__ void k(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  float x = 0;
  if (n > m)
  {
    x = a[i]; //@ g.ld4
    for (int k = 0; k < n; ++k) x = sinf(x);
  }
  o[i + n] = x; //@ g.st4
  __syncthreads();
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace cond_arms_differ_restrict_data {
__global__ void k(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  float x;
  if (b[i + 5] > 0.f) //@ g.ld4
    x = a[i]; //@ g.ld4
  else
    x = a[i + n]; //@ g.ld4
  o[i + n] = x; //@ g.st4
  __syncthreads();
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace cond_first_then_guarded_restrict_data {
__global__ void k(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[256], q[256];
  s[t ^ 2] = b[i]; //@ g.ld4 s.st4
  q[t ^ 2] = b[i + n]; //@ g.ld4 s.st4
  __syncthreads();
  float x = a[i], y = 0; //@ g.ld4
  if (b[i + 5] > 0.f) //@ g.ld4
    y = a[i]; //@ g.ld4
  o[i + n] = x * y; //@ g.st4
  __syncthreads();
  o[i] = q[t ^ 1] + s[t ^ 1]; //@ s.ld4 s.ld4 g.st4
}
}
namespace atomic_shared_int_uniform_one_drop {
__global__ void k(float *a, float *b, float *o, int n, int m, int *p) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int c[256];
  c[t ^ 3] = t; //@ s.st4
  __syncthreads();
  atomicAdd(&c[0], (int)1); //@ s.at4
  __syncthreads();
  o[i + n] = c[t ^ 1]; //@ s.ld4 g.st4
}
}
namespace atomic_shared_int_lane_one_drop {
__global__ void k(float *a, float *b, float *o, int n, int m, int *p) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int c[256];
  c[t ^ 3] = t; //@ s.st4
  __syncthreads();
  atomicAdd(&c[t], (int)1); //@ s.at4
  __syncthreads();
  o[i + n] = c[t ^ 1]; //@ s.ld4 g.st4
}
}
namespace atomic_shared_int_argument_one_drop {
__global__ void k(float *a, float *b, float *o, int n, int m, int *p) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int c[256];
  c[t ^ 3] = t; //@ s.st4
  __syncthreads();
  atomicAdd(&c[m], (int)1); //@ s.at4
  __syncthreads();
  o[i + n] = c[t ^ 1]; //@ s.ld4 g.st4
}
}
namespace atomic_shared_int_warp_one_drop {
__global__ void k(float *a, float *b, float *o, int n, int m, int *p) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int c[256];
  c[t ^ 3] = t; //@ s.st4
  __syncthreads();
  atomicAdd(&c[t / 32], (int)1); //@ s.at4
  __syncthreads();
  o[i + n] = c[t ^ 1]; //@ s.ld4 g.st4
}
}
namespace atomic_shared_unsigned_uniform_one_drop {
__global__ void k(float *a, float *b, float *o, int n, int m, unsigned *p) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ unsigned c[256];
  c[t ^ 3] = t; //@ s.st4
  __syncthreads();
  atomicAdd(&c[0], (unsigned)1); //@ s.at4
  __syncthreads();
  o[i + n] = c[t ^ 1]; //@ s.ld4 g.st4
}
}
namespace atomic_shared_unsigned_lane_one_drop {
__global__ void k(float *a, float *b, float *o, int n, int m, unsigned *p) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ unsigned c[256];
  c[t ^ 3] = t; //@ s.st4
  __syncthreads();
  atomicAdd(&c[t], (unsigned)1); //@ s.at4
  __syncthreads();
  o[i + n] = c[t ^ 1]; //@ s.ld4 g.st4
}
}
namespace atomic_shared_unsigned_argument_one_drop {
__global__ void k(float *a, float *b, float *o, int n, int m, unsigned *p) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ unsigned c[256];
  c[t ^ 3] = t; //@ s.st4
  __syncthreads();
  atomicAdd(&c[m], (unsigned)1); //@ s.at4
  __syncthreads();
  o[i + n] = c[t ^ 1]; //@ s.ld4 g.st4
}
}
namespace atomic_shared_unsigned_warp_one_drop {
__global__ void k(float *a, float *b, float *o, int n, int m, unsigned *p) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ unsigned c[256];
  c[t ^ 3] = t; //@ s.st4
  __syncthreads();
  atomicAdd(&c[t / 32], (unsigned)1); //@ s.at4
  __syncthreads();
  o[i + n] = c[t ^ 1]; //@ s.ld4 g.st4
}
}
namespace atomic_shared_float_uniform_one_drop {
__global__ void k(float *a, float *b, float *o, int n, int m, float *p) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float c[256];
  c[t ^ 3] = t; //@ s.st4
  __syncthreads();
  atomicAdd(&c[0], (float)1); //@ s.at4
  __syncthreads();
  o[i + n] = c[t ^ 1]; //@ s.ld4 g.st4
}
}
namespace atomic_shared_float_lane_one_drop {
__global__ void k(float *a, float *b, float *o, int n, int m, float *p) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float c[256];
  c[t ^ 3] = t; //@ s.st4
  __syncthreads();
  atomicAdd(&c[t], (float)1); //@ s.at4
  __syncthreads();
  o[i + n] = c[t ^ 1]; //@ s.ld4 g.st4
}
}
namespace atomic_shared_float_argument_one_drop {
__global__ void k(float *a, float *b, float *o, int n, int m, float *p) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float c[256];
  c[t ^ 3] = t; //@ s.st4
  __syncthreads();
  atomicAdd(&c[m], (float)1); //@ s.at4
  __syncthreads();
  o[i + n] = c[t ^ 1]; //@ s.ld4 g.st4
}
}
namespace atomic_shared_float_warp_one_drop {
__global__ void k(float *a, float *b, float *o, int n, int m, float *p) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float c[256];
  c[t ^ 3] = t; //@ s.st4
  __syncthreads();
  atomicAdd(&c[t / 32], (float)1); //@ s.at4
  __syncthreads();
  o[i + n] = c[t ^ 1]; //@ s.ld4 g.st4
}
}
namespace atomic_shared_unsignedlonglong_uniform_one_drop {
__global__ void k(float *a, float *b, float *o, int n, int m, unsigned long long *p) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ unsigned long long c[256];
  c[t ^ 3] = t; //@ s.st8
  __syncthreads();
  atomicAdd(&c[0], (unsigned long long)1); //@ s.at8
  __syncthreads();
  o[i + n] = c[t ^ 1]; //@ s.ld8 g.st4
}
}
namespace atomic_shared_unsignedlonglong_lane_one_drop {
__global__ void k(float *a, float *b, float *o, int n, int m, unsigned long long *p) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ unsigned long long c[256];
  c[t ^ 3] = t; //@ s.st8
  __syncthreads();
  atomicAdd(&c[t], (unsigned long long)1); //@ s.at8
  __syncthreads();
  o[i + n] = c[t ^ 1]; //@ s.ld8 g.st4
}
}
int main()
{
    char *buffer[6];
    for (int i = 0; i < 6; ++i) {
        cudaMalloc(&buffer[i], 16777216);
        cudaMemset(buffer[i], 0, 16777216);
    }
    cond_guarded_then_all_global_lane::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cond_arms_store_far_global_lane::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cond_guarded_update_global_lane::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cond_arms_differ_global_parity::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cond_first_then_guarded_global_parity::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cond_arms_store_global_parity::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cond_guarded_then_store_global_parity::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cond_arms_same_global_uniform::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cond_twice_guarded_global_uniform::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cond_heavy_global_uniform::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cond_store_then_guarded_global_uniform::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cond_sunk_barrier_global_data::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cond_ternary_zero_global_data::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cond_two_ifs_global_data::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cond_arms_store_differ_global_data::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cond_sunk_restrict_lane::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cond_ternary_restrict_lane::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cond_guarded_then_all_restrict_lane::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cond_sunk_barrier_restrict_parity::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cond_ternary_zero_restrict_parity::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cond_two_ifs_restrict_parity::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cond_arms_same_restrict_uniform::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cond_twice_guarded_restrict_uniform::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cond_heavy_restrict_uniform::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cond_arms_differ_restrict_data::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cond_first_then_guarded_restrict_data::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    atomic_shared_int_uniform_one_drop::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (int *)(buffer[5] + 8388608));
    atomic_shared_int_lane_one_drop::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (int *)(buffer[5] + 8388608));
    atomic_shared_int_argument_one_drop::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (int *)(buffer[5] + 8388608));
    atomic_shared_int_warp_one_drop::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (int *)(buffer[5] + 8388608));
    atomic_shared_unsigned_uniform_one_drop::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (unsigned *)(buffer[5] + 8388608));
    atomic_shared_unsigned_lane_one_drop::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (unsigned *)(buffer[5] + 8388608));
    atomic_shared_unsigned_argument_one_drop::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (unsigned *)(buffer[5] + 8388608));
    atomic_shared_unsigned_warp_one_drop::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (unsigned *)(buffer[5] + 8388608));
    atomic_shared_float_uniform_one_drop::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (float *)(buffer[5] + 8388608));
    atomic_shared_float_lane_one_drop::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (float *)(buffer[5] + 8388608));
    atomic_shared_float_argument_one_drop::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (float *)(buffer[5] + 8388608));
    atomic_shared_float_warp_one_drop::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (float *)(buffer[5] + 8388608));
    atomic_shared_unsignedlonglong_uniform_one_drop::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (unsigned long long *)(buffer[5] + 8388608));
    atomic_shared_unsignedlonglong_lane_one_drop::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (unsigned long long *)(buffer[5] + 8388608));
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
