// Compaction with counters.
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

__global__ void keep_atomic(const int *in, int *out, int *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > 0) out[atomicAdd(count, 1)] = in[i];
}

__global__ void keep_plain(const int *in, int *out, int *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > 0) out[(*count)++] = in[i];
}

__global__ void keep_shared(const int *in, int *out, int *count, int n)
{
    __shared__ int base, kept;
    int i = blockIdx.x * blockDim.x + threadIdx.x, at = 0;
    if (threadIdx.x == 0) kept = 0;
    __syncthreads();
    bool keep = i < n && in[i] > 0;
    if (keep) at = atomicAdd(&kept, 1);
    __syncthreads();
    if (threadIdx.x == 0) base = atomicAdd(count, kept);
    __syncthreads();
    if (keep) out[base + at] = in[i];
}

__global__ void keep_shared_no_zero_barrier(const int *in, int *out, int *count, int n)
{
    __shared__ int base, kept;
    int i = blockIdx.x * blockDim.x + threadIdx.x, at = 0;
    if (threadIdx.x == 0) kept = 0;
    bool keep = i < n && in[i] > 0;
    if (keep) at = atomicAdd(&kept, 1);
    __syncthreads();
    if (threadIdx.x == 0) base = atomicAdd(count, kept);
    __syncthreads();
    if (keep) out[base + at] = in[i];
}

__global__ void keep_shared_no_base_barrier(const int *in, int *out, int *count, int n)
{
    __shared__ int base, kept;
    int i = blockIdx.x * blockDim.x + threadIdx.x, at = 0;
    if (threadIdx.x == 0) kept = 0;
    __syncthreads();
    bool keep = i < n && in[i] > 0;
    if (keep) at = atomicAdd(&kept, 1);
    __syncthreads();
    if (threadIdx.x == 0) base = atomicAdd(count, kept);
    if (keep) out[base + at] = in[i];
}

__global__ void keep_ballot(const int *in, int *out, int *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    bool keep = i < n && in[i] > 0;
    unsigned mask = __ballot_sync(0xffffffffu, keep);
    int at = 0;
    if (lane == 0) at = atomicAdd(count, __popc(mask));
    at = __shfl_sync(0xffffffffu, at, 0);
    if (keep) out[at + __popc(mask & ((1u << lane) - 1))] = in[i];
}

__global__ void keep_ballot_inside(const int *in, int *out, int *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    if (i < n && in[i] > 0) {
        unsigned mask = __ballot_sync(0xffffffffu, in[i] > 0);
        int at = 0;
        if (lane == 0) at = atomicAdd(count, __popc(mask));
        out[at + __popc(mask & ((1u << lane) - 1))] = in[i];
    }
}

int main(int argc, char **argv)
{
    const int n = 1000;
    int *in, *out, *count;
    must(cudaMalloc(&in, n * sizeof(int)));
    must(cudaMalloc(&out, n * sizeof(int)));
    must(cudaMalloc(&count, sizeof(int)));
    must(cudaMemset(in, 1, n * sizeof(int)));
    must(cudaMemset(count, 0, sizeof(int)));
    if (wanted(argc, argv, "keep_atomic")) {
        must(cudaMemset(count, 0, sizeof(int)));
        keep_atomic<<<8, 128>>>(in, out, count, n);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "keep_plain")) {
        must(cudaMemset(count, 0, sizeof(int)));
        keep_plain<<<8, 128>>>(in, out, count, n);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "keep_shared")) {
        must(cudaMemset(count, 0, sizeof(int)));
        keep_shared<<<8, 128>>>(in, out, count, n);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "keep_shared_no_zero_barrier")) {
        must(cudaMemset(count, 0, sizeof(int)));
        keep_shared_no_zero_barrier<<<8, 128>>>(in, out, count, n);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "keep_shared_no_base_barrier")) {
        must(cudaMemset(count, 0, sizeof(int)));
        keep_shared_no_base_barrier<<<8, 128>>>(in, out, count, n);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "keep_ballot")) {
        must(cudaMemset(count, 0, sizeof(int)));
        keep_ballot<<<8, 128>>>(in, out, count, n);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "keep_ballot_inside")) {
        must(cudaMemset(count, 0, sizeof(int)));
        keep_ballot_inside<<<8, 128>>>(in, out, count, n);
        must(cudaDeviceSynchronize());
    }
    return 0;
}
