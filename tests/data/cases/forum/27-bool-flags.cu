// origin: our own  // expect: none
// question: shared bool flag written by all lanes; nothing performance; no finding
__global__ void any(const int *x, int *o)
{
    __shared__ bool f;
    if (threadIdx.x == 0) f = false;
    __syncthreads();
    if (x[blockIdx.x * 256 + threadIdx.x] > 0) f = true;
    __syncthreads();
    if (threadIdx.x == 0) o[blockIdx.x] = f;
}
void go(const int *x, int *o) { any<<<64, 256>>>(x, o); }
