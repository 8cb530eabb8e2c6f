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


#include <cuda_pipeline.h>
#define BM 64
#define BN 64
#define BK 16
__device__ __forceinline__ void copy16(void *to, const void *from) {
    unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(at), "l"(from));
}
__global__ void __launch_bounds__(256) gemm_double(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int m, int n, int k) {
    __shared__ float as[2][BK][BM + 4];
    __shared__ float bs[2][BK][BN];
    const int tid = threadIdx.x, tx = tid % 16, ty = tid / 16;
    const int row = blockIdx.y * BM, col = blockIdx.x * BN;
    const int ar = tid / 4, ak = (tid % 4) * 4, bk = tid / 16, bn = (tid % 16) * 4;
    float acc[4][4] = {};
    float4 va = *reinterpret_cast<const float4 *>(&a[(row + ar) * k + ak]);
    float4 vb = *reinterpret_cast<const float4 *>(&b[bk * n + col + bn]);
    as[0][ak + 0][ar] = va.x; as[0][ak + 1][ar] = va.y; as[0][ak + 2][ar] = va.z; as[0][ak + 3][ar] = va.w;
    *reinterpret_cast<float4 *>(&bs[0][bk][bn]) = vb;
    __syncthreads();
    int now = 0;
    for (int t = BK; t <= k; t += BK) {
        if (t < k) {
            va = *reinterpret_cast<const float4 *>(&a[(row + ar) * k + t + ak]);
            vb = *reinterpret_cast<const float4 *>(&b[(t + bk) * n + col + bn]);
        }
#pragma unroll
        for (int i = 0; i < BK; i++) {
            float4 fa = *reinterpret_cast<const float4 *>(&as[now][i][ty * 4]);
            float4 fb = *reinterpret_cast<const float4 *>(&bs[now][i][tx * 4]);
            float ra[4] = {fa.x, fa.y, fa.z, fa.w}, rb[4] = {fb.x, fb.y, fb.z, fb.w};
#pragma unroll
            for (int p = 0; p < 4; p++)
#pragma unroll
                for (int q = 0; q < 4; q++) acc[p][q] += ra[p] * rb[q];
        }
        if (t < k) {
            now ^= 1;
            as[now][ak + 0][ar] = va.x; as[now][ak + 1][ar] = va.y; as[now][ak + 2][ar] = va.z; as[now][ak + 3][ar] = va.w;
            *reinterpret_cast<float4 *>(&bs[now][bk][bn]) = vb;
            __syncthreads();
        }
    }
#pragma unroll
    for (int p = 0; p < 4; p++)
        *reinterpret_cast<float4 *>(&c[(row + ty * 4 + p) * n + col + tx * 4]) = make_float4(acc[p][0], acc[p][1], acc[p][2], acc[p][3]);
}
template <int STAGES>
__global__ void gemm_async(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n, int k) {
    extern __shared__ float4 raw[];
    float *as = reinterpret_cast<float *>(raw);
    float *bs = as + STAGES * 32 * 20;
    const int tid = threadIdx.y * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * 32, col = blockIdx.x * 32;
    auto fetch = [&](int stage, int t) {
        if (tid < 128) copy16(&as[stage * 640 + (tid / 4) * 20 + (tid % 4) * 4], &a[(row + tid / 4) * k + t + (tid % 4) * 4]);
        else {
            int u = tid - 128;
            copy16(&bs[stage * 512 + (u / 8) * 32 + (u % 8) * 4], &b[(t + u / 8) * n + col + (u % 8) * 4]);
        }
        asm volatile("cp.async.commit_group;\n" ::);
    };
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) fetch(s, s * 16);
    float acc[2][2] = {{0.f, 0.f}, {0.f, 0.f}};
    const int steps = k / 16;
    for (int t = 0; t < steps; t++) {
        asm volatile("cp.async.wait_group %0;\n" ::"n"(STAGES - 2));
        __syncthreads();
        if (t + STAGES - 1 < steps) fetch((t + STAGES - 1) % STAGES, (t + STAGES - 1) * 16);
        else asm volatile("cp.async.commit_group;\n" ::);
        const float *sa = as + (t % STAGES) * 640, *sb = bs + (t % STAGES) * 512;
#pragma unroll 4
        for (int i = 0; i < 16; i++) {
            float a0 = sa[threadIdx.y * 2 * 20 + i], a1 = sa[(threadIdx.y * 2 + 1) * 20 + i];
            float b0 = sb[i * 32 + threadIdx.x], b1 = sb[i * 32 + threadIdx.x + 16];
            acc[0][0] += a0 * b0; acc[0][1] += a0 * b1; acc[1][0] += a1 * b0; acc[1][1] += a1 * b1;
        }
    }
    for (int p = 0; p < 2; p++)
        for (int q = 0; q < 2; q++) c[(row + threadIdx.y * 2 + p) * n + col + threadIdx.x + q * 16] = acc[p][q];
}
__global__ void gemm_pipeline(const float4 *a, float4 *out, int rounds) {
    __shared__ float4 tile[2][128];
    __pipeline_memcpy_async(&tile[0][threadIdx.x], &a[blockIdx.x * rounds * 128 + threadIdx.x], 16);
    __pipeline_commit();
    float4 sum = make_float4(0.f, 0.f, 0.f, 0.f);
    for (int r = 0; r < rounds; r++) {
        if (r + 1 < rounds) __pipeline_memcpy_async(&tile[(r + 1) & 1][threadIdx.x], &a[(blockIdx.x * rounds + r + 1) * 128 + threadIdx.x], 16);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        float4 v = tile[r & 1][threadIdx.x ^ 1];
        sum.x += v.x; sum.y += v.y; sum.z += v.z; sum.w += v.w;
        __syncthreads();
    }
    out[blockIdx.x * 128 + threadIdx.x] = sum;
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

    float *a = floats(128 * 192), *b = floats(192 * 128), *c = zeros<float>(128 * 128);
    gemm_double<<<dim3(2, 2), 256>>>(a, b, c, 128, 128, 192);
    gemm_async<3><<<dim3(4, 4), dim3(16, 16), 3 * (640 + 512) * sizeof(float)>>>(a, b, c, 128, 192);
    gemm_async<2><<<dim3(4, 4), dim3(16, 16), 2 * (640 + 512) * sizeof(float)>>>(a, b, c, 128, 64);
    gemm_pipeline<<<4, 128>>>((const float4 *)a, (float4 *)c, 7);
    return finish("staging");
}
