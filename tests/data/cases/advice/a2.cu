// origin: issue cases
// kernlint: launch(grid=64, block=256)
__global__ void a(const int *who, const float *x, float *g)
{
    __shared__ int w[256];
    w[threadIdx.x] = who[threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 256; j++) if (x[threadIdx.x + j] > 0.5f) atomicAdd(&g[w[j]], x[threadIdx.x] * j);
}
