// Histograms of bytes.
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

__global__ void hist_plain(const int *in, int *out)
{
    __shared__ int bins[256];
    int t = threadIdx.x;
    bins[t] = 0;
    __syncthreads();
    bins[in[blockIdx.x * 256 + t] & 255]++;
    __syncthreads();
    atomicAdd(&out[t], bins[t]);
}

__global__ void hist_atomic(const int *in, int *out)
{
    __shared__ int bins[256];
    int t = threadIdx.x;
    bins[t] = 0;
    __syncthreads();
    atomicAdd(&bins[in[blockIdx.x * 256 + t] & 255], 1);
    __syncthreads();
    atomicAdd(&out[t], bins[t]);
}

__global__ void hist_early_flush(const int *in, int *out)
{
    __shared__ int bins[256];
    int t = threadIdx.x;
    bins[t] = 0;
    __syncthreads();
    atomicAdd(&bins[in[blockIdx.x * 256 + t] & 255], 1);
    atomicAdd(&out[t], bins[t]);
}

__global__ void hist_few_bins(const int *in, int *out)
{
    __shared__ int bins[128];
    int t = threadIdx.x;
    if (t < 128) bins[t] = 0;
    __syncthreads();
    atomicAdd(&bins[in[blockIdx.x * 256 + t] & 255], 1);
    __syncthreads();
    if (t < 128) atomicAdd(&out[t], bins[t]);
}

__global__ void hist_private(const int *in, int *out)
{
    __shared__ int bins[4][64];
    int t = threadIdx.x, w = t / 32, lane = t % 32;
    for (int i = lane; i < 64; i += 32) bins[w][i] = 0;
    __syncwarp();
    for (int k = 0; k < 4; k++) atomicAdd(&bins[w][in[k * 128 + t] & 63], 1);
    __syncthreads();
    if (t < 64) out[blockIdx.x * 64 + t] = bins[0][t] + bins[1][t] + bins[2][t] + bins[3][t];
}

__global__ void hist_private_short(const int *in, int *out)
{
    __shared__ int bins[4][64];
    int t = threadIdx.x, w = t / 32, lane = t % 32;
    for (int i = lane; i < 64; i += 32) bins[w][i] = 0;
    __syncwarp();
    for (int k = 0; k < 4; k++) atomicAdd(&bins[w][in[k * 128 + t] & 63], 1);
    __syncwarp();
    if (t < 64) out[blockIdx.x * 64 + t] = bins[0][t] + bins[1][t] + bins[2][t] + bins[3][t];
}

int main(int argc, char **argv)
{
    int *in, *out;
    must(cudaMalloc(&in, 4096 * sizeof(int)));
    must(cudaMalloc(&out, 4096 * sizeof(int)));
    must(cudaMemset(in, 0, 4096 * sizeof(int)));
    if (wanted(argc, argv, "hist_plain")) {
        hist_plain<<<4, 256>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "hist_atomic")) {
        hist_atomic<<<4, 256>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "hist_early_flush")) {
        hist_early_flush<<<4, 256>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "hist_few_bins")) {
        hist_few_bins<<<4, 256>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "hist_private")) {
        hist_private<<<4, 128>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "hist_private_short")) {
        hist_private_short<<<4, 128>>>(in, out);
        must(cudaDeviceSynchronize());
    }
    return 0;
}
