#include "common.h"
#define T 16
// fill, no barrier, use
__global__ void b_fill(const float *in, float *out) { __shared__ float s[256]; int t = threadIdx.x; s[t] = in[blockIdx.x * 256 + t]; out[blockIdx.x * 256 + t] = s[255 - t]; }
__global__ void g_fill(const float *in, float *out) { __shared__ float s[256]; int t = threadIdx.x; s[t] = in[blockIdx.x * 256 + t]; __syncthreads(); out[blockIdx.x * 256 + t] = s[255 - t]; }
// gemm: second barrier missing
__global__ void b_gemm(const float *A, const float *B, float *C, int n) {
    __shared__ float a[T][T], b[T][T]; int x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * T + x, row = blockIdx.y * T + y; float acc = 0;
    for (int m = 0; m < n; m += T) { a[y][x] = A[row * n + m + x]; b[y][x] = B[(m + y) * n + col]; __syncthreads(); for (int k = 0; k < T; k++) acc += a[y][k] * b[k][x]; }
    C[row * n + col] = acc;
}
__global__ void g_gemm(const float *A, const float *B, float *C, int n) {
    __shared__ float a[T][T], b[T][T]; int x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * T + x, row = blockIdx.y * T + y; float acc = 0;
    for (int m = 0; m < n; m += T) { a[y][x] = A[row * n + m + x]; b[y][x] = B[(m + y) * n + col]; __syncthreads(); for (int k = 0; k < T; k++) acc += a[y][k] * b[k][x]; __syncthreads(); }
    C[row * n + col] = acc;
}
// double buffer, one barrier an iteration: right with two buffers, wrong if the write goes to the current one
__global__ void b_parity(const float *in, float *out, int tiles) {
    __shared__ float s[2][128]; int t = threadIdx.x; float acc = 0; s[0][t] = in[t];
    for (int i = 0; i < tiles; i++) { __syncthreads(); if (i + 1 < tiles) s[i & 1][t] = in[(i + 1) * 128 + t]; acc += s[i & 1][127 - t]; }
    out[t] = acc;
}
__global__ void g_parity(const float *in, float *out, int tiles) {
    __shared__ float s[2][128]; int t = threadIdx.x; float acc = 0; s[0][t] = in[t];
    for (int i = 0; i < tiles; i++) { __syncthreads(); if (i + 1 < tiles) s[(i + 1) & 1][t] = in[(i + 1) * 128 + t]; acc += s[i & 1][127 - t]; }
    out[t] = acc;
}
// triple buffer with wrong number of stages ahead (writes stage being read by slow threads)
__global__ void b_stages(const float *in, float *out, int tiles) {
    __shared__ float s[3][64]; int t = threadIdx.x; float acc = 0; s[0][t] = in[t]; s[1][t] = in[64 + t];
    for (int i = 0; i < tiles; i++) { __syncthreads(); acc += s[i % 3][63 - t]; s[(i + 3) % 3][t] = in[(i + 3) * 64 + t]; }
    out[t] = acc;
}
__global__ void g_stages(const float *in, float *out, int tiles) {
    __shared__ float s[3][64]; int t = threadIdx.x; float acc = 0; s[0][t] = in[t]; s[1][t] = in[64 + t];
    for (int i = 0; i < tiles; i++) { __syncthreads(); acc += s[i % 3][63 - t]; s[(i + 2) % 3][t] = in[(i + 2) * 64 + t]; }
    out[t] = acc;
}
// in-place shift
__global__ void b_shift(int *x) { __shared__ int s[128]; int t = threadIdx.x; s[t] = x[t]; __syncthreads(); if (t < 127) s[t] = s[t + 1]; __syncthreads(); x[t] = s[t]; }
__global__ void g_shift(int *x) { __shared__ int s[128]; int t = threadIdx.x; s[t] = x[t]; __syncthreads(); int v = t < 127 ? s[t + 1] : s[t]; __syncthreads(); s[t] = v; __syncthreads(); x[t] = s[t]; }
// Hillis-Steele scan in one buffer
__global__ void b_scan(int *x) { __shared__ int s[256]; int t = threadIdx.x; s[t] = x[t]; __syncthreads(); for (int o = 1; o < 256; o *= 2) { if (t >= o) s[t] += s[t - o]; __syncthreads(); } x[t] = s[t]; }
__global__ void g_scan(int *x) { __shared__ int s[256]; int t = threadIdx.x; s[t] = x[t]; __syncthreads(); for (int o = 1; o < 256; o *= 2) { int v = t >= o ? s[t - o] : 0; __syncthreads(); s[t] += v; __syncthreads(); } x[t] = s[t]; }
// histogram without atomics
__global__ void b_hist(const unsigned char *in, int *out) { __shared__ int h[256]; int t = threadIdx.x; h[t] = 0; __syncthreads(); h[in[blockIdx.x * 256 + t]]++; __syncthreads(); atomicAdd(&out[t], h[t]); }
__global__ void g_hist(const unsigned char *in, int *out) { __shared__ int h[256]; int t = threadIdx.x; h[t] = 0; __syncthreads(); atomicAdd(&h[in[blockIdx.x * 256 + t]], 1); __syncthreads(); atomicAdd(&out[t], h[t]); }
// zeroing after counting without barrier between
__global__ void b_zero(const unsigned char *in, int *out) { __shared__ int h[256]; int t = threadIdx.x; h[t] = 0; atomicAdd(&h[in[blockIdx.x * 256 + t]], 1); __syncthreads(); atomicAdd(&out[t], h[t]); }
// different values to one address / equal values
__global__ void b_flagval(const int *in, int *out) { __shared__ int who; int t = threadIdx.x; if (in[t] >= 0) who = t; __syncthreads(); out[t] = who; }
__global__ void g_flagval(const int *in, int *out) { __shared__ int any; int t = threadIdx.x; if (!t) any = 0; __syncthreads(); if (in[t] > 0) any = 1; __syncthreads(); out[t] = any; }
// broadcast of a scalar: reduction's result read by all then reset for the next row without a barrier
__global__ void b_rowsum(const float *in, float *out, int rows) {
    __shared__ float total; int t = threadIdx.x;
    for (int r = 0; r < rows; r++) { if (!t) total = 0; __syncthreads(); atomicAdd(&total, in[r * 128 + t]); __syncthreads(); out[r * 128 + t] = in[r * 128 + t] / total; }
}
__global__ void g_rowsum(const float *in, float *out, int rows) {
    __shared__ float total; int t = threadIdx.x;
    for (int r = 0; r < rows; r++) { if (!t) total = 0; __syncthreads(); atomicAdd(&total, in[r * 128 + t]); __syncthreads(); out[r * 128 + t] = in[r * 128 + t] / total; __syncthreads(); }
}
// tree reduction, last six steps without barriers (no warp sync)
__global__ void b_tail(const float *in, float *out) { __shared__ float s[256]; int t = threadIdx.x; s[t] = in[t]; __syncthreads(); for (int o = 128; o > 32; o >>= 1) { if (t < o) s[t] += s[t + o]; __syncthreads(); }
    if (t < 32) { s[t] += s[t + 32]; s[t] += s[t + 16]; s[t] += s[t + 8]; s[t] += s[t + 4]; s[t] += s[t + 2]; s[t] += s[t + 1]; } if (!t) out[0] = s[0]; }
