#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <cuda_pipeline.h>
#include <mma.h>
#include <cstdio>
#include <cstdlib>
#include <cstdint>
namespace cg = cooperative_groups;
inline void gpuAssert(cudaError_t e, const char *f, int l) { if (e != cudaSuccess) { fprintf(stderr, "%s %s %d\n", cudaGetErrorString(e), f, l); exit(e); } }
#define gpu(x) gpuAssert((x), __FILE__, __LINE__)
// named barriers
__global__ void b_named_count(const float *in, float *out) { __shared__ float s[128]; int t = threadIdx.x; if (t < 128) { s[t] = in[t]; asm volatile("bar.sync 1, 64;" ::: "memory"); out[t] = s[127 - t]; } }
__global__ void g_named_count(const float *in, float *out) { __shared__ float s[128]; int t = threadIdx.x; if (t < 128) { s[t] = in[t]; asm volatile("bar.sync 1, 128;" ::: "memory"); out[t] = s[127 - t]; } }
// cp.async wait count off by one
template <int LEFT> __device__ void stages(const float4 *in, float4 *out, int tiles) { __shared__ float4 s[3][128]; int t = threadIdx.x; float4 acc = make_float4(0, 0, 0, 0);
    for (int k = 0; k < 2; k++) { __pipeline_memcpy_async(&s[k][t], &in[k * 128 + t], 16); __pipeline_commit(); }
    for (int k = 0; k < tiles; k++) { __pipeline_wait_prior(LEFT); __syncthreads(); float4 v = s[k % 3][127 - t]; acc.x += v.x; if (k + 2 < tiles) __pipeline_memcpy_async(&s[(k + 2) % 3][t], &in[(k + 2) * 128 + t], 16); __pipeline_commit(); }
    out[t] = acc; }
__global__ void b_waits(const float4 *in, float4 *out, int tiles) { stages<2>(in, out, tiles); }
__global__ void g_waits(const float4 *in, float4 *out, int tiles) { stages<1>(in, out, tiles); }
// ldmatrix rows with a pitch that is no multiple of 16 bytes
template <int PITCH> __device__ void matrices(const uint16_t *in, uint32_t *out) { __shared__ __align__(16) uint16_t s[16 * PITCH]; int t = threadIdx.x; for (int k = t; k < 16 * PITCH; k += 32) s[k] = in[k]; __syncwarp();
    uint32_t a, b, c, d; uint32_t p = static_cast<uint32_t>(__cvta_generic_to_shared(&s[(t % 16) * PITCH + (t / 16) * 8])); asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(p)); out[t] = a ^ b ^ c ^ d; }
__global__ void b_ldmatrix(const uint16_t *in, uint32_t *out) { matrices<20>(in, out); }
__global__ void g_ldmatrix(const uint16_t *in, uint32_t *out) { matrices<24>(in, out); }
// a row of matrix fragments past the end
__global__ void b_ldmatrix_rows(const uint16_t *in, uint32_t *out) { __shared__ __align__(16) uint16_t s[16][24]; int t = threadIdx.x; for (int k = t; k < 16 * 24; k += 32) (&s[0][0])[k] = in[k]; __syncwarp();
    uint32_t a, b, c, d; uint32_t p = static_cast<uint32_t>(__cvta_generic_to_shared(&s[t][0])); asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(p)); out[t] = a ^ b ^ c ^ d; }
