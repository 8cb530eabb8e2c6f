#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
__global__ void fill(float *x, int n) { x[threadIdx.x] = n; }
__global__ void rows(float *x, int width, int height) { x[threadIdx.x] = width * height; }
int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 4096;
    const unsigned block = (argc >= 3) ? strtoul(argv[2], nullptr, 10) : 128u;
    int width = 640, height = 480;
    if (argc != 1 && argc != 5) return 1;
    if (argc == 5) { width = std::atoi(argv[3]); height = std::atoi(argv[4]); }
    if (width <= 0 || height <= 0) return 2;
    float *x;
    cudaMalloc(&x, n * sizeof(float));
    fill<<<(n + block - 1) / block, block>>>(x, n);
    dim3 threads(32, 8), blocks((width + threads.x - 1) / threads.x, (height + threads.y - 1) / threads.y);
    rows<<<blocks, threads>>>(x, width, height);
}