__global__ void b_tailvol(const float *in, float *out) { __shared__ float s[256]; int t = threadIdx.x; s[t] = in[t]; __syncthreads(); for (int o = 128; o > 32; o >>= 1) { if (t < o) s[t] += s[t + o]; __syncthreads(); }
    if (t < 32) { volatile float *v = s; v[t] += v[t + 32]; v[t] += v[t + 16]; v[t] += v[t + 8]; v[t] += v[t + 4]; v[t] += v[t + 2]; v[t] += v[t + 1]; } if (!t) out[0] = s[0]; }
__global__ void g_tail(const float *in, float *out) { __shared__ float s[256]; int t = threadIdx.x; s[t] = in[t]; __syncthreads(); for (int o = 128; o > 32; o >>= 1) { if (t < o) s[t] += s[t + o]; __syncthreads(); }
    if (t < 32) { float v = s[t] + s[t + 32]; __syncwarp(); for (int o = 16; o; o >>= 1) v += __shfl_down_sync(~0u, v, o); if (!t) out[0] = v; } }
// transposed tile per warp, without __syncwarp
__global__ void b_warptile(const float *in, float *out) { __shared__ float s[4][32][33]; int w = threadIdx.x / 32, l = threadIdx.x % 32; for (int r = 0; r < 32; r++) s[w][r][l] = in[(w * 32 + r) * 32 + l]; for (int r = 0; r < 32; r++) out[(w * 32 + r) * 32 + l] = s[w][l][r]; }
__global__ void g_warptile(const float *in, float *out) { __shared__ float s[4][32][33]; int w = threadIdx.x / 32, l = threadIdx.x % 32; for (int r = 0; r < 32; r++) s[w][r][l] = in[(w * 32 + r) * 32 + l]; __syncwarp(); for (int r = 0; r < 32; r++) out[(w * 32 + r) * 32 + l] = s[w][l][r]; }
// bitonic within block, j < 32 without barrier
__global__ void b_bitonic(int *x) { __shared__ int s[256]; int t = threadIdx.x; s[t] = x[t]; __syncthreads();
    for (int k = 2; k <= 256; k *= 2) for (int j = k / 2; j > 0; j /= 2) { int p = t ^ j; if (p > t) { bool up = !(t & k); int a = s[t], b = s[p]; if ((a > b) == up) { s[t] = b; s[p] = a; } } if (j > 32) __syncthreads(); }
    x[t] = s[t]; }
