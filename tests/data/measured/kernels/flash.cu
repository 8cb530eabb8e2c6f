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


template <int D, int BR, int BC>
__global__ void flash(const float *__restrict__ Q, const float *__restrict__ K, const float *__restrict__ V, float *__restrict__ O, int N, float scale) {
    __shared__ float ks[BC][D + 1], vs[BC][D], ps[BR][BC + 1];
    const int head = blockIdx.y, r0 = blockIdx.x * BR, tid = threadIdx.x;
    const int r = tid / 4, part = tid % 4;
    const float *q = Q + (head * N + r0 + r) * D;
    float qr[D], acc[D / 4];
#pragma unroll
    for (int d = 0; d < D; d++) qr[d] = q[d] * scale;
#pragma unroll
    for (int d = 0; d < D / 4; d++) acc[d] = 0.f;
    float m = -INFINITY, l = 0.f;
    for (int c0 = 0; c0 < N; c0 += BC) {
        for (int i = tid; i < BC * D; i += BR * 4) {
            ks[i / D][i % D] = K[(head * N + c0) * D + i];
            vs[i / D][i % D] = V[(head * N + c0) * D + i];
        }
        __syncthreads();
        float best = m;
#pragma unroll
        for (int c = part; c < BC; c += 4) {
            float s = 0.f;
#pragma unroll
            for (int d = 0; d < D; d++) s += qr[d] * ks[c][d];
            ps[r][c] = s;
            best = fmaxf(best, s);
        }
        best = fmaxf(best, __shfl_xor_sync(~0u, best, 1));
        best = fmaxf(best, __shfl_xor_sync(~0u, best, 2));
        float fix = __expf(m - best), sum = 0.f;
        for (int c = part; c < BC; c += 4) {
            float p = __expf(ps[r][c] - best);
            ps[r][c] = p;
            sum += p;
        }
        sum += __shfl_xor_sync(~0u, sum, 1);
        sum += __shfl_xor_sync(~0u, sum, 2);
        l = l * fix + sum;
        m = best;
        __syncwarp();
#pragma unroll
        for (int d = 0; d < D / 4; d++) {
            float t = acc[d] * fix;
            for (int c = 0; c < BC; c++) t += ps[r][c] * vs[c][d * 4 + part];
            acc[d] = t;
        }
        __syncthreads();
    }
#pragma unroll
    for (int d = 0; d < D / 4; d++) O[(head * N + r0 + r) * D + d * 4 + part] = acc[d] / l;
}
__global__ void decode(const float2 *q, const float2 *k, const float2 *v, const int *lens, float2 *o, int max_len) {
    __shared__ float scores[256];
    __shared__ float2 part[4][32];
    const int b = blockIdx.x, lane = threadIdx.x, w = threadIdx.y, len = lens[b];
    float2 mine = q[b * 32 + lane];
    for (int t = w; t < len; t += 4) {
        float2 kk = k[(b * max_len + t) * 32 + lane];
        float s = mine.x * kk.x + mine.y * kk.y;
        for (int d = 16; d > 0; d >>= 1) s += __shfl_down_sync(~0u, s, d);
        if (lane == 0) scores[t] = __expf(s * 0.1f);
    }
    __syncthreads();
    float2 a = make_float2(0.f, 0.f);
    float total = 0.f;
    for (int t = w; t < len; t += 4) {
        float2 vv = v[(b * max_len + t) * 32 + lane];
        float s = scores[t];
        a.x += s * vv.x;
        a.y += s * vv.y;
        total += s;
    }
    part[w][lane] = a;
    __syncthreads();
    if (w == 0) {
        for (int i = 1; i < 4; i++) { a.x += part[i][lane].x; a.y += part[i][lane].y; }
        o[b * 32 + lane] = a;
        if (lane == 31) o[gridDim.x * 32 + b].x = total;
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

    const int heads = 3, n = 128;
    float *q = floats(heads * n * 32), *k = floats(heads * n * 32), *v = floats(heads * n * 32), *o = zeros<float>(heads * n * 32);
    flash<32, 32, 32><<<dim3(n / 32, heads), 128>>>(q, k, v, o, n, 0.17f);
    flash<16, 64, 16><<<dim3(n / 64, heads), 256>>>(q, k, v, o, n, 0.25f);
    int *lens = ints<int>(4, 100, 23, 20);
    decode<<<4, dim3(32, 4)>>>((float2 *)q, (float2 *)floats(4 * 100 * 64), (float2 *)floats(4 * 100 * 64), lens, (float2 *)o, 100);
    return finish("flash");
}
