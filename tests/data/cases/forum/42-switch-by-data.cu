// origin: our own
// question: switch on per-element type with heavy cases: divergence by data (may)
__global__ void mat(const int *t, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    switch (t[i]) {  // expect: KL303 switch on `t[i]` may split the warp: up to 3 cases with work run one after the other (unknown)
    case 0: y[i] = sinf(x[i]) * expf(x[i]); break;
    case 1: y[i] = tanhf(x[i]) / cosf(x[i]); break;
    case 2: y[i] = powf(x[i], 1.7f); break;
    default: y[i] = 0;
    }
}
void go(const int *t, const float *x, float *y) { mat<<<1000, 256>>>(t, x, y); }
