// cooperative_groups::memcpy_async with and without its wait.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
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

__global__ void group_no_wait(const int *in, int *out)
{
    __shared__ int s[256];
    cg::thread_block block = cg::this_thread_block();
    cg::memcpy_async(block, s, in + blockIdx.x * 256, sizeof(int) * 256);
    out[blockIdx.x * 256 + threadIdx.x] = s[threadIdx.x ^ 1];
}

__global__ void group_barrier_only(const int *in, int *out)
{
    __shared__ int s[256];
    cg::thread_block block = cg::this_thread_block();
    cg::memcpy_async(block, s, in + blockIdx.x * 256, sizeof(int) * 256);
    block.sync();
    out[blockIdx.x * 256 + threadIdx.x] = s[threadIdx.x ^ 1];
}

__global__ void group_wait(const int *in, int *out)
{
    __shared__ int s[256];
    cg::thread_block block = cg::this_thread_block();
    cg::memcpy_async(block, s, in + blockIdx.x * 256, sizeof(int) * 256);
    cg::wait(block);
    out[blockIdx.x * 256 + threadIdx.x] = s[threadIdx.x ^ 1];
}

__global__ void group_refill(const int *in, int *out, int rounds)
{
    __shared__ int s[256];
    cg::thread_block block = cg::this_thread_block();
    int sum = 0;
    for (int r = 0; r < rounds; r++) {
        cg::memcpy_async(block, s, in + r * 256, sizeof(int) * 256);
        cg::wait(block);
        sum += s[threadIdx.x ^ 64];
    }
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}

__global__ void group_refill_sync(const int *in, int *out, int rounds)
{
    __shared__ int s[256];
    cg::thread_block block = cg::this_thread_block();
    int sum = 0;
    for (int r = 0; r < rounds; r++) {
        cg::memcpy_async(block, s, in + r * 256, sizeof(int) * 256);
        cg::wait(block);
        sum += s[threadIdx.x ^ 64];
        block.sync();
    }
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}

int main(int argc, char **argv)
{
    const int n = 4 * 256;
    int *in, *out;
    must(cudaMalloc(&in, n * sizeof(int)));
    must(cudaMalloc(&out, n * sizeof(int)));
    must(cudaMemset(in, 0, n * sizeof(int)));
    if (wanted(argc, argv, "group_no_wait")) {
        group_no_wait<<<4, 256>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "group_barrier_only")) {
        group_barrier_only<<<4, 256>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "group_wait")) {
        group_wait<<<4, 256>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "group_refill")) {
        group_refill<<<4, 256>>>(in, out, 4);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "group_refill_sync")) {
        group_refill_sync<<<4, 256>>>(in, out, 4);
        must(cudaDeviceSynchronize());
    }
    return 0;
}
