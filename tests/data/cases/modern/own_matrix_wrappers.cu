// origin: own
// ldmatrix and stmatrix wrapped in a structure, with and without padding and swizzle.
#include <cstdint>
#include <cuda_fp16.h>
struct Frag { uint32_t r[4]; };
struct MMA {
    static __device__ __forceinline__ void ldsm(Frag &f, uint32_t a) { asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(f.r[0]), "=r"(f.r[1]), "=r"(f.r[2]), "=r"(f.r[3]) : "r"(a)); }
    static __device__ __forceinline__ void ldsm_t(Frag &f, uint32_t a) { asm volatile("ldmatrix.sync.aligned.x4.trans.m8n8.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(f.r[0]), "=r"(f.r[1]), "=r"(f.r[2]), "=r"(f.r[3]) : "r"(a)); }
    static __device__ __forceinline__ void stsm(uint32_t a, const Frag &f) { asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(a), "r"(f.r[0]), "r"(f.r[1]), "r"(f.r[2]), "r"(f.r[3])); }
    __device__ void operator()(float (&d)[4], const Frag &a, const Frag &b) const { asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a.r[0]), "r"(a.r[1]), "r"(a.r[2]), "r"(a.r[3]), "r"(b.r[0]), "r"(b.r[1])); }
};
template <int LD> __device__ uint32_t at(const __half *s, int r, int c) { return static_cast<uint32_t>(__cvta_generic_to_shared(s)) + (r * LD + c) * 2; }
__global__ void k(const __half *g, float *o)
{
    __shared__ __align__(16) __half a[32 * 64], b[32 * 72];
    const int l = threadIdx.x & 31;
    Frag x, y; float d[4]{};
    MMA::ldsm(x, at<64>(a, l % 16, l / 16 * 8));   //= all: shared load w=32
    MMA::ldsm(y, at<72>(b, l % 16, l / 16 * 8));   //= all: shared load w=4
    MMA::ldsm_t(y, at<64>(a, l % 16, (l / 16 ^ l % 8) * 8)); //= all: shared load w=4
    MMA{}(d, x, y);
    MMA::stsm(at<72>(b, l % 16, l / 16 * 8), x);   //= all: shared store w=4
    float2 *q = reinterpret_cast<float2 *>(o + (l / 4) * 64 + (l % 4) * 2);
    *q = {d[0], d[1]};                             //= all: global store s=8
}
void go(const __half *g, float *o) { k<<<1, 32>>>(g, o); }
