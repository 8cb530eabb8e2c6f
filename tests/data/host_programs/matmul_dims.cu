#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

struct Dims { int m, n, k; };
#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))
__global__ void gemm(int m, int n, int k, float alpha, const float *a, const float *b, float beta, float *c) { c[threadIdx.x] = a[m * n] * b[k]; }
static void multiply(const Dims &d, const float *a, const float *b, float *c)
{
    dim3 grid(CEIL_DIV(d.m, 32), CEIL_DIV(d.n, 32)), block(32 * 32);
    gemm<<<grid, block>>>(d.m, d.n, d.k, 1.0f, a, b, 0.0f, c);
}
int main()
{
    const Dims cases[] = {{128, 128, 128}, {256, 512, 64}, {1000, 1000, 1000}};
    const int count = sizeof(cases) / sizeof(cases[0]);
    for (int i = 0; i < count; i++) {
        float *a, *b, *c;
        cudaMalloc(&a, cases[i].m * cases[i].k * 4);
        cudaMalloc(&b, cases[i].k * cases[i].n * 4);
        cudaMalloc(&c, cases[i].m * cases[i].n * 4);
        multiply(cases[i], a, b, c);
        cudaFree(a); cudaFree(b); cudaFree(c);
    }
}
