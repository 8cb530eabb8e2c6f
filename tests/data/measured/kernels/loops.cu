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


__global__ void mandel(unsigned char *img, int w, int h, float x0, float y0, float step, int limit) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float cr = x0 + x * step, ci = y0 + y * step, zr = 0.f, zi = 0.f;
    int n = 0;
    while (n < limit && zr * zr + zi * zi < 4.f) {
        float t = zr * zr - zi * zi + cr;
        zi = 2.f * zr * zi + ci;
        zr = t;
        ++n;
    }
    img[y * w + x] = n == limit ? 0 : n;
}
__global__ void collatz(const unsigned *in, int *steps, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        unsigned v = in[i];
        int s = 0;
        do {
            if (v <= 1) break;
            v = v & 1 ? 3 * v + 1 : v >> 1;
        } while (++s < 200);
        steps[i] = s;
    }
}
__global__ void triangle(const float *a, float *b, int n) {
    int t = threadIdx.x;
    __shared__ float s[96];
    s[t] = a[blockIdx.x * 96 + t];
    __syncthreads();
    float v = 0.f;
    for (int i = 0; i <= t; i++) v += s[i];
    for (int i = t; i < n; i += 7) v -= s[i];
    b[blockIdx.x * 96 + t] = v;
}
__global__ void nbody_tile(const float4 *p, float4 *a, int n) {
    __shared__ float4 tile[64];
    int i = blockIdx.x * 64 + threadIdx.x;
    float4 me = i < n ? p[i] : make_float4(0, 0, 0, 0);
    float3 f = make_float3(0.f, 0.f, 0.f);
    for (int base = 0; base < n; base += 64) {
        tile[threadIdx.x] = base + threadIdx.x < n ? p[base + threadIdx.x] : make_float4(0.f, 0.f, 0.f, 0.f);
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < 64; j++) {
            float4 o = tile[j];
            float dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z, r = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-3f);
            float s = o.w * r * r * r;
            f.x += s * dx; f.y += s * dy; f.z += s * dz;
        }
        __syncthreads();
    }
    if (i < n) a[i] = make_float4(f.x, f.y, f.z, 0.f);
}
template <typename F> __device__ void for_tile(int n, F f) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) f(i);
}
__global__ void lambdas(const float *in, float *out, int n) {
    __shared__ float s[200];
    const float *row = in + blockIdx.x * n;
    for_tile(n, [&](int i) { s[i] = row[i]; });
    __syncthreads();
    auto at = [=](int i) { return s[i < 0 ? 0 : i >= n ? n - 1 : i]; };
    for_tile(n, [&](int i) { out[blockIdx.x * n + i] = 0.25f * at(i - 1) + 0.5f * at(i) + 0.25f * at(i + 1); });
}
__global__ void lu(float *m, int n) {
    __shared__ float s[24][25];
    int x = threadIdx.x, y = threadIdx.y;
    s[y][x] = m[(blockIdx.x * n + y) * n + x];
    __syncthreads();
    for (int k = 0; k < n - 1; k++) {
        if (x == k && y > k) s[y][k] /= s[k][k];
        __syncthreads();
        if (x > k && y > k) s[y][x] -= s[y][k] * s[k][x];
        __syncthreads();
    }
    m[(blockIdx.x * n + y) * n + x] = s[y][x];
}
__global__ void fft_radix2(float2 *data) {
    __shared__ float2 s[128];
    int t = threadIdx.x, r = __brev(t) >> 25, r2 = __brev(t + 64) >> 25;
    s[t] = data[blockIdx.x * 128 + r];
    s[t + 64] = data[blockIdx.x * 128 + r2];
    for (int half = 1; half < 128; half <<= 1) {
        __syncthreads();
        int j = t & (half - 1), i = ((t - j) << 1) + j;
        float si, co;
        __sincosf(-3.14159265f * j / half, &si, &co);
        float2 a = s[i], b = s[i + half];
        float2 w = make_float2(b.x * co - b.y * si, b.x * si + b.y * co);
        s[i] = make_float2(a.x + w.x, a.y + w.y);
        s[i + half] = make_float2(a.x - w.x, a.y - w.y);
    }
    __syncthreads();
    data[blockIdx.x * 128 + t] = s[t];
    data[blockIdx.x * 128 + t + 64] = s[t + 64];
}
__global__ void scan_cols(const short2 *in, int2 *out, int rows, int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;
    int2 acc = make_int2(0, 0);
#pragma unroll 2
    for (int r = 0; r < rows; ++r) {
        short2 v = in[r * cols + c];
        acc.x += v.x;
        acc.y = max(acc.y, (int)v.y);
        if (r % 4 == 3) out[(r / 4) * cols + c] = acc;
    }
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

    mandel<<<dim3(4, 7), dim3(16, 6)>>>(zeros<unsigned char>(2500), 60, 40, -2.f, -1.f, 0.05f, 50);
    collatz<<<3, 96>>>(ints<unsigned>(500, 1000, 13, 1), zeros<int>(500), 500);
    triangle<<<4, 96>>>(floats(400), zeros<float>(400), 96);
    nbody_tile<<<4, 64>>>((float4 *)floats(1000), (float4 *)zeros<float>(1000), 250);
    lambdas<<<3, 128>>>(floats(600), zeros<float>(600), 200);
    lu<<<3, dim3(24, 24)>>>(floats(3 * 576, 1.f, 2.f), 24);
    fft_radix2<<<5, 64>>>((float2 *)floats(1280));
    scan_cols<<<3, 128>>>((short2 *)ints<short>(2 * 21 * 300, 100), zeros<int2>(6 * 300), 21, 300);
    return finish("loops");
}
