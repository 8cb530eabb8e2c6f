// origin: issue cases
// FAULT: cute/atom/copy_traits_sm90_tma.hpp:1416 __CUTE_REQUIRES(conjunction_v<is_tensor<G>...>), i.e. a parenthesised template id that holds a
// pack expansion: IndexError in source/build_expressions.py:339 (fold). Every file that includes today's CUTLASS (2026-08) is lost.
// expected: parsed; shared load 32-way
template <class... T> constexpr bool all_v = true;
template <class T> struct is_t { static constexpr bool value = true; };
template <class... G> __device__ int f(G...) { return (all_v<is_t<G>...>) ? 1 : 0; }
__global__ void k(float *o)
{
    __shared__ float t[32][32];
    t[threadIdx.y][threadIdx.x] = o[threadIdx.x] * f(1, 2.0f);
    __syncthreads();
    o[threadIdx.y * 32 + threadIdx.x] = t[threadIdx.x][threadIdx.y];   //= all: shared load w=32 | global store s=4
}
void go(float *o) { k<<<1, dim3(32, 32)>>>(o); }
