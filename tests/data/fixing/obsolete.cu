// kernlint --fix: KL603, names that CUDA 13 no longer declares.
#include "harness.cuh"

__global__ void fill(float *out) { out[blockIdx.x * 256 + threadIdx.x] = threadIdx.x; }

int main(int count, char **words)
{
    size_t stack = 0;
    Buffer<float> out(4096 * 256);
    CHECK(cudaThreadSetCacheConfig(cudaFuncCachePreferL1));
    CHECK(cudaThreadGetLimit(&stack, cudaLimitStackSize));
    fill<<<4096, 256>>>(out.device);
    CHECK(cudaThreadSynchronize());
    return measured(count, words, [&] { fill<<<4096, 256>>>(out.device); }, out);
}
