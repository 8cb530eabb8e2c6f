#include "common.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;
__global__ void b_pipe_nowait(const float *in, float *out) { __shared__ float s[128]; int t = threadIdx.x; __pipeline_memcpy_async(&s[t], &in[t], 4); __pipeline_commit(); __syncthreads(); out[t] = s[127 - t]; }
__global__ void b_pipe_nosync(const float *in, float *out) { __shared__ float s[128]; int t = threadIdx.x; __pipeline_memcpy_async(&s[t], &in[t], 4); __pipeline_commit(); __pipeline_wait_prior(0); out[t] = s[127 - t]; }
__global__ void g_pipe(const float *in, float *out) { __shared__ float s[128]; int t = threadIdx.x; __pipeline_memcpy_async(&s[t], &in[t], 4); __pipeline_commit(); __pipeline_wait_prior(0); __syncthreads(); out[t] = s[127 - t]; }
// own element: no barrier needed
__global__ void g_pipe_own(const float *in, float *out) { __shared__ float s[128]; int t = threadIdx.x; __pipeline_memcpy_async(&s[t], &in[t], 4); __pipeline_commit(); __pipeline_wait_prior(0); out[t] = 2 * s[t]; }
// double-buffered cp.async: refill of the buffer just read, without barrier after use
__global__ void b_pipe_refill(const float *in, float *out, int tiles) { __shared__ float s[2][128]; int t = threadIdx.x; float acc = 0;
    __pipeline_memcpy_async(&s[0][t], &in[t], 4); __pipeline_commit();
    for (int i = 0; i < tiles; i++) { if (i + 1 < tiles) __pipeline_memcpy_async(&s[(i + 1) & 1][t], &in[(i + 1) * 128 + t], 4); __pipeline_commit(); __pipeline_wait_prior(1); __syncthreads(); acc += s[i & 1][127 - t]; }
    out[t] = acc; }
__global__ void g_pipe_refill(const float *in, float *out, int tiles) { __shared__ float s[2][128]; int t = threadIdx.x; float acc = 0;
    __pipeline_memcpy_async(&s[0][t], &in[t], 4); __pipeline_commit();
    for (int i = 0; i < tiles; i++) { if (i + 1 < tiles) __pipeline_memcpy_async(&s[(i + 1) & 1][t], &in[(i + 1) * 128 + t], 4); __pipeline_commit(); __pipeline_wait_prior(1); __syncthreads(); acc += s[i & 1][127 - t]; __syncthreads(); }
    out[t] = acc; }
// the last tile is not waited for: wait_prior(1) with commit inside the if
__global__ void b_pipe_last(const float *in, float *out, int tiles) { __shared__ float s[2][128]; int t = threadIdx.x; float acc = 0;
    __pipeline_memcpy_async(&s[0][t], &in[t], 4); __pipeline_commit();
    for (int i = 0; i < tiles; i++) { if (i + 1 < tiles) { __pipeline_memcpy_async(&s[(i + 1) & 1][t], &in[(i + 1) * 128 + t], 4); __pipeline_commit(); } __pipeline_wait_prior(1); __syncthreads(); acc += s[i & 1][127 - t]; __syncthreads(); }
    out[t] = acc; }
__global__ void b_group(const float *in, float *out) { __shared__ float s[256]; auto b = cg::this_thread_block(); cg::memcpy_async(b, s, in + blockIdx.x * 256, sizeof(float) * 256); out[blockIdx.x * 256 + threadIdx.x] = s[threadIdx.x]; }
__global__ void g_group(const float *in, float *out) { __shared__ float s[256]; auto b = cg::this_thread_block(); cg::memcpy_async(b, s, in + blockIdx.x * 256, sizeof(float) * 256); cg::wait(b); out[blockIdx.x * 256 + threadIdx.x] = s[threadIdx.x]; }
__global__ void b_group_reuse(const float *in, float *out, int tiles) { __shared__ float s[256]; auto b = cg::this_thread_block(); float a = 0; for (int i = 0; i < tiles; i++) { cg::memcpy_async(b, s, in + i * 256, sizeof(float) * 256); cg::wait(b); a += s[255 - threadIdx.x]; } out[threadIdx.x] = a; }
__global__ void g_group_reuse(const float *in, float *out, int tiles) { __shared__ float s[256]; auto b = cg::this_thread_block(); float a = 0; for (int i = 0; i < tiles; i++) { cg::memcpy_async(b, s, in + i * 256, sizeof(float) * 256); cg::wait(b); a += s[255 - threadIdx.x]; b.sync(); } out[threadIdx.x] = a; }
// cuda::barrier
__global__ void b_cbar(const float *in, float *out) { __shared__ float s[256]; __shared__ cuda::barrier<cuda::thread_scope_block> bar; if (threadIdx.x == 0) init(&bar, blockDim.x); __syncthreads();
    cuda::memcpy_async(&s[threadIdx.x], &in[threadIdx.x], sizeof(float), bar); auto tok = bar.arrive(); out[threadIdx.x] = s[255 - threadIdx.x]; bar.wait(std::move(tok)); }
