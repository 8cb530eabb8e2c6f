// origin: our own
// right: KL502: float hist[64] indexed by data: 256 bytes per thread local
__global__ void hist(const int *key, const float *w, float *out, int n)
{
    float h[64] = {0};
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = t; i < n; i += gridDim.x * blockDim.x) h[key[i] & 63] += w[i];  // expect: KL502 by `key[i]`: its 256 bytes per thread lie
    for (int b = 0; b < 64; b++) atomicAdd(&out[b], h[b]);  // expect: KL208 32 serial updates per request instead of 1
}
void go(const int *k, const float *w, float *o) { hist<<<80, 256>>>(k, w, o, 1 << 22); }
