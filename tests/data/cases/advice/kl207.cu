// origin: issue cases
// kernlint: launch(grid=64, block=32, k=64)
__global__ void f(const short *x, float *y, int k)
{
    __shared__ short v[32];
    const int t = threadIdx.x;
    for (int k0 = 0; k0 < k; k0 += 16) {
        if (t < 16) v[t] = x[k0 + t];
        __syncthreads();
        y[t] += v[t & 15];
        __syncthreads();
    }
}
