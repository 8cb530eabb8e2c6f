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


struct Image { unsigned char *data; int width, height, pitch; };
__device__ __forceinline__ int clampi(int v, int lo, int hi) { return v < lo ? lo : v > hi ? hi : v; }
__global__ void bilateral(const Image in, Image out, float sigma) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= in.width || y >= in.height) return;
    float c = in.data[y * in.pitch + x], s = 0.f, w = 0.f;
    for (int j = -2; j <= 2; j++)
        for (int i = -2; i <= 2; i++) {
            float v = in.data[clampi(y + j, 0, in.height - 1) * in.pitch + clampi(x + i, 0, in.width - 1)];
            float k = __expf(-(v - c) * (v - c) * sigma);
            s += k * v;
            w += k;
        }
    out.data[y * out.pitch + x] = (unsigned char)(s / w);
}
__global__ void resize_bilinear(const uchar4 *src, uchar4 *dst, int sw, int sh, int dw, int dh) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    if (x < dw && y < dh) {
        int fx = x * (sw - 1) / dw, fy = y * (sh - 1) / dh;
        uchar4 a = src[fy * sw + fx], b = src[fy * sw + fx + 1], c = src[(fy + 1) * sw + fx], d = src[(fy + 1) * sw + fx + 1];
        dst[y * dw + x] = make_uchar4((a.x + b.x + c.x + d.x) / 4, (a.y + b.y + c.y + d.y) / 4, (a.z + b.z + c.z + d.z) / 4, 255);
    }
}
__global__ void integral_rows(const unsigned char *in, unsigned *out, int w) {
    __shared__ unsigned s[2][256];
    int t = threadIdx.x, p = 0;
    s[0][t] = t < w ? in[blockIdx.x * w + t] : 0;
    __syncthreads();
    for (int d = 1; d < 256; d <<= 1) {
        unsigned v = s[p][t];
        if (t >= d) v += s[p][t - d];
        s[1 - p][t] = v;
        p = 1 - p;
        __syncthreads();
    }
    if (t < w) out[blockIdx.x * w + t] = s[p][t];
}
__global__ void median3(const unsigned short *in, unsigned short *out, int w, int h) {
    __shared__ unsigned short t[10][34];
    int x0 = blockIdx.x * 32 - 1, y0 = blockIdx.y * 8 - 1;
    for (int i = threadIdx.y * 32 + threadIdx.x; i < 340; i += 256) {
        int x = x0 + i % 34, y = y0 + i / 34;
        t[i / 34][i % 34] = (x >= 0 && x < w && y >= 0 && y < h) ? in[y * w + x] : 0;
    }
    __syncthreads();
    unsigned short v[9];
#pragma unroll
    for (int i = 0; i < 9; i++) v[i] = t[threadIdx.y + i / 3][threadIdx.x + i % 3];
#pragma unroll
    for (int i = 0; i < 5; i++)
#pragma unroll
        for (int j = i + 1; j < 9; j++)
            if (v[j] < v[i]) { unsigned short q = v[i]; v[i] = v[j]; v[j] = q; }
    int x = x0 + 1 + threadIdx.x, y = y0 + 1 + threadIdx.y;
    if (x < w && y < h) out[y * w + x] = v[4];
}
__global__ void yuv(const uchar2 *uv, const unsigned char *luma, uchar3 *rgb, int w, int h) {
    int x = (blockIdx.x * blockDim.x + threadIdx.x) * 2, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    uchar2 c = uv[(y / 2) * (w / 2) + x / 2];
#pragma unroll
    for (int i = 0; i < 2; i++) {
        int l = luma[y * w + x + i];
        rgb[y * w + x + i] = make_uchar3(clampi(l + c.y - 128, 0, 255), clampi(l - (c.x + c.y) / 4 + 64, 0, 255), clampi(l + c.x - 128, 0, 255));
    }
}
template <int R> __global__ void dilate(const unsigned *in, unsigned *out, int words, int h) {
    int x = threadIdx.x + blockIdx.x * blockDim.x, y = blockIdx.y;
    if (x >= words) return;
    unsigned acc = 0;
    for (int j = max(0, y - R); j <= min(h - 1, y + R); j++) {
        unsigned c = in[j * words + x], l = x > 0 ? in[j * words + x - 1] : 0u, r = x + 1 < words ? in[j * words + x + 1] : 0u;
        acc |= c | __funnelshift_l(l, c, R) | __funnelshift_r(c, r, R);
    }
    out[y * words + x] = acc;
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

    Image in = {ints<unsigned char>(6000, 251, 3), 90, 50, 96}, out = {zeros<unsigned char>(6000), 90, 50, 96};
    bilateral<<<dim3(6, 7), dim3(16, 8)>>>(in, out, 0.01f);
    resize_bilinear<<<dim3(4, 18), dim3(32, 4)>>>((uchar4 *)ints<unsigned char>(24000, 251, 3), zeros<uchar4>(8000), 60, 45, 110, 70);
    integral_rows<<<9, 256>>>(in.data, zeros<unsigned>(2000), 200);
    median3<<<dim3(4, 6), dim3(32, 8)>>>(ints<unsigned short>(5000, 4099, 77), zeros<unsigned short>(5000), 100, 45);
    yuv<<<dim3(3, 10), dim3(20, 5)>>>((uchar2 *)in.data, in.data, zeros<uchar3>(6000), 100, 48);
    dilate<2><<<dim3(1, 30), 40>>>(ints<unsigned>(1200, 100000, 9973), zeros<unsigned>(1200), 37, 30);
    dilate<1><<<dim3(2, 30), 32>>>(ints<unsigned>(1200, 100000, 9973), zeros<unsigned>(1200), 37, 30);
    return finish("imaging");
}