__global__ void g_bitonic(int *x) { __shared__ int s[256]; int t = threadIdx.x; s[t] = x[t]; __syncthreads();
    for (int k = 2; k <= 256; k *= 2) for (int j = k / 2; j > 0; j /= 2) { int p = t ^ j; if (p > t) { bool up = !(t & k); int a = s[t], b = s[p]; if ((a > b) == up) { s[t] = b; s[p] = a; } } __syncthreads(); }
    x[t] = s[t]; }
// uninitialised corners / tail
__global__ void b_corner(const float *in, float *out, int w) { __shared__ float s[18][18]; int x = threadIdx.x, y = threadIdx.y, gx = blockIdx.x * 16 + x + 1, gy = blockIdx.y * 16 + y + 1;
    s[y + 1][x + 1] = in[gy * w + gx]; if (x == 0) s[y + 1][0] = in[gy * w + gx - 1]; if (x == 15) s[y + 1][17] = in[gy * w + gx + 1]; if (y == 0) s[0][x + 1] = in[(gy - 1) * w + gx]; if (y == 15) s[17][x + 1] = in[(gy + 1) * w + gx]; __syncthreads();
    float a = 0; for (int j = -1; j <= 1; j++) for (int i = -1; i <= 1; i++) a += s[y + 1 + j][x + 1 + i]; out[gy * w + gx] = a; }
__global__ void g_corner(const float *in, float *out, int w) { __shared__ float s[18][18]; int x = threadIdx.x, y = threadIdx.y, gx = blockIdx.x * 16 + x + 1, gy = blockIdx.y * 16 + y + 1;
    for (int k = y * 16 + x; k < 18 * 18; k += 256) s[k / 18][k % 18] = in[(blockIdx.y * 16 + k / 18) * w + blockIdx.x * 16 + k % 18]; __syncthreads();
    float a = 0; for (int j = -1; j <= 1; j++) for (int i = -1; i <= 1; i++) a += s[y + 1 + j][x + 1 + i]; out[gy * w + gx] = a; }
