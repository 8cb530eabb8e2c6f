// Launches of every kind that a comparison with a profile has to tell apart.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#include "staging.cuh"

#define CHECK(call)                                                          \
    do {                                                                     \
        cudaError_t status = (call);                                         \
        if (status != cudaSuccess) {                                         \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status));  \
            exit(1);                                                         \
        }                                                                    \
    } while (0)

namespace staging {
namespace {

// One name, three instantiations: square tiles with and without padding, of floats and doubles.
template <typename T, int TILE, bool PAD>
__global__ void turn(const T *in, T *out, int n)
{
    __shared__ T tile[TILE][TILE + (PAD ? 1 : 0)];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}

} // namespace

// Two overloads.
__global__ void scale(float *values, float factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        values[i] *= factor;
}

__global__ void scale(double *values, double factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        values[i] *= factor;
}

} // namespace staging

// One shape of launch, different arguments.
__global__ void strided(const float *in, float *out, int stride, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    out[i] = fetch(in, i, stride);
}

// Indices that the data decides.
__global__ void gather(const int *index, const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[index[i]];
}

// Dynamic shared memory, a function of the header that stores, shared atomics.
__global__ void buckets(const float *in, int *counts, int n)
{
    extern __shared__ float tile[];
    __shared__ int bins[32];
    if (threadIdx.x < 32)
        bins[threadIdx.x] = 0;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    spread(tile, threadIdx.x, in[i]);
    __syncthreads();
    float value = tile[threadIdx.x * 2] + tile[(threadIdx.x ^ 1) * 2];
    atomicAdd(&bins[threadIdx.x % 8], (int)value);
    __syncthreads();
    if (threadIdx.x < 32)
        atomicAdd(&counts[threadIdx.x], bins[threadIdx.x]);
}

// Four words at once, and a copy that bypasses registers.
__global__ void wide(const float4 *in, float4 *out)
{
    __shared__ float4 stage[128];
    unsigned to = (unsigned)__cvta_generic_to_shared(&stage[threadIdx.x]);
    const float4 *from = in + blockIdx.x * blockDim.x + threadIdx.x;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(to), "l"(from));
    asm volatile("cp.async.commit_group;\n" ::);
    asm volatile("cp.async.wait_group 0;\n" ::);
    __syncthreads();
    float4 v = stage[(threadIdx.x * 3) % 128];
    out[blockIdx.x * blockDim.x + threadIdx.x] = v;
}

// An array that is spilled, since its index is not constant.
__global__ void ranks(const int *in, int *out, int n)
{
    int counts[16];
    for (int k = 0; k < 16; k++)
        counts[k] = 0;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 8; k++)
        counts[in[i * 8 + k] & 15] += k;
    int best = 0;
    for (int k = 0; k < 16; k++)
        best = max(best, counts[k]);
    out[i] = best + counts[n & 15];
}

// A launch that only the command line of the program decides.
__global__ void reversed(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[gridDim.x * blockDim.x - 1 - i] = in[i];
}

int main(int argc, char **argv)
{
    const int n = 1 << 16;
    float *a, *b;
    double *d, *e;
    int *index, *counts;
    CHECK(cudaMalloc(&a, 8 * n * sizeof(float)));
    CHECK(cudaMalloc(&b, n * sizeof(float)));
    CHECK(cudaMalloc(&d, n * sizeof(double)));
    CHECK(cudaMalloc(&e, n * sizeof(double)));
    CHECK(cudaMalloc(&index, 8 * n * sizeof(int)));
    CHECK(cudaMalloc(&counts, n * sizeof(int)));
    CHECK(cudaMemset(a, 0, 8 * n * sizeof(float)));
    CHECK(cudaMemset(d, 0, n * sizeof(double)));
    CHECK(cudaMemset(counts, 0, n * sizeof(int)));
    int *host = (int *)malloc(8 * n * sizeof(int));
    for (int i = 0; i < 8 * n; i++)
        host[i] = (int)((i * 2654435761u) >> 16) % n;
    CHECK(cudaMemcpy(index, host, 8 * n * sizeof(int), cudaMemcpyHostToDevice));

    dim3 tiles32(256 / 32, 256 / 32), tiles16(256 / 16, 256 / 16);
    staging::turn<float, 32, false><<<tiles32, dim3(32, 32)>>>(a, b, 256);
    staging::turn<float, 32, true><<<tiles32, dim3(32, 32)>>>(a, b, 256);
    staging::turn<double, 16, false><<<tiles16, dim3(16, 16)>>>(d, e, 256);
    staging::scale<<<n / 256, 256>>>(b, 2.0f, n - 5);
    staging::scale<<<n / 256, 256>>>(e, 2.0, n - 5);
    for (int stride = 1; stride <= 4; stride *= 2)
        strided<<<n / 256, 256>>>(a, b, stride, n - 100);
    gather<<<n / 128, 128>>>(index, a, b, n);
    for (int round = 0; round < 2; round++)
        buckets<<<64, 256, 512 * sizeof(float)>>>(a, counts, n);
    wide<<<64, 128>>>((const float4 *)a, (float4 *)b);
    ranks<<<16, 128>>>(index, counts, n);
    int threads = argc > 1 ? atoi(argv[1]) : 64;
    reversed<<<n / threads, threads>>>(a, b);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    return 0;
}
