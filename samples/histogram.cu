// Histogram of 256 bins: only the data decides which bin a lane hits, so counts of the atomics are a range or
// unknown; how the bins are cleared and written out is exact.

// Bad: the copies are interleaved, so clearing and summing access shared memory with a stride of 8 words.
// kernlint: launch(grid=1024, block=256, n=1<<20)
__global__ void histogram_strided(unsigned *bins, const unsigned char *in, int n)
{
    __shared__ unsigned local[256 * 8];  // eight copies, interleaved
    for (int k = 0; k < 8; k++) local[8 * threadIdx.x + k] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[8 * in[i] + threadIdx.x % 8], 1u);
    __syncthreads();
    unsigned sum = 0;
    for (int k = 0; k < 8; k++) sum += local[8 * threadIdx.x + k];
    atomicAdd(&bins[threadIdx.x], sum);
}

// Good: one copy per warp, one after the other; bins lie side by side.
// kernlint: launch(grid=1024, block=256, n=1<<20)
__global__ void histogram_by_warp(unsigned *bins, const unsigned char *in, int n)
{
    __shared__ unsigned local[8][256];
    for (int k = 0; k < 8; k++) local[k][threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[threadIdx.x / 32][in[i]], 1u);
    __syncthreads();
    unsigned sum = 0;
    for (int k = 0; k < 8; k++) sum += local[k][threadIdx.x];
    atomicAdd(&bins[threadIdx.x], sum);
}
