#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void saxpy(int n, float a, const float *x, float *y) { for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] += a * x[i]; }
struct Config { int n = 1 << 16; int block = 256; int waves = 2; };
void run(const Config &config, float *x, float *y)
{
    for (int w = 1; w <= config.waves; ++w) {
        int blocks = 32 * w;
        saxpy<<<blocks, config.block>>>(config.n, 2.f, x, y);
    }
}
int main()
{
    Config config;
    float *x, *y;
    cudaMallocManaged(&x, config.n * 4);
    cudaMallocManaged(&y, config.n * 4);
    for (int i = 0; i < config.n; i++) { x[i] = 1.0f; y[i] = 2.0f; }
    run(config, x, y);
    config.block = 512;
    config.waves = 1;
    run(config, x, y);
}
