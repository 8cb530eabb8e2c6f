#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <ctime>
__global__ void histogram(const unsigned char *x, unsigned *bins, int n) { bins[x[threadIdx.x]] = n; }
__global__ void merge_bins(const unsigned *parts, unsigned *bins, int count) { bins[threadIdx.x] = parts[threadIdx.x + count]; }
static double sample() { double u = rand() / (double)RAND_MAX; if (u == 0 || u > 1) return sample(); return u; }
int main()
{
    srand(time(NULL));
    int n = 64 * 1024;
    unsigned char *h = (unsigned char *)malloc(n), *x;
    unsigned *bins;
    for (int i = 0; i < n; i++) h[i] = (unsigned char)(255 * sample());
    cudaMalloc(&x, n);
    cudaMalloc(&bins, 256 * 240 * 4);
    cudaMemcpy(x, h, n, cudaMemcpyHostToDevice);
    const int warps = 6, parts = 240;
    histogram<<<parts, warps * 32, warps * 256 * sizeof(unsigned)>>>(x, bins, n);
    merge_bins<<<256, 256>>>(bins, bins, parts);
    int errors = 0;
    for (int i = 0; i < n; i++) if (h[i] > 250) errors++;
    if (errors > n) { printf("failed\n"); exit(1); }
    merge_bins<<<128, 64>>>(bins, bins, 2);
}
