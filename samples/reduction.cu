// Sum of n doubles, 256 threads per block, 8 elements per thread, in two versions
// (after T. Aoki, Tokyo Institute of Technology, lecture 10).

// Bad: neighbouring threads are 8 elements apart (uncoalesced, bank conflicts), and the tree keeps every second,
// fourth, eighth thread of each warp (divergence).
// kernlint: launch(grid=8192, block=256)
__global__ void sum_version1(double *B, const double *A)
{
    __shared__ double fs[2048];
    int t = threadIdx.x;
    for (int i = 0; i < 8; i++) {
        int js = 2048 / 256 * threadIdx.x + i;
        fs[js] = A[2048 * blockIdx.x + js];
    }
    for (int i = 1; i < 8; i++)
        fs[8 * t] += fs[8 * t + i];
    for (int stride = 1; stride < blockDim.x; stride *= 2) {
        __syncthreads();
        if (t % (2 * stride) == 0)
            fs[8 * t] += fs[8 * t + 8 * stride];
    }
    if (t == 0) B[blockIdx.x] = fs[0];
}

// Good: neighbouring threads take neighbouring elements, and the first threads do the tree.
// kernlint: launch(grid=8192, block=256)
__global__ void sum_version2(double *B, const double *A)
{
    __shared__ double fs[2048];
    int t = threadIdx.x;
    for (int i = 0; i < 8; i++) {
        int js = 256 * i + threadIdx.x;
        fs[js] = A[2048 * blockIdx.x + js];
    }
    for (int i = 1; i < 8; i++)
        fs[t] += fs[t + 256 * i];
    for (int stride = blockDim.x; stride > 2; stride /= 2) {
        __syncthreads();
        if (t < stride / 2)
            fs[t] += fs[t + stride / 2];
    }
    __syncthreads();
    if (t == 0) B[blockIdx.x] = fs[0] + fs[1];
}
