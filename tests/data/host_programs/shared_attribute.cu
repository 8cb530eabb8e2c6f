#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void heavy(float *x, int n) { extern __shared__ float s[]; x[threadIdx.x] = s[n]; }
template <int STAGES> struct Kernel {
    static constexpr int threads = 128;
    static constexpr size_t shared = STAGES * 16 * 1024;
    static void launch(float *x, int n)
    {
        cudaFuncSetAttribute(heavy, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
        heavy<<<n / threads, threads, shared>>>(x, n);
    }
};
int main()
{
    float *x;
    cudaMalloc(&x, 1 << 20);
    Kernel<2>::launch(x, 4096);
    Kernel<3>::launch(x, 8192);
    Kernel<4>::launch(x, 12800);
}
