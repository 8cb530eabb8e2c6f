// kernlint --fix --unsafe-fixes: KL101, pad rows of bytes that each thread walks to whole words.
#include "harness.cuh"

#define ROWS 64
#define BYTES 64

__global__ void sums(int *out, const int *in)
{
    __shared__ unsigned char rows[ROWS][BYTES];
    for (int i = threadIdx.x; i < ROWS * BYTES; i += ROWS)
        rows[i / BYTES][i % BYTES] = in[blockIdx.x * ROWS * BYTES + i];
    __syncthreads();
    int sum = 0;
    for (int turn = 0; turn < 16; ++turn)
        for (int b = 0; b < BYTES; ++b)
            sum = sum * 3 + rows[threadIdx.x][b];
    out[blockIdx.x * ROWS + threadIdx.x] = sum;
}

int main(int count, char **words)
{
    const int blocks = 2048;
    Buffer<int> in(blocks * ROWS * BYTES, 1u), out(blocks * ROWS);
    return measured(count, words, [&] { sums<<<blocks, ROWS>>>(out.device, in.device); }, out);
}
