// origin: our own
// question: atomicAdd to shared counter by all threads of block, A: KL102 32 lanes same address; use warp reduce
__global__ void mean(const float *x, float *out, int n)
{
    __shared__ float acc;
    if (threadIdx.x == 0) acc = 0;
    __syncthreads();
    float v = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) v += x[blockIdx.x * n + i];
    atomicAdd(&acc, v);  // expect: KL102 between 32 and 1,056 wavefronts per request instead of 1
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = acc / n;
}
void go(const float *x, float *o) { mean<<<500, 256>>>(x, o, 4096); }
