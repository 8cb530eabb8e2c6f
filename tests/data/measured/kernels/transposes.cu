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


template <int T, int ROWS> __global__ void transpose_pad(const float *in, float *out, int w, int h) {
    __shared__ float tile[T][T + 1];
    int x = blockIdx.x * T + threadIdx.x, y = blockIdx.y * T + threadIdx.y;
#pragma unroll
    for (int j = 0; j < T; j += ROWS)
        if (x < w && y + j < h) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * w + x];
    __syncthreads();
    x = blockIdx.y * T + threadIdx.x;
    y = blockIdx.x * T + threadIdx.y;
#pragma unroll
    for (int j = 0; j < T; j += ROWS)
        if (x < h && y + j < w) out[(y + j) * h + x] = tile[threadIdx.x][threadIdx.y + j];
}
__global__ void transpose_xor(const int *in, int *out, int n) {
    __shared__ int tile[32 * 32];
    int lane = threadIdx.x, w = threadIdx.y;
    for (int r = w; r < 32; r += blockDim.y) tile[r * 32 + (lane ^ r)] = in[(blockIdx.y * 32 + r) * n + blockIdx.x * 32 + lane];
    __syncthreads();
    for (int r = w; r < 32; r += blockDim.y) out[(blockIdx.x * 32 + r) * n + blockIdx.y * 32 + lane] = tile[lane * 32 + (r ^ lane)];
}
__global__ void transpose_half2(const half2 *in, half2 *out, int n) {
    __shared__ __half tile[64][66];
    for (int r = threadIdx.y; r < 64; r += 8) {
        half2 v = in[(blockIdx.y * 64 + r) * (n / 2) + blockIdx.x * 32 + threadIdx.x];
        *reinterpret_cast<half2 *>(&tile[r][threadIdx.x * 2]) = v;
    }
    __syncthreads();
    for (int r = threadIdx.y; r < 64; r += 8)
        out[(blockIdx.x * 64 + r) * (n / 2) + blockIdx.y * 32 + threadIdx.x] = __halves2half2(tile[threadIdx.x * 2][r], tile[threadIdx.x * 2 + 1][r]);
}
__global__ void transpose_bytes(const uchar4 *in, unsigned char *out, int w, int h) {
    __shared__ unsigned char t[32][36];
    uchar4 v = in[((blockIdx.y * 32 + threadIdx.y) * w + blockIdx.x * 32) / 4 + threadIdx.x];
    *(uchar4 *)&t[threadIdx.y][threadIdx.x * 4] = v;
    __syncthreads();
    uchar4 o = make_uchar4(t[threadIdx.x * 4][threadIdx.y], t[threadIdx.x * 4 + 1][threadIdx.y], t[threadIdx.x * 4 + 2][threadIdx.y], t[threadIdx.x * 4 + 3][threadIdx.y]);
    *(uchar4 *)&out[(blockIdx.x * 32 + threadIdx.y) * h + blockIdx.y * 32 + threadIdx.x * 4] = o;
}
__global__ void permute_nchw_nhwc(const float *in, float *out, int c, int hw) {
    __shared__ float t[16][33];
    int p = blockIdx.x * 32, ch = blockIdx.y * 16, b = blockIdx.z;
    for (int i = threadIdx.x; i < 512; i += blockDim.x) {
        int cc = i / 32, pp = i % 32;
        t[cc][pp] = p + pp < hw ? in[(b * c + ch + cc) * hw + p + pp] : 0.f;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 512; i += blockDim.x) {
        int pp = i / 16, cc = i % 16;
        if (p + pp < hw) out[(b * hw + p + pp) * c + ch + cc] = t[cc][pp];
    }
}
__global__ void shuffle_transpose(const float4 *in, float4 *out) {
    float4 v = in[blockIdx.x * 32 + threadIdx.x];
    float a[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int d = 1; d < 4; d *= 2)
#pragma unroll
        for (int i = 0; i < 4; i++)
            if (!(i & d)) {
                bool up = threadIdx.x & d;
                float send = up ? a[i] : a[i + d];
                float got = __shfl_xor_sync(~0u, send, d);
                if (up) a[i] = got; else a[i + d] = got;
            }
    out[blockIdx.x * 32 + threadIdx.x] = make_float4(a[0], a[1], a[2], a[3]);
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

    float *x = floats(20000), *y = zeros<float>(20000);
    transpose_pad<32, 8><<<dim3(4, 3), dim3(32, 8)>>>(x, y, 101, 77);
    transpose_pad<16, 4><<<dim3(7, 5), dim3(16, 4)>>>(x, y, 101, 77);
    transpose_xor<<<dim3(3, 3), dim3(32, 6)>>>((int *)x, (int *)y, 96);
    transpose_half2<<<dim3(2, 2), dim3(32, 8)>>>((half2 *)x, (half2 *)y, 128);
    transpose_bytes<<<dim3(3, 2), dim3(8, 32)>>>((uchar4 *)x, (unsigned char *)y, 96, 64);
    permute_nchw_nhwc<<<dim3(7, 2, 2), 128>>>(x, y, 32, 200);
    shuffle_transpose<<<9, 32>>>((float4 *)x, (float4 *)y);
    return finish("transposes");
}
