#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

template <typename T, int BLOCK, int ITEMS> __global__ void process(T *x, size_t n) { x[threadIdx.x] = n * BLOCK * ITEMS; }
template <typename T, int BLOCK, int ITEMS> void bench(size_t n)
{
    T *x;
    cudaMalloc(&x, n * sizeof(T));
    process<T, BLOCK, ITEMS><<<n / (BLOCK * ITEMS), BLOCK>>>(x, n);
    cudaFree(x);
}
template <typename T> void bench_all(size_t n) { bench<T, 128, 4>(n); bench<T, 256, 2>(n); bench<T, 512, 1>(n); }
int main() { bench_all<float>(1 << 14); bench_all<double>(1 << 15); bench<int, 64, 8>(4096); }
