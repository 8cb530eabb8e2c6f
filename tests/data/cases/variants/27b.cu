// origin: our own
// right: KL403 may: __any_sync(~0u) in a while loop which lanes leave by data
__global__ void walk(const int *next, int *out)
{
    int at = blockIdx.x * blockDim.x + threadIdx.x, steps = 0;
    while (next[at] >= 0) {
        at = next[at];
        if (__any_sync(~0u, steps > 100)) break;  // expect: KL403 may not execute it
        steps++;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = steps;
}
void go(const int *x, int *o) { walk<<<64, 256>>>(x, o); }
