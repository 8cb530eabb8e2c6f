#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
namespace constant_lane {
__constant__ float c[64];
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  o[i] = c[t & 63]; //@ g.st4
}
}
namespace pair_static_2t {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[1024];
  s[2 * t] = a[i]; //@ g.ld4 s.st4
  s[2 * t + 1] = b[i]; //@ g.ld4 s.st4
  __syncthreads();
  float x = s[2 * t]; //@ s.ld4
  float y = s[2 * t + 1]; //@ s.ld4
  o[i] = x * y; //@ g.st4
  o[i + n] = s[t ^ 5]; //@ s.ld4 g.st4
}
}
namespace pair_dynamic_4t {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ float s[];
  s[4 * t] = a[i]; //@ g.ld4 s.st4
  s[4 * t + 1] = b[i]; //@ g.ld4 s.st4
  __syncthreads();
  float x = s[4 * t]; //@ s.ld4
  float y = s[4 * t + 1]; //@ s.ld4
  o[i] = x * y; //@ g.st4
  o[i + n] = s[t ^ 5]; //@ s.ld4 g.st4
}
}
namespace pair_static_3t {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[1024];
  s[3 * t] = a[i]; //@ g.ld4 s.st4
  s[3 * t + 1] = b[i]; //@ g.ld4 s.st4
  __syncthreads();
  float x = s[3 * t]; //@ s.ld4
  float y = s[3 * t + 1]; //@ s.ld4
  o[i] = x * y; //@ g.st4
  o[i + n] = s[t ^ 5]; //@ s.ld4 g.st4
}
}
namespace pair_static_m {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[1024];
  s[m] = a[i]; //@ g.ld4 s.st4
  s[m + 1] = b[i]; //@ g.ld4 s.st4
  __syncthreads();
  float x = s[m]; //@ s.ld4
  float y = s[m + 1]; //@ s.ld4
  o[i] = x * y; //@ g.st4
  o[i + n] = s[t ^ 5]; //@ s.ld4 g.st4
}
}
namespace pair_static_tmask {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[1024];
  s[t & ~1] = a[i]; //@ g.ld4 s.st4
  s[t & ~1 + 1] = b[i]; //@ g.ld4 s.st4
  __syncthreads();
  float x = s[t & ~1]; //@ s.ld4
  float y = s[t & ~1 + 1]; //@ s.ld4
  o[i] = x * y; //@ g.st4
  o[i + n] = s[t ^ 5]; //@ s.ld4 g.st4
}
}
namespace pair_aligned_zero {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ __align__(16) float s[1024];
  s[0] = a[i]; //@ g.ld4 s.st4
  s[0 + 1] = b[i]; //@ g.ld4 s.st4
  __syncthreads();
  float x = s[0]; //@ s.ld4
  float y = s[0 + 1]; //@ s.ld4
  o[i] = x * y; //@ g.st4
  o[i + n] = s[t ^ 5]; //@ s.ld4 g.st4
}
}
namespace pair_dynamic_t2n {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ float s[];
  s[t * 2 * n] = a[i]; //@ g.ld4 s.st4
  s[t * 2 * n + 1] = b[i]; //@ g.ld4 s.st4
  __syncthreads();
  float x = s[t * 2 * n]; //@ s.ld4
  float y = s[t * 2 * n + 1]; //@ s.ld4
  o[i] = x * y; //@ g.st4
  o[i + n] = s[t ^ 5]; //@ s.ld4 g.st4
}
}
namespace run_4 {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[2048];
  s[t * 3] = a[i]; //@ g.ld4 s.st4
  __syncthreads();
  float x0 = s[4 * t + 0]; //@ s.ld4
  float x1 = s[4 * t + 1]; //@ s.ld4
  float x2 = s[4 * t + 2]; //@ s.ld4
  float x3 = s[4 * t + 3]; //@ s.ld4
  o[i] = x0 * x1 * x2 * x3; //@ g.st4
}
}
namespace gap_store_same_shared {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[1024], q[256];
  s[t ^ 1] = a[i]; //@ g.ld4 s.st4
  q[t] = 1; //@ s.st4
  __syncthreads();
  float x = s[2 * t]; //@ s.ld4
  s[t + 7] = x; //@ s.st4
  float y = s[2 * t + 1]; //@ s.ld4
  o[i] = x * y + q[t ^ 1]; //@ s.ld4 g.st4
}
}
namespace gap_shuffle {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[1024], q[256];
  s[t ^ 1] = a[i]; //@ g.ld4 s.st4
  q[t] = 1; //@ s.st4
  __syncthreads();
  float x = s[2 * t]; //@ s.ld4
  x = __shfl_xor_sync(~0u, x, 1);
  float y = s[2 * t + 1]; //@ s.ld4
  o[i] = x * y + q[t ^ 1]; //@ s.ld4 g.st4
}
}
namespace gap_volatile {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[1024], q[256];
  s[t ^ 1] = a[i]; //@ g.ld4 s.st4
  q[t] = 1; //@ s.st4
  __syncthreads();
  float x = s[2 * t]; //@ s.ld4
  *(volatile float *)(o + i + n) = x; //@ g.st4
  float y = s[2 * t + 1]; //@ s.ld4
  o[i] = x * y + q[t ^ 1]; //@ s.ld4 g.st4
}
}
namespace pair_guarded_apart {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[1024];
  s[t ^ 1] = a[i]; //@ g.ld4 s.st4
  __syncthreads();
  float x = 0, y = 0;
  if (t < n)
    x = s[2 * t]; //@ s.ld4
  if (t < n)
    y = s[2 * t + 1]; //@ s.ld4
  o[i] = x * y; //@ g.st4
}
}
namespace pair_ints {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ __align__(16) int s[4096];
  s[4 * t] = (int)a[i]; //@ g.ld4 s.st4
  s[4 * t + 1] = (int)b[i]; //@ g.ld4 s.st4
  __syncthreads();
  int x = s[4 * t]; //@ s.ld4
  int y = s[4 * t + 1]; //@ s.ld4
  o[i] = x * y; //@ g.st4
  o[i + n] = s[t ^ 5]; //@ s.ld4 g.st4
}
}
namespace pair_column {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[2048];
  s[t * 5] = a[i]; //@ g.ld4 s.st4
  __syncthreads();
  float x = s[2 * t + 1]; //@ s.ld4
  float y = s[2 * t + 32]; //@ s.ld4
  o[i] = x * y; //@ g.st4
}
}
namespace gpair_plain_4 {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  float x0 = a[4 * i + 0]; //@ g.ld4
  float x1 = a[4 * i + 1]; //@ g.ld4
  float x2 = a[4 * i + 2]; //@ g.ld4
  float x3 = a[4 * i + 3]; //@ g.ld4
  o[4 * i + 0] = x0 * 2.f; //@ g.st4
  o[4 * i + 1] = x1 * 2.f; //@ g.st4
  o[4 * i + 2] = x2 * 2.f; //@ g.st4
  o[4 * i + 3] = x3 * 2.f; //@ g.st4
}
}
namespace gpair_restrict_4 {
__global__ void k(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  float x0 = a[4 * i + 0]; //@ g.ld4
  float x1 = a[4 * i + 1]; //@ g.ld4
  float x2 = a[4 * i + 2]; //@ g.ld4
  float x3 = a[4 * i + 3]; //@ g.ld4
  o[4 * i + 0] = x0 * 2.f; //@ g.st4
  o[4 * i + 1] = x1 * 2.f; //@ g.st4
  o[4 * i + 2] = x2 * 2.f; //@ g.st4
  o[4 * i + 3] = x3 * 2.f; //@ g.st4
}
}
namespace shape_p3_members_restrict {
struct P3 { float x, y, z; }; struct P4 { float x, y, z, w; }; struct alignas(16) A4 { float x, y, z, w; }; struct alignas(8) A2 { int x, y; };
__global__ void k(P3 *__restrict__ p, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = p[i].x; //@ g.ld4
  float y = p[i].y; //@ g.ld4
  o[i] = x * y; //@ g.st4
}
}
namespace shape_a4_members_restrict {
struct P3 { float x, y, z; }; struct P4 { float x, y, z, w; }; struct alignas(16) A4 { float x, y, z, w; }; struct alignas(8) A2 { int x, y; };
__global__ void k(A4 *__restrict__ p, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = p[i].x; //@ g.ld4
  float y = p[i].y; //@ g.ld4
  float z = p[i].z; //@ g.ld4
  o[i] = x * y * z * p[i].w; //@ g.ld4 g.st4
}
}
namespace shape_a4_copy_restrict {
struct P3 { float x, y, z; }; struct P4 { float x, y, z, w; }; struct alignas(16) A4 { float x, y, z, w; }; struct alignas(8) A2 { int x, y; };
__global__ void k(A4 *__restrict__ p, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  A4 v = p[i]; //@ g.ld16
  o[i] = v.x * v.y * v.z * v.w; //@ g.st4
}
}
namespace shape_f4_copy_some_restrict {
struct P3 { float x, y, z; }; struct P4 { float x, y, z, w; }; struct alignas(16) A4 { float x, y, z, w; }; struct alignas(8) A2 { int x, y; };
__global__ void k(float4 *__restrict__ p, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 v = p[i]; //@ g.ld16
  o[i] = v.x; //@ g.st4
}
}
namespace shape_f4_copy_three_restrict {
struct P3 { float x, y, z; }; struct P4 { float x, y, z, w; }; struct alignas(16) A4 { float x, y, z, w; }; struct alignas(8) A2 { int x, y; };
__global__ void k(float4 *__restrict__ p, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 v = p[i]; //@ g.ld16
  o[i] = v.x * v.y * v.z; //@ g.st4
}
}
namespace shape_f4_members_restrict {
struct P3 { float x, y, z; }; struct P4 { float x, y, z, w; }; struct alignas(16) A4 { float x, y, z, w; }; struct alignas(8) A2 { int x, y; };
__global__ void k(float4 *__restrict__ p, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = p[i].x; //@ g.ld4
  float y = p[i].y; //@ g.ld4
  o[i] = x * y; //@ g.st4
}
}
namespace shape_f4_whole_restrict {
struct P3 { float x, y, z; }; struct P4 { float x, y, z, w; }; struct alignas(16) A4 { float x, y, z, w; }; struct alignas(8) A2 { int x, y; };
__global__ void k(float4 *__restrict__ p, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  p[i + n] = p[i]; //@ g.ld16 g.st16
}
}
namespace shape_f2_copy_one_restrict {
struct P3 { float x, y, z; }; struct P4 { float x, y, z, w; }; struct alignas(16) A4 { float x, y, z, w; }; struct alignas(8) A2 { int x, y; };
__global__ void k(float2 *__restrict__ p, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  float2 v = p[i]; //@ g.ld8
  o[i] = v.y; //@ g.st4
}
}
namespace shape_f2_store_members_restrict {
struct P3 { float x, y, z; }; struct P4 { float x, y, z, w; }; struct alignas(16) A4 { float x, y, z, w; }; struct alignas(8) A2 { int x, y; };
__global__ void k(float2 *__restrict__ p, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  p[i].x = 1; //@ g.st4
  p[i].y = n; //@ g.st4
}
}
namespace shape_p3_copy_some_restrict {
struct P3 { float x, y, z; }; struct P4 { float x, y, z, w; }; struct alignas(16) A4 { float x, y, z, w; }; struct alignas(8) A2 { int x, y; };
__global__ void k(P3 *__restrict__ p, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  P3 v = p[i]; //@ g.ld4 g.ld4 g.ld4
  o[i] = v.x; //@ g.st4
}
}
namespace shape_float4_cast_restrict {
struct P3 { float x, y, z; }; struct P4 { float x, y, z, w; }; struct alignas(16) A4 { float x, y, z, w; }; struct alignas(8) A2 { int x, y; };
__global__ void k(float *__restrict__ p, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 v = *(float4 *)&p[4 * i]; //@ g.ld16
  o[i] = v.x * v.y * v.z * v.w; //@ g.st4
}
}
namespace shape_char_pairs_restrict {
struct P3 { float x, y, z; }; struct P4 { float x, y, z, w; }; struct alignas(16) A4 { float x, y, z, w; }; struct alignas(8) A2 { int x, y; };
__global__ void k(unsigned char *__restrict__ p, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  int x = p[4 * i]; //@ g.ld1
  int y = p[4 * i + 1]; //@ g.ld1
  o[i] = x * y; //@ g.st4
}
}
namespace shape_uchar4_some_restrict {
struct P3 { float x, y, z; }; struct P4 { float x, y, z, w; }; struct alignas(16) A4 { float x, y, z, w; }; struct alignas(8) A2 { int x, y; };
__global__ void k(uchar4 *__restrict__ p, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  uchar4 v = p[i]; //@ g.ld4
  o[i] = v.x; //@ g.st4
}
}
namespace shape_short_array_restrict {
struct P3 { float x, y, z; }; struct P4 { float x, y, z, w; }; struct alignas(16) A4 { float x, y, z, w; }; struct alignas(8) A2 { int x, y; };
__global__ void k(short *__restrict__ p, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  int x = p[2 * i]; //@ g.ld2
  int y = p[2 * i + 1]; //@ g.ld2
  o[i] = x * y; //@ g.st4
}
}
namespace shape_low_byte_restrict {
struct P3 { float x, y, z; }; struct P4 { float x, y, z, w; }; struct alignas(16) A4 { float x, y, z, w; }; struct alignas(8) A2 { int x, y; };
__global__ void k(int *__restrict__ p, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  o[i] = (unsigned char)p[i]; //@ g.ld4 g.st4
}
}
namespace shape_high_half_restrict {
struct P3 { float x, y, z; }; struct P4 { float x, y, z, w; }; struct alignas(16) A4 { float x, y, z, w; }; struct alignas(8) A2 { int x, y; };
__global__ void k(long long *__restrict__ p, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  o[i] = (int)(p[i] >> 32); //@ g.ld8 g.st4
}
}
namespace shape_bit_test_restrict {
struct P3 { float x, y, z; }; struct P4 { float x, y, z, w; }; struct alignas(16) A4 { float x, y, z, w; }; struct alignas(8) A2 { int x, y; };
__global__ void k(unsigned *__restrict__ p, float *__restrict__ o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  if (p[i] & 1) //@ g.ld4
    o[i] = 1; //@ g.st4
}
}
namespace shape_p3_shared {
struct P3 { float x, y, z; }; struct P4 { float x, y, z, w; }; struct alignas(16) A4 { float x, y, z, w; }; struct alignas(8) A2 { int x, y; };
__global__ void k(P3 *p, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ P3 s[256];
  s[t] = p[i]; //@
  __syncthreads();
  P3 v = s[t ^ 1]; //@ s.ld4 s.ld4 s.ld4
  o[i] = v.x * v.y * v.z; //@ g.st4
}
}
namespace replaced_integer_sum {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x;
  int v = (int)a[t + 64]; //@ g.ld4
  if (t < n)
    v += (int)b[t]; //@ g.ld4
  o[t] = v; //@ g.st4
}
}
namespace replaced_load_data {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x;
  float v = a[t + 64]; //@ g.ld4
  if (v > 3) {
  v = a[t]; //@ g.ld4
  }
  o[t] = v; //@ g.st4
}
}
namespace replaced_other_array_parity {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x;
  float v = a[t + 64]; //@ g.ld4
  if (t & 1) {
  v = b[t + m]; //@ g.ld4
  }
  o[t] = v; //@ g.st4
}
}
namespace replaced_times_uniform {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x;
  float v = a[t + 64]; //@ g.ld4
  if (n > 3) {
  v = b[t] * 3; //@ g.ld4
  }
  o[t] = v; //@ g.st4
}
}
namespace replaced_constant_lane {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x;
  float v = a[t + 64]; //@ g.ld4
  if (t < n) {
  v = 0;
  }
  o[t] = v; //@ g.st4
}
}
int main()
{
    char *buffer[5];
    for (int i = 0; i < 5; ++i) {
        cudaMalloc(&buffer[i], 16777216);
        cudaMemset(buffer[i], 0, 16777216);
    }
    constant_lane::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    pair_static_2t::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    pair_dynamic_4t::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    pair_static_3t::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    pair_static_m::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    pair_static_tmask::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    pair_aligned_zero::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    pair_dynamic_t2n::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    run_4::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    gap_store_same_shared::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    gap_shuffle::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    gap_volatile::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    pair_guarded_apart::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    pair_ints::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    pair_column::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    gpair_plain_4::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    gpair_restrict_4::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    shape_p3_members_restrict::k<<<2, 64, 8192>>>((shape_p3_members_restrict::P3 *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), 2, 1);
    shape_a4_members_restrict::k<<<2, 64, 8192>>>((shape_a4_members_restrict::A4 *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), 2, 1);
    shape_a4_copy_restrict::k<<<2, 64, 8192>>>((shape_a4_copy_restrict::A4 *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), 2, 1);
    shape_f4_copy_some_restrict::k<<<2, 64, 8192>>>((float4 *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), 2, 1);
    shape_f4_copy_three_restrict::k<<<2, 64, 8192>>>((float4 *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), 2, 1);
    shape_f4_members_restrict::k<<<2, 64, 8192>>>((float4 *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), 2, 1);
    shape_f4_whole_restrict::k<<<2, 64, 8192>>>((float4 *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), 2, 1);
    shape_f2_copy_one_restrict::k<<<2, 64, 8192>>>((float2 *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), 2, 1);
    shape_f2_store_members_restrict::k<<<2, 64, 8192>>>((float2 *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), 2, 1);
    shape_p3_copy_some_restrict::k<<<2, 64, 8192>>>((shape_p3_copy_some_restrict::P3 *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), 2, 1);
    shape_float4_cast_restrict::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), 2, 1);
    shape_char_pairs_restrict::k<<<2, 64, 8192>>>((unsigned char *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), 2, 1);
    shape_uchar4_some_restrict::k<<<2, 64, 8192>>>((uchar4 *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), 2, 1);
    shape_short_array_restrict::k<<<2, 64, 8192>>>((short *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), 2, 1);
    shape_low_byte_restrict::k<<<2, 64, 8192>>>((int *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), 2, 1);
    shape_high_half_restrict::k<<<2, 64, 8192>>>((long long *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), 2, 1);
    shape_bit_test_restrict::k<<<2, 64, 8192>>>((unsigned *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), 2, 1);
    shape_p3_shared::k<<<2, 64, 8192>>>((shape_p3_shared::P3 *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), 2, 1);
    replaced_integer_sum::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    replaced_load_data::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    replaced_other_array_parity::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    replaced_times_uniform::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    replaced_constant_lane::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
