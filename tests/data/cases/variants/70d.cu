// origin: our own
// right: KL208: block-uniform address by blockIdx: 32 per warp, float
__global__ void loss(const float *p, const float *t, float *l, int n)
{
    float s = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) { float d = p[blockIdx.x * n + i] - t[blockIdx.x * n + i]; s += d * d; }
    atomicAdd(&l[blockIdx.x], s);  // expect: KL208 32 serial updates per request instead of 1
}
void go(const float *p, const float *t, float *l, int n) { loss<<<256, 256>>>(p, t, l, n); }
