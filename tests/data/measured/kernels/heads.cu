// Attention building blocks: score tiles, softmax, P*V, streaming softmax, half2 layer norm.
#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

constexpr int HEADS = 8;
constexpr int SEQ = 256;
constexpr int DIM = 64;

static bool check(const char* what) {
    cudaError_t e = cudaGetLastError();
    if (e != cudaSuccess) {
        printf("%s: %s\n", what, cudaGetErrorString(e));
        return false;
    }
    return true;
}

__global__ void init_uniform(float* dst, int n, unsigned seed) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned h = i * 2654435761u + seed;
    h ^= h >> 15;
    h *= 2246822519u;
    h ^= h >> 13;
    dst[i] = (h & 0xffff) / 65536.0f - 0.5f;
}

__global__ void init_half(__half* dst, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) dst[i] = __float2half((i % 61) * 0.05f - 1.5f);
}

// scores[h][q][k] = scale * dot(Q[h][q], K[h][k]); 32x32 tile, 2x2 per thread.
__global__ void qk_scores(const float* __restrict__ Q, const float* __restrict__ K,
                          float* __restrict__ S, float scale) {
    __shared__ float qs[32][DIM + 1];
    __shared__ float ks[32][DIM + 1];

    const int head = blockIdx.z;
    const int q0 = blockIdx.y * 32;
    const int k0 = blockIdx.x * 32;
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int t = ty * blockDim.x + tx;
    const float* Qh = Q + head * SEQ * DIM;
    const float* Kh = K + head * SEQ * DIM;

    for (int i = t; i < 32 * DIM; i += 256) {
        int r = i / DIM, c = i % DIM;
        qs[r][c] = Qh[(q0 + r) * DIM + c];
        ks[r][c] = Kh[(k0 + r) * DIM + c];
    }
    __syncthreads();

    float s00 = 0.f, s01 = 0.f, s10 = 0.f, s11 = 0.f;
#pragma unroll 8
    for (int d = 0; d < DIM; ++d) {
        float a0 = qs[ty][d], a1 = qs[ty + 16][d];
        float b0 = ks[tx][d], b1 = ks[tx + 16][d];
        s00 += a0 * b0;
        s01 += a0 * b1;
        s10 += a1 * b0;
        s11 += a1 * b1;
    }

    float* out = S + head * SEQ * SEQ;
    out[(q0 + ty) * SEQ + k0 + tx] = s00 * scale;
    out[(q0 + ty) * SEQ + k0 + tx + 16] = s01 * scale;
    out[(q0 + ty + 16) * SEQ + k0 + tx] = s10 * scale;
    out[(q0 + ty + 16) * SEQ + k0 + tx + 16] = s11 * scale;
}

// One warp per row, whole row in registers.
template <int COLS>
__global__ void softmax_warp(const float* in, float* out, int rows) {
    constexpr int PER = COLS / 32;
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int lane = threadIdx.x & 31;
    if (warp >= rows) return;

    const float* src = in + warp * COLS;
    float v[PER];
    float mx = -1e30f;
#pragma unroll
    for (int i = 0; i < PER; i++) {
        v[i] = src[lane + 32 * i];
        mx = fmaxf(mx, v[i]);
    }
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) mx = fmaxf(mx, __shfl_xor_sync(0xffffffffu, mx, o));

    float sum = 0.f;
#pragma unroll
    for (int i = 0; i < PER; i++) {
        v[i] = __expf(v[i] - mx);
        sum += v[i];
    }
#pragma unroll
    for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);

    const float inv = 1.0f / sum;
    float* dst = out + warp * COLS;
#pragma unroll
    for (int i = 0; i < PER; i++) dst[lane + 32 * i] = v[i] * inv;
}

