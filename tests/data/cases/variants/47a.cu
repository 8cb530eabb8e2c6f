// origin: our own  // expect: none
// right: nothing to report
__global__ void leaders(int *d)
{
    const int lane = threadIdx.x % 32;
    int v = d[blockIdx.x * blockDim.x + threadIdx.x];
    if (lane % 8 == 0) v = __shfl_xor_sync(0x01010101u, v, 8);
    d[blockIdx.x * blockDim.x + threadIdx.x] = __shfl_sync(0xffffffffu, v, lane & 24);
}
void go(int *d) { leaders<<<32, 256>>>(d); }
