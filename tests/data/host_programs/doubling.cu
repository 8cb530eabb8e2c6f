#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void stride(float *x, int s) { x[threadIdx.x * s] = 1; }
int main()
{
    float *x;
    cudaMalloc(&x, 1 << 24);
    for (int s = 1; s <= 64; s *= 2) {
        stride<<<128, 256>>>(x, s);
        cudaError_t error = cudaGetLastError();
        if (error != cudaSuccess) { printf("%s\n", cudaGetErrorString(error)); return 1; }
    }
    for (int s = 96; s > 0; s -= 32) stride<<<s, s>>>(x, s - 1);
}
