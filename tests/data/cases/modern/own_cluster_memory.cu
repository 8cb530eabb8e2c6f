// origin: own
// Shared memory of a cluster by mapa and ld.shared::cluster: remote accesses are not counted, own ones are.
#include <cooperative_groups.h>
#include <cstdint>
namespace cg = cooperative_groups;
__device__ __forceinline__ uint32_t rank() { uint32_t r; asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r)); return r; }
__device__ __forceinline__ void arrive() { asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory"); }
__device__ __forceinline__ void wait() { asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory"); }
__device__ __forceinline__ float remote(uint32_t local, uint32_t to)
{
    uint32_t there;
    float v;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(local), "r"(to));
    asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(v) : "r"(there));
    return v;
}
__global__ void __cluster_dims__(2) __launch_bounds__(128) exchange(const float *g, float *o)
{
    __shared__ float s[128 * 4];
    for (int j = 0; j < 4; j++) s[threadIdx.x * 4 + j] = g[(blockIdx.x * 4 + j) * 128 + threadIdx.x];   //= all: shared store w=4 | global load s=4
    arrive();
    wait();
    float a = remote((uint32_t)__cvta_generic_to_shared(s + threadIdx.x), rank() ^ 1);
    a += s[(threadIdx.x + 32) % 128 * 2];                                                             //= all: shared load w=2
    arrive();
    wait();
    o[blockIdx.x * 128 + threadIdx.x] = a;                                                            //= all: global store s=4
}
__global__ void __cluster_dims__(4, 1, 1) __launch_bounds__(256) slices(const float4 *g, float4 *o, int n)
{
    extern __shared__ float4 tile[];
    auto cluster = cg::this_cluster();
    const unsigned slice = cluster.block_rank();
    for (int i = threadIdx.x; i < n; i += 256) tile[i] = g[(blockIdx.x / 4 * 4 + slice) * n + i];    //= all: shared store w=4 | global load s=16
    cluster.sync();
    float4 v = tile[threadIdx.x ^ 1];                                                                 //= all: shared load w=4
    cluster.sync();
    o[blockIdx.x * 256 + threadIdx.x] = v;                                                            //= all: global store s=16
}
void go(const float *g, float *o) { exchange<<<8, 128>>>(g, o); slices<<<8, 256, 16384>>>((const float4 *)g, (float4 *)o, 1024); }
