// Reductions and prefix sums.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

inline void must(cudaError_t e, int line) {
    if (e == cudaSuccess) return;
    fprintf(stderr, "line %d: %s\n", line, cudaGetErrorString(e));
    exit(EXIT_FAILURE);
}
#define MUST(x) must((x), __LINE__)

__global__ void iota_mod(int* p, float* f, int n) {
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x) {
        p[i] = (i * 17) % 11;
        f[i] = (float)((i * 5) % 13) - 6.0f;
    }
}

// The textbook tree, in the interleaved (0) and the sequential (1) addressing form.
template <int MODE>
__global__ void reduce_tree(const float* in, float* out, int n) {
    extern __shared__ float sm[];
    const unsigned tid = threadIdx.x;
    const unsigned i = blockIdx.x * blockDim.x * 2 + tid;

    float v = 0.f;
    if (i < n) v += in[i];
    if (i + blockDim.x < n) v += in[i + blockDim.x];
    sm[tid] = v;
    __syncthreads();

    if (MODE == 0) {
        for (unsigned s = 1; s < blockDim.x; s *= 2) {
            unsigned index = 2 * s * tid;
            if (index < blockDim.x) sm[index] += sm[index + s];
            __syncthreads();
        }
    } else {
        for (unsigned s = blockDim.x >> 1; s > 0; s >>= 1) {
            if (tid < s) sm[tid] += sm[tid + s];
            __syncthreads();
        }
    }
    if (tid == 0) out[blockIdx.x] = sm[0];
}

// Min, max and sum at once. Grid stride over float4, then shuffles. Second launch folds the partials.
struct Stat {
    float lo, hi, sum, pad;
};

__device__ __forceinline__ Stat merge(Stat a, Stat b) {
    a.lo = fminf(a.lo, b.lo);
    a.hi = fmaxf(a.hi, b.hi);
    a.sum += b.sum;
    return a;
}

__device__ Stat warp_stat(Stat s) {
    for (int o = 16; o; o /= 2) {
        Stat t;
        t.lo = __shfl_down_sync(~0u, s.lo, o);
        t.hi = __shfl_down_sync(~0u, s.hi, o);
        t.sum = __shfl_down_sync(~0u, s.sum, o);
        t.pad = 0.f;
        s = merge(s, t);
    }
    return s;
}

__global__ void stats_partial(const float4* in, Stat* part, int n4) {
    __shared__ Stat wsum[32];
    Stat s = {1e30f, -1e30f, 0.f, 0.f};
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
        float4 v = in[i];
        s.lo = fminf(s.lo, fminf(fminf(v.x, v.y), fminf(v.z, v.w)));
        s.hi = fmaxf(s.hi, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
        s.sum += (v.x + v.y) + (v.z + v.w);
    }
    s = warp_stat(s);
    const int lane = threadIdx.x % 32, wid = threadIdx.x / 32;
    if (lane == 0) wsum[wid] = s;
    __syncthreads();
    if (wid == 0) {
        Stat z = {1e30f, -1e30f, 0.f, 0.f};
        s = lane < blockDim.x / 32 ? wsum[lane] : z;
        s = warp_stat(s);
        if (lane == 0) part[blockIdx.x] = s;
    }
}

__global__ void stats_final(const Stat* part, Stat* out, int n) {
    __shared__ float lo[128], hi[128], sum[128];
    int t = threadIdx.x;
    Stat s = {1e30f, -1e30f, 0.f, 0.f};
    for (int i = t; i < n; i += 128) s = merge(s, part[i]);
    lo[t] = s.lo;
    hi[t] = s.hi;
    sum[t] = s.sum;
    __syncthreads();
#pragma unroll
    for (int k = 64; k >= 1; k /= 2) {
        if (t < k) {
            lo[t] = fminf(lo[t], lo[t + k]);
            hi[t] = fmaxf(hi[t], hi[t + k]);
            sum[t] += sum[t + k];
        }
        __syncthreads();
    }
    if (t == 0) {
        out->lo = lo[0];
        out->hi = hi[0];
        out->sum = sum[0];
    }
}

// Hillis-Steele inclusive scan of each block's segment, ping-pong buffers.
__global__ void scan_hillis_steele(const int* in, int* out, int n) {
    constexpr int B = 512;
    __shared__ int buf[2][B];
    const int t = threadIdx.x;
    const int g = blockIdx.x * B + t;
    int cur = 0;
    buf[0][t] = g < n ? in[g] : 0;
    __syncthreads();
    for (int d = 1; d < B; d <<= 1) {
        int v = buf[cur][t];
        if (t >= d) v += buf[cur][t - d];
        buf[cur ^ 1][t] = v;
        cur ^= 1;
        __syncthreads();
    }
    if (g < n) out[g] = buf[cur][t];
}

