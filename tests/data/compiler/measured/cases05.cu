#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
namespace use_float4_03 {
__global__ void k(float4 *a, float *o) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  o[i] = a[i].x * a[i].w; //@ g.ld4 g.ld4 g.st4
}
}
namespace use_short_12 {
__global__ void k(short *a, short *o) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ short s[1024];
  s[t ^ 1] = a[i]; //@ g.ld2 s.st2
  __syncthreads();
  o[i] = s[4 * t + 1] * s[4 * t + 2]; //@ s.ld2 s.ld2 g.st2
}
}
namespace use_float_13 {
__global__ void k(float *a, float *o) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[1024];
  s[t ^ 1] = a[i]; //@ g.ld4 s.st4
  __syncthreads();
  o[i] = s[4 * t + 1] * s[4 * t + 3]; //@ s.ld4 s.ld4 g.st4
}
}
namespace use_float4_13 {
__global__ void k(float4 *a, float *o) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  o[i] = a[i].y * a[i].w; //@ g.ld4 g.ld4 g.st4
}
}
namespace use_short_23 {
__global__ void k(short *a, short *o) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ short s[1024];
  s[t ^ 1] = a[i]; //@ g.ld2 s.st2
  __syncthreads();
  o[i] = s[4 * t + 2] * s[4 * t + 3]; //@ s.ld2 s.ld2 g.st2
}
}
namespace use_float_012 {
__global__ void k(float *a, float *o) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[1024];
  s[t ^ 1] = a[i]; //@ g.ld4 s.st4
  __syncthreads();
  o[i] = s[4 * t + 0] * s[4 * t + 1] * s[4 * t + 2]; //@ s.ld4 s.ld4 s.ld4 g.st4
}
}
namespace use_float4_012 {
__global__ void k(float4 *a, float *o) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  o[i] = a[i].x * a[i].y * a[i].z; //@ g.ld4 g.ld4 g.ld4 g.st4
}
}
namespace use_short_013 {
__global__ void k(short *a, short *o) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ short s[1024];
  s[t ^ 1] = a[i]; //@ g.ld2 s.st2
  __syncthreads();
  o[i] = s[4 * t + 0] * s[4 * t + 1] * s[4 * t + 3]; //@ s.ld2 s.ld2 s.ld2 g.st2
}
}
namespace use_float_023 {
__global__ void k(float *a, float *o) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[1024];
  s[t ^ 1] = a[i]; //@ g.ld4 s.st4
  __syncthreads();
  o[i] = s[4 * t + 0] * s[4 * t + 2] * s[4 * t + 3]; //@ s.ld4 s.ld4 s.ld4 g.st4
}
}
namespace use_float4_023 {
__global__ void k(float4 *a, float *o) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  o[i] = a[i].x * a[i].z * a[i].w; //@ g.ld4 g.ld4 g.ld4 g.st4
}
}
namespace use_short_123 {
__global__ void k(short *a, short *o) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ short s[1024];
  s[t ^ 1] = a[i]; //@ g.ld2 s.st2
  __syncthreads();
  o[i] = s[4 * t + 1] * s[4 * t + 2] * s[4 * t + 3]; //@ s.ld2 s.ld2 s.ld2 g.st2
}
}
namespace use_float_0123 {
__global__ void k(float *a, float *o) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[1024];
  s[t ^ 1] = a[i]; //@ g.ld4 s.st4
  __syncthreads();
  o[i] = s[4 * t + 0] * s[4 * t + 1] * s[4 * t + 2] * s[4 * t + 3]; //@ s.ld4 s.ld4 s.ld4 s.ld4 g.st4
}
}
namespace use_float4_0123 {
__global__ void k(float4 *a, float *o) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  o[i] = a[i].x * a[i].y * a[i].z * a[i].w; //@ g.ld4 g.ld4 g.ld4 g.ld4 g.st4
}
}
namespace by_four_static_float_pair {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[2048];
  s[t ^ 1] = a[i];
  __syncthreads();
  float x = 0;

