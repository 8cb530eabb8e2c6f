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
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__device__ int queue_size;
__device__ float atomic_max(float *p, float v) {
    int *a = (int *)p, old = *a, seen;
    do {
        seen = old;
        if (__int_as_float(seen) >= v) break;
        old = atomicCAS(a, seen, __float_as_int(v));
    } while (seen != old);
    return __int_as_float(old);
}
__global__ void push(const int *in, int *queue, int n) {
    __shared__ int local[256], count, base;
    if (threadIdx.x == 0) count = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && (in[i] & 1)) local[atomicAdd(&count, 1)] = in[i];
    __syncthreads();
    if (threadIdx.x == 0) base = atomicAdd(&queue_size, count);
    __syncthreads();
    for (int k = threadIdx.x; k < count; k += blockDim.x) queue[base + k] = local[k];
}
__global__ void peaks(const float *v, float *top, int n, int groups) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomic_max(&top[i % groups], v[i]);
}
__global__ void shared_kinds(const int *in, unsigned *out) {
    __shared__ unsigned s[8];
    __shared__ unsigned long long wide[16];
    __shared__ float f[32];
    int t = threadIdx.x;
    if (t < 8) s[t] = 0;
    if (t < 16) wide[t] = 0;
    if (t < 32) f[t] = 0.f;
    __syncthreads();
    int v = in[blockIdx.x * blockDim.x + t];
    atomicOr(&s[0], 1u << (v & 31));
    atomicMax(&s[1 + (t & 3)], (unsigned)v);
    atomicAdd(&wide[t % 16], (unsigned long long)v);
    atomicAdd(&f[t / 8], 1.f * v);
    atomicExch(&s[5], (unsigned)t);
    __syncthreads();
    if (t < 8) out[blockIdx.x * 8 + t] = s[t] + (unsigned)wide[t] + (unsigned)f[t];
}
__global__ void scatter_add(const int *idx, const float4 *v, float *sum, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, d = threadIdx.y;
    if (i < n) {
        float4 a = v[i * blockDim.y + d];
        float *to = sum + (idx[i] * blockDim.y + d) * 4;
        atomicAdd(to, a.x);
        atomicAdd(to + 1, a.y);
        atomicAdd(to + 2, a.z);
        atomicAdd(to + 3, a.w);
    }
}
__global__ void coalesced_count(const int *in, int *bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    if (in[i] > 50) {
        cg::coalesced_group g = cg::coalesced_threads();
        int at = 0;
        if (g.thread_rank() == 0) at = atomicAdd(&bins[0], g.size());
        at = g.shfl(at, 0);
        bins[1 + at + g.thread_rank()] = i;
    }
}
__global__ void reduce_cg(const int *in, int *out, int n) {
    cg::thread_block b = cg::this_thread_block();
    auto w = cg::tiled_partition<32>(b);
    int v = 0;
    for (int i = b.thread_rank(); i < n; i += b.size()) v += in[blockIdx.x * n + i];
    v = cg::reduce(w, v, cg::plus<int>());
    if (w.thread_rank() == 0) atomicAdd(&out[blockIdx.x], v);
}
__global__ void doubles(const double *x, double *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&y[i / 5], x[i]);
    if (i < n && i % 2) atomicAdd(&y[500 + (i & 7)], x[i]);
}
__global__ void half_adds(const half2 *x, half2 *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&y[i >> 2], x[i]);
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

    int *a = ints<int>(4000, 101, 37), *b = zeros<int>(4000);
    push<<<6, 192>>>(a, b, 1100);
    peaks<<<5, 128>>>(floats(640), zeros<float>(64), 600, 33);
    shared_kinds<<<4, 96>>>(a, (unsigned *)b);
    scatter_add<<<6, dim3(16, 6)>>>(ints<int>(100, 13, 5), (float4 *)floats(4 * 600), zeros<float>(400), 93);
    coalesced_count<<<5, 128>>>(a, zeros<int>(1000), 600);
    reduce_cg<<<4, 128>>>(a, zeros<int>(4), 500);
    doubles<<<4, 160>>>(zeros<double>(640), zeros<double>(640), 600);
    half_adds<<<3, 64>>>((half2 *)halves(400), (half2 *)zeros<__half>(400), 180);
    return finish("counters");
}
