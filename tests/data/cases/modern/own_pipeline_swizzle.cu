// origin: own
// Asynchronous copies in three stages of unknown number, through a swizzle that is a functor of the template.
#include <cuda_pipeline.h>
template <int B, int M, int S> struct Swizzle {
    static constexpr int mask = ((1 << B) - 1) << (M + S);
    template <class I> __host__ __device__ constexpr I operator()(I x) const noexcept { return x ^ ((x & mask) >> S); }
};
template <int Stages, class Sw> __global__ void __launch_bounds__(128) k(const float4 *__restrict__ g, float *o, int K)
{
    extern __shared__ __align__(1024) unsigned char raw[];
    auto *tile = reinterpret_cast<float4(*)[128]>(raw);
    constexpr Sw sw{};
    const int t = threadIdx.x;
    auto issue = [&](int kt) {
        if (kt < K) __pipeline_memcpy_async(&tile[kt % Stages][sw(t * 16) / 16], &g[kt * 128 + t], sizeof(float4));
        __pipeline_commit();
    };
#pragma unroll
    for (int s = 0; s < Stages - 1; ++s) issue(s);
    float acc = 0;
    for (int kt = 0; kt < K; ++kt) {
        __pipeline_wait_prior(Stages - 2);
        __syncthreads();
        const int st = kt % Stages;
        const auto *base = raw + st * 2048;
        acc += *reinterpret_cast<const float *>(base + sw(t % 16 * 128 + t / 16 * 16)); //= all: shared load w=4
        acc += *reinterpret_cast<const float *>(base + (t % 16 * 128 + t / 16 * 16)); //= all: shared load w=16
        issue(kt + Stages - 1);
    }
    o[blockIdx.x * 128 + t] = acc; //= all: global store s=4
}
void go(const float4 *g, float *o, int K) { k<3, Swizzle<3, 4, 3>><<<4, 128, 3 * 2048>>>(g, o, K); }