  for (int k = 0; k < n; ++k) {
    x += s[2 * t + k]; //@ s.ld4
    
  }
  o[i] = x;
}
}
namespace by_four_static_double_row {
__global__ void k(double *a, float *b, double *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ double s[2048];
  s[t ^ 1] = a[i];
  __syncthreads();
  double x = 0;

  for (int k = 0; k < n; ++k) {
    x += s[16 * t + k]; //@ s.ld8
    
  }
  o[i] = x;
}
}
namespace by_four_static_short_uniform {
__global__ void k(short *a, float *b, short *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ short s[2048];
  s[t ^ 1] = a[i];
  __syncthreads();
  short x = 0;

  for (int k = 0; k < n; ++k) {
    x += s[k]; //@ s.ld2
    
  }
  o[i] = x;
}
}
namespace by_four_static_short_block {
__global__ void k(short *a, float *b, short *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ short s[2048];
  s[t ^ 1] = a[i];
  __syncthreads();
  short x = 0;

  for (int k = 0; k < n; ++k) {
    x += s[t / 16 * 16 + k]; //@ s.ld2
    
  }
  o[i] = x;
}
}
namespace by_four_static_char_argument {
__global__ void k(char *a, float *b, char *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ char s[2048];
  s[t ^ 1] = a[i];
  __syncthreads();
  char x = 0;

  for (int k = 0; k < n; ++k) {
    x += s[4 * m + k]; //@ s.ld1
    
  }
  o[i] = x;
}
}
namespace pragma_2_static_uniform_70 {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[2048];
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
namespace pragma_4_static_uniform {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[2048];
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
namespace pragma_4_static_row_64 {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[2048];
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
namespace pragma_8_static_uniform_70 {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[2048];
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
namespace pragma_16_static_uniform {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[2048];
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
namespace pragma_16_static_row_64 {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[2048];
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
namespace trips_6_static_uniform {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[2048];
  s[t ^ 1] = a[i];
  __syncthreads();
  float x = 0;

  for (int k = 0; k < 6; ++k) {
    x += s[k]; //@ s.ld4 x6
    
  }
  o[i] = x;
}
}
namespace trips_12_static_uniform {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[2048];
  s[t ^ 1] = a[i];
  __syncthreads();
  float x = 0;

  for (int k = 0; k < 12; ++k) {
    x += s[k]; //@ s.ld4 x12
    
  }
  o[i] = x;
}
}
namespace trips_64_static_uniform {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[2048];
  s[t ^ 1] = a[i];
  __syncthreads();
  float x = 0;

  for (int k = 0; k < 64; ++k) {
    x += s[k]; //@ s.ld4 x64
    
  }
  o[i] = x;
}
}
namespace trips_96_static_uniform {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[2048];
  s[t ^ 1] = a[i];
  __syncthreads();
  float x = 0;

  for (int k = 0; k < 96; ++k) {
    x += s[k]; //@ s.ld4 x96
    
  }
  o[i] = x;
}
}
namespace trips_128_static_uniform {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[2048];
  s[t ^ 1] = a[i];
  __syncthreads();
  float x = 0;

  for (int k = 0; k < 128; ++k) {
    x += s[k]; //@ s.ld4 x128
    
  }
  o[i] = x;
}
}
namespace trips_192_static_uniform {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[2048];
  s[t ^ 1] = a[i];
  __syncthreads();
  float x = 0;

  for (int k = 0; k < 192; ++k) {
    x += s[k]; //@ s.ld4 x192
    
  }
  o[i] = x;
}
}
namespace trips_256_static_uniform {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[2048];
  s[t ^ 1] = a[i];
  __syncthreads();
  float x = 0;

