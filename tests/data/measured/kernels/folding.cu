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


struct Max { static __device__ float identity() { return -INFINITY; } __device__ float operator()(float a, float b) const { return fmaxf(a, b); } };
struct Add { static __device__ float identity() { return 0.f; } __device__ float operator()(float a, float b) const { return a + b; } };
template <int BLOCK> __device__ void warp_reduce(volatile float *s, int t) {
    if (BLOCK >= 64) s[t] += s[t + 32];
    if (BLOCK >= 32) s[t] += s[t + 16];
    if (BLOCK >= 16) s[t] += s[t + 8];
    if (BLOCK >= 8) s[t] += s[t + 4];
    if (BLOCK >= 4) s[t] += s[t + 2];
    if (BLOCK >= 2) s[t] += s[t + 1];
}
template <int BLOCK> __global__ void reduce_classic(const float *in, float *out, unsigned n) {
    extern __shared__ float s[];
    unsigned t = threadIdx.x, i = blockIdx.x * (BLOCK * 2) + t, step = BLOCK * 2 * gridDim.x;
    float v = 0.f;
    while (i < n) {
        v += in[i];
        if (i + BLOCK < n) v += in[i + BLOCK];
        i += step;
    }
    s[t] = v;
    __syncthreads();
    if (BLOCK >= 512) { if (t < 256) s[t] += s[t + 256]; __syncthreads(); }
    if (BLOCK >= 256) { if (t < 128) s[t] += s[t + 128]; __syncthreads(); }
    if (BLOCK >= 128) { if (t < 64) s[t] += s[t + 64]; __syncthreads(); }
    if (t < 32) warp_reduce<BLOCK>(s, t);
    if (t == 0) out[blockIdx.x] = s[0];
}
template <typename Op> __global__ void reduce_op(const float *in, float *out, int n, Op op) {
    __shared__ float part[32];
    float v = Op::identity();
    for (int i = threadIdx.x; i < n; i += blockDim.x) v = op(v, in[blockIdx.x * n + i]);
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) v = op(v, __shfl_down_sync(0xffffffff, v, d));
    if (!(threadIdx.x & 31)) part[threadIdx.x >> 5] = v;
    __syncthreads();
    if (threadIdx.x < 32) {
        v = threadIdx.x < (blockDim.x + 31) / 32 ? part[threadIdx.x] : Op::identity();
        for (int d = 16; d > 0; d >>= 1) v = op(v, __shfl_down_sync(0xffffffff, v, d));
        if (threadIdx.x == 0) out[blockIdx.x] = v;
    }
}
__global__ void interleaved(const int *in, int *out) {
    __shared__ int s[160];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int d = 1; d < blockDim.x; d *= 2) {
        int i = 2 * d * t;
        if (i + d < blockDim.x) s[i] += s[i + d];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
__device__ unsigned done;
__global__ void last_block(const float *in, float *part, float *total, int n) {
    __shared__ float s[128];
    __shared__ bool last;
    float v = 0.f;
    for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += 128 * gridDim.x) v += in[i];
    s[threadIdx.x] = v;
    __syncthreads();
    for (int d = 64; d; d >>= 1) {
        if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        part[blockIdx.x] = s[0];
        __threadfence();
        last = atomicInc(&done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        s[threadIdx.x] = threadIdx.x < gridDim.x ? ((volatile float *)part)[threadIdx.x] : 0.f;
        __syncthreads();
        for (int d = 64; d; d >>= 1) {
            if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
            __syncthreads();
        }
        if (threadIdx.x == 0) *total = s[0];
    }
}
__global__ void columns(const float2 *in, float2 *out, int rows, int pitch) {
    __shared__ float2 s[8][33];
    float2 a = {0.f, 0.f};
    int c = blockIdx.x * 32 + threadIdx.x;
    if (c < pitch)
        for (int r = threadIdx.y; r < rows; r += 8) { float2 v = in[r * pitch + c]; a.x += v.x; a.y = fmaxf(a.y, v.y); }
    s[threadIdx.y][threadIdx.x] = a;
    __syncthreads();
    if (threadIdx.y == 0 && c < pitch) {
        for (int r = 1; r < 8; r++) { a.x += s[r][threadIdx.x].x; a.y = fmaxf(a.y, s[r][threadIdx.x].y); }
        out[c] = a;
    }
}
__global__ void argmin(const float *in, int *out, int n) {
    union Pair { unsigned long long both; struct { int index; float value; } p; };
    __shared__ unsigned long long best;
    if (threadIdx.x == 0) best = ~0ull;
    __syncthreads();
    Pair mine;
    mine.both = ~0ull;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        Pair c;
        c.p.index = i;
        c.p.value = in[blockIdx.x * n + i];
        if (c.both < mine.both) mine = c;
    }
    atomicMin(&best, mine.both);
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = (int)(best & 0xffffffffu);
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

    float *x = floats(20000), *y = zeros<float>(1000);
    reduce_classic<256><<<5, 256, 256 * sizeof(float)>>>(x, y, 9000);
    reduce_classic<64><<<7, 64, 96 * sizeof(float)>>>(x, y, 1111);
    reduce_op<<<6, 192>>>(x, y, 700, Max());
    reduce_op<Add><<<3, 1024>>>(x, y, 2500, Add());
    interleaved<<<5, 160>>>(ints<int>(800, 91), zeros<int>(8));
    last_block<<<11, 128>>>(x, y, y + 500, 4000);
    columns<<<3, dim3(32, 8)>>>((float2 *)x, (float2 *)zeros<float2>(100), 50, 75);
    argmin<<<4, 96>>>(x, zeros<int>(4), 333);
    return finish("folding");
}
