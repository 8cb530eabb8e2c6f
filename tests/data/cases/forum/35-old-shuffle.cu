// origin: our own
// question: __shfl_down removed in CUDA 9+/Volta: KL703
__global__ void k(float *x)
{
    float v = x[threadIdx.x];
    for (int o = 16; o; o /= 2) v += __shfl_down(v, o);  // expect: KL703 no mask of participating lanes
    x[threadIdx.x] = v;
}
void go(float *x) { k<<<1, 32>>>(x); }
