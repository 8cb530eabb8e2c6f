#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void shared_sort(unsigned *k, unsigned n, unsigned dir) { k[threadIdx.x] = n + dir; }
__global__ void merge(unsigned *k, unsigned n, unsigned size, unsigned stride, unsigned dir) { k[threadIdx.x] = n + size + stride + dir; }
#define LIMIT 1024U
static void sort(unsigned *keys, unsigned batch, unsigned length, unsigned dir)
{
    if (length < 2) return;
    dir = (dir != 0);
    unsigned blocks = batch * length / LIMIT, threads = LIMIT / 2;
    if (length <= LIMIT) { shared_sort<<<blocks, threads>>>(keys, length, dir); return; }
    shared_sort<<<blocks, threads>>>(keys, length, dir);
    for (unsigned size = 2 * LIMIT; size <= length; size <<= 1)
        for (unsigned stride = size / 2; stride > 0; stride >>= 1)
            if (stride >= LIMIT) merge<<<(batch * length) / 512, 256>>>(keys, length, size, stride, dir);
            else { shared_sort<<<blocks, threads>>>(keys, size, dir); break; }
}
int main()
{
    unsigned *keys, n = 1 << 14;
    cudaMalloc((void **)&keys, n * sizeof(unsigned));
    for (unsigned length = 64; length <= n; length *= 4) sort(keys, n / length, length, 1);
}
