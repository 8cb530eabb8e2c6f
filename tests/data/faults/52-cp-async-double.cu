// A double buffer filled ahead by cp.async in assembly.
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

__device__ void copy16(void *to, const void *from)
{
    unsigned s = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(s), "l"(from) : "memory");
}
__device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int N> __device__ void wait() { asm volatile("cp.async.wait_group %0;" :: "n"(N) : "memory"); }

__global__ void ring_good(const float4 *in, float *out, int tiles)
{
    __shared__ float4 buf[2][64];
    int t = threadIdx.x;
    float sum = 0.0f;
    copy16(&buf[0][t], &in[t]);
    commit();
    for (int k = 0; k < tiles; k++) {
        if (k + 1 < tiles) copy16(&buf[(k + 1) & 1][t], &in[(k + 1) * 64 + t]);
        commit();
        wait<1>();
        __syncthreads();
        float4 v = buf[k & 1][63 - t];
        sum += v.x + v.w;
        __syncthreads();
    }
    out[blockIdx.x * 64 + t] = sum;
}

__global__ void ring_wait_two(const float4 *in, float *out, int tiles)
{
    __shared__ float4 buf[2][64];
    int t = threadIdx.x;
    float sum = 0.0f;
    copy16(&buf[0][t], &in[t]);
    commit();
    for (int k = 0; k < tiles; k++) {
        if (k + 1 < tiles) copy16(&buf[(k + 1) & 1][t], &in[(k + 1) * 64 + t]);
        commit();
        wait<2>();
        __syncthreads();
        float4 v = buf[k & 1][63 - t];
        sum += v.x + v.w;
        __syncthreads();
    }
    out[blockIdx.x * 64 + t] = sum;
}

__global__ void ring_no_end_barrier(const float4 *in, float *out, int tiles)
{
    __shared__ float4 buf[2][64];
    int t = threadIdx.x;
    float sum = 0.0f;
    copy16(&buf[0][t], &in[t]);
    commit();
    for (int k = 0; k < tiles; k++) {
        if (k + 1 < tiles) copy16(&buf[(k + 1) & 1][t], &in[(k + 1) * 64 + t]);
        commit();
        wait<1>();
        __syncthreads();
        float4 v = buf[k & 1][63 - t];
        sum += v.x + v.w;
    }
    out[blockIdx.x * 64 + t] = sum;
}

__global__ void ring_one_barrier(const float4 *in, float *out, int tiles)
{
    __shared__ float4 buf[3][64];
    int t = threadIdx.x;
    float sum = 0.0f;
    copy16(&buf[0][t], &in[t]);
    commit();
    for (int k = 0; k < tiles; k++) {
        if (k + 1 < tiles) copy16(&buf[(k + 1) % 3][t], &in[(k + 1) * 64 + t]);
        commit();
        wait<1>();
        __syncthreads();
        float4 v = buf[k % 3][63 - t];
        sum += v.x + v.w;
    }
    out[blockIdx.x * 64 + t] = sum;
}

__global__ void ring_odd(const float *in, float *out)
{
    __shared__ __align__(16) float row[4 * 64 + 4];
    int t = threadIdx.x;
    copy16(&row[4 * t], in + 4 * t + 1);
    commit();
    wait<0>();
    __syncthreads();
    out[blockIdx.x * 64 + t] = row[4 * (63 - t)];
}

int main(int argc, char **argv)
{
    const int tiles = 8, blocks = 4;
    float4 *in;
    float *out;
    must(cudaMalloc(&in, (tiles * 64 + 1) * sizeof(float4)));
    must(cudaMalloc(&out, blocks * 64 * sizeof(float)));
    must(cudaMemset(in, 0, (tiles * 64 + 1) * sizeof(float4)));
    if (wanted(argc, argv, "ring_good")) {
        ring_good<<<blocks, 64>>>(in, out, tiles);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "ring_wait_two")) {
        ring_wait_two<<<blocks, 64>>>(in, out, tiles);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "ring_no_end_barrier")) {
        ring_no_end_barrier<<<blocks, 64>>>(in, out, tiles);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "ring_one_barrier")) {
        ring_one_barrier<<<blocks, 64>>>(in, out, tiles);
        must(cudaDeviceSynchronize());
    }
    if (wanted(argc, argv, "ring_odd")) {
        ring_odd<<<blocks, 64>>>((const float *)in, out);
        must(cudaDeviceSynchronize());
    }
    return 0;
}
