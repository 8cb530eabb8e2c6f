#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
namespace atomic_shared_unsignedlonglong_argument_one_drop {
__global__ void k(float *a, float *b, float *o, int n, int m, unsigned long long *p) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ unsigned long long c[256];
  c[t ^ 3] = t; //@ s.st8
  __syncthreads();
  atomicAdd(&c[m], (unsigned long long)1); //@ s.at8
  __syncthreads();
  o[i + n] = c[t ^ 1]; //@ s.ld8 g.st4
}
}
namespace atomic_shared_unsignedlonglong_warp_one_drop {
__global__ void k(float *a, float *b, float *o, int n, int m, unsigned long long *p) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ unsigned long long c[256];
  c[t ^ 3] = t; //@ s.st8
  __syncthreads();
  atomicAdd(&c[t / 32], (unsigned long long)1); //@ s.at8
  __syncthreads();
  o[i + n] = c[t ^ 1]; //@ s.ld8 g.st4
}
}
namespace atomic_shared_double_uniform_one_drop {
__global__ void k(float *a, float *b, float *o, int n, int m, double *p) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ double c[256];
  c[t ^ 3] = t; //@ s.st8
  __syncthreads();
  atomicAdd(&c[0], (double)1); //@ s.at8
  __syncthreads();
  o[i + n] = c[t ^ 1]; //@ s.ld8 g.st4
}
}
namespace atomic_shared_double_lane_one_drop {
__global__ void k(float *a, float *b, float *o, int n, int m, double *p) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ double c[256];
  c[t ^ 3] = t; //@ s.st8
  __syncthreads();
  atomicAdd(&c[t], (double)1); //@ s.at8
  __syncthreads();
  o[i + n] = c[t ^ 1]; //@ s.ld8 g.st4
}
}
namespace atomic_shared_double_argument_one_drop {
__global__ void k(float *a, float *b, float *o, int n, int m, double *p) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ double c[256];
  c[t ^ 3] = t; //@ s.st8
  __syncthreads();
  atomicAdd(&c[m], (double)1); //@ s.at8
  __syncthreads();
  o[i + n] = c[t ^ 1]; //@ s.ld8 g.st4
}
}
namespace atomic_shared_double_warp_one_drop {
__global__ void k(float *a, float *b, float *o, int n, int m, double *p) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ double c[256];
  c[t ^ 3] = t; //@ s.st8
  __syncthreads();
  atomicAdd(&c[t / 32], (double)1); //@ s.at8
  __syncthreads();
  o[i + n] = c[t ^ 1]; //@ s.ld8 g.st4
}
}
namespace atomic_global_int_uniform_one_drop {
__global__ void k(float *a, float *b, float *o, int n, int m, int *p) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int c[256];
  c[t ^ 3] = t; //@ s.st4
  __syncthreads();
  atomicAdd(&p[0], (int)1); //@ g.at4
  __syncthreads();
  o[i + n] = c[t ^ 1]; //@ s.ld4 g.st4
}
}
namespace atomic_global_int_lane_one_drop {
__global__ void k(float *a, float *b, float *o, int n, int m, int *p) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int c[256];
  c[t ^ 3] = t; //@ s.st4
  __syncthreads();
  atomicAdd(&p[t], (int)1); //@ g.at4
  __syncthreads();
  o[i + n] = c[t ^ 1]; //@ s.ld4 g.st4
}
}
namespace atomic_global_int_argument_one_drop {
__global__ void k(float *a, float *b, float *o, int n, int m, int *p) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int c[256];
  c[t ^ 3] = t; //@ s.st4
  __syncthreads();
  atomicAdd(&p[m], (int)1); //@ g.at4
  __syncthreads();
  o[i + n] = c[t ^ 1]; //@ s.ld4 g.st4
}
}
namespace atomic_global_int_warp_one_drop {
__global__ void k(float *a, float *b, float *o, int n, int m, int *p) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int c[256];
  c[t ^ 3] = t; //@ s.st4
  __syncthreads();
  atomicAdd(&p[t / 32], (int)1); //@ g.at4
  __syncthreads();
  o[i + n] = c[t ^ 1]; //@ s.ld4 g.st4
}
}
namespace atomic_global_unsigned_uniform_one_drop {
__global__ void k(float *a, float *b, float *o, int n, int m, unsigned *p) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ unsigned c[256];
  c[t ^ 3] = t; //@ s.st4
  __syncthreads();
  atomicAdd(&p[0], (unsigned)1); //@ g.at4
  __syncthreads();
  o[i + n] = c[t ^ 1]; //@ s.ld4 g.st4
}
}
namespace atomic_global_unsigned_lane_one_drop {
__global__ void k(float *a, float *b, float *o, int n, int m, unsigned *p) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ unsigned c[256];
  c[t ^ 3] = t; //@ s.st4
  __syncthreads();
  atomicAdd(&p[t], (unsigned)1); //@ g.at4
  __syncthreads();
  o[i + n] = c[t ^ 1]; //@ s.ld4 g.st4
}
}
namespace atomic_global_unsigned_argument_one_drop {
__global__ void k(float *a, float *b, float *o, int n, int m, unsigned *p) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ unsigned c[256];
  c[t ^ 3] = t; //@ s.st4
  __syncthreads();
  atomicAdd(&p[m], (unsigned)1); //@ g.at4
  __syncthreads();
  o[i + n] = c[t ^ 1]; //@ s.ld4 g.st4
}
}
namespace atomic_global_unsigned_warp_one_drop {
__global__ void k(float *a, float *b, float *o, int n, int m, unsigned *p) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ unsigned c[256];
  c[t ^ 3] = t; //@ s.st4
  __syncthreads();
  atomicAdd(&p[t / 32], (unsigned)1); //@ g.at4
  __syncthreads();
  o[i + n] = c[t ^ 1]; //@ s.ld4 g.st4
}
}
namespace atomic_global_float_uniform_one_drop {
__global__ void k(float *a, float *b, float *o, int n, int m, float *p) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float c[256];
  c[t ^ 3] = t; //@ s.st4
  __syncthreads();
  atomicAdd(&p[0], (float)1); //@ g.at4
  __syncthreads();
  o[i + n] = c[t ^ 1]; //@ s.ld4 g.st4
}
}
namespace atomic_global_float_lane_one_drop {
__global__ void k(float *a, float *b, float *o, int n, int m, float *p) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float c[256];
  c[t ^ 3] = t; //@ s.st4
  __syncthreads();
  atomicAdd(&p[t], (float)1); //@ g.at4
  __syncthreads();
  o[i + n] = c[t ^ 1]; //@ s.ld4 g.st4
}
}
namespace atomic_global_float_argument_one_drop {
__global__ void k(float *a, float *b, float *o, int n, int m, float *p) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float c[256];
  c[t ^ 3] = t; //@ s.st4
  __syncthreads();
  atomicAdd(&p[m], (float)1); //@ g.at4
  __syncthreads();
  o[i + n] = c[t ^ 1]; //@ s.ld4 g.st4
}
}
namespace atomic_global_float_warp_one_drop {
__global__ void k(float *a, float *b, float *o, int n, int m, float *p) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float c[256];
  c[t ^ 3] = t; //@ s.st4
  __syncthreads();
  atomicAdd(&p[t / 32], (float)1); //@ g.at4
  __syncthreads();
  o[i + n] = c[t ^ 1]; //@ s.ld4 g.st4
}
}
namespace atomic_global_unsignedlonglong_uniform_one_drop {
__global__ void k(float *a, float *b, float *o, int n, int m, unsigned long long *p) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ unsigned long long c[256];
  c[t ^ 3] = t; //@ s.st8
  __syncthreads();
  atomicAdd(&p[0], (unsigned long long)1); //@ g.at8
  __syncthreads();
  o[i + n] = c[t ^ 1]; //@ s.ld8 g.st4
}
}
namespace atomic_global_unsignedlonglong_lane_one_drop {
__global__ void k(float *a, float *b, float *o, int n, int m, unsigned long long *p) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ unsigned long long c[256];
  c[t ^ 3] = t; //@ s.st8
  __syncthreads();
  atomicAdd(&p[t], (unsigned long long)1); //@ g.at8
  __syncthreads();
  o[i + n] = c[t ^ 1]; //@ s.ld8 g.st4
}
}
namespace atomic_global_unsignedlonglong_argument_one_drop {
__global__ void k(float *a, float *b, float *o, int n, int m, unsigned long long *p) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ unsigned long long c[256];
  c[t ^ 3] = t; //@ s.st8
  __syncthreads();
  atomicAdd(&p[m], (unsigned long long)1); //@ g.at8
  __syncthreads();
  o[i + n] = c[t ^ 1]; //@ s.ld8 g.st4
}
}
namespace atomic_global_unsignedlonglong_warp_one_drop {
__global__ void k(float *a, float *b, float *o, int n, int m, unsigned long long *p) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ unsigned long long c[256];
  c[t ^ 3] = t; //@ s.st8
  __syncthreads();
  atomicAdd(&p[t / 32], (unsigned long long)1); //@ g.at8
  __syncthreads();
  o[i + n] = c[t ^ 1]; //@ s.ld8 g.st4
}
}
namespace atomic_global_double_uniform_one_drop {
__global__ void k(float *a, float *b, float *o, int n, int m, double *p) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ double c[256];
  c[t ^ 3] = t; //@ s.st8
  __syncthreads();
  atomicAdd(&p[0], (double)1); //@ g.at8
  __syncthreads();
  o[i + n] = c[t ^ 1]; //@ s.ld8 g.st4
}
}
namespace atomic_global_double_lane_one_drop {
__global__ void k(float *a, float *b, float *o, int n, int m, double *p) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ double c[256];
  c[t ^ 3] = t; //@ s.st8
  __syncthreads();
  atomicAdd(&p[t], (double)1); //@ g.at8
  __syncthreads();
  o[i + n] = c[t ^ 1]; //@ s.ld8 g.st4
}
}
namespace atomic_global_double_argument_one_drop {
__global__ void k(float *a, float *b, float *o, int n, int m, double *p) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ double c[256];
  c[t ^ 3] = t; //@ s.st8
  __syncthreads();
  atomicAdd(&p[m], (double)1); //@ g.at8
  __syncthreads();
  o[i + n] = c[t ^ 1]; //@ s.ld8 g.st4
}
}
namespace atomic_global_double_warp_one_drop {
__global__ void k(float *a, float *b, float *o, int n, int m, double *p) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ double c[256];
  c[t ^ 3] = t; //@ s.st8
  __syncthreads();
  atomicAdd(&p[t / 32], (double)1); //@ g.at8
  __syncthreads();
  o[i + n] = c[t ^ 1]; //@ s.ld8 g.st4
}
}
namespace atomic_atomicMax_shared_all {
__global__ void k(float *a, float *b, float *o, int n, int m, unsigned *p) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ unsigned c[256];
  c[t ^ 3] = t; //@ s.st4
  __syncthreads();
  atomicMax(&c[0], n); //@ s.at4
  __syncthreads();
  o[i + n] = c[t ^ 1]; //@ s.ld4 g.st4
}
}
namespace atomic_atomicOr_shared_all {
__global__ void k(float *a, float *b, float *o, int n, int m, unsigned *p) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ unsigned c[256];
  c[t ^ 3] = t; //@ s.st4
  __syncthreads();
  atomicOr(&c[0], n); //@ s.at4
  __syncthreads();
  o[i + n] = c[t ^ 1]; //@ s.ld4 g.st4
}
}
namespace atomic_atomicExch_shared_all {
__global__ void k(float *a, float *b, float *o, int n, int m, unsigned *p) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ unsigned c[256];
  c[t ^ 3] = t; //@ s.st4
  __syncthreads();
  atomicExch(&c[0], n); //@ s.at4
  __syncthreads();
  o[i + n] = c[t ^ 1]; //@ s.ld4 g.st4
}
}
namespace atomic_atomicSub_shared_all {
__global__ void k(float *a, float *b, float *o, int n, int m, unsigned *p) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ unsigned c[256];
  c[t ^ 3] = t; //@ s.st4
  __syncthreads();
  atomicSub(&c[0], n); //@ s.at4
  __syncthreads();
  o[i + n] = c[t ^ 1]; //@ s.ld4 g.st4
}
}
namespace atomic_atomicInc_shared_all {
__global__ void k(float *a, float *b, float *o, int n, int m, unsigned *p) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ unsigned c[256];
  c[t ^ 3] = t; //@ s.st4
  __syncthreads();
  atomicInc(&c[0], n); //@ s.at4
  __syncthreads();
  o[i + n] = c[t ^ 1]; //@ s.ld4 g.st4
}
}
namespace local_4 {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  float v[4];
  for (int k = 0; k < 4; ++k)
    v[k] = a[i + k * n]; //@ g.ld4 x4
  float x = 0;
  for (int k = 0; k < m; ++k)
    x += v[(k + t) & 3]; //@ l.ld4
  o[i] = x; //@ g.st4
}
}
namespace asm_volatile_force {
__device__ __forceinline__ unsigned ld(unsigned p) { unsigned v;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(p) : "memory");
  return v; }
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ unsigned s[256];
  s[t ^ 1] = n; //@ s.st4
  __syncthreads();
  unsigned base = (unsigned)__cvta_generic_to_shared(s);
  unsigned x = ld(base + 8 * t); //@ s.ld4
  unsigned y = ld(base + 8 * t + 4); //@ s.ld4
  unsigned z = ld(base + 8 * t); //@ s.ld4
  unsigned w = ld(base + 16); //@ s.ld4
  o[i] = x * y + z; //@ g.st4
}
}
namespace row_plain_16 {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  __shared__ float s[16][16];   const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;