__global__ void g_cbar(const float *in, float *out) { __shared__ float s[256]; __shared__ cuda::barrier<cuda::thread_scope_block> bar; if (threadIdx.x == 0) init(&bar, blockDim.x); __syncthreads();
    cuda::memcpy_async(&s[threadIdx.x], &in[threadIdx.x], sizeof(float), bar); bar.arrive_and_wait(); out[threadIdx.x] = s[255 - threadIdx.x]; }
__global__ void g_cbar_plain(const float *in, float *out) { __shared__ float s[256]; __shared__ cuda::barrier<cuda::thread_scope_block> bar; if (threadIdx.x == 0) init(&bar, blockDim.x); __syncthreads();
    s[threadIdx.x] = in[threadIdx.x]; auto tok = bar.arrive(); float own = in[threadIdx.x] * 2; bar.wait(std::move(tok)); out[threadIdx.x] = own + s[255 - threadIdx.x]; }
__global__ void b_cbar_plain(const float *in, float *out) { __shared__ float s[256]; __shared__ cuda::barrier<cuda::thread_scope_block> bar; if (threadIdx.x == 0) init(&bar, blockDim.x); __syncthreads();
    s[threadIdx.x] = in[threadIdx.x]; auto tok = bar.arrive(); out[threadIdx.x] = s[255 - threadIdx.x]; bar.wait(std::move(tok)); }
// the init of the barrier is not made visible
__global__ void b_cbar_init(const float *in, float *out) { __shared__ float s[256]; __shared__ cuda::barrier<cuda::thread_scope_block> bar; if (threadIdx.x == 0) init(&bar, blockDim.x);
    s[threadIdx.x] = in[threadIdx.x]; bar.arrive_and_wait(); out[threadIdx.x] = s[255 - threadIdx.x]; }
// cuda::pipeline
__global__ void g_cpipe(const float *in, float *out, int tiles) { __shared__ float s[2][128]; auto p = cuda::make_pipeline(); int t = threadIdx.x; float a = 0;
    p.producer_acquire(); cuda::memcpy_async(&s[0][t], &in[t], 4, p); p.producer_commit();
    for (int i = 0; i < tiles; i++) { if (i + 1 < tiles) { p.producer_acquire(); cuda::memcpy_async(&s[(i + 1) & 1][t], &in[(i + 1) * 128 + t], 4, p); p.producer_commit(); cuda::pipeline_consumer_wait_prior<1>(p); } else cuda::pipeline_consumer_wait_prior<0>(p);
        __syncthreads(); a += s[i & 1][127 - t]; __syncthreads(); p.consumer_release(); } out[t] = a; }
__global__ void b_cpipe(const float *in, float *out) { __shared__ float s[128]; auto p = cuda::make_pipeline(); int t = threadIdx.x; p.producer_acquire(); cuda::memcpy_async(&s[t], &in[t], 4, p); p.producer_commit(); __syncthreads(); out[t] = s[127 - t]; p.consumer_wait(); p.consumer_release(); }
// named barriers: producer warps 0-1, consumers 2-3
__global__ void g_named(const float *in, float *out) { __shared__ float s[64]; int t = threadIdx.x;
    if (t < 64) { s[t] = in[t]; asm volatile("bar.arrive 1, 128;" ::: "memory"); } else { asm volatile("bar.sync 1, 128;" ::: "memory"); out[t - 64] = s[127 - t]; } }
