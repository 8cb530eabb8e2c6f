#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

typedef void (*Kernel)(float *, const float *, int);
__global__ void naive(float *o, const float *i, int n) { o[threadIdx.x] = i[threadIdx.x * n]; }
__global__ void tiled(float *o, const float *i, int n) { o[threadIdx.x * n] = i[threadIdx.x]; }
template <int ROWS> __global__ void rows(float *o, const float *i, int n) { o[threadIdx.x + ROWS * n] = i[threadIdx.x]; }
struct Entry { const char *name; Kernel kernel; dim3 block; int per_thread; };
static const Entry entries[] = {
    {"naive", naive, dim3(32, 32), 1},
    {"tiled", &tiled, dim3(32, 8), 4},
    {"rows", rows<2>, dim3(64, 4), 2},
};
int main()
{
    int n = 1024;
    float *o, *i;
    cudaMalloc(&o, n * n * 4);
    cudaMalloc(&i, n * n * 4);
    for (const Entry &e : entries) {
        dim3 grid(n / e.block.x, n / (e.block.y * e.per_thread));
        for (int run = 0; run < 3; ++run) e.kernel<<<grid, e.block>>>(o, i, n);
        cudaDeviceSynchronize();
        printf("%s\n", e.name);
    }
}
