#include "common.h"
#include <cuda_pipeline.h>
#ifndef PITCH
#define PITCH 36
#endif
// grid-stride loops, cp.async, 64-bit indices, partial unrolling, many blocks, 3D
__global__ void grid_stride(const float *in, float *out, long n) {
    for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += (long)gridDim.x * blockDim.x) out[i] = in[n - 1 - i];
}
__global__ void async4(const float *in, float *out) {
    __shared__ float s[PITCH * 8];
    int t = threadIdx.x;
    for (int k = 0; k < 8; k++) __pipeline_memcpy_async(&s[k * PITCH + t], &in[k * 64 + t * 2], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[t] = s[t / 4 * PITCH + t % 4];
}
__global__ void async16(const float4 *in, float4 *out) {
    __shared__ float4 s[128];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t ^ (t >> 3 & 7)], &in[t], 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[t] = s[127 - t];
}
__global__ void wide_index(const float *in, float *out, unsigned long long base, long long stride) {
    unsigned long long i = base + threadIdx.x * stride;
    out[i % 4099] = in[(i >> 7) & 8191];
    out[(i / 3) % 1000 + 5000] = in[threadIdx.x];
}
__global__ void volume(const float *in, float *out, int nx, int ny, int nz) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < 1 || y < 1 || z < 1 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1) return;
    int c = (z * ny + y) * nx + x;
    out[c] = in[c - 1] + in[c + 1] + in[c - nx] + in[c + nx] + in[c - nx * ny] + in[c + nx * ny];
}
__global__ void gemm(const float *a, const float *b, float *c, int n) {
    __shared__ float as[16][16], bs[16][PITCH];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
    float v = 0;
    for (int k = 0; k < n; k += 16) {
        as[y][x] = k + x < n && row < n ? a[row * n + k + x] : 0;
        bs[y][x] = k + y < n && col < n ? b[(k + y) * n + col] : 0;
        __syncthreads();
        for (int j = 0; j < 16; j++) v += as[y][j] * bs[j][x];
        __syncthreads();
    }
    if (row < n && col < n) c[row * n + col] = v;
}
__global__ void mixed_data(const int *index, const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int at = index[i];
    out[i] = in[at];
    if (at > 100) out[i + n] = in[i];
    out[i + 2 * n] = in[i * 2];
}
__global__ void data_loop(const int *index, const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = in[i];
    for (int k = 0; k < index[i]; k++) v += in[k * 32 + i];
    __syncthreads();
    out[i] = v;
    if (i < n) out[i + 1024] = in[i * 3];
}
__global__ void warp_reduce(const float *in, float *out, int n) {
    __shared__ float part[8];
    int t = threadIdx.x;
    float v = 0;
    for (int i = t; i < n; i += blockDim.x) v += in[i];
    for (int d = 16; d; d >>= 1) v += __shfl_down_sync(~0u, v, d);
    if ((t & 31) == 0) part[t >> 5] = v;
    __syncthreads();
    if (t < 32) {
        v = t < blockDim.x / 32 ? part[t] : 0;
        for (int d = 4; d; d >>= 1) v += __shfl_down_sync(~0u, v, d);
        if (t == 0) out[blockIdx.x] = v;
    }
}
__global__ void bitonic(int *x) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = x[t];
    __syncthreads();
    for (int k = 2; k <= 128; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            int p = t ^ j;
            if (p > t) {
                int a = s[t], b = s[p];
                if ((a > b) == ((t & k) == 0)) { s[t] = b; s[p] = a; }
            }
            __syncthreads();
        }
    x[t] = s[t];
}
__global__ void lag_loop(const float *in, float *out, int n) {
    extern __shared__ float q[];
    int t = threadIdx.x;
    for (int i = t; i < n; i += blockDim.x) q[i] = in[i];
    __syncthreads();
    float v = 0;
    for (int i = 0; i + t < n; i++) v += q[i] * q[i + t];
    for (int i = t; i < n; i += 9) v += q[i];
    out[t] = v;
}
__global__ void half_warp_rows(const float4 *in, float *out, int n) {
    __shared__ float4 s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    float4 v = make_float4(0, 0, 0, 0);
    if (t % 5 < n) { v = s[t / 4 * 3 % 64]; v.x += s[t / 5].y; }
    out[t] = v.x + v.y + v.z + v.w;
}
int main() {
    float *f = fill<float>(1 << 16, 1000), *o = room<float>(1 << 16);
    int *g = fill<int>(1 << 14, 501), *h = room<int>(1 << 14);
    grid_stride<<<5, 96>>>(f, o, 2000);
    async4<<<1, 32>>>(f, o);
    async16<<<1, 128>>>((float4 *)f, (float4 *)o);
    wide_index<<<1, 96>>>(f, o, 123456789012ull, 1000003);
    volume<<<dim3(3, 3, 2), dim3(8, 4, 3)>>>(f, o, 20, 11, 6);
    gemm<<<dim3(3, 3), dim3(16, 16)>>>(f, f + 4096, o, 40);
    mixed_data<<<2, 96>>>(g, f, o, 170);
    data_loop<<<2, 64>>>(g, f, o, 100);
    warp_reduce<<<2, 160>>>(f, o, 700);
    bitonic<<<1, 128>>>(g);
    lag_loop<<<1, 96, 250 * 4>>>(f, o, 250);
    half_warp_rows<<<1, 64>>>((float4 *)f, o, 3);
    return finish("loops");
}
