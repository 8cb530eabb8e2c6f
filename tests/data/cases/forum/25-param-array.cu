// origin: our own
// question: kernel argument struct with array indexed by threadIdx: local copy / constant bank divergence
struct W { float w[64]; };
__global__ void conv(const float *x, float *y, W p)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i] * p.w[threadIdx.x % 64];  // expect: KL501 32 different words
}
void go(const float *x, float *y, W p) { conv<<<64, 256>>>(x, y, p); }
