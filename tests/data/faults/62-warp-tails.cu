// Tree sums that end within a warp.
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

__global__ void tail_volatile(const int *in, int *out)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int h = 128; h > 32; h >>= 1) {
        if (t < h) s[t] += s[t + h];
        __syncthreads();
    }
    if (t < 32) {
        volatile int *v = s;
        v[t] += v[t + 32];
        v[t] += v[t + 16];
        v[t] += v[t + 8];
        v[t] += v[t + 4];
        v[t] += v[t + 2];
        v[t] += v[t + 1];
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

__global__ void tail_syncwarp(const int *in, int *out)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int h = 128; h >= 32; h >>= 1) {
        if (t < h) s[t] += s[t + h];
        __syncthreads();
    }
    if (t < 32) {
        for (int h = 16; h > 0; h >>= 1) {
            int v = s[t] + (t < h ? s[t + h] : 0);
            __syncwarp();
            if (t < h) s[t] = v;
            __syncwarp();
        }
        if (t == 0) out[blockIdx.x] = s[0];
    }
}

__global__ void tail_shuffle(const int *in, int *out)
{
    __shared__ int s[8];
    int t = threadIdx.x, v = in[blockIdx.x * 256 + t];
    for (int h = 16; h; h >>= 1) v += __shfl_xor_sync(0xffffffffu, v, h);
    if (t % 32 == 0) s[t / 32] = v;
    __syncthreads();
    if (t < 32) {
        v = t < 8 ? s[t] : 0;
        for (int h = 4; h; h >>= 1) v += __shfl_down_sync(0xffffffffu, v, h);
        if (t == 0) out[blockIdx.x] = v;
    }
}

__global__ void tail_shuffle_no_barrier(const int *in, int *out)
{
    __shared__ int s[8];
    int t = threadIdx.x, v = in[blockIdx.x * 256 + t];
    for (int h = 16; h; h >>= 1) v += __shfl_xor_sync(0xffffffffu, v, h);
    if (t % 32 == 0) s[t / 32] = v;
    if (t < 32) {
        v = t < 8 ? s[t] : 0;
        for (int h = 4; h; h >>= 1) v += __shfl_down_sync(0xffffffffu, v, h);
        if (t == 0) out[blockIdx.x] = v;
    }
}

__global__ void tail_barrier_at_32(const int *in, int *out)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int h = 128; h > 0; h >>= 1) {
        if (t < h) s[t] += s[t + h];
        if (h > 32) __syncthreads();
        else __syncwarp();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

int main(int argc, char **argv)
{
    int *in, *out;
    must(cudaMalloc(&in, 4096 * sizeof(int)));
    must(cudaMalloc(&out, 4096 * sizeof(int)));
    must(cudaMemset(in, 0, 4096 * sizeof(int)));
    if (wanted(argc, argv, "tail_volatile")) {
        tail_volatile<<<4, 256>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "tail_syncwarp")) {
        tail_syncwarp<<<4, 256>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "tail_shuffle")) {
        tail_shuffle<<<4, 256>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "tail_shuffle_no_barrier")) {
        tail_shuffle_no_barrier<<<4, 256>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "tail_barrier_at_32")) {
        tail_barrier_at_32<<<4, 256>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    return 0;
}
