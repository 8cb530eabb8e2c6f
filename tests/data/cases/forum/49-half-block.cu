// origin: our own  // expect: none
// question: if (threadIdx.x < blockDim.x / 2) in whole warps: no divergence; nothing
__global__ void k(float *x)
{
    if (threadIdx.x < blockDim.x / 2) x[blockIdx.x * 256 + threadIdx.x] = sinf(x[blockIdx.x * 256 + threadIdx.x]);
    else x[blockIdx.x * 256 + threadIdx.x] = cosf(x[blockIdx.x * 256 + threadIdx.x]);
}
void go(float *x) { k<<<64, 256>>>(x); }
