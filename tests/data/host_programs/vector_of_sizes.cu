#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>
#include <iostream>
__global__ void fill(int *x, int n, int value) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = value; }
int main()
{
    std::vector<int> sizes = {1024, 4096, 16384};
    for (int i = 16; i <= 18; ++i) sizes.push_back(1 << i);
    for (size_t i = 0; i < sizes.size(); ++i) {
        int n = sizes[i], *x;
        std::vector<int> host(n, 1);
        cudaMalloc(&x, n * sizeof(int));
        cudaMemcpy(x, host.data(), n * sizeof(int), cudaMemcpyHostToDevice);
        for (int block : {128, 256}) {
            fill<<<(n + block - 1) / block, block>>>(x, n, 7);
            std::cout << n << " " << block << std::endl;
        }
        cudaFree(x);
    }
}
