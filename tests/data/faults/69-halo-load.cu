// Tiles with a halo.
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

#define R 3
__global__ void halo_good(const int *in, int *out, int n)
{
    __shared__ int s[128 + 2 * R];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    s[t + R] = i < n ? in[i] : 0;
    if (t < R) {
        s[t] = i >= R ? in[i - R] : 0;
        s[t + 128 + R] = i + 128 < n ? in[i + 128] : 0;
    }
    __syncthreads();
    int sum = 0;
    for (int d = -R; d <= R; d++) sum += s[t + R + d];
    if (i < n) out[i] = sum;
}

__global__ void halo_small(const int *in, int *out, int n)
{
    __shared__ int s[128 + R];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    s[t + R] = i < n ? in[i] : 0;
    if (t < R) {
        s[t] = i >= R ? in[i - R] : 0;
        s[t + 128 + R] = i + 128 < n ? in[i + 128] : 0;
    }
    __syncthreads();
    int sum = 0;
    for (int d = -R; d <= R; d++) sum += s[t + R + d];
    if (i < n) out[i] = sum;
}

__global__ void halo_one_side(const int *in, int *out, int n)
{
    __shared__ int s[128 + 2 * R];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    s[t + R] = i < n ? in[i] : 0;
    if (t < R) s[t] = i >= R ? in[i - R] : 0;
    __syncthreads();
    int sum = 0;
    for (int d = -R; d <= R; d++) sum += s[t + R + d];
    if (i < n) out[i] = sum;
}

__global__ void halo_before_zero(const int *in, int *out, int n)
{
    __shared__ int s[128 + 2 * R];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    s[t + R] = in[i];
    if (t < R) {
        s[t] = in[i - R];
        s[t + 128 + R] = i + 128 < n ? in[i + 128] : 0;
    }
    __syncthreads();
    int sum = 0;
    for (int d = -R; d <= R; d++) sum += s[t + R + d];
    out[i] = sum;
}

__global__ void halo_return(const int *in, int *out, int n)
{
    __shared__ int s[128 + 2 * R];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    if (i >= n) return;
    s[t + R] = in[i];
    if (t < R) {
        s[t] = i >= R ? in[i - R] : 0;
        s[t + 128 + R] = i + 128 < n ? in[i + 128] : 0;
    }
    __syncthreads();
    int sum = 0;
    for (int d = -R; d <= R; d++) sum += s[t + R + d];
    out[i] = sum;
}

int main(int argc, char **argv)
{
    const int n = 1024, odd = 1000;
    int *in, *out;
    must(cudaMalloc(&in, n * sizeof(int)));
    must(cudaMalloc(&out, n * sizeof(int)));
    must(cudaMemset(in, 0, n * sizeof(int)));
    if (wanted(argc, argv, "halo_good")) {
        halo_good<<<8, 128>>>(in, out, odd);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "halo_small")) {
        halo_small<<<8, 128>>>(in, out, n);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "halo_one_side")) {
        halo_one_side<<<8, 128>>>(in, out, n);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "halo_before_zero")) {
        halo_before_zero<<<8, 128>>>(in, out, n);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "halo_return")) {
        halo_return<<<8, 128>>>(in, out, odd);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "halo_return_full")) {
        halo_return<<<8, 128>>>(in, out, n);
        must(cudaDeviceSynchronize());
    }
    return 0;
}
