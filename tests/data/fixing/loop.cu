// kernlint --fix --unsafe-fixes: KL201, a thread's index and a loop's counter change roles.
#include "harness.cuh"

#define TILE 32

__global__ void stage(float *out, const float *in, int n)
{
    __shared__ float tile[TILE][TILE + 1];
    for (int i = 0; i < TILE; ++i)
        tile[threadIdx.x][i] = 0.5f * in[(blockIdx.y * TILE + threadIdx.x) * n + blockIdx.x * TILE + i];
    __syncthreads();
    for (int i = 0; i < TILE; ++i)
        out[(blockIdx.x * TILE + i) * n + blockIdx.y * TILE + threadIdx.x] = tile[threadIdx.x][i];
}

int main(int count, char **words)
{
    const int n = 2048;
    Buffer<float> in(n * n, 6u), out(n * n);
    return measured(count, words, [&] { stage<<<dim3(n / TILE, n / TILE), TILE>>>(out.device, in.device, n); }, out);
}
