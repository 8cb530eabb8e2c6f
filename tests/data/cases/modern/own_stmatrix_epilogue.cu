// origin: own
// stmatrix of packed bf16 through a swizzled tile, bytes computed at compile time, 16-byte stores; movmatrix and shuffles between.
//   tile 16 x 64 halves: 128 bytes a row: chunk ^ (row % 8): 8 rows of a matrix in 8 chunks -> 4 for x4; plain: 32
#include <cstdint>
#include <cuda_bf16.h>
template <bool Swizzled> struct Tile {
    static constexpr uint32_t row_bytes = 128;
    __device__ static constexpr uint32_t at(uint32_t row, uint32_t chunk) { return row * row_bytes + ((Swizzled ? chunk ^ (row & 7) : chunk) << 4); }
};
template <class T> __global__ void __launch_bounds__(32) store(const float2 *g, uint4 *o)
{
    __shared__ __align__(128) unsigned char s[16 * T::row_bytes];
    const uint32_t lane = threadIdx.x, base = __cvta_generic_to_shared(s);
    for (uint32_t c = 0; c < 8; c += 2) {
        uint32_t r[4];
        for (int i = 0; i < 4; i++) {
            float2 v = g[(c * 2 + i) * 32 + lane];                                                    //= all: global load s=8
            __nv_bfloat162 p = __float22bfloat162_rn(v);
            r[i] = reinterpret_cast<uint32_t &>(p);
        }
        asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;" : "+r"(r[0]));
        asm volatile("stmatrix.sync.aligned.x4.m8n8.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(base + T::at(lane % 16, c + lane / 16)), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]) : "memory");   //= Tile<true>: shared store w=4 | Tile<false>: shared store w=32
    }
    __syncwarp();
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const uint32_t row = i * 4 + lane / 8;
        o[(blockIdx.x * 16 + row) * 8 + lane % 8] = *reinterpret_cast<const uint4 *>(s + T::at(row, lane % 8));   //= all: shared load w=4 | global store s=16
    }
}
void go(const float2 *g, uint4 *o) { store<Tile<true>><<<4, 32>>>(g, o); store<Tile<false>><<<4, 32>>>(g, o); }
