#include <cooperative_groups.h>
// software grid barrier
__device__ volatile int g_arrive; __device__ int g_count;
__device__ void grid_barrier(int goal) { __syncthreads(); if (threadIdx.x == 0) { __threadfence(); atomicAdd(&g_count, 1); while (*(volatile int *)&g_count < goal) { } __threadfence(); } __syncthreads(); }
// kernlint: launch(grid=8, block=64, steps=4)
__global__ void g_soft(float *a, float *b, int steps) { int i = blockIdx.x * 64 + threadIdx.x; for (int s = 0; s < steps; s++) { b[i] = a[i > 0 ? i - 1 : 0] * 0.5f; grid_barrier((2 * s + 1) * gridDim.x); a[i] = b[i < 511 ? i + 1 : i]; grid_barrier((2 * s + 2) * gridDim.x); } }
// kernlint: launch(grid=8, block=64)
__global__ void g_once(float *x) { int i = blockIdx.x * 64 + threadIdx.x; float v = x[i > 0 ? i - 1 : 0]; grid_barrier(gridDim.x); x[i] = v; }
// kernlint: launch(grid=8, block=64)
__global__ void b_once_nobar(float *x) { int i = blockIdx.x * 64 + threadIdx.x; float v = x[i > 0 ? i - 1 : 0]; x[i] = v; grid_barrier(gridDim.x); }
// the CUDA sample: reduction with last block
__device__ unsigned retire = 0;
// kernlint: launch(grid=16, block=128, n=4096)
__global__ void g_sample(const float *in, volatile float *odata, int n) { __shared__ float s[128]; __shared__ bool am_last; int t = threadIdx.x; float a = 0; for (int i = blockIdx.x * 128 + t; i < n; i += gridDim.x * 128) a += in[i]; s[t] = a; __syncthreads(); for (int o = 64; o; o >>= 1) { if (t < o) s[t] += s[t + o]; __syncthreads(); }
  if (t == 0) { odata[blockIdx.x] = s[0]; __threadfence(); unsigned k = atomicInc(&retire, gridDim.x); am_last = k == gridDim.x - 1; } __syncthreads();
  if (am_last) { float b = 0; for (int i = t; i < gridDim.x; i += 128) b += odata[i]; s[t] = b; __syncthreads(); for (int o = 64; o; o >>= 1) { if (t < o) s[t] += s[t + o]; __syncthreads(); } if (t == 0) { odata[0] = s[0]; retire = 0; } } }
// all threads write, fence each, sync, then ticket
// kernlint: launch(grid=16, block=64)
__global__ void g_all(const float *x, float *part, float *out) { __shared__ bool last; int t = threadIdx.x; part[blockIdx.x * 64 + t] = x[blockIdx.x * 64 + t]; __threadfence(); __syncthreads(); if (!t) last = atomicAdd(&retire, 1) == gridDim.x - 1; __syncthreads(); if (last) { float s = 0; for (int b = 0; b < gridDim.x; b++) s += part[b * 64 + t]; out[t] = s; } }
// kernlint: launch(grid=16, block=64)
__global__ void g_all2(const float *x, float *part, float *out) { __shared__ bool last; int t = threadIdx.x; part[blockIdx.x * 64 + t] = x[blockIdx.x * 64 + t]; __syncthreads(); if (!t) { __threadfence(); last = atomicAdd(&retire, 1) == gridDim.x - 1; } __syncthreads(); if (last) { __threadfence(); float s = 0; for (int b = 0; b < gridDim.x; b++) s += part[b * 64 + t]; out[t] = s; } }
// decoupled look-back
__device__ unsigned tile_counter;
// kernlint: launch(grid=32, block=128)
__global__ void g_lookback(const int *in, int *out, volatile int *agg, volatile int *pre, volatile int *status) { __shared__ int s[128], base, tile; int t = threadIdx.x; if (t == 0) tile = atomicAdd(&tile_counter, 1); __syncthreads(); int b = tile; s[t] = in[b * 128 + t]; __syncthreads(); for (int o = 1; o < 128; o *= 2) { int v = t >= o ? s[t - o] : 0; __syncthreads(); s[t] += v; __syncthreads(); }
  if (t == 0) { agg[b] = s[127]; __threadfence(); status[b] = 1; int sum = 0; for (int p = b - 1; p >= 0; p--) { int st; while ((st = status[p]) == 0) { } __threadfence(); if (st == 2) { sum += pre[p]; break; } sum += agg[p]; } pre[b] = sum + s[127]; __threadfence(); status[b] = 2; base = sum; } __syncthreads(); out[b * 128 + t] = base + s[t]; }
