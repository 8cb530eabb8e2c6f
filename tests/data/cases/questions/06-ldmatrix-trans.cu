// origin: issue cases
// launch: block 32, grid 1 for both kernels (host code below).
// right: `raw`: 8 rows of 256 bytes per matrix lie on the same banks: 32 wavefronts for x4 (ideal 4);
//        `mixed` (16-byte chunk xor row): 4 wavefronts, conflict-free.
#include <cuda_fp16.h>
#include <cstdint>
constexpr int M = 128, K = 32;
__device__ __forceinline__ uint32_t addr(const void *p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }
__device__ __forceinline__ void grab4t(uint32_t (&r)[4], const half *p)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"  // expect: KL101 32 wavefronts per request instead of 4 | lanes 0-7 need 8 different words
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(addr(p)));
}
__global__ void raw(uint32_t *out)
{
    __shared__ __align__(128) half s[M * K];
    for (int i = threadIdx.x; i < M * K; i += 32) s[i] = __int2half_rn(i);
    __syncwarp();
    const int l = threadIdx.x;
    uint32_t r[4];
    int m = ((l >> 3) & 1) * 8, k = (l & 7) + (l >> 4) * 8;
    grab4t(r, &s[k * M + m]);
    out[l] = r[0] + r[1] + r[2] + r[3];
}
__global__ void mixed(uint32_t *out)
{
    __shared__ __align__(128) half s[M * K];
    for (int i = threadIdx.x; i < M * K; i += 32) s[i ^ (((i >> 7) & 7) << 3)] = __int2half_rn(i);
    __syncwarp();
    const int l = threadIdx.x;
    uint32_t r[4];
    int m = ((l >> 3) & 1) * 8, k = (l & 7) + (l >> 4) * 8;
    int e = k * M + m;
    grab4t(r, &s[e ^ (((e >> 7) & 7) << 3)]);
    out[l] = r[0] + r[1] + r[2] + r[3];
}
void go(uint32_t *o) { raw<<<1, 32>>>(o); mixed<<<1, 32>>>(o); }
