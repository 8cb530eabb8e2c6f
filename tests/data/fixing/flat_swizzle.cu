// kernlint tune --only swizzle --apply: a flat array, one row of 32 per thread.
#include "harness.cuh"

__global__ void rows(float *out, const float *in)
{
    __shared__ float s[4096];
    const float *from = in + blockIdx.x * 4096;
    for (int j = 0; j < 32; ++j) s[j * 128 + threadIdx.x] = from[j * 128 + threadIdx.x];
    __syncthreads();
    float sum = 0;
    for (int j = 0; j < 32; j += 3) sum = sum * 0.5f + s[threadIdx.x * 32 + j];
    __syncthreads();
    for (int j = 0; j < 32; j += 3) s[threadIdx.x * 32 + j] = sum + j;
    __syncthreads();
    for (int j = 0; j < 32; ++j) out[blockIdx.x * 4096 + j * 128 + threadIdx.x] = s[j * 128 + threadIdx.x];
}

int main(int count, char **words)
{
    const int blocks = 1024;
    Buffer<float> in(blocks * 4096, 2u), out(blocks * 4096);
    return measured(count, words, [&] { rows<<<blocks, 128>>>(out.device, in.device); }, out);
}
