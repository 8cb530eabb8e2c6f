// run:
// run: -n 8192 -b 128
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <cstring>
__global__ void scale(float *x, float f, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] *= f; }
__global__ void fixed(float *x, int step) { x[threadIdx.x * step] = 0; }
static void usage(const char *name) { fprintf(stderr, "usage: %s [-n size] [-b block]\n", name); exit(1); }
int main(int argc, char **argv)
{
    int n = 4096, block = 256;
    for (int i = 1; i < argc; ++i) {
        if (!strcmp(argv[i], "-n") && i + 1 < argc) n = atoi(argv[++i]);
        else if (!strcmp(argv[i], "-b") && i + 1 < argc) block = atoi(argv[++i]);
        else usage(argv[0]);
    }
    float *x;
    cudaMalloc(&x, n * sizeof(float));
    scale<<<(n + block - 1) / block, block>>>(x, 2.0f, n);
    fixed<<<8, 64>>>(x, 2);
    fixed<<<dim3(4, 2), dim3(16, 4)>>>(x, 3);
    cudaDeviceSynchronize();
}
