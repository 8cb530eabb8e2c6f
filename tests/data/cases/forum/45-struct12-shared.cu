// origin: our own
// question: struct of 3 floats in shared: stride 3 words is odd: no conflict
struct V { float x, y, z; };
__global__ void k(const V *in, float *o)
{
    __shared__ V s[256];
    s[threadIdx.x] = in[blockIdx.x * 256 + threadIdx.x];  // expect: KL206 12 sectors per request instead of 4
    __syncthreads();
    V a = s[255 - threadIdx.x];
    o[blockIdx.x * 256 + threadIdx.x] = a.x * a.y + a.z;
}
void go(const V *i, float *o) { k<<<64, 256>>>(i, o); }
