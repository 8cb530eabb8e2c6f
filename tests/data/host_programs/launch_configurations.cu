#include <cstdio>
#include <cuda_runtime.h>
__global__ void k(float *x, int n) { x[threadIdx.x] = n; }
template <class T> __global__ void tk(T *x, int n) { x[threadIdx.x] = n; }
int main()
{
    float *x; int n = 12; cudaMalloc(&x, 4096); cudaStream_t stream; cudaStreamCreate(&stream);
    cudaLaunchConfig_t config = {0};
    config.gridDim = dim3(10, 2); config.blockDim = 96; config.dynamicSmemBytes = 256; config.stream = stream;
    cudaLaunchAttribute attr[1]; attr[0].id = cudaLaunchAttributeProgrammaticStreamSerialization; attr[0].val.programmaticStreamSerializationAllowed = 1;
    config.attrs = attr; config.numAttrs = 1;
    cudaLaunchKernelEx(&config, k, x, n);
    cudaLaunchKernelEx(&config, tk<float>, x, 13);
    cudaLaunchConfig_t c2{dim3(7), dim3(32, 4), 0, stream};
    cudaLaunchKernelEx(&c2, k, x, 14);
    void *args[] = {&x, &n};
    cudaLaunchKernelExC(&config, (const void *)k, args);
}
