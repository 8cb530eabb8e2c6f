#include "common.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ unsigned ticket_a, ticket_b, ticket_c;
// halos in place
__global__ void b_smooth(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i > 0 && i < n - 1) x[i] = (x[i - 1] + x[i] + x[i + 1]) / 3; }
__global__ void g_smooth(const float *x, float *y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i > 0 && i < n - 1) y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3; }
// aliasing arguments at the launch: out == in
__global__ void b_alias(const float *x, float *y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i > 0 && i < n - 1) y[i] = (x[i - 1] + x[i] + x[i + 1]) / 3; }
__global__ void g_alias(const float *x, float *y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i] * 2; }
__global__ void b_alias_off(const float *x, float *y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = x[i] * 2; }
// tile loaded to shared first, in place: interior fine, the halo races between blocks
__global__ void b_tileplace(float *x, int n) { __shared__ float s[130]; int t = threadIdx.x, i = blockIdx.x * 128 + t; s[t + 1] = x[i]; if (!t) s[0] = i ? x[i - 1] : 0; if (t == 127) s[129] = i + 1 < n ? x[i + 1] : 0; __syncthreads(); x[i] = s[t] + s[t + 2]; }
__global__ void g_tileplace(float *x, int n) { __shared__ float s[128]; int t = threadIdx.x, i = blockIdx.x * 128 + t; s[t] = x[i]; __syncthreads(); x[i] = s[127 - t]; }
// sums without atomics
__global__ void b_sum(const float *x, float *total, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) *total += x[i]; }
__global__ void g_sum(const float *x, float *total, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) atomicAdd(total, x[i]); }
__global__ void b_blocktotal(const float *x, float *total) { __shared__ float s[128]; int t = threadIdx.x; s[t] = x[blockIdx.x * 128 + t]; __syncthreads(); for (int o = 64; o; o >>= 1) { if (t < o) s[t] += s[t + o]; __syncthreads(); } if (!t) total[0] += s[0]; }
// last-block pattern
__global__ void g_last(const float *x, float *part, float *out, int n) { __shared__ bool last; int t = threadIdx.x; if (!t) { part[blockIdx.x] = x[blockIdx.x]; __threadfence(); last = atomicAdd(&ticket_a, 1) == gridDim.x - 1; } __syncthreads(); if (last && !t) { float s = 0; for (int b = 0; b < gridDim.x; b++) s += ((volatile float *)part)[b]; *out = s; ticket_a = 0; } }
__global__ void b_last_nofence(const float *x, float *part, float *out, int n) { __shared__ bool last; int t = threadIdx.x; if (!t) { part[blockIdx.x] = x[blockIdx.x]; last = atomicAdd(&ticket_b, 1) == gridDim.x - 1; } __syncthreads(); if (last && !t) { float s = 0; for (int b = 0; b < gridDim.x; b++) s += part[b]; *out = s; ticket_b = 0; } }
// every thread writes, only thread 0's fence after, without a barrier between
__global__ void b_last_nobar(const float *x, float *part, float *out) { __shared__ bool last; int t = threadIdx.x; part[blockIdx.x * 64 + t] = x[blockIdx.x * 64 + t] * 2; if (!t) { __threadfence(); last = atomicAdd(&ticket_c, 1) == gridDim.x - 1; } __syncthreads(); if (last) { float s = 0; for (int b = 0; b < gridDim.x; b++) s += part[b * 64 + t]; out[t] = s; if (!t) ticket_c = 0; } }
// flags without a fence, chained
__global__ void b_flag(const int *in, int *data, volatile int *flag) { int b = blockIdx.x; if (threadIdx.x == 0) { if (b > 0) while (flag[b - 1] == 0) { } int v = (b ? data[b - 1] : 0) + in[b]; data[b] = v; flag[b] = 1; } }
__global__ void g_flag(const int *in, volatile int *data, volatile int *flag) { int b = blockIdx.x; if (threadIdx.x == 0) { if (b > 0) while (flag[b - 1] == 0) { } __threadfence(); int v = (b ? data[b - 1] : 0) + in[b]; data[b] = v; __threadfence(); flag[b] = 1; } }
__global__ void b_flag_order(const int *in, volatile int *data, volatile int *flag) { int b = blockIdx.x; if (threadIdx.x == 0) { if (b > 0) while (flag[b - 1] == 0) { } __threadfence(); int v = (b ? data[b - 1] : 0) + in[b]; flag[b] = 1; __threadfence(); data[b] = v; } }
// grid sync
__global__ void g_grid(float *a, float *b, int n, int steps) { auto g = cg::this_grid(); int i = blockIdx.x * blockDim.x + threadIdx.x; for (int s = 0; s < steps; s++) { float *src = s & 1 ? b : a, *dst = s & 1 ? a : b; if (i > 0 && i < n - 1) dst[i] = 0.5f * (src[i - 1] + src[i + 1]); g.sync(); } }
__global__ void b_grid(float *a, float *b, int n, int steps) { int i = blockIdx.x * blockDim.x + threadIdx.x; for (int s = 0; s < steps; s++) { float *src = s & 1 ? b : a, *dst = s & 1 ? a : b; if (i > 0 && i < n - 1) dst[i] = 0.5f * (src[i - 1] + src[i + 1]); __syncthreads(); } }
// neighbours in the block through global memory
__global__ void b_inblock(float *tmp, float *out) { int t = threadIdx.x, i = blockIdx.x * 128 + t; tmp[i] = t; out[i] = tmp[blockIdx.x * 128 + (127 - t)]; }
__global__ void g_inblock(float *tmp, float *out) { int t = threadIdx.x, i = blockIdx.x * 128 + t; tmp[i] = t; __syncthreads(); out[i] = tmp[blockIdx.x * 128 + (127 - t)]; }
// scatter by permutation: data
__global__ void b_degree(const int *edge, int *deg, int m) { int e = blockIdx.x * blockDim.x + threadIdx.x; if (e < m) deg[edge[e]]++; }
__global__ void g_degree(const int *edge, int *deg, int m) { int e = blockIdx.x * blockDim.x + threadIdx.x; if (e < m) atomicAdd(&deg[edge[e]], 1); }
__global__ void g_permute(const int *perm, const float *x, float *y, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[perm[i]] = x[i]; }
// level-synchronous relaxation: plain min
__global__ void b_relax(const int *src, const int *dst, const int *w, int *dist, int m) { int e = blockIdx.x * blockDim.x + threadIdx.x; if (e < m) { int d = dist[src[e]] + w[e]; if (d < dist[dst[e]]) dist[dst[e]] = d; } }
__global__ void g_relax(const int *src, const int *dst, const int *w, int *dist, int m) { int e = blockIdx.x * blockDim.x + threadIdx.x; if (e < m) { int d = dist[src[e]] + w[e]; atomicMin(&dist[dst[e]], d); } }
// lock and a value outside of it
__device__ inline void lock_(int *l) { while (atomicCAS(l, 0, 1) != 0) { } __threadfence(); }
__device__ inline void unlock_(int *l) { __threadfence(); atomicExch(l, 0); }
__global__ void b_outside(int *l, volatile int *sum, volatile int *calls) { if (threadIdx.x == 0) { lock_(l); *sum = *sum + 1; unlock_(l); *calls = *calls + 1; } }
__global__ void g_inside(int *l, volatile int *sum, volatile int *calls) { if (threadIdx.x == 0) { lock_(l); *sum = *sum + 1; *calls = *calls + 1; unlock_(l); } }
__global__ void b_warplock(int *l, volatile int *sum) { lock_(l); *sum = *sum + 1; unlock_(l); }
// overlap of rows between blocks: block b writes rows of 130 at pitch 128
__global__ void b_overlap(float *x) { int b = blockIdx.x; for (int c = threadIdx.x; c < 130; c += blockDim.x) x[b * 128 + c] = b; }
__global__ void g_overlap(float *x) { int b = blockIdx.x; for (int c = threadIdx.x; c < 128; c += blockDim.x) x[b * 128 + c] = b; }
int main(int argc, char **argv) {
    float *f, *o; MUST(cudaMalloc(&f, 1 << 20)); MUST(cudaMalloc(&o, 1 << 20)); float *c; MUST(cudaMalloc(&c, 1 << 20)); MUST(cudaMemset(f, 0, 1 << 20)); MUST(cudaMemset(o, 0, 1 << 20)); MUST(cudaMemset(c, 0, 1 << 20));
    int *fi = (int *)f, *oi = (int *)o, *ci = (int *)c; int n = 1024;
#define R(name, ...) if (wanted(argc, argv, #name)) { name<<<__VA_ARGS__; done(#name); }
    R(b_smooth, 8, 128>>>(f, n)) R(g_smooth, 8, 128>>>(f, o, n)) R(b_alias, 8, 128>>>(f, f, n)) R(g_alias, 8, 128>>>(f, f, n)) R(b_alias_off, 8, 128>>>(f, f + 1, n - 1))
    R(b_tileplace, 8, 128>>>(f, n)) R(g_tileplace, 8, 128>>>(f, n)) R(b_sum, 8, 128>>>(f, o, n)) R(g_sum, 8, 128>>>(f, o, n)) R(b_blocktotal, 8, 128>>>(f, o))
    R(g_last, 16, 64>>>(f, o, c, n)) R(b_last_nofence, 16, 64>>>(f, o, c, n)) R(b_last_nobar, 16, 64>>>(f, o, c))
    MUST(cudaMemset(c, 0, 4096)); R(b_flag, 16, 32>>>(fi, oi, ci)) MUST(cudaMemset(c, 0, 4096)); R(g_flag, 16, 32>>>(fi, oi, ci)) MUST(cudaMemset(c, 0, 4096)); R(b_flag_order, 16, 32>>>(fi, oi, ci))
    int steps = 4; void *args[] = {&f, &o, &n, &steps};
    if (wanted(argc, argv, "g_grid")) { MUST(cudaLaunchCooperativeKernel((void *)g_grid, 8, 128, args)); done("g_grid"); }
    R(b_grid, 8, 128>>>(f, o, n, steps)) R(b_inblock, 8, 128>>>(f, o)) R(g_inblock, 8, 128>>>(f, o))
    MUST(cudaMemset(f, 0, 4096)); R(b_degree, 8, 128>>>(fi, oi, n)) R(g_degree, 8, 128>>>(fi, oi, n)) R(g_permute, 8, 128>>>(fi, c, o, n))
    R(b_relax, 8, 128>>>(fi, fi, fi, oi, n)) R(g_relax, 8, 128>>>(fi, fi, fi, oi, n))
    MUST(cudaMemset(f, 0, 4096)); R(b_outside, 8, 32>>>(fi, oi, ci)) R(g_inside, 8, 32>>>(fi, oi, ci)) R(b_warplock, 2, 32>>>(fi, oi)) R(b_overlap, 8, 64>>>(o)) R(g_overlap, 8, 64>>>(o))
    return 0;
}
