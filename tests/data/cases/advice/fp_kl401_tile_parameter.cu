// origin: issue cases
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ void halve(float *s, cg::thread_group tile) { s[threadIdx.x] += s[threadIdx.x ^ 8]; cg::sync(tile); }
// kernlint: launch(grid=4, block=64)
__global__ void k(float *x) {
    __shared__ float s[64];
    cg::thread_block cta = cg::this_thread_block();
    s[threadIdx.x] = x[threadIdx.x];
    cg::sync(cta);
    if (threadIdx.x < 16) {
        cg::thread_group tile = cg::tiled_partition(cta, 16);
        cg::sync(tile);
        halve(s, tile);
    }
    cg::sync(cta);
    x[threadIdx.x] = s[threadIdx.x];
}
