// origin: issue cases
// kernlint: launch(grid=4, block=64)
__global__ void k(int *out, const int *in) {
    __shared__ int n;
    if (threadIdx.x == 0) n = 0;
    __syncthreads();
    atomicAdd(&n, 1);
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = n;
}
