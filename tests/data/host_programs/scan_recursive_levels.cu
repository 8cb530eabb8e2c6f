#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void scan(int *x, int *sums, int n) { x[threadIdx.x] = sums[blockIdx.x] + n; }
__global__ void offset(int *x, const int *sums, int n) { x[threadIdx.x] += sums[blockIdx.x] + n; }
int main()
{
    const int block = 256;
    int n = 1 << 18, levels = 0, counts[8];
    int *data[8];
    for (int m = n; m > 1; m = (m + block - 1) / block) {
        counts[levels] = m;
        cudaMalloc(&data[levels], m * sizeof(int));
        levels++;
    }
    cudaMalloc(&data[levels], sizeof(int));
    for (int i = 0; i < levels; i++)
        scan<<<(counts[i] + block - 1) / block, block, 2 * block * sizeof(int)>>>(data[i], data[i + 1], counts[i]);
    for (int i = levels - 2; i >= 0; i--)
        offset<<<(counts[i] + block - 1) / block, block>>>(data[i], data[i + 1], counts[i]);
}
