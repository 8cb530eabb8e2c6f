#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <algorithm>
__global__ void k(float *x, unsigned n) { x[threadIdx.x] = n; }
static inline unsigned div_up(unsigned a, unsigned b) { return (a + b - 1) / b; }
constexpr int round_up(int a, int b) { return (a + b - 1) / b * b; }
int main()
{
    float *x;
    cudaMalloc(&x, 1 << 22);
    unsigned sizes[3] = {1000, 33333, 100000};
    for (unsigned n : sizes) {
        unsigned threads = std::min(round_up(n, 32), 512);
        unsigned blocks = std::max(1u, std::min(div_up(n, threads), 128u));
        k<<<blocks, threads>>>(x, n);
    }
}
