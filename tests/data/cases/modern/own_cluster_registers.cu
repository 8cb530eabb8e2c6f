// origin: own
// Special registers of clusters in assembly, mapped shared memory, several clusters.
#include <cooperative_groups.h>
#include <cstdint>
namespace cg = cooperative_groups;
__device__ __forceinline__ uint32_t cluster_ctarank() { uint32_t r; asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r)); return r; }
__device__ __forceinline__ dim3 cluster_ctaid() { uint32_t x, y, z; asm volatile("mov.u32 %0, %%cluster_ctaid.x;" : "=r"(x)); asm volatile("mov.u32 %0, %%cluster_ctaid.y;" : "=r"(y)); asm volatile("mov.u32 %0, %%cluster_ctaid.z;" : "=r"(z)); return {x, y, z}; }
__device__ __forceinline__ uint32_t cluster_nctarank() { uint32_t r; asm volatile("mov.u32 %0, %%cluster_nctarank;\n" : "=r"(r)); return r; }
__device__ __forceinline__ uint32_t mapa(uint32_t a, uint32_t r) { uint32_t d; asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(r)); return d; }
__global__ void __cluster_dims__(4, 1, 1) k(float *o)
{
    __shared__ float s[1024];
    const int t = threadIdx.x;
    const uint32_t r = cluster_ctarank();
    s[t * 2 + r] = r; //= all: shared store w=2
    asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
    uint32_t a = mapa(static_cast<uint32_t>(__cvta_generic_to_shared(s + t * 4)), (r + 1) & 3);
    float v;
    asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(v) : "r"(a));
    auto cl = cg::this_cluster();
    float *peer = cl.map_shared_rank(s, (cl.block_rank() + 1) % cl.num_blocks());
    v += peer[t];
    cl.sync();
    o[cluster_ctaid().x * 256 + t * 2] = v;                  //= all: global store s=8
    o[t * cluster_nctarank()] = v;                           //= all: global store s=16
    o[(blockIdx.x / cluster_nctarank() * 4 + r) * 128 + t] = v; //= all: global store s=4
}
void go(float *o) { k<<<16, 128>>>(o); }
