#include <cstdio>
#include <cuda_runtime.h>
__global__ void scale(const int *in, int *out, int a) { out[threadIdx.x] = in[threadIdx.x] * a; }
__global__ void scale(const int2 *in, int *out, int a) { out[threadIdx.x] = in[threadIdx.x].x * a; }
__global__ void first(float *x) { x[threadIdx.x] = 1; }
__global__ void second(float *x) { x[threadIdx.x] = 2; }
int main()
{
    int *d;
    float *x;
    cudaMalloc(&d, 4096);
    cudaMalloc(&x, 4096);
    void (*one)(const int *, int *, int);
    void (*two)(const int2 *, int *, int);
    one = scale;
    (*one)<<<4, 256>>>(d, d, 3);
    two = scale;
    (*two)<<<5, 256>>>((int2 *)d, d, 4);
    void (*f)(float *);
    f = first;
    (*f)<<<6, 32>>>(x);
    f = second;
    (**f)<<<7, 32>>>(x);
    void (*table[2])(float *) = {first, second};
    (*table)<<<8, 64>>>(x);
    (*table[1])<<<9, 64>>>(x);
}
