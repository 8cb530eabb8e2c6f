// origin: issue cases
__global__ void k(float *out, const float *in)
{
    __shared__ float s[2048];
    int t = threadIdx.x;
    for (int i = 0; i < 8; ++i) s[t + 256 * i] = in[blockIdx.x * 2048 + t + 256 * i];
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < 4; ++i) sum += s[t * 8 + i];
    out[blockIdx.x * 256 + t] = sum;
}
void run(float *o, const float *i, int n) { k<<<n, 256>>>(o, i); }
