// origin: issue cases
#include <cuda/barrier>
#include <cooperative_groups.h>
__global__ void k(float *out, const float *in)
{
    __shared__ float s[256];
    __shared__ cuda::barrier<cuda::thread_scope::thread_scope_block> bar;
    auto block = cooperative_groups::this_thread_block();
    if (block.thread_rank() == 0) init(&bar, block.size());
    __syncthreads();
    int t = threadIdx.x;
    cuda::memcpy_async(&s[t], &in[blockIdx.x * 256 + t], cuda::aligned_size_t<sizeof(float)>(sizeof(float)), bar);
    bar.arrive_and_wait();
    out[blockIdx.x * 256 + t] = s[255 - t];
}
