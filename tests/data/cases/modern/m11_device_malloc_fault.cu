// origin: issue cases
// FAULT: a kernel that allocates memory (cudaMalloc / malloc / new on the device).
// KeyError: <class 'kernlint.lowering.ir.Allocate'> (estimate/build.py:63)
// expected: analysed; global store 4 sectors
#include <cuda_runtime.h>
struct L { float2 *v; int n; };
__global__ void k(L *p, float *o, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        if (p[i].v == NULL) cudaMalloc((void **)&p[i].v, 64 * sizeof(float2));
        o[i] = 1;
    }
}
int main() { L *p; float *o; cudaMalloc(&p, 1024 * sizeof(L)); cudaMalloc(&o, 4096); k<<<4, 256>>>(p, o, 1024); }
