// Spin locks in global memory.
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

__global__ void lock_all_lanes(int *lock, int *sum)
{
    while (atomicCAS(lock, 0, 1) != 0) { }
    *(volatile int *)sum += 1;
    __threadfence();
    atomicExch(lock, 0);
}

__global__ void lock_inside(int *lock, int *sum)
{
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            *(volatile int *)sum += 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}

__global__ void lock_one_thread(int *lock, int *sum)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0) { }
        __threadfence();
        *(volatile int *)sum += 1;
        __threadfence();
        atomicExch(lock, 0);
    }
}

__global__ void lock_exchange(int *locks, int *sums, int buckets)
{
    int b = (blockIdx.x * blockDim.x + threadIdx.x) % buckets;
    do { } while (atomicExch(&locks[b], 1));
    *(volatile int *)&sums[b] += 1;
    __threadfence();
    atomicExch(&locks[b], 0);
}

int main(int argc, char **argv)
{
    int *lock, *sum;
    must(cudaMalloc(&lock, 64 * sizeof(int)));
    must(cudaMalloc(&sum, 64 * sizeof(int)));
    must(cudaMemset(lock, 0, 64 * sizeof(int)));
    must(cudaMemset(sum, 0, 64 * sizeof(int)));
    if (wanted(argc, argv, "lock_all_lanes")) {
        lock_all_lanes<<<4, 64>>>(lock, sum);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "lock_inside")) {
        lock_inside<<<4, 64>>>(lock, sum);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "lock_one_thread")) {
        lock_one_thread<<<4, 64>>>(lock, sum);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "lock_exchange")) {
        lock_exchange<<<4, 64>>>(lock, sum, 16);
        must(cudaDeviceSynchronize());
    }
    return 0;
}
