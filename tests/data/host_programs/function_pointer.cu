// run:
// run: fast
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void plain(float *x, int n) { x[threadIdx.x] = n; }
__global__ void fast(float *x, int n) { x[threadIdx.x * 2] = n; }
int main(int argc, char **argv)
{
    float *x;
    cudaMalloc(&x, 4096);
    void (*kernel)(float *, int) = plain;
    if (argc > 1) kernel = fast;
    kernel<<<16, 64>>>(x, 1024);
    for (int i = 0; i < 2; ++i) {
        void (*k)(float *, int);
        switch (i) {
        case 0: k = &plain; break;
        case 1: k = &fast; break;
        }
        k<<<8, 32 << i>>>(x, i);
    }
}