  s[t / 16][t % 16] = a[i]; //@ g.ld4 s.st4
  __syncthreads();
  float x = 0;
  for (int k = 0; k < 16; ++k)
    x += s[t / 16][k]; //@ s.ld4 x16
  o[i] = x; //@ g.st4
}
}
namespace row_plain_3 {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  __shared__ float s[16][16];   const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;

  s[t / 16][t % 16] = a[i]; //@ g.ld4 s.st4
  __syncthreads();
  float x = 0;
  for (int k = 0; k < 3; ++k)
    x += s[t / 16][k]; //@ s.ld4 x3
  o[i] = x; //@ g.st4
}
}
namespace row_unroll1_16 {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  __shared__ float s[16][16];   const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;

  s[t / 16][t % 16] = a[i]; //@ g.ld4 s.st4
  __syncthreads();
  float x = 0;
#pragma unroll 1
  for (int k = 0; k < 16; ++k)
    x += s[t / 16][k]; //@ s.ld4 x16
  o[i] = x; //@ g.st4
}
}
namespace row_unroll1_3 {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  __shared__ float s[16][16];   const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;

  s[t / 16][t % 16] = a[i]; //@ g.ld4 s.st4
  __syncthreads();
  float x = 0;
#pragma unroll 1
  for (int k = 0; k < 3; ++k)
    x += s[t / 16][k]; //@ s.ld4 x3
  o[i] = x; //@ g.st4
}
}
namespace row_unroll3_16 {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  __shared__ float s[16][16];   const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;

