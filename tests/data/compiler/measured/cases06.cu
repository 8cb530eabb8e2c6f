#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
namespace more_load_static {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[2048];
  s[t ^ 1] = a[i];
  __syncthreads();
  float x = 0;

  for (int k = 0; k < n; ++k) {
    x += s[16 * t + k]; //@ s.ld4
    x *= b[k * 256 + i];
  }
  o[i] = x;
}
}
namespace more_many_static {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[2048];
  s[t ^ 1] = a[i];
  __syncthreads();
  float x = 0;

  for (int k = 0; k < n; ++k) {
    x += s[16 * t + k]; //@ s.ld4
    x = x * 1.5f + b[i]; x = x * 2.5f + b[i]; x = x * 3.5f + b[i]; x = x * 4.5f + b[i]; x = x * 5.5f + b[i]; x = x * 6.5f + b[i]; x = x * 7.5f + b[i]; x = x * 8.5f + b[i]; x = x * 9.5f + b[i]; x = x * 10.5f + b[i]; x = x * 11.5f + b[i];
  }
  o[i] = x;
}
}
namespace more_if_static {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[2048];
  s[t ^ 1] = a[i];
  __syncthreads();
  float x = 0;

  for (int k = 0; k < n; ++k) {
    x += s[16 * t + k]; //@ s.ld4
    if (x > 3.f) x = x * x;
  }
  o[i] = x;
}
}
namespace more_far_static {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[2048];
  s[t ^ 1] = a[i];
  __syncthreads();
  float x = 0;

  for (int k = 0; k < n; ++k) {
    x += s[16 * t + k]; //@ s.ld4
    x *= s[16 * t + k + 8];
  }
  o[i] = x;
}
}
namespace more_barrier_static {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[2048];
  s[t ^ 1] = a[i];
  __syncthreads();
  float x = 0;

  for (int k = 0; k < n; ++k) {
    x += s[16 * t + k]; //@ s.ld4
    __syncthreads();
  }
  o[i] = x;
}
}
namespace by_four_dynamic_float_pair {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ float s[];
  s[t ^ 1] = a[i];
  __syncthreads();
  float x = 0;

  for (int k = 0; k < n; ++k) {
    x += s[2 * t + k]; //@ s.ld4
    
  }
  o[i] = x;
}
}
namespace by_four_dynamic_double_row {
__global__ void k(double *a, float *b, double *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ double s[];
  s[t ^ 1] = a[i];
  __syncthreads();
  double x = 0;

  for (int k = 0; k < n; ++k) {
    x += s[16 * t + k]; //@ s.ld8
    
  }
  o[i] = x;
}
}
namespace by_four_dynamic_short_uniform {
__global__ void k(short *a, float *b, short *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ short s[];
  s[t ^ 1] = a[i];
  __syncthreads();
  short x = 0;

  for (int k = 0; k < n; ++k) {
    x += s[k]; //@ s.ld2
    
  }
  o[i] = x;
}
}
namespace by_four_dynamic_short_block {
__global__ void k(short *a, float *b, short *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ short s[];
  s[t ^ 1] = a[i];
  __syncthreads();
  short x = 0;

  for (int k = 0; k < n; ++k) {
    x += s[t / 16 * 16 + k]; //@ s.ld2
    
  }
  o[i] = x;
}
}
namespace by_four_dynamic_char_argument {
__global__ void k(char *a, float *b, char *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ char s[];
  s[t ^ 1] = a[i];
  __syncthreads();
  char x = 0;

  for (int k = 0; k < n; ++k) {
    x += s[4 * m + k]; //@ s.ld1
    
  }
  o[i] = x;
}
}
namespace pragma_2_dynamic_uniform_70 {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ float s[];
  s[t ^ 1] = a[i];
  __syncthreads();
  float x = 0;
#pragma unroll 2
  for (int k = 0; k < 70; ++k) {
    x += s[k]; //@ s.ld4 x70
    
  }
  o[i] = x;
}
}
namespace pragma_4_dynamic_uniform {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ float s[];
  s[t ^ 1] = a[i];
  __syncthreads();
  float x = 0;
#pragma unroll 4
  for (int k = 0; k < n; ++k) {
    x += s[k]; //@ s.ld4
    
  }
  o[i] = x;
}
}
namespace pragma_4_dynamic_row_64 {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ float s[];
  s[t ^ 1] = a[i];
  __syncthreads();
  float x = 0;
#pragma unroll 4
  for (int k = 0; k < 64; ++k) {
    x += s[16 * t + k]; //@ s.ld4 x64
    
  }
  o[i] = x;
}
}
namespace pragma_8_dynamic_uniform_70 {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ float s[];
  s[t ^ 1] = a[i];
  __syncthreads();
  float x = 0;
#pragma unroll 8
  for (int k = 0; k < 70; ++k) {
    x += s[k]; //@ s.ld4 x70
    
  }
  o[i] = x;
}
}
namespace pragma_16_dynamic_uniform {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ float s[];
  s[t ^ 1] = a[i];
  __syncthreads();
  float x = 0;
#pragma unroll 16
  for (int k = 0; k < n; ++k) {
    x += s[k]; //@ s.ld4
    
  }
  o[i] = x;
}
}
namespace pragma_16_dynamic_row_64 {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ float s[];
  s[t ^ 1] = a[i];
  __syncthreads();
  float x = 0;
#pragma unroll 16
  for (int k = 0; k < 64; ++k) {
    x += s[16 * t + k]; //@ s.ld4 x64
    
  }
  o[i] = x;
}
}
namespace trips_6_dynamic_uniform {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ float s[];
  s[t ^ 1] = a[i];
  __syncthreads();
  float x = 0;

