// origin: our own  // expect: none
// question: convolution with constant filter, uniform index: good, nothing (halo loads only)
__constant__ float f[25];
__global__ void conv(const float *__restrict__ in, float *__restrict__ out, int w, int h)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < 2 || y < 2 || x >= w - 2 || y >= h - 2) return;
    float s = 0;
    for (int j = -2; j <= 2; j++) for (int i = -2; i <= 2; i++) s += f[(j + 2) * 5 + i + 2] * in[(y + j) * w + x + i];
    out[y * w + x] = s;
}
void go(const float *i, float *o) { conv<<<dim3(32, 128), dim3(32, 8)>>>(i, o, 1024, 1024); }
