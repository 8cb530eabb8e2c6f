// kernlint --fix --unsafe-fixes: KL201, threadIdx.x and threadIdx.y of a square block change roles.
#include "harness.cuh"

__global__ void scale(float *out, const float *in, const float *factor, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int column = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < n && column < n) out[row * n + column] = factor[row] * in[row * n + column] + column;
}

int main(int count, char **words)
{
    const int n = 2000;
    Buffer<float> in(n * n, 4u), factor(n, 5u), out(n * n);
    dim3 block(16, 16), grid((n + 15) / 16, (n + 15) / 16);
    return measured(count, words, [&] { scale<<<grid, block>>>(out.device, in.device, factor.device, n); }, out);
}
