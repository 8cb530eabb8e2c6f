// A pass of a radix sort.
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

__global__ void split_good(const int *in, int *out, int bit)
{
    __shared__ int flags[256], keys[256];
    __shared__ int total;
    int t = threadIdx.x, key = in[blockIdx.x * 256 + t];
    int zero = 1 - ((key >> bit) & 1);
    flags[t] = zero;
    __syncthreads();
    for (int d = 1; d < 256; d <<= 1) {
        int v = t >= d ? flags[t - d] : 0;
        __syncthreads();
        flags[t] += v;
        __syncthreads();
    }
    if (t == 255) total = flags[255];
    __syncthreads();
    int before = flags[t] - zero;
    int at = zero ? before : total + t - before;
    keys[at] = key;
    __syncthreads();
    out[blockIdx.x * 256 + t] = keys[t];
}

__global__ void split_no_total_barrier(const int *in, int *out, int bit)
{
    __shared__ int flags[256], keys[256];
    __shared__ int total;
    int t = threadIdx.x, key = in[blockIdx.x * 256 + t];
    int zero = 1 - ((key >> bit) & 1);
    flags[t] = zero;
    __syncthreads();
    for (int d = 1; d < 256; d <<= 1) {
        int v = t >= d ? flags[t - d] : 0;
        __syncthreads();
        flags[t] += v;
        __syncthreads();
    }
    if (t == 255) total = flags[255];
    int before = flags[t] - zero;
    int at = zero ? before : total + t - before;
    keys[at] = key;
    __syncthreads();
    out[blockIdx.x * 256 + t] = keys[t];
}

__global__ void split_no_key_barrier(const int *in, int *out, int bit)
{
    __shared__ int keys[256];
    __shared__ int zeros, ones;
    int t = threadIdx.x, key = in[blockIdx.x * 256 + t];
    if (t == 0) { zeros = 0; ones = 255; }
    __syncthreads();
    int at = (key >> bit) & 1 ? atomicSub(&ones, 1) : atomicAdd(&zeros, 1);
    keys[at] = key;
    out[blockIdx.x * 256 + t] = keys[t];
}

int main(int argc, char **argv)
{
    int *in, *out;
    must(cudaMalloc(&in, 4096 * sizeof(int)));
    must(cudaMalloc(&out, 4096 * sizeof(int)));
    must(cudaMemset(in, 0, 4096 * sizeof(int)));
    if (wanted(argc, argv, "split_good")) {
        split_good<<<4, 256>>>(in, out, 3);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "split_no_total_barrier")) {
        split_no_total_barrier<<<4, 256>>>(in, out, 3);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "split_no_key_barrier")) {
        split_no_key_barrier<<<4, 256>>>(in, out, 3);
        must(cudaDeviceSynchronize());
    }
    return 0;
}
