#include "common.h"
// 2^31 and more elements: bytes
__global__ void b_row(unsigned char *x, int pitch, int rows) { int r = blockIdx.x; for (int c = threadIdx.x; c < 256; c += blockDim.x) x[r * pitch + c] = 1; }
__global__ void g_row(unsigned char *x, int pitch, int rows) { int r = blockIdx.x; for (int c = threadIdx.x; c < 256; c += blockDim.x) x[(size_t)r * pitch + c] = 1; }
// i += step past 2^31: the last step wraps and i < n holds again (negative index)
__global__ void b_step(unsigned char *x, int n) { for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] = 1; }
__global__ void g_step(unsigned char *x, int n) { for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] = 1; }
__global__ void b_triple(unsigned char *v, int nx, int ny) { int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y; v[(z * ny + y) * nx + x] = 1; }
__global__ void g_triple(unsigned char *v, int nx, int ny) { int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y; v[((size_t)z * ny + y) * nx + x] = 1; }
__global__ void b_unsigned(float *out, const float *in, int n) { unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = in[i] - in[i - 1u]; }
__global__ void g_unsigned(float *out, const float *in, int n) { unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i > 0 && i < n) out[i] = in[i] - in[i - 1u]; }
int main(int argc, char **argv) {
    unsigned char *big; float *f, *o; size_t n = 2400000000ull;
    MUST(cudaMalloc(&big, n)); MUST(cudaMalloc(&f, 4096)); MUST(cudaMalloc(&o, 4096)); MUST(cudaMemset(f, 0, 4096));
    if (wanted(argc, argv, "b_row")) { b_row<<<2400, 256>>>(big, 1000000, 2400); done("b_row"); }
    if (wanted(argc, argv, "g_row")) { g_row<<<2400, 256>>>(big, 1000000, 2400); done("g_row"); }
    if (wanted(argc, argv, "b_step")) { b_step<<<1024, 512>>>(big, 2147483000); done("b_step"); }
    if (wanted(argc, argv, "g_step")) { g_step<<<1024, 512>>>(big, 2147483000); done("g_step"); }
    if (wanted(argc, argv, "b_triple")) { b_triple<<<dim3(1500, 1600), 1000>>>(big, 1000, 1500); done("b_triple"); }
    if (wanted(argc, argv, "g_triple")) { g_triple<<<dim3(1500, 1600), 1000>>>(big, 1000, 1500); done("g_triple"); }
    if (wanted(argc, argv, "b_unsigned")) { b_unsigned<<<4, 256>>>(o, f, 1024); done("b_unsigned"); }
    if (wanted(argc, argv, "g_unsigned")) { g_unsigned<<<4, 256>>>(o, f, 1024); done("g_unsigned"); }
    return 0;
}
