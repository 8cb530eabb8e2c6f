#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
namespace replaced_constant_else {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x;
  float v = a[t + 64]; //@ g.ld4
  if (t < n) {
  v = 0;
  }
  else v += 1;
  o[t] = v; //@ g.st4
}
}
namespace replaced_sum_data {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x;
  float v = a[t + 64]; //@ g.ld4
  if (v > 3) {
  v += b[t]; //@ g.ld4
  }
  o[t] = v; //@ g.st4
}
}
namespace replaced_two_parity {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x;
  float v = a[t + 64]; //@ g.ld4
  if (t & 1) {
  v = b[t]; //@ g.ld4
  v *= b[t + 9]; //@ g.ld4
  }
  o[t] = v; //@ g.st4
}
}
namespace replaced_store_too_uniform {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x;
  float v = a[t + 64]; //@ g.ld4
  if (n > 3) {
  v = b[t]; //@ g.ld4
  o[t + 64] = 1; //@ g.st4
  }
  o[t] = v; //@ g.st4
}
}
namespace replaced_math_lane {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x;
  float v = a[t + 64]; //@ g.ld4
  if (t < n) {
  v = t * 3.f + n;
  }
  o[t] = v; //@ g.st4
}
}
namespace replaced_math_else {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x;
  float v = a[t + 64]; //@ g.ld4
  if (t < n) {
  v = t * 3.f + n;
  }
  else v += 1;
  o[t] = v; //@ g.st4
}
}
namespace replaced_shared_data {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x;
  __shared__ float s[1024], q[256];
  s[t] = a[t]; q[t ^ 3] = n;
  __syncthreads();
  float v = a[t + 64]; //@ g.ld4
  if (v > 3) {
  v = s[t ^ 5]; //@ s.ld4
  }
  o[t] = v; //@ g.st4
  __syncthreads();
  o[t + 999] = s[t ^ 9] + q[t];
}
}
namespace replaced_store_only_parity {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x;
  float v = a[t + 64]; //@ g.ld4
  if (t & 1) {
  v = 0;
  o[t + 64] = 1; //@ g.st4
  }
  o[t] = v; //@ g.st4
}
}
namespace replaced_load_before_store_after_use {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x;
  float v = a[t + 64]; //@ g.ld4
  o[t + 300] = 1; //@ g.st4
  if (t < n) {
  v = a[t]; //@ g.ld4
  }
  o[t] = v; //@ g.st4
}
}
namespace replaced_load_before_store_after_other {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x;
  float v = a[t + 64]; //@ g.ld4
  o[t + 300] = 1; //@ g.st4
  if (t < n) {
  v = a[t]; //@ g.ld4
  }
  float w = t * 3.f + n;
  o[t + 1] = w; //@ g.st4
  o[t] = v; //@ g.st4
}
}
namespace replaced_load_before_store_after_load {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x;
  float v = a[t + 64]; //@ g.ld4
  o[t + 300] = 1; //@ g.st4
  if (t < n) {
  v = a[t]; //@ g.ld4
  }
  float w = b[t + 5]; //@ g.ld4
  o[t + 1] = w; //@ g.st4
  o[t] = v; //@ g.st4
}
}
namespace replaced_load_before_store_after_same_line {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x;
  float v = a[t + 64]; //@ g.ld4
  o[t + 300] = 1; //@ g.st4
  if (t < n) {
  v = a[t]; //@ g.ld4
  }
  o[t] = v + b[t + 5]; //@ g.ld4 g.st4
}
}
namespace replaced_load_before_store_after_barrier {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x;
  float v = a[t + 64]; //@ g.ld4
  o[t + 300] = 1; //@ g.st4
  if (t < n) {
  v = a[t]; //@ g.ld4
  }
  __syncthreads();
  o[t] = v; //@ g.st4
}
}
namespace replaced_other_array_before_none_after_use {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x;
  float v = a[t + 64]; //@ g.ld4
  if (t < n) {
  v = b[t + m]; //@ g.ld4
  }
  o[t] = v; //@ g.st4
}
}
namespace replaced_other_array_before_none_after_other {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x;
  float v = a[t + 64]; //@ g.ld4
  if (t < n) {
  v = b[t + m]; //@ g.ld4
  }
  float w = t * 3.f + n;
  o[t + 1] = w; //@ g.st4
  o[t] = v; //@ g.st4
}
}
namespace replaced_other_array_before_none_after_load {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x;
  float v = a[t + 64]; //@ g.ld4
  if (t < n) {
  v = b[t + m]; //@ g.ld4
  }
  float w = b[t + 5]; //@ g.ld4
  o[t + 1] = w; //@ g.st4
  o[t] = v; //@ g.st4
}
}
namespace replaced_other_array_before_none_after_same_line {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x;
  float v = a[t + 64]; //@ g.ld4
  if (t < n) {
  v = b[t + m]; //@ g.ld4
  }
  o[t] = v + b[t + 5]; //@ g.ld4 g.st4
}
}
namespace replaced_other_array_before_none_after_barrier {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x;
  float v = a[t + 64]; //@ g.ld4
  if (t < n) {
  v = b[t + m]; //@ g.ld4
  }
  __syncthreads();
  o[t] = v; //@ g.st4
}
}
namespace replaced_other_array_shared {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x;
  __shared__ float s[1024], q[256];
  s[t] = a[t]; q[t ^ 3] = n;
  __syncthreads();
  float v = s[t + 64]; //@ s.ld4
  if (t < n) {
  v = q[t + m]; //@ s.ld4
  }
  o[t] = v; //@ g.st4
  __syncthreads();
  o[t + 999] = s[t ^ 9] + q[t];
}
}
namespace replaced_times_before_load_after_use {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x;
  float v = a[t + 64]; //@ g.ld4
  float u = b[t + 7]; //@ g.ld4
  o[t + 33] = u; //@ g.st4
  if (t < n) {
  v = b[t] * 3; //@ g.ld4
  }
  o[t] = v; //@ g.st4
}
}
namespace replaced_times_before_load_after_other {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x;
  float v = a[t + 64]; //@ g.ld4
  float u = b[t + 7]; //@ g.ld4
  o[t + 33] = u; //@ g.st4
  if (t < n) {
  v = b[t] * 3; //@ g.ld4
  }
  float w = t * 3.f + n;
  o[t + 1] = w; //@ g.st4
  o[t] = v; //@ g.st4
}
}
namespace replaced_times_before_load_after_load {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x;
  float v = a[t + 64]; //@ g.ld4
  float u = b[t + 7]; //@ g.ld4
  o[t + 33] = u; //@ g.st4
  if (t < n) {
  v = b[t] * 3; //@ g.ld4
  }
  float w = b[t + 5]; //@ g.ld4
  o[t + 1] = w; //@ g.st4
  o[t] = v; //@ g.st4
}
}
namespace replaced_times_before_load_after_same_line {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x;
  float v = a[t + 64]; //@ g.ld4
  float u = b[t + 7]; //@ g.ld4
  o[t + 33] = u; //@ g.st4
  if (t < n) {
  v = b[t] * 3; //@ g.ld4
  }
  o[t] = v + b[t + 5]; //@ g.ld4 g.st4
}
}
namespace replaced_times_before_load_after_barrier {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x;
  float v = a[t + 64]; //@ g.ld4
  float u = b[t + 7]; //@ g.ld4
  o[t + 33] = u; //@ g.st4
  if (t < n) {
  v = b[t] * 3; //@ g.ld4
  }
  __syncthreads();
  o[t] = v; //@ g.st4
}
}
namespace replaced_constant_before_barrier_after_use {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x;
  float v = a[t + 64]; //@ g.ld4
  __syncthreads();
  if (t < n) {
  v = 0;
  }
  o[t] = v; //@ g.st4
}
}
namespace replaced_constant_before_barrier_after_other {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x;
  float v = a[t + 64]; //@ g.ld4
  __syncthreads();
  if (t < n) {
  v = 0;
  }
  float w = t * 3.f + n;
  o[t + 1] = w; //@ g.st4
  o[t] = v; //@ g.st4
}
}
namespace replaced_constant_before_barrier_after_load {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x;
  float v = a[t + 64]; //@ g.ld4
  __syncthreads();
  if (t < n) {
  v = 0;
  }
  float w = b[t + 5]; //@ g.ld4
  o[t + 1] = w; //@ g.st4
  o[t] = v; //@ g.st4
}
}
namespace replaced_constant_before_barrier_after_same_line {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x;
  float v = a[t + 64]; //@ g.ld4
  __syncthreads();
  if (t < n) {
  v = 0;
  }
  o[t] = v + b[t + 5]; //@ g.ld4 g.st4
}
}
namespace replaced_constant_before_barrier_after_barrier {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x;
  float v = a[t + 64]; //@ g.ld4
  __syncthreads();
  if (t < n) {
  v = 0;
  }
  __syncthreads();
  o[t] = v; //@ g.st4
}
}
namespace chain_store_same_two {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x;
  __shared__ float s[1024], q[256];
  s[t] = a[t]; q[t ^ 3] = n;
  __syncthreads();
  if (t < n) s[t] = 1; //@ s.st4
  else if (t < m) s[t] = 2; //@ s.st4
  __syncthreads();
  o[t + 999] = s[t ^ 9] + q[t];
}
}
namespace chain_warps {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x;
  __shared__ float s[1024], q[256];
  s[t] = a[t]; q[t ^ 3] = n;
  __syncthreads();
  int w = t / 32;
  if (w == 0) s[t] = a[t]; //@ g.ld4 s.st4
  else if (w == 1) s[t + 32] = a[t + 100]; //@ g.ld4 s.st4
  else if (w == 2) s[t + 64] = a[t * 2]; //@ g.ld4 s.st4
  __syncthreads();
  o[t + 999] = s[t ^ 9] + q[t];
}
}
namespace chain_borders {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x;
  if (t == 0) o[t] = a[0]; //@ g.ld4 g.st4
  else if (t == n) o[t] = a[n - 1]; //@ g.ld4 g.st4
  else o[t] = a[t - 1] + a[t + 1]; //@ g.ld4 g.ld4 g.st4
}
}
namespace chain_switch_same {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x;
  switch (n) {
  case 0: o[t] = 1; break; //@ g.st4
  case 1: o[t] = 2; break; //@ g.st4
  default: o[t] = 4; } //@ g.st4
}
}
namespace chain_or {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x;
  __shared__ float s[1024], q[256];
  s[t] = a[t]; q[t ^ 3] = n;
  __syncthreads();
  if (t < n || s[t + 64] > 3) //@ s.ld4
  q[t] = s[t + 64]; //@ s.ld4 s.st4
  __syncthreads();
  o[t + 999] = s[t ^ 9] + q[t];
}
}
namespace leave_same_uniform {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x;
  if (n > 3) {
  o[t] = a[t] * 2; //@ g.ld4 g.st4
  return;
  }
  o[t] = a[t] * 3; //@ g.ld4 g.st4
}
}
namespace leave_constants_parity {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x;
  if (t & 1) {
  o[t] = 2; //@ g.st4
  return;
  }
  o[t] = 3; //@ g.st4
}
}
namespace leave_zero_lane {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x;
  if (t < n) {
  o[t] = 0; //@ g.st4
  return;
  }
  o[t] = a[t]; //@ g.ld4 g.st4
}
}
namespace leave_loads_uniform {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x;
  if (n > 3) {
  o[t] = a[t + 64]; //@ g.ld4 g.st4
  return;
  }
  o[t] = a[t]; //@ g.ld4 g.st4
}
}
namespace leave_two_loads_parity {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x;
  if (t & 1) {
  o[t] = a[t] + a[t + 64]; //@ g.ld4 g.ld4 g.st4
  return;
  }
  o[t] = a[t]; //@ g.ld4 g.st4
}
}
namespace leave_other_array_lane {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x;
  if (t < n) {
  o[t] = 1; //@ g.st4
  return;
  }
  b[t] = 2; //@ g.st4
}
}
int main()
{
    char *buffer[5];
    for (int i = 0; i < 5; ++i) {
        cudaMalloc(&buffer[i], 16777216);
        cudaMemset(buffer[i], 0, 16777216);
    }
    replaced_constant_else::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    replaced_sum_data::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    replaced_two_parity::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    replaced_store_too_uniform::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    replaced_math_lane::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    replaced_math_else::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    replaced_shared_data::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    replaced_store_only_parity::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    replaced_load_before_store_after_use::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    replaced_load_before_store_after_other::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    replaced_load_before_store_after_load::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    replaced_load_before_store_after_same_line::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    replaced_load_before_store_after_barrier::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    replaced_other_array_before_none_after_use::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    replaced_other_array_before_none_after_other::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    replaced_other_array_before_none_after_load::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    replaced_other_array_before_none_after_same_line::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    replaced_other_array_before_none_after_barrier::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    replaced_other_array_shared::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    replaced_times_before_load_after_use::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    replaced_times_before_load_after_other::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    replaced_times_before_load_after_load::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    replaced_times_before_load_after_same_line::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    replaced_times_before_load_after_barrier::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    replaced_constant_before_barrier_after_use::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    replaced_constant_before_barrier_after_other::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    replaced_constant_before_barrier_after_load::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    replaced_constant_before_barrier_after_same_line::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    replaced_constant_before_barrier_after_barrier::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    chain_store_same_two::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    chain_warps::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    chain_borders::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    chain_switch_same::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    chain_or::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    leave_same_uniform::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    leave_constants_parity::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    leave_zero_lane::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    leave_loads_uniform::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    leave_two_loads_parity::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    leave_other_array_lane::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
