// Origin: written for kernlint.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cfloat>
#include <cmath>
#include <algorithm>
#include <vector>
#include <cuda_runtime.h>
#include <cuda_fp16.h>


#include <cooperative_groups.h>
namespace cg = cooperative_groups;
#define PAD(i) ((i) + ((i) >> 5))
__global__ void blelloch(const float *in, float *out, int n) {
    extern __shared__ float s[];
    int t = threadIdx.x, base = blockIdx.x * n, off = 1;
    s[PAD(t)] = in[base + t];
    s[PAD(t + n / 2)] = in[base + t + n / 2];
    for (int d = n >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) s[PAD(off * (2 * t + 2) - 1)] += s[PAD(off * (2 * t + 1) - 1)];
        off *= 2;
    }
    if (t == 0) s[PAD(n - 1)] = 0;
    for (int d = 1; d < n; d *= 2) {
        off >>= 1;
        __syncthreads();
        if (t < d) {
            int a = PAD(off * (2 * t + 1) - 1), b = PAD(off * (2 * t + 2) - 1);
            float x = s[a];
            s[a] = s[b];
            s[b] += x;
        }
    }
    __syncthreads();
    out[base + t] = s[PAD(t)];
    out[base + t + n / 2] = s[PAD(t + n / 2)];
}
__device__ int warp_inclusive(int v) {
    for (int d = 1; d < 32; d <<= 1) { int o = __shfl_up_sync(~0u, v, d); if ((threadIdx.x & 31) >= d) v += o; }
    return v;
}
__global__ void scan_vec(const int4 *in, int4 *out, int *totals) {
    __shared__ int sums[33];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int4 v = in[i];
    v.y += v.x; v.z += v.y; v.w += v.z;
    int inc = warp_inclusive(v.w);
    if ((threadIdx.x & 31) == 31) sums[threadIdx.x >> 5] = inc;
    __syncthreads();
    if (threadIdx.x < 32) {
        int x = threadIdx.x < blockDim.x / 32 ? sums[threadIdx.x] : 0;
        sums[threadIdx.x] = warp_inclusive(x) - x;
    }
    __syncthreads();
    int add = inc - v.w + sums[threadIdx.x >> 5];
    out[i] = make_int4(v.x + add, v.y + add, v.z + add, v.w + add);
    if (threadIdx.x == blockDim.x - 1) totals[blockIdx.x] = v.w + add;
}
__global__ void compact(const int *in, int *out, int *count, int n) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    __shared__ int base;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool keep = i < n && in[i] % 3 == 0;
    unsigned votes = warp.ballot(keep);
    int at = 0;
    if (warp.thread_rank() == 0 && votes) at = atomicAdd(count, __popc(votes));
    at = warp.shfl(at, 0) + __popc(votes & ((1u << warp.thread_rank()) - 1));
    if (keep) out[at] = in[i];
    if (block.thread_rank() == 0) base = at;
    block.sync();
    if (i == 0) out[n] = base;
}
template <int TILE> __global__ void tile_sums(const double *in, double *out, int n) {
    auto tile = cg::tiled_partition<TILE>(cg::this_thread_block());
    double v = 0;
    for (int i = cg::this_grid().thread_rank(); i < n; i += gridDim.x * blockDim.x) v += in[i];
    for (int d = tile.size() / 2; d > 0; d /= 2) v += tile.shfl_down(v, d);
    if (tile.thread_rank() == 0) out[(blockIdx.x * blockDim.x + threadIdx.x) / TILE] = v;
}
__global__ void segmented(const int *flags, const float *in, float *out) {
    __shared__ float v[2][128];
    __shared__ bool f[2][128];
    int t = threadIdx.x, i = blockIdx.x * 128 + t, from = 0;
    v[0][t] = in[i];
    f[0][t] = flags[i] != 0;
    __syncthreads();
#pragma unroll
    for (int d = 1; d < 128; d *= 2) {
        if (t >= d) {
            v[from ^ 1][t] = f[from][t] ? v[from][t] : v[from][t] + v[from][t - d];
            f[from ^ 1][t] = f[from][t] || f[from][t - d];
        } else {
            v[from ^ 1][t] = v[from][t];
            f[from ^ 1][t] = f[from][t];
        }
        from ^= 1;
        __syncthreads();
    }
    out[i] = v[from][t];
}


static float *floats(size_t n, float scale = 1.0f, float shift = 0.0f) {
    std::vector<float> h(n);
    unsigned s = 12345u;
    for (size_t i = 0; i < n; i++) { s = s * 1664525u + 1013904223u; h[i] = shift + scale * float((s >> 8) & 0xffff) / 65536.0f; }
    float *d;
    cudaMalloc(&d, n * sizeof(float));
    cudaMemcpy(d, h.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    return d;
}
static __half *halves(size_t n, float scale = 1.0f, float shift = 0.0f) {
    std::vector<__half> h(n);
    unsigned s = 54321u;
    for (size_t i = 0; i < n; i++) { s = s * 1664525u + 1013904223u; h[i] = __float2half(shift + scale * float((s >> 8) & 0xffff) / 65536.0f); }
    __half *d;
    cudaMalloc(&d, n * sizeof(__half));
    cudaMemcpy(d, h.data(), n * sizeof(__half), cudaMemcpyHostToDevice);
    return d;
}
template <typename T> static T *ints(size_t n, unsigned modulus, unsigned step = 7, T first = 0) {
    std::vector<T> h(n);
    for (size_t i = 0; i < n; i++) h[i] = first + T((i * step) % modulus);
    T *d;
    cudaMalloc(&d, n * sizeof(T));
    cudaMemcpy(d, h.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    return d;
}
template <typename T> static T *zeros(size_t n) {
    T *d;
    cudaMalloc(&d, n * sizeof(T));
    cudaMemset(d, 0, n * sizeof(T));
    return d;
}
static int finish(const char *name) {
    cudaError_t e = cudaDeviceSynchronize();
    printf("%s %s\n", name, cudaGetErrorString(e));
    return e != cudaSuccess;
}

int main() {

    float *x = floats(4096), *y = zeros<float>(4096);
    blelloch<<<4, 128, 264 * sizeof(float)>>>(x, y, 256);
    blelloch<<<2, 256, 528 * sizeof(float)>>>(x, y, 512);
    int *a = ints<int>(4096, 17, 5), *b = zeros<int>(4100), *c = zeros<int>(16);
    scan_vec<<<4, 192>>>((const int4 *)a, (int4 *)b, c);
    compact<<<8, 160>>>(a, b, c, 1250);
    double *d = zeros<double>(3000), *e = zeros<double>(3000);
    tile_sums<8><<<5, 64>>>(d, e, 777);
    tile_sums<16><<<3, 96>>>(d, e, 1000);
    segmented<<<6, 128>>>(a, x, y);
    return finish("prefixes");
}