// One block per row, three passes over global memory and a shared tree.
__global__ void softmax_block(const float* in, float* out, int cols) {
    __shared__ float red[128];
    const int tid = threadIdx.x;
    const float* row = in + blockIdx.x * cols;
    float* orow = out + blockIdx.x * cols;

    float m = -INFINITY;
    for (int c = tid; c < cols; c += blockDim.x) m = fmaxf(m, row[c]);
    red[tid] = m;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) red[tid] = fmaxf(red[tid], red[tid + s]);
        __syncthreads();
    }
    m = red[0];
    __syncthreads();

    float sum = 0.f;
    for (int c = tid; c < cols; c += blockDim.x) {
        float e = expf(row[c] - m);
        orow[c] = e;
        sum += e;
    }
    red[tid] = sum;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) red[tid] += red[tid + s];
        __syncthreads();
    }
    sum = red[0];

    for (int c = tid; c < cols; c += blockDim.x) orow[c] /= sum;
}

// O = P * V for one head; 32 query rows x 64 columns per block, 2x4 per thread.
__global__ void pv_tile(const float* __restrict__ P, const float* __restrict__ V, float* __restrict__ O) {
    __shared__ float ps[32][33];
    __shared__ float4 vs[32][DIM / 4];

    const int head = blockIdx.y;
    const int row0 = blockIdx.x * 32;
    const int tx = threadIdx.x;     // 0..15, four columns each
    const int ty = threadIdx.y;     // 0..15, rows ty and ty+16
    const int t = ty * 16 + tx;
    const float* Ph = P + head * SEQ * SEQ + row0 * SEQ;
    const float4* Vh = reinterpret_cast<const float4*>(V + head * SEQ * DIM);

    float4 o0 = make_float4(0.f, 0.f, 0.f, 0.f);
    float4 o1 = make_float4(0.f, 0.f, 0.f, 0.f);
    for (int kb = 0; kb < SEQ; kb += 32) {
        for (int i = t; i < 32 * 32; i += 256) ps[i >> 5][i & 31] = Ph[(i >> 5) * SEQ + kb + (i & 31)];
        vs[ty][tx] = Vh[(kb + ty) * (DIM / 4) + tx];
        vs[ty + 16][tx] = Vh[(kb + ty + 16) * (DIM / 4) + tx];
        __syncthreads();
        for (int k = 0; k < 32; ++k) {
            const float4 v = vs[k][tx];
            const float p0 = ps[ty][k];
            const float p1 = ps[ty + 16][k];
            o0.x += p0 * v.x;
            o0.y += p0 * v.y;
            o0.z += p0 * v.z;
            o0.w += p0 * v.w;
            o1.x += p1 * v.x;
            o1.y += p1 * v.y;
            o1.z += p1 * v.z;
            o1.w += p1 * v.w;
        }
        __syncthreads();
    }
    float4* Oh = reinterpret_cast<float4*>(O + head * SEQ * DIM);
    Oh[(row0 + ty) * (DIM / 4) + tx] = o0;
    Oh[(row0 + ty + 16) * (DIM / 4) + tx] = o1;
}

// Streaming softmax attention, one thread per query row, head dimension D in registers.
template <int D, int KV>
__global__ void attention_stream(const float* Q, const float* K, const float* V, float* O, int seq, float scale) {
    __shared__ float kt[KV][D];
    __shared__ float vt[KV][D];

    const int base = blockIdx.y * seq * D;
    const int q = blockIdx.x * blockDim.x + threadIdx.x;

    float qr[D], acc[D];
#pragma unroll
    for (int d = 0; d < D; ++d) {
        qr[d] = Q[base + q * D + d] * scale;
        acc[d] = 0.f;
    }
    float m = -1e30f, l = 0.f;

    for (int j0 = 0; j0 < seq; j0 += KV) {
        for (int i = threadIdx.x; i < KV * D; i += blockDim.x) {
            kt[i / D][i % D] = K[base + j0 * D + i];
            vt[i / D][i % D] = V[base + j0 * D + i];
        }
        __syncthreads();
        for (int j = 0; j < KV; ++j) {
            float s = 0.f;
#pragma unroll
            for (int d = 0; d < D; ++d) s += qr[d] * kt[j][d];
            const float mn = fmaxf(m, s);
            const float corr = __expf(m - mn);
            const float p = __expf(s - mn);
            l = l * corr + p;
#pragma unroll
            for (int d = 0; d < D; ++d) acc[d] = acc[d] * corr + p * vt[j][d];
            m = mn;
        }
        __syncthreads();
    }
    const float inv = 1.f / l;
#pragma unroll
    for (int d = 0; d < D; ++d) O[base + q * D + d] = acc[d] * inv;
}