// Blelloch work-efficient exclusive scan, two elements per thread.
#define PAD_OF(i) ((i) >> 5)
template <bool PADDED>
__global__ void scan_blelloch(const int* in, int* out, int* totals) {
    constexpr int N = 1024;
    __shared__ int s[N + N / 32];
    const int t = threadIdx.x;
    const int base = blockIdx.x * N;

    int ai = t;
    int bi = t + N / 2;
    s[ai + (PADDED ? PAD_OF(ai) : 0)] = in[base + ai];
    s[bi + (PADDED ? PAD_OF(bi) : 0)] = in[base + bi];

    int offset = 1;
    for (int d = N >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) {
            int l = offset * (2 * t + 1) - 1;
            int r = offset * (2 * t + 2) - 1;
            if (PADDED) {
                l += PAD_OF(l);
                r += PAD_OF(r);
            }
            s[r] += s[l];
        }
        offset *= 2;
    }
    if (t == 0) {
        int last = N - 1 + (PADDED ? PAD_OF(N - 1) : 0);
        totals[blockIdx.x] = s[last];
        s[last] = 0;
    }
    for (int d = 1; d < N; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            int l = offset * (2 * t + 1) - 1;
            int r = offset * (2 * t + 2) - 1;
            if (PADDED) {
                l += PAD_OF(l);
                r += PAD_OF(r);
            }
            int tmp = s[l];
            s[l] = s[r];
            s[r] += tmp;
        }
    }
    __syncthreads();
    out[base + ai] = s[ai + (PADDED ? PAD_OF(ai) : 0)];
    out[base + bi] = s[bi + (PADDED ? PAD_OF(bi) : 0)];
}

// Inclusive prefix sum of every row, one warp per row with a running carry.
__global__ void row_prefix(const float* in, float* out, int rows, int cols) {
    cg::thread_block cta = cg::this_thread_block();
    cg::thread_block_tile<32> w = cg::tiled_partition<32>(cta);
    const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (row >= rows) return;
    const int lane = w.thread_rank();

    float carry = 0.f;
    for (int c0 = 0; c0 < cols; c0 += 32) {
        const int c = c0 + lane;
        float v = c < cols ? in[row * cols + c] : 0.f;
#pragma unroll
        for (int d = 1; d < 32; d <<= 1) {
            float u = w.shfl_up(v, d);
            if (lane >= d) v += u;
        }
        v += carry;
        if (c < cols) out[row * cols + c] = v;
        carry = w.shfl(v, 31);
    }
}

int main() {
    constexpr int N = 1 << 20;
    constexpr int N_ODD = N - 1234;
    constexpr int SCAN_BLOCKS = N / 1024;
    constexpr int ROWS = 2000, COLS = 500;

    int *src, *dst, *tot;
    float *f, *g;
    Stat *part, *fin;
    MUST(cudaMalloc(&src, N * sizeof(int)));
    MUST(cudaMalloc(&dst, N * sizeof(int)));
    MUST(cudaMalloc(&tot, SCAN_BLOCKS * sizeof(int)));
    MUST(cudaMalloc(&f, N * sizeof(float)));
    MUST(cudaMalloc(&g, N * sizeof(float)));
    MUST(cudaMalloc(&part, 264 * sizeof(Stat)));
    MUST(cudaMalloc(&fin, sizeof(Stat)));

    iota_mod<<<264, 256>>>(src, f, N);
    MUST(cudaGetLastError());

    reduce_tree<0><<<(N_ODD + 511) / 512, 256, 256 * sizeof(float)>>>(f, g, N_ODD);
    MUST(cudaGetLastError());
    reduce_tree<1><<<(N_ODD + 511) / 512, 256, 256 * sizeof(float)>>>(f, g, N_ODD);
    MUST(cudaGetLastError());
    stats_partial<<<264, 256>>>((const float4*)f, part, N / 4);
    MUST(cudaGetLastError());
    stats_final<<<1, 128>>>(part, fin, 264);
    MUST(cudaGetLastError());
    scan_hillis_steele<<<(N_ODD + 511) / 512, 512>>>(src, dst, N_ODD);
    MUST(cudaGetLastError());
    scan_blelloch<false><<<SCAN_BLOCKS, 512>>>(src, dst, tot);
    MUST(cudaGetLastError());
    scan_blelloch<true><<<SCAN_BLOCKS, 512>>>(src, dst, tot);
    MUST(cudaGetLastError());
    row_prefix<<<(ROWS + 7) / 8, 256>>>(f, g, ROWS, COLS);
    MUST(cudaGetLastError());
    MUST(cudaDeviceSynchronize());

    Stat h;
    MUST(cudaMemcpy(&h, fin, sizeof(h), cudaMemcpyDeviceToHost));
    printf("min %f max %f sum %f\n", h.lo, h.hi, h.sum);

    cudaFree(src); cudaFree(dst); cudaFree(tot);
    cudaFree(f); cudaFree(g);
    cudaFree(part); cudaFree(fin);
}