  s[t / 16][t % 16] = a[i]; //@ g.ld4 s.st4
  __syncthreads();
  float x = 0;
#pragma unroll 3
  for (int k = 0; k < 16; ++k)
    x += s[t / 16][k]; //@ s.ld4 x16
  o[i] = x; //@ g.st4
}
}
namespace pitch_17 {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  __shared__ float s[16][17];   const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;

  s[t / 16][t % 16] = a[i]; //@ g.ld4 s.st4
  __syncthreads();
  float x = 0;
  for (int k = 0; k < 16; ++k)
    x += s[t / 16][k]; //@ s.ld4 x16
  o[i] = x; //@ g.st4
}
}
namespace pitch_36 {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  __shared__ float s[16][36];   const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;

  s[t / 16][t % 16] = a[i]; //@ g.ld4 s.st4
  __syncthreads();
  float x = 0;
  for (int k = 0; k < 16; ++k)
    x += s[t / 16][k]; //@ s.ld4 x16
  o[i] = x; //@ g.st4
}
}
int main()
{
    char *buffer[6];
    for (int i = 0; i < 6; ++i) {
        cudaMalloc(&buffer[i], 16777216);
        cudaMemset(buffer[i], 0, 16777216);
    }
    atomic_shared_unsignedlonglong_argument_one_drop::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (unsigned long long *)(buffer[5] + 8388608));
    atomic_shared_unsignedlonglong_warp_one_drop::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (unsigned long long *)(buffer[5] + 8388608));
    atomic_shared_double_uniform_one_drop::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (double *)(buffer[5] + 8388608));
    atomic_shared_double_lane_one_drop::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (double *)(buffer[5] + 8388608));
    atomic_shared_double_argument_one_drop::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (double *)(buffer[5] + 8388608));
    atomic_shared_double_warp_one_drop::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (double *)(buffer[5] + 8388608));
    atomic_global_int_uniform_one_drop::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (int *)(buffer[5] + 8388608));
    atomic_global_int_lane_one_drop::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (int *)(buffer[5] + 8388608));
    atomic_global_int_argument_one_drop::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (int *)(buffer[5] + 8388608));
    atomic_global_int_warp_one_drop::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (int *)(buffer[5] + 8388608));
    atomic_global_unsigned_uniform_one_drop::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (unsigned *)(buffer[5] + 8388608));
    atomic_global_unsigned_lane_one_drop::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (unsigned *)(buffer[5] + 8388608));
    atomic_global_unsigned_argument_one_drop::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (unsigned *)(buffer[5] + 8388608));
    atomic_global_unsigned_warp_one_drop::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (unsigned *)(buffer[5] + 8388608));
    atomic_global_float_uniform_one_drop::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (float *)(buffer[5] + 8388608));
    atomic_global_float_lane_one_drop::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (float *)(buffer[5] + 8388608));
    atomic_global_float_argument_one_drop::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (float *)(buffer[5] + 8388608));
    atomic_global_float_warp_one_drop::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (float *)(buffer[5] + 8388608));
    atomic_global_unsignedlonglong_uniform_one_drop::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (unsigned long long *)(buffer[5] + 8388608));
    atomic_global_unsignedlonglong_lane_one_drop::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (unsigned long long *)(buffer[5] + 8388608));
    atomic_global_unsignedlonglong_argument_one_drop::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (unsigned long long *)(buffer[5] + 8388608));
    atomic_global_unsignedlonglong_warp_one_drop::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (unsigned long long *)(buffer[5] + 8388608));
    atomic_global_double_uniform_one_drop::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (double *)(buffer[5] + 8388608));
    atomic_global_double_lane_one_drop::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (double *)(buffer[5] + 8388608));
    atomic_global_double_argument_one_drop::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (double *)(buffer[5] + 8388608));
    atomic_global_double_warp_one_drop::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (double *)(buffer[5] + 8388608));
    atomic_atomicMax_shared_all::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (unsigned *)(buffer[5] + 8388608));
    atomic_atomicOr_shared_all::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (unsigned *)(buffer[5] + 8388608));
    atomic_atomicExch_shared_all::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (unsigned *)(buffer[5] + 8388608));
    atomic_atomicSub_shared_all::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (unsigned *)(buffer[5] + 8388608));
    atomic_atomicInc_shared_all::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1, (unsigned *)(buffer[5] + 8388608));
    local_4::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    asm_volatile_force::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    row_plain_16::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    row_plain_3::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    row_unroll1_16::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    row_unroll1_3::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    row_unroll3_16::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    pitch_17::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    pitch_36::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
