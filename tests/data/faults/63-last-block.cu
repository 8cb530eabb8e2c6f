// The last block to finish adds what all have left.
#include <cstdio>
#include <cstdlib>
#include <cstring>
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

__global__ void last_no_fence(const int *in, int *part, unsigned *done, int *total)
{
    __shared__ bool last;
    int t = threadIdx.x;
    if (t == 0) {
        int sum = 0;
        for (int i = 0; i < 64; i++) sum += in[blockIdx.x * 64 + i];
        part[blockIdx.x] = sum;
        last = atomicAdd(done, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t == 0) {
        int sum = 0;
        for (int b = 0; b < gridDim.x; b++) sum += part[b];
        *total = sum;
    }
}

__global__ void last_fence(const int *in, volatile int *part, unsigned *done, int *total)
{
    __shared__ bool last;
    int t = threadIdx.x;
    if (t == 0) {
        int sum = 0;
        for (int i = 0; i < 64; i++) sum += in[blockIdx.x * 64 + i];
        part[blockIdx.x] = sum;
        __threadfence();
        last = atomicAdd(done, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t == 0) {
        int sum = 0;
        for (int b = 0; b < gridDim.x; b++) sum += part[b];
        *total = sum;
    }
}

__global__ void last_fence_all(const int *in, int *part, unsigned *done, int *total)
{
    __shared__ bool last;
    __shared__ int s[64];
    int t = threadIdx.x;
    part[blockIdx.x * 64 + t] = in[blockIdx.x * 64 + t] * 3;
    __threadfence();
    __syncthreads();
    if (t == 0) last = atomicInc(done, gridDim.x) == gridDim.x - 1;
    __syncthreads();
    if (!last) return;
    __threadfence();
    int sum = 0;
    for (int b = 0; b < gridDim.x; b++) sum += part[b * 64 + t];
    s[t] = sum;
    __syncthreads();
    for (int h = 32; h > 0; h >>= 1) {
        if (t < h) s[t] += s[t + h];
        __syncthreads();
    }
    if (t == 0) *total = s[0];
}

__global__ void last_nobody_waits(const int *in, int *part, int *total)
{
    int t = threadIdx.x;
    if (t == 0) part[blockIdx.x] = in[blockIdx.x * 64];
    __threadfence();
    if (blockIdx.x == gridDim.x - 1 && t == 0) {
        int sum = 0;
        for (int b = 0; b < gridDim.x; b++) sum += part[b];
        *total = sum;
    }
}

int main(int argc, char **argv)
{
    int *in, *part, *total;
    unsigned *done;
    must(cudaMalloc(&in, 1024 * sizeof(int)));
    must(cudaMalloc(&part, 1024 * sizeof(int)));
    must(cudaMalloc(&total, sizeof(int)));
    must(cudaMalloc(&done, sizeof(unsigned)));
    must(cudaMemset(in, 0, 1024 * sizeof(int)));
    must(cudaMemset(done, 0, sizeof(unsigned)));
    if (wanted(argc, argv, "last_no_fence")) {
        last_no_fence<<<16, 64>>>(in, part, done, total);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "last_fence")) {
        last_fence<<<16, 64>>>(in, part, done, total);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "last_fence_all")) {
        last_fence_all<<<16, 64>>>(in, part, done, total);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "last_nobody_waits")) {
        last_nobody_waits<<<16, 64>>>(in, part, total);
        must(cudaDeviceSynchronize());
    }
    return 0;
}
