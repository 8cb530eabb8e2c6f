#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void copy(const float *in, float *out, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) out[i] = in[i]; }
void validate(const float *device, const float *host, int n)
{
    float *back = (float *)malloc(n * sizeof(float));
    cudaMemcpy(back, device, n * sizeof(float), cudaMemcpyDeviceToHost);
    int faults = 0;
    for (int i = 0; i < n; i++) if (back[i] != host[i] && ++faults > 10) { free(back); exit(EXIT_FAILURE); }
    free(back);
}
int main()
{
    const int n = 3 * 4096;
    float *h = (float *)calloc(n, sizeof(float)), *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    int block_sizes[] = {32, 64, 128, 256, 512, 1024};
    for (int j = 0; j < sizeof(block_sizes) / sizeof(int); j++) {
        int block_size = block_sizes[j];
        printf("block size %d\n", block_size);
        copy<<<(n + block_size - 1) / block_size, block_size>>>(in, out, n);
        validate(out, h, n);
    }
}