  for (int k = 0; k < 6; ++k) {
    x += s[k]; //@ s.ld4 x6
    
  }
  o[i] = x;
}
}
namespace trips_12_dynamic_uniform {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ float s[];
  s[t ^ 1] = a[i];
  __syncthreads();
  float x = 0;

  for (int k = 0; k < 12; ++k) {
    x += s[k]; //@ s.ld4 x12
    
  }
  o[i] = x;
}
}
namespace trips_64_dynamic_uniform {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ float s[];
  s[t ^ 1] = a[i];
  __syncthreads();
  float x = 0;

  for (int k = 0; k < 64; ++k) {
    x += s[k]; //@ s.ld4 x64
    
  }
  o[i] = x;
}
}
namespace trips_96_dynamic_uniform {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ float s[];
  s[t ^ 1] = a[i];
  __syncthreads();
  float x = 0;

  for (int k = 0; k < 96; ++k) {
    x += s[k]; //@ s.ld4 x96
    
  }
  o[i] = x;
}
}
namespace trips_128_dynamic_uniform {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ float s[];
  s[t ^ 1] = a[i];
  __syncthreads();
  float x = 0;

  for (int k = 0; k < 128; ++k) {
    x += s[k]; //@ s.ld4 x128
    
  }
  o[i] = x;
}
}
namespace trips_192_dynamic_uniform {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ float s[];
  s[t ^ 1] = a[i];
  __syncthreads();
  float x = 0;

  for (int k = 0; k < 192; ++k) {
    x += s[k]; //@ s.ld4 x192
    
  }
  o[i] = x;
}
}
namespace trips_256_dynamic_uniform {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ float s[];
  s[t ^ 1] = a[i];
  __syncthreads();
  float x = 0;

  for (int k = 0; k < 256; ++k) {
    x += s[k]; //@ s.ld4 x256
    
  }
  o[i] = x;
}
}
namespace trips_1024_dynamic_uniform {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ float s[];
  s[t ^ 1] = a[i];
  __syncthreads();
  float x = 0;

  for (int k = 0; k < 1024; ++k) {
    x += s[k]; //@ s.ld4 x1024
    
  }
  o[i] = x;
}
}
namespace trips_96_dynamic_body_8 {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ float s[];
  s[t ^ 1] = a[i];
  __syncthreads();
  float x = 0;

  for (int k = 0; k < 96; ++k) {
    x += s[k]; //@ s.ld4 x96
    x = x * 1.5f + 1.f; x = x * 2.5f + 1.f; x = x * 3.5f + 1.f; x = x * 4.5f + 1.f; x = x * 5.5f + 1.f; x = x * 6.5f + 1.f; x = x * 7.5f + 1.f;
  }
  o[i] = x;
}
}
namespace trips_128_dynamic_body_5 {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ float s[];
  s[t ^ 1] = a[i];
  __syncthreads();
  float x = 0;

