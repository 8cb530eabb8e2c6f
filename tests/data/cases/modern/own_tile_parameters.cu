// origin: own
// Sizes of tiles deduced from function parameters, with and without the group that a tile is a part of.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
template <unsigned N> __device__ float row(const cg::thread_block_tile<N, cg::thread_block> &tile, const float *p)
{
    float a = 0;
    for (unsigned i = tile.thread_rank(); i < 64; i += tile.num_threads()) a += p[i];       //= all: shared load w=4
    return cg::reduce(tile, a, cg::plus<float>());
}
template <unsigned N, class P> __device__ void of_any(const cg::thread_block_tile<N, P> &t, float *p) { p[t.thread_rank() * N] = 1; } //= all: global store s=16
template <unsigned N, class P> __device__ void halves(cg::thread_block_tile<N, P> t, float *p)
{
    if constexpr (N == 16) p[t.thread_rank() * 2] = 2;                                      //= all: global store s=4
    else p[t.thread_rank()] = 2;
}
__global__ void k(float *o)
{
    __shared__ float s[64][65];
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<8>(block);
    auto half = cg::tiled_partition<16>(block);
    s[tile.meta_group_rank()][tile.thread_rank()] = 1;                                      //= all: shared store w=4
    block.sync();
    float r = row(tile, s[tile.meta_group_rank()]);
    if (tile.thread_rank() == 0) o[tile.meta_group_rank() + blockIdx.x * 32] = r;           //= all: global store s=1
    of_any(half, o);
    halves(half, o);
}
void go(float *o) { k<<<4, 256>>>(o); }
