// Flags in shared and global memory.
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

__global__ void any_same(const int *in, int *out)
{
    __shared__ int any;
    int t = threadIdx.x;
    if (t == 0) any = 0;
    __syncthreads();
    if (in[blockIdx.x * 128 + t] > 3) any = 1;
    __syncthreads();
    if (t == 0) out[blockIdx.x] = any;
}

__global__ void any_index(const int *in, int *out)
{
    __shared__ int where;
    int t = threadIdx.x;
    if (t == 0) where = -1;
    __syncthreads();
    if (in[blockIdx.x * 128 + t] > 3) where = t;
    __syncthreads();
    if (t == 0) out[blockIdx.x] = where;
}

__global__ void any_loop_reset(const int *in, int *out)
{
    __shared__ int again;
    int t = threadIdx.x, v = in[blockIdx.x * 128 + t];
    do {
        __syncthreads();
        if (t == 0) again = 0;
        __syncthreads();
        if (v > 0) { v -= 3; again = 1; }
        __syncthreads();
    } while (again);
    out[blockIdx.x * 128 + t] = v;
}

__global__ void any_loop_bare(const int *in, int *out)
{
    __shared__ int again;
    int t = threadIdx.x, v = in[blockIdx.x * 128 + t];
    do {
        if (t == 0) again = 0;
        __syncthreads();
        if (v > 0) { v -= 3; again = 1; }
        __syncthreads();
    } while (again);
    out[blockIdx.x * 128 + t] = v;
}

__global__ void marks_grid(const int *in, int *out)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    if (in[i] > 3) out[0] = 1;
}

__global__ void sums_grid(const int *in, int *out)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    out[i % 16] += in[i];
}

int main(int argc, char **argv)
{
    int *in, *out;
    must(cudaMalloc(&in, 4096 * sizeof(int)));
    must(cudaMalloc(&out, 4096 * sizeof(int)));
    must(cudaMemset(in, 0, 4096 * sizeof(int)));
    if (wanted(argc, argv, "any_same")) {
        any_same<<<4, 128>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "any_index")) {
        any_index<<<4, 128>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "any_loop_reset")) {
        any_loop_reset<<<4, 128>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "any_loop_bare")) {
        any_loop_bare<<<4, 128>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "marks_grid")) {
        marks_grid<<<4, 128>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "sums_grid")) {
        sums_grid<<<4, 128>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    return 0;
}
