// origin: our own
// question: CSR spmv scalar: each thread walks its own row: uncoalesced
__global__ void spmv(const int *ptr, const int *col, const float *val, const float *x, float *y, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= n) return;
    float s = 0;
    for (int j = ptr[r]; j < ptr[r + 1]; j++) s += val[j] * x[col[j]];  // expect: KL203 up to 32 sectors per request instead of 4
    y[r] = s;
}
void go(const int *p, const int *c, const float *v, const float *x, float *y) { spmv<<<400, 256>>>(p, c, v, x, y, 102400); }
