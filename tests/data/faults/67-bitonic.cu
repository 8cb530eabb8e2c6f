// Sorting networks in shared memory.
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

__global__ void sort_good(const int *in, int *out)
{
    __shared__ int s[512];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 512 + t];
    s[t + 256] = in[blockIdx.x * 512 + 256 + t];
    for (int size = 2; size <= 512; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2) {
            __syncthreads();
            int p = 2 * t - (t & (stride - 1));
            bool up = (p & size) == 0;
            int a = s[p], b = s[p + stride];
            if ((a > b) == up) {
                s[p] = b;
                s[p + stride] = a;
            }
        }
    __syncthreads();
    out[blockIdx.x * 512 + t] = s[t];
    out[blockIdx.x * 512 + 256 + t] = s[t + 256];
}

__global__ void sort_outer_barrier(const int *in, int *out)
{
    __shared__ int s[512];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 512 + t];
    s[t + 256] = in[blockIdx.x * 512 + 256 + t];
    for (int size = 2; size <= 512; size *= 2) {
        __syncthreads();
        for (int stride = size / 2; stride > 0; stride /= 2) {
            int p = 2 * t - (t & (stride - 1));
            bool up = (p & size) == 0;
            int a = s[p], b = s[p + stride];
            if ((a > b) == up) {
                s[p] = b;
                s[p + stride] = a;
            }
        }
    }
    __syncthreads();
    out[blockIdx.x * 512 + t] = s[t];
    out[blockIdx.x * 512 + 256 + t] = s[t + 256];
}

__global__ void odd_even(const int *in, int *out)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int r = 0; r < 256; r++) {
        int i = 2 * t + (r & 1);
        if (i + 1 < 256) {
            int a = s[i], b = s[i + 1];
            s[i] = min(a, b);
            s[i + 1] = max(a, b);
        }
        __syncthreads();
    }
    out[blockIdx.x * 256 + t] = s[t];
}

__global__ void odd_even_all(const int *in, int *out)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int r = 0; r < 256; r++) {
        int i = t;
        if (i % 2 == (r & 1) && i < 256) {
            int a = s[i], b = s[i + 1];
            s[i] = min(a, b);
            s[i + 1] = max(a, b);
        }
        __syncthreads();
    }
    out[blockIdx.x * 256 + t] = s[t];
}

int main(int argc, char **argv)
{
    int *in, *out;
    must(cudaMalloc(&in, 4096 * sizeof(int)));
    must(cudaMalloc(&out, 4096 * sizeof(int)));
    must(cudaMemset(in, 0, 4096 * sizeof(int)));
    if (wanted(argc, argv, "sort_good")) {
        sort_good<<<4, 256>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "sort_outer_barrier")) {
        sort_outer_barrier<<<4, 256>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "odd_even")) {
        odd_even<<<4, 256>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "odd_even_all")) {
        odd_even_all<<<4, 256>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    return 0;
}
