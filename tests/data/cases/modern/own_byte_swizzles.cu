// origin: own
// TMA's swizzles by hand over byte addresses, chosen by an enumeration; vector accesses in inline PTX.
//   32 rows of W bytes, one 16-byte chunk of each row a lane. 128: row r at word 32 r -> 8 rows of a quarter in one column: 32
//   wavefronts plain, 4 swizzled; 64: 16 r mod 32: 2 columns -> 4 ways x 4 = 16 plain, swizzled 4; 32: 8 r: 4 columns -> 8 plain, 4
#include <cstdint>
enum class Mode : uint32_t { none = 0, b32 = 1, b64 = 2, b128 = 3 };
template <Mode M> __host__ __device__ constexpr uint32_t swizzle(uint32_t a)
{
    using enum Mode;
    switch (M) {
    case b32: return a ^ ((a >> 3) & 0x10);
    case b64: return a ^ ((a >> 3) & 0x30);
    case b128: return a ^ ((a >> 3) & 0x70);
    default: return a;
    }
}
__device__ __forceinline__ uint4 lds(uint32_t a) { uint4 v; asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "r"(a)); return v; }
__device__ __forceinline__ void sts(uint32_t a, uint2 v) { asm volatile("st.shared.v2.b32 [%0], {%1, %2};" ::"r"(a), "r"(v.x), "r"(v.y) : "memory"); }
template <Mode M, int W> __global__ void __launch_bounds__(32) rows(const uint2 *g, uint4 *o)
{
    __shared__ __align__(1024) uint8_t s[32 * W];
    const uint32_t base = static_cast<uint32_t>(__cvta_generic_to_shared(s)), lane = threadIdx.x;
    for (uint32_t i = lane; i < 4 * W; i += 32) sts(base + swizzle<M>(i * 8), g[i]);                  //= all: shared store w=2 | global load s=8
    __syncwarp();
#pragma unroll
    for (uint32_t c = 0; c < W / 16; c++) o[(blockIdx.x * (W / 16) + c) * 32 + lane] = lds(base + swizzle<M>(lane * W + c * 16));   //= (Mode)0,128: shared load w=32 | (Mode)3,128: shared load w=4 | (Mode)0,64: shared load w=16 | (Mode)2,64: shared load w=4 | (Mode)0,32: shared load w=8 | (Mode)1,32: shared load w=4 | all: global store s=16
}
void go(const uint2 *g, uint4 *o)
{
    rows<Mode::none, 128><<<2, 32>>>(g, o);
    rows<Mode::b128, 128><<<2, 32>>>(g, o);
    rows<Mode::none, 64><<<2, 32>>>(g, o);
    rows<Mode::b64, 64><<<2, 32>>>(g, o);
    rows<Mode::none, 32><<<2, 32>>>(g, o);
    rows<Mode::b32, 32><<<2, 32>>>(g, o);
}
