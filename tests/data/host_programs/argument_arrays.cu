#include <cstdio>
#include <cuda_runtime.h>
struct Parameters { float *out; int n; };
__global__ void whole(Parameters p) { p.out[threadIdx.x] = p.n; }
__global__ void parts(float *out, int n) { out[threadIdx.x] = n; }
template <class T> __global__ void generic(T *out, int n) { out[threadIdx.x] = n; }
void launch(Parameters parameters, cudaStream_t stream)
{
    auto pointer = &parameters;
    cudaLaunchKernel((const void *)whole, dim3(132), dim3(256), (void **)&pointer, 0, stream);
    void *arguments[] = {(void *)&parameters.out, &parameters.n};
    cudaLaunchCooperativeKernel((void *)parts, dim3(13), dim3(64), arguments, 128, stream);
    cudaLaunchKernel((const void *)generic<float>, dim3(15), dim3(32, 2), &arguments[0], 0, stream);
    void *filled[2];
    filled[0] = &parameters.out;
    filled[1] = &parameters.n;
    cudaLaunchKernel((void *)parts, dim3(17), dim3(96), filled, 0, stream);
}
int main()
{
    Parameters parameters{nullptr, 4096};
    cudaMalloc(&parameters.out, parameters.n * sizeof(float));
    launch(parameters, 0);
}
