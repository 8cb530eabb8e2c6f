// origin: our own  // expect: none
// right: nothing: half-warp mask
__global__ void lower(float *d)
{
    const int lane = threadIdx.x & 31;
    float v = d[threadIdx.x];
    if (lane < 16) {
        for (int o = 8; o > 0; o /= 2) v += __shfl_down_sync(0x0000ffffu, v, o);
    }
    __syncwarp();
    d[threadIdx.x] = v;
}
void go(float *d) { lower<<<1, 64>>>(d); }
