// kernlint --fix --unsafe-fixes: KL101, pad an array whose elements atomics update too.
#include "harness.cuh"

__global__ void columns(unsigned *out, const unsigned *in)
{
    __shared__ unsigned table[32][32];
    for (int j = threadIdx.y; j < 32; j += 8) table[j][threadIdx.x] = 0;
    __syncthreads();
    for (int j = 0; j < 32; ++j)
        atomicAdd(&table[threadIdx.x][j], in[((blockIdx.x * 8 + threadIdx.y) * 32 + j) * 32 + threadIdx.x]);
    __syncthreads();
    for (int j = threadIdx.y; j < 32; j += 8) out[(blockIdx.x * 32 + j) * 32 + threadIdx.x] = table[threadIdx.x][j];
}

int main(int count, char **words)
{
    const int blocks = 512;
    Buffer<unsigned> in(blocks * 8 * 1024, 3u), out(blocks * 1024);
    return measured(count, words, [&] { columns<<<blocks, dim3(32, 8)>>>(out.device, in.device); }, out);
}
