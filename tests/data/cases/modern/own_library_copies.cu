// origin: own
// cuda::memcpy_async by the rules of libcu++: pieces as wide as the alignment says, shared by the lanes of a group; from 16
// bytes on a bulk copy where a barrier completes it. The right values are those of the pieces.
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace coop = cooperative_groups;
using barrier = cuda::barrier<cuda::thread_scope_block>;
__global__ void words(float *o, const float *in)
{
    __shared__ float s[1024];
    __shared__ barrier bar;
    if (threadIdx.x == 0) init(&bar, blockDim.x);
    __syncthreads();
    cuda::memcpy_async(&s[threadIdx.x * 4], &in[threadIdx.x * 4], sizeof(float) * 4, bar);                     //= all: global copy s=16 | shared copy w=4
    bar.arrive_and_wait();
    o[threadIdx.x] = s[threadIdx.x];                                                                            //= all: shared load w=1
}
__global__ void piped(float *o, const float *in)
{
    __shared__ float s[1024];
    auto pipe = cuda::make_pipeline();
    pipe.producer_acquire();
    cuda::memcpy_async(&s[threadIdx.x * 4], &in[threadIdx.x * 4], cuda::aligned_size_t<16>(16), pipe);         //= all: global copy s=16 | shared copy w=4
    pipe.producer_commit();
    pipe.consumer_wait();
    o[threadIdx.x] = s[threadIdx.x];                                                                            //= all: shared load w=1
    pipe.consumer_release();
}
__global__ void blockwise(float *o, const float *in, int n)
{
    extern __shared__ float s[];
    __shared__ barrier bar;
    auto block = coop::this_thread_block();
    cuda::memcpy_async(block, s, in, cuda::aligned_size_t<8>(2048 * sizeof(float)), bar);                      //= all: global copy s=8 | shared copy w=2
    bar.arrive_and_wait();
    o[threadIdx.x] = s[threadIdx.x];                                                                            //= all: shared load w=1
}
__global__ void tilewise(float4 *o, const float4 *in)
{
    __shared__ float4 s[8][64];
    auto pipe = cuda::make_pipeline();
    auto tile = coop::tiled_partition<32>(coop::this_thread_block());
    int w = threadIdx.x / 32;
    cuda::memcpy_async(tile, s[w], in + w * 64, sizeof(float4) * 64, pipe);                                    //= all: global copy s=16 | shared copy w=4
    pipe.consumer_wait();
    o[threadIdx.x] = s[w][threadIdx.x % 32];                                                                    //= all: shared load w=4
}
__global__ void bulk(float4 *o, const float4 *in)
{
    __shared__ float4 s[256];
    __shared__ barrier bar;
    cuda::memcpy_async(s + threadIdx.x, in + threadIdx.x, sizeof(float4), bar);
    bar.arrive_and_wait();
    o[threadIdx.x] = s[threadIdx.x];                                                                            //= all: shared load w=4
}
void go(float *o, const float *in, float4 *p, const float4 *q)
{
    words<<<1, 256>>>(o, in);
    piped<<<1, 256>>>(o, in);
    blockwise<<<1, 256, 8192>>>(o, in, 4);
    tilewise<<<1, 256>>>(p, q);
    bulk<<<1, 256>>>(p, q);
}
