// origin: our own
// right: KL403 may: __shfl_down_sync full mask in data-dependent branch
__global__ void sumpos(const float *x, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = i < n ? x[i] : 0.f;
    if (v > 0.f) {
        for (int d = 16; d; d >>= 1) v += __shfl_down_sync(0xffffffffu, v, d);  // expect: KL403 may not execute it
        if (threadIdx.x % 32 == 0) atomicAdd(out, v);
    }
}
void go(const float *x, float *o) { sumpos<<<100, 128>>>(x, o, 12800); }
