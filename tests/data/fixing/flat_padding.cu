// kernlint --fix --unsafe-fixes: KL101, lengthen the rows of a flat shared array.
#include "harness.cuh"

#define TILE 32
#define ROWS 8

__global__ void turn(float *out, const float *in, int n)
{
    __shared__ float tile[TILE * TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        tile[(threadIdx.y + j) * TILE + threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        out[(y + j) * n + x] = tile[threadIdx.x * TILE + threadIdx.y + j];
}

int main(int count, char **words)
{
    const int n = 2048;
    Buffer<float> in(n * n, 1u), out(n * n);
    return measured(count, words, [&] { turn<<<dim3(n / TILE, n / TILE), dim3(TILE, ROWS)>>>(out.device, in.device, n); }, out);
}
