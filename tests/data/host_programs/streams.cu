#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void chunk(float *x, int offset, int n) { x[offset + threadIdx.x] = n; }
int main()
{
    const int streams = 4, block = 256, n = 4 * 1024 * block;
    const int size = n / streams;
    cudaStream_t stream[streams];
    float *x, *h;
    cudaMallocHost((void **)&h, n * sizeof(float));
    cudaMalloc((void **)&x, n * sizeof(float));
    for (int i = 0; i < streams; ++i) cudaStreamCreate(&stream[i]);
    for (int i = 0; i < streams; ++i) {
        int offset = i * size;
        cudaMemcpyAsync(&x[offset], &h[offset], size * sizeof(float), cudaMemcpyHostToDevice, stream[i]);
        chunk<<<size / block, block, 0, stream[i]>>>(x, offset, size);
    }
    for (int i = 0; i < streams; ++i) cudaStreamDestroy(stream[i]);
}
