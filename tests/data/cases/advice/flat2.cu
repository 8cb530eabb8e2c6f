// origin: issue cases
// kernlint: launch(grid=64, block=32)
__global__ void k(float *g, const float *x)
{
    int c = blockIdx.x * 64 + threadIdx.x * 2;
    atomicAdd(g + c + 0, x[c]);
    atomicAdd(g + c + 1, x[c + 1]);
}
