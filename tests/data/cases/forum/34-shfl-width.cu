// origin: our own  // expect: none
// question: reduction in 8-lane groups w/ width: fine. nothing
__global__ void k(float *x)
{
    float v = x[blockIdx.x * blockDim.x + threadIdx.x];
    for (int o = 4; o; o /= 2) v += __shfl_down_sync(0xffffffff, v, o, 8);
    if (threadIdx.x % 8 == 0) x[(blockIdx.x * blockDim.x + threadIdx.x) / 8] = v;
}
void go(float *x) { k<<<10, 256>>>(x); }
