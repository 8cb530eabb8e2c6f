// Matrix tiles in shared memory.
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

#define N 128
__global__ void turn_good(const int *in, int *out)
{
    __shared__ int tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * N + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) out[(y + j) * N + x] = tile[threadIdx.x][threadIdx.y + j];
}

__global__ void turn_bare(const int *in, int *out)
{
    __shared__ int tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * N + x];
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) out[(y + j) * N + x] = tile[threadIdx.x][threadIdx.y + j];
}

__global__ void turn_narrow(const int *in, int *out)
{
    __shared__ int tile[8][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * N + x];
    __syncthreads();
    for (int j = 0; j < 32; j += 8) out[(y + j) * N + x] = tile[threadIdx.y][threadIdx.x];
}

__global__ void turn_swapped_row(const int *in, int *out)
{
    __shared__ int tile[16][24];
    int t = threadIdx.x, r = t / 24, c = t % 24;
    if (r < 16) tile[r][c] = in[t];
    __syncthreads();
    if (r < 16) out[t] = tile[c % 16][r + 12];
}

int main(int argc, char **argv)
{
    int *in, *out;
    must(cudaMalloc(&in, N * N * sizeof(int)));
    must(cudaMalloc(&out, N * N * sizeof(int)));
    must(cudaMemset(in, 0, N * N * sizeof(int)));
    if (wanted(argc, argv, "turn_good")) {
        turn_good<<<dim3(4, 4), dim3(32, 8)>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "turn_bare")) {
        turn_bare<<<dim3(4, 4), dim3(32, 8)>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "turn_narrow")) {
        turn_narrow<<<dim3(4, 4), dim3(32, 8)>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "turn_swapped_row")) {
        turn_swapped_row<<<1, 384>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    return 0;
}
