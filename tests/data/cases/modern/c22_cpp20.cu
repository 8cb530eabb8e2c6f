// origin: issue cases
// C++17/20 of today's kernels: structured bindings, fold expressions, if constexpr, index sequences, generic lambdas, cuda::std::array,
// std::integral_constant, template lambda, constexpr arrays, consteval.
//   tile[r][c] pitch from consteval: 33 -> 1 ; plain 32 -> 32
#include <cuda/std/array>
#include <cuda/std/utility>
#include <cuda/std/type_traits>
#include <cuda_runtime.h>
template <int N, class F> __device__ __forceinline__ void static_for(F f) {
    [&]<int... I>(cuda::std::integer_sequence<int, I...>) { (f(cuda::std::integral_constant<int, I>{}), ...); }(cuda::std::make_integer_sequence<int, N>{});
}
struct Coord { int m, n; };
__device__ __forceinline__ Coord tile_of(int id, int w) { return {id / w, id % w}; }
__host__ __device__ consteval int pitch(bool pad) { return pad ? 33 : 32; }
template <bool Pad>
__global__ void __launch_bounds__(256) modern(const float *__restrict__ g, float *__restrict__ o, int n)
{
    constexpr int P = pitch(Pad);
    __shared__ float tile[32 * P];
    auto [bm, bn] = tile_of(blockIdx.x, 32);
    const int x = threadIdx.x % 32, y = threadIdx.x / 32;
    static_for<4>([&](auto i) {
        tile[(y + i * 8) * P + x] = g[(size_t)(bm * 32 + y + i * 8) * 1024 + bn * 32 + x];          //= all: shared store w=1 | global load s=4
    });
    __syncthreads();
    cuda::std::array<float, 4> r{};
    static_for<4>([&](auto i) { r[i] = tile[x * P + y + i * 8]; });                                   //= 1: shared load w=1 | 0: shared load w=32
    static_for<4>([&](auto i) { if constexpr (i % 2 == 0) o[(size_t)(bn * 32 + y + i * 8) * 1024 + bm * 32 + x] = r[i]; else o[(size_t)(bn * 32 + y + i * 8) * 1024 + bm * 32 + x] = -r[i]; });
}
void go(const float *g, float *o)
{
    modern<true><<<1024, 256>>>(g, o, 1024);
    modern<false><<<1024, 256>>>(g, o, 1024);
}
