#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void bfs(const int *nodes, bool *over, int n, int level) { if (threadIdx.x < n) *over = nodes[level]; }
__global__ void relax(float *d, int n) { d[threadIdx.x] = n; }
int main()
{
    int n = 4096, *nodes, level = 0;
    bool *over, stop;
    cudaMalloc(&nodes, n * 4);
    cudaMalloc(&over, sizeof(bool));
    int threads = n > 512 ? 512 : n, blocks = (n + threads - 1) / threads;
    do {
        stop = false;
        cudaMemcpy(over, &stop, sizeof(bool), cudaMemcpyHostToDevice);
        bfs<<<blocks, threads, 0>>>(nodes, over, n, level);
        cudaMemcpy(&stop, over, sizeof(bool), cudaMemcpyDeviceToHost);
        level++;
    } while (stop);
    float *d;
    cudaMalloc(&d, n * 4);
    int rounds = 0;
    while (rounds < 3) { relax<<<blocks * 2, threads / 2>>>(d, n - rounds); rounds += 1; }
}
