// kernlint --fix --unsafe-fixes: KL703, a shuffle without a mask.
#include "harness.cuh"

__global__ void sums(float *out, const float *in)
{
    float v = in[blockIdx.x * 256 + threadIdx.x];
    for (int d = 16; d > 0; d /= 2) v += __shfl_down(v, d);
    if (threadIdx.x % 32 == 0) out[blockIdx.x * 8 + threadIdx.x / 32] = v;
}

int main(int count, char **words)
{
    const int blocks = 4096;
    Buffer<float> in(blocks * 256, 8u), out(blocks * 8);
    return measured(count, words, [&] { sums<<<blocks, 256>>>(out.device, in.device); }, out);
}
