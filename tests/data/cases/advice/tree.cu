// origin: issue cases
// kernlint: launch(grid=64, block=32x8)
// in-warp tree reduction: the right advice is __shfl_down_sync
__global__ void k(const float *x, float *y)
{
    __shared__ float s[8][32];
    int l = threadIdx.y * 32 + threadIdx.x;
    s[threadIdx.y][threadIdx.x] = x[blockIdx.x * 256 + l];
    __syncthreads();
    for (int h = 16; h > 0; h >>= 1) {
        if (threadIdx.x < h) s[threadIdx.y][threadIdx.x] += s[threadIdx.y][threadIdx.x + h];
        __syncthreads();
    }
    if (threadIdx.x == 0) y[blockIdx.x * 8 + threadIdx.y] = s[threadIdx.y][0];
}