  for (int k = 0; k < 128; ++k) {
    x += s[k]; //@ s.ld4 x128
    x = x * 1.5f + 1.f; x = x * 2.5f + 1.f; x = x * 3.5f + 1.f; x = x * 4.5f + 1.f;
  }
  o[i] = x;
}
}
namespace trips_192_dynamic_body_3 {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ float s[];
  s[t ^ 1] = a[i];
  __syncthreads();
  float x = 0;

  for (int k = 0; k < 192; ++k) {
    x += s[k]; //@ s.ld4 x192
    x = x * 1.5f + 1.f; x = x * 2.5f + 1.f;
  }
  o[i] = x;
}
}
namespace trips_192_dynamic_body_18 {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ float s[];
  s[t ^ 1] = a[i];
  __syncthreads();
  float x = 0;

  for (int k = 0; k < 192; ++k) {
    x += s[k]; //@ s.ld4 x192
    x = x * 1.5f + 1.f; x = x * 2.5f + 1.f; x = x * 3.5f + 1.f; x = x * 4.5f + 1.f; x = x * 5.5f + 1.f; x = x * 6.5f + 1.f; x = x * 7.5f + 1.f; x = x * 8.5f + 1.f; x = x * 9.5f + 1.f; x = x * 10.5f + 1.f; x = x * 11.5f + 1.f; x = x * 12.5f + 1.f; x = x * 13.5f + 1.f; x = x * 14.5f + 1.f; x = x * 15.5f + 1.f; x = x * 16.5f + 1.f; x = x * 17.5f + 1.f;
  }
  o[i] = x;
}
}
namespace trips_384_dynamic_body_12 {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ float s[];
  s[t ^ 1] = a[i];
  __syncthreads();
  float x = 0;

  for (int k = 0; k < 384; ++k) {
    x += s[k]; //@ s.ld4 x384
    x = x * 1.5f + 1.f; x = x * 2.5f + 1.f; x = x * 3.5f + 1.f; x = x * 4.5f + 1.f; x = x * 5.5f + 1.f; x = x * 6.5f + 1.f; x = x * 7.5f + 1.f; x = x * 8.5f + 1.f; x = x * 9.5f + 1.f; x = x * 10.5f + 1.f; x = x * 11.5f + 1.f;
  }
  o[i] = x;
}
}
namespace trips_512_dynamic_body_8 {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ float s[];
  s[t ^ 1] = a[i];
  __syncthreads();
  float x = 0;

  for (int k = 0; k < 512; ++k) {
    x += s[k]; //@ s.ld4 x512
    x = x * 1.5f + 1.f; x = x * 2.5f + 1.f; x = x * 3.5f + 1.f; x = x * 4.5f + 1.f; x = x * 5.5f + 1.f; x = x * 6.5f + 1.f; x = x * 7.5f + 1.f;
  }
  o[i] = x;
}
}
namespace head_start_4_dynamic {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ float s[];
  s[t ^ 1] = a[i];
  __syncthreads();
  float x = 0;

  for (int k = 4; k < n; ++k) {
    x += s[16 * t + k]; //@ s.ld4
    
  }
  o[i] = x;
}
}
namespace head_unsigned_dynamic {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ float s[];
  s[t ^ 1] = a[i];
  __syncthreads();
  float x = 0;

  for (unsigned k = 0; k < n; ++k) {
    x += s[16 * t + k]; //@ s.ld4
    
  }
  o[i] = x;
}
}
namespace more_load_dynamic {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ float s[];
  s[t ^ 1] = a[i];
  __syncthreads();
  float x = 0;

  for (int k = 0; k < n; ++k) {
    x += s[16 * t + k]; //@ s.ld4
    x *= b[k * 256 + i];
  }
  o[i] = x;
}
}
namespace more_many_dynamic {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ float s[];
  s[t ^ 1] = a[i];
  __syncthreads();
  float x = 0;

