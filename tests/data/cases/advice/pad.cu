// origin: issue cases
// kernlint: launch(grid=64, block=32x16)
__global__ void f(const float *x, float *y)
{
    __shared__ float s[16 * 33];
    int l = threadIdx.y * 32 + threadIdx.x;
    s[threadIdx.y * 33 + threadIdx.x] = x[l];
    __syncthreads();
    y[l] = s[(l % 16) * 33 + l / 16];
}
