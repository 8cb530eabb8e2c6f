// kernlint --fix --unsafe-fixes: KL101, pad the rows of an array whose shape a type gives.
#include "harness.cuh"

constexpr int SIDE = 32;
using Tile = float[SIDE][SIDE];

__global__ void turn(float *out, const float *in, int n)
{
    __shared__ Tile tile;
    int x = blockIdx.x * SIDE + threadIdx.x, y = blockIdx.y * SIDE + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    out[(blockIdx.x * SIDE + threadIdx.y) * n + blockIdx.y * SIDE + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

int main(int count, char **words)
{
    const int n = 2048;
    Buffer<float> in(n * n, 1u), out(n * n);
    return measured(count, words, [&] { turn<<<dim3(n / SIDE, n / SIDE), dim3(SIDE, SIDE)>>>(out.device, in.device, n); }, out);
}