// Layer norm over 512 halves per row, warp tile from cooperative groups, half2 loads.
__global__ void layernorm_half2(const __half2* x, __half2* y, const float* gamma, int rows) {
    constexpr int H2 = 256;
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    const int wpb = blockDim.x / 32;

    for (int r = blockIdx.x * wpb + warp.meta_group_rank(); r < rows; r += gridDim.x * wpb) {
        float2 f[H2 / 32];
        float s = 0.f, ss = 0.f;
        for (int i = 0; i < H2 / 32; ++i) {
            f[i] = __half22float2(x[r * H2 + i * 32 + warp.thread_rank()]);
            s += f[i].x + f[i].y;
            ss += f[i].x * f[i].x + f[i].y * f[i].y;
        }
        s = cg::reduce(warp, s, cg::plus<float>());
        ss = cg::reduce(warp, ss, cg::plus<float>());
        const float mean = s / (2 * H2);
        const float rstd = rsqrtf(ss / (2 * H2) - mean * mean + 1e-5f);
        for (int i = 0; i < H2 / 32; ++i) {
            int c = i * 32 + warp.thread_rank();
            float g0 = gamma[2 * c];
            float g1 = gamma[2 * c + 1];
            y[r * H2 + c] = __floats2half2_rn((f[i].x - mean) * rstd * g0, (f[i].y - mean) * rstd * g1);
        }
    }
}

int main() {
    constexpr int QKV = HEADS * SEQ * DIM;
    constexpr int SC = HEADS * SEQ * SEQ;
    constexpr int LN_ROWS = 1000;
    float *q, *k, *v, *o, *s, *p;
    __half *hx, *hy;
    cudaMalloc(&q, QKV * sizeof(float));
    cudaMalloc(&k, QKV * sizeof(float));
    cudaMalloc(&v, QKV * sizeof(float));
    cudaMalloc(&o, QKV * sizeof(float));
    cudaMalloc(&s, SC * sizeof(float));
    cudaMalloc(&p, SC * sizeof(float));
    cudaMalloc(&hx, LN_ROWS * 512 * sizeof(__half));
    cudaMalloc(&hy, LN_ROWS * 512 * sizeof(__half));
    if (!check("malloc")) return 1;

    init_uniform<<<QKV / 256, 256>>>(q, QKV, 11u);
    init_uniform<<<QKV / 256, 256>>>(k, QKV, 23u);
    init_uniform<<<QKV / 256, 256>>>(v, QKV, 37u);
    init_half<<<(LN_ROWS * 512 + 255) / 256, 256>>>(hx, LN_ROWS * 512);

    qk_scores<<<dim3(SEQ / 32, SEQ / 32, HEADS), dim3(16, 16)>>>(q, k, s, 0.125f);
    if (!check("qk_scores")) return 1;
    softmax_warp<SEQ><<<HEADS * SEQ / 4, 128>>>(s, p, HEADS * SEQ);
    if (!check("softmax_warp")) return 1;
    softmax_block<<<HEADS * SEQ, 128>>>(s, p, SEQ);
    if (!check("softmax_block")) return 1;
    pv_tile<<<dim3(SEQ / 32, HEADS), dim3(16, 16)>>>(p, v, o);
    if (!check("pv_tile")) return 1;
    // Same buffers seen as 8 heads x 512 rows x 32 columns.
    attention_stream<32, 32><<<dim3(512 / 64, HEADS), 64>>>(q, k, v, o, 512, 0.17677669f);
    if (!check("attention_stream")) return 1;
    layernorm_half2<<<60, 256>>>((const __half2*)hx, (__half2*)hy, q, LN_ROWS);
    if (!check("layernorm_half2")) return 1;
    cudaDeviceSynchronize();
    if (!check("sync")) return 1;

    cudaFree(q);
    cudaFree(k);
    cudaFree(v);
    cudaFree(o);
    cudaFree(s);
    cudaFree(p);
    cudaFree(hx);
    cudaFree(hy);
    puts("attention done");
    return 0;
}
