#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <functional>
__global__ void a(float *x, int n) { x[threadIdx.x] = n; }
__global__ void b(float *x, int n, int k) { x[threadIdx.x * k] = n; }
template <typename F> double time_it(F &&f, int repeat) { for (int i = 0; i < repeat; ++i) f(); cudaDeviceSynchronize(); return 0; }
int main()
{
    float *x;
    int n = 1 << 12;
    cudaMalloc(&x, n * 4);
    double t = time_it([&] { a<<<n / 64, 64>>>(x, n); }, 3);
    for (int k = 1; k < 4; ++k) t += time_it([=]() { b<<<n / 128, 128>>>(x, n, k); }, 2);
    auto go = [x](int blocks, int threads) { a<<<blocks, threads>>>(x, blocks * threads); };
    go(5, 96);
    go(7, 160);
    printf("%f\n", t);
}
