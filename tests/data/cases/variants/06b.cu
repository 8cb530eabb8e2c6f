// origin: our own
// right: `frag<32>`: rows 64 bytes apart, 4-way: 16 wavefronts instead of 4; `frag<40>`: conflict-free
#include <cuda_bf16.h>
#include <cstdint>
template <int LD>
__global__ void frag(const __nv_bfloat16 *g, uint4 *out)
{
    extern __shared__ __nv_bfloat16 sm[];
    for (int i = threadIdx.x; i < 16 * LD; i += blockDim.x) sm[i] = g[i];
    __syncthreads();
    int lane = threadIdx.x % 32;
    const __nv_bfloat16 *at = sm + (lane % 16) * LD + (lane / 16) * 8;
    uint4 v;
    unsigned sa = __cvta_generic_to_shared(at);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "r"(sa));  // expect: KL101 16 wavefronts per request instead of 4
    out[threadIdx.x] = v;
}
void run(const __nv_bfloat16 *g, uint4 *o) { frag<32><<<10, 128, 16 * 32 * 2>>>(g, o); frag<40><<<10, 128, 16 * 40 * 2>>>(g, o); }
