// Each thread or block takes a piece.
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

__global__ void chunk_good(const int *in, int *out, int per)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * per;
    for (int j = 0; j < per; j++) out[first + j] = in[first + j] + 1;
}

__global__ void chunk_inclusive(const int *in, int *out, int per)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * per;
    for (int j = 0; j <= per; j++) out[first + j] = in[first + j] + j;
}

__global__ void row_per_block(const int *in, int *out, int cols)
{
    for (int c = threadIdx.x; c < cols; c += blockDim.x) out[blockIdx.x * cols + c] = in[c];
}

__global__ void row_wrong_pitch(const int *in, int *out, int cols)
{
    for (int c = threadIdx.x; c < cols; c += blockDim.x) out[blockIdx.x * (cols - 1) + c] = in[c] + blockIdx.x;
}

__global__ void shift_in_place(int *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - 1) a[i] = a[i + 1];
}

__global__ void shift_to_other(const int *a, int *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - 1) b[i] = a[i + 1];
}

__global__ void tail_chunk(const int *in, int *out, int n, int per)
{
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * per;
    if (first < n)
        for (int j = 0; j < per; j++) out[first + j] = in[first + j];
}

int main(int argc, char **argv)
{
    int *in, *out;
    must(cudaMalloc(&in, 4096 * sizeof(int)));
    must(cudaMalloc(&out, 4096 * sizeof(int)));
    must(cudaMemset(in, 0, 4096 * sizeof(int)));
    int *exact;
    must(cudaMalloc(&exact, 4090 * sizeof(int)));
    if (wanted(argc, argv, "chunk_good")) {
        chunk_good<<<4, 128>>>(in, out, 8);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "chunk_inclusive")) {
        chunk_inclusive<<<4, 64>>>(in, out, 8);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "row_per_block")) {
        row_per_block<<<16, 64>>>(in, out, 200);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "row_wrong_pitch")) {
        row_wrong_pitch<<<16, 64>>>(in, out, 200);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "shift_in_place")) {
        shift_in_place<<<16, 256>>>(out, 4096);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "shift_to_other")) {
        shift_to_other<<<16, 256>>>(in, out, 4096);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "tail_chunk")) {
        tail_chunk<<<4, 128>>>(in, exact, 4090, 8);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "tail_chunk_even")) {
        tail_chunk<<<4, 128>>>(in, out, 4096, 8);
        must(cudaDeviceSynchronize());
    }
    return 0;
}
