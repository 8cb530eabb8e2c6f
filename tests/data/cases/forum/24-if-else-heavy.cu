// origin: our own
// question: even threads do sin, odd cos; A: divergence: both paths run
__global__ void sc(float *o, const float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 2) o[i] = sinf(x[i]) * expf(x[i]);  // expect: KL301 8,192 of 8,192 evaluations
    else o[i] = cosf(x[i]) + logf(x[i]);
}
void go(float *o, const float *x) { sc<<<1024, 256>>>(o, x); }
