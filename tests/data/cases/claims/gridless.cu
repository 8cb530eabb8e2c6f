// origin: issue cases
__global__ void k(float *out, const float *in)
{
    __shared__ float a[16][16], b[16][16];
    int x = threadIdx.x, y = threadIdx.y, at = (blockIdx.x * 16 + y) * 16 + x;
    a[y][x] = in[at];
    b[y][x] = in[at + 4096];
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < 16; ++i) sum += a[y][i] * b[i][x];
    out[at] = sum;
}
void run(float *o, const float *i, int n) { k<<<n, dim3(16, 16)>>>(o, i); }
