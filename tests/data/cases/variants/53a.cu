// origin: our own  // expect: none
// right: nothing: a row per warp
__global__ void gemv(const float *A, const float *x, float *y, int rows, int cols)
{
    const int r = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
    if (r >= rows) return;
    float s = 0;
    for (int c = lane; c < cols; c += 32) s += A[r * cols + c] * x[c];
    for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
    if (lane == 0) y[r] = s;
}
void go(const float *A, const float *x, float *y) { gemv<<<512, 256>>>(A, x, y, 4096, 4096); }
