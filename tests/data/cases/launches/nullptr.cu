#include <cuda_runtime.h>
__global__ void k(float *p, int n) { p[blockIdx.x * 256 + threadIdx.x] = 1.0f; }
static float *d_buf;                     // as in the SDK's histogram256.cu
void init(int n) { cudaMalloc((void **)&d_buf, n * sizeof(float)); }
void run(int n) { k<<<n / 256, 256>>>(d_buf, n); }
// Origin: issue cases.
