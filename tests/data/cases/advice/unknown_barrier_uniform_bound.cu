// origin: issue cases
// kernlint: launch(grid=4, block=64)
__global__ void k(float *x, int n) {
    __shared__ float s[64];
    s[threadIdx.x] = x[threadIdx.x];
    for (int d = 1; d < n; d *= 2) {
        __syncthreads();
        s[threadIdx.x] += 1.0f;
    }
    for (int d = n >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
    }
    x[threadIdx.x] = s[threadIdx.x];
}
// kernlint: launch(grid=4, block=64)
__global__ void k2(float *x, const int *p) {
    __shared__ float s[64];
    int n = p[blockIdx.x];
    s[threadIdx.x] = x[threadIdx.x];
    for (int d = 1; d < n; d *= 2) {
        __syncthreads();
        s[threadIdx.x] += 1.0f;
    }
    if (n > 3) __syncthreads();
    x[threadIdx.x] = s[threadIdx.x];
}