__global__ void b_named(const float *in, float *out) { __shared__ float s[64]; int t = threadIdx.x;
    if (t < 64) { s[t] = in[t]; asm volatile("bar.sync 1, 64;" ::: "memory"); } else { asm volatile("bar.sync 2, 64;" ::: "memory"); out[t - 64] = s[127 - t]; } }
// mbarrier by hand
__device__ inline void mb_wait(unsigned bar, unsigned parity) { asm volatile("{\n.reg .pred p;\nL1: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@p bra L2;\nbra L1;\nL2:\n}" :: "r"(bar), "r"(parity) : "memory"); }
__global__ void g_mbar(const float *in, float *out) { __shared__ float s[128]; __shared__ unsigned long long bar; unsigned b = (unsigned)__cvta_generic_to_shared(&bar); int t = threadIdx.x;
    if (!t) asm volatile("mbarrier.init.shared.b64 [%0], %1;" :: "r"(b), "r"(128)); __syncthreads();
    s[t] = in[t]; unsigned long long st; asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(st) : "r"(b) : "memory");
    unsigned ok; do { asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(ok) : "r"(b), "l"(st) : "memory"); } while (!ok);
    out[t] = s[127 - t]; }
__global__ void b_mbar(const float *in, float *out) { __shared__ float s[128]; __shared__ unsigned long long bar; unsigned b = (unsigned)__cvta_generic_to_shared(&bar); int t = threadIdx.x;
    if (!t) asm volatile("mbarrier.init.shared.b64 [%0], %1;" :: "r"(b), "r"(128)); __syncthreads();
    s[t] = in[t]; unsigned long long st; asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(st) : "r"(b) : "memory");
    out[t] = s[127 - t]; }
// tiles of 8: tile.sync orders only its lanes
__global__ void b_tile8(const float *in, float *out) { __shared__ float s[64]; auto tile = cg::tiled_partition<8>(cg::this_thread_block()); int t = threadIdx.x; s[t] = in[t]; tile.sync(); out[t] = s[t ^ 8]; }
__global__ void g_tile8(const float *in, float *out) { __shared__ float s[64]; auto tile = cg::tiled_partition<8>(cg::this_thread_block()); int t = threadIdx.x; s[t] = in[t]; tile.sync(); out[t] = s[t ^ 4]; }
int main(int argc, char **argv) {
    float *f, *o; MUST(cudaMalloc(&f, 1 << 20)); MUST(cudaMalloc(&o, 1 << 20)); MUST(cudaMemset(f, 0, 1 << 20));
#define R(name, ...) if (wanted(argc, argv, #name)) { name<<<__VA_ARGS__; done(#name); }
    R(b_pipe_nowait, 1, 128>>>(f, o)) R(b_pipe_nosync, 1, 128>>>(f, o)) R(g_pipe, 1, 128>>>(f, o)) R(g_pipe_own, 1, 128>>>(f, o)) R(b_pipe_refill, 1, 128>>>(f, o, 8)) R(g_pipe_refill, 1, 128>>>(f, o, 8)) R(b_pipe_last, 1, 128>>>(f, o, 8))
    R(b_group, 4, 256>>>(f, o)) R(g_group, 4, 256>>>(f, o)) R(b_group_reuse, 1, 256>>>(f, o, 8)) R(g_group_reuse, 1, 256>>>(f, o, 8))
    R(b_cbar, 1, 256>>>(f, o)) R(g_cbar, 1, 256>>>(f, o)) R(g_cbar_plain, 1, 256>>>(f, o)) R(b_cbar_plain, 1, 256>>>(f, o)) R(b_cbar_init, 1, 256>>>(f, o))
    R(g_cpipe, 1, 128>>>(f, o, 8)) R(b_cpipe, 1, 128>>>(f, o)) R(g_named, 1, 128>>>(f, o)) R(b_named, 1, 128>>>(f, o)) R(g_mbar, 1, 128>>>(f, o)) R(b_mbar, 1, 128>>>(f, o)) R(b_tile8, 1, 64>>>(f, o)) R(g_tile8, 1, 64>>>(f, o))
    return 0;
}
