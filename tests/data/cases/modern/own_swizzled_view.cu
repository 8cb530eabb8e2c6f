// origin: own
// A view whose layout is a functor: CuTe's Swizzle<B, M, S> over a row-major tile of halves, fragments taken as half2.
//   tile 64 x 64 halves (128 bytes a row). Fragment: lane g = lane / 4, t = lane % 4: word 32 g + t: 8 ways plain
//   Swizzle<3, 3, 3>: 16-byte chunk ^= row % 8 -> 8 rows in 8 chunks -> 1; Swizzle<2, 3, 3>: chunk ^= row % 4 -> 2 ways
#include <cuda_fp16.h>
template <int B, int M, int S> struct Swizzle {
    __host__ __device__ constexpr int operator()(int i) const { return i ^ ((i >> S) & (((1 << B) - 1) << M)); }
};
template <class T, class F, int Cols> struct View {
    T *data;
    F layout{};
    template <class... I> requires(sizeof...(I) == 2) __device__ T &operator()(I... i) const { return data[layout(offset(i...))]; }
    __device__ static constexpr int offset(int r, int c) { return r * Cols + c; }
};
template <class T, class F, int C> __device__ auto &pair_at(const View<T, F, C> &v, int r, int c) { return reinterpret_cast<half2 &>(v(r, c)); }
template <class F> __global__ void fragments(const half *g, float *o)
{
    __shared__ half s[64 * 64];
    View<half, F, 64> tile{s};
    for (int i = threadIdx.x; i < 64 * 8; i += 32) *reinterpret_cast<uint4 *>(&tile(i / 8, i % 8 * 8)) = reinterpret_cast<const uint4 *>(g)[i];   //= all: shared store w=4 | global load s=16
    __syncwarp();
    const int lane = threadIdx.x, row = lane / 4, col = lane % 4 * 2;
    float a = 0;
    for (int k = 0; k < 64; k += 8) {
        half2 v = pair_at(tile, row, k + col);                                                        //= Swizzle<3,3,3>: shared load w=1 | Swizzle<2,3,3>: shared load w=2 | Swizzle<0,3,3>: shared load w=8
        a += __low2float(v) + __high2float(v);
    }
    o[blockIdx.x * 32 + lane] = a;                                                                    //= all: global store s=4
}
void go(const half *g, float *o) { fragments<Swizzle<3, 3, 3>><<<4, 32>>>(g, o); fragments<Swizzle<2, 3, 3>><<<4, 32>>>(g, o); fragments<Swizzle<0, 3, 3>><<<4, 32>>>(g, o); }
