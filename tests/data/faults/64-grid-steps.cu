// Steps of a grid with and without a barrier of the grid.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cooperative_groups.h>
#include <cuda_runtime.h>

static void must(cudaError_t e)
{
    if (e == cudaSuccess) return;
    std::printf("failed: %s\n", cudaGetErrorString(e));
    std::exit(1);
}

static bool wanted(int argc, char **argv, const char *run)
{
    for (int i = 1; i < argc; i++)
        if (!std::strcmp(argv[i], run)) return true;
    return argc < 2;
}

namespace cg = cooperative_groups;

__global__ void steps_synced(float *a, float *b, int n, int steps)
{
    cg::grid_group grid = cg::this_grid();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int s = 0; s < steps; s++) {
        if (i > 0 && i < n - 1) b[i] = 0.5f * (a[i - 1] + a[i + 1]);
        grid.sync();
        float *c = a;
        a = b;
        b = c;
    }
}

__global__ void steps_block_sync(float *a, float *b, int n, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int s = 0; s < steps; s++) {
        if (i > 0 && i < n - 1) b[i] = 0.5f * (a[i - 1] + a[i + 1]);
        __syncthreads();
        if (i > 0 && i < n - 1) a[i] = b[i];
        __syncthreads();
    }
}

__global__ void steps_once(float *a, float *b, int n)
{
    cg::grid_group grid = cg::this_grid();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] = a[i] + 1.0f;
    grid.sync();
    if (i < n) a[i] = b[n - 1 - i];
}

__global__ void steps_once_missing(float *a, float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] = a[i] + 1.0f;
    __syncthreads();
    if (i < n) a[i] = b[n - 1 - i];
}

int main(int argc, char **argv)
{
    int n = 1000, steps = 4;
    float *a, *b;
    must(cudaMalloc(&a, n * sizeof(float)));
    must(cudaMalloc(&b, n * sizeof(float)));
    must(cudaMemset(a, 0, n * sizeof(float)));
    void *looped[] = {&a, &b, &n, &steps};
    void *once[] = {&a, &b, &n};
    if (wanted(argc, argv, "steps_synced")) {
        must(cudaLaunchCooperativeKernel((const void *)steps_synced, dim3(8), dim3(128), looped, 0, 0));
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "steps_block_sync")) {
        steps_block_sync<<<8, 128>>>(a, b, n, steps);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "steps_once")) {
        must(cudaLaunchCooperativeKernel((const void *)steps_once, dim3(8), dim3(128), once, 0, 0));
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "steps_once_missing")) {
        steps_once_missing<<<8, 128>>>(a, b, n);
        must(cudaDeviceSynchronize());
    }
    return 0;
}
