// origin: our own  // expect: none
// right: nothing (activemask)
__device__ int take(int *c)
{
    unsigned m = __activemask();
    int lead = __ffs(m) - 1, lane = threadIdx.x % 32, base;
    if (lane == lead) base = atomicAdd(c, __popc(m));
    base = __shfl_sync(m, base, lead);
    return base + __popc(m & ((1u << lane) - 1));
}
__global__ void filter(const float *v, float *o, int *c)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    if (v[i] > 0) o[take(c)] = v[i];
}
void go(const float *x, float *o, int *c) { filter<<<64, 128>>>(x, o, c); }
