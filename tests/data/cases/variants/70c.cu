// origin: our own
// right: KL208: warp-uniform bucket in loop from shared
__global__ void grad(const int *idx, const float *g, float *out, int m)
{
    __shared__ int s[64];
    if (threadIdx.x < 64) s[threadIdx.x] = idx[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < m; k++) {
        float a = g[threadIdx.x * m + k];  // expect: KL201 32 sectors per request instead of 4
        if (a != 0.f) { atomicAdd(out + s[k], a); }  // expect: KL208 up to 32 serial updates per request instead of 1
    }
}
void go(const int *i, const float *g, float *o, int m) { grad<<<300, 256>>>(i, g, o, m); }
