// kernlint: launch(grid=4, block=128)
__global__ void b_bal(const int *in, int *out) { __shared__ int s[128]; int t = threadIdx.x, lane = t % 32, i = blockIdx.x * 128 + t, v = in[i]; unsigned m = __ballot_sync(0xffffffffu, v > 500); if (v > 500) s[t - lane + __popc(m & ((1u << lane) - 1))] = v; __syncwarp(m); out[i] = lane < __popc(m) ? s[t] : 0; }
// kernlint: launch(grid=4, block=128)
__global__ void b_shfl(const int *in, int *out) { int t = threadIdx.x, v = in[t]; unsigned m = __ballot_sync(~0u, v > 0); int leader = __ffs(m) - 1; out[t] = __shfl_sync(m, v, leader); }
// kernlint: launch(grid=4, block=128)
__global__ void g_shfl(const int *in, int *out) { int t = threadIdx.x, v = in[t]; unsigned m = __ballot_sync(~0u, v > 0); if (v > 0) { int leader = __ffs(m) - 1; out[t] = __shfl_sync(m, v, leader); } }
// kernlint: launch(grid=4, block=128)
__global__ void g_cont(const int *in, int *out) { int t = threadIdx.x, v = in[t]; unsigned m = __ballot_sync(~0u, v > 0); if (v <= 0) return; int leader = __ffs(m) - 1; out[t] = __shfl_sync(m, v, leader); }
// kernlint: launch(grid=4, block=128)
__global__ void g_full(const int *in, int *out) { int t = threadIdx.x, v = in[t]; unsigned m = __ballot_sync(~0u, v > 0); __syncwarp(); out[t] = __shfl_sync(~0u, v, __popc(m) & 31); }
// kernlint: launch(grid=4, block=128, n=1000)
__global__ void g_guard(const int *in, int *out, int n) { int t = blockIdx.x * 128 + threadIdx.x; unsigned m = __ballot_sync(~0u, t < n); if (t < n) { int v = in[t]; for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(m, v, o); out[t] = v; } }