  for (int k = 0; k < n; ++k) {
    x += s[16 * t + k]; //@ s.ld4
    x = x * 1.5f + b[i]; x = x * 2.5f + b[i]; x = x * 3.5f + b[i]; x = x * 4.5f + b[i]; x = x * 5.5f + b[i]; x = x * 6.5f + b[i]; x = x * 7.5f + b[i]; x = x * 8.5f + b[i]; x = x * 9.5f + b[i]; x = x * 10.5f + b[i]; x = x * 11.5f + b[i];
  }
  o[i] = x;
}
}
namespace more_if_dynamic {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ float s[];
  s[t ^ 1] = a[i];
  __syncthreads();
  float x = 0;

  for (int k = 0; k < n; ++k) {
    x += s[16 * t + k]; //@ s.ld4
    if (x > 3.f) x = x * x;
  }
  o[i] = x;
}
}
namespace more_far_dynamic {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ float s[];
  s[t ^ 1] = a[i];
  __syncthreads();
  float x = 0;

  for (int k = 0; k < n; ++k) {
    x += s[16 * t + k]; //@ s.ld4
    x *= s[16 * t + k + 8];
  }
  o[i] = x;
}
}
namespace more_barrier_dynamic {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  extern __shared__ float s[];
  s[t ^ 1] = a[i];
  __syncthreads();
  float x = 0;

  for (int k = 0; k < n; ++k) {
    x += s[16 * t + k]; //@ s.ld4
    __syncthreads();
  }
  o[i] = x;
}
}
namespace shape2_plain_invariant_alone {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = 0;
  for (int k = 0; k < n; ++k)
    x = x * x + a[i]; //@ g.ld4
  o[i] = x; //@ g.st4
}
}
namespace shape2_plain_invariant_while {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = 0;
  while (x < 100.f)
    x = x * x + a[i] + 1; //@ g.ld4
  o[i] = x; //@ g.st4
}
}
namespace shape2_plain_chase {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  int k = i;
  while (k > 0)
    k = (int)a[k]; //@ g.ld4
  o[i] = k; //@ g.st4
}
}
int main()
{
    char *buffer[5];
    for (int i = 0; i < 5; ++i) {
        cudaMalloc(&buffer[i], 16777216);
        cudaMemset(buffer[i], 0, 16777216);
    }
    more_load_static::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    more_many_static::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    more_if_static::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    more_far_static::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    more_barrier_static::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    by_four_dynamic_float_pair::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    by_four_dynamic_double_row::k<<<2, 64, 8192>>>((double *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (double *)(buffer[2] + 8388608), 2, 1);
    by_four_dynamic_short_uniform::k<<<2, 64, 8192>>>((short *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (short *)(buffer[2] + 8388608), 2, 1);
    by_four_dynamic_short_block::k<<<2, 64, 8192>>>((short *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (short *)(buffer[2] + 8388608), 2, 1);
    by_four_dynamic_char_argument::k<<<2, 64, 8192>>>((char *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (char *)(buffer[2] + 8388608), 2, 1);
    pragma_2_dynamic_uniform_70::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    pragma_4_dynamic_uniform::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    pragma_4_dynamic_row_64::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    pragma_8_dynamic_uniform_70::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    pragma_16_dynamic_uniform::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    pragma_16_dynamic_row_64::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    trips_6_dynamic_uniform::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    trips_12_dynamic_uniform::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    trips_64_dynamic_uniform::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    trips_96_dynamic_uniform::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    trips_128_dynamic_uniform::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    trips_192_dynamic_uniform::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    trips_256_dynamic_uniform::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    trips_1024_dynamic_uniform::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    trips_96_dynamic_body_8::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    trips_128_dynamic_body_5::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    trips_192_dynamic_body_3::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    trips_192_dynamic_body_18::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    trips_384_dynamic_body_12::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    trips_512_dynamic_body_8::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    head_start_4_dynamic::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    head_unsigned_dynamic::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    more_load_dynamic::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    more_many_dynamic::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    more_if_dynamic::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    more_far_dynamic::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    more_barrier_dynamic::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    shape2_plain_invariant_alone::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    shape2_plain_invariant_while::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    shape2_plain_chase::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
