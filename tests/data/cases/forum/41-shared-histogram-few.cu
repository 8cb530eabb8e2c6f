// origin: our own  // expect: none
// question: shared histogram of 16 bins; nothing: the hardware combines equal targets of atomicAdd(…, 1)
__global__ void h(const unsigned *x, unsigned *out, int n)
{
    __shared__ unsigned b[16];
    if (threadIdx.x < 16) b[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) atomicAdd(&b[x[i] & 15], 1u);
    __syncthreads();
    if (threadIdx.x < 16) atomicAdd(&out[threadIdx.x], b[threadIdx.x]);
}
void go(const unsigned *x, unsigned *o) { h<<<64, 256>>>(x, o, 1 << 20); }