// stream-k fixup: partial tiles and flags
// kernlint: launch(grid=8, block=64)
__global__ void g_streamk(const float *in, volatile float *ws, volatile int *flag, float *out) { int t = threadIdx.x, b = blockIdx.x; float acc = in[b * 64 + t]; if (b & 1) { ws[b * 64 + t] = acc; __threadfence(); __syncthreads(); if (t == 0) flag[b] = 1; } else { if (t == 0) while (flag[b + 1] == 0) { } __syncthreads(); acc += ws[(b + 1) * 64 + t]; out[b / 2 * 64 + t] = acc; } }
// kernlint: launch(grid=8, block=64)
__global__ void b_streamk(const float *in, volatile float *ws, volatile int *flag, float *out) { int t = threadIdx.x, b = blockIdx.x; float acc = in[b * 64 + t]; if (b & 1) { ws[b * 64 + t] = acc; if (t == 0) { __threadfence(); flag[b] = 1; } } else { if (t == 0) while (flag[b + 1] == 0) { } __syncthreads(); acc += ws[(b + 1) * 64 + t]; out[b / 2 * 64 + t] = acc; } }
// lock per bucket, in the loop
// kernlint: launch(grid=8, block=64)
__global__ void g_buckets(int *locks, const int *key, volatile int *count, volatile int *last) { int i = blockIdx.x * 64 + threadIdx.x, k = key[i] & 31; bool done = false; while (!done) { if (atomicCAS(&locks[k], 0, 1) == 0) { __threadfence(); count[k] += 1; last[k] = i; __threadfence(); atomicExch(&locks[k], 0); done = true; } } }
// block lock: thread 0 takes it, all threads update, thread 0 gives it back
// kernlint: launch(grid=8, block=64)
__global__ void g_blocklock(int *lock, float *total, const float *x) { int t = threadIdx.x; float v = x[blockIdx.x * 64 + t]; if (t == 0) { while (atomicCAS(lock, 0, 1)) { } __threadfence(); } __syncthreads(); ((volatile float *)total)[t] += v; __syncthreads(); if (t == 0) { __threadfence(); atomicExch(lock, 0); } }
// kernlint: launch(grid=8, block=64)
__global__ void b_blocklock(int *lock, float *total, const float *x) { int t = threadIdx.x; float v = x[blockIdx.x * 64 + t]; total[t] += v; if (t == 0) { while (atomicCAS(lock, 0, 1)) { } __threadfence(); } __syncthreads(); ((volatile float *)total)[64 + t] += v; __syncthreads(); if (t == 0) { __threadfence(); atomicExch(lock, 0); } }
// ordered output through a turn counter
// kernlint: launch(grid=8, block=64)
__global__ void g_turns(volatile int *turn, int *out, const int *x) { __shared__ int at; int t = threadIdx.x; if (t == 0) { while (*turn != blockIdx.x) { } __threadfence(); at = out[0]; out[0] = at + x[blockIdx.x]; __threadfence(); *turn = blockIdx.x + 1; } __syncthreads(); out[1 + blockIdx.x * 64 + t] = at; }
// double-checked best
// kernlint: launch(grid=8, block=32)
__global__ void g_best(int *lock, volatile int *best, const int *x) { if (threadIdx.x == 0) { int v = x[blockIdx.x]; if (v < *best) { while (atomicCAS(lock, 0, 1)) { } if (v < *best) *best = v; __threadfence(); atomicExch(lock, 0); } } }
// kernlint: launch(grid=8, block=64)
__global__ void g_work(int *next, const float *x, float *y, int n) { __shared__ int tile; for (;;) { if (threadIdx.x == 0) tile = atomicAdd(next, 1); __syncthreads(); int k = tile; __syncthreads(); if (k >= n) break; y[k * 64 + threadIdx.x] = x[k * 64 + threadIdx.x]; __threadfence(); } }
// kernlint: launch(grid=8, block=64)
__global__ void g_rank(const int *key, int *count, int *out) { int i = blockIdx.x * 64 + threadIdx.x; int r = atomicAdd(&count[key[i] & 7], 1); __threadfence(); out[i] = r; }