  for (int k = 0; k < 256; ++k) {
    x += s[k]; //@ s.ld4 x256
    
  }
  o[i] = x;
}
}
namespace trips_1024_static_uniform {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[2048];
  s[t ^ 1] = a[i];
  __syncthreads();
  float x = 0;

  for (int k = 0; k < 1024; ++k) {
    x += s[k]; //@ s.ld4 x1024
    
  }
  o[i] = x;
}
}
namespace trips_96_static_body_8 {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[2048];
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
namespace trips_128_static_body_5 {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[2048];
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
namespace trips_192_static_body_3 {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[2048];
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
namespace trips_192_static_body_18 {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[2048];
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
namespace trips_384_static_body_12 {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[2048];
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
namespace trips_512_static_body_8 {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[2048];
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
namespace head_start_4_static {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[2048];
  s[t ^ 1] = a[i];
  __syncthreads();
  float x = 0;

  for (int k = 4; k < n; ++k) {
    x += s[16 * t + k]; //@ s.ld4
    
  }
  o[i] = x;
}
}
namespace head_unsigned_static {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float s[2048];
  s[t ^ 1] = a[i];
  __syncthreads();
  float x = 0;

  for (unsigned k = 0; k < n; ++k) {
    x += s[16 * t + k]; //@ s.ld4
    
  }
  o[i] = x;
}
}
int main()
{
    char *buffer[5];
    for (int i = 0; i < 5; ++i) {
        cudaMalloc(&buffer[i], 16777216);
        cudaMemset(buffer[i], 0, 16777216);
    }
    use_float4_03::k<<<2, 64, 8192>>>((float4 *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608));
    use_short_12::k<<<2, 64, 8192>>>((short *)(buffer[0] + 8388608), (short *)(buffer[1] + 8388608));
    use_float_13::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608));
    use_float4_13::k<<<2, 64, 8192>>>((float4 *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608));
    use_short_23::k<<<2, 64, 8192>>>((short *)(buffer[0] + 8388608), (short *)(buffer[1] + 8388608));
    use_float_012::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608));
    use_float4_012::k<<<2, 64, 8192>>>((float4 *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608));
    use_short_013::k<<<2, 64, 8192>>>((short *)(buffer[0] + 8388608), (short *)(buffer[1] + 8388608));
    use_float_023::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608));
    use_float4_023::k<<<2, 64, 8192>>>((float4 *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608));
    use_short_123::k<<<2, 64, 8192>>>((short *)(buffer[0] + 8388608), (short *)(buffer[1] + 8388608));
    use_float_0123::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608));
    use_float4_0123::k<<<2, 64, 8192>>>((float4 *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608));
    by_four_static_float_pair::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    by_four_static_double_row::k<<<2, 64, 8192>>>((double *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (double *)(buffer[2] + 8388608), 2, 1);
    by_four_static_short_uniform::k<<<2, 64, 8192>>>((short *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (short *)(buffer[2] + 8388608), 2, 1);
    by_four_static_short_block::k<<<2, 64, 8192>>>((short *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (short *)(buffer[2] + 8388608), 2, 1);
    by_four_static_char_argument::k<<<2, 64, 8192>>>((char *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (char *)(buffer[2] + 8388608), 2, 1);
    pragma_2_static_uniform_70::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    pragma_4_static_uniform::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    pragma_4_static_row_64::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    pragma_8_static_uniform_70::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    pragma_16_static_uniform::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    pragma_16_static_row_64::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    trips_6_static_uniform::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    trips_12_static_uniform::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    trips_64_static_uniform::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    trips_96_static_uniform::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    trips_128_static_uniform::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    trips_192_static_uniform::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    trips_256_static_uniform::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    trips_1024_static_uniform::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    trips_96_static_body_8::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    trips_128_static_body_5::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    trips_192_static_body_3::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    trips_192_static_body_18::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    trips_384_static_body_12::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    trips_512_static_body_8::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    head_start_4_static::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    head_unsigned_static::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
