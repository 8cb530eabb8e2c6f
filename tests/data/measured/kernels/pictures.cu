#include <cstdio>
#include <vector>
#include <cuda_fp16.h>
#include <cuda_bf16.h>

#define R 3
__constant__ float taps[2 * R + 1] = {0.05f, 0.1f, 0.2f, 0.3f, 0.2f, 0.1f, 0.05f};
__global__ void blur_rows(const float *src, float *dst, int w, int h) {
    __shared__ float line[64 + 2 * R];
    int y = blockIdx.y, x = blockIdx.x * 64 + threadIdx.x;
    const float *row = src + y * w;
    line[threadIdx.x + R] = row[min(x, w - 1)];
    if (threadIdx.x < R) {
        line[threadIdx.x] = row[max(x - R, 0)];
        line[threadIdx.x + 64 + R] = row[min(x + 64, w - 1)];
    }
    __syncthreads();
    if (x >= w) return;
    float s = 0;
#pragma unroll
    for (int k = -R; k <= R; k++) s += taps[k + R] * line[threadIdx.x + R + k];
    dst[y * w + x] = s;
}
__global__ void sobel(const unsigned char *src, short *dst, int w, int h, int pitch) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
    const unsigned char *p = src + y * pitch + x;
    int gx = p[-pitch + 1] + 2 * p[1] + p[pitch + 1] - p[-pitch - 1] - 2 * p[-1] - p[pitch - 1];
    int gy = p[pitch - 1] + 2 * p[pitch] + p[pitch + 1] - p[-pitch - 1] - 2 * p[-pitch] - p[-pitch + 1];
    dst[y * w + x] = (short)(abs(gx) + abs(gy));
}
__global__ void rgb_to_gray(const uchar3 *rgb, unsigned char *gray, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uchar3 p = rgb[i];
    gray[i] = (unsigned char)((77 * p.x + 150 * p.y + 29 * p.z) >> 8);
}
__global__ void rgba_planes(const uchar4 *in, float *r, float *g, float *b, int w, int h, int stride) {
    int x = threadIdx.x + blockIdx.x * blockDim.x, y = threadIdx.y + blockIdx.y * blockDim.y;
    if (x < w && y < h) {
        uchar4 p = in[y * stride + x];
        r[y * w + x] = p.x / 255.f;
        g[y * w + x] = p.y / 255.f;
        b[y * w + x] = p.z / 255.f;
    }
}
__device__ __forceinline__ float lerp1(float a, float b, float t) { return a + t * (b - a); }
__global__ void resize_bilinear(const float *src, int sw, int sh, float *dst, int dw, int dh, float fx, float fy) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    if (x >= dw || y >= dh) return;
    float sx = x * fx, sy = y * fy;
    int x0 = (int)sx, y0 = (int)sy, x1 = min(x0 + 1, sw - 1), y1 = min(y0 + 1, sh - 1);
    float top = lerp1(src[y0 * sw + x0], src[y0 * sw + x1], sx - x0);
    float bottom = lerp1(src[y1 * sw + x0], src[y1 * sw + x1], sx - x0);
    dst[y * dw + x] = lerp1(top, bottom, sy - y0);
}
__global__ void downsample2(const float *src, float *dst, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w / 2 || y >= h / 2) return;
    const float2 *a = (const float2 *)(src + 2 * y * w), *b = (const float2 *)(src + (2 * y + 1) * w);
    float2 p = a[x], q = b[x];
    dst[y * (w / 2) + x] = 0.25f * (p.x + p.y + q.x + q.y);
}
__global__ void histogram256(const unsigned char *img, int n, unsigned *hist) {
    __shared__ unsigned local[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x) local[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) atomicAdd(&local[img[i]], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        if (local[b]) atomicAdd(&hist[b], local[b]);
}
__global__ void integral_rows(const int *src, int *dst, int w) {
    __shared__ int buffer[2][128];
    int t = threadIdx.x, in = 0;
    const int *row = src + blockIdx.x * w;
    buffer[0][t] = t < w ? row[t] : 0;
    __syncthreads();
    for (int d = 1; d < 128; d <<= 1) {
        buffer[1 - in][t] = buffer[in][t] + (t >= d ? buffer[in][t - d] : 0);
        in = 1 - in;
        __syncthreads();
    }
    if (t < w) dst[blockIdx.x * w + t] = buffer[in][t];
}
__global__ void integral_cols(int *data, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= w) return;
    int s = 0;
    for (int y = 0; y < h; y++) {
        s += data[y * w + x];
        data[y * w + x] = s;
    }
}
template <int RADIUS> __global__ void dilate(const unsigned char *src, unsigned char *dst, int w, int h) {
    __shared__ unsigned char tile[8 + 2 * RADIUS][32 + 2 * RADIUS];
    int bx = blockIdx.x * 32 - RADIUS, by = blockIdx.y * 8 - RADIUS;
    for (int j = threadIdx.y; j < 8 + 2 * RADIUS; j += 8)
        for (int i = threadIdx.x; i < 32 + 2 * RADIUS; i += 32) {
            int x = bx + i, y = by + j;
            tile[j][i] = (x >= 0 && x < w && y >= 0 && y < h) ? src[y * w + x] : 0;
        }
    __syncthreads();
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x >= w || y >= h) return;
    unsigned char m = 0;
    for (int j = 0; j <= 2 * RADIUS; j++)
        for (int i = 0; i <= 2 * RADIUS; i++) m = max(m, tile[threadIdx.y + j][threadIdx.x + i]);
    dst[y * w + x] = m;
}
__global__ void flip_rotate(const uint2 *src, uint2 *dst, int w, int h, int mode) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int to;
    switch (mode) {
    case 0: to = y * w + (w - 1 - x); break;
    case 1: to = (h - 1 - y) * w + x; break;
    case 2: to = x * h + (h - 1 - y); break;
    default: to = y * w + x;
    }
    dst[to] = src[y * w + x];
}
__global__ void nv12_to_rgb(const unsigned char *luma, const uchar2 *chroma, uchar4 *out, int w, int h) {
    int x = (blockIdx.x * blockDim.x + threadIdx.x) * 2, y = (blockIdx.y * blockDim.y + threadIdx.y) * 2;
    if (x >= w || y >= h) return;
    uchar2 uv = chroma[(y / 2) * (w / 2) + x / 2];
    int u = uv.x - 128, v = uv.y - 128;
#pragma unroll
    for (int dy = 0; dy < 2; dy++)
#pragma unroll
        for (int dx = 0; dx < 2; dx++) {
            int l = luma[(y + dy) * w + x + dx];
            out[(y + dy) * w + x + dx] = make_uchar4(l + v, l - u - v, l + u, 255);
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
    blur_rows<<<dim3(3, 7), 64>>>(floats(150 * 7), zeros<float>(150 * 7), 150, 7);
    sobel<<<dim3(3, 5), dim3(32, 4)>>>(ints<unsigned char>(96 * 20, 251), zeros<short>(90 * 20), 90, 20, 96);
    rgb_to_gray<<<5, 128>>>((uchar3 *)ints<unsigned char>(1800, 253), zeros<unsigned char>(600), 600);
    rgba_planes<<<dim3(2, 4), dim3(32, 4)>>>((uchar4 *)ints<unsigned char>(64 * 15 * 4, 251), zeros<float>(60 * 15), zeros<float>(60 * 15), zeros<float>(60 * 15), 60, 15, 64);
    resize_bilinear<<<dim3(3, 6), dim3(32, 4)>>>(floats(40 * 30), 40, 30, zeros<float>(80 * 24), 80, 24, 0.5f, 1.25f);
    downsample2<<<dim3(2, 3), dim3(32, 4)>>>(floats(100 * 22), zeros<float>(50 * 11), 100, 22);
    histogram256<<<4, 96>>>(ints<unsigned char>(3000, 200, 37), 3000, zeros<unsigned>(256));
    integral_rows<<<9, 128>>>(ints<int>(9 * 100, 50), zeros<int>(900), 100);
    integral_cols<<<2, 64>>>(ints<int>(9 * 100, 50), 100, 9);
    dilate<2><<<dim3(2, 3), dim3(32, 8)>>>(ints<unsigned char>(50 * 21, 240), zeros<unsigned char>(50 * 21), 50, 21);
    flip_rotate<<<dim3(2, 5), dim3(32, 4)>>>((uint2 *)ints<int>(2 * 50 * 18, 1000), (uint2 *)zeros<int>(1800), 50, 18, 2);
    nv12_to_rgb<<<dim3(2, 4), dim3(16, 4)>>>(ints<unsigned char>(60 * 28, 250), (uchar2 *)ints<unsigned char>(60 * 14, 250), (uchar4 *)zeros<int>(60 * 28), 60, 28);
    return finish("pictures");
}
