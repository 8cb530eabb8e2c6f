// origin: issue cases
// launch: block 32, grid 1 (host code below).
// right: __syncthreads() that only even threads reach: hang. Error.
extern "C" __global__ void __launch_bounds__(32, 1) pairswap(float *io)
{
    __shared__ float m[32];
    m[threadIdx.x] = io[threadIdx.x];
    if ((((int)threadIdx.x) % 2) == 0) {  // expect: KL301 1 of 1 evaluations
        float v = m[((int)threadIdx.x)];
        __syncthreads();  // expect: KL401 not reached by
        m[(((int)threadIdx.x) ^ 1)] = v;
    }
    io[threadIdx.x] = m[threadIdx.x];
}
void go(float *f) { pairswap<<<1, 32>>>(f); }
