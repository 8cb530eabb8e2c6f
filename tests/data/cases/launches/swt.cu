template <int B> __global__ void red(float *p)
{
    __shared__ float s[B];
    int t = threadIdx.x;
    s[t] = p[blockIdx.x * B + t];
    __syncthreads();
    if (B >= 512) { if (t < 256) s[t] += s[t + 256]; __syncthreads(); }
    if (t < 32) p[blockIdx.x] = s[t];
}
void run(int threads, int blocks, float *p)
{
    dim3 b(threads, 1, 1);
    switch (threads) {
    case 512: red<512><<<blocks, b>>>(p); break;
    case 128: red<128><<<blocks, b>>>(p); break;
    }
}
// Origin: issue cases.
