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


typedef unsigned int uint;
#define IMUL(a, b) __mul24(a, b)
__device__ inline void add_word(volatile uint *h, uint d, uint tag) {
    uint c;
    do {
        c = h[d] & 0x07FFFFFFU;
        c = tag | (c + 1);
        h[d] = c;
    } while (h[d] != c);
}
__global__ void histogram_tagged(const uint *data, uint *part, uint count) {
    __shared__ uint h[6 * 64];
    for (uint i = 0; i < 64 / 32; i++) h[threadIdx.x + i * 192] = 0;
    uint *mine = h + (threadIdx.x >> 5) * 64, tag = threadIdx.x << 27;
    __syncthreads();
    for (uint p = blockIdx.x * blockDim.x + threadIdx.x; p < count; p += blockDim.x * gridDim.x) add_word(mine, data[p] & 63, tag);
    __syncthreads();
    for (uint b = threadIdx.x; b < 64; b += 192) {
        uint s = 0;
        for (uint i = 0; i < 6; i++) s += h[b + i * 64] & 0x07FFFFFFU;
        part[blockIdx.x * 64 + b] = s;
    }
}
__global__ void matmul16(float *C, float *A, float *B, uint wA, uint wB) {
    __shared__ float As[16][16];
    __shared__ float Bs[16][16];
    uint tx = threadIdx.x, ty = threadIdx.y, aBegin = wA * 16 * blockIdx.y, aEnd = aBegin + wA - 1;
    float sub = 0;
    for (uint a = aBegin, b = 16 * blockIdx.x; a <= aEnd; a += 16, b += 16 * wB) {
        As[ty][tx] = A[a + wA * ty + tx];
        Bs[ty][tx] = B[b + wB * ty + tx];
        __syncthreads();
        for (uint k = 0; k < 16; ++k) sub += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    C[wB * 16 * blockIdx.y + 16 * blockIdx.x + wB * ty + tx] = sub;
}
__global__ void dct8(float *dst, const float *src, int pitch) {
    __shared__ float block[16 * 17];
    int ox = IMUL(blockIdx.x, 16) + threadIdx.x, oy = IMUL(blockIdx.y, 16);
    float *col = block + threadIdx.x;
    for (int i = 0; i < 16; i++) col[i * 17] = src[IMUL(oy + i, pitch) + ox];
    __syncthreads();
    float *row = block + threadIdx.x * 17;
    for (int k = 0; k < 16; k += 8) {
        float a = row[k] + row[k + 7], b = row[k + 1] + row[k + 6];
        row[k] = a + b;
        row[k + 7] = a - b;
    }
    __syncthreads();
    for (int i = 0; i < 16; i++) dst[IMUL(oy + i, pitch) + ox] = col[i * 17];
}
__global__ void warp_sync_reduce(const int *in, int *out) {
    __shared__ volatile int s[128 + 16];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * blockDim.x + t];
    int lane = t & 31;
    if (lane < 16) s[t] = s[t] + s[t + 16];
    if (lane < 8) s[t] = s[t] + s[t + 8];
    if (lane < 4) s[t] = s[t] + s[t + 4];
    if (lane < 2) s[t] = s[t] + s[t + 2];
    if (lane == 0) out[(blockIdx.x * blockDim.x + t) / 32] = s[t] + s[t + 1];
}
__global__ void black_scholes(float2 *__restrict call, float2 *__restrict put, const float2 *__restrict s, const float2 *__restrict x, float r, int n) {
    const int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i < n / 2) {
        float2 a = s[i], b = x[i];
        float d1 = __fdividef(__logf(a.x / b.x), r), d2 = __fdividef(__logf(a.y / b.y), r);
        call[i] = make_float2(a.x * d1, a.y * d2);
        put[i] = make_float2(b.x * d1, b.y * d2);
    }
}
__global__ void sorting_net(uint *keys, uint *vals, uint length, uint dir) {
    __shared__ uint k[256], v[256];
    keys += blockIdx.x * 256 + threadIdx.x;
    vals += blockIdx.x * 256 + threadIdx.x;
    k[threadIdx.x] = keys[0];
    v[threadIdx.x] = vals[0];
    k[threadIdx.x + 128] = keys[128];
    v[threadIdx.x + 128] = vals[128];
    for (uint size = 2; size <= length; size <<= 1) {
        uint stride = size / 2, offset = threadIdx.x & (stride - 1);
        __syncthreads();
        uint pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
        if ((k[pos] > k[pos + stride]) == dir) { uint t = k[pos]; k[pos] = k[pos + stride]; k[pos + stride] = t; t = v[pos]; v[pos] = v[pos + stride]; v[pos + stride] = t; }
        for (stride >>= 1; stride > 0; stride >>= 1) {
            __syncthreads();
            uint p = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            if (offset >= stride)
                if ((k[p - stride] > k[p]) == dir) { uint t = k[p - stride]; k[p - stride] = k[p]; k[p] = t; t = v[p - stride]; v[p - stride] = v[p]; v[p] = t; }
        }
    }
    __syncthreads();
    keys[0] = k[threadIdx.x];
    vals[0] = v[threadIdx.x];
    keys[128] = k[threadIdx.x + 128];
    vals[128] = v[threadIdx.x + 128];
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

    uint *d = ints<uint>(4096, 4093, 577), *e = zeros<uint>(4096);
    histogram_tagged<<<4, 192>>>(d, e, 3000);
    float *a = floats(96 * 64), *b = floats(64 * 80), *c = zeros<float>(96 * 80);
    matmul16<<<dim3(5, 6), dim3(16, 16)>>>(c, a, b, 64, 80);
    dct8<<<dim3(4, 3), 16>>>(c, a, 64);
    warp_sync_reduce<<<5, 128>>>((int *)d, (int *)e);
    black_scholes<<<4, 96>>>((float2 *)c, (float2 *)c + 500, (float2 *)a, (float2 *)b, 0.3f, 701);
    sorting_net<<<5, 128>>>(d, e, 256, 1);
    return finish("oldstyle");
}
