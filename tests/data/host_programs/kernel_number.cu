// run: 1
// run: 2
// run: 3
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void first(float *x, int n) { x[threadIdx.x] = n; }
__global__ void second(float *x, int n) { x[threadIdx.x * 2] = n; }
template <int UNROLL> __global__ void third(float *x, int n) { for (int i = 0; i < UNROLL; ++i) x[threadIdx.x + i * n] = n; }
void run_first(float *x, int n, int block) { first<<<n / block, block>>>(x, n); }
void run_second(float *x, int n, int block) { dim3 grid(n / (block * 2)); second<<<grid, block, block * sizeof(float)>>>(x, n); }
void run_third(float *x, int n, int block) { third<4><<<n / (block * 4), block>>>(x, n); }
void run(int kernel, float *x, int n, int block)
{
    switch (kernel) {
    case 1: run_first(x, n, block); break;
    case 2: run_second(x, n, block); break;
    case 3: run_third(x, n, block); break;
    default: printf("no such kernel\n"); exit(1);
    }
}
int main(int argc, char **argv)
{
    float *x;
    cudaMalloc(&x, 1 << 20);
    int kernel = 1;
    if (argc > 1) kernel = atoi(argv[1]);
    run(kernel, x, 1 << 14, 256);
    run(kernel, x, 1 << 14, 128);
}
