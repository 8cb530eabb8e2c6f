// origin: own
// Assembly with cache hints, vectors, predicates, braces and conversions of addresses.
#include <cstdint>
__device__ __forceinline__ float4 ldg_stream(const float4 *p) { float4 v; asm volatile("ld.global.nc.L1::no_allocate.L2::128B.v4.f32 {%0, %1, %2, %3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(p)); return v; }
__device__ __forceinline__ void sts(uint32_t a, float4 v) { asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};\n" ::"r"(a), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w) : "memory"); }
__device__ __forceinline__ float lds(uint32_t a) { float v; asm volatile("ld.shared.f32 %0, [%1 + 16];" : "=f"(v) : "r"(a)); return v; }
__device__ __forceinline__ void st_if(float *p, float v, bool c) { asm volatile("{\n\t.reg .pred q;\n\tsetp.ne.b32 q, %2, 0;\n\t@q st.global.cs.f32 [%0], %1;\n\t}" ::"l"(p), "f"(v), "r"((int)c)); }
__device__ __forceinline__ uint32_t smem(const void *p) { uint32_t a; asm("{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }" : "=r"(a) : "l"(p)); return a; }
__device__ __forceinline__ uint32_t lane_id() { uint32_t l; asm("mov.u32 %0, %%laneid;" : "=r"(l)); return l; }
__device__ __forceinline__ uint64_t policy() { uint64_t p; asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(p)); return p; }
__device__ __forceinline__ void st_hint(float *p, float v, uint64_t c) { asm volatile("st.global.L2::cache_hint.f32 [%0], %1, %2;" ::"l"(p), "f"(v), "l"(c)); }
__device__ __forceinline__ void red(float *p, float v) { asm volatile("red.relaxed.gpu.global.add.f32 [%0], %1;" ::"l"(p), "f"(v) : "memory"); }
__device__ __forceinline__ uint32_t swz(uint32_t a) { uint32_t r; asm("{ .reg .b32 t; shr.u32 t, %1, 3; and.b32 t, t, 0x70; xor.b32 %0, %1, t; }" : "=r"(r) : "r"(a)); return r; }
__global__ void k(const float4 *g, float *o, int n)
{
    __shared__ __align__(128) float s[4096];
    const uint32_t b = smem(s), l = lane_id(), t = threadIdx.x;
    float4 v = ldg_stream(g + t);              //= all: global load s=16
    sts(b + t * 16, v);                        //= all: shared store w=4
    sts(b + swz(l * 128), v);                  //= all: shared store w=4
    sts(b + l * 128, v);                       //= all: shared store w=32
    __syncthreads();
    float x = lds(b + l * 8);                  //= all: shared load w=2
    st_if(o + t * 2, x, l % 2 == 0);           //= all: global store s=8
    st_hint(o + t, x, policy());               //= all: global store s=4
    red(o + l * 4, x);                         //= all: global atomic s=16
    asm volatile("st.shared.b32 [%0], %1;" ::"r"(b + (l << 4)), "r"(__float_as_int(x))); //= all: shared store w=4
}
void go(const float4 *g, float *o, int n) { k<<<2, 128>>>(g, o, n); }
