// run: 0
// run: 1
// run: 2
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

enum class Mode { Read, Write, Both };
__global__ void read_all(const float *x, float *y, int n) { y[0] = x[threadIdx.x] + n; }
__global__ void write_all(float *x, int n) { x[threadIdx.x] = n; }
static void run(Mode mode, float *x, float *y, int n)
{
    const dim3 block(32, 8);
    const dim3 grid(n / 256);
    if (mode == Mode::Read || mode == Mode::Both) read_all<<<grid, block>>>(x, y, n);
    if (mode == Mode::Write || mode == Mode::Both) write_all<<<grid, block>>>(x, n);
}
int main(int argc, char **argv)
{
    float *x, *y;
    int n = 65536;
    cudaMalloc(&x, n * 4);
    cudaMalloc(&y, 4);
    run(static_cast<Mode>(argc > 1 ? atoi(argv[1]) : 0), x, y, n);
}