// transposed tile: out of bounds for a rectangular tile
__global__ void b_rect(const float *in, float *out, int w, int h) { __shared__ float t[8][32]; int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y; t[threadIdx.y][threadIdx.x] = in[y * w + x]; __syncthreads(); out[x * h + y] = t[threadIdx.x][threadIdx.y]; }
__global__ void g_rect(const float *in, float *out, int w, int h) { __shared__ float t[8][33]; int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y; t[threadIdx.y][threadIdx.x] = in[y * w + x]; __syncthreads(); out[x * h + y] = t[threadIdx.y][threadIdx.x]; }
// early return before a barrier
__global__ void b_return(const float *in, float *out, int n) { __shared__ float s[128]; int i = blockIdx.x * 128 + threadIdx.x; if (i >= n) return; s[threadIdx.x] = in[i]; __syncthreads(); out[i] = s[127 - threadIdx.x]; }
__global__ void g_return(const float *in, float *out, int n) { __shared__ float s[128]; int i = blockIdx.x * 128 + threadIdx.x; s[threadIdx.x] = i < n ? in[i] : 0; __syncthreads(); if (i >= n) return; out[i] = s[127 - threadIdx.x]; }
// broadcast through shared without barrier between two uses
__global__ void b_bcast(const int *in, int *out, int n) { __shared__ int base; for (int k = 0; k < n; k++) { if (threadIdx.x == 0) base = in[k]; __syncthreads(); out[k * blockDim.x + threadIdx.x] = base + threadIdx.x; } }
__global__ void g_bcast(const int *in, int *out, int n) { __shared__ int base; for (int k = 0; k < n; k++) { if (threadIdx.x == 0) base = in[k]; __syncthreads(); out[k * blockDim.x + threadIdx.x] = base + threadIdx.x; __syncthreads(); } }
// warp-synchronous exchange via shared
__global__ void b_wsync(const int *in, int *out) { __shared__ int s[64]; int t = threadIdx.x; s[t] = in[t]; out[t] = s[t ^ 1]; }
__global__ void g_wsync(const int *in, int *out) { __shared__ int s[64]; int t = threadIdx.x; s[t] = in[t]; __syncwarp(); out[t] = s[t ^ 1]; }
// tiles of cooperative groups
__global__ void b_tile(const int *in, int *out) { __shared__ int s[128]; auto tile = cg::tiled_partition<16>(cg::this_thread_block()); int t = threadIdx.x; s[t] = in[t]; tile.sync(); out[t] = s[t ^ 16]; }
__global__ void g_tile(const int *in, int *out) { __shared__ int s[128]; auto tile = cg::tiled_partition<16>(cg::this_thread_block()); int t = threadIdx.x; s[t] = in[t]; tile.sync(); out[t] = s[t ^ 8]; }
// vector load at an odd start
__global__ void b_vec(const float *in, float *out, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n / 4) { float4 v = *reinterpret_cast<const float4 *>(in + 4 * i + 1); out[i] = v.x + v.y + v.z + v.w; } }
__global__ void g_vec(const float *in, float *out, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n / 4) { float4 v = *reinterpret_cast<const float4 *>(in + 4 * i); out[i] = v.x + v.y + v.z + v.w; } }
// vector tail: n is no multiple of 4
__global__ void b_vtail(const float4 *in, float4 *out, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < (n + 3) / 4) out[i] = in[i]; }
__global__ void g_vtail(const float *in, float *out, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n / 4) reinterpret_cast<float4 *>(out)[i] = reinterpret_cast<const float4 *>(in)[i]; if (i < n % 4) out[n / 4 * 4 + i] = in[n / 4 * 4 + i]; }
// shared scratch with too few entries per warp
__global__ void b_warps(const float *in, float *out) { __shared__ float part[8]; float v = in[blockIdx.x * blockDim.x + threadIdx.x]; for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o); if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v; __syncthreads(); if (threadIdx.x == 0) { float s = 0; for (int k = 0; k < blockDim.x / 32; k++) s += part[k]; out[blockIdx.x] = s; } }
__global__ void g_warps(const float *in, float *out) { __shared__ float part[32]; float v = in[blockIdx.x * blockDim.x + threadIdx.x]; for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o); if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v; __syncthreads(); if (threadIdx.x == 0) { float s = 0; for (int k = 0; k < blockDim.x / 32; k++) s += part[k]; out[blockIdx.x] = s; } }
// reading 32 partials of which 8 are written
__global__ void b_partials(const float *in, float *out) { __shared__ float part[32]; float v = in[threadIdx.x]; for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o); if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v; __syncthreads(); if (threadIdx.x < 32) { v = part[threadIdx.x]; for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o); if (threadIdx.x == 0) out[0] = v; } }
__global__ void g_partials(const float *in, float *out) { __shared__ float part[32]; float v = in[threadIdx.x]; for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o); if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v; __syncthreads(); if (threadIdx.x < 32) { v = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0; for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(~0u, v, o); if (threadIdx.x == 0) out[0] = v; } }
// in-place reversal
__global__ void b_rev(int *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { int v = a[n - 1 - i]; a[i] = v; } }
__global__ void g_rev(int *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n / 2) { int v = a[i]; a[i] = a[n - 1 - i]; a[n - 1 - i] = v; } }
// a scan that overwrites what the neighbour reads
__global__ void b_scan(int *out, const int *in) { __shared__ int s[256]; int t = threadIdx.x; s[t] = in[t]; __syncthreads(); for (int o = 1; o < 256; o *= 2) { if (t >= o) s[t] += s[t - o]; __syncthreads(); } out[t] = s[t]; }
__global__ void g_scan(int *out, const int *in) { __shared__ int s[256]; int t = threadIdx.x; s[t] = in[t]; __syncthreads(); for (int o = 1; o < 256; o *= 2) { int v = t >= o ? s[t - o] : 0; __syncthreads(); s[t] += v; __syncthreads(); } out[t] = s[t]; }
// SoA through a struct of pointers
struct Body { float *x, *y, *m; int n; };
__global__ void b_soa(Body b, float *f) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < b.n) f[i] = b.m[i] * (b.x[i + 1] - b.x[i]); }
__global__ void g_soa(Body b, float *f) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < b.n) f[i] = b.m[i] * (b.x[i] - b.y[i]); }
static Body make_body(int n) { Body b; b.n = n; gpu(cudaMalloc(&b.x, n * sizeof(float))); gpu(cudaMalloc(&b.y, n * sizeof(float))); gpu(cudaMalloc(&b.m, n * sizeof(float))); return b; }
template <typename K, typename... A> static void launch(K kernel, int n, int block, A... args) { kernel<<<(n + block - 1) / block, block>>>(args...); gpu(cudaPeekAtLastError()); }
int main(int argc, char **argv) {
    float *x, *y; int *p, *q; float4 *v4, *w4; uint16_t *h; uint32_t *o;
    gpu(cudaMalloc(&x, 4096 * sizeof *x)); gpu(cudaMalloc(&y, 4096 * sizeof *y)); gpu(cudaMalloc(&p, 1 << 20)); gpu(cudaMalloc(&q, 1 << 20));
    gpu(cudaMalloc(&v4, 16 * 128 * sizeof(float4))); gpu(cudaMalloc(&w4, 128 * sizeof(float4))); gpu(cudaMalloc(&h, 16 * 24 * 2)); gpu(cudaMalloc(&o, 32 * 4));
    b_named_count<<<1, 128>>>(x, y); g_named_count<<<1, 256>>>(x, y);
    b_waits<<<1, 128>>>(v4, w4, 9); g_waits<<<1, 128>>>(v4, w4, 9);
    b_ldmatrix<<<1, 32>>>(h, o); g_ldmatrix<<<1, 32>>>(h, o); b_ldmatrix_rows<<<1, 32>>>(h, o);
    dim3 b(32, 8); b_rect<<<dim3(2, 8), b>>>(x, y, 64, 64); g_rect<<<dim3(2, 8), b>>>(x, y, 64, 64);
    b_return<<<2, 128>>>(x, y, 200); g_return<<<2, 128>>>(x, y, 200);
    b_bcast<<<1, 256>>>(p, q, 10); g_bcast<<<1, 256>>>(p, q, 10); b_wsync<<<1, 64>>>(p, q); g_wsync<<<1, 64>>>(p, q); b_tile<<<1, 128>>>(p, q); g_tile<<<1, 128>>>(p, q);
    b_vec<<<4, 256>>>(x, y, 4096); g_vec<<<4, 256>>>(x, y, 4096);
    float *odd, *odd2; gpu(cudaMalloc(&odd, 1001 * sizeof(float))); gpu(cudaMalloc(&odd2, 1001 * sizeof(float)));
    b_vtail<<<1, 256>>>((const float4 *)odd, (float4 *)odd2, 1001); g_vtail<<<1, 256>>>(odd, odd2, 1001);
    b_warps<<<4, 512>>>(x, y); g_warps<<<4, 512>>>(x, y); b_partials<<<1, 256>>>(x, y); g_partials<<<1, 256>>>(x, y);
    launch(b_rev, 1000, 128, p, 1000); launch(g_rev, 1000, 128, p, 1000); b_scan<<<1, 256>>>(p, q); g_scan<<<1, 256>>>(p, q);
    Body body = make_body(777); launch(b_soa, body.n, 256, body, x); launch(g_soa, body.n, 256, body, x);
}
