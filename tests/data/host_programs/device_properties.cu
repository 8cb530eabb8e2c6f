#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void persist(float *x, int n) { x[threadIdx.x] = n; }
__global__ void simple(float *x, int n) { x[threadIdx.x] = n; }
int main()
{
    int count = 0;
    cudaGetDeviceCount(&count);
    if (count == 0) { printf("no device\n"); return EXIT_FAILURE; }
    cudaDeviceProp prop;
    cudaGetDeviceProperties(&prop, 0);
    float *x;
    cudaMalloc(&x, 1 << 20);
    persist<<<prop.multiProcessorCount, 256>>>(x, 1 << 18);
    simple<<<64, 128>>>(x, 8192);
}
