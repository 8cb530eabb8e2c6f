#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#ifndef BLOCK
#define BLOCK 32
#endif
#define cudaCheck(ans) { check((ans), __FILE__, __LINE__); }
inline void check(cudaError_t code, const char *file, int line, bool abort = true)
{
    if (code != cudaSuccess) { fprintf(stderr, "%s %s %d\n", cudaGetErrorString(code), file, line); if (abort) exit(code); }
}
__global__ void stencil(const float *in, float *out, int nx, int ny, int nz) { out[threadIdx.x] = in[nx * ny * nz]; }
int main()
{
    const int nx = 128, ny = 64, nz = 32;
    const size_t bytes = (size_t)nx * ny * nz * sizeof(float);
    float *buffers[2];
    for (int i = 0; i < 2; i++) cudaCheck(cudaMalloc(&buffers[i], bytes));
    dim3 block(BLOCK, 4, 2), grid((nx + block.x - 1) / block.x, (ny + block.y - 1) / block.y, (nz + block.z - 1) / block.z);
    for (int t = 0; t < 10; t++) {
        stencil<<<grid, block>>>(buffers[t % 2], buffers[1 - t % 2], nx, ny, nz);
        cudaCheck(cudaPeekAtLastError());
    }
}
