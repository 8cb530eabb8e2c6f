#include "common.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void b_divbar(const float *in, float *out) { __shared__ float s[128]; int t = threadIdx.x; if (t < 96) { s[t] = in[t]; __syncthreads(); out[t] = s[95 - t]; } }
__global__ void g_divbar(const float *in, float *out) { __shared__ float s[128]; int t = threadIdx.x; if (t < 96) s[t] = in[t]; __syncthreads(); if (t < 96) out[t] = s[95 - t]; }
__global__ void g_exited(const float *in, float *out, int n) { __shared__ float s[128]; int t = threadIdx.x, i = blockIdx.x * 128 + t; if (i >= n) return; s[t] = in[i]; __syncthreads(); out[i] = s[t ^ 1]; }
__global__ void g_exitbar(const float *in, float *out, int n) { __shared__ float s[128]; int t = threadIdx.x, i = blockIdx.x * 128 + t; s[t] = i < n ? in[i] : 0; __syncthreads(); if (i < n) out[i] = s[t ^ 1]; }
__global__ void b_shfexit(const float *in, float *out, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= n) return; float v = in[i]; for (int o = 16; o; o >>= 1) v += __shfl_down_sync(0xffffffff, v, o); if ((threadIdx.x & 31) == 0) atomicAdd(out, v); }
__global__ void g_shfexit(const float *in, float *out, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; float v = i < n ? in[i] : 0; for (int o = 16; o; o >>= 1) v += __shfl_down_sync(0xffffffff, v, o); if ((threadIdx.x & 31) == 0) atomicAdd(out, v); }
__global__ void b_halfmask(const float *in, float *out) { int t = threadIdx.x; float v = in[t]; if (t % 32 < 16) v += __shfl_xor_sync(0xffffffff, v, 8); out[t] = v; }
__global__ void g_halfmask(const float *in, float *out) { int t = threadIdx.x; float v = in[t]; if (t % 32 < 16) v += __shfl_xor_sync(0x0000ffff, v, 8); out[t] = v; }
__global__ void b_halfread(const float *in, float *out) { int t = threadIdx.x; float v = in[t]; if (t % 32 < 16) v += __shfl_xor_sync(0x0000ffff, v, 16); out[t] = v; }
__global__ void b_ballot(const int *in, int *out) { int t = threadIdx.x; if (in[t] > 0) { unsigned m = __ballot_sync(0xffffffff, in[t] > 5); out[t] = __popc(m); } }
__global__ void g_ballot(const int *in, int *out) { int t = threadIdx.x; unsigned m = __ballot_sync(0xffffffff, in[t] > 5); if (in[t] > 0) out[t] = __popc(m); }
__global__ void b_loopbar(const int *len, float *out) { __shared__ float s[64]; int t = threadIdx.x; for (int i = 0; i < t; i++) { s[t] = i; __syncthreads(); out[t] += s[t ^ 1]; __syncthreads(); } }
__global__ void g_loopbar(const int *len, float *out, int m) { __shared__ float s[64]; int t = threadIdx.x; for (int i = 0; i < m; i++) { s[t] = i; __syncthreads(); out[t] += s[t ^ 1]; __syncthreads(); } }
__global__ void g_lastchunk(const float *in, float *out, int n) { __shared__ float s[128]; float a = 0; for (int base = blockIdx.x * 128; base < n; base += gridDim.x * 128) { int i = base + threadIdx.x; if (i < n) s[threadIdx.x] = in[i]; __syncthreads(); for (int k = 0; k < 128; k++) a += s[k]; __syncthreads(); } out[blockIdx.x * 128 + threadIdx.x] = a; }
__global__ void b_stridebar(const float *in, float *out, int n) { __shared__ float s[128]; for (int i = threadIdx.x; i < n; i += 128) { s[threadIdx.x] = in[i]; __syncthreads(); out[i] = s[threadIdx.x ^ 1]; __syncthreads(); } }
__global__ void g_stridebar(const float *in, float *out, int n) { __shared__ float s[128]; for (int i = threadIdx.x; i < n; i += 128) { s[threadIdx.x] = in[i]; __syncthreads(); out[i] = s[threadIdx.x ^ 1]; __syncthreads(); } }
__global__ void b_sel(const int *in, int *out, int kind) { __shared__ int s[64]; int t = threadIdx.x; switch (t & 3) { case 0: s[t] = 1; __syncthreads(); break; default: s[t] = 0; __syncthreads(); } out[t] = s[t ^ 1]; }
__global__ void g_sel(const int *in, int *out, int kind) { __shared__ int s[64]; int t = threadIdx.x; switch (kind) { case 0: s[t] = 1; __syncthreads(); break; default: s[t] = 0; __syncthreads(); } out[t] = s[t ^ 1]; }
__global__ void b_coal(const int *in, int *out) { auto blk = cg::this_thread_block(); __shared__ int s[64]; int t = threadIdx.x; if (in[t] > 0) { s[t] = t; blk.sync(); } out[t] = s[0]; }
__global__ void g_coal(const int *in, int *out) { if (in[threadIdx.x] > 0) { auto a = cg::coalesced_threads(); int k = a.thread_rank() == 0 ? atomicAdd(out, a.size()) : 0; k = a.shfl(k, 0); out[1 + k + a.thread_rank()] = in[threadIdx.x]; } }
__global__ void g_width(const float *in, float *out) { int t = threadIdx.x; float v = in[t]; if (t < 20) { float w = __shfl_down_sync((1u << 20) - 1, v, 4); out[t] = t < 16 ? w : v; } }
int main(int argc, char **argv) {
    float *f, *o; MUST(cudaMalloc(&f, 1 << 20)); MUST(cudaMalloc(&o, 1 << 20)); MUST(cudaMemset(f, 0, 1 << 20)); MUST(cudaMemset(o, 0, 1 << 20));
    int *fi = (int *)f, *oi = (int *)o;
#define R(name, ...) if (wanted(argc, argv, #name)) { name<<<__VA_ARGS__; done(#name); }
    R(b_divbar, 1, 128>>>(f, o)) R(g_divbar, 1, 128>>>(f, o)) R(g_exited, 8, 128>>>(f, o, 1000)) R(g_exitbar, 8, 128>>>(f, o, 1000)) R(b_shfexit, 8, 128>>>(f, o, 1000)) R(g_shfexit, 8, 128>>>(f, o, 1000))
    R(b_halfmask, 1, 64>>>(f, o)) R(g_halfmask, 1, 64>>>(f, o)) R(b_halfread, 1, 64>>>(f, o)) R(b_ballot, 1, 64>>>(fi, oi)) R(g_ballot, 1, 64>>>(fi, oi)) R(b_loopbar, 1, 64>>>(fi, o)) R(g_loopbar, 1, 64>>>(fi, o, 5))
    R(g_lastchunk, 2, 128>>>(f, o, 1000)) R(b_stridebar, 1, 128>>>(f, o, 1000)) R(g_stridebar, 1, 128>>>(f, o, 1024)) R(b_sel, 1, 64>>>(fi, oi, 0)) R(g_sel, 1, 64>>>(fi, oi, 0)) R(b_coal, 1, 64>>>(fi, oi)) R(g_coal, 1, 64>>>(fi, oi)) R(g_width, 1, 32>>>(f, o))
    return 0;
}
