// origin: our own
// question: y[i] += inside loop (global accumulate) A: nvcc can't keep in register because of aliasing; use a local sum / __restrict__
__global__ void matvec(const float *A, const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    y[i] = 0;
    for (int j = 0; j < n; j++) y[i] += A[j * n + i] * x[j];  // expect: KL210 at the same address: 524,288 requests instead of 128 (exact)
}
void go(const float *A, const float *x, float *y) { matvec<<<16, 256>>>(A, x, y, 4096); }
