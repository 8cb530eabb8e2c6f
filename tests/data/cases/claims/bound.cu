// origin: issue cases
__global__ void k(float *out, const float *in, int n)
{
    __shared__ float s[1024];
    int t = threadIdx.x;
    float a[4] = {0.f, 0.f, 0.f, 0.f};
    for (int base = 0; base < n; base += 8) {
        for (int o = 0; o < 2; ++o)
            s[t + 256 * o] = in[base + 256 * o + t];
        __syncthreads();
        for (int i = 0; i < 4; ++i)
            a[i] += s[t % 16 * 8 + i];
        __syncthreads();
    }
    out[t] = a[0] * a[1] + a[2] * a[3];
}
