// origin: issue cases
// w is the same at the start of every turn of k; the number of turns depends on data
__global__ void k(double *out, const double *in, const int *count)
{
    __shared__ double s[100];
    int t = threadIdx.x, w = t;
    for (int k = 0; k < count[blockIdx.x]; ++k) {
        while (w < 100) {
            s[w] = in[w];
            w += 128;
        }
        w = t;
        __syncthreads();
        if (w < 100) out[blockIdx.x * 100 + w] += s[w];
        __syncthreads();
    }
}
__global__ void k2(float *out, const float *in, int rows)
{
    __shared__ float s[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    s[y][x] = in[y * 16 + x];
    __syncthreads();
    for (int i = 1; i <= __log2f(16); ++i) {
        int p = __powf(2, i);
        if (y % p == 0) s[y][x] += s[y + p / 2][x];
        __syncthreads();
    }
    if (y == 0) out[blockIdx.x * 16 + x] = s[0][x];
}
