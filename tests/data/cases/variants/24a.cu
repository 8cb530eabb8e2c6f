// origin: our own
// right: error: __syncthreads in last-warp tail
template <unsigned B> __global__ void sum(const int *in, int *out)
{
    __shared__ int s[B];
    unsigned t = threadIdx.x;
    s[t] = in[blockIdx.x * B + t];
    __syncthreads();
    for (unsigned k = B / 2; k > 32; k /= 2) { if (t < k) s[t] += s[t + k]; __syncthreads(); }
    if (t < 32)
        for (unsigned k = 32; k > 0; k /= 2) { s[t] += s[t + k]; __syncthreads(); }  // expect: KL401 not reached by
    if (!t) out[blockIdx.x] = s[0];
}
void go(const int *i, int *o) { sum<512><<<64, 512>>>(i, o); }
