// origin: our own
// question: float a[1000] per thread: local memory spill, slow
__global__ void k(float *o, const float *in, int n)
{
    float a[1000];
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < n; i++) a[i] = in[i] * t;  // expect: KL502 lie in local memory
    float s = 0;
    for (int i = 0; i < n; i++) s += a[n - 1 - i] * a[i];
    o[t] = s;
}
void go(float *o, const float *i) { k<<<100, 128>>>(o, i, 1000); }
