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


__constant__ float taps[9];
__constant__ int offsets[4];
template <int TX, int TY, int R>
__global__ void conv_halo(const float *__restrict__ in, float *__restrict__ out, int w, int h) {
    __shared__ float t[TY + 2 * R][TX + 2 * R + 1];
    const int gx = blockIdx.x * TX + threadIdx.x, gy = blockIdx.y * TY + threadIdx.y;
    for (int y = threadIdx.y; y < TY + 2 * R; y += TY)
        for (int x = threadIdx.x; x < TX + 2 * R; x += TX) {
            int sx = min(max(int(blockIdx.x) * TX + x - R, 0), w - 1), sy = min(max(int(blockIdx.y) * TY + y - R, 0), h - 1);
            t[y][x] = in[sy * w + sx];
        }
    __syncthreads();
    if (gx >= w || gy >= h) return;
    float s = 0.f;
#pragma unroll
    for (int j = -R; j <= R; j++)
#pragma unroll
        for (int i = -R; i <= R; i++) s += taps[(j + R) * (2 * R + 1) + i + R] * t[threadIdx.y + R + j][threadIdx.x + R + i];
    out[gy * w + gx] = s;
}
__global__ void heat3d(const float *u, float *v, int nx, int ny, int nz, float c) {
    __shared__ float p[6][34];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    int lx = threadIdx.x + 1, ly = threadIdx.y + 1, plane = nx * ny;
    bool inside = x < nx && y < ny;
    float below = 0.f, here = inside ? u[y * nx + x] : 0.f, above = inside ? u[plane + y * nx + x] : 0.f;
    for (int z = 1; z < nz - 1; z++) {
        below = here;
        here = above;
        above = inside ? u[(z + 1) * plane + y * nx + x] : 0.f;
        __syncthreads();
        p[ly][lx] = here;
        if (threadIdx.x == 0 && x > 0 && y < ny) p[ly][0] = u[z * plane + y * nx + x - 1];
        if (threadIdx.x == 31 && x < nx - 1 && y < ny) p[ly][33] = u[z * plane + y * nx + x + 1];
        if (threadIdx.y == 0 && y > 0 && x < nx) p[0][lx] = u[z * plane + (y - 1) * nx + x];
        if (threadIdx.y == 3 && y < ny - 1 && x < nx) p[5][lx] = u[z * plane + (y + 1) * nx + x];
        __syncthreads();
        if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1)
            v[z * plane + y * nx + x] = here + c * (p[ly - 1][lx] + p[ly + 1][lx] + p[ly][lx - 1] + p[ly][lx + 1] + below + above - 6.f * here);
    }
}
__global__ void odd3d(const short *in, short *out, int nx, int ny, int nz) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < nx && y < ny && z < nz) {
        short a = in[(z * ny + y) * nx + x];
        if (z + 1 < nz) a += in[((z + 1) * ny + y) * nx + x];
        out[(x * ny + y) * nz + z] = a;
    }
}
__global__ void life(const bool *in, bool *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    int n = 0;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++)
            if (i || j) n += in[((y + j + h) % h) * w + (x + i + w) % w];
    out[y * w + x] = n == 3 || (n == 2 && in[y * w + x]);
}
__global__ void conv1d(const float *in, float *out, int n) {
    extern __shared__ float line[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    line[threadIdx.x + 4] = i < n ? in[i] : 0.f;
    if (threadIdx.x < 4) {
        line[threadIdx.x] = i >= 4 ? in[i - 4] : 0.f;
        line[threadIdx.x + blockDim.x + 4] = i + blockDim.x < n ? in[i + blockDim.x] : 0.f;
    }
    __syncthreads();
    float s = 0.f;
#pragma unroll
    for (int k = 0; k < 9; k++) s += taps[k] * line[threadIdx.x + k];
    if (i < n) out[i] = s * taps[offsets[i & 3]];
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

    float h[9] = {1, 2, 1, 2, 4, 2, 1, 2, 1};
    int o[4] = {0, 3, 5, 8};
    cudaMemcpyToSymbol(taps, h, sizeof(h));
    cudaMemcpyToSymbol(offsets, o, sizeof(o));
    float *u = floats(70 * 41 * 9), *v = zeros<float>(70 * 41 * 9);
    conv_halo<32, 8, 1><<<dim3(3, 6), dim3(32, 8)>>>(u, v, 70, 41);
    conv_halo<16, 6, 1><<<dim3(5, 7), dim3(16, 6)>>>(u, v, 70, 41);
    heat3d<<<dim3(3, 11), dim3(32, 4)>>>(u, v, 70, 41, 9, 0.1f);
    odd3d<<<dim3(5, 6, 3), dim3(7, 5, 3)>>>(ints<short>(35 * 30 * 9, 99), zeros<short>(35 * 30 * 9), 33, 28, 8);
    life<<<dim3(4, 5), dim3(20, 10)>>>((bool *)ints<unsigned char>(70 * 41, 2, 3), zeros<bool>(70 * 41), 70, 41);
    conv1d<<<5, 96, 104 * sizeof(float)>>>(u, v, 450);
    return finish("stencils");
}
