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
template <typename T> __device__ __forceinline__ T warp_sum(T v) {
#pragma unroll
    for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d);
    return v;
}
template <int WARPS> __device__ float block_sum(float v) {
    __shared__ float part[WARPS];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    v = warp_sum(v);
    if (lane == 0) part[warp] = v;
    __syncthreads();
    v = lane < WARPS ? part[lane] : 0.f;
    return warp_sum(v);
}
template <int THREADS>
__global__ void rms_vec(const float4 *__restrict__ in, const float4 *__restrict__ w, float4 *__restrict__ out, int quads, float eps) {
    const float4 *row = in + blockIdx.x * quads;
    float s = 0.f;
    for (int i = threadIdx.x; i < quads; i += THREADS) {
        float4 v = row[i];
        s += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    s = block_sum<THREADS / 32>(s);
    float r = rsqrtf(s / (quads * 4) + eps);
    for (int i = threadIdx.x; i < quads; i += THREADS) {
        float4 v = row[i], g = __ldg(&w[i]);
        out[blockIdx.x * quads + i] = make_float4(v.x * r * g.x, v.y * r * g.y, v.z * r * g.z, v.w * r * g.w);
    }
}
__global__ void layernorm_bf16(const __nv_bfloat162 *in, const __nv_bfloat16 *gamma, const __nv_bfloat16 *beta, __nv_bfloat162 *out, int pairs) {
    __shared__ float mean_s, inv_s;
    __shared__ float2 part[6];
    float2 acc = make_float2(0.f, 0.f);
    for (int i = threadIdx.x; i < pairs; i += blockDim.x) {
        float2 v = __bfloat1622float2(in[blockIdx.x * pairs + i]);
        acc.x += v.x + v.y;
        acc.y += v.x * v.x + v.y * v.y;
    }
    acc.x = warp_sum(acc.x);
    acc.y = warp_sum(acc.y);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = acc;
    __syncthreads();
    if (threadIdx.x == 0) {
        float2 t = make_float2(0.f, 0.f);
        for (int i = 0; i < blockDim.x / 32; i++) { t.x += part[i].x; t.y += part[i].y; }
        mean_s = t.x / (2 * pairs);
        inv_s = rsqrtf(t.y / (2 * pairs) - mean_s * mean_s + 1e-5f);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < pairs; i += blockDim.x) {
        float2 v = __bfloat1622float2(in[blockIdx.x * pairs + i]);
        v.x = (v.x - mean_s) * inv_s * __bfloat162float(gamma[2 * i]) + __bfloat162float(beta[2 * i]);
        v.y = (v.y - mean_s) * inv_s * __bfloat162float(gamma[2 * i + 1]) + __bfloat162float(beta[2 * i + 1]);
        out[blockIdx.x * pairs + i] = __float22bfloat162_rn(v);
    }
}
__global__ void softmax_row_per_warp(const float *in, float *out, int rows, int cols) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    in += row * cols;
    out += row * cols;
    float top = -INFINITY;
    for (int i = threadIdx.x; i < cols; i += 32) top = fmaxf(top, in[i]);
    for (int d = 16; d; d /= 2) top = fmaxf(top, __shfl_xor_sync(~0u, top, d));
    float sum = 0.f;
    for (int i = threadIdx.x; i < cols; i += 32) sum += __expf(in[i] - top);
    sum = warp_sum(sum);
    for (int i = threadIdx.x; i < cols; i += 32) out[i] = __expf(in[i] - top) / sum;
}
__global__ void softmax_online(const half2 *in, half2 *out, int pairs) {
    extern __shared__ unsigned char space[];
    half2 *row = reinterpret_cast<half2 *>(space);
    float *red = reinterpret_cast<float *>(row + pairs);
    float top = -1e30f, sum = 0.f;
    for (int i = threadIdx.x; i < pairs; i += blockDim.x) {
        half2 v = in[blockIdx.x * pairs + i];
        row[i] = v;
        float hi = fmaxf(__low2float(v), __high2float(v)), now = fmaxf(top, hi);
        sum = sum * __expf(top - now) + __expf(__low2float(v) - now) + __expf(__high2float(v) - now);
        top = now;
    }
    red[threadIdx.x * 2] = top;
    red[threadIdx.x * 2 + 1] = sum;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) {
            float ta = red[threadIdx.x * 2], tb = red[(threadIdx.x + s) * 2], t = fmaxf(ta, tb);
            red[threadIdx.x * 2 + 1] = red[threadIdx.x * 2 + 1] * __expf(ta - t) + red[(threadIdx.x + s) * 2 + 1] * __expf(tb - t);
            red[threadIdx.x * 2] = t;
        }
        __syncthreads();
    }
    float t = red[0], inv = 1.f / red[1];
    for (int i = threadIdx.x; i < pairs; i += blockDim.x)
        out[blockIdx.x * pairs + i] = __floats2half2_rn(__expf(__low2float(row[i]) - t) * inv, __expf(__high2float(row[i]) - t) * inv);
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

    float *x = floats(24 * 1040, 2.f, -1.f), *w = floats(1040), *y = zeros<float>(24 * 1040);
    rms_vec<128><<<24, 128>>>((const float4 *)x, (const float4 *)w, (float4 *)y, 260, 1e-6f);
    rms_vec<96><<<7, 96>>>((const float4 *)x, (const float4 *)w, (float4 *)y, 96, 1e-6f);
    __nv_bfloat16 *b = zeros<__nv_bfloat16>(24 * 1040), *g = zeros<__nv_bfloat16>(1040), *o = zeros<__nv_bfloat16>(24 * 1040);
    layernorm_bf16<<<10, 192>>>((const __nv_bfloat162 *)b, g, g, (__nv_bfloat162 *)o, 500);
    softmax_row_per_warp<<<6, dim3(32, 4)>>>(x, y, 22, 203);
    softmax_online<<<5, 128, 300 * 4 + 128 * 8>>>((const half2 *)halves(3000), (half2 *)zeros<__half>(3000), 300);
    return finish("normalising");
}
