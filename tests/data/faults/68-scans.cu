// Prefix sums of a block.
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

__global__ void scan_in_place(const int *in, int *out)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        if (t >= d) s[t] += s[t - d];
        __syncthreads();
    }
    out[blockIdx.x * 256 + t] = s[t];
}

__global__ void scan_two_buffers(const int *in, int *out)
{
    __shared__ int s[2][256];
    int t = threadIdx.x, from = 0;
    s[0][t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        s[1 - from][t] = t >= d ? s[from][t] + s[from][t - d] : s[from][t];
        from = 1 - from;
        __syncthreads();
    }
    out[blockIdx.x * 256 + t] = s[from][t];
}

__global__ void scan_register(const int *in, int *out)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    for (int d = 1; d < 256; d *= 2) {
        __syncthreads();
        int v = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += v;
    }
    out[blockIdx.x * 256 + t] = s[t];
}

__global__ void scan_exclusive_last(const int *in, int *out)
{
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t + 1] = in[blockIdx.x * 256 + t];
    if (t == 0) s[0] = 0;
    __syncthreads();
    out[blockIdx.x * 256 + t] = s[t];
}

__global__ void scan_warp_sums(const int *in, int *out)
{
    __shared__ int sums[8];
    int t = threadIdx.x, lane = t & 31, w = t >> 5, v = in[blockIdx.x * 256 + t];
    for (int d = 1; d < 32; d *= 2) {
        int u = __shfl_up_sync(0xffffffffu, v, d);
        if (lane >= d) v += u;
    }
    if (lane == 31) sums[w] = v;
    __syncthreads();
    if (t < 8) {
        int u = sums[t];
        for (int d = 1; d < 8; d *= 2) {
            int x = __shfl_up_sync(0xffu, u, d);
            if (t >= d) u += x;
        }
        sums[t] = u;
    }
    __syncthreads();
    if (w > 0) v += sums[w - 1];
    out[blockIdx.x * 256 + t] = v;
}

__global__ void scan_warp_sums_bare(const int *in, int *out)
{
    __shared__ int sums[8];
    int t = threadIdx.x, lane = t & 31, w = t >> 5, v = in[blockIdx.x * 256 + t];
    for (int d = 1; d < 32; d *= 2) {
        int u = __shfl_up_sync(0xffffffffu, v, d);
        if (lane >= d) v += u;
    }
    if (lane == 31) sums[w] = v;
    __syncthreads();
    if (t == 0)
        for (int i = 1; i < 8; i++) sums[i] += sums[i - 1];
    if (w > 0) v += sums[w - 1];
    out[blockIdx.x * 256 + t] = v;
}

int main(int argc, char **argv)
{
    int *in, *out;
    must(cudaMalloc(&in, 4096 * sizeof(int)));
    must(cudaMalloc(&out, 4096 * sizeof(int)));
    must(cudaMemset(in, 0, 4096 * sizeof(int)));
    if (wanted(argc, argv, "scan_in_place")) {
        scan_in_place<<<4, 256>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "scan_two_buffers")) {
        scan_two_buffers<<<4, 256>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "scan_register")) {
        scan_register<<<4, 256>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "scan_exclusive_last")) {
        scan_exclusive_last<<<4, 256>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "scan_warp_sums")) {
        scan_warp_sums<<<4, 256>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "scan_warp_sums_bare")) {
        scan_warp_sums_bare<<<4, 256>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    return 0;
}
