// origin: our own
// right: KL208: all lanes add to one address (gid loaded by uniform index): up to 32
__global__ void accumulate(const int *cell, const float *v, float *sum, int n)
{
    const int c = cell[blockIdx.x];
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        if (v[blockIdx.x * n + i] > 0) atomicAdd(&sum[c], v[blockIdx.x * n + i]);  // expect: KL208 up to 32 serial updates per request instead of 1
}
void go(const int *c, const float *v, float *s, int n) { accumulate<<<1000, 128>>>(c, v, s, n); }
