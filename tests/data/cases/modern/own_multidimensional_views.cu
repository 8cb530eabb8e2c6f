// origin: own
// std::mdspan over fixed and dynamic extents, rows or columns first.
#include <cuda/std/mdspan>
namespace cs = cuda::std;
template <class M> __device__ void put(M m, int i, int j, float v) { m(i, j) = v; }
__global__ void k(float *g, int n)
{
    __shared__ float raw[4096];
    int x = threadIdx.x;
    cs::mdspan<float, cs::extents<int, 32, 32>> a(raw);
    cs::mdspan<float, cs::extents<int, 32, 32>, cs::layout_left> l(raw);
    cs::mdspan<float, cs::dextents<int, 2>> d(raw, 32, 33);
    cs::mdspan<float, cs::extents<int, cs::dynamic_extent, 4, 8>> three(raw, 32);
    a(x, 1) = 1; //= all: shared store w=32
    l(x, 1) = 1; //= all: shared store w=1
    d(x, 1) = 1; //= all: shared store w=1
    three(x, 2, 1) = 1; //= all: shared store w=32
    three(1, x % 4, x / 4) = 1; //= all: shared store w=1
    std::mdspan<float, std::dextents<size_t, 1>> one(g, n);
    one(x * 2) = d.extent(1); //= all: global store s=8
    put(a, 1, x, 2.f);
    auto e = cs::extents<int, 16, cs::dynamic_extent>(16, 5);
    cs::mdspan<float, decltype(e)> m(raw, e);
    m(x % 16, 0) = m.size(); //= all: shared store w=1
}
void go(float *g) { k<<<1, 32>>>(g, 64); }