__global__ void b_uninit(const float *in, float *out) { __shared__ float m[8]; int t = threadIdx.x; if (t % 32 == 0) m[t / 32] = in[t]; __syncthreads(); float a = 0; for (int i = 0; i < 8; i++) a += m[i]; out[t] = a; }
__global__ void g_uninit(const float *in, float *out) { __shared__ float m[8]; int t = threadIdx.x; if (t % 32 == 0) m[t / 32] = in[t]; __syncthreads(); float a = 0; for (int i = 0; i < blockDim.x / 32; i++) a += m[i]; out[t] = a; }
__global__ void b_acc(const int *in, int *out) { __shared__ int cnt; if (in[threadIdx.x] > 5) atomicAdd(&cnt, 1); __syncthreads(); if (!threadIdx.x) *out = cnt; }
__global__ void g_acc(const int *in, int *out) { __shared__ int cnt; if (!threadIdx.x) cnt = 0; __syncthreads(); if (in[threadIdx.x] > 5) atomicAdd(&cnt, 1); __syncthreads(); if (!threadIdx.x) *out = cnt; }
int main(int argc, char **argv) {
    float *f, *o; MUST(cudaMalloc(&f, 1 << 20)); MUST(cudaMalloc(&o, 1 << 20)); float *c; MUST(cudaMalloc(&c, 1 << 20)); MUST(cudaMemset(f, 0, 1 << 20)); MUST(cudaMemset(o, 0, 1 << 20)); MUST(cudaMemset(c, 0, 1 << 20));
    int *fi = (int *)f, *oi = (int *)o; unsigned char *fc = (unsigned char *)f;
#define R(name, ...) if (wanted(argc, argv, #name)) { name<<<__VA_ARGS__; done(#name); }
    R(b_fill, 4, 256>>>(f, o)) R(g_fill, 4, 256>>>(f, o))
    R(b_gemm, dim3(4, 4), dim3(T, T)>>>(f, c, o, 64)) R(g_gemm, dim3(4, 4), dim3(T, T)>>>(f, c, o, 64))
    R(b_parity, 1, 128>>>(f, o, 8)) R(g_parity, 1, 128>>>(f, o, 8)) R(b_stages, 1, 64>>>(f, o, 8)) R(g_stages, 1, 64>>>(f, o, 8))
    R(b_shift, 1, 128>>>(fi)) R(g_shift, 1, 128>>>(fi)) R(b_scan, 1, 256>>>(fi)) R(g_scan, 1, 256>>>(fi))
    R(b_hist, 4, 256>>>(fc, oi)) R(g_hist, 4, 256>>>(fc, oi)) R(b_zero, 4, 256>>>(fc, oi)) R(b_flagval, 1, 128>>>(fi, oi)) R(g_flagval, 1, 128>>>(fi, oi))
    R(b_rowsum, 1, 128>>>(f, o, 8)) R(g_rowsum, 1, 128>>>(f, o, 8)) R(b_tail, 1, 256>>>(f, o)) R(b_tailvol, 1, 256>>>(f, o)) R(g_tail, 1, 256>>>(f, o))
    R(b_warptile, 1, 128>>>(f, o)) R(g_warptile, 1, 128>>>(f, o)) R(b_bitonic, 1, 256>>>(fi)) R(g_bitonic, 1, 256>>>(fi))
    R(b_corner, dim3(2, 2), dim3(16, 16)>>>(f, o, 64)) R(g_corner, dim3(2, 2), dim3(16, 16)>>>(f, o, 64)) R(b_uninit, 1, 128>>>(f, o)) R(g_uninit, 1, 128>>>(f, o)) R(b_acc, 1, 128>>>(fi, oi)) R(g_acc, 1, 128>>>(fi, oi))
    return 0;
}
