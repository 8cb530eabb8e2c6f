#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
namespace leave_load_only_uniform {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x;
  if (n > 3) {
  o[t] = 1; //@ g.st4
  return;
  }
  float v = a[t]; //@ g.ld4
  if (v > 3) o[t + 5] = v; //@ g.st4
}
}
namespace copies_lane_n {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x;
  __shared__ float s[1024], q[256];
  s[t] = a[t]; q[t ^ 3] = n;
  __syncthreads();
  for (int k = 0; k < n; ++k) {
    int p = 2 * t + (t & 1);
    float x = s[p], y = s[p + 1]; //@ s.ld4 s.ld4
    s[p] = y * 2; //@ s.st4
    s[p + 1] = x; //@ s.st4
    __syncthreads();
  }
  __syncthreads();
  o[t + 999] = s[t ^ 9] + q[t];
}
}
namespace copies_lane_8 {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x;
  __shared__ float s[1024], q[256];
  s[t] = a[t]; q[t ^ 3] = n;
  __syncthreads();
  for (int k = 0; k < 8; ++k) {
    int p = 2 * t + (t & 1);
    float x = s[p], y = s[p + 1]; //@ s.ld4 s.ld4 x8
    s[p] = y * 2; //@ s.st4 x8
    s[p + 1] = x; //@ s.st4 x8
    __syncthreads();
  }
  __syncthreads();
  o[t + 999] = s[t ^ 9] + q[t];
}
}
namespace strides_plain {
__global__ void k(float *a, float *b, float *o, int n, int m) {
  const int t = threadIdx.x;
  __shared__ float s[1024], q[256];
  s[t] = a[t]; q[t ^ 3] = n;
  __syncthreads();
  for (int j = 64; j > 0; j >>= 1) {
    int p = 2 * t;
    float x = s[p], y = s[p + j]; //@ s.ld4 s.ld4 x7
    if (x > y) {
      s[p] = y; //@ s.st4 x7
      s[p + j] = x; //@ s.st4 x7
    }
    __syncthreads();
  }
  __syncthreads();
  o[t + 999] = s[t ^ 9] + q[t];
}
}
int main()
{
    char *buffer[5];
    for (int i = 0; i < 5; ++i) {
        cudaMalloc(&buffer[i], 16777216);
        cudaMemset(buffer[i], 0, 16777216);
    }
    leave_load_only_uniform::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    copies_lane_n::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    copies_lane_8::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    strides_plain::k<<<2, 64, 8192>>>((float *)(buffer[0] + 8388608), (float *)(buffer[1] + 8388608), (float *)(buffer[2] + 8388608), 2, 1);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
