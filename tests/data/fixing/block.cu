// kernlint tune --only block: the best block that it names.
#include "harness.cuh"

#ifndef BLOCK_X
#define BLOCK_X 8
#define BLOCK_Y 8
#define GRID_X 64
#define GRID_Y 64
#endif

__global__ void product(float *c, const float *a, const float *b, int n)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

int main(int count, char **words)
{
    const int n = 512;
    Buffer<float> a(n * n, 9u), b(n * n, 10u), c(n * n);
    return measured(count, words, [&] { product<<<dim3(GRID_X, GRID_Y), dim3(BLOCK_X, BLOCK_Y)>>>(c.device, a.device, b.device, n); }, c);
}
