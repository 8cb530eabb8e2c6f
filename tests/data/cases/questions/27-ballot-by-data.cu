// origin: issue cases
// launch: block 256, grid 1024, n = 262144 (host code below).
// right: the ballot with a full mask sits under a condition on data: some named lanes may not execute it: V100 deadlocked. Fix: __activemask().
__device__ int grab(int *counter)
{
    const unsigned m = __ballot_sync(0xFFFFFFFF, 1);  // expect: KL403 may not execute it | __activemask()
    const int lead = __ffs(m) - 1, lane = threadIdx.x & 31;
    int base = 0;
    if (lane == lead) base = atomicAdd(counter, __popc(m));
    base = __shfl_sync(m, base, lead);
    return base + __popc(m & ((1u << lane) - 1));
}
__global__ void keep(const int *v, int *out, int *counter, int n, int lim)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n && v[i] > lim) out[grab(counter)] = v[i];
}
void go(const int *v, int *o, int *c) { keep<<<1024, 256>>>(v, o, c, 262144, 10); }
