// origin: issue cases
#include <cassert>
__global__ void k(float* out, const float* in) {
    assert(blockDim.x == 4);
    float a = 0.f;
    for (int r = threadIdx.x; r < blockDim.z; r += 4) {
        float v = in[r];
        v += __shfl_down_sync(0xffffffff, v, 1, 4);
        a += v;
    }
    if (threadIdx.x == 0) out[threadIdx.y] = a;
}
__global__ void first_half(float* x) {      // always launched with 64 threads
    __shared__ float s[64];
    if (threadIdx.x < 64) { s[threadIdx.x] = x[threadIdx.x]; __syncthreads(); x[threadIdx.x] = s[63 - threadIdx.x]; }
}
__global__ void guarded(float* x, int n) {
    __shared__ float s[64];
    assert(blockDim.x == 64);
    if (threadIdx.x < 64) { s[threadIdx.x] = x[threadIdx.x]; __syncthreads(); x[threadIdx.x] = s[63 - threadIdx.x]; }
}
