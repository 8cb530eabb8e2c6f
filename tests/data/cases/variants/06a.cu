// origin: our own
// right: `rows`: 8 rows 128 bytes apart on the same banks: 16 wavefronts instead of 2; `padded`: conflict-free
#include <cuda_fp16.h>
#include <stdint.h>
__global__ void rows(const half *g, unsigned *out)
{
    __shared__ alignas(16) half tile[16][64];
    for (int k = threadIdx.x; k < 16 * 64; k += 32) tile[k / 64][k % 64] = g[k];
    __syncthreads();
    unsigned a, b;
    int r = threadIdx.x & 15;
    uint32_t p = (uint32_t)__cvta_generic_to_shared(&tile[r][0]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(p));  // expect: KL101 16 wavefronts per request instead of 2
    out[threadIdx.x] = a ^ b;
}
// right: padded by 8 halves: conflict-free, 2 wavefronts
__global__ void padded(const half *g, unsigned *out)
{
    __shared__ alignas(16) half tile[16][72];
    for (int k = threadIdx.x; k < 16 * 64; k += 32) tile[k / 64][k % 64] = g[k];
    __syncthreads();
    unsigned a, b;
    int r = threadIdx.x & 15;
    uint32_t p = (uint32_t)__cvta_generic_to_shared(&tile[r][0]);
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(p));
    out[threadIdx.x] = a ^ b;
}
int main() { half *g; unsigned *o; cudaMalloc(&g, 2048); cudaMalloc(&o, 128); rows<<<1, 32>>>(g, o); padded<<<1, 32>>>(g, o); }
