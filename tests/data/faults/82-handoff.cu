// Threads that hand data over within a block and between warps.
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

__global__ void queue_good(const int *in, int *out)
{
    __shared__ int slot[4][32];
    int t = threadIdx.x, w = t / 32, lane = t % 32;
    for (int r = 0; r < 4; r++) {
        slot[w][lane] = in[r * 128 + t];
        __syncthreads();
        int v = slot[(w + 1) % 4][lane];
        __syncthreads();
        out[r * 128 + t] = v;
    }
}

__global__ void queue_warp_only(const int *in, int *out)
{
    __shared__ int slot[4][32];
    int t = threadIdx.x, w = t / 32, lane = t % 32;
    for (int r = 0; r < 4; r++) {
        slot[w][lane] = in[r * 128 + t];
        __syncwarp();
        int v = slot[(w + 1) % 4][lane];
        __syncwarp();
        out[r * 128 + t] = v;
    }
}

__global__ void queue_own_warp(const int *in, int *out)
{
    __shared__ int slot[4][32];
    int t = threadIdx.x, w = t / 32, lane = t % 32;
    for (int r = 0; r < 4; r++) {
        slot[w][lane] = in[r * 128 + t];
        __syncwarp();
        int v = slot[w][31 - lane];
        __syncwarp();
        out[r * 128 + t] = v;
    }
}

__global__ void scalar_broadcast(const int *in, int *out)
{
    __shared__ int v;
    int t = threadIdx.x, sum = 0;
    for (int r = 0; r < 4; r++) {
        if (t == 0) v = in[r];
        __syncthreads();
        sum += v;
    }
    out[blockIdx.x * 128 + t] = sum;
}

__global__ void scalar_broadcast_two(const int *in, int *out)
{
    __shared__ int v;
    int t = threadIdx.x, sum = 0;
    for (int r = 0; r < 4; r++) {
        if (t == 0) v = in[r];
        __syncthreads();
        sum += v;
        __syncthreads();
    }
    out[blockIdx.x * 128 + t] = sum;
}

__global__ void all_write_sum(const int *in, int *out)
{
    __shared__ int v[4];
    int t = threadIdx.x;
    v[t / 32] = in[t];
    __syncthreads();
    out[blockIdx.x * 128 + t] = v[t / 32];
}

__global__ void unfinished_warp(const int *in, int *out)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t < 31) s[t] = in[t];
    __syncthreads();
    if (t < 32) out[blockIdx.x * 32 + t] = s[t];
}

int main(int argc, char **argv)
{
    int *in, *out;
    must(cudaMalloc(&in, 4096 * sizeof(int)));
    must(cudaMalloc(&out, 4096 * sizeof(int)));
    must(cudaMemset(in, 0, 4096 * sizeof(int)));
    if (wanted(argc, argv, "queue_good")) {
        queue_good<<<4, 128>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "queue_warp_only")) {
        queue_warp_only<<<4, 128>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "queue_own_warp")) {
        queue_own_warp<<<4, 128>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "scalar_broadcast")) {
        scalar_broadcast<<<4, 128>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "scalar_broadcast_two")) {
        scalar_broadcast_two<<<4, 128>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "all_write_sum")) {
        all_write_sum<<<4, 128>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "unfinished_warp")) {
        unfinished_warp<<<4, 128>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    return 0;
}
