#include <stdlib.h>
__global__ void k(float *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i * 2] = 2.f;
}
static int count = 64;
static void parse(int argc, char **argv) { if (argc > 1) count = atoi(argv[1]); }
static void run(float *p) { k<<<4, 256>>>(p, count); }
int main(int argc, char **argv)
{
    float *p; cudaMalloc(&p, 1 << 20);
    parse(argc, argv);
    run(p);
}
// Origin: issue cases.
