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


#include <cuda_bf16.h>
__device__ __forceinline__ unsigned at_shared(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ __forceinline__ void ldsm4(unsigned (&r)[4], unsigned a) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a));
}
__device__ __forceinline__ void ldsm2t(unsigned (&r)[2], unsigned a) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];\n" : "=r"(r[0]), "=r"(r[1]) : "r"(a));
}
__device__ __forceinline__ void mma(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
template <int PAD>
__global__ void hgemm(const __half *A, const __half *B, float *C, int N, int K) {
    __shared__ __align__(16) __half as[64][32 + PAD];
    __shared__ __align__(16) __half bs[32][64 + PAD];
    int t = threadIdx.x, warp = t / 32, lane = t % 32, wm = (warp / 2) * 32, wn = (warp % 2) * 32;
    float c[2][4][4] = {};
    for (int k0 = 0; k0 < K; k0 += 32) {
#pragma unroll
        for (int i = t; i < 256; i += 128) {
            *(uint4 *)&as[i / 4][(i % 4) * 8] = *(const uint4 *)&A[(blockIdx.y * 64 + i / 4) * K + k0 + (i % 4) * 8];
            *(uint4 *)&bs[i / 8][(i % 8) * 8] = *(const uint4 *)&B[(k0 + i / 8) * N + blockIdx.x * 64 + (i % 8) * 8];
        }
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < 32; kk += 16) {
            unsigned a[2][4], b[4][2];
#pragma unroll
            for (int m = 0; m < 2; m++) ldsm4(a[m], at_shared(&as[wm + m * 16 + lane % 16][kk + (lane / 16) * 8]));
#pragma unroll
            for (int n = 0; n < 4; n++) ldsm2t(b[n], at_shared(&bs[kk + lane % 16][wn + n * 8]));
#pragma unroll
            for (int m = 0; m < 2; m++)
#pragma unroll
                for (int n = 0; n < 4; n++) mma(c[m][n], a[m], b[n]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int m = 0; m < 2; m++)
#pragma unroll
        for (int n = 0; n < 4; n++) {
            int row = blockIdx.y * 64 + wm + m * 16 + lane / 4, col = blockIdx.x * 64 + wn + n * 8 + (lane % 4) * 2;
            *(float2 *)&C[row * N + col] = make_float2(c[m][n][0], c[m][n][1]);
            *(float2 *)&C[(row + 8) * N + col] = make_float2(c[m][n][2], c[m][n][3]);
        }
}
__global__ void igemv(const int *w, const int *x, int *y, int quads) {
    int row = blockIdx.x * blockDim.y + threadIdx.y, acc = 0;
    for (int i = threadIdx.x; i < quads; i += 32) acc = __dp4a(w[row * quads + i], x[i], acc);
    for (int d = 16; d; d >>= 1) acc += __shfl_xor_sync(~0u, acc, d);
    if (threadIdx.x == 0) y[row] = acc;
}
__global__ void hgemv_half8(const uint4 *w, const uint4 *x, __half *y, int chunks) {
    const uint4 *row = w + (blockIdx.x * 4 + threadIdx.y) * chunks;
    half2 s = __float2half2_rn(0.f);
    for (int i = threadIdx.x; i < chunks; i += 32) {
        uint4 a = row[i], b = x[i];
        const half2 *ha = reinterpret_cast<const half2 *>(&a), *hb = reinterpret_cast<const half2 *>(&b);
#pragma unroll
        for (int j = 0; j < 4; j++) s = __hfma2(ha[j], hb[j], s);
    }
    float f = __low2float(s) + __high2float(s);
#pragma unroll
    for (int d = 16; d > 0; d /= 2) f += __shfl_down_sync(0xffffffffu, f, d);
    if (threadIdx.x == 0) y[blockIdx.x * 4 + threadIdx.y] = __float2half(f);
}
__global__ void bf16_axpy(const __nv_bfloat16 *x, __nv_bfloat16 *y, float a, int n) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 2;
    if (i + 1 < n) {
        __nv_bfloat162 v = *(const __nv_bfloat162 *)(x + i), u = *(__nv_bfloat162 *)(y + i);
        *(__nv_bfloat162 *)(y + i) = __hfma2(__float2bfloat162_rn(a), v, u);
    } else if (i < n) y[i] = __float2bfloat16(a * __bfloat162float(x[i]) + __bfloat162float(y[i]));
}
__global__ void swizzled(const uint4 *in, uint4 *out) {
    __shared__ uint4 s[16 * 8];
    int t = threadIdx.x, r = t / 8, c = t % 8;
    s[r * 8 + (c ^ (r & 7))] = in[blockIdx.x * 128 + t];
    __syncthreads();
    unsigned q[4];
    ldsm4(q, at_shared(&s[(t % 16) * 8 + (((t / 32) * 2 + (t % 32) / 16) ^ (t & 7))]));
    out[blockIdx.x * 128 + t] = make_uint4(q[0], q[1], q[2], q[3]);
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

    __half *a = halves(128 * 96), *b = halves(96 * 128);
    float *c = zeros<float>(128 * 128);
    hgemm<8><<<dim3(2, 2), 128>>>(a, b, c, 128, 96);
    hgemm<0><<<dim3(2, 2), 128>>>(a, b, c, 128, 64);
    igemv<<<5, dim3(32, 4)>>>(ints<int>(20 * 70, 99999, 7777), ints<int>(70, 999), zeros<int>(20), 70);
    hgemv_half8<<<4, dim3(32, 4)>>>((const uint4 *)a, (const uint4 *)b, zeros<__half>(16), 50);
    bf16_axpy<<<4, 96>>>(zeros<__nv_bfloat16>(700), zeros<__nv_bfloat16>(700), 2.f, 699);
    swizzled<<<6, 128>>>((const uint4 *)a, (uint4 *)c);
    return finish("tensor");
}
